// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes generated pairs whose steps are a few lines of C++ from here, so that the interface is
// tested by itself:
//
//   make_pairs FOLDER x86|armv8|portable
//
//   vad.h, .cpp    dimensions, state, run-time check, two plans, levels, weights file; workers
//   kws.h, .cpp    fixed sizes, `kws_once`, weights in an array
//   many.h, .cpp   ten tensors (a struct), odd types, an extent known after a run, an output that
//                  may be NULL
//   both.h, .cpp   two models in one pair
//   wNAME.*        one small model for each way to ship weights
//
//   make_pairs FOLDER portable old     only old.h and old.cpp, to be kept in tests/abi/old
#include <fstream>
#include <iostream>

#include "compiler/emit/interface.h"
#include "compiler/emit/weights.h"

namespace {

using namespace macec;

std::string folder, architecture;

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(folder + "/" + name, std::ios::binary);
  file << text;
  if (!file.good()) throw std::runtime_error("cannot write " + folder + "/" + name);
}

// Weights of the tests: `count` floats 1, 2, 3, ... times `scale`.
std::string counting_weights(int count, float scale) {
  std::string bytes;
  for (int i = 1; i <= count; ++i) {
    const float value = scale * static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  }
  return bytes;
}

// The levels of the tested architecture; all run the same functions.
std::vector<InterfaceLevel> levels(std::vector<std::string> run) {
  if (architecture == "x86") {
    return {{"x86-64", {"sse2"}, run},
            {"x86-64-v3", {"avx2", "fma", "f16c"}, run},
            {"x86-64-v4", {"avx2", "fma", "avx512f", "avx512bw", "avx512vl"}, run}};
  }
  if (architecture == "armv8") {
    return {{"armv8", {"neon"}, run},
            {"armv8+dotprod", {"dotprod"}, run},
            {"armv8+i8mm", {"dotprod", "i8mm"}, run}};
  }
  return {{"portable", {}, run}};
}

InterfaceTensor tensor(std::string name, int dtype, std::vector<Extent> shape, int64_t max_bytes) {
  InterfaceTensor t;
  t.name = std::move(name);
  t.dtype = dtype;
  t.shape = std::move(shape);
  t.max_bytes = max_bytes;
  return t;
}

ModelInterface model(std::string name, uint32_t build, std::vector<std::string> run) {
  ModelInterface m;
  m.name = std::move(name);
  m.build = build;
  m.compiler = "macec test";
  m.target = architecture;
  m.levels = levels(std::move(run));
  m.onnx_sha256[0] = 0xab;
  return m;
}

struct Part {
  ModelInterface model;
  std::string steps, packed;
};

void write_pair(const std::string& stem, std::vector<Part> parts) {
  GeneratedPair pair;
  pair.header_name = stem + ".h";
  pair.banner = {stem + ".h: written by a test of macec; a name from outside: */ // \\"};
  pair.step_hooks = true;
  std::string steps, weights;
  for (Part& part : parts) {
    ModelInterface& m = part.model;
    assign_identifiers(m);
    m.weights_bytes = static_cast<int64_t>(part.packed.size());
    steps += "\nnamespace {\nnamespace " + m.name + " {\n" + part.steps +
             "}  // namespace\n}  // namespace\n\n";
    const WeightsText text = write_weights(m, weights_blob(m.weights_layout, part.packed));
    weights += "\n" + text.source;
    if (!text.assembly_name.empty()) write_file(text.assembly_name, text.assembly);
    if (!text.binary_name.empty())
      write_file(text.binary_name, weights_blob(m.weights_layout, part.packed));
    pair.models.push_back(m);
  }
  write_file(stem + ".h", write_header(pair));
  write_file(stem + ".cpp",
             write_source_prelude(pair) + steps + write_interface_source(pair) + weights);
}

// prob[i] = sum of audio row i + h[0] + weight[height / 32 - 1]; h' = h + 1. The first plan fails
// with MACEC_E_DEVICE if audio[0] is 1000, the app's doing is then to find the second one at work.
Part vad(const std::string& name, uint32_t build, WeightsMode mode) {
  Part p;
  p.model = model(name, build, {name + "::run_device", name + "::run_cpu"});
  ModelInterface& m = p.model;
  m.summary = {"audio float32[frames,8] -> prob float32[frames+1,1]; state h"};
  m.arena_bytes = 4 * 64 + 40;
  m.max_threads = 4;
  m.value_count = 1;
  m.weights_mode = mode;
  m.weights_layout = 0x1234567890abcdef;
  m.dims = {{"frames", "", 1, 32, 1}, {"height", "", 32, 96, 32}, {"Other Frames", "", 0, 64, 1}};
  m.inputs = {tensor("audio", 1, {dim_extent(0), fixed_extent(8)}, 1024)};
  m.outputs = {
      tensor("Prob:0", 1, {computed_extent("frames + 1", "frames+1"), fixed_extent(1)}, 132)};
  m.states = {{"h", 1, {fixed_extent(6)}, {fixed_extent(6)}, 24},
              {"cache", 1, {dim_extent(2)}, {computed_extent("other_frames + 1", "")}, 260}};
  m.checks = {{"height * 0 + frames", "macec_max(frames, other_frames - 31)", "axis 0 of 'audio'",
               "'x\"y' less 31"}};
  p.packed = counting_weights(3, 0.25f);
  p.steps = R"(
void rows(Context& c, int64_t begin, int64_t end, uint32_t worker) {
  float* const scratch = reinterpret_cast<float*>(c.arena + 64 * worker);
  const float* const audio = static_cast<const float*>(c.in[0]);
  float* const prob = static_cast<float*>(c.out[0]);
  float weight = 0;
  memcpy(&weight, c.weights + 4 * (c.dim[1] / 32 - 1), 4);
  const float h = *reinterpret_cast<const float*>(c.state[0]);
  for (int64_t row = begin; row < end; ++row) {
    scratch[0] = h + weight;
    for (int i = 0; i < 8; ++i) scratch[0] += audio[8 * row + i];
    prob[row] = scratch[0];
  }
}
macec_status run_cpu(Context& c) {
  step_begins(c, 0, "rows");
  run_units(c, c.dim[0], 1, rows);
  step_ends(c, 0, "rows");
  if (stops(c)) return c.status;
  static_cast<float*>(c.out[0])[c.dim[0]] = static_cast<float>(c.plan);
  for (int i = 0; i < 6; ++i) {
    reinterpret_cast<float*>(c.next_state[0])[i] = reinterpret_cast<const float*>(c.state[0])[i] + 1;
  }
  for (int64_t i = 0; i <= c.dim[2]; ++i) reinterpret_cast<float*>(c.next_state[1])[i] = 1;
  c.dim[3] = 7;
  return stops(c) ? c.status : static_cast<macec_status>(MACEC_OK);
}
macec_status run_device(Context& c) {
  if (static_cast<const float*>(c.in[0])[0] == 1000) return MACEC_E_DEVICE;
  return run_cpu(c);
}
)";
  return p;
}

// scores[1] = the number of weights that are what they should be.
const char kCountWeights[] = R"(
macec_status run(Context& c) {
  int64_t right = 0;
  for (int i = 0; i < 20001; ++i) {
    float weight = 0;
    memcpy(&weight, c.weights + 4 * i, 4);
    right += weight == static_cast<float>(i + 1);
  }
  static_cast<float*>(c.out[0])[0] = static_cast<const float*>(c.in[0])[0];
  static_cast<float*>(c.out[0])[1] = static_cast<float>(right);
  return c.status;
}
)";

// scores[i] = audio[2 * i] + audio[2 * i + 1] * weight[i]
Part kws(const std::string& name, uint32_t build, float scale, WeightsMode mode, int weights = 2) {
  Part p;
  p.model = model(name, build, {name + "::run"});
  ModelInterface& m = p.model;
  m.weights_mode = mode;
  m.weights_layout = build;
  m.inputs = {tensor("audio", 1, {fixed_extent(2), fixed_extent(2)}, 16)};
  m.outputs = {tensor("scores", 1, {fixed_extent(2)}, 8)};
  p.packed = counting_weights(weights, scale);
  p.steps = R"(
macec_status run(Context& c) {
  const float* const audio = static_cast<const float*>(c.in[0]);
  for (int i = 0; i < 2; ++i) {
    float weight = 0;
    memcpy(&weight, c.weights + 4 * i, 4);
    static_cast<float*>(c.out[0])[i] = audio[2 * i] + audio[2 * i + 1] * weight;
  }
  return c.status;
}
)";
  if (weights > 2) p.steps = kCountWeights;
  return p;
}

// y = bytes of the inputs added up; found = the positions of ones in mask, as many as there are.
Part many() {
  Part p;
  p.model = model("many", 0x77c1e0a4, {"many::run"});
  ModelInterface& m = p.model;
  m.dims = {{"int", "", 0, 5, 1}};
  m.value_count = 1;
  m.inputs = {tensor("in", 9, {fixed_extent(7)}, 7),
              tensor("0", 10, {dim_extent(0), fixed_extent(3)}, 30),
              tensor("Input.0", 22, {fixed_extent(5)}, 3),
              tensor("input_0", 7, {}, 8),
              tensor("\xe5\x90\x8d", 14, {fixed_extent(2)}, 16),
              tensor("memory", 21, {dim_extent(0)}, 3)};
  m.inputs[2].scale = {0.5f};
  m.inputs[2].zero_point = {3};
  m.outputs = {
      tensor("y", 7, {}, 8),
      tensor("found", 7, {later_extent("7", "value_1 + 0 * int_dim", "count")}, 56),
      tensor("not*/wanted", 11,
             {fixed_extent(1), computed_extent("macec_floor_div(int_dim + 1, 2)", "")}, 24),
      tensor("none", 1, {fixed_extent(0), fixed_extent(3)}, 0)};
  m.outputs[2].may_be_null = true;
  p.steps = R"(
macec_status run(Context& c) {
  const uint8_t* const mask = static_cast<const uint8_t*>(c.in[0]);
  int64_t count = 0;
  for (int64_t i = 0; i < 7; ++i) {
    if (mask[i]) static_cast<int64_t*>(c.out[1])[count++] = i;
  }
  c.dim[1] = count;
  *static_cast<int64_t*>(c.out[0]) = *static_cast<const int64_t*>(c.in[3]) + c.dim[0];
  if (c.out[2]) {
    for (int64_t i = 0; i < macec_floor_div(c.dim[0] + 1, 2); ++i) static_cast<double*>(c.out[2])[i] = 0.5;
  }
  return c.status;
}
)";
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  folder = argv[1];
  architecture = argv[2];
  if (argc > 3) {
    write_pair("old", {vad("old", 0x01d01d01, WeightsMode::array)});
    return 0;
  }
  write_pair("vad", {vad("vad", 0x52ae1907, WeightsMode::file)});
  write_pair("kws", {kws("kws", 0x11111111, 1, WeightsMode::array)});
  write_pair("many", {many()});
  write_pair("both", {kws("one", 0x22222222, 2, WeightsMode::array),
                      kws("two", 0x33333333, 4, WeightsMode::array)});
  write_pair("warray", {kws("warray", 1, 1, WeightsMode::array, 20001)});
  write_pair("wasm", {kws("wasm", 2, 1, WeightsMode::assembler, 20001)});
  write_pair("wincbin", {kws("wincbin", 3, 1, WeightsMode::incbin, 20001)});
  write_pair("wfile", {kws("wfile", 4, 1, WeightsMode::file, 20001)});
  write_pair("wextern", {kws("wextern", 5, 1, WeightsMode::external, 20001)});
  return 0;
}
