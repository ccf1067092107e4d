// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolution with weights as ONNX stores them, for every float type and for weights
// that are computed when the model runs. One output element at a time; slow, and right for every form.
//
//   w     [group * in_channels][out_channels][kernel 0][kernel 1][kernel 2], dense
//   bias  [group * out_channels] or nullptr
//   x, y  channels-last, params/conv.h; y overlaps nothing
// Row of the epilogue: the output pixel, column: the channel. No scratch. Units: output rows.
#pragma once
#include "../params/conv.h"
#include "plain.h"

// w: of the group's first input channel and this output channel; `channel` elements from one input
// channel to the next.
template <class X, class W>
MACEC_INLINE typename PlainSum<X>::Type conv_transposed_sum(const ConvParams& p, const X* image,
                                                            const W* w, int64_t channel,
                                                            const int64_t (&at)[3]) {
  typename PlainSum<X>::Type sum = 0;
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t k[3] = {tap / (int64_t{p.kernel[1]} * p.kernel[2]),
                          tap / p.kernel[2] % p.kernel[1], tap % p.kernel[2]};
    int64_t pixel = 0;
    bool is_inside = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t from = at[a] + p.pad[a] - k[a] * p.dilation[a], i = from / p.stride[a];
      is_inside = is_inside && from >= 0 && from % p.stride[a] == 0 && i < p.in[a];
      pixel = pixel * p.in[a] + i;
    }
    if (!is_inside) continue;
    const X* from = image + pixel * p.x_pixel;
    for (int64_t c = 0; c < p.in_channels; ++c) {
      sum += plain_load(from + c) * plain_load(w + c * channel + tap);
    }
  }
  return sum;
}

template <class X, class W, class B, class Y, class Epilogue>
MACEC_NOINLINE void conv_transposed_plain(const ConvParams& p, const X* x, const W* w,
                                          const B* bias, Y* y, const Epilogue& epilogue,
                                          int64_t begin, int64_t end, void*) {
  using Sum = typename PlainSum<X>::Type;
  const int64_t pixels = p.in[0] * p.in[1] * p.in[2], channels = int64_t{p.group} * p.out_channels;
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  const int64_t channel = taps * p.out_channels;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t image = unit / (p.out[0] * p.out[1]);
    for (int64_t ox = 0; ox < p.out[2]; ++ox) {
      const int64_t at[3] = {unit / p.out[1] % p.out[0], unit % p.out[1], ox};
      const int64_t row = unit * p.out[2] + ox;
      for (int64_t m = 0; m < channels; ++m) {
        const int64_t first = m / p.out_channels * int64_t{p.in_channels};
        const X* from = x + image * pixels * p.x_pixel + first;
        const W* weights = w + first * channel + m % p.out_channels * taps;
        Sum v = conv_transposed_sum(p, from, weights, channel, at);
        if (bias != nullptr) v += static_cast<Sum>(plain_load(bias + m));
        plain_store(y + row * p.y_pixel + m, epilogue(v, row, m, Full{}));
      }
    }
  }
}
