// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax over one axis of n elements with stride inner_stride: row r = (outer, inner).
//   x at outer * x_outer + inner + j * x_step,   inner < inner_count (1 when the axis is the last one)
// Units: outer indices.
#pragma once
#include "common.h"

template <class Int>
struct SoftmaxParamsT {
  Int outer, n, inner;           // extents
  Int x_outer, x_step, y_outer, y_step;  // strides in elements; the inner stride is 1

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("outer", p.outer), f("n", p.n), f("inner", p.inner);
    f("x_outer", p.x_outer), f("x_step", p.x_step), f("y_outer", p.y_outer), f("y_step", p.y_step);
  }
};
using SoftmaxParams = SoftmaxParamsT<int64_t>;
