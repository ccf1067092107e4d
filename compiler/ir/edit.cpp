// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/edit.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "compiler/support/error.h"

namespace macec {

ValueId add_value(Graph& graph, std::string name, TensorType type) {
  Value value;
  value.name = std::move(name);
  value.type = std::move(type);
  graph.values.push_back(std::move(value));
  return ValueId{static_cast<int32_t>(graph.values.size()) - 1};
}

std::string fresh_name(Graph& graph, const std::string& stem) {
  return fmt::format("{}.{}", stem, ++graph.next_name);
}

ValueId add_constant(Graph& graph, const std::string& name, Tensor tensor) {
  const ValueId id = add_value(graph, fresh_name(graph, name), tensor.type());
  graph.value(id).constant = std::make_shared<const Tensor>(std::move(tensor));
  return id;
}

NodeId insert_before(Graph& graph, NodeId position, NewNode from_user,
                     std::vector<TensorType> outputs, const std::vector<NodeId>& from) {
  const NodeId id{static_cast<int32_t>(graph.nodes.size())};
  Node node;
  node.op = std::move(from_user.op);
  node.def = from_user.def;
  node.name = std::move(from_user.name);
  node.inputs = std::move(from_user.inputs);
  node.attributes = std::move(from_user.attributes);
  node.epilogue = std::move(from_user.epilogue);
  for (NodeId origin : from) {
    merge_origins(node, graph.node(origin));
    if (node.onnx_index < 0) node.onnx_index = graph.node(origin).onnx_index;
  }
  for (TensorType& type : outputs) {
    const ValueId value = add_value(
        graph, fresh_name(graph, node.name.empty() ? node.op : node.name), std::move(type));
    graph.value(value).producer = id;
    node.outputs.push_back(value);
  }
  graph.nodes.push_back(std::move(node));
  auto at = position.is_valid() ? std::find(graph.order.begin(), graph.order.end(), position)
                                : graph.order.end();
  graph.order.insert(at, id);
  return id;
}

Users::Users(const Graph& graph)
    : uses_(graph.values.size()), outputs_(graph.values.size(), false) {
  for (NodeId id : graph.order) {
    const Node& node = graph.node(id);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i].is_valid())
        uses_[static_cast<size_t>(node.inputs[i].index)].push_back({id, static_cast<int>(i)});
  }
  for (ValueId output : graph.outputs)
    if (output.is_valid()) outputs_[static_cast<size_t>(output.index)] = true;
}

void Users::replace_user(ValueId value, NodeId from, NodeId to) {
  for (Use& use : uses_[static_cast<size_t>(value.index)])
    if (use.node == from) use.node = to;
}

void replace_all_uses(Graph& graph, ValueId from, ValueId to) {
  for (NodeId id : graph.order)
    for (ValueId& input : graph.node(id).inputs)
      if (input == from) input = to;
  bool was_output = false;
  for (ValueId& output : graph.outputs)
    if (output == from) {
      output = to;
      was_output = true;
    }
  if (!was_output) return;
  const Value& target = graph.value(to);
  const bool is_input =
      std::find(graph.inputs.begin(), graph.inputs.end(), to) != graph.inputs.end();
  const auto uses = std::count(graph.outputs.begin(), graph.outputs.end(), to);
  if (!is_input && !target.constant && uses == 1)
    std::swap(graph.value(to).name, graph.value(from).name);
}

void merge_origins(Node& to, const Node& from) {
  for (const std::string& origin : from.origins)
    if (std::find(to.origins.begin(), to.origins.end(), origin) == to.origins.end())
      to.origins.push_back(origin);
}

void erase(Graph& graph, NodeId node) {
  graph.node(node).is_dead = true;
  const auto at = std::find(graph.order.begin(), graph.order.end(), node);
  if (at != graph.order.end()) graph.order.erase(at);
}

namespace {

using Names = std::unordered_set<std::string>;

// The extents in it that steps of a run set.
void note_computed(const Value& value, Names* names) {
  const auto note = [&](const Dim& d) {
    d.symbols([&](const std::shared_ptr<const Symbol>& s) {
      if (s->is_computed) names->insert(s->name);
    });
  };
  for (const Dim& d : value.type.shape) note(d);
  if (!value.known) return;
  for (const Dim& d : *value.known) note(d);
}

void note_computed(const Graph& body, Names* names) {
  for (const Value& value : body.values) note_computed(value, names);
  for (NodeId id : body.order)
    for (const Graph& inner : body.node(id).bodies) note_computed(inner, names);
}

// Whether the node sets an extent that is needed: others may use it without reading the node's outputs.
bool sets_any(const Graph& graph, const Node& node, const Names& needed) {
  if (needed.empty()) return false;
  Names before, after;
  for (ValueId input : node.inputs)
    if (input.is_valid()) note_computed(graph.value(input), &before);
  for (ValueId output : node.outputs)
    if (output.is_valid()) note_computed(graph.value(output), &after);
  return std::any_of(after.begin(), after.end(), [&](const std::string& name) {
    return needed.count(name) != 0 && before.count(name) == 0;
  });
}

}  // namespace

int remove_dead(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  Names extents;
  for (ValueId output : graph.outputs) {
    if (!output.is_valid()) continue;
    needed[static_cast<size_t>(output.index)] = true;
    note_computed(graph.value(output), &extents);
  }
  std::vector<NodeId> kept;
  int removed = 0;
  for (auto at = graph.order.rbegin(); at != graph.order.rend(); ++at) {
    Node& node = graph.node(*at);
    // Extents are set where nobody may read the numbers themselves any more.
    const bool lives =
        !node.is_dead && (node.op == "Extents" ||
                          std::any_of(node.outputs.begin(), node.outputs.end(),
                                      [&](ValueId v) {
                                        return v.is_valid() && needed[static_cast<size_t>(v.index)];
                                      }) ||
                          sets_any(graph, node, extents));
    if (!lives) {
      node.is_dead = true;
      ++removed;
      continue;
    }
    kept.push_back(*at);
    for (const std::vector<ValueId>* values : {&node.inputs, &node.outputs})
      for (ValueId value : *values)
        if (value.is_valid()) note_computed(graph.value(value), &extents);
    for (const Graph& body : node.bodies) note_computed(body, &extents);
    for (ValueId input : node.inputs)
      if (input.is_valid()) needed[static_cast<size_t>(input.index)] = true;
  }
  std::reverse(kept.begin(), kept.end());
  graph.order = std::move(kept);
  return removed;
}

// Kahn's algorithm; among the ready nodes the one that stood first comes first, so an ordered graph
// stays as it is.
void sort_topologically(Graph& graph) {
  std::vector<int> missing(graph.nodes.size(), 0), rank(graph.nodes.size(), 0);
  std::vector<std::vector<NodeId>> users(graph.nodes.size());
  for (size_t i = 0; i < graph.order.size(); ++i) {
    const NodeId id = graph.order[i];
    rank[static_cast<size_t>(id.index)] = static_cast<int>(i);
    for (ValueId input : graph.node(id).inputs) {
      if (!input.is_valid() || !graph.value(input).producer.is_valid()) continue;
      users[static_cast<size_t>(graph.value(input).producer.index)].push_back(id);
      ++missing[static_cast<size_t>(id.index)];
    }
  }
  std::set<std::pair<int, int32_t>> ready;
  for (NodeId id : graph.order)
    if (missing[static_cast<size_t>(id.index)] == 0)
      ready.insert({rank[static_cast<size_t>(id.index)], id.index});
  std::vector<NodeId> sorted;
  while (!ready.empty()) {
    const NodeId id{ready.begin()->second};
    ready.erase(ready.begin());
    sorted.push_back(id);
    for (NodeId user : users[static_cast<size_t>(id.index)])
      if (--missing[static_cast<size_t>(user.index)] == 0)
        ready.insert({rank[static_cast<size_t>(user.index)], user.index});
  }
  MACEC_CHECK(sorted.size() == graph.order.size(), "the graph has a cycle");
  graph.order = std::move(sorted);
}

}  // namespace macec
