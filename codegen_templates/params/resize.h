// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of Resize: every resized axis by itself, one after the other.
//
//   at = (o + pre) * num / (den * scale) + post       where output position o lies in the input; float, in this order
//
//   kResizeNearest  x[at rounded], by `rounding`
//   others          sum over the taps i in [first, first + taps) of weight(i) * x[base + i], weights divided by their sum;
//                   base = ceil(at) - 1, and weight(i) = f((i - (at - base)) * filter):
//     kResizeLinear   f(t) = max(0, 1 - |t|)                 first = floor(-1 / filter) + 1, taps = 2 - 2 * first
//     kResizeCubic    f(t) = the cubic of cubic_a, |t| < 2   first = floor(-2 / filter) + 1, taps = 2 - 2 * first
//
// filter is 1 (two and four taps) unless a smaller output is filtered against aliasing. Indices are clamped to the input; with
// exclude_outside the taps outside have weight 0 instead. With `extrapolates`, positions outside [0, in - 1] along any axis give the
// value `extrapolation`.
//
// Axes are ordered by y, innermost last; those that are not resized have in == out and are merged where possible.
// Units: single indices of the nest of all axes but the last, over `out` (rank <= 1: one).
#pragma once
#include "common.h"
#include "pointwise.h"

enum { kResizeNearest, kResizeLinear, kResizeCubic };
enum { kRoundHalfDown, kRoundHalfUp, kRoundFloor, kRoundCeil };

template <class Int>
struct ResizeParamsT {
  int rank, mode, rounding;           // form
  int extrapolates, exclude_outside;  // form
  float extrapolation, cubic_a;       // form
  int resized[kMaxRank];              // form: 1 or 0
  Int in[kMaxRank], out[kMaxRank];
  Int x_stride[kMaxRank], y_stride[kMaxRank];
  Int num[kMaxRank], den[kMaxRank];
  float scale[kMaxRank], pre[kMaxRank], post[kMaxRank], filter[kMaxRank];  // form

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("mode", p.mode), f("rounding", p.rounding);
    f("extrapolates", p.extrapolates), f("exclude_outside", p.exclude_outside);
    f("extrapolation", p.extrapolation), f("cubic_a", p.cubic_a), f("resized", p.resized);
    f("in", p.in), f("out", p.out), f("x_stride", p.x_stride), f("y_stride", p.y_stride);
    f("num", p.num), f("den", p.den), f("scale", p.scale), f("pre", p.pre), f("post", p.post);
    f("filter", p.filter);
  }
};
using ResizeParams = ResizeParamsT<int64_t>;

// The first tap of an axis, relative to `base`, and how many there are.
[[maybe_unused]] constexpr int resize_first_tap(int mode, float filter) {
  const float reach = (mode == kResizeCubic ? 2.0f : 1.0f) / filter;
  const int whole = static_cast<int>(reach);
  return (static_cast<float>(whole) < reach ? -whole - 1 : -whole) + 1;  // floor(-reach) + 1
}
[[maybe_unused]] constexpr int resize_taps(int mode, float filter) {
  return mode == kResizeNearest ? 1 : 2 - 2 * resize_first_tap(mode, filter);
}

// Bytes of scratch: an index and a weight for each tap of each output position of every resized axis.
template <class Int>
constexpr int64_t resize_scratch(const ResizeParamsT<Int>& p, const int64_t (&out)[kMaxRank]) {
  int64_t entries = 0;
  for (int a = 0; a < p.rank; ++a) {
    if (p.resized[a] != 0) entries += out[a] * resize_taps(p.mode, p.filter[a]);
  }
  return entries * 8;
}

// The most elements of x that one run of the innermost axis is made of: taps of all other axes.
template <class Int>
constexpr int64_t resize_sources(const ResizeParamsT<Int>& p) {
  int64_t sources = 1;
  for (int a = 0; a + 1 < p.rank; ++a) {
    if (p.resized[a] != 0) sources *= resize_taps(p.mode, p.filter[a]);
  }
  return sources;
}
// Bytes of scratch of the kernel `resize`: the tables, the sources of a run, and a run of x.
template <class Int>
constexpr int64_t resize_run_scratch(const ResizeParamsT<Int>& p, const int64_t (&out)[kMaxRank],
                                     int64_t run) {
  return resize_scratch(p, out) + resize_sources(p) * 16 + run * 4;
}
