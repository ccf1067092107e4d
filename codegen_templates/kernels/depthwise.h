// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution: every channel has its own small kernel (group == channels, one output each).
//
//   conv_depthwise<KH, KW, S>   kernel KH x KW, stride S along the width, no dilation: one vector of
//                               channels at a time walks along the width; its weights stay in
//                               registers, 4 pixels (of 2 output rows where rows step by 1) a turn
//   conv_depthwise_any          any kernel, stride and dilation; pixel by pixel
//
// The pixels whose window crosses the left or right border go through the second one's loop, so the
// first has no test but one per input row (nullptr: in the padding). All add taps in the same order.
//
// x    const X* (params/conv.h has the layout) or ConvRing<X>; X is float or a 16-bit type
// w    packed [tap][channel], bias: channels floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// in_channels == out_channels == 1. Row of the epilogue: the output pixel, column: the channel.
// No scratch. Units: output rows.
#pragma once
#include "../params/conv.h"
#include "conv_rows.h"
#include "simd/simd.h"

// Some pixels of one output row whose windows cover kernel columns [kw_begin, kw_end).
template <class X, class Y>
struct DepthwisePixel {
  const X* const* rows;  // kernel[0] * kernel[1] input rows, nullptr in the padding
  int64_t x_at;          // of the window's column 0, in elements; may be negative
  int64_t kw_begin, kw_end;
  const float* w;
  const float* bias;
  Y* y;
  int64_t row;  // for the epilogue
};

// Channels [c, c + V vectors) of one pixel, taps counted at run time.
template <int V, class N, class X, class Y, class Epilogue>
MACEC_INLINE void depthwise_point(const ConvParams& p, const DepthwisePixel<X, Y>& t, int64_t c,
                                  N n, const Epilogue& epilogue) {
  Vf acc[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    acc[v] = t.bias == nullptr ? splat<Vf>(0) : load<Vf>(t.bias + c + v * kLanes, n);
  }
  const int64_t x_step = p.dilation[2] * p.x_pixel;
  const int kernel_rows = p.kernel[0] * p.kernel[1];
  for (int r = 0; r < kernel_rows; ++r) {
    if (t.rows[r] == nullptr) continue;
    const X* x = t.rows[r] + (t.x_at + t.kw_begin * x_step) + c;
    const float* w = t.w + (r * p.kernel[2] + t.kw_begin) * p.group + c;
    for (int64_t kw = t.kw_begin; kw < t.kw_end; ++kw, x += x_step, w += p.group) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        acc[v] = fma(load<Vf>(x + v * kLanes, n), load<Vf>(w + v * kLanes, n), acc[v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const int64_t col = c + v * kLanes;
    store(t.y + col, epilogue(acc[v], t.row, col, n), n);
  }
}

// Pixels [first, last) of one output row, each with the taps that lie inside.
template <class X, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_pixels(const ConvParams& p, DepthwisePixel<X, Y> t, int64_t first,
                                     int64_t last, const Epilogue& epilogue) {
  const int64_t dilation = p.dilation[2];
  for (int64_t ox = first; ox < last; ++ox) {
    DepthwisePixel<X, Y> pixel = t;
    const int64_t ix = ox * p.stride[2] - p.pad[2];
    pixel.x_at = ix * p.x_pixel;
    pixel.kw_begin = ix < 0 ? (-ix + dilation - 1) / dilation : 0;
    const int64_t fit = ix < p.in[2] ? (p.in[2] - ix + dilation - 1) / dilation : 0;
    pixel.kw_end = fit < p.kernel[2] ? fit : p.kernel[2];
    pixel.y = t.y + ox * p.y_pixel;
    pixel.row = t.row + ox;
    int64_t c = 0;
    for (; c + 4 * kLanes <= p.group; c += 4 * kLanes) {
      depthwise_point<4>(p, pixel, c, Full{}, epilogue);
    }
    for (; c + kLanes <= p.group; c += kLanes) depthwise_point<1>(p, pixel, c, Full{}, epilogue);
    if (c < p.group) {
      depthwise_point<1>(p, pixel, c, Part{static_cast<int>(p.group - c)}, epilogue);
    }
  }
}

template <class Input, class Y, class Epilogue>
void conv_depthwise_any(const ConvParams& p, const Input& x, const float* w, const float* bias,
                        Y* y, const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  using X = typename decltype(rows)::Element;
  constexpr int kMaxRows = 64;  // of the kernel: more are refused by the compiler
  const X* pointers[kMaxRows];
  for (int64_t unit = begin; unit < end; ++unit) {
    const ConvUnit u = conv_unit(p, unit);
    for (int kd = 0; kd < p.kernel[0]; ++kd) {
      for (int kh = 0; kh < p.kernel[1]; ++kh) {
        pointers[kd * p.kernel[1] + kh] = conv_input_row(p, rows, u, kd, kh);
      }
    }
    const int64_t row = unit * p.out[2];
    depthwise_pixels<X, Y>(p, {pointers, 0, 0, 0, w, bias, y + row * p.y_pixel, row}, 0, p.out[2],
                           epilogue);
  }
}

// A stretch of whole windows, for one vector of channels of R output rows one below the other.
template <int KH, int R, class X, class Y>
struct DepthwiseRun {
  const X* rows[KH + R - 1];  // at the first window's column 0; nullptr in the padding
  int64_t x_pixel;
  const float* w;  // at the channel
  int64_t w_tap;   // floats from one tap to the next
  const float* bias;
  Y* y[R];
  int64_t y_pixel;
  int64_t row[R];  // for the epilogue
  int64_t col;
};

// P neighbouring pixels of R rows, at input element `x_at` of the rows and output pixel `at`.
template <int KH, int KW, int S, int R, int P, class N, class X, class Y, class Epilogue>
MACEC_INLINE void depthwise_tile(const DepthwiseRun<KH, R, X, Y>& t, const Vf (&w)[KH * KW],
                                 Vf bias, int64_t x_at, int64_t at, N n,
                                 const Epilogue& epilogue) {
  constexpr int kColumns = (P - 1) * S + KW;
  Vf acc[R][P];
#pragma GCC unroll 2
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int i = 0; i < P; ++i) acc[m][i] = bias;
  }
#pragma GCC unroll 8
  for (int r = 0; r < KH + R - 1; ++r) {
    if (t.rows[r] == nullptr) continue;
    const X* x = t.rows[r] + x_at;
#pragma GCC unroll 32
    for (int column = 0; column < kColumns; ++column) {
      const Vf v = load<Vf>(x + column * t.x_pixel, n);
#pragma GCC unroll 2
      for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
        for (int i = 0; i < P; ++i) {
          const int kh = r - m, kw = column - i * S;
          if (kh >= 0 && kh < KH && kw >= 0 && kw < KW) acc[m][i] = fma(v, w[kh * KW + kw], acc[m][i]);
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int i = 0; i < P; ++i) {
      store(t.y[m] + (at + i) * t.y_pixel, epilogue(acc[m][i], t.row[m] + at + i, t.col, n), n);
    }
  }
}

template <int KH, int KW, int S, int R, class N, class X, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_run(const DepthwiseRun<KH, R, X, Y>& run, int64_t count, N n,
                                  const Epilogue& epilogue) {
  constexpr int kPixels = 4;
  const DepthwiseRun<KH, R, X, Y> t = run;
  Vf w[KH * KW];
#pragma GCC unroll 32
  for (int tap = 0; tap < KH * KW; ++tap) w[tap] = load<Vf>(t.w + tap * t.w_tap, n);
  const Vf bias = t.bias == nullptr ? splat<Vf>(0) : load<Vf>(t.bias, n);
  int64_t at = 0, x_at = 0;
  for (; at + kPixels <= count; at += kPixels, x_at += kPixels * S * t.x_pixel) {
    depthwise_tile<KH, KW, S, R, kPixels>(t, w, bias, x_at, at, n, epilogue);
  }
  for (; at < count; ++at, x_at += S * t.x_pixel) {
    depthwise_tile<KH, KW, S, R, 1>(t, w, bias, x_at, at, n, epilogue);
  }
}

// R output rows from unit `unit` on, which belong to one image.
template <int KH, int KW, int S, int R, class Rows, class Y, class Epilogue>
void depthwise_units(const ConvParams& p, const Rows& rows, const float* w, const float* bias, Y* y,
                     const Epilogue& epilogue, int64_t unit) {
  using X = typename Rows::Element;
  const ConvUnit u = conv_unit(p, unit);
  const X* pointers[KH + R - 1];
  for (int r = 0; r < KH + R - 1; ++r) pointers[r] = conv_input_row(p, rows, u, 0, r);
  int64_t first = (p.pad[2] + S - 1) / S;
  int64_t last = p.in[2] + p.pad[2] >= KW ? (p.in[2] + p.pad[2] - KW) / S + 1 : 0;
  last = last < p.out[2] ? last : p.out[2];
  if (first >= last) first = last = p.out[2];
  DepthwiseRun<KH, R, X, Y> run;
  for (int m = 0; m < R; ++m) {
    const int64_t row = (unit + m) * p.out[2];
    const DepthwisePixel<X, Y> pixel = {pointers + m, 0, 0, 0, w, bias, y + row * p.y_pixel, row};
    depthwise_pixels(p, pixel, 0, first, epilogue);
    depthwise_pixels(p, pixel, last, p.out[2], epilogue);
    run.row[m] = row + first;
  }
  run.x_pixel = p.x_pixel;
  run.w_tap = p.group;
  run.y_pixel = p.y_pixel;
  const int64_t x_first = (first * S - p.pad[2]) * p.x_pixel;
  for (int64_t c = 0; c < p.group && first < last; c += kLanes) {
    for (int r = 0; r < KH + R - 1; ++r) {
      run.rows[r] = pointers[r] == nullptr ? nullptr : pointers[r] + x_first + c;
    }
    for (int m = 0; m < R; ++m) run.y[m] = y + run.row[m] * p.y_pixel + c;
    run.w = w + c;
    run.bias = bias == nullptr ? nullptr : bias + c;
    run.col = c;
    if (c + kLanes <= p.group) {
      depthwise_run<KH, KW, S, R>(run, last - first, Full{}, epilogue);
    } else {
      depthwise_run<KH, KW, S, R>(run, last - first, Part{static_cast<int>(p.group - c)}, epilogue);
    }
  }
}

// kernel = {1, KH, KW}, stride[2] = S, no dilation.
template <int KH, int KW, int S, class Input, class Y, class Epilogue>
void conv_depthwise(const ConvParams& p, const Input& x, const float* w, const float* bias, Y* y,
                    const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  for (int64_t unit = begin; unit < end;) {
    if (S == 1 && p.stride[1] == 1 && unit + 1 < end && (unit + 1) % p.out[1] != 0) {
      depthwise_units<KH, KW, S, S == 1 ? 2 : 1>(p, rows, w, bias, y, epilogue, unit);
      unit += 2;
    } else {
      depthwise_units<KH, KW, S, 1>(p, rows, w, bias, y, epilogue, unit);
      ++unit;
    }
  }
}
