// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather along one axis: y[outer][i][inner] = x[outer][index[i]][inner]; negative indices count from the end.
//   inner is dense in x and y. Units: outer * indices pairs.
#pragma once
#include "common.h"

template <class Int>
struct GatherParamsT {
  Int outer, indices, inner, extent;  // extent: of the gathered axis
  Int x_outer, x_axis;                // strides in elements
  Int y_outer, y_index;

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("outer", p.outer), f("indices", p.indices), f("inner", p.inner), f("extent", p.extent);
    f("x_outer", p.x_outer), f("x_axis", p.x_axis), f("y_outer", p.y_outer), f("y_index", p.y_index);
  }
};
using GatherParams = GatherParamsT<int64_t>;
