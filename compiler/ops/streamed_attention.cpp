// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StreamedAttention: an operator that no ONNX file has; the pass stream-attention makes it.
//
//   y [b..., m, e] = softmax(scale * (q [b..., m, k] * w [b..., k, n]) + bias [..., m, n]) * v [b..., n, e]
//
// float32 only. bias may be missing and broadcasts. The scores [b..., m, n] are never stored.
#include <cmath>

#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int kBias = 3;

// The type of MatMul(a, b).
Shape product_shape(InferContext& context, const Shape& a, const Shape& b) {
  if (a.size() < 2 || a.size() != b.size() || a.size() > 4)
    throw user_error("operands of {} and {} axes", a.size(), b.size());
  Shape y = a;
  for (size_t axis = 0; axis + 2 < a.size(); ++axis) {
    if (a[axis] == Dim(1)) y[axis] = b[axis];
    if (a[axis] != Dim(1) && b[axis] != Dim(1))
      context.require_equal(a[axis], b[axis], "a batch axis", "that of the other operand");
  }
  context.require_equal(a.back(), b[b.size() - 2], "columns of the first", "rows of the second");
  y.back() = b.back();
  return y;
}

void infer_streamed(InferContext& context) {
  const Shape scores = product_shape(context, context.shape(0), context.shape(1));
  for (int i = 0; i < context.inputs(); ++i)
    if (context.has(i) && context.type(i).dtype != DType::float32)
      throw user_error("StreamedAttention of {} is not supported", name(context.type(i).dtype));
  if (context.has(kBias)) {
    const Shape& bias = context.shape(kBias);
    if (bias.size() > scores.size()) throw user_error("a bias of {} axes", bias.size());
    for (size_t a = 0; a < bias.size(); ++a)
      if (bias[a] != Dim(1))
        context.require_equal(bias[a], scores[scores.size() - bias.size() + a],
                              fmt::format("axis {} of the bias", a), "that of the scores");
  }
  context.set_type(0, DType::float32, product_shape(context, scores, context.shape(2)));
}

// The product of the last two axes, batch axes broadcast, with `transform` on each score.
std::vector<Tensor> run(const char* op, std::vector<const Tensor*> inputs,
                        Attributes attributes = {}) {
  Node node;
  node.op = op;
  node.def = find_op(op);
  node.attributes = std::move(attributes);
  EvaluateContext context{node, std::move(inputs), std::vector<Tensor>(1), {}};
  node.def->evaluate(context);
  return std::move(context.outputs);
}

void evaluate_streamed(EvaluateContext& context) {
  Tensor scores = run("MatMul", {&context.in(0), &context.in(1)})[0];
  const Tensor scale = Tensor::scalar_f32(context.node.float_attribute("scale", 1));
  scores = run("Mul", {&scores, &scale})[0];
  if (context.has(kBias)) scores = run("Add", {&scores, &context.in(kBias)})[0];
  scores = run("Softmax", {&scores}, {{"axis", int64_t{-1}}})[0];
  context.outputs[0] = run("MatMul", {&scores, &context.in(2)})[0];
}

// The batch axes of an operand, broadcast to those of y.
std::vector<Dim> batch_strides(View view, const Shape& batch) {
  const size_t rank = view.shape.size() < 2 ? 0 : view.shape.size() - 2;
  view.shape.resize(rank);
  view.strides.resize(rank);
  return broadcast_strides(view, batch);
}

Lowered lower_streamed(const LowerContext& context) {
  const View &q = context.in(0), &w = context.in(1), &v = context.in(2), &y = context.out(0);
  if (!context.node.epilogue.empty()) return {};
  const bool has_bias = context.has(kBias);
  const size_t rank = y.shape.size();
  View bias;
  if (has_bias) {
    Shape scores = y.shape;
    scores.back() = w.shape.back();
    bias = expand_view(context.in(kBias), scores);
  }
  for (const View* rows : {&q, &v, &y})
    if (rows->strides.back() != Dim(1) && rows->shape.back() != Dim(1)) return {};
  if (has_bias && bias.strides.back() != Dim(1) && bias.shape.back() != Dim(1)) return {};

  const Shape batch(y.shape.begin(), y.shape.end() - 2);
  std::vector<std::vector<Dim>> strides = {batch_strides(q, batch), batch_strides(w, batch),
                                           batch_strides(v, batch), batch_strides(y, batch)};
  if (has_bias) strides.push_back(batch_strides(bias, batch));
  const LoopNest nest = make_nest(batch, strides, 3);
  AttentionParamsT<Dim> p{};
  p.batch[0] = p.batch[1] = 1;
  const size_t axes = nest.extent.size();
  for (size_t a = 0; a < axes; ++a) {
    const size_t to = 2 - axes + a;
    p.batch[to] = nest.extent[a];
    p.q_batch[to] = nest.strides[0][a];
    p.w_batch[to] = nest.strides[1][a];
    p.v_batch[to] = nest.strides[2][a];
    p.y_batch[to] = nest.strides[3][a];
    if (has_bias) p.bias_batch[to] = nest.strides[4][a];
  }
  p.m = y.shape[rank - 2];
  p.n = w.shape.back();
  p.k = q.shape.back();
  p.e = y.shape.back();
  p.q_row = q.strides[rank - 2];
  p.w_k = w.strides[rank - 2];
  p.w_n = w.strides[rank - 1];
  p.v_row = v.strides[rank - 2];
  p.y_row = y.strides[rank - 2];
  if (has_bias) p.bias_row = bias.strides[rank - 2];
  p.scale = context.node.float_attribute("scale", 1);

  KernelCall call = make_call(Family::attention, {q, w, v, bias}, {y});
  call.params = p;
  call.units = p.batch[0] * p.batch[1] * ceil_div(p.m, kGemmRowsPerUnit);
  const auto scores = static_cast<double>((p.batch[0] * p.batch[1] * p.m * p.n).hi());
  call.multiply_adds = scores * static_cast<double>((p.k + p.e).hi());
  call.elements = scores * 12;
  return {std::move(call)};
}

Cost cost_streamed(const Graph& graph, const Node& node) {
  const Shape &q = graph.type(node.inputs[0]).shape, &y = graph.type(node.outputs[0]).shape;
  const Dim rows = product(Shape(y.begin(), y.end() - 1));
  const auto scores = static_cast<double>((rows * graph.type(node.inputs[1]).shape.back()).hi());
  Cost cost;
  cost.multiply_adds = scores * static_cast<double>((q.back() + y.back()).hi());
  cost.elements = scores * 12;
  return cost;
}

}  // namespace

void append_streamed_attention(OpList& ops) {
  OpDef op{};
  op.name = "StreamedAttention";
  op.doc =
      "softmax(scale * q w + bias) v without a matrix of scores: q [b..., m, k], w [b..., k, n], v "
      "[b..., n, e], bias [..., m, n], y [b..., m, e].";
  op.min_inputs = 3;
  op.max_inputs = 4;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::real, "scale"}};
  op.infer = infer_streamed;
  op.evaluate = evaluate_streamed;
  op.lower = lower_streamed;
  op.cost = cost_streamed;
  ops.push_back(std::move(op));
}

}  // namespace macec
