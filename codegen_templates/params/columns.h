// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of windows as columns: Col2Im adds them up to an image, DeformColumns takes them from
// one at displaced positions. All tensors are dense.
//
//   col2im          x [N, channels * taps, blocks]     y [N, channels, out...]
//                   in: blocks along every axis; units: single planes of y
//   deform_columns  x [N, channels, in...], y [N, channels * taps, outputs]
//                   units: single elements of [N, groups, taps, outputs along the first axis]
//
// Tap k of block b lies at b * stride - pad + k * dilation, along every axis.
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct ColumnsParamsT {
  int axes;  // form
  Int channels, groups;
  Int in[kMaxRank], out[kMaxRank];
  Int kernel[kMaxRank], stride[kMaxRank], dilation[kMaxRank], pad[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("axes", p.axes), f("channels", p.channels), f("groups", p.groups), f("in", p.in);
    f("out", p.out), f("kernel", p.kernel), f("stride", p.stride), f("dilation", p.dilation);
    f("pad", p.pad);
  }
};
using ColumnsParams = ColumnsParamsT<int64_t>;
