// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution: every channel has its own small kernel (group == channels, one output each).
//
//   conv_depthwise<KH, KW, S>   kernel KH x KW, stride S along the width, no dilation: one vector of
//                               channels at a time walks along the width, 4 pixels of 2 output
//                               rows a turn; its weights stay in registers, or at hand on the stack
//   conv_depthwise_any          any kernel, stride and dilation; pixel by pixel, or four at once
//                               where their windows are inside
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
#include "epilogue.h"
#include "simd/simd.h"

template <class N>
constexpr bool kIsPart = false;
template <>
[[maybe_unused]] constexpr bool kIsPart<Part> = true;

// One output pixel whose window covers kernel columns [kw_begin, kw_end).
struct DepthwisePixel {
  ConvUnit unit;
  int64_t kw_begin, kw_end;
  int64_t x_at;  // from the start of an input row to kernel column kw_begin
  int64_t row;   // for the epilogue
};

[[maybe_unused]] inline DepthwisePixel depthwise_pixel(const ConvParams& p, int64_t pixel) {
  const int64_t dilation = p.dilation[2];
  DepthwisePixel at;
  at.unit = conv_unit(p, pixel / p.out[2]);
  at.row = pixel;
  const int64_t ix = pixel % p.out[2] * p.stride[2] - p.pad[2];
  at.kw_begin = ix < 0 ? (-ix + dilation - 1) / dilation : 0;
  const int64_t fit = ix < p.in[2] ? (p.in[2] - ix + dilation - 1) / dilation : 0;
  at.kw_end = fit < p.kernel[2] ? fit : p.kernel[2];
  at.x_at = (ix + at.kw_begin * dilation) * p.x_pixel;
  return at;
}

// Channels [c, c + V vectors) of P neighbouring pixels whose windows cover the same kernel columns;
// taps counted at run time.
template <int P, int V, class N, class Rows, class Y, class Epilogue>
MACEC_INLINE void depthwise_point(const ConvParams& p, const Rows& rows, const DepthwisePixel& at,
                                  const float* w, const float* bias, Y* y, int64_t c, N n,
                                  const Epilogue& epilogue) {
  Vf acc[P][V];
#pragma GCC unroll 4
  for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      acc[i][v] = bias == nullptr ? splat<Vf>(0) : load<Vf>(bias + c + v * kLanes, n);
    }
  }
  const int64_t x_step = p.dilation[2] * p.x_pixel, x_next = p.stride[2] * p.x_pixel;
  for (int r = 0; r < p.kernel[0] * p.kernel[1]; ++r) {
    const auto* x = conv_input_row(p, rows, at.unit, r / p.kernel[1], r % p.kernel[1]);
    if (x == nullptr) continue;
    x += at.x_at + c;
    const float* tap = w + (r * p.kernel[2] + at.kw_begin) * p.group + c;
    for (int64_t kw = at.kw_begin; kw < at.kw_end; ++kw, x += x_step, tap += p.group) {
      const auto* pixel = x;
      Vf weights[V];
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) weights[v] = load<Vf>(tap + v * kLanes, n);
#pragma GCC unroll 4
      for (int i = 0; i < P; ++i, pixel += x_next) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) {
          acc[i][v] = fma(load<Vf>(pixel + v * kLanes, n), weights[v], acc[i][v]);
        }
      }
    }
  }
  if constexpr (EpilogueSize<Epilogue>::kIsLarge && P * V > 1) {
    Vf results[P * V];
#pragma GCC unroll 16
    for (int i = 0; i < P * V; ++i) results[i] = acc[i / V][i % V];
    for (int i = 0; i < P * V; ++i) {
      const int64_t col = c + i % V * kLanes;
      store(y + i / V * p.y_pixel + col, epilogue(results[i], at.row + i / V, col, n), n);
    }
  } else {
#pragma GCC unroll 4
    for (int i = 0; i < P; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        const int64_t col = c + v * kLanes;
        store(y + i * p.y_pixel + col, epilogue(acc[i][v], at.row + i, col, n), n);
      }
    }
  }
}

// All channels of P pixels.
template <int P, class Rows, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_points(const ConvParams& p, const Rows& rows,
                                     const DepthwisePixel& at, const float* w, const float* bias,
                                     Y* y, const Epilogue& epilogue) {
  constexpr int V = P == 1 ? 4 : 2;
  int64_t c = 0;
  for (; c + V * kLanes <= p.group; c += V * kLanes) {
    depthwise_point<P, V>(p, rows, at, w, bias, y, c, Full{}, epilogue);
  }
  for (; c + kLanes <= p.group; c += kLanes) {
    depthwise_point<P, 1>(p, rows, at, w, bias, y, c, Full{}, epilogue);
  }
  if (c < p.group) {
    const Part n{static_cast<int>(p.group - c)};
    depthwise_point<P, 1>(p, rows, at, w, bias, y, c, n, epilogue);
  }
}

template <class Input, class Y, class Epilogue>
void conv_depthwise_any(const ConvParams& p, const Input& x, const float* w, const float* bias,
                        Y* y, const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  constexpr int P = 4;
  const auto rows = conv_rows(p, x);
  const int64_t last = end * p.out[2];
  for (int64_t pixel = begin * p.out[2]; pixel < last;) {
    const DepthwisePixel at = depthwise_pixel(p, pixel);
    Y* to = y + pixel * p.y_pixel;
    const int64_t behind = p.out[2] - pixel % p.out[2];  // pixels of this row from here on
    const bool is_whole = at.kw_begin == 0 && at.kw_end == p.kernel[2] && behind >= P;
    if (is_whole && depthwise_pixel(p, pixel + P - 1).kw_end == p.kernel[2]) {
      depthwise_points<P>(p, rows, at, w, bias, to, epilogue);
      pixel += P;
    } else {
      depthwise_points<1>(p, rows, at, w, bias, to, epilogue);
      ++pixel;
    }
  }
}

// One vector of channels of R output rows, one below the other.
template <int KH, int S, int R, class X, class Y>
struct DepthwiseRun {
  [[maybe_unused]] static constexpr int kRows = (R - 1) * S + KH;
  const X* rows[kRows];  // input rows at pixel 0, at the channel; nullptr in the padding
  int64_t width, pad, x_pixel;
  const float* w;  // at the channel
  int64_t w_tap;   // floats from one tap to the next
  const float* bias;
  Y* y[R];  // output rows, at pixel 0 and the channel
  int64_t out, y_pixel;
  int64_t row, col;  // of the first result, for the epilogue
};

// P neighbouring pixels of R rows. `x_at` and `y_at`: elements from pixel 0 of the rows to the first
// window and to the first result, which is number `row` for the epilogue. Of the columns below the
// tile L are outside on the left, Q on the right; with P == 0 one pixel has [begin, end) inside.
template <int KH, int KW, int S, int R, int P, int L, int Q, class N, class X, class Y,
          class Epilogue>
MACEC_INLINE void depthwise_tile(const DepthwiseRun<KH, S, R, X, Y>& t, const Vf (&w)[KH * KW],
                                 Vf bias, int64_t x_at, int64_t y_at, int64_t row, int64_t begin,
                                 int64_t end, N n, const Epilogue& epilogue) {
  constexpr int kPixels = P == 0 ? 1 : P;
  constexpr int kColumns = (kPixels - 1) * S + KW;
  Vf acc[R][kPixels];
#pragma GCC unroll 2
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int i = 0; i < kPixels; ++i) acc[m][i] = bias;
  }
#pragma GCC unroll 8
  for (int r = 0; r < t.kRows; ++r) {
    if (t.rows[r] == nullptr) continue;
    const X* x = P > 1 ? t.rows[r] + x_at : t.rows[r];  // a border window starts outside
#pragma GCC unroll 32
    for (int column = L; column < kColumns - Q; ++column) {
      if (P == 0 && (column < begin || column >= end)) continue;
      const int64_t offset = column * t.x_pixel;
      const Vf v = load<Vf>(P > 1 ? x + offset : x + (x_at + offset), n);
#pragma GCC unroll 2
      for (int m = 0; m < R; ++m) {
        const int kh = r - m * S;
        if (kh < 0 || kh >= KH) continue;
#pragma GCC unroll 8
        for (int i = 0; i < kPixels; ++i) {
          const int kw = column - i * S;
          if (kw < 0 || kw >= KW) continue;
          acc[m][i] = fma(v, w[kh * KW + kw], acc[m][i]);
        }
      }
    }
  }
  if constexpr (EpilogueSize<Epilogue>::kIsLarge) {
    Vf results[R * kPixels];
#pragma GCC unroll 8
    for (int i = 0; i < R * kPixels; ++i) results[i] = acc[i / kPixels][i % kPixels];
    for (int i = 0; i < R * kPixels; ++i) {
      const int m = i / kPixels, pixel = i % kPixels;
      store(t.y[m] + y_at + pixel * t.y_pixel,
            epilogue(results[i], row + m * t.out + pixel, t.col, n), n);
    }
  } else {
#pragma GCC unroll 2
    for (int m = 0; m < R; ++m) {
      Y* y = t.y[m] + y_at;
#pragma GCC unroll 8
      for (int i = 0; i < kPixels; ++i) {
        store(y + i * t.y_pixel, epilogue(acc[m][i], row + m * t.out + i, t.col, n), n);
      }
    }
  }
}

template <int KH, int KW, int S, int R, class N, class X, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_run(const DepthwiseRun<KH, S, R, X, Y>& run, N n,
                                  const Epilogue& epilogue) {
  constexpr int P = 4;
  const DepthwiseRun<KH, S, R, X, Y> t = run;
  const Epilogue apply = epilogue;  // a copy: y cannot change it
  Vf w[KH * KW];
#pragma GCC unroll 32
  for (int tap = 0; tap < KH * KW; ++tap) w[tap] = load<Vf>(t.w + tap * t.w_tap, n);
  const Vf bias = t.bias == nullptr ? splat<Vf>(0) : load<Vf>(t.bias, n);
  int64_t column = -t.pad;  // of the next window
  int64_t x_at = column * t.x_pixel, y_at = 0, row = t.row;
  for (int64_t left = t.out; left > 0;) {
    int64_t pixels = column < 0 ? 0 : (t.width - KW - column + S) / S;  // whole windows from here
    pixels = pixels < left ? pixels : left;
    for (; pixels >= P; pixels -= P) {
      depthwise_tile<KH, KW, S, R, P, 0, 0>(t, w, bias, x_at, y_at, row, 0, 0, n, apply);
      left -= P;
      column += P * S;
      x_at += P * S * t.x_pixel;
      y_at += P * t.y_pixel;
      row += P;
    }
    if (left == 0) break;
    const int64_t begin = -column, end = t.width - column;
    if constexpr (kIsPart<N> || KW > 3) {  // code for each border would be too much
      depthwise_tile<KH, KW, S, R, 0, 0, 0>(t, w, bias, x_at, y_at, row, begin, end, n, apply);
    } else if (begin <= 0 && end >= KW) {
      depthwise_tile<KH, KW, S, R, 1, 0, 0>(t, w, bias, x_at, y_at, row, 0, 0, n, apply);
    } else if (begin == 1 && end >= KW) {
      depthwise_tile<KH, KW, S, R, 1, 1, 0>(t, w, bias, x_at, y_at, row, 0, 0, n, apply);
    } else if (begin <= 0 && end == KW - 1) {
      depthwise_tile<KH, KW, S, R, 1, 0, 1>(t, w, bias, x_at, y_at, row, 0, 0, n, apply);
    } else {
      depthwise_tile<KH, KW, S, R, 0, 0, 0>(t, w, bias, x_at, y_at, row, begin, end, n, apply);
    }
    --left;
    column += S;
    x_at += S * t.x_pixel;
    y_at += t.y_pixel;
    ++row;
  }
}

// Channels [c, c + lanes of n) of R output rows from unit `unit` on, which belong to one image.
template <int KH, int S, int R, class Rows, class Y>
MACEC_INLINE DepthwiseRun<KH, S, R, typename Rows::Element, Y> depthwise_at(
    const ConvParams& p, const Rows& rows, const float* w, const float* bias, Y* y, int64_t unit,
    int64_t c) {
  using X = typename Rows::Element;
  DepthwiseRun<KH, S, R, X, Y> run;
  const ConvUnit u = conv_unit(p, unit);
  for (int r = 0; r < run.kRows; ++r) {
    const X* row = conv_input_row(p, rows, u, 0, r);
    run.rows[r] = row == nullptr ? nullptr : row + c;
  }
  run.width = p.in[2];
  run.pad = p.pad[2];
  run.x_pixel = p.x_pixel;
  run.w = w + c;
  run.w_tap = p.group;
  run.bias = bias == nullptr ? nullptr : bias + c;
  run.out = p.out[2];
  run.y_pixel = p.y_pixel;
  run.row = unit * p.out[2];
  for (int m = 0; m < R; ++m) run.y[m] = y + (run.row + m * p.out[2]) * p.y_pixel + c;
  run.col = c;
  return run;
}

// All whole vectors of channels.
template <int KH, int KW, int S, int R, class Rows, class Y, class Epilogue>
MACEC_NOINLINE void depthwise_units(const ConvParams& p, const Rows& rows, const float* w,
                                    const float* bias, Y* y, const Epilogue& epilogue,
                                    int64_t unit) {
  auto run = depthwise_at<KH, S, R>(p, rows, w, bias, y, unit, 0);
  for (; run.col + kLanes <= p.group; run.col += kLanes) {
    depthwise_run<KH, KW, S, R>(run, Full{}, epilogue);
    for (auto& row : run.rows) row = row == nullptr ? nullptr : row + kLanes;
    for (auto& to : run.y) to += kLanes;
    run.w += kLanes;
    if (bias != nullptr) run.bias += kLanes;
  }
}

// kernel = {1, KH, KW}, stride[2] = S, no dilation.
template <int KH, int KW, int S, class Input, class Y, class Epilogue>
void conv_depthwise(const ConvParams& p, const Input& x, const float* w, const float* bias, Y* y,
                    const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  const int64_t tail = p.group % kLanes;
  for (int64_t unit = begin; unit < end;) {
    int units = 1;
    if (p.stride[1] == S && unit + 1 < end && (unit + 1) % p.out[1] != 0) units = 2;
    if (units == 2) {
      depthwise_units<KH, KW, S, 2>(p, rows, w, bias, y, epilogue, unit);
    } else {
      depthwise_units<KH, KW, S, 1>(p, rows, w, bias, y, epilogue, unit);
    }
    for (; units > 0; --units, ++unit) {
      if (tail == 0) continue;
      const auto run = depthwise_at<KH, S, 1>(p, rows, w, bias, y, unit, p.group - tail);
      depthwise_run<KH, KW, S, 1>(run, Part{static_cast<int>(tail)}, epilogue);
    }
  }
}
