// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of GridSample: x at positions that run-time coordinates say.
//
//   at = ((g + 1) in - 1) / 2            align 0: -1 and 1 are the outer edges of x
//        (g + 1) / 2 (in - 1)            align 1: the centres of its outermost elements
//
// Spatial axes from the outermost; the coordinates of a position come the other way round. The nest
// has the axes [N, output axes...]; strides are those of x (only N moves it), grid and y.
// Units: positions, single indices of the nest.
#pragma once
#include "common.h"
#include "pointwise.h"

enum { kSampleNearest, kSampleLinear, kSampleCubic };
enum { kSampleZeros, kSampleBorder, kSampleReflection };
enum { kMaxSampleAxes = 3 };

template <class Int>
struct GridSampleParamsT {
  int axes, mode, padding, align;  // form
  Int channels, x_channel, y_channel, grid_coordinate;
  Int in[kMaxSampleAxes], in_stride[kMaxSampleAxes];
  Int extent[kMaxRank], x_stride[kMaxRank], grid_stride[kMaxRank], y_stride[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("axes", p.axes), f("mode", p.mode), f("padding", p.padding), f("align", p.align);
    f("channels", p.channels), f("x_channel", p.x_channel), f("y_channel", p.y_channel);
    f("grid_coordinate", p.grid_coordinate), f("in", p.in), f("in_stride", p.in_stride);
    f("extent", p.extent), f("x_stride", p.x_stride), f("grid_stride", p.grid_stride);
    f("y_stride", p.y_stride);
  }
};
using GridSampleParams = GridSampleParamsT<int64_t>;
