// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values shall be, decided before the walk of select_plan.cpp, back to front: a node whose
// output has a place may give its inputs places inside it.
//
//   input of a Concat             its slice of the Concat's buffer
//   Concat of neighbours          the part of a later Concat's buffer where they lie
//   input of a final Reshape      the memory of the Reshape's output
//   input of a Transpose          the memory of its output, written across
#include <algorithm>

#include "passes/plan_control.h"

namespace macec {
namespace {

// Transpositions and views in a row that are looked through. Each asks again, so a chain of any length would take the square of it.
constexpr int kMostMoves = 16;

std::vector<int64_t> transpose_permutation(const Node& node, int rank) {
  std::vector<int64_t> reversed;
  for (int a = rank - 1; a >= 0; --a) reversed.push_back(a);
  return node.ints_attribute("perm", reversed);
}

bool is_view_of_all(const Node& node) {  // the output has the bytes of input 0, in the same order
  return node.op == "Reshape" || node.op == "Squeeze" || node.op == "Unsqueeze" ||
         node.op == "Flatten" || node.op == "Identity";
}

}  // namespace

// Readers that take any strides, so that a value which they share may be a slice of a wider tensor.
bool GraphPlanner::has_patient_users(ValueId id, const Users& users) const {
  if (users.is_output(id)) return false;
  return std::all_of(users.of(id).begin(), users.of(id).end(), [&](const Use& use) {
    return (graph_.node(use.node).def->traits & (kChannelsLast | kElementwise | kAnyLayout)) != 0;
  });
}

bool GraphPlanner::can_be_placed(ValueId id, const Users& users, bool may_share) const {
  for (int moves = 0; moves < kMostMoves; ++moves) {
    const Value& value = graph_.value(id);
    if (!value.producer.is_valid() || placed_.count(id.index)) return false;
    if (!users.single(id) && !(may_share && has_patient_users(id, users))) return false;
    const Node& producer = graph_.node(value.producer);
    if (producer.op != "Transpose")
      return !(producer.def->traits & (kView | kControlFlow)) || is_view_of_all(producer) ||
             producer.op == "Relayout";  // a copy, or one from where it is
    id = producer.inputs[0];
    may_share = false;
  }
  return false;
}

// A kernel writes the value, through transpositions and views of all of it at most.
bool GraphPlanner::comes_from_kernel(ValueId id, const Users& users) const {
  for (int moves = 0; moves < kMostMoves; ++moves) {
    if (!can_be_placed(id, users)) return false;
    const Node& producer = graph_.node(graph_.value(id).producer);
    if (producer.op != "Transpose" && !is_view_of_all(producer)) return true;
    id = producer.inputs[0];
  }
  return false;
}

// A Reshape behind a Transpose (heads of attention back into rows): the producer writes across, so that nothing is moved.
bool GraphPlanner::gathers_axes(const Node& node, const Users& users) const {
  const NodeId before = graph_.value(node.inputs[0]).producer;
  return before.is_valid() && graph_.node(before).op == "Transpose" &&
         comes_from_kernel(node.inputs[0], users) &&
         graph_.type(node.outputs[0]).layout == Layout::plain;
}

// A Concat of values that already lie side by side, because a later Concat begins or ends with all of
// them (every layer of a dense block reads all layers before it): it is where they are.
bool GraphPlanner::joins_neighbours(const Node& node, size_t axis, const Users& users) {
  const ValueId out = node.outputs[0];
  if (placed_.count(out.index) || !has_patient_users(out, users)) return false;
  View all;
  for (ValueId input : node.inputs) {
    const auto at = placed_.find(input.index);
    if (at == placed_.end() || graph_.type(input).layout != graph_.type(out).layout) return false;
    const View& part = at->second;
    if (all.buffer < 0) {
      all = part;
      continue;
    }
    const Dim next = all.offset + all.shape[axis] * all.strides[axis];
    if (part.buffer != all.buffer || part.strides != all.strides || part.offset != next)
      return false;
    all.shape[axis] += part.shape[axis];
  }
  placed_[out.index] = all;
  return true;
}

// Back to front: a node whose output has a place may give its inputs places inside it.
void GraphPlanner::place_backward() {
  const Users users(graph_);
  for (auto at = graph_.order.rbegin(); at != graph_.order.rend(); ++at) {
    const Node& node = graph_.node(*at);
    if (node.op == "Concat" && node.epilogue.empty()) {
      const int64_t rank = graph_.type(node.outputs[0]).rank();
      int64_t axis = node.int_attribute("axis", 0);
      if (axis < 0) axis += rank;
      if (joins_neighbours(node, static_cast<size_t>(axis), users)) continue;
      const View out = place_of(node.outputs[0]);
      // What others read too must not lie in the caller's memory, which may be missing.
      const bool is_own =
          builder_.plan.buffers[static_cast<size_t>(out.buffer)].place == Buffer::arena;
      Dim start = 0;
      for (ValueId input : node.inputs) {
        const TensorType& type = graph_.type(input);
        const Dim extent = type.shape[static_cast<size_t>(axis)];
        if (can_be_placed(input, users, is_own) &&
            type.layout == graph_.type(node.outputs[0]).layout) {
          View part = out;
          part.offset = out.offset + start * out.strides[static_cast<size_t>(axis)];
          part.shape = type.shape;  // other axes: equal in every run, but perhaps another expression
          placed_[input.index] = part;
        }
        start += extent;
      }
    } else if (is_view_of_all(node) &&
               (placed_.count(node.outputs[0].index) || gathers_axes(node, users))) {
      place_of(node.outputs[0]);
      const ValueId input = node.inputs[0];
      const View& out = placed_.at(node.outputs[0].index);
      if (can_be_placed(input, users) && out.is_dense() &&
          graph_.type(input).layout == Layout::plain && graph_.type(input).dtype == out.dtype) {
        View inner = dense_view(out.buffer, graph_.type(input));
        inner.offset = out.offset;
        placed_[input.index] = inner;
      }
    } else if (node.op == "Transpose" && placed_.count(node.outputs[0].index) &&
               can_be_placed(node.inputs[0], users)) {
      const View& out = placed_.at(node.outputs[0].index);
      const std::vector<int64_t> permutation = transpose_permutation(node, out.rank());
      View inner = out;
      for (size_t a = 0; a < permutation.size(); ++a) {
        inner.shape[static_cast<size_t>(permutation[a])] = out.shape[a];
        inner.strides[static_cast<size_t>(permutation[a])] = out.strides[a];
      }
      placed_[node.inputs[0].index] = inner;
    }
  }
}

}  // namespace macec
