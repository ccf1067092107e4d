// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strided copies of elements of 1, 2, 4 or 8 bytes: transpose, slice, part of a concat, expand,
// tile; and fill.
//
// Axes are ordered by y, so y is written nearly in order. Three forms of the innermost work:
//   rows     the last axis is dense in x and y                      memcpy
//   planes   the last axis is dense in y, another one in x          blocks of a transposition
//   strided  anything else                                          element by element
// x and y must not overlap. Nothing but the elements named by the strides is touched.
#pragma once
#include "../params/copy.h"
#include "nest.h"
#include "transpose.h"

// n elements side by side. Short runs are not worth a call.
template <int kBytes>
MACEC_INLINE void copy_run(const char* x, char* y, int64_t n) {
  if (n * kBytes >= 64) {
    memcpy(y, x, static_cast<size_t>(n * kBytes));
    return;
  }
  for (int64_t i = 0; i < n; ++i) memcpy(y + i * kBytes, x + i * kBytes, kBytes);
}

template <int kBytes>
MACEC_INLINE void copy_strided(const char* x, int64_t x_stride, char* y, int64_t y_stride,
                               int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    memcpy(y + i * y_stride * kBytes, x + i * x_stride * kBytes, kBytes);
}

// What one call copies: the units [begin, end) are the outermost axis.
struct CopyLoops {
  int rank;
  int64_t extent[kMaxRank], x_stride[kMaxRank], y_stride[kMaxRank];
};
[[maybe_unused]] inline void move_axis_last(CopyLoops& n, int axis) {
  const int64_t extent = n.extent[axis], x_stride = n.x_stride[axis], y_stride = n.y_stride[axis];
  for (int a = axis; a + 1 < n.rank; ++a) {
    n.extent[a] = n.extent[a + 1], n.x_stride[a] = n.x_stride[a + 1],
    n.y_stride[a] = n.y_stride[a + 1];
  }
  n.extent[n.rank - 1] = extent, n.x_stride[n.rank - 1] = x_stride,
                    n.y_stride[n.rank - 1] = y_stride;
}

template <int kBytes>
MACEC_NOINLINE void copy_nest(CopyLoops n, const char* x, char* y) {
  if (nest_size(n.extent, n.rank) == 0) return;
  const int last = n.rank - 1;
  int dense = -1;  // the axis other than the last that is dense in x
  for (int a = 0; a < last; ++a) {
    if (n.x_stride[a] == 1 && n.extent[a] > 1) dense = a;
  }
  const bool is_plane = dense >= 0 && n.y_stride[last] == 1 && n.x_stride[last] != 1;
  if (is_plane) {  // ..., columns of y, rows of y
    move_axis_last(n, dense);
  }
  const int outer = is_plane ? last - 1 : last;
  Nest<2> walk = {outer, 2, n.extent, {n.x_stride, n.y_stride}, {}, {}};
  walk.start(0);
  for (int64_t left = nest_size(n.extent, outer); left > 0; --left, walk.step()) {
    const char* from = x + walk.offset[0] * kBytes;
    char* to = y + walk.offset[1] * kBytes;
    if (is_plane) {
      transpose_plane<kBytes>(from, n.x_stride[last - 1], to, n.y_stride[last], n.extent[last],
                              n.extent[last - 1]);
    } else if (n.x_stride[last] == 1 && n.y_stride[last] == 1) {
      copy_run<kBytes>(from, to, n.extent[last]);
    } else {
      copy_strided<kBytes>(from, n.x_stride[last], to, n.y_stride[last], n.extent[last]);
    }
  }
}

template <class T>
void copy(const CopyParams& p, const T* x, T* y, int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  CopyLoops n = {p.rank == 0 ? 1 : p.rank, {1}, {1}, {1}};
  for (int a = 0; a < p.rank; ++a) {
    n.extent[a] = p.extent[a], n.x_stride[a] = p.x_stride[a], n.y_stride[a] = p.y_stride[a];
  }
  n.extent[0] = end - begin;
  copy_nest<static_cast<int>(sizeof(T))>(n,
                                         reinterpret_cast<const char*>(x + begin * n.x_stride[0]),
                                         reinterpret_cast<char*>(y + begin * n.y_stride[0]));
}

// n elements side by side become value; in blocks of a size that compilers turn into vector stores.
template <class T>
MACEC_INLINE void fill_run(T* y, T value, int64_t n) {
  constexpr int64_t kBlock = static_cast<int64_t>(64 / sizeof(T));
  T block[kBlock];
  int64_t i = 0;
  if (n >= kBlock) {
    for (T& element : block) element = value;
    for (; i + kBlock <= n; i += kBlock) memcpy(y + i, block, sizeof block);
  }
  for (; i < n; ++i) y[i] = value;
}

// Every element of y becomes *x.
template <class T>
void fill(const FillParams& p, const T* x, T* y, int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  CopyLoops n = {p.rank == 0 ? 1 : p.rank, {1}, {}, {1}};
  for (int a = 0; a < p.rank; ++a) n.extent[a] = p.extent[a], n.y_stride[a] = p.y_stride[a];
  n.extent[0] = end - begin;
  y += begin * n.y_stride[0];
  if (nest_size(n.extent, n.rank) == 0) return;
  const int last = n.rank - 1;
  const T value = *x;
  Nest<1> walk = {last, 1, n.extent, {n.y_stride}, {}, {}};
  walk.start(0);
  for (int64_t left = nest_size(n.extent, last); left > 0; --left, walk.step()) {
    T* to = y + walk.offset[0];
    if (n.y_stride[last] == 1) {
      fill_run(to, value, n.extent[last]);
    } else {
      for (int64_t i = 0; i < n.extent[last]; ++i) to[i * n.y_stride[last]] = value;
    }
  }
}
