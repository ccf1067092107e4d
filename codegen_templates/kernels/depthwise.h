// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution: every channel has its own small kernel (group == channels, one output each).
//
//   conv_depthwise<KH, KW, S>   kernel KH x KW, stride S along the width, no dilation: one vector of
//                               channels at a time walks along the width, 4 pixels of 2 output
//                               rows a turn; up to 9 weights stay in registers
//   conv_depthwise_any          any kernel, stride and dilation; pixel by pixel
//
// Inside there is no test but one per input row (nullptr: in the padding); pixels near the left and
// right border go one at a time. All add their taps in the same order.
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

constexpr int kDepthwiseResident = 9;  // weights that fit registers beside 8 results

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

// One vector of channels of R output rows, one below the other.
template <int KH, int S, int R, class X, class Y>
struct DepthwiseRun {
  static constexpr int kRows = (R - 1) * S + KH;
  const X* rows[kRows];  // input rows at pixel 0, at the channel; nullptr in the padding
  int64_t width, pad, x_pixel;
  const float* w;  // at the channel
  int64_t w_tap;   // floats from one tap to the next
  const float* bias;
  Y* y;           // first output row, at pixel 0 and the channel
  int64_t out, y_pixel;  // output rows are dense
  int64_t row, col;      // of the first result, for the epilogue
};

// P neighbouring pixels of R rows from output pixel `at` on. Only columns [begin, end) of the input
// below the tile are inside; a tile of several pixels has all of them.
template <int KH, int KW, int S, int R, int P, class N, class X, class Y, class Epilogue>
MACEC_INLINE void depthwise_tile(const DepthwiseRun<KH, S, R, X, Y>& t, const Vf (&w)[KH * KW],
                                 Vf bias, int64_t at, int64_t begin, int64_t end, N n,
                                 const Epilogue& epilogue) {
  constexpr int kColumns = (P - 1) * S + KW;
  Vf acc[R][P];
#pragma GCC unroll 2
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int i = 0; i < P; ++i) acc[m][i] = bias;
  }
  const int64_t x_at = (at * S - t.pad) * t.x_pixel;
#pragma GCC unroll 8
  for (int r = 0; r < t.kRows; ++r) {
    if (t.rows[r] == nullptr) continue;
    Vf w_row[KW];
    if (KH * KW > kDepthwiseResident) {
#pragma GCC unroll 8
      for (int kw = 0; kw < KW; ++kw) w_row[kw] = load<Vf>(t.w + (r * KW + kw) * t.w_tap, n);
    }
#pragma GCC unroll 32
    for (int column = 0; column < kColumns; ++column) {
      if (P == 1 && (column < begin || column >= end)) continue;
      const Vf v = load<Vf>(t.rows[r] + (x_at + column * t.x_pixel), n);
#pragma GCC unroll 2
      for (int m = 0; m < R; ++m) {
        const int kh = r - m * S;
        if (kh < 0 || kh >= KH) continue;
#pragma GCC unroll 8
        for (int i = 0; i < P; ++i) {
          const int kw = column - i * S;
          if (kw < 0 || kw >= KW) continue;
          const Vf weight = KH * KW > kDepthwiseResident ? w_row[kw] : w[kh * KW + kw];
          acc[m][i] = fma(v, weight, acc[m][i]);
        }
      }
    }
  }
#pragma GCC unroll 2
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int i = 0; i < P; ++i) {
      const int64_t pixel = m * t.out + at + i;
      store(t.y + pixel * t.y_pixel, epilogue(acc[m][i], t.row + pixel, t.col, n), n);
    }
  }
}

template <int KH, int KW, int S, int R, class N, class X, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_run(const DepthwiseRun<KH, S, R, X, Y>& run, N n,
                                  const Epilogue& epilogue) {
  constexpr int kPixels = 4;
  const DepthwiseRun<KH, S, R, X, Y> t = run;
  const Epilogue apply = epilogue;  // a copy: y cannot change it
  Vf w[KH * KW] = {};
  if (KH * KW <= kDepthwiseResident) {
#pragma GCC unroll 16
    for (int tap = 0; tap < KH * KW; ++tap) w[tap] = load<Vf>(t.w + tap * t.w_tap, n);
  }
  const Vf bias = t.bias == nullptr ? splat<Vf>(0) : load<Vf>(t.bias, n);
  const int64_t first = (t.pad + S - 1) / S;  // whole windows: [first, last]
  const int64_t last = t.width + t.pad >= KW ? (t.width + t.pad - KW) / S : -1;
  for (int64_t at = 0; at < t.out;) {
    if (at >= first && at + kPixels - 1 <= last && at + kPixels <= t.out) {
      depthwise_tile<KH, KW, S, R, kPixels>(t, w, bias, at, 0, 0, n, apply);
      at += kPixels;
    } else {
      const int64_t column = at * S - t.pad;
      depthwise_tile<KH, KW, S, R, 1>(t, w, bias, at, -column, t.width - column, n, apply);
      ++at;
    }
  }
}

// R output rows from unit `unit` on, which belong to one image.
template <int KH, int KW, int S, int R, class Rows, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_units(const ConvParams& p, const Rows& rows, const float* w,
                                    const float* bias, Y* y, const Epilogue& epilogue,
                                    int64_t unit) {
  using X = typename Rows::Element;
  using Run = DepthwiseRun<KH, S, R, X, Y>;
  const ConvUnit u = conv_unit(p, unit);
  const X* pointers[Run::kRows];
  for (int r = 0; r < Run::kRows; ++r) pointers[r] = conv_input_row(p, rows, u, 0, r);
  Run run;
  run.width = p.in[2];
  run.pad = p.pad[2];
  run.x_pixel = p.x_pixel;
  run.w_tap = p.group;
  run.out = p.out[2];
  run.y_pixel = p.y_pixel;
  run.row = unit * p.out[2];
  for (int64_t c = 0; c < p.group; c += kLanes) {
    for (int r = 0; r < Run::kRows; ++r) {
      run.rows[r] = pointers[r] == nullptr ? nullptr : pointers[r] + c;
    }
    run.w = w + c;
    run.bias = bias == nullptr ? nullptr : bias + c;
    run.y = y + run.row * p.y_pixel + c;
    run.col = c;
    if (c + kLanes <= p.group) {
      depthwise_run<KH, KW, S, R>(run, Full{}, epilogue);
    } else {
      depthwise_run<KH, KW, S, R>(run, Part{static_cast<int>(p.group - c)}, epilogue);
    }
  }
}

// kernel = {1, KH, KW}, stride[2] = S, no dilation.
template <int KH, int KW, int S, class Input, class Y, class Epilogue>
void conv_depthwise(const ConvParams& p, const Input& x, const float* w, const float* bias, Y* y,
                    const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  constexpr int kRows = KH * KW > kDepthwiseResident ? 1 : 2;
  const auto rows = conv_rows(p, x);
  for (int64_t unit = begin; unit < end;) {
    if (kRows == 2 && p.stride[1] == S && unit + 1 < end && (unit + 1) % p.out[1] != 0) {
      depthwise_units<KH, KW, S, kRows>(p, rows, w, bias, y, epilogue, unit);
      unit += kRows;
    } else {
      depthwise_units<KH, KW, S, 1>(p, rows, w, bias, y, epilogue, unit);
      ++unit;
    }
  }
}
