// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of Pad: y[o] = x[source(o - begin)] along every axis, or the one element `value`.
//
//   source(i) = i inside [0, in); outside:
//     kPadConstant  the fill value      kPadEdge  0 or in - 1
//     kPadReflect   mirrored at the first and last element, which are not repeated (period 2 * (in - 1); 0 where in is 1)
//     kPadWrap      i modulo in
//
// Axes are ordered by y, innermost last, and merged where that changes nothing; those without padding have in == out, begin 0.
// begin is never negative: what negative pads cut off is no part of x. Base offsets are in the pointers.
// Units: single indices of the nest of all axes but the last, over `out` (rank <= 1: one).
#pragma once
#include "common.h"
#include "pointwise.h"

enum { kPadConstant, kPadReflect, kPadEdge, kPadWrap };

template <class Int>
struct PadParamsT {
  int rank, mode;  // form
  Int in[kMaxRank], out[kMaxRank];
  Int begin[kMaxRank];  // elements of y before those of x
  Int x_stride[kMaxRank], y_stride[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("mode", p.mode), f("in", p.in), f("out", p.out), f("begin", p.begin);
    f("x_stride", p.x_stride), f("y_stride", p.y_stride);
  }
};
using PadParams = PadParamsT<int64_t>;
