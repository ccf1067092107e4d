// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of MaxPool and AveragePool, channels-last; axes as in conv.h.
// A unit is one row of the output: `batch * out[0] * out[1]` of them.
#pragma once
#include "common.h"

template <class Int>
struct PoolParamsT {
  int kernel[3], stride[3], dilation[3];  // form
  int count_include_pad;                  // form; AveragePool: 1 counts padding inside [-pad, in + pad_end)
  Int channels, batch;
  Int in[3], out[3];
  Int pad[3], pad_end[3];
  Int x_pixel, y_pixel;  // elements from one pixel to the next along the width; rows are dense pixels

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kernel", p.kernel), f("stride", p.stride), f("dilation", p.dilation);
    f("count_include_pad", p.count_include_pad), f("channels", p.channels), f("batch", p.batch);
    f("in", p.in), f("out", p.out), f("pad", p.pad), f("pad_end", p.pad_end);
    f("x_pixel", p.x_pixel), f("y_pixel", p.y_pixel);
  }
};
using PoolParams = PoolParamsT<int64_t>;
