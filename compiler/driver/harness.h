// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program that verify, run and bench build around generated code. Not part of any app: this text is embedded in
// macec and included by a main.cpp that names the models:
//
//   #include "batch.h"
//   #include "macec_threads.h"
//   #include "harness.h"
//   int main(int argc, char** argv) {
//     const macec_model* const models[] = {a_model(), b_model()};
//     return harness(models, argc, argv);
//   }
//
//   program run   MODEL IN OUT THREADS LEVEL DEVICE LIBRARY       runs every set of IN, writes outputs or the error of each
//   program sequence ...                                          the same in one context
//   program bench MODEL IN OUT THREADS LEVEL DEVICE LIBRARY RUNS  times the first set; writes lines of text
//
// DEVICE: where a model with an OpenCL half runs: gpu (or it fails), cpu, any. LIBRARY: path of the OpenCL library, or -.
//
// Files are little-endian streams of int64_t and raw bytes:
//   IN    sets, then for each: dims, dim..., inputs, (bytes, data)...
//   OUT   for each set: status; 0: guard broken or not, length and text of where it ran (empty: no OpenCL half),
//         outputs, (rank, extent..., bytes, data)...; else length, text
//
// Memory is filled with a pattern first and outputs have a guard behind them, so that a value that was never written
// and a write behind the end are seen.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

struct HarnessSet {
  std::vector<int64_t> dims;
  std::vector<std::vector<unsigned char>> inputs;
};

inline int64_t harness_read_int(FILE* file) {
  int64_t value = 0;
  if (fread(&value, sizeof value, 1, file) != 1) {
    fprintf(stderr, "the input file is cut off\n");
    exit(3);
  }
  return value;
}
inline void harness_write_int(FILE* file, int64_t value) {
  fwrite(&value, sizeof value, 1, file);
}

inline std::vector<HarnessSet> harness_read(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) exit(3);
  std::vector<HarnessSet> sets(static_cast<size_t>(harness_read_int(file)));
  for (HarnessSet& set : sets) {
    set.dims.resize(static_cast<size_t>(harness_read_int(file)));
    for (int64_t& dim : set.dims) dim = harness_read_int(file);
    set.inputs.resize(static_cast<size_t>(harness_read_int(file)));
    for (auto& input : set.inputs) {
      input.resize(static_cast<size_t>(harness_read_int(file)));
      if (!input.empty() && fread(input.data(), 1, input.size(), file) != input.size()) exit(3);
    }
  }
  fclose(file);
  return sets;
}

inline int64_t harness_bytes(int dtype, int64_t count) {
  static const int bits[] = {0,  32,  8,  8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64,
                             64, 128, 16, 8, 8,  8,  8,  4,  4, 4, 8,  2,  2};
  return (count * bits[dtype] + 7) / 8;
}

constexpr unsigned char kHarnessPattern = 0xcd;
constexpr size_t kHarnessGuard = 64;

// A context over memory of its own, with outputs behind guards.
struct HarnessRun {
  const macec_model* model;
  std::vector<unsigned char> memory;
  macec_error error{};
  macec_ctx* context = nullptr;
  std::vector<std::vector<unsigned char>> outputs;
  std::vector<macec_in> ins;
  std::vector<macec_out> outs;
  unsigned char nothing[1] = {0};

  HarnessRun(const HarnessRun&) = delete;
  HarnessRun(HarnessRun&&) = default;
  HarnessRun(const macec_model* m, macec_options options)
      : model(m), memory(m->memory_bytes, kHarnessPattern) {
    options.error = &error;
    const macec_status status = model->open(&context, memory.data(), memory.size(), &options);
    if (status != 0) context = nullptr;
    error.status = status;
  }
  void bind(HarnessSet& set) {
    ins.clear();
    outs.clear();
    outputs.clear();
    for (auto& input : set.inputs)
      ins.push_back({input.empty() ? nothing : input.data(), input.size()});
    for (uint32_t i = 0; i < model->n_out; ++i)
      outputs.emplace_back(model->out[i].max_bytes + kHarnessGuard, kHarnessPattern);
    for (uint32_t i = 0; i < model->n_out; ++i)
      outs.push_back({outputs[i].data(), model->out[i].max_bytes});
  }
  macec_status run(const HarnessSet& set) {
    return model->run(context, set.dims.data(), ins.data(), outs.data());
  }
  bool guard_is_broken() const {
    for (const auto& output : outputs)
      for (size_t i = output.size() - kHarnessGuard; i < output.size(); ++i)
        if (output[i] != kHarnessPattern) return true;
    return false;
  }
};

inline void harness_write_error(FILE* file, const macec_error& error, macec_status status) {
  char text[400];
  macec_error_text(&error, text, sizeof text);
  harness_write_int(file, status);
  harness_write_int(file, static_cast<int64_t>(strlen(text)));
  fwrite(text, 1, strlen(text), file);
  fflush(file);
}

inline void harness_write_text(FILE* file, const std::string& text) {
  harness_write_int(file, static_cast<int64_t>(text.size()));
  fwrite(text.data(), 1, text.size(), file);
}

// "GPU", "CPU (no OpenCL library found)"; empty for a model without an OpenCL half.
inline std::string harness_place(const macec_ctx* context) {
#ifdef MACEC_LAYER_2
  macec_report report;
  if (!context->model->query(2) || macec_get_report(context, &report) != 0) return "";
  const std::string why = report.text ? report.text : "";
  if (report.device == MACEC_ON_GPU) return "GPU";
  return why.empty() ? "CPU" : "CPU (" + why + ")";
#else
  (void)context;
  return "";
#endif
}

// Options for a model with an OpenCL half; compiled programs are kept in the folder.
#ifdef MACEC_LAYER_2
inline macec_opencl harness_opencl(const std::string& device, const std::string& library) {
  static std::string path;
  path = device == "cpu" ? "/nowhere" : library;
  macec_opencl opencl = macec_opencl_defaults();
  opencl.need_gpu = device == "gpu";
  if (path != "-") opencl.library = path.c_str();
  opencl.cache_dir = ".";
  return opencl;
}
#endif

inline void harness_write_outputs(FILE* file, const HarnessRun& run) {
  harness_write_int(file, 0);
  harness_write_int(file, run.guard_is_broken());
  harness_write_text(file, harness_place(run.context));
  harness_write_int(file, run.model->n_out);
  for (uint32_t i = 0; i < run.model->n_out; ++i) {
    const macec_tensor& tensor = run.model->out[i];
    int64_t extents[16] = {0}, count = 1;
    run.model->shape(run.context, i, extents);
    harness_write_int(file, tensor.rank);
    for (int axis = 0; axis < tensor.rank; ++axis) {
      harness_write_int(file, extents[axis]);
      count *= extents[axis];
    }
    const int64_t bytes = std::min<int64_t>(harness_bytes(tensor.dtype, count),
                                            static_cast<int64_t>(tensor.max_bytes));
    harness_write_int(file, bytes);
    fwrite(run.outputs[i].data(), 1, static_cast<size_t>(bytes), file);
  }
  fflush(file);
}

// in_sequence: one context for all sets, so that states carry on.
inline int harness_run_all(const macec_model* model, std::vector<HarnessSet>& sets, FILE* out,
                           const macec_options& options, bool in_sequence) {
  std::vector<HarnessRun> runs;
  runs.reserve(sets.size());
  for (HarnessSet& set : sets) {
    if (runs.empty() || !in_sequence) runs.emplace_back(model, options);
    HarnessRun& run = runs.back();
    if (!run.context) {
      harness_write_error(out, run.error, run.error.status);
      continue;
    }
    run.bind(set);
    const macec_status status = run.run(set);
    if (status != 0)
      harness_write_error(out, run.error, status);
    else
      harness_write_outputs(out, run);
    if (!in_sequence) model->close(run.context), run.memory = std::vector<unsigned char>();
  }
  if (in_sequence && !runs.empty() && runs[0].context) model->close(runs[0].context);
  return 0;
}

// --- bench ---------------------------------------------------------------------------------------------------------

inline int64_t harness_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct HarnessTimes {
  macec_pool pool;  // first: `user` of all hooks points at it
  std::vector<int64_t> begun, sum;
};
inline void harness_on_step(void* user, uint32_t step, const char*, int begins) {
  HarnessTimes& times = *static_cast<HarnessTimes*>(user);
  if (step >= times.sum.size()) {
    times.sum.resize(step + 1, 0);
    times.begun.resize(step + 1, 0);
  }
  if (begins)
    times.begun[step] = harness_now();
  else
    times.sum[step] += harness_now() - times.begun[step];
}

inline bool harness_time(const macec_model* model, HarnessSet& set, const macec_options& options,
                         int runs, std::vector<int64_t>* totals, std::string* place = nullptr) {
  HarnessRun run(model, options);
  if (!run.context)
    return fprintf(stderr, "open: %s\n", run.error.what ? run.error.what : ""), false;
  run.bind(set);
  for (int i = 0; i < runs; ++i) {
    const int64_t begin = harness_now();
    const macec_status status = run.run(set);
    totals->push_back(harness_now() - begin);
    if (status != 0)
      return fprintf(stderr, "run: %s\n", run.error.what ? run.error.what : ""), false;
  }
  if (place) *place = harness_place(run.context);
  model->close(run.context);
  return true;
}

inline int harness_bench(const macec_model* model, std::vector<HarnessSet>& sets, FILE* out,
                         macec_options options, HarnessTimes& times, int runs) {
  std::vector<int64_t> totals;
  const int warm = std::max(2, runs / 10);
  if (!harness_time(model, sets[0], options, warm, &totals)) return 4;
  totals.clear();
  std::string place;
  if (!harness_time(model, sets[0], options, runs, &totals, &place)) return 4;
  for (const int64_t t : totals) fprintf(out, "total %lld\n", static_cast<long long>(t));
  fprintf(out, "place %s\n", place.c_str());
  options.on_step = harness_on_step;
  totals.clear();
  if (!harness_time(model, sets[0], options, warm, &totals)) return 4;
  std::fill(times.sum.begin(), times.sum.end(), 0);
  if (!harness_time(model, sets[0], options, runs, &totals)) return 4;
  for (size_t i = 0; i < times.sum.size(); ++i)
    fprintf(out, "step %zu %lld\n", i, static_cast<long long>(times.sum[i] / runs));
  return 0;
}

inline int harness(const macec_model* const* models, int argc, char** argv) {
  if (argc < 9) return 2;
  const std::string mode = argv[1];
  const macec_model* model = models[atoi(argv[2])];
  std::vector<HarnessSet> sets = harness_read(argv[3]);
  FILE* out = fopen(argv[4], "wb");
  if (!out) return 3;
  static HarnessTimes times;
  macec_options options = macec_defaults();
  const uint32_t threads = std::min(static_cast<uint32_t>(atoi(argv[5])), model->max_threads);
  options.threads = macec_pool_start(&times.pool, threads);
  options.parallel_for = macec_pool_parallel_for;
  options.user = &times;
  options.level = static_cast<uint32_t>(atoi(argv[6]));
#ifdef MACEC_LAYER_2
  const macec_opencl opencl = harness_opencl(argv[7], argv[8]);
  if (model->query(2)) options.next = &opencl;
#endif
  const int code = mode == "bench" ? harness_bench(model, sets, out, options, times,
                                                   argc > 9 ? atoi(argv[9]) : 50)
                                   : harness_run_all(model, sets, out, options, mode == "sequence");
  macec_pool_stop(&times.pool);
  fclose(out);
  return code;
}
