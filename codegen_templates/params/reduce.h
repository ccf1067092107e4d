// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of a reduction. Kept axes (ordered by the output, merged, innermost last), then reduced axes (outermost first, merged).
// Units: indices of the nest of all kept axes but the last when the last has x stride 1 (columns); else of all kept axes. unit_axes
// says how many kept axes count units.
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct ReduceParamsT {
  int kept, reduced, unit_axes;  // form
  Int extent[kMaxRank], x_stride[kMaxRank], y_stride[kMaxRank];      // kept axes
  Int reduce_extent[kMaxRank], reduce_stride[kMaxRank];              // reduced axes

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kept", p.kept), f("reduced", p.reduced), f("unit_axes", p.unit_axes);
    f("extent", p.extent), f("x_stride", p.x_stride), f("y_stride", p.y_stride);
    f("reduce_extent", p.reduce_extent), f("reduce_stride", p.reduce_stride);
  }
};
using ReduceParams = ReduceParamsT<int64_t>;
