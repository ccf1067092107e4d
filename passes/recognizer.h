// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of the pass `recognize` share: looking at a graph backwards, and putting one node in
// the place of several.
#pragma once
#include <cmath>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"

namespace macec {

struct Recognizer {
  Graph& graph;
  Users users;
  bool changed = false;

  // The node of type `op` that makes a value, or nullptr.
  const Node* made_by(ValueId value, const char* op) const {
    if (!value.is_valid() || !graph.value(value).producer.is_valid()) return nullptr;
    const Node& node = graph.node(graph.value(value).producer);
    return node.op == op && node.epilogue.empty() && !node.is_dead ? &node : nullptr;
  }
  const Tensor* constant(ValueId value) const {
    return value.is_valid() ? graph.value(value).constant.get() : nullptr;
  }
  bool is_number(ValueId value, double number) const {
    const Tensor* t = constant(value);
    return t && t->count() == 1 && info(t->dtype).is_float &&
           std::fabs(t->f64(0) - number) <= 1e-4 * number;
  }
  // The other input of a node of two inputs.
  static ValueId other(const Node& node, ValueId one) {
    return node.inputs[0] == one ? node.inputs[1] : node.inputs[0];
  }

  bool is_mean_of_last_axis(const Node& node, ValueId of) const {
    if (node.inputs.size() < 2 || node.inputs[0] != of || node.int_attribute("keepdims", 1) != 1)
      return false;
    const Tensor* axes = constant(node.inputs[1]);
    return axes && axes->count() == 1 &&
           (axes->i64(0) == -1 || axes->i64(0) == graph.type(of).rank() - 1);
  }

  // A constant with one element for each of the n along the last axis.
  const Tensor* by_last_axis(ValueId value, int64_t n) const {
    const Tensor* t = constant(value);
    if (!t || t->rank() < 1 || t->count() != n || t->shape.back() != n) return nullptr;
    return t;
  }

  ValueId vector_constant(const std::string& name, const Tensor* from, DType dtype, int64_t n) {
    Tensor t(dtype, {n});
    for (int64_t i = 0; i < n; ++i) t.set_f64(i, from ? from->f64(i) : 1);
    return add_constant(graph, name, std::move(t));
  }

  // A Mul or Add with a constant by the last axis as the only user of a value; its id, or none.
  NodeId scaled_by(ValueId value, const char* op, int64_t n, const Tensor** by) const {
    if (!users.single(value)) return {};
    const NodeId id = users.of(value)[0].node;
    const Node& node = graph.node(id);
    if (node.op != op || !node.epilogue.empty() || node.inputs.size() != 2) return {};
    *by = by_last_axis(other(node, value), n);
    return *by && graph.type(node.outputs[0]).shape == graph.type(value).shape ? id : NodeId{};
  }

  // The new node takes over the output of `last`, and its place.
  void replace(NodeId last, NewNode node, const std::vector<NodeId>& from) {
    const ValueId out = graph.node(last).outputs[0];
    const NodeId id = insert_before(graph, last, std::move(node), {}, from);
    graph.node(id).outputs = {out};
    graph.node(last).outputs = {add_value(graph, fresh_name(graph, "unused"), graph.type(out))};
    graph.value(graph.node(last).outputs[0]).producer = last;
    graph.value(out).producer = id;
    changed = true;
  }
};

// One operator each, where its last node is `id` (recognize_more.cpp).
void recognize_rms_norm(Recognizer& r, NodeId id);
void recognize_hard_swish(Recognizer& r, NodeId id);
void recognize_gelu_of_tanh(Recognizer& r, NodeId id);
void recognize_softmax(Recognizer& r, NodeId id);

}  // namespace macec
