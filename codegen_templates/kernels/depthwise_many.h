// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution with M output channels for each input channel: y[c * M + m] is the sum over
// the taps of x[c] * w[tap][m][c].
//
// One vector of input channels at a time: each load of x serves M sums, which change places with
// each other only when they are stored.
//
//   sums   m = 0: c0 c1 c2 c3     y   c0m0 c0m1 c1m0 c1m1 ...
//          m = 1: c0 c1 c2 c3
//
// x    const X* (params/conv.h has the layout) or ConvRing<X>; X is float or a 16-bit type
// w    packed [tap][m][channel], bias: channels * M floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// in_channels == 1, out_channels == M. Row of the epilogue: the output pixel, column: the channel of y.
// No scratch. Units: output rows.
#pragma once
#include "depthwise.h"

// Channels [c, c + lanes of n) of x for one pixel.
template <int M, class N, class Rows, class Y, class Epilogue>
MACEC_INLINE void depthwise_many_point(const ConvParams& p, const Rows& rows,
                                       const DepthwisePixel& at, const float* w, const float* bias,
                                       Y* y, int64_t c, N n, const Epilogue& epilogue) {
  Vf acc[M];
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m) acc[m] = splat<Vf>(0);
  const int64_t x_step = p.dilation[2] * p.x_pixel;
  for (int r = 0; r < p.kernel[0] * p.kernel[1]; ++r) {
    const auto* x = conv_input_row(p, rows, at.unit, r / p.kernel[1], r % p.kernel[1]);
    if (x == nullptr) continue;
    x += at.x_at + c;
    const float* tap = w + (r * p.kernel[2] + at.kw_begin) * M * p.group + c;
    for (int64_t kw = at.kw_begin; kw < at.kw_end; ++kw, x += x_step) {
      const Vf v = load<Vf>(x, n);
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m, tap += p.group) acc[m] = fma(v, load<Vf>(tap, n), acc[m]);
    }
  }
  float sums[M * kLanes], mixed[M * kLanes];
#pragma GCC unroll 4
  for (int m = 0; m < M; ++m) store(sums + m * kLanes, acc[m], Full{});
  for (int i = 0; i < kLanes; ++i) {
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) mixed[i * M + m] = sums[m * kLanes + i];
  }
  const int count = M * lane_count<Vf>(n);
  const auto put = [&](int i, auto part) {
    const int64_t col = c * M + i;
    Vf v = load<Vf>(mixed + i, part);
    if (bias != nullptr) v = v + load<Vf>(bias + col, part);
    store(y + col, epilogue(v, at.row, col, part), part);
  };
  int i = 0;
  for (; i + kLanes <= count; i += kLanes) put(i, Full{});
  if (i < count) put(i, Part{count - i});
}

template <int M, class Rows, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_many_pixel(const ConvParams& p, const Rows& rows,
                                         const DepthwisePixel& at, const float* w,
                                         const float* bias, Y* y, const Epilogue& epilogue) {
  int64_t c = 0;
  for (; c + kLanes <= p.group; c += kLanes) {
    depthwise_many_point<M>(p, rows, at, w, bias, y, c, Full{}, epilogue);
  }
  if (c < p.group) {
    const Part n{static_cast<int>(p.group - c)};
    depthwise_many_point<M>(p, rows, at, w, bias, y, c, n, epilogue);
  }
}

template <int M, class Input, class Y, class Epilogue>
void conv_depthwise_many(const ConvParams& p, const Input& x, const float* w, const float* bias,
                         Y* y, const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  for (int64_t pixel = begin * p.out[2]; pixel < end * p.out[2]; ++pixel) {
    depthwise_many_pixel<M>(p, rows, depthwise_pixel(p, pixel), w, bias, y + pixel * p.y_pixel,
                            epilogue);
  }
}
