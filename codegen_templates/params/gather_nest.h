// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherElements and GatherND as one nest over the elements of y:
//
//   y[at . y_stride] = x[at . x_stride + sum over p of index[at . i_stride + p * i_part] * part_stride[p]]
//
// GatherElements has one part (its axis); GatherND has one for each number of an index tuple. Axes as in pointwise.h. Units: indices
// of the outermost axis (rank 0: one).
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct GatherNestParamsT {
  int rank, parts;  // form
  Int extent[kMaxRank], x_stride[kMaxRank], i_stride[kMaxRank], y_stride[kMaxRank];
  Int part_extent[kMaxRank], part_stride[kMaxRank];
  Int i_part;

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("parts", p.parts), f("extent", p.extent), f("x_stride", p.x_stride);
    f("i_stride", p.i_stride), f("y_stride", p.y_stride), f("part_extent", p.part_extent);
    f("part_stride", p.part_stride), f("i_part", p.i_part);
  }
};
using GatherNestParams = GatherNestParamsT<int64_t>;
