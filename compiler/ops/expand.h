// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are written as other operators (OpDef::expand): the pass `expand` puts those in
// their place.
#pragma once
#include <string>
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// Builds the nodes in front of node `id`. Nothing of the graph may be kept by reference across add.
struct Expander {
  Graph& graph;
  NodeId id;

  const Node& node() const { return graph.node(id); }
  bool has(int i) const {
    return i < static_cast<int>(node().inputs.size()) &&
           node().inputs[static_cast<size_t>(i)].is_valid();
  }
  ValueId in(int i) const { return node().inputs[static_cast<size_t>(i)]; }
  DType dtype(ValueId v) const { return graph.type(v).dtype; }
  Shape shape(ValueId v) const { return graph.type(v).shape; }

  // A node of an operator, inferred; its first output.
  ValueId add(const char* op, std::vector<ValueId> inputs, Attributes attributes = {});
  ValueId constant(Tensor tensor);
  ValueId number(float v);  // float32 scalar
  ValueId cast(ValueId v, DType to);
  ValueId unsqueeze(ValueId v, std::vector<int64_t> axes);
  ValueId numbers(std::vector<int64_t> v);      // int64 [n]
  ValueId extent(ValueId v, int64_t axis);      // int64 [1], also of extents that vary
  ValueId reshape(ValueId v, std::vector<ValueId> extents);  // extents: int64 vectors, joined
  void result(int output, ValueId v);  // the node's output is v from now on
};

// Replaces the node by what OpDef::expand makes of it.
void expand_node(Graph& graph, NodeId id);

// OpDef::evaluate of these operators: expands a graph of the one node and runs it.
void evaluate_expanded(EvaluateContext& context);

}  // namespace macec
