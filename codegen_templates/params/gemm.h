// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of the gemm family: y[b][m][n] = epilogue(sum_k x[b][m][k] * w[b][k][n] + bias[n]).
//
// Up to two batch axes with a stride each (0: broadcast). x may be read with any row and k stride;
// w is either packed at compile time (panels; w_batch then counts floats from one packed matrix to
// the next) or a run-time tensor with strides. y rows are dense in n.
// A unit is one block of kGemmRowsPerUnit rows of one batch entry; or, of kernels that can and with
// `columns` set, that many columns of all rows.
#pragma once
#include "common.h"

[[maybe_unused]] constexpr int64_t kGemmRowsPerUnit = 48;

template <class Int>
struct GemmParamsT {
  Int batch[2];  // outer, inner
  Int m, n, k;
  int columns;                 // form; of a unit, 0: units are rows. Only with a single batch entry
  Int x_batch[2], x_row, x_k;  // strides in elements
  Int w_batch[2], w_k, w_n;    // strides in elements; w_k, w_n unused when w is packed
  Int y_batch[2], y_row;       // strides in elements; n is dense

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("batch", p.batch), f("m", p.m), f("n", p.n), f("k", p.k), f("columns", p.columns);
    f("x_batch", p.x_batch), f("x_row", p.x_row), f("x_k", p.x_k);
    f("w_batch", p.w_batch), f("w_k", p.w_k), f("w_n", p.w_n);
    f("y_batch", p.y_batch), f("y_row", p.y_row);
  }
};
using GemmParams = GemmParamsT<int64_t>;

// Units of one step.
[[maybe_unused]] constexpr int64_t gemm_units(int64_t batch0, int64_t batch1, int64_t m) {
  return batch0 * batch1 * ((m + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit);
}

// Floats of a packed w[k][n] with panels of `panel` columns.
[[maybe_unused]] constexpr int64_t gemm_packed_floats(int64_t n, int64_t k, int64_t panel) {
  return (n + panel - 1) / panel * panel * k;
}

// Columns of a run-time w that are packed at once: 256 KiB of them, whole pairs of panels.
[[maybe_unused]] constexpr int64_t gemm_dynamic_columns(int64_t n, int64_t k, int64_t panel) {
  const int64_t pair = 2 * panel;
  const int64_t fit = 65536 / (k > 0 ? k : 1) / pair * pair;
  const int64_t all = (n + pair - 1) / pair * pair;
  return all < fit ? all : fit > pair ? fit : pair;
}

// Bytes of scratch. `x_is_dense`: x_k == 1 or k == 1.
[[maybe_unused]] constexpr int64_t gemm_packed_scratch(int64_t k, bool x_is_dense) {
  return x_is_dense ? 0 : 4 * k * kGemmRowsPerUnit;
}
[[maybe_unused]] constexpr int64_t gemm_dynamic_scratch(int64_t n, int64_t k, int64_t panel,
                                                        bool x_is_dense) {
  return 4 * k * gemm_dynamic_columns(n, k, panel) + gemm_packed_scratch(k, x_is_dense);
}
