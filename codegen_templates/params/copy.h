// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of a strided copy of elements of 1, 2, 4 or 8 bytes (transpose, slice, one part of a concat, expand, tile), and of a fill.
// Axes as in pointwise.h: ordered by the output, merged, innermost last. Base offsets are in the pointers.
// Units: indices of the outermost axis (rank 0: one).
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct CopyParamsT {
  int rank;  // form
  Int extent[kMaxRank];
  Int x_stride[kMaxRank], y_stride[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("extent", p.extent), f("x_stride", p.x_stride), f("y_stride", p.y_stride);
  }
};
using CopyParams = CopyParamsT<int64_t>;

// Every element of y becomes the one element of x.
template <class Int>
struct FillParamsT {
  int rank;  // form
  Int extent[kMaxRank];
  Int y_stride[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("extent", p.extent), f("y_stride", p.y_stride);
  }
};
using FillParams = FillParamsT<int64_t>;
