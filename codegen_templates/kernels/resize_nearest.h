// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize to the nearest elements, of any type of 1, 2, 4 or 8 bytes, where nothing extrapolates:
// runs of the innermost axis where it keeps its size, single elements where it does not.
//
// x, y: any strides, no overlap. Scratch: resize_scratch(). Units: params/resize.h.
#pragma once
#include "copy.h"
#include "resize_taps.h"

template <class T>
MACEC_INLINE void resize_nearest_run(const ResizeParams& p, const ResizeTaps& taps, const T* x,
                                     T* y) {
  const int last = p.rank - 1;
  const int64_t x_stride = p.x_stride[last], y_stride = p.y_stride[last], n = p.out[last];
  if (taps.taps > 0) {
    for (int64_t i = 0; i < n; ++i) y[i * y_stride] = x[taps.index[i] * x_stride];
    return;
  }
  const char* const from = reinterpret_cast<const char*>(x);
  char* const to = reinterpret_cast<char*>(y);
  if (x_stride == 1 && y_stride == 1) {
    copy_run<static_cast<int>(sizeof(T))>(from, to, n);
  } else {
    copy_strided<static_cast<int>(sizeof(T))>(from, x_stride, to, y_stride, n);
  }
}

template <class T>
void resize_nearest(const ResizeParams& p, const T* x, T* y, int64_t begin, int64_t end,
                    void* scratch) {
  if (begin >= end) return;
  if (p.rank == 0) {
    *y = *x;
    return;
  }
  ResizeTaps tables[kMaxRank];
  resize_tables(p, scratch, tables);
  const int last = p.rank - 1;
  Nest<1> walk = {last, 1, p.out, {p.y_stride}, {}, {}};
  walk.start(begin);
  for (int64_t unit = begin; unit < end; ++unit, walk.step()) {
    int64_t from = 0;
    for (int a = 0; a < last; ++a) {
      const int64_t at = walk.index[a];
      from += (tables[a].taps > 0 ? tables[a].index[at] : at) * p.x_stride[a];
    }
    resize_nearest_run(p, tables[last], x + from, y + walk.offset[0]);
  }
}
