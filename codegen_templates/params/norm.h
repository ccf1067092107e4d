// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LayerNormalization of rows: y = (x - mean) / sqrt(variance + epsilon) * scale + bias over n dense elements.
// Units: rows.
#pragma once
#include "common.h"

template <class Int>
struct NormParamsT {
  Int rows, n;
  Int x_row, y_row;  // strides in elements
  float epsilon;     // form

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rows", p.rows), f("n", p.n), f("x_row", p.x_row), f("y_row", p.y_row), f("epsilon", p.epsilon);
  }
};
using NormParams = NormParamsT<int64_t>;
