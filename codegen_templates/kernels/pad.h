// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: runs of the innermost axis, moved as they are, with what the mode says before and behind them.
//
//   x      element type T, any strides
//   value  one element, nullptr unless the mode is kPadConstant
//   y      as x; no overlap. Any type of 1, 2, 4 or 8 bytes; no epilogue, no scratch.
// Units: see params/pad.h.
#pragma once
#include "../params/pad.h"
#include "copy.h"
#include "nest.h"

// The element of an axis of n that stands at position i, counted from the first one; -1: the fill value.
[[maybe_unused]] inline int64_t pad_source(int mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  if (mode == kPadConstant || n == 0) return -1;
  if (mode == kPadEdge) return i < 0 ? 0 : n - 1;
  const int64_t period = mode == kPadWrap ? n : n > 1 ? 2 * (n - 1) : 1;
  const int64_t at = (i % period + period) % period;
  return at < n ? at : period - at;
}

// Positions [from, to) of the innermost axis, one by one.
template <class T>
MACEC_INLINE void pad_border(const PadParams& p, int64_t from, int64_t to, const T* x,
                             const T* value, T* y) {
  const int last = p.rank - 1;
  for (int64_t o = from; o < to; ++o) {
    const int64_t i = pad_source(p.mode, o - p.begin[last], p.in[last]);
    y[o * p.y_stride[last]] = i < 0 ? *value : x[i * p.x_stride[last]];
  }
}

template <class T>
MACEC_INLINE void pad_fill(T* y, int64_t stride, T value, int64_t n) {
  if (stride == 1) return fill_run(y, value, n);
  for (int64_t i = 0; i < n; ++i) y[i * stride] = value;
}

// One run of y; x: the run of x it shows.
template <class T>
MACEC_NOINLINE void pad_run(const PadParams& p, const T* x, const T* value, T* y) {
  constexpr int kBytes = static_cast<int>(sizeof(T));
  const int last = p.rank - 1;
  const int64_t begin = p.begin[last], end = begin + p.in[last], out = p.out[last];
  if (p.mode == kPadConstant) {
    pad_fill(y, p.y_stride[last], *value, begin);
    pad_fill(y + end * p.y_stride[last], p.y_stride[last], *value, out - end);
  } else {
    pad_border(p, 0, begin, x, value, y);
    pad_border(p, end, out, x, value, y);
  }
  const char* from = reinterpret_cast<const char*>(x);
  char* to = reinterpret_cast<char*>(y + begin * p.y_stride[last]);
  if (p.x_stride[last] == 1 && p.y_stride[last] == 1) {
    copy_run<kBytes>(from, to, p.in[last]);
  } else {
    copy_strided<kBytes>(from, p.x_stride[last], to, p.y_stride[last], p.in[last]);
  }
}

// How many of the next `most` units are elements of x side by side, and nothing else: the last axis
// is whole, and positions of the one before it follow inside x.
[[maybe_unused]] inline int64_t pad_inside(const PadParams& p, const int64_t* index, int64_t most) {
  const int last = p.rank - 1, axis = last - 1;
  if (axis < 0 || p.in[last] != p.out[last]) return 0;
  const int64_t i = index[axis] - p.begin[axis];
  if (i < 0 || i >= p.in[axis]) return 0;
  return p.in[axis] - i < most ? p.in[axis] - i : most;
}

template <class T>
MACEC_NOINLINE void pad_move(const PadParams& p, const T* x, T* y, int64_t units) {
  const int last = p.rank - 1;
  const int64_t n = p.in[last];
  CopyLoops loops = {2,
                     {units, n},
                     {p.x_stride[last - 1], p.x_stride[last]},
                     {p.y_stride[last - 1], p.y_stride[last]}};
  const bool is_dense = p.x_stride[last] == 1 && p.y_stride[last] == 1;
  if (is_dense && p.x_stride[last - 1] == n && p.y_stride[last - 1] == n) {
    loops = {1, {units * n}, {1}, {1}};
  }
  copy_nest<static_cast<int>(sizeof(T))>(loops, reinterpret_cast<const char*>(x),
                                         reinterpret_cast<char*>(y));
}

template <class T, class V>
void pad(const PadParams& p, const T* x, const V* fill_value, T* y, int64_t begin, int64_t end,
         void*) {
  if (begin >= end) return;
  const T value = p.mode == kPadConstant ? *reinterpret_cast<const T*>(fill_value) : T();
  if (p.rank == 0) {
    *y = *x;
    return;
  }
  const int last = p.rank - 1;
  Nest<1> walk = {last, 1, p.out, {p.y_stride}, {}, {}};
  walk.start(begin);
  for (int64_t unit = begin; unit < end;) {
    int64_t from = 0;
    bool is_fill = false;
    for (int a = 0; a < last; ++a) {
      const int64_t i = pad_source(p.mode, walk.index[a] - p.begin[a], p.in[a]);
      is_fill = is_fill || i < 0;
      from += i * p.x_stride[a];
    }
    T* const to = y + walk.offset[0];
    const int64_t inside = is_fill ? 0 : pad_inside(p, walk.index, end - unit);
    if (inside > 1) {
      pad_move(p, x + from, to, inside);
      unit += inside;
      walk.start(unit);
      continue;
    }
    if (is_fill) {
      pad_fill(to, p.y_stride[last], value, p.out[last]);
    } else {
      pad_run(p, x + from, &value, to);
    }
    ++unit;
    walk.step();
  }
}
