// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose, 1-d to 3-d, with groups: every input element adds its weights to a window of the
// output. Seen from the output, position o gathers the taps k that meet an input element:
//
//   y[n, g*M + m, o] = b[g*M + m] + sum over c, k with (o + pad - k * dilation) = i * stride of
//                      x[n, g*C + c, i] * w[g*C + c, m, k]
//
// So o modulo stride, the *phase* of o, says which taps it has. Constant weights are packed as those
// of Conv (panels whose depth is [tap][c]), or in order of phases: those of all taps of the phase 0
// of every axis, then the next phase of the last axis, and so on.
#include "compiler/ops/conv_call.h"
#include "compiler/ops/registry.h"
#include "compiler/ops/window.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::vector<int64_t> kernel_of(const Node& node, const Shape& weights) {
  return conv_kernel(node, weights, "[C, M / group, kernel...]");
}

void infer_conv_transpose(InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  const Window window = make_transposed_window(context.node, x, kernel_of(context.node, w));
  const int64_t group = context.node.int_attribute("group", 1);
  if (group < 1 || w[0].value() % group != 0) {
    throw user_error("{} input channels cannot be cut into {} groups", w[0].value(), group);
  }
  const Dim channels = w[1] * Dim(group);
  require_channels(context, w[0], channels);
  context.set_type(0, context.type(0).dtype, window_shape(window, x, channels));
}

// sums += weight * x, one input plane into one output plane through one tap.
void add_tap(const Window& w, const int64_t tap[3], double weight, const double* x, double* sums) {
  const int64_t in[3] = {w.in[0].value(), w.in[1].value(), w.in[2].value()};
  for (int64_t i = 0; i < in[0] * in[1] * in[2]; ++i) {
    const int64_t at[3] = {i / (in[1] * in[2]), i / in[2] % in[1], i % in[2]};
    int64_t to = 0;
    bool is_inside = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t o = at[a] * w.stride[a] + tap[a] * w.dilation[a] - w.pad[a].value();
      is_inside = is_inside && o >= 0 && o < w.out[a].value();
      to = to * w.out[a].value() + o;
    }
    if (is_inside) sums[to] += weight * x[i];
  }
}

void evaluate_conv_transpose(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& w = context.in(1);
  const Window window = make_transposed_window(context.node, to_shape(x.shape),
                                               kernel_of(context.node, to_shape(w.shape)));
  const int64_t group = context.node.int_attribute("group", 1), taps = window.taps();
  const int64_t in_channels = w.shape[0] / group, out_channels = w.shape[1];
  ConvSums sums{group, w.shape[0], out_channels * group, nullptr, add_tap};
  sums.weight_at = [=](int64_t m, int64_t c) {
    const int64_t channel = m / out_channels * in_channels + c;
    return (channel * out_channels + m % out_channels) * taps;
  };
  context.outputs[0] = evaluate_sums(context, window, x.dtype, sums);
}

// All taps, phase by phase: phases of axis 0 outermost, within a phase in their own order.
std::vector<int64_t> taps_by_phase(const ConvParamsT<Dim>& p) {
  std::vector<int64_t> order;
  // Taps of an axis in the order of phases, cut where a new phase begins.
  std::vector<std::vector<int64_t>> phases[3];
  for (int a = 0; a < 3; ++a) {
    phases[a].resize(static_cast<size_t>(p.stride[a]));
    for (int k = 0; k < p.kernel[a]; ++k) {
      phases[a][static_cast<size_t>(int64_t{k} * p.dilation[a] % p.stride[a])].push_back(k);
    }
  }
  for (const auto& depth : phases[0]) {
    for (const auto& height : phases[1]) {
      for (const auto& width : phases[2]) {
        for (int64_t d : depth) {
          for (int64_t h : height) {
            for (int64_t w : width) order.push_back((d * p.kernel[1] + h) * p.kernel[2] + w);
          }
        }
      }
    }
  }
  return order;
}

Lowered lower_conv_transpose(const LowerContext& context) {
  const View& x = context.in(0);
  const View& w = context.in(1);
  const Window window =
      make_transposed_window(context.node, x.shape, kernel_of(context.node, w.shape));
  const int64_t group = context.node.int_attribute("group", 1);
  std::optional<KernelCall> call =
      make_conv_call(context, window, w.shape[0].value() / group, w.shape[1].value());
  if (!call) return {};
  const ConvParamsT<Dim>& p = std::get<ConvParamsT<Dim>>(call->params);
  call->op = w.constant ? "transposed" : "transposed_dynamic";
  const Dim products = product(x.shape) * Dim(window.taps() * p.out_channels);
  call->multiply_adds = static_cast<double>(products.hi());
  if (w.constant) {
    const int64_t channel = window.taps() * p.out_channels;
    KernelCall::ConstantUse& use = call->constant_uses[1];
    use = conv_weights(p, window.taps(), channel);
    if (use.kind == Packing::panels)
      for (int64_t t : taps_by_phase(p))
        for (int64_t c = 0; c < p.in_channels; ++c) use.phase_order.push_back(c * channel + t);
  }
  if (!attach_epilogue(context, 1, &*call)) return {};
  return {std::move(*call)};
}

Cost cost_conv_transpose(const Graph& graph, const Node& node) {
  const Shape& w = graph.type(node.inputs[1]).shape;
  Dim per_element = 1;
  for (size_t i = 1; i < w.size(); ++i) per_element *= w[i];
  Cost cost;
  cost.multiply_adds = static_cast<double>(graph.type(node.inputs[0]).count().hi()) *
                       static_cast<double>(per_element.hi());
  return cost;
}

}  // namespace

void append_conv_transpose(OpList& ops) {
  OpDef op;
  op.name = "ConvTranspose";
  op.doc =
      "every element of x[N, C, spatial...] adds a window of weights [C, M / group, kernel...] to "
      "y[N, M, spatial...], plus bias [M]; one to three spatial axes.";
  op.min_inputs = 2;
  op.max_inputs = 3;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {
      {AttributeDef::text, "auto_pad"},           {AttributeDef::integers, "dilations"},
      {AttributeDef::integer, "group"},           {AttributeDef::integers, "kernel_shape"},
      {AttributeDef::integers, "output_padding"}, {AttributeDef::integers, "output_shape"},
      {AttributeDef::integers, "pads"},           {AttributeDef::integers, "strides"}};
  op.versions = {{"", "ConvTranspose", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kChannelsLast;
  op.infer = infer_conv_transpose;
  op.evaluate = evaluate_conv_transpose;
  op.lower = lower_conv_transpose;
  op.cost = cost_conv_transpose;
  ops.push_back(std::move(op));
}

}  // namespace macec
