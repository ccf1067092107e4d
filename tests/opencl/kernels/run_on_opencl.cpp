// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/opencl/kernels/run_on_opencl.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "compiler/emit/embedded.h"
#include "compiler/ir/text.h"
#include "compiler/ops/registry.h"
#include "passes/pass.h"
#include "passes/select_plan.h"
#include "targets/opencl/gpu_row.h"
#include "targets/opencl/launch_builder.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/device.h"

namespace macec {
namespace {

Graph prepared(const Graph& original, const Target& target) {
  Graph graph = original;
  PassContext context;
  context.target = &target;
  PipelineOptions options;
  const bool is_channels_last =
      !graph.inputs.empty() && graph.type(graph.inputs[0]).layout == Layout::channels_last;
  if (is_channels_last) options.stop_after = "widen-small";
  run_pipeline(graph, context, options, nullptr);
  if (is_channels_last)
    for (Value& value : graph.values)
      if (value.type.rank() >= 3 && value.producer.is_valid())
        value.type.layout = Layout::channels_last;
  return graph;
}

// Everything on the device, launches specialised. Inputs and outputs are taken for buffers that only
// kernels touch: so they may be images.
Plan device_plan(const Graph& graph, const Target& target) {
  Plan plan = select_plan(graph, target);
  std::vector<Buffer::Place> places;
  for (Buffer& buffer : plan.buffers) {
    places.push_back(buffer.place);
    buffer.place = Buffer::arena;
    buffer.home = Buffer::device;
  }
  for (Step& step : plan.steps) {
    MACEC_CHECK(step.kind == Step::call, "step '{}' is control flow", step.name);
    MACEC_CHECK(step.kernel.gpu_row, "step '{}' has no OpenCL row: {}", step.name,
                step.kernel.gpu_refusal);
    step.device = Device::gpu;
  }
  plan.gpu.emplace();
  pack_weights(plan, target);
  specialise_launches(plan, target);
  for (size_t b = 0; b < places.size(); ++b) plan.buffers[b].place = places[b];
  return plan;
}

// The kernels of all plans: equal file and preamble are one.
struct Program {
  std::map<std::string, int> numbers;
  std::vector<std::string> sources = {
      std::string(embedded_text("codegen_templates/opencl/common.cl")),
      std::string(embedded_text("codegen_templates/opencl/steps.cl"))};
  std::vector<cl_kernel> kernels;

  int number(const GpuLaunch& launch) {
    const auto [at, is_new] =
        numbers.emplace(launch.file + launch.preamble, static_cast<int>(numbers.size()));
    if (!is_new) return at->second;
    sources.push_back(fmt::format("#define KERNEL k{}\n", at->second) + launch.preamble);
    sources.emplace_back(embedded_text("codegen_templates/" + launch.file));
    std::string undefs = "\n#undef KERNEL\n";
    const std::string define = "#define ", defines = launch.preamble + sources.back();
    for (size_t i = defines.find(define); i != std::string::npos; i = defines.find(define, i + 1)) {
      const size_t from = i + define.size();
      undefs += "#undef " + defines.substr(from, defines.find_first_of(" (\n", from) - from) + "\n";
    }
    sources.push_back(undefs);
    return at->second;
  }
};

std::vector<unsigned char> in_layout(const Tensor& tensor, Layout layout, bool to_layout) {
  const std::vector<Dim> dense = dense_strides(to_shape(tensor.shape), layout);
  const size_t size = static_cast<size_t>(info(tensor.dtype).bits / 8);
  std::vector<unsigned char> bytes(tensor.bytes.size());
  for (int64_t i = 0; i < tensor.count(); ++i) {
    int64_t rest = i, place = 0;
    for (size_t a = tensor.shape.size(); a-- > 0;) {
      place += rest % tensor.shape[a] * dense[a].value();
      rest /= tensor.shape[a];
    }
    const size_t from = static_cast<size_t>(to_layout ? i : place) * size,
                 to = static_cast<size_t>(to_layout ? place : i) * size;
    std::copy_n(tensor.bytes.begin() + static_cast<std::ptrdiff_t>(from), size,
                bytes.begin() + static_cast<std::ptrdiff_t>(to));
  }
  return bytes;
}

struct Running {
  Graph graph;
  Plan plan;
  std::vector<std::vector<int>> kernels;  // per step and launch
  std::vector<cl_mem> objects;            // per buffer
  cl_mem problem = nullptr;               // an int: the step, from 1, that reported a problem
};

std::vector<unsigned char> contents_of(const Running& running, const Buffer& buffer,
                                       const std::vector<Tensor>& inputs) {
  if (buffer.place == Buffer::weight)
    return running.plan.weights[static_cast<size_t>(buffer.index)].bytes;
  if (buffer.place == Buffer::input) {
    const size_t i = static_cast<size_t>(buffer.index);
    return in_layout(inputs[i], running.graph.type(running.graph.inputs[i]).layout, true);
  }
  return std::vector<unsigned char>(static_cast<size_t>(buffer.bytes), 0xff);  // NaNs
}

void make_objects(Running& running, const std::vector<Tensor>& inputs) {
  OpenclDevice& cl = OpenclDevice::get();
  for (size_t b = 0; b < running.plan.buffers.size(); ++b) {
    const Buffer& buffer = running.plan.buffers[b];
    const std::vector<unsigned char> bytes = contents_of(running, buffer, inputs);
    const int64_t row = running.plan.buffers[b].image_row;
    running.objects.push_back(
        row > 0 ? cl.image(row / 4, buffer.elements.value() / row, buffer.dtype, bytes)
                : cl.memory(bytes));
  }
}

void set_arguments(cl_kernel kernel, const GpuLaunch& launch, const Running& running,
                   cl_mem scratch, cl_int step) {
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const GpuArgument& argument = launch.arguments[i];
    const cl_mem object = argument.buffer == kGpuScratch ? scratch
                          : argument.buffer >= 0
                              ? running.objects[static_cast<size_t>(argument.buffer)]
                              : running.problem;
    const bool is_step = argument.kind == GpuArgument::problem_number;
    const cl_int number = is_step ? step + 1 : static_cast<cl_int>(argument.value);
    const cl_uint at = static_cast<cl_uint>(i);
    cl_int code = 0;
    if (argument.kind == GpuArgument::memory || argument.kind == GpuArgument::image ||
        argument.kind == GpuArgument::problem)
      code = clSetKernelArg(kernel, at, sizeof object, &object);
    else if (argument.kind == GpuArgument::local)
      code = clSetKernelArg(kernel, at, static_cast<size_t>(argument.value), nullptr);
    else
      code = clSetKernelArg(kernel, at, sizeof number, &number);
    check_opencl(code, "clSetKernelArg");
  }
}

// Launches all steps once; returns the seconds of each launch.
std::vector<double> launch_all(const Running& running, const Program& program,
                               const std::vector<cl_mem>& scratch) {
  OpenclDevice& cl = OpenclDevice::get();
  for (size_t s = 0; s < running.plan.steps.size(); ++s) {
    const KernelCall& call = running.plan.steps[s].kernel;
    for (size_t l = 0; l < call.launches.size(); ++l) {
      const GpuLaunch& launch = call.launches[l];
      const cl_kernel kernel = program.kernels[static_cast<size_t>(running.kernels[s][l])];
      set_arguments(kernel, launch, running, scratch[s], static_cast<cl_int>(s));
      cl.launch(kernel, launch.global, launch.local);
    }
  }
  return cl.launch_seconds();
}

OpenclResult run(Running& running, const Program& program, const std::vector<Tensor>& inputs,
                 int repeats) {
  OpenclDevice& cl = OpenclDevice::get();
  OpenclResult result;
  make_objects(running, inputs);
  running.problem = cl.memory(std::vector<unsigned char>(4));
  std::vector<cl_mem> scratch;
  for (const Step& step : running.plan.steps) {
    const KernelCall& call = step.kernel;
    result.rows.push_back(call.gpu_row->name);
    for (const GpuLaunch& l : call.launches)
      result.launches.push_back(fmt::format("{} {}x{}x{} in {}x{}x{}  {}", l.file, l.global[0],
                                            l.global[1], l.global[2], l.local[0], l.local[1],
                                            l.local[2], step.name));
    const size_t bytes = static_cast<size_t>(call.scratch_bytes);
    scratch.push_back(bytes > 0 ? cl.memory(std::vector<unsigned char>(bytes, 0xff)) : nullptr);
  }
  result.seconds = launch_all(running, program, scratch);
  for (int r = 1; r < repeats; ++r) {
    const std::vector<double> again = launch_all(running, program, scratch);
    for (size_t i = 0; i < again.size(); ++i)
      result.seconds[i] = std::min(result.seconds[i], again[i]);
  }
  std::memcpy(&result.problem, cl.read_memory(running.problem, 4).data(), 4);
  result.outputs.resize(running.graph.outputs.size());
  for (size_t b = 0; b < running.plan.buffers.size(); ++b) {
    const Buffer& buffer = running.plan.buffers[b];
    const int64_t row = running.plan.buffers[b].image_row;
    if (row > 0) ++result.images;
    if (buffer.place != Buffer::output) continue;
    const TensorType& type =
        running.graph.type(running.graph.outputs[static_cast<size_t>(buffer.index)]);
    Tensor tensor(type.dtype, fixed(type.shape));
    tensor.bytes = row > 0 ? cl.read_image(running.objects[b], row / 4,
                                           buffer.elements.value() / row, tensor.bytes.size())
                           : cl.read_memory(running.objects[b], tensor.bytes.size());
    tensor.bytes = in_layout(tensor, type.layout, false);
    result.outputs[static_cast<size_t>(buffer.index)] = std::move(tensor);
  }
  return result;
}

}  // namespace

void check_close(const Tensor& got, const Tensor& want, double tolerance) {
  REQUIRE(got.dtype == want.dtype);
  REQUIRE(got.shape == want.shape);
  double magnitude = 1e-3;
  for (int64_t i = 0; i < want.count(); ++i)
    if (std::isfinite(want.f64(i))) magnitude = std::max(magnitude, std::fabs(want.f64(i)));
  const double allowed = info(got.dtype).is_float ? tolerance * magnitude : 0;
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < want.count(); ++i) {
    const double a = got.f64(i), b = want.f64(i);
    if (a == b || std::fabs(a - b) <= allowed || (std::isnan(a) && std::isnan(b))) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong > 0)
    FAIL_CHECK(fmt::format("{} of {} elements are wrong; element {} is {} instead of {}", wrong,
                           want.count(), first, got.f64(first), want.f64(first)));
  SUCCEED();
}

std::vector<OpenclResult> run_on_opencl(const Target& target, const std::vector<Graph>& graphs,
                                        const std::vector<std::vector<Tensor>>& inputs,
                                        int repeats) {
  Program program;
  std::vector<Running> all(graphs.size());
  for (size_t i = 0; i < graphs.size(); ++i) {
    all[i].graph = prepared(graphs[i], target);
    all[i].plan = device_plan(all[i].graph, target);
    for (const Step& step : all[i].plan.steps) {
      all[i].kernels.emplace_back();
      for (const GpuLaunch& launch : step.kernel.launches)
        all[i].kernels.back().push_back(program.number(launch));
    }
  }
  OpenclDevice& cl = OpenclDevice::get();
  program.kernels = cl.build(program.sources, static_cast<int>(program.numbers.size()));
  std::vector<OpenclResult> results;
  for (size_t i = 0; i < all.size(); ++i)
    results.push_back(run(all[i], program, inputs[i], repeats));
  cl.release_all();
  return results;
}

std::vector<Tensor> made_up_inputs(const Graph& graph) {
  std::vector<Tensor> inputs;
  uint32_t state = 12345;
  for (ValueId id : graph.inputs) {
    const TensorType& type = graph.type(id);
    Tensor tensor(type.dtype, fixed(type.shape));
    for (int64_t i = 0; i < tensor.count(); ++i) {
      state = state * 1664525u + 1013904223u;
      const int32_t random = static_cast<int32_t>(state >> 22) - 512;
      if (info(type.dtype).is_float)
        tensor.set_f64(i, random / 512.0);
      else
        tensor.set_i64(i, type.dtype == DType::boolean ? random & 1 : std::abs(random) % 8);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

std::vector<OpenclResult> check_on_opencl(const std::string& target,
                                          const std::vector<OpenclCase>& cases) {
  std::vector<Graph> graphs;
  std::vector<std::vector<Tensor>> inputs;
  for (const OpenclCase& one : cases) {
    INFO(one.name);
    try {
      graphs.push_back(parse_graph(one.graph, find_op));
    } catch (const std::exception& error) {
      FAIL(error.what() << "\n" << one.graph);
    }
    inputs.push_back(one.inputs.empty() ? made_up_inputs(graphs.back()) : one.inputs);
  }
  const std::vector<OpenclResult> results = run_on_opencl(find_target(target), graphs, inputs);
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::vector<Tensor> want = evaluate_graph(graphs[i], inputs[i]);
    for (size_t o = 0; o < want.size(); ++o) {
      INFO(target << ", " << cases[i].name << ", output " << o << ", rows "
                  << Catch::Detail::stringify(results[i].rows));
      const double usual = want[o].dtype == DType::float16 ? 2e-3 : 1e-4;
      check_close(results[i].outputs[o], want[o],
                  cases[i].tolerance > 0 ? cases[i].tolerance : usual);
    }
  }
  return results;
}

}  // namespace macec
