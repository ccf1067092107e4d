// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention whose matrix of scores is large becomes one step that never stores it.
//
//   %s = MatMul(%q, %w)   %t = Mul(%s, 0.125)   %u = Add(%t, %mask)   %p = Softmax(%u)   %y = MatMul(%p, %v)
//   -> %y = StreamedAttention(%q, %w, %v, %mask) {scale = 0.125}
//
// Mul (or Div) and Add may be missing. Only float32 on CPUs, 2 to 4 axes, where nobody else sees
// the scores. Left alone where they are few (they stay in cache, and blocks only add work) or have
// few rows (the keys are read in place then, not packed). Tests: tests/filetests/stream-attention/
#include <cmath>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"
#include "targets/target.h"

namespace macec {
namespace {

constexpr int64_t kFewScores = 256 * 1024, kFewRows = 48, kFewKeys = 128;

struct Streamer {
  Graph& graph;
  Users users;
  std::vector<NodeId> parts;  // of the match, from the scores on

  // The node that makes `value` for one user only, if it is of this operator.
  const Node* only(ValueId value, const char* op) {
    const NodeId producer = graph.value(value).producer;
    if (!producer.is_valid() || !users.single(value)) return nullptr;
    const Node& node = graph.node(producer);
    if (node.op != op || !node.epilogue.empty()) return nullptr;
    parts.push_back(producer);
    return &node;
  }

  // value = scores * factor or scores / factor: the scores, else value itself.
  ValueId unscaled(ValueId value, float* scale) {
    for (const char* op : {"Mul", "Div"}) {
      const size_t before = parts.size();
      const Node* node = only(value, op);
      if (!node) continue;
      for (const size_t side : {1, 0}) {
        const Tensor* number = graph.value(node->inputs[side]).constant.get();
        const ValueId scores = node->inputs[1 - side];
        if (!number || number->count() != 1 || (side == 0 && node->op == "Div") ||
            graph.type(scores).shape != graph.type(value).shape)
          continue;
        const double factor = node->op == "Mul" ? number->f64(0) : 1 / number->f64(0);
        *scale = static_cast<float>(factor);
        return scores;
      }
      parts.resize(before);
    }
    return value;
  }

  // value = scores + bias where the bias has a number for each key: the scores, else value itself.
  ValueId unbiased(ValueId value, ValueId* bias) {
    const size_t before = parts.size();
    const Node* node = only(value, "Add");
    if (!node) return value;
    const Shape& shape = graph.type(value).shape;
    for (const size_t side : {0, 1}) {
      const ValueId scores = node->inputs[side], other = node->inputs[1 - side];
      const NodeId producer = graph.value(scores).producer;
      const Shape& added = graph.type(other).shape;
      if (!producer.is_valid() || graph.type(scores).shape != shape || added.empty() ||
          added.size() > shape.size() || added.back() != shape.back())
        continue;
      const std::string& op = graph.node(producer).op;
      if (op != "MatMul" && op != "Mul" && op != "Div") continue;
      *bias = other;
      return scores;
    }
    parts.resize(before);
    return value;
  }

  bool is_large(const TensorType& scores) const {
    const Dim &rows = scores.shape[scores.shape.size() - 2], &keys = scores.shape.back();
    return scores.dtype == DType::float32 && rows.lo() >= kFewRows && keys.lo() >= 1 &&
           keys.hi() >= kFewKeys && scores.count().hi() >= kFewScores;
  }

  bool stream(NodeId id) {
    const Node& last = graph.node(id);
    if (last.op != "MatMul" || !last.epilogue.empty()) return false;
    parts.clear();
    const ValueId weights = last.inputs[0], v = last.inputs[1];
    const Node* softmax = only(weights, "Softmax");
    const auto rank = static_cast<int64_t>(graph.type(weights).shape.size());
    if (!softmax || rank < 2 || rank > 4 || graph.type(v).rank() != rank ||
        !is_large(graph.type(weights)) || softmax->has_attribute("flattened"))
      return false;
    const int64_t axis = softmax->int_attribute("axis", -1);
    if (axis != -1 && axis != rank - 1) return false;
    float scale = 1;
    ValueId bias;
    const ValueId added = unbiased(softmax->inputs[0], &bias);
    const Node* product = only(unscaled(added, &scale), "MatMul");
    if (!product || !(scale > 0) || !std::isfinite(scale)) return false;
    for (ValueId operand : product->inputs)
      if (graph.type(operand).rank() != rank) return false;
    std::vector<ValueId> inputs = {product->inputs[0], product->inputs[1], v};
    if (bias.is_valid()) inputs.push_back(bias);

    for (const NodeId part : parts) merge_origins(graph.node(id), graph.node(part));
    Node& node = graph.node(id);
    node.op = "StreamedAttention";
    node.def = find_op(node.op);
    node.inputs = std::move(inputs);
    node.attributes = {{"scale", scale}};
    return true;
  }
};

}  // namespace

bool stream_attention(Graph& graph, PassContext& context) {
  if (context.target && context.target->gpu) return false;
  Streamer streamer{graph, Users(graph), {}};
  bool changed = false;
  for (NodeId id : std::vector<NodeId>(graph.order)) {
    if (!streamer.stream(id)) continue;
    changed = true;
    if (context.explain)
      context.explain->push_back("scores of '" + graph.node(id).name + "' in blocks of keys");
  }
  if (changed) remove_dead(graph);
  return changed;
}

}  // namespace macec
