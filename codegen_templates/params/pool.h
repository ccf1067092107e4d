// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of the pooling family.
//
// Three spatial axes (depth, height, width); a 1-d or 2-d operator has leading extents of 1.
// Activations are channels-last: x[batch][in[0]][in[1]][in[2]][channels], y likewise with out.
// A unit is one row of the output, `batch * out[0] * out[1]` of them.
#pragma once
#include "common.h"

template <class Int>
struct PoolParamsT {
  int kernel[3], stride[3], dilation[3];  // form
  int count_include_pad;  // form; average only: divide by the positions inside the padded input
  Int channels;
  Int batch;
  Int in[3], out[3];
  Int pad[3];      // before the first element of an axis
  Int pad_end[3];  // behind the last, as the operator says it: counts, windows may reach further
  Int x_pixel;  // elements from one input pixel to the next along the width; rows are dense pixels
  Int y_pixel;  // the same for the output

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kernel", p.kernel), f("stride", p.stride), f("dilation", p.dilation);
    f("count_include_pad", p.count_include_pad), f("channels", p.channels), f("batch", p.batch);
    f("in", p.in), f("out", p.out), f("pad", p.pad), f("pad_end", p.pad_end);
    f("x_pixel", p.x_pixel), f("y_pixel", p.y_pixel);
  }
};
using PoolParams = PoolParamsT<int64_t>;
