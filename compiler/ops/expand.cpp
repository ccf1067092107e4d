// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/expand.h"

#include "compiler/ir/edit.h"
#include "compiler/ir/place.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {

ValueId Expander::add(const char* op, std::vector<ValueId> inputs, Attributes attributes) {
  const OpDef* def = find_op(op);
  MACEC_CHECK(def, "no operator is called {}", op);
  NewNode part{op, def, node().name, std::move(inputs), std::move(attributes), {}};
  const NodeId made = insert_before(graph, id, std::move(part), {TensorType{}}, {id});
  infer_node(graph, made);
  return graph.node(made).outputs[0];
}

ValueId Expander::constant(Tensor tensor) {
  return add_constant(graph, node().name.empty() ? node().op : node().name, std::move(tensor));
}

ValueId Expander::number(float v) {
  return constant(Tensor::scalar_f32(v));
}

ValueId Expander::cast(ValueId v, DType to) {
  return dtype(v) == to ? v : add("Cast", {v}, {{"to", static_cast<int64_t>(to)}});
}

ValueId Expander::unsqueeze(ValueId v, std::vector<int64_t> axes) {
  return add("Unsqueeze", {v, constant(Tensor::vector_i64(axes))});
}

ValueId Expander::numbers(std::vector<int64_t> v) {
  return constant(Tensor::vector_i64(std::move(v)));
}

ValueId Expander::extent(ValueId v, int64_t axis) {
  if (shape(v)[static_cast<size_t>(axis)].is_fixed())
    return numbers({shape(v)[static_cast<size_t>(axis)].value()});
  return add("Shape", {v}, {{"start", axis}, {"end", axis + 1}});
}

ValueId Expander::reshape(ValueId v, std::vector<ValueId> extents) {
  const ValueId to = add("Concat", std::move(extents), {{"axis", int64_t{0}}});
  return add("Reshape", {v, to}, {{"allowzero", int64_t{1}}});
}

void Expander::result(int output, ValueId v) {
  if (output >= static_cast<int>(node().outputs.size())) return;
  const ValueId out = node().outputs[static_cast<size_t>(output)];
  if (!out.is_valid()) return;
  if (!graph.value(v).producer.is_valid()) v = add("Identity", {v});  // an input or a constant
  replace_all_uses(graph, out, v);
}

void expand_node(Graph& graph, NodeId id) {
  Expander expander{graph, id};
  try {
    graph.node(id).def->expand(expander);
  } catch (UserError& error) {
    if (error.places().empty()) error.at(place(graph, graph.node(id), 0));
    throw;
  }
  erase(graph, id);
}

void evaluate_expanded(EvaluateContext& context) {
  Graph graph;
  std::vector<ValueId> inputs;
  for (const Tensor* tensor : context.inputs)
    inputs.push_back(tensor ? add_constant(graph, "in", *tensor) : ValueId{});
  const Node& node = context.node;
  const std::vector<TensorType> outputs(node.outputs.size());
  const NodeId id =
      insert_before(graph, NodeId{},
                    NewNode{node.op, node.def, node.op, inputs, node.attributes, {}}, outputs, {});
  graph.outputs = graph.node(id).outputs;
  infer_node(graph, id);
  expand_node(graph, id);
  remove_dead(graph);
  context.outputs = evaluate_graph(graph, {});
}

}  // namespace macec
