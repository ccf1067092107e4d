// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changing a graph. Passes use these and nothing else, so that origins are never lost.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace macec {

ValueId add_value(Graph& graph, std::string name, TensorType type);
// A new constant; the name is made unique.
ValueId add_constant(Graph& graph, const std::string& name, Tensor tensor);
std::string fresh_name(Graph& graph, const std::string& stem);

// Appends a node at the end of the order (at: before that node of the order). Outputs get fresh
// values of the given types named after `name`; the node takes over the origins of the nodes in
// `from`.
struct NewNode {
  std::string op;
  const OpDef* def = nullptr;
  std::string name;
  std::vector<ValueId> inputs;
  Attributes attributes;
  std::vector<PointwiseStep> epilogue;
};
NodeId insert_before(Graph& graph, NodeId position, NewNode node, std::vector<TensorType> outputs,
                     const std::vector<NodeId>& from);

// Users of every value, computed once; (node, input index) pairs, in order. Graph outputs count in
// `is_output`.
struct Use {
  NodeId node;
  int input;
};
struct Users {
  explicit Users(const Graph& graph);
  const std::vector<Use>& of(ValueId value) const {
    return uses_[static_cast<size_t>(value.index)];
  }
  bool is_output(ValueId value) const { return outputs_[static_cast<size_t>(value.index)]; }
  // The uses that from has of the value become uses of to (which took over its inputs).
  void replace_user(ValueId value, NodeId from, NodeId to);
  // Exactly one use, and no graph output.
  bool single(ValueId value) const { return of(value).size() == 1 && !is_output(value); }

 private:
  std::vector<std::vector<Use>> uses_;
  std::vector<bool> outputs_;
};

// Every use of `from` (graph outputs too) becomes a use of `to`. A graph output keeps the name of
// `from` when `to` is not an input, constant or output itself.
void replace_all_uses(Graph& graph, ValueId from, ValueId to);
// Adds the origins of `from` to `to`.
void merge_origins(Node& to, const Node& from);
void erase(Graph& graph, NodeId node);  // no output may be used any more
// Removes erased nodes from the order, and nodes whose outputs nobody needs. Returns how many went.
int remove_dead(Graph& graph);
// Puts the order right again after insertions; MACEC_CHECKs that there is no cycle.
void sort_topologically(Graph& graph);

}  // namespace macec
