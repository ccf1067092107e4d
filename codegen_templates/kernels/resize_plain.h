// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize in every mode along any axes, one element at a time, for every float type.
//
// x, y: any strides, no overlap. Scratch: resize_scratch(). Units: params/resize.h.
#pragma once
#include "nest.h"
#include "plain.h"
#include "resize_taps.h"

// The weighted sum over the taps of all axes from `axis` on.
template <class T>
MACEC_NOINLINE typename PlainSum<T>::Type resize_plain_sum(const ResizeParams& p,
                                                           const ResizeTaps* tables,
                                                           const int64_t* at, int axis,
                                                           const T* x) {
  for (; axis < p.rank && tables[axis].taps == 0; ++axis) x += at[axis] * p.x_stride[axis];
  if (axis == p.rank) return plain_load(x);
  const ResizeTaps& table = tables[axis];
  typename PlainSum<T>::Type sum = 0;
  for (int64_t i = at[axis] * table.taps; i < (at[axis] + 1) * table.taps; ++i) {
    if (table.weight[i] == 0.0f) continue;
    const T* const from = x + table.index[i] * p.x_stride[axis];
    sum += resize_plain_sum(p, tables, at, axis + 1, from) * table.weight[i];
  }
  return sum;
}

// Calls f(position of every axis, element of y, whether some axis lies outside) for all elements of the units.
template <class F>
MACEC_INLINE void resize_each(const ResizeParams& p, const ResizeTaps* tables, int64_t begin,
                              int64_t end, F f) {
  const int outer = p.rank > 0 ? p.rank - 1 : 0;
  Nest<1> walk = {outer, 1, p.out, {p.y_stride}, {}, {}};
  walk.start(begin);
  const int64_t count = p.rank > 0 ? p.out[outer] : 1;
  for (int64_t unit = begin; unit < end; ++unit, walk.step()) {
    int64_t at[kMaxRank] = {};
    for (int a = 0; a < outer; ++a) at[a] = walk.index[a];
    for (at[outer] = 0; at[outer] < count; ++at[outer]) {
      bool is_outside = false;
      for (int a = 0; a < p.rank; ++a) {
        is_outside =
            is_outside || (tables[a].taps > 0 && tables[a].index[at[a] * tables[a].taps] < 0);
      }
      f(at, walk.offset[0] + at[outer] * p.y_stride[outer], is_outside);
    }
  }
}

template <class T>
void resize_plain(const ResizeParams& p, const T* x, T* y, int64_t begin, int64_t end,
                  void* scratch) {
  ResizeTaps tables[kMaxRank];
  resize_tables(p, scratch, tables);
  using Sum = typename PlainSum<T>::Type;
  resize_each(p, tables, begin, end, [&](const int64_t* at, int64_t to, bool is_outside) {
    plain_store(y + to, is_outside ? static_cast<Sum>(p.extrapolation)
                                   : resize_plain_sum(p, tables, at, 0, x));
  });
}
