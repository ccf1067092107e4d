// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work along lines: one axis of x and y, the same for every line. A nest of loops over all other
// axes says where lines begin; z is a second input with at most one element a line.
//
//   x [2, n, 3] along axis 1     extent [2, 3], x_stride [3 n, 1], x_step 3: six lines
//
// Units: lines, in the order of the nest (row-major; rank 0: one).
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct LineParamsT {
  int rank;                  // form
  float scale, bias, power;  // form; lrn only: scale is alpha / size
  Int extent[kMaxRank], x_stride[kMaxRank], y_stride[kMaxRank], z_stride[kMaxRank];
  Int n, m;            // elements of a line of x, of y
  Int x_step, y_step;  // from one to the next
  Int size;            // lrn: elements of a window

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("scale", p.scale), f("bias", p.bias), f("power", p.power);
    f("extent", p.extent), f("x_stride", p.x_stride), f("y_stride", p.y_stride);
    f("z_stride", p.z_stride), f("n", p.n), f("m", p.m), f("x_step", p.x_step);
    f("y_step", p.y_step), f("size", p.size);
  }
};
using LineParams = LineParamsT<int64_t>;
