// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv, 1-d to 3-d, with groups.
//
//   y[n, g*M + m, o] = b[g*M + m] + sum over c, tap of  x[n, g*C + c, o * stride - pad + tap *
//   dilation] * w[g*M + m, c, tap]
//
// Constant weights are packed at compile time: panels whose depth runs [tap][c], so that a kernel
// on channels-last activations reads both operands forwards; [tap][channel] where every group has
// one input channel. Weights that are computed at run time go to the kernels of the op "dynamic",
// which read them as ONNX has them.
#include "compiler/ops/conv_call.h"
#include "compiler/ops/product.h"
#include "compiler/ops/registry.h"
#include "compiler/ops/window.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::vector<int64_t> kernel_of(const Node& node, const Shape& weights) {
  return conv_kernel(node, weights, "[M, C / group, kernel...]");
}

void infer_conv(InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  Window window = make_window(context.node, x, kernel_of(context.node, w));
  int64_t group = context.node.int_attribute("group", 1);
  if (group < 1 || w[0].value() % group != 0) {
    throw user_error("{} output channels cannot be cut into {} groups", w[0].value(), group);
  }
  require_channels(context, w[1] * Dim(group), w[0]);
  context.set_type(0, product_type(context.type(0).dtype), window_shape(window, x, w[0]));
}

// sums += weight * (the plane of x seen through one tap); both planes are plain
// [depth][height][width].
void add_tap(const Window& w, const int64_t tap[3], double weight, const double* x, double* sums) {
  int64_t in[3], out[3];
  for (int a = 0; a < 3; ++a) {
    in[a] = w.in[a].value();
    out[a] = w.out[a].value();
  }
  auto position = [&](int axis, int64_t o) {
    return o * w.stride[axis] - w.pad[axis].value() + tap[axis] * w.dilation[axis];
  };
  for (int64_t d = 0; d < out[0]; ++d) {
    int64_t x_d = position(0, d);
    if (x_d < 0 || x_d >= in[0]) continue;
    for (int64_t h = 0; h < out[1]; ++h) {
      int64_t x_h = position(1, h);
      if (x_h < 0 || x_h >= in[1]) continue;
      const double* row = x + (x_d * in[1] + x_h) * in[2];
      double* to = sums + (d * out[1] + h) * out[2];
      for (int64_t i = 0; i < out[2]; ++i) {
        int64_t x_w = position(2, i);
        if (x_w >= 0 && x_w < in[2]) to[i] += weight * row[x_w];
      }
    }
  }
}

void evaluate_conv(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& w = context.in(1);
  const Window window =
      make_window(context.node, to_shape(x.shape), kernel_of(context.node, to_shape(w.shape)));
  const int64_t row = w.shape[1], taps = window.taps();
  ConvSums sums{context.node.int_attribute("group", 1), x.shape[1], w.shape[0], nullptr, add_tap};
  sums.weight_at = [row, taps](int64_t m, int64_t c) { return (m * row + c) * taps; };
  context.outputs[0] = evaluate_sums(context, window, product_type(x.dtype), sums);
}

Lowered lower_conv(const LowerContext& context) {
  const View& x = context.in(0);
  const View& w = context.in(1);
  const Window window = make_window(context.node, x.shape, kernel_of(context.node, w.shape));
  const int64_t group = context.node.int_attribute("group", 1);
  std::optional<KernelCall> call =
      make_conv_call(context, window, w.shape[1].value(), w.shape[0].value() / group);
  if (!call) return {};
  const ConvParamsT<Dim>& p = std::get<ConvParamsT<Dim>>(call->params);
  const Dim results = p.batch * window.positions() * w.shape[0];
  call->multiply_adds =
      static_cast<double>(results.hi()) * static_cast<double>(window.taps() * p.in_channels);
  if (w.constant) {
    KernelCall::ConstantUse& use = call->constant_uses[1];
    use = conv_weights(p, window.taps() * p.in_channels, window.taps());
    if (use.kind == Packing::panels) use.tap_k = p.in_channels;
  } else {
    call->op = "dynamic";
  }
  if (!attach_epilogue(context, 1, &*call)) return {};
  return {std::move(*call)};
}

Cost cost_conv(const Graph& graph, const Node& node) {
  const Shape& w = graph.type(node.inputs[1]).shape;
  Dim per_result = 1;
  for (size_t i = 1; i < w.size(); ++i) per_result *= w[i];
  Cost cost;
  cost.multiply_adds = static_cast<double>(graph.type(node.outputs[0]).count().hi()) *
                       static_cast<double>(per_result.hi());
  return cost;
}

}  // namespace

void append_conv(OpList& ops) {
  OpDef op;
  op.name = "Conv";
  op.doc =
      "x[N, C, spatial...] seen through windows: y[N, M, spatial...] with weights [M, C / group, "
      "kernel...] and bias [M]; one to three spatial axes.";
  op.min_inputs = 2;
  op.max_inputs = 3;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::text, "auto_pad"}, {AttributeDef::integers, "dilations"},
                   {AttributeDef::integer, "group"}, {AttributeDef::integers, "kernel_shape"},
                   {AttributeDef::integers, "pads"}, {AttributeDef::integers, "strides"}};
  op.versions = {{"", "Conv", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kChannelsLast;
  op.infer = infer_conv;
  op.evaluate = evaluate_conv;
  op.lower = lower_conv;
  op.cost = cost_conv;
  ops.push_back(std::move(op));
}

}  // namespace macec
