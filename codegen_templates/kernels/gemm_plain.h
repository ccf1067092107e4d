// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of any element type, any strides: integers (modulo 2^bits) and double.
//
//   y[b][m][n] = sum over k of x[b][m][k] * w[b][k][n] + bias[n]
//
// x, w, y: aligned to their element, y overlaps nothing; bias: n elements or nullptr. No epilogue,
// no scratch. Units: params/gemm.h.
#pragma once
#include "../params/gemm.h"
#include "plain.h"

template <class X, class W, class B, class Y>
MACEC_NOINLINE void gemm_plain(const GemmParams& p, const X* x, const W* w, const B* bias, Y* y,
                               int64_t begin, int64_t end, void*) {
  using Sum = typename PlainSum<Y>::Type;
  const int64_t per_entry = (p.m + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t entry = unit / per_entry, outer = entry / p.batch[1], inner = entry % p.batch[1];
    const int64_t first = (unit - entry * per_entry) * kGemmRowsPerUnit;
    const int64_t last = first + kGemmRowsPerUnit < p.m ? first + kGemmRowsPerUnit : p.m;
    const W* w_entry = w + outer * p.w_batch[0] + inner * p.w_batch[1];
    for (int64_t m = first; m < last; ++m) {
      const X* row = x + outer * p.x_batch[0] + inner * p.x_batch[1] + m * p.x_row;
      Y* to = y + outer * p.y_batch[0] + inner * p.y_batch[1] + m * p.y_row;
      for (int64_t n = 0; n < p.n; ++n) {
        Sum sum = bias != nullptr ? static_cast<Sum>(plain_load(bias + n)) : Sum{0};
        const W* column = w_entry + n * p.w_n;
        for (int64_t k = 0; k < p.k; ++k) {
          sum += plain_load(row + k * p.x_k) * plain_load(column + k * p.w_k);
        }
        plain_store(to + n, sum);
      }
    }
  }
}
