// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A BatchNormalization that no weights took -> Mul and Add by channel, which chains take.
//
//   %y = BatchNormalization(%x, s, t, m, v)      %p = Mul(%x, s / sqrt(v + eps))
//   %z = Relu(%y)                                %y = Add(%p, t - m * s / sqrt(v + eps))
//                                                %z = Relu(%y)
//
// Left alone if parameters are not constant or halves: those are rounded once, not at every step.
// Tests: tests/filetests/open-batch-norm/
#include <cmath>

#include "compiler/ir/edit.h"
#include "compiler/ops/expand.h"
#include "passes/passes.h"

namespace macec {
namespace {

bool open(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != "BatchNormalization" || !node.epilogue.empty() || node.outputs.size() != 1)
    return false;
  const TensorType type = graph.type(node.inputs[0]);
  if (type.dtype != DType::float32 && type.dtype != DType::float64) return false;
  TensorPtr p[4];
  for (size_t i = 0; i < 4; ++i)
    if (!(p[i] = graph.value(node.inputs[i + 1]).constant)) return false;
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
  std::vector<int64_t> shape(static_cast<size_t>(type.rank() - 1), 1);
  shape[0] = p[0]->count();
  Tensor factor(type.dtype, shape), summand(type.dtype, shape);
  for (int64_t c = 0; c < shape[0]; ++c) {
    const double w = p[0]->f64(c) / std::sqrt(p[3]->f64(c) + epsilon);
    factor.set_f64(c, w);
    summand.set_f64(c, p[1]->f64(c) - p[2]->f64(c) * w);
  }
  Expander at{graph, id};
  const ValueId product = at.add("Mul", {at.in(0), at.constant(std::move(factor))});
  at.result(0, at.add("Add", {product, at.constant(std::move(summand))}));
  return true;
}

}  // namespace

bool open_batch_norm(Graph& graph, PassContext&) {
  bool changed = false;
  for (NodeId id : std::vector<NodeId>(graph.order)) changed = open(graph, id) || changed;
  if (changed) remove_dead(graph);
  return changed;
}

}  // namespace macec
