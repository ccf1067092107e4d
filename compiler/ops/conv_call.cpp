// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/conv_call.h"

#include <algorithm>

#include "compiler/support/error.h"

namespace macec {

std::vector<int64_t> conv_kernel(const Node& node, const Shape& weights, const char* form) {
  if (weights.size() < 3)
    throw user_error("the weights have rank {}; {} needs {}", weights.size(), node.op, form);
  if (!is_fixed(weights))
    throw user_error("weights of varying shape {} are not supported", text(weights));
  std::vector<int64_t> kernel = fixed(Shape(weights.begin() + 2, weights.end()));
  const std::vector<int64_t> declared = node.ints_attribute("kernel_shape", kernel);
  if (declared != kernel && !declared.empty()) {
    throw user_error("attribute kernel_shape is {}, but the weights are {}",
                     text(to_shape(declared)), text(weights));
  }
  return kernel;
}

void require_channels(InferContext& context, const Dim& in, const Dim& out) {
  const Shape& x = context.shape(0);
  if (x[1].is_fixed() && x[1] != in) {
    throw user_error("input has {} channels but the weights expect {}", x[1].text(), in.text())
        .hint("the model may be NHWC; macec reads ONNX's NCHW");
  }
  context.require_equal(x[1], in, "axis 1 of the input", "the weights' input channels");
  if (!context.has(2)) return;
  if (context.shape(2).size() != 1)
    throw user_error("the bias has rank {} instead of 1", context.shape(2).size());
  context.require_equal(context.shape(2)[0], out, "the bias", "the weights' output channels");
}

Tensor evaluate_sums(const EvaluateContext& context, const Window& window, DType dtype,
                     const ConvSums& sums) {
  const Tensor& x = context.in(0);
  const std::vector<double> xs = to_f64(x), ws = to_f64(context.in(1));
  const int64_t in_channels = sums.in_channels / sums.group;
  const int64_t out_channels = sums.out_channels / sums.group, taps = window.taps();
  const int64_t x_plane = (window.in[0] * window.in[1] * window.in[2]).value();
  const int64_t y_plane = window.positions().value();
  Tensor y(dtype, fixed(window_shape(window, to_shape(x.shape), sums.out_channels)));
  std::vector<double> plane(static_cast<size_t>(y_plane));
  for (int64_t n = 0; n < x.shape[0]; ++n) {
    for (int64_t m = 0; m < sums.out_channels; ++m) {
      std::fill(plane.begin(), plane.end(), context.has(2) ? context.in(2).f64(m) : 0.0);
      for (int64_t c = 0; c < in_channels; ++c) {
        const int64_t channel = m / out_channels * in_channels + c;
        const double* from = xs.data() + (n * sums.in_channels + channel) * x_plane;
        const int64_t weight = sums.weight_at(m, c);
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t tap[3] = {t / (int64_t{window.kernel[1]} * window.kernel[2]),
                                  t / window.kernel[2] % window.kernel[1], t % window.kernel[2]};
          sums.add_tap(window, tap, ws[static_cast<size_t>(weight + t)], from, plane.data());
        }
      }
      for (int64_t i = 0; i < y_plane; ++i)
        y.set_f64((n * sums.out_channels + m) * y_plane + i, plane[static_cast<size_t>(i)]);
    }
  }
  return y;
}

std::optional<KernelCall> make_conv_call(const LowerContext& context, const Window& window,
                                         int64_t in_channels, int64_t out_channels) {
  const View& x = context.in(0);
  const View& w = context.in(1);
  const View& y = context.out(0);
  const View bias = context.has(2) ? context.in(2) : View{};
  ConvParamsT<Dim> p{};
  if (!pixel_stride(x, &p.x_pixel) || !pixel_stride(y, &p.y_pixel)) return std::nullopt;
  if (!w.constant && !w.is_dense()) return std::nullopt;
  if (context.has(2) && !bias.constant && !bias.is_dense()) return std::nullopt;
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = window.kernel[a];
    p.stride[a] = window.stride[a];
    p.dilation[a] = window.dilation[a];
    p.in[a] = window.in[a];
    p.out[a] = window.out[a];
    p.pad[a] = window.pad[a];
  }
  p.group = static_cast<int>(context.node.int_attribute("group", 1));
  p.in_channels = static_cast<int>(in_channels);
  p.out_channels = static_cast<int>(out_channels);
  p.batch = x.shape[0];
  KernelCall call = make_call(Family::conv, {x, w, bias}, {y});
  call.units = p.batch * p.out[0] * p.out[1];
  if (p.group == 1) call.column_units = column_units(call.units * p.out[2], out_channels);
  p.columns = call.column_units > 0 ? kUnitColumns : 0;
  call.params = p;
  return call;
}

KernelCall::ConstantUse conv_weights(const ConvParamsT<Dim>& p, int64_t row, int64_t column) {
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
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
  use.stride_n = row;
  use.stride_group = taps * p.in_channels * p.out_channels;
  for (int64_t t = 0; t < taps; ++t)
    for (int64_t c = 0; c < p.in_channels; ++c) use.k_order.push_back(c * column + t);
  return use;
}

}  // namespace macec
