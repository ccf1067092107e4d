// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/gpu_check.h"

#include <algorithm>
#include <cmath>

#include "compiler/driver/data_sets.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"
#include "compiler/support/text.h"
#include "runtime_stub/gpu_draw.h"

namespace macec {
namespace {

constexpr double kMostWork = 2e10;  // multiply-adds: about half a minute
constexpr int64_t kSamples = 64;

// Operators whose results jump when an input moves by a rounding error.
const char* jumping_operator(const Graph& graph) {
  constexpr const char* kJump[] = {"ArgMax",  "ArgMin", "TopK", "NonMaxSuppression", "Unique",
                                   "NonZero", "Round",  "Sign", "QuantizeLinear"};
  for (const NodeId id : graph.order)
    for (const char* op : kJump)
      if (graph.node(id).op == op) return op;
  return nullptr;
}

uint32_t onnx_type(DType type) {
  return static_cast<uint32_t>(type);
}

Tensor drawn(const Value& value, const std::vector<int64_t>& shape, const GpuCheck::Input& input,
             uint64_t seed) {
  Tensor tensor(value.type.dtype, shape);
  draw_elements(tensor.bytes.data(), onnx_type(input.dtype), static_cast<uint64_t>(input.elements),
                input.lo, input.hi, seed);
  return tensor;
}

std::vector<int64_t> upper_shape(const Shape& shape) {
  std::vector<int64_t> extents;
  for (const Dim& d : shape) extents.push_back(d.evaluate([](const Symbol& s) { return s.hi; }));
  return extents;
}

// False: not finite everywhere, or nothing but zeros.
bool record_output(const Tensor& tensor, bool has_half, GpuCheck::Output* out) {
  out->dtype = tensor.dtype;
  out->elements = tensor.count();
  double most = 0;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const double v = std::fabs(tensor.f64(i));
    if (!std::isfinite(v)) return false;
    most = std::max(most, v);
  }
  out->stride = std::max<int64_t>(1, tensor.count() / kSamples) | 1;
  for (int64_t i = 0; i < tensor.count(); i += out->stride)
    out->sample.push_back(static_cast<float>(tensor.f64(i)));
  out->tolerance = has_half ? 3e-2f : 1e-2f;
  out->magnitude = static_cast<float>(most);
  return most > 0;
}

double work_of(const Plan& plan) {
  double sum = 0;
  for (const Step& step : plan.steps) sum += step.kernel.multiply_adds;
  return sum;
}

std::string unfit_type(const CompiledModel& model) {
  for (const std::vector<Port>* ports : {&model.inputs, &model.outputs})
    for (const Port& port : *ports)
      if (draw_bits(onnx_type(port.type.dtype)) == 0)
        return fmt::format("'{}' is {}", printable(port.name), name(port.type.dtype));
  return "";
}

struct Recorder {
  const Graph& graph;
  const CompiledModel& model;
  GpuCheck check{};
  std::vector<Tensor> tensors{};  // of graph.inputs
  bool has_half = false;

  void draw_inputs(const Options& options) {
    uint64_t seed = 0;
    for (const ValueId id : graph.inputs) {
      const Value& value = graph.value(id);
      has_half = has_half || value.type.dtype == DType::float16;
      const std::vector<int64_t> shape = upper_shape(value.type.shape);
      const bool is_input = std::any_of(model.inputs.begin(), model.inputs.end(),
                                        [&](const Port& p) { return p.name == value.name; });
      if (!is_input) {  // a state, still zero
        tensors.emplace_back(value.type.dtype, shape);
        continue;
      }
      GpuCheck::Input input;
      input.dtype = value.type.dtype;
      input.elements = Tensor(value.type.dtype, shape).count();
      if (!info(input.dtype).is_float) {
        const auto [lo, hi] = integer_range_of(graph, id, options);
        input.lo = static_cast<double>(lo);
        input.hi = static_cast<double>(hi);
      }
      tensors.push_back(drawn(value, shape, input, seed++));
      check.inputs.push_back(input);
    }
    for (const auto& symbol : model.symbols) check.dims.push_back(symbol->hi);
  }

  bool record_outputs() {
    const std::vector<Tensor> answer = evaluate_graph(graph, tensors);
    bool any = false;
    for (const Port& port : model.outputs) {
      const auto at = std::find_if(graph.outputs.begin(), graph.outputs.end(),
                                   [&](ValueId id) { return graph.value(id).name == port.name; });
      const Tensor& tensor = answer[static_cast<size_t>(at - graph.outputs.begin())];
      GpuCheck::Output out;
      out.dtype = tensor.dtype;
      out.elements = tensor.count();
      if (info(tensor.dtype).is_float) {
        const bool half = has_half || tensor.dtype == DType::float16;
        if (record_output(tensor, half, &out))
          any = true;
        else
          out.sample.clear();
      }
      check.outputs.push_back(std::move(out));
    }
    return any;
  }
};

}  // namespace

std::optional<GpuCheck> record_check(const Graph& imported, const CompiledModel& model,
                                     const Options& options, std::string* why) {
  const double work = work_of(model.plans[0]);
  const std::string type = unfit_type(model);
  if (const char* op = jumping_operator(imported)) {
    *why = fmt::format("results of {} jump by rounding", op);
  } else if (!type.empty()) {
    *why = type;
  } else if (work > kMostWork) {
    *why = fmt::format("{:.0f} G multiply-adds take too long to work out", work / 1e9);
  } else {
    try {
      Recorder recorder{imported, model};
      recorder.draw_inputs(options);
      if (recorder.record_outputs()) return std::move(recorder.check);
      *why = "the answer to drawn inputs is zero, not finite, or no float";
    } catch (const UserError& error) {
      *why = fmt::format("drawn inputs do not fit the model: {}", error.text());
    }
  }
  return std::nullopt;
}

}  // namespace macec
