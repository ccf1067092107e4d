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
  if (weights.size() < 3) {
    throw user_error("the weights have rank {}; Conv needs [M, C / group, kernel...]",
                     weights.size());
  }
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < weights.size(); ++i) {
    if (!weights[i].is_fixed()) {
      throw user_error("a kernel of varying extent ({}) is not supported", weights[i].text());
    }
    kernel.push_back(weights[i].value());
  }
  std::vector<int64_t> declared = node.ints_attribute("kernel_shape", kernel);
  if (declared != kernel && !declared.empty()) {
    throw user_error("attribute kernel_shape is {}, but the weights are {}",
                     text(to_shape(declared)), text(weights));
  }
  return kernel;
}

void infer_conv(InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& w = context.shape(1);
  Window window = make_window(context.node, x, kernel_of(context.node, w));
  if (!w[0].is_fixed() || !w[1].is_fixed()) {
    throw user_error("weights of varying shape {} are not supported", text(w));
  }
  int64_t group = context.node.int_attribute("group", 1);
  if (group < 1 || w[0].value() % group != 0) {
    throw user_error("{} output channels cannot be cut into {} groups", w[0].value(), group);
  }
  Dim expected = w[1] * Dim(group);
  if (x[1].is_fixed() && x[1] != expected) {
    throw user_error("input has {} channels but the weights expect {}", x[1].text(),
                     expected.text())
        .hint("the model may be NHWC; macec reads ONNX's NCHW");
  }
  context.require_equal(x[1], expected, "axis 1 of the input", "the weights' input channels");
  if (context.has(2)) {
    if (context.shape(2).size() != 1) {
      throw user_error("the bias has rank {} instead of 1", context.shape(2).size());
    }
    context.require_equal(context.shape(2)[0], w[0], "the bias", "axis 0 of the weights");
  }
  context.set_type(0, product_type(context.type(0).dtype), window_shape(window, x, w[0]));
}

// sums += weight * (the plane of x seen through one tap); both planes are plain
// [depth][height][width].
void add_tap(const Window& w, const int tap[3], double weight, const double* x, double* sums) {
  int64_t in[3], out[3];
  for (int a = 0; a < 3; ++a) {
    in[a] = w.in[a].value();
    out[a] = w.out[a].value();
  }
  auto position = [&](int axis, int64_t o) {
    return o * w.stride[axis] - w.pad[axis].value() + int64_t{tap[axis]} * w.dilation[axis];
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
  Shape x_shape = to_shape(x.shape), w_shape = to_shape(w.shape);
  Window window = make_window(context.node, x_shape, kernel_of(context.node, w_shape));
  std::vector<double> xs = to_f64(x), ws = to_f64(w);
  int64_t group = context.node.int_attribute("group", 1);
  int64_t in_channels = w.shape[1], out_channels = w.shape[0] / group, taps = window.taps();
  int64_t x_plane = (window.in[0] * window.in[1] * window.in[2]).value();
  int64_t y_plane = window.positions().value();

  Tensor y(product_type(x.dtype), fixed(window_shape(window, x_shape, w_shape[0])));
  std::vector<double> sums(static_cast<size_t>(y_plane));
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t m = 0; m < w.shape[0]; ++m) {
      std::fill(sums.begin(), sums.end(), context.has(2) ? context.in(2).f64(m) : 0.0);
      for (int64_t c = 0; c < in_channels; ++c) {
        int64_t channel = m / out_channels * in_channels + c;
        const double* plane = xs.data() + (n * x.shape[1] + channel) * x_plane;
        for (int64_t t = 0; t < taps; ++t) {
          int tap[3] = {static_cast<int>(t / (window.kernel[1] * window.kernel[2])),
                        static_cast<int>(t / window.kernel[2] % window.kernel[1]),
                        static_cast<int>(t % window.kernel[2])};
          double weight = ws[static_cast<size_t>((m * in_channels + c) * taps + t)];
          add_tap(window, tap, weight, plane, sums.data());
        }
      }
      for (int64_t i = 0; i < y_plane; ++i) {
        y.set_f64((n * w.shape[0] + m) * y_plane + i, sums[static_cast<size_t>(i)]);
      }
    }
  }
  context.outputs[0] = std::move(y);
}

KernelCall::ConstantUse weights_use(const ConvParamsT<Dim>& p, int64_t taps) {
  KernelCall::ConstantUse use;
  if (p.group > 1 && p.in_channels == 1 && p.out_channels == 1) {
    use.kind = Packing::taps;
    use.n = int64_t{p.group} * p.out_channels;
    use.k = taps;
    use.stride_n = taps;
    use.stride_k = 1;
    return use;
  }
  use.kind = Packing::panels;
  use.groups = p.group;
  use.n = p.out_channels;
  use.k = taps * p.in_channels;
  use.tap_k = p.in_channels;
  use.stride_n = taps * p.in_channels;
  use.stride_group = use.stride_n * p.out_channels;
  for (int64_t t = 0; t < taps; ++t) {
    for (int64_t c = 0; c < p.in_channels; ++c) use.k_order.push_back(c * taps + t);
  }
  return use;
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
    call->constant_uses[1] = weights_use(p, window.taps());
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
