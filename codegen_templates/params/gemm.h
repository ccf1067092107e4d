// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of the gemm family: y[b][m][n] = epilogue(sum_k x[b][m][k] * w[b][k][n] + bias[n]).
//
// Up to two batch axes with a stride each (0: broadcast). x may be read with any row and k stride; w is either packed at compile
// time (panels) or a run-time tensor with strides. y rows are dense in n.
// A unit is one block of kGemmRowsPerUnit rows of one batch entry.
#pragma once
#include "common.h"

enum { kGemmRowsPerUnit = 48 };

template <class Int>
struct GemmParamsT {
  Int batch[2];             // outer, inner
  Int m, n, k;
  Int x_batch[2], x_row, x_k;    // strides in elements
  Int w_batch[2], w_k, w_n;      // strides in elements; unused when w is packed
  Int y_batch[2], y_row;         // strides in elements; n is dense

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("batch", p.batch), f("m", p.m), f("n", p.n), f("k", p.k);
    f("x_batch", p.x_batch), f("x_row", p.x_row), f("x_k", p.x_k);
    f("w_batch", p.w_batch), f("w_k", p.w_k), f("w_n", p.w_n);
    f("y_batch", p.y_batch), f("y_row", p.y_row);
  }
};
using GemmParams = GemmParamsT<int64_t>;
