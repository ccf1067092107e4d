// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The input product of a recurrent layer for all steps at once, so that its weights are read once.
//
//   %y = LSTM(%x, w, r, ...)        %p = MatMul(%x, transposed w)
//                                   %y = LSTM(%p, _, r, ...) {projected = 1}
//
//   %x [S, B, I], w [D, gates * H, I], %p [S, B, D * gates * H]; the same for GRU and RNN.
//
// Left alone if w or r is no constant, or the type is not float32: then one kernel does all.
// Tests: tests/filetests/project-inputs/
#include "compiler/ir/edit.h"
#include "compiler/ops/recurrent.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

// [D, G, I] -> [I, D * G]
Tensor transposed(const Tensor& w) {
  const int64_t rows = w.shape[0] * w.shape[1], inputs = w.shape[2];
  Tensor result(w.dtype, {inputs, rows});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < inputs; ++k) {
      result.data<float>()[k * rows + i] = w.data<float>()[i * inputs + k];
    }
  }
  return result;
}

bool project(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op != "LSTM" && node.op != "GRU" && node.op != "RNN") return false;
  if (node.int_attribute("projected", 0) != 0) return false;
  const ValueId x = node.inputs[kInputX];
  const TensorPtr w = graph.value(node.inputs[kInputW]).constant;
  if (!w || !graph.value(node.inputs[kInputR]).constant || w->dtype != DType::float32) return false;

  const std::string name = node.name;
  TensorType type = graph.type(x);
  type.shape[2] = w->shape[0] * w->shape[1];
  NewNode made;
  made.op = "MatMul";
  made.def = find_op(made.op);
  made.name = name + ".inputs";
  made.inputs = {x, add_constant(graph, name + ".w", transposed(*w))};
  const NodeId product = insert_before(graph, id, std::move(made), {type}, {id});
  Node& layer = graph.node(id);
  layer.inputs[kInputX] = graph.node(product).outputs[0];
  layer.inputs[kInputW] = ValueId{};
  layer.attributes["projected"] = int64_t{1};
  return true;
}

}  // namespace

bool project_inputs(Graph& graph, PassContext&) {
  bool changed = false;
  for (NodeId id : std::vector<NodeId>(graph.order)) changed = project(graph, id) || changed;
  return changed;
}

}  // namespace macec
