// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs nodes and graphs by their reference meaning. Bodies are graphs like any other: a
// control-flow operator's `evaluate` calls run_body.
#include <algorithm>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/registry.h"

namespace macec {
namespace {

// How many of a node's inputs belong to the operator itself; the rest are read by its epilogue
// only.
size_t own_inputs(const Node& node) {
  const size_t all = node.inputs.size();
  if (node.op == "Pointwise" || node.epilogue.empty()) return all;
  if (node.def->max_inputs >= 0) return std::min(all, static_cast<size_t>(node.def->max_inputs));
  size_t first = all;
  for (const PointwiseStep& step : node.epilogue) {
    for (const StepArg& arg : step.args) {
      if (arg.kind == StepArg::input) first = std::min(first, static_cast<size_t>(arg.index));
    }
  }
  return first;
}

std::vector<Tensor> run_graph(const Graph& graph, const std::vector<const Tensor*>& inputs) {
  MACEC_CHECK(inputs.size() == graph.inputs.size(), "graph '{}' has {} inputs, {} were given",
              graph.name, graph.inputs.size(), inputs.size());
  std::vector<const Tensor*> at(graph.values.size());  // what every value is
  std::vector<Tensor> own(graph.values.size());        // results of nodes
  std::vector<int> uses(graph.values.size());
  for (size_t v = 0; v < graph.values.size(); ++v) at[v] = graph.values[v].constant.get();
  for (size_t i = 0; i < inputs.size(); ++i)
    at[static_cast<size_t>(graph.inputs[i].index)] = inputs[i];
  for (NodeId id : graph.order) {
    for (ValueId v : graph.node(id).inputs) {
      if (v.is_valid()) ++uses[static_cast<size_t>(v.index)];
    }
  }
  for (ValueId v : graph.outputs) ++uses[static_cast<size_t>(v.index)];

  for (NodeId id : graph.order) {
    const Node& node = graph.node(id);
    if (node.is_dead) continue;
    std::vector<const Tensor*> operands;
    for (ValueId v : node.inputs)
      operands.push_back(v.is_valid() ? at[static_cast<size_t>(v.index)] : nullptr);
    std::vector<Tensor> results = evaluate_node(graph, node, operands);
    for (size_t o = 0; o < node.outputs.size() && o < results.size(); ++o) {
      if (!node.outputs[o].is_valid()) continue;
      const auto v = static_cast<size_t>(node.outputs[o].index);
      own[v] = std::move(results[o]);
      at[v] = &own[v];
    }
    for (ValueId v : node.inputs) {
      if (v.is_valid() && --uses[static_cast<size_t>(v.index)] == 0)
        own[static_cast<size_t>(v.index)] = Tensor();
    }
  }
  std::vector<Tensor> outputs;
  for (ValueId v : graph.outputs) {
    const Tensor* tensor = at[static_cast<size_t>(v.index)];
    MACEC_CHECK(tensor, "output '{}' has no value", graph.value(v).name);
    outputs.push_back(*tensor);
  }
  return outputs;
}

}  // namespace

std::vector<Tensor> evaluate_node(const Graph& graph, const Node& node,
                                  const std::vector<const Tensor*>& inputs) {
  static_cast<void>(graph);
  MACEC_CHECK(node.def && node.def->evaluate, "node {} cannot be evaluated", node.op);
  const size_t own = own_inputs(node);
  EvaluateContext context{
      node, {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(own)}, {}, {}};
  context.outputs.resize(node.outputs.size());
  context.run_body = [](const Graph& body, const std::vector<Tensor>& parameters) {
    std::vector<const Tensor*> pointers;
    for (const Tensor& parameter : parameters) pointers.push_back(&parameter);
    return run_graph(body, pointers);
  };
  node.def->evaluate(context);
  if (node.op != "Pointwise" && !node.epilogue.empty()) {
    const int last = static_cast<int>(node.epilogue.size()) - 1;
    context.outputs[0] = evaluate_steps(node.epilogue, {last}, &context.outputs[0], inputs)[0];
  }
  return std::move(context.outputs);
}

bool keeps_packed_weights(const Graph& graph, const Node& node) {
  constexpr int64_t kFew = 256;  // elements that are not worth it
  return node.op == "DequantizeLinear" && info(graph.type(node.inputs[0]).dtype).bits < 8 &&
         graph.type(node.inputs[0]).count().hi() > kFew;
}

std::vector<Tensor> evaluate_graph(const Graph& graph, const std::vector<Tensor>& inputs) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  return run_graph(graph, pointers);
}

}  // namespace macec
