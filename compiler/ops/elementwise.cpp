// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looking up steps, building the steps of a node, and what is shared by all elementwise operators
// but their meaning.
#include "compiler/ops/elementwise.h"

#include <algorithm>
#include <map>

#include "compiler/ops/known.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/steps.h"

namespace macec {
namespace {

StepTypes type_class(DType dtype) {
  if (dtype == DType::boolean) return kBooleans;
  return info(dtype).is_float ? kFloats : kIntegers;
}

// Whether arithmetic is defined: float8 and packed types can only be converted and moved.
bool is_computable(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return dtype == DType::boolean || type.bits >= 16 || (type.is_integer && type.bits == 8);
}

// Whether numpy broadcasting of the shapes of all used inputs gives the shape of output 0.
bool broadcasts(const Graph& graph, const Node& node, const std::vector<PointwiseStep>& steps) {
  const Shape& out = graph.type(node.outputs[0]).shape;
  for (const PointwiseStep& step : steps) {
    for (const StepArg& arg : step.args) {
      if (arg.kind != StepArg::input) continue;
      const Shape& in = graph.type(node.inputs[static_cast<size_t>(arg.index)]).shape;
      if (in.size() > out.size()) return false;
      for (size_t a = 0; a < in.size(); ++a) {
        const Dim& extent = in[in.size() - 1 - a];
        // Extents that are not provably equal are compared in every run (InferContext::require_equal).
        if (extent != Dim(1) && out[out.size() - 1 - a] == Dim(1)) return false;
      }
    }
  }
  return true;
}

}  // namespace

const std::vector<ElementwiseOp>& elementwise_ops() {
  static const std::vector<ElementwiseOp> table = [] {
    StepTable all;
    append_arithmetic_steps(all);
    append_logic_steps(all);
    append_math_steps(all);
    append_activation_steps(all);
    append_conversion_steps(all);
    return all;
  }();
  return table;
}

const ElementwiseOp* find_elementwise(std::string_view name) {
  static const std::map<std::string_view, const ElementwiseOp*> by_name = [] {
    std::map<std::string_view, const ElementwiseOp*> map;
    for (const ElementwiseOp& op : elementwise_ops()) map[op.name] = &op;
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

StepBuilder make_builder(const Graph& graph, const Node& node) {
  StepBuilder builder{node, {}, {}, {}, {}, {}, true};
  for (ValueId input : node.inputs) {
    const bool given = input.is_valid();
    builder.types.push_back(given ? graph.type(input).dtype : DType::undefined);
    builder.constants.push_back(given ? graph.value(input).constant.get() : nullptr);
    builder.shapes.push_back(given ? graph.type(input).shape : Shape());
  }
  node.def->steps(builder);
  return builder;
}

StepBuilder make_builder(const EvaluateContext& context) {
  StepBuilder builder{context.node, {}, {}, {}, {}, {}, true};
  for (const Tensor* input : context.inputs) {
    builder.types.push_back(input ? input->dtype : DType::undefined);
    builder.constants.push_back(input);
    builder.shapes.push_back(input ? to_shape(input->shape) : Shape());
  }
  context.node.def->steps(builder);
  return builder;
}

std::vector<int> take_used_inputs(std::vector<PointwiseStep>* steps) {
  std::vector<int> used;
  for (PointwiseStep& step : *steps) {
    for (StepArg& arg : step.args) {
      if (arg.kind != StepArg::input) continue;
      const auto found = std::find(used.begin(), used.end(), arg.index);
      const auto place = static_cast<int>(found - used.begin());
      if (found == used.end()) used.push_back(arg.index);
      arg.index = place;
    }
  }
  return used;
}

float step_attribute(const PointwiseStep& step, const StepAttribute& attribute) {
  const auto found = step.attributes.find(attribute.name);
  if (found == step.attributes.end()) return attribute.otherwise;
  if (const auto* integer = std::get_if<int64_t>(&found->second)) {
    return static_cast<float>(*integer);
  }
  const auto* real = std::get_if<float>(&found->second);
  MACEC_CHECK(real, "attribute {} of step {} is no number", attribute.name, step.op);
  return *real;
}

DType step_result_type(const PointwiseStep& step, const std::vector<DType>& args) {
  const ElementwiseOp* op = find_elementwise(step.op);
  MACEC_CHECK(op, "no pointwise step is called {}", step.op);
  MACEC_CHECK(static_cast<int>(args.size()) == op->args, "{} takes {} arguments, not {}", step.op,
              op->args, args.size());
  switch (op->result) {
    case ResultType::boolean:
      return DType::boolean;
    case ResultType::attribute_to:
      return step.dtype;
    case ResultType::same:
      break;
  }
  return args.back();
}

DType StepBuilder::type(StepArg arg) const {
  MACEC_CHECK(arg.kind != StepArg::result, "a node has no main result while its steps are built");
  if (arg.kind == StepArg::step) return steps[static_cast<size_t>(arg.index)].dtype;
  if (!has(arg.index)) throw user_error("input {} is missing", arg.index);
  return types[static_cast<size_t>(arg.index)];
}

StepArg StepBuilder::add(const char* name, std::vector<StepArg> args, Attributes attributes) {
  const ElementwiseOp* op = find_elementwise(name);
  MACEC_CHECK(op, "no pointwise step is called {}", name);
  std::vector<DType> arg_types;
  for (const StepArg& arg : args) arg_types.push_back(type(arg));
  const DType last = arg_types.back();
  const bool moves = op->result == ResultType::attribute_to || op->types == kAnyType;
  const bool has_numbers = info(last).is_float || info(last).is_integer || last == DType::boolean;
  if (!has_numbers || (op->types & type_class(last)) == 0 || (!moves && !is_computable(last))) {
    throw user_error("{} of {} is not supported", node.op, macec::name(last));
  }
  const size_t first = std::string_view(name) == "Where" ? 1 : 0;
  for (size_t i = first; i < arg_types.size(); ++i) {
    if (arg_types[i] != last) {
      throw user_error("inputs of types {} and {} do not go together", macec::name(arg_types[i]),
                       macec::name(last));
    }
  }
  if (first == 1 && arg_types[0] != DType::boolean) {
    throw user_error("the condition is {}, not bool", macec::name(arg_types[0]));
  }
  PointwiseStep step{name, std::move(args), DType::undefined, std::move(attributes)};
  if (op->result != ResultType::attribute_to) step.dtype = step_result_type(step, arg_types);
  steps.push_back(std::move(step));
  return {StepArg::step, static_cast<int>(steps.size()) - 1};
}

StepArg StepBuilder::cast(StepArg arg, DType to) {
  if (type(arg) == to) return arg;
  const StepArg result = add("Cast", {arg});
  steps.back().dtype = to;
  return result;
}

StepArg StepBuilder::saturate(StepArg arg, DType to) {
  const StepArg result = add("Saturate", {arg});
  steps.back().dtype = to;
  return result;
}

void StepBuilder::result(StepArg arg) {
  if (arg.kind != StepArg::step) arg = add("Identity", {arg});
  results.push_back(arg.index);
}

bool elementwise_steps(const Graph& graph, const Node& node, std::vector<PointwiseStep>* steps,
                       std::vector<int>* results) {
  if (!node.def || !node.def->steps) return false;
  StepBuilder builder = make_builder(graph, node);
  if (!builder.is_plain || !broadcasts(graph, node, builder.steps)) return false;
  *steps = std::move(builder.steps);
  *results = std::move(builder.results);
  results->resize(std::min(results->size(), node.outputs.size()));
  return true;
}

double chain_weight(const std::vector<PointwiseStep>& steps) {
  double weight = 0;
  for (const PointwiseStep& step : steps) {
    const ElementwiseOp* op = find_elementwise(step.op);
    weight += op ? op->weight : 0;
  }
  return weight;
}

Shape broadcast_shapes(InferContext& context, const std::vector<int>& inputs) {
  size_t rank = 0;
  for (int i : inputs) rank = std::max(rank, context.shape(i).size());
  Shape result(rank, Dim(1));
  std::vector<std::string> owner(rank);
  for (int i : inputs) {
    const Shape& shape = context.shape(i);
    const std::string& input =
        context.graph.value(context.node.inputs[static_cast<size_t>(i)]).name;
    for (size_t a = 0; a < shape.size(); ++a) {
      Dim& extent = result[rank - shape.size() + a];
      if (shape[a] == Dim(1)) continue;
      std::string text = fmt::format("axis {} of '{}'", a, input);
      std::string& before = owner[rank - shape.size() + a];
      if (extent == Dim(1)) {
        extent = shape[a];
        before = text;
        continue;
      }
      context.require_equal(extent, shape[a], before, text);
      if (shape[a].is_fixed()) extent = shape[a];
    }
  }
  return result;
}

std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes) {
  size_t rank = 0;
  for (const auto& shape : shapes) rank = std::max(rank, shape.size());
  std::vector<int64_t> result(rank, 1);
  for (const auto& shape : shapes) {
    for (size_t a = 0; a < shape.size(); ++a) {
      int64_t& extent = result[rank - shape.size() + a];
      if (shape[a] == 1) continue;
      if (extent != 1 && extent != shape[a]) {
        throw user_error("extents {} and {} do not broadcast", extent, shape[a]);
      }
      extent = shape[a];
    }
  }
  return result;
}

void infer_elementwise(InferContext& context) {
  StepBuilder builder = make_builder(context.graph, context.node);
  const std::vector<int> used = take_used_inputs(&builder.steps);
  const Shape shape = broadcast_shapes(context, used);
  for (size_t o = 0; o < context.node.outputs.size() && o < builder.results.size(); ++o) {
    context.set_type(static_cast<int>(o),
                     builder.steps[static_cast<size_t>(builder.results[o])].dtype, shape);
  }
  infer_known_elements(context, shape);
}

void evaluate_elementwise(EvaluateContext& context) {
  StepBuilder builder = make_builder(context);
  std::vector<Tensor> results =
      evaluate_steps(builder.steps, builder.results, nullptr, context.inputs);
  for (size_t o = 0; o < context.outputs.size() && o < results.size(); ++o) {
    context.outputs[o] = std::move(results[o]);
  }
}

void check_lowerable(const std::vector<View>& inputs, const std::vector<View>& outputs) {
  auto is_packed = [](DType t) { return info(t).is_integer && info(t).bits < 8; };
  auto check = [&](const View& view) {
    const DType t = view.dtype;
    const bool is_float8 = t >= DType::float8e4m3fn && t <= DType::float8e5m2fnuz;
    const bool is_scalar = view.constant && view.constant->count() == 1;
    if (info(t).c_type[0] == 0 && !is_float8 && !is_packed(t) && !is_scalar) {
      throw user_error("computing with {} in generated code is not supported", name(t));
    }
  };
  for (const View& view : inputs) check(view);
  for (const View& view : outputs) check(view);
}

Lowered lower_elementwise(const LowerContext& context) {
  std::vector<PointwiseStep> steps;
  std::vector<int> results;
  const Node& node = context.node;
  if (node.def->steps && !elementwise_steps(context.graph, node, &steps, &results)) return {};
  const int base = static_cast<int>(steps.size());
  for (PointwiseStep step : node.epilogue) {
    for (StepArg& arg : step.args) {
      if (arg.kind == StepArg::result)
        arg = {StepArg::step, results.empty() ? -1 : results[0]};
      else if (arg.kind == StepArg::step)
        arg.index += base;
      MACEC_CHECK(arg.index >= 0, "a Pointwise node has no main result");
    }
    steps.push_back(std::move(step));
  }
  if (!node.epilogue.empty()) {
    results.resize(std::max<size_t>(results.size(), 1));
    results[0] = static_cast<int>(steps.size()) - 1;
  }
  std::vector<View> inputs, outputs;
  for (int i : take_used_inputs(&steps)) inputs.push_back(context.in(i));
  for (size_t o = 0; o < node.outputs.size(); ++o)
    outputs.push_back(context.out(static_cast<int>(o)));
  if (outputs.size() < results.size()) results.resize(outputs.size());
  check_lowerable(inputs, outputs);
  KernelCall call =
      pointwise_call(std::move(steps), std::move(inputs), std::move(outputs), std::move(results));
  order_packed_results(&call);
  return {std::move(call)};
}

}  // namespace macec
