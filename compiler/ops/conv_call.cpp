// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/conv_call.h"

namespace macec {

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

}  // namespace macec
