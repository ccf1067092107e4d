// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes out nodes that hand their input through.
//
//   %y = Identity(%x)      %y = Dropout(%x) at inference      %y = Cast(%x) to its own type
//   %y = Slice(%x) of everything       %y = Pad(%x) by nothing             %y = Reshape, Expand(%x) to
//   its own shape
//   %y = Add(%x, 0)   %y = Sub(%x, 0)   %y = Mul(%x, 1)   %y = Div(%x, 1)        where the shape
//   stays
//
// A graph output keeps its name unless the input is itself an input, an output or a constant: then
// the node stays, as a copy. x + 0 turns -0 into 0: kept for floats. Tests:
// tests/filetests/remove-identity/
#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/passes.h"

namespace macec {
namespace {

bool is_all(const Tensor* tensor, double number) {
  if (!tensor || tensor->count() > 4096) return false;
  for (int64_t i = 0; i < tensor->count(); ++i)
    if (tensor->f64(i) != number) return false;
  return true;
}

// A Slice that takes all in order, a Pad that adds nothing, a Reshape or Expand to the same shape,
// a Concat of one; the types are the same.
bool moves_nothing(const Graph& graph, const Node& node) {
  const auto given = [&](size_t i) { return i < node.inputs.size() && node.inputs[i].is_valid(); };
  const auto constant = [&](size_t i) {
    return given(i) ? graph.value(node.inputs[i]).constant.get() : nullptr;
  };
  if (node.op == "Reshape" || node.op == "Expand" || node.op == "Flatten") return true;
  if (node.op == "Concat") return node.inputs.size() == 1;
  if (node.op == "Pad") return is_all(constant(1), 0);
  if (node.op != "Slice") return false;
  return !given(4) || is_all(constant(4), 1);
}

// The input that the node hands through, or none.
ValueId handed_through(const Graph& graph, const Node& node) {
  if (!node.epilogue.empty() || node.inputs.empty() || !node.inputs[0].is_valid()) return {};
  if (!node.outputs[0].is_valid()) return {};  // a recurrent layer may leave its first one out
  const TensorType& out = graph.type(node.outputs[0]);
  const auto same_type = [&](size_t i) {
    return graph.type(node.inputs[i]).shape == out.shape &&
           graph.type(node.inputs[i]).dtype == out.dtype;
  };
  const bool has_mask = node.outputs.size() > 1 && node.outputs[1].is_valid();
  if ((node.op == "Identity" || (node.op == "Dropout" && !has_mask) || node.op == "Cast") &&
      same_type(0))
    return node.inputs[0];
  if (same_type(0) && moves_nothing(graph, node)) return node.inputs[0];
  if (node.inputs.size() != 2 || !node.inputs[1].is_valid()) return {};
  const Tensor* a = graph.value(node.inputs[0]).constant.get();
  const Tensor* b = graph.value(node.inputs[1]).constant.get();
  const bool is_integer = info(out.dtype).is_integer;
  if ((node.op == "Mul" || node.op == "Div") && is_all(b, 1) && same_type(0)) return node.inputs[0];
  if (node.op == "Mul" && is_all(a, 1) && same_type(1)) return node.inputs[1];
  if (is_integer && (node.op == "Add" || node.op == "Sub") && is_all(b, 0) && same_type(0))
    return node.inputs[0];
  if (is_integer && node.op == "Add" && is_all(a, 0) && same_type(1)) return node.inputs[1];
  return {};
}

}  // namespace

bool remove_identity(Graph& graph, PassContext&) {
  bool changed = false;
  const Users users(graph);
  std::vector<ValueId> renamed(graph.values.size());  // value -> what stands for it
  for (size_t i = 0; i < renamed.size(); ++i) renamed[i] = ValueId{static_cast<int32_t>(i)};
  std::vector<NodeId> kept;
  for (NodeId id : graph.order) {
    Node& node = graph.node(id);
    for (ValueId& v : node.inputs)
      if (v.is_valid()) v = renamed[static_cast<size_t>(v.index)];
    const ValueId from = handed_through(graph, node);
    if (!from.is_valid() || users.is_output(node.outputs[0])) {
      kept.push_back(id);
      continue;
    }
    renamed[static_cast<size_t>(node.outputs[0].index)] = from;
    if (graph.value(from).producer.is_valid())
      merge_origins(graph.node(graph.value(from).producer), node);
    node.is_dead = true;
    changed = true;
  }
  graph.order = std::move(kept);
  return changed;
}

}  // namespace macec
