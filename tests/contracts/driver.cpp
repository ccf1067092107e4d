// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a generated model once or several times from a script.
//
//   driver LEVEL THREADS RUNS FOLDER [DIM...]
//
// Reads FOLDER/in_R_I (raw bytes of input I in run R), writes FOLDER/out_R_I, cut to the real size. Prints `open: text` or
// `run: text` with the error's text and ends with 1 when a call fails; with GO_ON in the environment the next run follows a
// failed one. With more than one thread, parts are computed by real threads. -DHEADER="\"m.h\"" -DMODEL=m_model.
#include HEADER

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

// Worker w computes the parts w, w + threads, ...
uint32_t g_threads = 1;
void parallel_for(void*, uint32_t n, void (*part)(void*, uint32_t, uint32_t), void* arg) {
  std::vector<std::thread> workers;
  for (uint32_t w = 0; w < g_threads; ++w) {
    workers.emplace_back([=] {
      for (uint32_t i = w; i < n; i += g_threads) part(arg, i, w);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

std::vector<char> read(const std::string& path) {
  std::vector<char> bytes;
  if (std::FILE* file = std::fopen(path.c_str(), "rb")) {
    char block[4096];
    for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.insert(bytes.end(), block, block + n);
    std::fclose(file);
  }
  return bytes;
}

// By ONNX's number of the element type.
size_t element_bytes(int dtype) {
  switch (dtype) {
    case 1: case 6: case 12: return 4;
    case 7: case 11: case 13: return 8;
    case 4: case 5: case 10: case 16: return 2;
    default: return 1;
  }
}

int fail(const char* call, const macec_error& error) {
  char text[300];
  std::printf("%s: %s\n", call, macec_error_text(&error, text, sizeof text));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const macec_model* model = MODEL();
  macec_error error = {0, -1, "", "", 0, 0};
  macec_options options = macec_defaults();
  options.error = &error;
  options.level = static_cast<uint32_t>(std::atoi(argv[1]));
  options.threads = g_threads = static_cast<uint32_t>(std::atoi(argv[2]));
  if (g_threads > 1) options.parallel_for = parallel_for;
  std::vector<unsigned char> memory(model->memory_bytes);
  macec_ctx* context = nullptr;
  if (model->open(&context, memory.data(), memory.size(), &options)) return fail("open", error);
  std::vector<int64_t> dims;
  for (int i = 5; i < argc; ++i) dims.push_back(std::atoll(argv[i]));
  dims.resize(model->n_dim + 1);
  const std::string folder = argv[4];
  const char* last = std::getenv("UNWANTED");  // so many of the last outputs are NULL
  const uint32_t unwanted = last ? static_cast<uint32_t>(std::atoi(last)) : 0;
  for (int r = 0; r < std::atoi(argv[3]); ++r) {
    const auto name = [&](const char* side, uint32_t i) {
      return folder + "/" + side + "_" + std::to_string(r) + "_" + std::to_string(i);
    };
    std::vector<std::vector<char>> inputs(model->n_in), outputs(model->n_out);
    std::vector<macec_in> in;
    std::vector<macec_out> out;
    for (uint32_t i = 0; i < model->n_in; ++i) {
      inputs[i] = read(name("in", i));
      in.push_back({inputs[i].data(), inputs[i].size()});
    }
    for (uint32_t i = 0; i < model->n_out; ++i) {
      outputs[i].resize(model->out[i].max_bytes);
      const bool is_wanted = i + unwanted < model->n_out;
      out.push_back({is_wanted ? outputs[i].data() : nullptr, is_wanted ? outputs[i].size() : 0});
    }
    if (model->run(context, dims.data(), in.data(), out.data())) {
      fail("run", error);
      if (std::getenv("GO_ON")) continue;
      return 1;
    }
    for (uint32_t i = 0; i + unwanted < model->n_out; ++i) {
      std::vector<int64_t> shape(model->out[i].rank + 1u, 1);
      model->shape(context, i, shape.data());
      size_t count = 1;
      for (uint32_t a = 0; a < model->out[i].rank; ++a) count *= static_cast<size_t>(shape[a]);
      for (uint32_t a = 0; a < model->out[i].rank; ++a) std::printf("%s%lld", a ? "," : "", static_cast<long long>(shape[a]));
      std::printf("%s", model->out[i].rank ? "\n" : "scalar\n");
      std::FILE* file = std::fopen(name("out", i).c_str(), "wb");
      std::fwrite(outputs[i].data(), 1, count * element_bytes(model->out[i].dtype), file);
      std::fclose(file);
    }
  }
  model->close(context);
  return 0;
}
