// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the test programs around one generated model share: files, arguments, an open context.
//
// Built with -DMODEL_HEADER='"kws.h"' -DMODEL_FUNCTION=kws_model. Everything goes through
// macec_model, the table that a generated file exports, so that one program serves every model.
//
//   PROGRAM [--level N] [--dims A,B] [--threads N] INPUT... [-- OUTPUT...]
//
// INPUT and OUTPUT are files of raw elements, in the order of the ONNX file. Dims are in the order
// of macec_model::dim.
#ifndef TESTS_MODELS_PROGRAM_H
#define TESTS_MODELS_PROGRAM_H
#include MODEL_HEADER

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace program {

struct Arguments {
  unsigned level = 0, threads = 1;
  std::vector<int64_t> dims;
  std::vector<std::string> inputs, outputs;
};

[[noreturn]] inline void die(const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  std::exit(3);
}

inline std::vector<int64_t> parse_dims(const char* text) {
  std::vector<int64_t> dims;
  while (*text != '\0') {
    char* end = nullptr;
    dims.push_back(std::strtoll(text, &end, 10));
    text = *end == ',' ? end + 1 : end;
  }
  return dims;
}

inline Arguments parse(int argc, char** argv) {
  Arguments a;
  bool outputs = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--") {
      outputs = true;
    } else if (word == "--level" && has_value) {
      a.level = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--threads" && has_value) {
      a.threads = static_cast<unsigned>(std::atoi(argv[++i]));
    } else if (word == "--dims" && has_value) {
      a.dims = parse_dims(argv[++i]);
    } else {
      (outputs ? a.outputs : a.inputs).push_back(word);
    }
  }
  return a;
}

inline std::vector<unsigned char> read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) die("cannot read " + path);
  std::vector<unsigned char> bytes;
  unsigned char part[65536];
  size_t n;
  while ((n = std::fread(part, 1, sizeof part, file)) > 0)
    bytes.insert(bytes.end(), part, part + n);
  std::fclose(file);
  return bytes;
}

inline void write_file(const std::string& path, const void* data, size_t bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, bytes, file) != bytes) die("cannot write " + path);
  std::fclose(file);
}

// Elements that `bytes` bytes of an ONNX data type hold, as bits of one element.
inline size_t element_bits(unsigned dtype) {
  switch (dtype) {
    case 7:
    case 11:
    case 13:
    case 14:
      return 64;
    case 1:
    case 6:
    case 12:
      return 32;
    case 4:
    case 5:
    case 10:
    case 16:
      return 16;
    case 21:
    case 22:
    case 23:
      return 4;
    case 15:
      return 128;
    default:
      return 8;
  }
}

// Runs the threads of a test one after the other, in descending order of their number: a model
// whose results depend on who does what first shows it.
inline void run_backwards(void*, uint32_t n, void (*part)(void*, uint32_t, uint32_t), void* arg) {
  for (uint32_t i = n; i-- > 0;) part(arg, i, i % 2);
}

// One open context with its memory, inputs and outputs.
struct Session {
  const macec_model* model = MODEL_FUNCTION();
  std::vector<unsigned char> memory;
  std::vector<std::vector<unsigned char>> input, output;
  std::vector<macec_in> in;
  std::vector<macec_out> out;
  std::vector<int64_t> dims;
  macec_ctx* context = nullptr;
  macec_error error = {};

  void check(macec_status status, const char* what) const {
    if (status == MACEC_OK) return;
    char text[400];
    die(std::string(what) + ": " + macec_error_text(&error, text, sizeof text) + " status " +
        std::to_string(status));
  }

  // Reads the inputs and opens. The memory starts at an odd address on purpose.
  void open(const Arguments& a) {
    if (a.inputs.size() != model->n_in)
      die("the model has " + std::to_string(model->n_in) + " inputs");
    dims = a.dims;
    if (dims.size() != model->n_dim)
      die("the model has " + std::to_string(model->n_dim) + " dimensions");
    for (const std::string& path : a.inputs) input.push_back(read_file(path));
    for (auto& bytes : input) in.push_back({bytes.data(), bytes.size()});
    for (uint32_t i = 0; i < model->n_out; ++i)
      output.emplace_back(model->out[i].max_bytes + 1, 0xee);
    for (uint32_t i = 0; i < model->n_out; ++i)
      out.push_back({output[i].data(), model->out[i].max_bytes});
    memory.assign(model->memory_bytes + 1, 0xee);
    macec_options options = macec_defaults();
    options.level = a.level;
    options.threads = a.threads;
    if (a.threads > 1) options.parallel_for = run_backwards;
    options.error = &error;
    check(model->open(&context, memory.data() + 1, model->memory_bytes, &options), "open");
  }

  void run() {
    check(macec_run(context, dims.empty() ? nullptr : dims.data(), in.data(), out.data()), "run");
  }

  // Real extents of output i after a run.
  std::vector<int64_t> shape(uint32_t i) const {
    std::vector<int64_t> extents(model->out[i].rank);
    check(model->shape(context, i, extents.data()), "shape");
    return extents;
  }

  size_t bytes(uint32_t i) const {
    size_t elements = 1;
    for (int64_t extent : shape(i)) elements *= static_cast<size_t>(extent);
    return (elements * element_bits(model->out[i].dtype) + 7) / 8;
  }
};

}  // namespace program
#endif
