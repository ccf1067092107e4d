// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of the window families (conv, depthwise, pool).
//
// Always three spatial axes (depth, height, width); a 1-d or 2-d operator has leading extents of 1.
// Activations are channels-last: x[batch][in[0]][in[1]][in[2]][group * in_channels],
//                                y[batch][out[0]][out[1]][out[2]][group * out_channels].
// A unit is one row of the output: (batch, out depth, out height), `batch * out[0] * out[1]` of them.
#pragma once
#include "common.h"

template <class Int>
struct ConvParamsT {
  int kernel[3], stride[3], dilation[3];  // form
  int group;                              // form
  int in_channels, out_channels;          // form; of one group
  Int batch;
  Int in[3], out[3];
  Int pad[3];         // before the first element of each axis; what is missing behind follows from the extents
  Int x_pixel;        // elements from one input pixel to the next along the width; rows are dense pixels
  Int y_pixel;        // the same for the output: larger than the channels when y is a slice of a wider tensor

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kernel", p.kernel), f("stride", p.stride), f("dilation", p.dilation), f("group", p.group);
    f("in_channels", p.in_channels), f("out_channels", p.out_channels), f("batch", p.batch);
    f("in", p.in), f("out", p.out), f("pad", p.pad), f("x_pixel", p.x_pixel), f("y_pixel", p.y_pixel);
  }
};
using ConvParams = ConvParamsT<int64_t>;
