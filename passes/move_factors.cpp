// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number that multiplies an operand of MatMul multiplies the product instead, where it costs no
// step of its own. Exporters write attention so: both q and k times the root of the scale.
//
//   %a = Mul(%q, s)   %b = Mul(%k, t)   %y = MatMul(%a, %b)      %p = MatMul(%q, %k)   %y = Mul(%p, s * t)
//
// Left alone if the scaled operand has another user, or its factor is no single constant element.
// Floats only; the product is not rounded before it is scaled, because the factor becomes a fused
// step. Tests: tests/filetests/move-factors/
#include <cmath>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

struct FactorMover {
  Graph& graph;
  Users users;
  bool changed = false;

  // The input of a Mul or Div by a number that makes `value` for one user only; none otherwise.
  ValueId scaled(ValueId value, double* factor) const {
    const NodeId producer = graph.value(value).producer;
    if (!producer.is_valid() || !users.single(value)) return {};
    const Node& node = graph.node(producer);
    if ((node.op != "Mul" && node.op != "Div") || !node.epilogue.empty()) return {};
    for (size_t side : {1, 0}) {
      const Tensor* number = graph.value(node.inputs[side]).constant.get();
      const ValueId other = node.inputs[1 - side];
      if (!number || number->count() != 1 || (node.op == "Div" && side == 0)) continue;
      if (graph.type(other).shape != graph.type(value).shape) continue;
      *factor = node.op == "Mul" ? number->f64(0) : 1 / number->f64(0);
      if (std::isfinite(*factor)) return other;
    }
    return {};
  }

  void product(NodeId id) {
    if (graph.node(id).op != "MatMul" || !graph.node(id).epilogue.empty()) return;
    const ValueId out = graph.node(id).outputs[0];
    const TensorType type = graph.type(out);
    if (!info(type.dtype).is_float) return;
    double total = 1;
    std::vector<ValueId> inputs = graph.node(id).inputs;
    std::vector<std::string> origins;
    std::string name;
    for (ValueId& input : inputs) {
      double factor = 1;
      const ValueId from = scaled(input, &factor);
      if (!from.is_valid()) continue;
      const Node& scale = graph.node(graph.value(input).producer);
      origins.insert(origins.end(), scale.origins.begin(), scale.origins.end());
      name = scale.name;
      total *= factor;
      input = from;
    }
    if (inputs == graph.node(id).inputs) return;

    // The node becomes the multiplication; a new one in front of it makes the product.
    Tensor number(type.dtype, {});
    number.set_f64(0, total);
    NewNode made;
    made.op = "MatMul";
    made.def = graph.node(id).def;
    made.name = graph.node(id).name;
    made.inputs = std::move(inputs);
    const NodeId multiply = insert_before(graph, id, std::move(made), {type}, {id});
    const ValueId factor = add_constant(graph, name + ".factor", std::move(number));
    Node& node = graph.node(id);
    node.op = "Mul";
    node.def = find_op(node.op);
    node.name = name;
    node.origins = std::move(origins);
    node.inputs = {graph.node(multiply).outputs[0], factor};
    changed = true;
  }
};

}  // namespace

bool move_factors(Graph& graph, PassContext&) {
  FactorMover mover{graph, Users(graph)};
  for (NodeId id : std::vector<NodeId>(graph.order)) mover.product(id);
  if (mover.changed) remove_dead(graph);
  return mover.changed;
}

}  // namespace macec
