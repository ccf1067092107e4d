// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes a generated pair whose tables and steps are made by hand, so that the OpenCL stub is tested
// by itself: make_pair FOLDER
//
//   duo     GPU, CPU, GPU; a state; an output that may be NULL; self-check
//             b = x * w + h; the CPU adds 0.5; t = 2 * b; y = t + x; z = t; h' = h + x
//           an x above 50 is out of range
//   solo    all on the GPU: an image, an image of weights with a row of padding, local memory;
//           model->input; self-check     q = p * w + 3 (w repeats after 64 elements)
//   lone    solo without a CPU plan
//   plain   no GPU: z = x
#include <algorithm>
#include <cmath>
#include <fstream>

#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/emit/weights.h"
#include "runtime_stub/gpu_draw.h"

namespace {

using namespace macec;

constexpr int kCount = 64;

std::string folder;

void write_file(const std::string& name, const std::string& text) {
  std::ofstream(folder + "/" + name, std::ios::binary) << text;
}

std::string counting_weights() {
  std::string bytes;
  for (int i = 0; i < kCount; ++i) {
    const float value = 0.25f * static_cast<float>(i + 1);
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  }
  return bytes;
}

InterfaceTensor floats(std::string name) {
  InterfaceTensor t;
  t.name = std::move(name);
  t.shape = {fixed_extent(8), fixed_extent(8)};
  t.max_bytes = 4 * kCount;
  return t;
}

struct Part {
  ModelInterface model;
  std::string steps, packed;
};

Part part(const std::string& name, std::vector<std::string> plans, bool has_weights) {
  Part p;
  ModelInterface& m = p.model;
  m.name = name;
  m.build = static_cast<uint32_t>(0x1000 + name[0]);
  m.compiler = "macec test";
  m.target = "test";
  for (std::string& plan : plans) plan = name + "::" + plan;
  m.levels = {{"portable", {}, plans}};
  if (has_weights) p.packed = counting_weights();
  m.weights_mode = has_weights ? WeightsMode::array : WeightsMode::none;
  m.weights_layout = m.build;
  return p;
}

// Recorded answers: every third value of what answer(x, w) gives for drawn inputs.
template <class Answer>
std::string check_tables(const std::string& output, Answer answer) {
  std::string samples;
  float magnitude = 0;
  for (int i = 0; i < kCount; ++i) {
    const float x = static_cast<float>(draw_value(0, static_cast<uint64_t>(i), -2, 2, 1));
    const float value = answer(x, 0.25f * static_cast<float>(i + 1));
    magnitude = std::max(magnitude, std::abs(value));
    if (i % 3 == 0) samples += std::to_string(value) + "f, ";
  }
  return "constexpr float k" + output + "[] = {" + samples + "};\nconstexpr float k" + output +
         "Most = " + std::to_string(magnitude) + "f;\n";
}

const char kDuoTables[] = R"(
constexpr const char* kSources[] = {
    "// duo\n",
    "__kernel void a(__global const float* x, __global const float* w, __global const float* h, __global float* b, int w_at, __global int* problem) {\n"
    "  int i = get_global_id(0);\n  if (x[i] > 50.0f) *problem = 1;\n  b[i] = x[i] * w[w_at + i] + h[i];\n}\n",
    "__kernel void b(__global const float* b, __global float* t, int t_at) {\n"
    "  int i = get_global_id(0);\n  t[t_at + i] = b[i] * 2.0f;\n}\n"
    "__kernel void c(__global const float* t, int t_at, __global const float* x, __global const float* h,\n"
    "                __global float* y, __global float* z, __global float* hn) {\n"
    "  int i = get_global_id(0);\n  y[i] = t[t_at + i] + x[i];\n  z[i] = t[t_at + i];\n  hn[i] = h[i] + x[i];\n}\n"};
constexpr const char* kKernels[] = {"a", "b", "c"};
constexpr const char* kProblems[] = {"an x is above 50"};
constexpr GpuArg kArgs[] = {
    {kGpuShared, 0}, {kGpuWeights, 0}, {kGpuShared, 1}, {kGpuShared, 2}, {kGpuInteger, 0}, {kGpuProblem, 0},
    {kGpuShared, 2}, {kGpuDevice, 0}, {kGpuInteger, 16},
    {kGpuDevice, 0}, {kGpuInteger, 16}, {kGpuShared, 0}, {kGpuShared, 1}, {kGpuShared, 3}, {kGpuShared, 4}, {kGpuShared, 5}};
constexpr GpuLaunchRow kLaunches[] = {{0, 0, 6, {64, 1, 1}, {16, 1, 1}}, {1, 6, 3, {64, 1, 1}, {16, 1, 1}},
                                      {2, 9, 7, {64, 1, 1}, {0, 0, 0}}};
constexpr GpuSharedRow kShared[] = {
    {256, GpuSharedRow::input, 0, false},  {256, GpuSharedRow::state, 0, false}, {256, GpuSharedRow::border, 0, false},
    {320, GpuSharedRow::output, 0, false}, {256, GpuSharedRow::output, 1, false}, {256, GpuSharedRow::next_state, 0, false}};
constexpr GpuCheckInput kCheckInputs[] = {{-2, 2, 1, 64}};
constexpr GpuCheckOutput kCheckOutputs[] = {{1, 64, kY, 22, 3, 1e-4f, kYMost}, {1, 64, kZ, 22, 3, 1e-4f, kZMost}};
constexpr GpuModel kGpu = {kSources, 3, "", kKernels, 3, kLaunches, 3, kArgs, nullptr, 0, nullptr, 0, kShared, 6,
                           384, true, kProblems, 1, kCheckInputs, kCheckOutputs, nullptr, kWeightsHash};
void add_half(Context& c, int64_t begin, int64_t end, uint32_t) {
  float* const b = reinterpret_cast<float*>(shared_memory(c, 2));
  for (int64_t i = begin; i < end; ++i) b[i] += 0.5f;
}
macec_status run(Context& c) {
  if (!gpu_begin(c)) return c.status;
  if (!gpu_launch(c, 0, 1)) return c.status;
  if (!gpu_map(c, 2)) return c.status;
  run_units(c, 64, 16, add_half);
  if (stops(c)) return c.status;
  if (!gpu_unmap(c, 2)) return c.status;
  if (!gpu_launch(c, 1, 3)) return c.status;
  return gpu_end(c);
}
macec_status run_cpu(Context& c) {
  for (int i = 0; i < 64; ++i) {
    const float x = input<float>(c, 0)[i], h = state<float>(c, 0)[i];
    float w = 0;
    memcpy(&w, c.weights + 4 * i, 4);
    const float t = (x * w + h + 0.5f) * 2.0f;
    if (x > 50) c.status = fail(c, MACEC_E_RANGE, "an x is above 50");
    output<float>(c, 0)[i] = t + x;
    if (c.out[1]) output<float>(c, 1)[i] = t;
    next_state<float>(c, 0)[i] = h + x;
  }
  return stops(c) ? c.status : static_cast<macec_status>(MACEC_OK);
}
)";

const char kSoloTables[] = R"(
constexpr const char* kSources[] = {
    "__kernel void store(__global const float* p, __write_only image2d_t t) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  write_imagef(t, (int2)(x, y), vload4(y * 4 + x, p));\n}\n"
    "__kernel void multiply(__read_only image2d_t t, __read_only image2d_t w, __local float* l, int plus, __global float* q) {\n"
    "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  l[get_local_id(0)] = (float)plus + read_imagef(w, s, (int2)(x, 4)).x;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  vstore4(read_imagef(t, s, (int2)(x, y)) * read_imagef(w, s, (int2)(x, y)) + l[3 - get_local_id(0)], y * 4 + x, q);\n}\n"};
constexpr const char* kKernels[] = {"store", "multiply"};
constexpr GpuArg kArgs[] = {{kGpuShared, 0}, {kGpuImage, 0},
                            {kGpuImage, 0}, {kGpuWeightImage, 0}, {kGpuLocal, 16}, {kGpuInteger, 3}, {kGpuShared, 1}};
constexpr GpuLaunchRow kLaunches[] = {{0, 0, 2, {4, 4, 1}, {4, 4, 1}}, {1, 2, 5, {4, 4, 1}, {4, 1, 1}}};
constexpr GpuImageRow kImages[] = {{4, 4, 0}};
constexpr GpuWeightImageRow kWeightImages[] = {{4, 6, 0, 0, 256}};
constexpr GpuSharedRow kShared[] = {{256, GpuSharedRow::input, 0, false}, {256, GpuSharedRow::output, 0, false}};
constexpr GpuCheckInput kCheckInputs[] = {{-2, 2, 1, 64}};
constexpr GpuCheckOutput kCheckOutputs[] = {{1, 64, kQ, 22, 3, 1e-4f, kQMost}};
constexpr GpuModel kGpu = {kSources, 1, "-cl-std=CL1.2", kKernels, 2, kLaunches, 2, kArgs, kImages, 1, kWeightImages, 1,
                           kShared, 2, 0, false, nullptr, 0, kCheckInputs, kCheckOutputs, nullptr, kWeightsHash};
macec_status run(Context& c) {
  if (!gpu_begin(c)) return c.status;
  if (!gpu_launch(c, 0, 2)) return c.status;
  return gpu_end(c);
}
[[maybe_unused]] macec_status run_cpu(Context& c) {
  for (int i = 0; i < 64; ++i) {
    float w = 0;
    memcpy(&w, c.weights + 4 * i, 4);
    output<float>(c, 0)[i] = input<float>(c, 0)[i] * w + 3.0f;
  }
  return c.status;
}
)";

std::string hash_constant(const Part& p) {
  return "constexpr uint64_t kWeightsHash = " + std::to_string(blob_hash(p.packed)) + "u;\n";
}

Part duo() {
  Part p = part("duo", {"run", "run_cpu"}, true);
  ModelInterface& m = p.model;
  m.inputs = {floats("x")};
  m.outputs = {floats("y"), floats("z")};
  m.outputs[1].may_be_null = true;
  m.states = {{"h", 1, {fixed_extent(64)}, {fixed_extent(64)}, 256}};
  m.has_input_memory = true;
  m.gpu = InterfaceGpu{3, 6, 0, 0};
  p.steps = hash_constant(p) +
            check_tables("Y", [](float x, float w) { return (x * w + 0.5f) * 2 + x; }) +
            check_tables("Z", [](float x, float w) { return (x * w + 0.5f) * 2; }) + kDuoTables;
  return p;
}

Part solo(const std::string& name, std::vector<std::string> plans) {
  Part p = part(name, std::move(plans), true);
  ModelInterface& m = p.model;
  m.inputs = {floats("p")};
  m.outputs = {floats("q")};
  m.has_input_memory = true;
  m.gpu = InterfaceGpu{2, 2, 1, 1};
  p.steps = hash_constant(p) + check_tables("Q", [](float x, float w) { return x * w + 3; }) +
            kSoloTables;
  return p;
}

Part plain() {
  Part p = part("plain", {"run"}, false);
  p.model.inputs = {floats("x")};
  p.model.outputs = {floats("z")};
  p.steps = "macec_status run(Context& c) { memcpy(c.out[0], c.in[0], 256); return c.status; }\n";
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  folder = argv[1];
  GeneratedPair pair;
  pair.header_name = "stub.h";
  std::string steps =
                  "namespace {\n" + pasted_text("runtime_stub/operands.h") + "}  // namespace\n",
              weights;
  for (Part& p :
       std::vector<Part>{duo(), solo("solo", {"run", "run_cpu"}), solo("lone", {"run"}), plain()}) {
    ModelInterface& m = p.model;
    assign_identifiers(m);
    m.weights_bytes = static_cast<int64_t>(p.packed.size());
    steps += "\nnamespace {\nnamespace " + m.name + " {\n" + p.steps +
             "}  // namespace\n}  // namespace\n\n";
    weights += "\n" + write_weights(m, weights_blob(m.weights_layout, p.packed)).source;
    pair.models.push_back(m);
  }
  write_file("stub.h", write_header(pair));
  write_file("stub.cpp",
             write_source_prelude(pair) + steps + write_interface_source(pair) + weights);
  return 0;
}
