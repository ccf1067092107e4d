// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of groups in turns -> one node that keeps the layout, one for each part that is read.
//
//   %r: [n, g, c / g, h, w] = Reshape(%x)               %a = ChannelShuffle(%x, channels 0 .. c / 2)
//   %t = Transpose(%r, [0, 2, 1, 3, 4])                 %b = ChannelShuffle(%x, channels c / 2 .. c)
//   %y: [n, c, h, w] = Reshape(%t)
//   %a, %b = Split(%y, axis 1)
//
// As three nodes it is work on five axes, which is plain, between channels-last neighbours; and of
// parts, one is copied again. Parts stay slices if one of them cuts through the groups. Left alone if
// a value in between has another user. Tests: tests/filetests/shuffle-channels/
#include <algorithm>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

struct Part {
  ValueId value;
  int64_t start, count;
};

struct Shuffler {
  Graph& graph;
  Users users;
  bool changed = false;

  const Node* made_by(ValueId v, const char* op) const {
    if (!graph.value(v).producer.is_valid()) return nullptr;
    const Node& node = graph.node(graph.value(v).producer);
    return node.op == op && node.epilogue.empty() && !node.is_dead ? &node : nullptr;
  }

  // The groups that the last of the three nodes shuffles, and what they are groups of; 0: none.
  int64_t groups_of(const Node& last, ValueId* x) const {
    const Node* swap = last.op == "Reshape" ? made_by(last.inputs[0], "Transpose") : nullptr;
    const Node* first = swap ? made_by(swap->inputs[0], "Reshape") : nullptr;
    if (!first || !users.single(last.inputs[0]) || !users.single(swap->inputs[0])) return 0;
    *x = first->inputs[0];
    const Shape &whole = graph.type(*x).shape, &split = graph.type(swap->inputs[0]).shape;
    if (whole != graph.type(last.outputs[0]).shape || whole.size() < 3 ||
        split.size() != whole.size() + 1)
      return 0;
    std::vector<int64_t> perm = swap->ints_attribute("perm");
    if (perm.size() != split.size() || perm[1] != 2 || perm[2] != 1) return 0;
    std::swap(perm[1], perm[2]);
    for (size_t a = 0; a < perm.size(); ++a)
      if (perm[a] != static_cast<int64_t>(a)) return 0;
    if (!whole[1].is_fixed() || !split[1].is_fixed() || split[1] * split[2] != whole[1]) return 0;
    if (whole[0] != split[0] || !std::equal(whole.begin() + 2, whole.end(), split.begin() + 3))
      return 0;
    return split[1].value();
  }

  const Tensor* constant(const Node& node, size_t i) const {
    if (i >= node.inputs.size() || !node.inputs[i].is_valid()) return nullptr;
    return graph.value(node.inputs[i]).constant.get();
  }

  // The channels that a Slice or Split takes, and nothing but channels.
  bool add_parts(const Node& node, int64_t channels, std::vector<Part>* parts) const {
    if (!node.epilogue.empty()) return false;
    int64_t at = 0;
    if (node.op == "Slice") {
      const Tensor *starts = constant(node, 1), *axes = constant(node, 3),
                   *steps = constant(node, 4);
      if (!starts || starts->count() != 1 || !axes || axes->i64(0) != 1 ||
          (node.inputs.size() > 4 && node.inputs[4].is_valid() && (!steps || steps->i64(0) != 1)))
        return false;
      at = std::min(starts->i64(0), channels);
      if (at < 0) at = std::max<int64_t>(at + channels, 0);
    } else if (node.op != "Split" || node.int_attribute("axis", 0) != 1) {
      return false;
    }
    for (ValueId v : node.outputs) {
      if (!v.is_valid() || !graph.type(v).shape[1].is_fixed()) return false;
      parts->push_back({v, at, graph.type(v).shape[1].value()});
      at += parts->back().count;
    }
    return true;
  }

  // The parts that are read of a value; all of it if it is not only read in parts.
  std::vector<Part> parts_of(ValueId y, int64_t groups) const {
    const int64_t channels = graph.type(y).shape[1].value();
    const std::vector<Part> all = {{y, 0, channels}};
    if (users.is_output(y)) return all;
    std::vector<Part> parts;
    for (const Use& use : users.of(y))
      if (use.input != 0 || !add_parts(graph.node(use.node), channels, &parts)) return all;
    for (const Part& part : parts)
      if (part.start % groups != 0 || part.count % groups != 0 || part.count == 0) return all;
    return parts.empty() ? all : parts;
  }

  void visit(NodeId id) {
    ValueId x;
    const int64_t groups = groups_of(graph.node(id), &x);
    if (groups < 2) return;
    const NodeId swap = graph.value(graph.node(id).inputs[0]).producer;
    const NodeId split = graph.value(graph.node(swap).inputs[0]).producer;
    for (const Part& part : parts_of(graph.node(id).outputs[0], groups)) {
      NewNode node;
      node.op = "ChannelShuffle";
      node.def = find_op(node.op);
      node.name = graph.node(graph.value(part.value).producer).name;
      node.inputs = {x};
      node.attributes = {{"groups", groups}, {"start", part.start}, {"count", part.count}};
      std::vector<NodeId> from = {split, swap, id};
      if (graph.value(part.value).producer != id) from.push_back(graph.value(part.value).producer);
      const NodeId made = insert_before(graph, id, std::move(node), {graph.type(part.value)}, from);
      replace_all_uses(graph, part.value, graph.node(made).outputs[0]);
    }
    changed = true;
  }
};

}  // namespace

bool shuffle_channels(Graph& graph, PassContext&) {
  Shuffler shuffler{graph, Users(graph)};
  for (NodeId id : std::vector<NodeId>(graph.order)) shuffler.visit(id);
  if (shuffler.changed) remove_dead(graph);
  return shuffler.changed;
}

}  // namespace macec
