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
  if (weights.size() < 3) {
    throw user_error("the weights have rank {}; ConvTranspose needs [C, M / group, kernel...]",
                     weights.size());
  }
  if (!is_fixed(weights)) {
    throw user_error("weights of varying shape {} are not supported", text(weights));
  }
  std::vector<int64_t> kernel = fixed(Shape(weights.begin() + 2, weights.end()));
  const std::vector<int64_t> declared = node.ints_attribute("kernel_shape", kernel);
  if (declared != kernel && !declared.empty()) {
    throw user_error("attribute kernel_shape is {}, but the weights are {}",
                     text(to_shape(declared)), text(weights));
  }
  return kernel;
}

void infer_conv_transpose(InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  const Window window = make_transposed_window(context.node, x, kernel_of(context.node, w));
  const int64_t group = context.node.int_attribute("group", 1);
  if (group < 1 || w[0].value() % group != 0) {
    throw user_error("{} input channels cannot be cut into {} groups", w[0].value(), group);
  }
  if (x[1].is_fixed() && x[1] != w[0]) {
    throw user_error("input has {} channels but the weights expect {}", x[1].text(), w[0].text())
        .hint("the model may be NHWC; macec reads ONNX's NCHW");
  }
  context.require_equal(x[1], w[0], "axis 1 of the input", "axis 0 of the weights");
  const Dim channels = w[1] * Dim(group);
  if (context.has(2)) {
    if (context.shape(2).size() != 1) {
      throw user_error("the bias has rank {} instead of 1", context.shape(2).size());
    }
    context.require_equal(context.shape(2)[0], channels, "the bias", "the output channels");
  }
  context.set_type(0, context.type(0).dtype, window_shape(window, x, channels));
}

// sums += weight * x, one input plane into one output plane through one tap.
void add_tap(const Window& w, int64_t tap, double weight, const double* x, double* sums) {
  const int64_t k[3] = {tap / (int64_t{w.kernel[1]} * w.kernel[2]), tap / w.kernel[2] % w.kernel[1],
                        tap % w.kernel[2]};
  const int64_t in[3] = {w.in[0].value(), w.in[1].value(), w.in[2].value()};
  for (int64_t i = 0; i < in[0] * in[1] * in[2]; ++i) {
    const int64_t at[3] = {i / (in[1] * in[2]), i / in[2] % in[1], i % in[2]};
    int64_t to = 0;
    bool is_inside = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t o = at[a] * w.stride[a] + k[a] * w.dilation[a] - w.pad[a].value();
      is_inside = is_inside && o >= 0 && o < w.out[a].value();
      to = to * w.out[a].value() + o;
    }
    if (is_inside) sums[to] += weight * x[i];
  }
}

void evaluate_conv_transpose(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& w = context.in(1);
  const Shape x_shape = to_shape(x.shape), w_shape = to_shape(w.shape);
  const Window window =
      make_transposed_window(context.node, x_shape, kernel_of(context.node, w_shape));
  const std::vector<double> xs = to_f64(x), ws = to_f64(w);
  const int64_t group = context.node.int_attribute("group", 1), taps = window.taps();
  const int64_t in_channels = w.shape[0] / group, out_channels = w.shape[1];
  const int64_t x_plane = (window.in[0] * window.in[1] * window.in[2]).value();
  const int64_t y_plane = window.positions().value();

  Tensor y(x.dtype, fixed(window_shape(window, x_shape, out_channels * group)));
  std::vector<double> sums(static_cast<size_t>(y_plane));
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t m = 0; m < out_channels * group; ++m) {
      std::fill(sums.begin(), sums.end(), context.has(2) ? context.in(2).f64(m) : 0.0);
      for (int64_t c = 0; c < in_channels; ++c) {
        const int64_t channel = m / out_channels * in_channels + c;
        const double* plane = xs.data() + (n * w.shape[0] + channel) * x_plane;
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t at = (channel * out_channels + m % out_channels) * taps + t;
          add_tap(window, t, ws[static_cast<size_t>(at)], plane, sums.data());
        }
      }
      for (int64_t i = 0; i < y_plane; ++i) {
        y.set_f64((n * out_channels * group + m) * y_plane + i, sums[static_cast<size_t>(i)]);
      }
    }
  }
  context.outputs[0] = std::move(y);
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

KernelCall::ConstantUse weights_use(const ConvParamsT<Dim>& p, int64_t taps) {
  KernelCall::ConstantUse use;
  if (p.group > 1 && p.in_channels == 1 && p.out_channels == 1) {
    use.kind = Packing::taps;
    use.n = p.group;
    use.k = taps;
    use.stride_n = taps;
    use.stride_k = 1;
    return use;
  }
  use.kind = Packing::panels;
  use.groups = p.group;
  use.n = p.out_channels;
  use.k = taps * p.in_channels;
  use.stride_n = taps;
  const int64_t channel = taps * p.out_channels;
  use.stride_group = channel * p.in_channels;
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < p.in_channels; ++c) use.k_order.push_back(c * channel + t);
  }
  for (int64_t t : taps_by_phase(p)) {
    for (int64_t c = 0; c < p.in_channels; ++c) use.phase_order.push_back(c * channel + t);
  }
  return use;
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
  if (w.constant) call->constant_uses[1] = weights_use(p, window.taps());
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
