// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches of an If that no run can finish, because a node in them cannot work on the types it gets.
//
//   If(%c) { %r = LSTM(%x of rank 5) } else { %r = ... }       If(%c) { %r = Fail() {text = "LSTM '/rnn': ..."} } else { ... }
//
// Models that pick a sampling rate or a layout at run time have such branches for most sizes. The trap: under ranges an
// error may hold for some sizes only. Then it stays an error of the model: see fails_at_all_sizes.
// Tests: tests/errors/ (neither_branch_can_run, unsupported_in_a_branch, branch_for_some_sizes), tests/contracts/
#include <algorithm>
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/onnx/builder.h"
#include "compiler/ops/bodies.h"

namespace macec {
namespace {

// Sizes: the value of every symbol.
using Sizes = std::map<std::string, int64_t>;

// The least and the greatest sizes, and those where one symbol is at the other end than all others.
std::vector<Sizes> corners(const std::map<std::string, std::shared_ptr<const Symbol>>& symbols) {
  std::vector<Sizes> all(2);
  for (const auto& [name, symbol] : symbols) {
    all[0][name] = symbol->lo;
    all[1][name] = symbol->hi;
  }
  for (const auto& [name, symbol] : symbols) {
    Sizes one_up = all[0], one_down = all[1];
    one_up[name] = symbol->hi;
    one_down[name] = symbol->lo;
    all.push_back(std::move(one_up));
    all.push_back(std::move(one_down));
  }
  return all;
}

// Whether the node is wrong at these sizes, too.
bool fails_at(const Graph& graph, const Node& node, const Sizes& sizes) {
  const auto fix = [&](const Dim& d) {
    return Dim(d.evaluate([&](const Symbol& s) { return sizes.at(s.name); }));
  };
  Graph at;
  Node copy = node;
  for (ValueId& input : copy.inputs) {
    if (!input.is_valid()) continue;
    Value value = graph.value(input);
    value.producer = NodeId();
    for (Dim& d : value.type.shape) d = fix(d);
    if (value.known)
      for (Dim& d : *value.known) d = fix(d);
    at.values.push_back(std::move(value));
    input = ValueId{static_cast<int32_t>(at.values.size()) - 1};
  }
  for (ValueId& output : copy.outputs) {
    if (!output.is_valid()) continue;
    output = add_value(at, graph.value(output).name, {});
    at.value(output).producer = NodeId{0};
  }
  at.nodes.push_back(std::move(copy));
  at.order.push_back(NodeId{0});
  at.bounds = graph.bounds;
  try {
    infer_node(at, NodeId{0});
  } catch (const UserError&) {
    return true;
  }
  return false;
}

// The body of a branch that no run can finish, with the parameters and results of the one given.
Graph failing_body(const Graph& like, const IllTyped& failure) {
  Graph body;
  body.name = like.name;
  for (const ValueId input : like.inputs)
    body.inputs.push_back(add_value(body, like.value(input).name, like.type(input)));
  Node node;
  node.op = kFailOp;
  node.def = find_op(kFailOp);
  node.name = failure.node();
  node.origins = {failure.node()};
  node.attributes["text"] = fmt::format("{}: {}", failure.node(), failure.text());
  for (const ValueId output : like.outputs)
    node.outputs.push_back(add_value(body, fresh_name(body, like.value(output).name), {}));
  body.outputs = node.outputs;
  for (const ValueId output : node.outputs) body.value(output).producer = NodeId{0};
  body.nodes.push_back(std::move(node));
  body.order.push_back(NodeId{0});
  return body;
}

}  // namespace

bool fails_at_all_sizes(const Graph& graph, const Node& node) {
  std::map<std::string, std::shared_ptr<const Symbol>> symbols;
  const auto note = [&](const Dim& d) {
    d.symbols([&](const std::shared_ptr<const Symbol>& s) { symbols[s->name] = s; });
  };
  for (const ValueId input : node.inputs) {
    if (!input.is_valid()) continue;
    const Value& value = graph.value(input);
    for (const Dim& d : value.type.shape) note(d);
    if (value.known)
      for (const Dim& d : *value.known) note(d);
  }
  if (symbols.empty()) return true;
  if (!node.bodies.empty()) return false;  // not looked into
  const std::vector<Sizes> all = corners(symbols);
  return std::all_of(all.begin(), all.end(),
                     [&](const Sizes& sizes) { return fails_at(graph, node, sizes); });
}

bool Builder::take_branches(Target& around, std::vector<Target> branches, Node* node) {
  const bool can_run = std::any_of(branches.begin(), branches.end(),
                                   [](const Target& branch) { return !branch.failure; });
  for (Target& branch : branches) {
    if (!branch.failure) {
      node->bodies.push_back(std::move(branch.graph));
    } else if (can_run) {
      node->bodies.push_back(failing_body(branch.graph, *branch.failure));
    } else if (!around.is_branch) {
      diag_.add(*branch.failure);
    } else if (!around.failure) {
      around.failure = branch.failure;
    }
  }
  return can_run;
}

}  // namespace macec
