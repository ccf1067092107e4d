// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates what is known at compile time.
//
//   %s = Shape(%x)               %s = constant [1, 128]        contents known to the last element
//   %y = Add(const, const)       %y = constant
//
// A result much larger than its inputs (Expand, ConstantOfShape, Tile of more than kLargest bytes)
// stays a node: it would only make the file big. Tests: tests/filetests/fold-constants/
#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

constexpr int64_t kLargest = int64_t{1} << 20;  // bytes that a constant may grow to

// A value whose elements are all fixed numbers becomes a constant.
bool from_contents(Graph& graph, ValueId id) {
  Value& value = graph.value(id);
  if (value.constant || !value.known || !is_fixed(value.type.shape) ||
      !info(value.type.dtype).is_integer)
    return false;
  if (!is_fixed(*value.known)) return false;
  Tensor tensor(value.type.dtype, fixed(value.type.shape));
  if (tensor.count() != static_cast<int64_t>(value.known->size())) return false;
  for (size_t i = 0; i < value.known->size(); ++i)
    tensor.set_i64(static_cast<int64_t>(i), (*value.known)[i].value());
  value.constant = std::make_shared<const Tensor>(std::move(tensor));
  return true;
}

// So does one that has no elements.
bool from_no_elements(Graph& graph, ValueId id, const Node& node) {
  Value& value = graph.value(id);
  const bool is_data = info(value.type.dtype).is_float || info(value.type.dtype).is_integer ||
                       value.type.dtype == DType::boolean;
  if (!is_data || !is_fixed(value.type.shape) || value.type.count() != Dim(0)) return false;
  if (!node.def || !node.bodies.empty() || (node.def->traits & kEndsRun)) return false;
  value.constant = std::make_shared<const Tensor>(value.type.dtype, fixed(value.type.shape));
  return true;
}

bool evaluate_to_constants(Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.def->evaluate || !node.bodies.empty() || (node.def->traits & kEndsRun) ||
      keeps_packed_weights(graph, node))
    return false;
  std::vector<const Tensor*> inputs;
  int64_t input_bytes = 0, output_bytes = 0;
  for (ValueId v : node.inputs) {
    const Tensor* tensor = v.is_valid() ? graph.value(v).constant.get() : nullptr;
    if (v.is_valid() && !tensor) return false;
    inputs.push_back(tensor);
    if (tensor) input_bytes += static_cast<int64_t>(tensor->bytes.size());
  }
  for (ValueId v : node.outputs) {
    if (!v.is_valid()) continue;
    if (!is_fixed(graph.type(v).shape)) return false;
    output_bytes += graph.type(v).max_bytes();
  }
  if (output_bytes > std::max(kLargest, 2 * input_bytes)) return false;
  std::vector<Tensor> results = evaluate_node(graph, node, inputs);
  for (size_t o = 0; o < node.outputs.size() && o < results.size(); ++o) {
    if (!node.outputs[o].is_valid()) continue;
    Value& value = graph.value(node.outputs[o]);
    value.type = results[o].type();
    value.constant = std::make_shared<const Tensor>(std::move(results[o]));
  }
  return true;
}

}  // namespace

bool fold_constants(Graph& graph, PassContext&) {
  bool changed = false;
  std::vector<NodeId> kept;
  for (NodeId id : graph.order) {
    const Node& node = graph.node(id);
    bool all_known = !node.outputs.empty();
    for (ValueId v : node.outputs) {
      if (!v.is_valid()) continue;
      const bool is_known =
          graph.value(v).constant || from_contents(graph, v) || from_no_elements(graph, v, node);
      all_known = is_known && all_known;
    }
    if (!all_known && !evaluate_to_constants(graph, id)) {
      kept.push_back(id);
      continue;
    }
    for (ValueId v : node.outputs)
      if (v.is_valid()) graph.value(v).producer = NodeId{};
    graph.node(id).is_dead = true;
    changed = true;
  }
  graph.order = std::move(kept);
  return changed;
}

bool remove_dead_nodes(Graph& graph, PassContext&) {
  return remove_dead(graph) > 0;
}

}  // namespace macec
