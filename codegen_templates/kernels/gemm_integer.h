// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products of integers: y[b][m][n] = sum over k of x[b][m][k] * w[k][n], modulo 2^32.
//
// x    int16, rows with any stride, dense along k; |x| at most 255 where pairs of products are added
//      (8-bit numbers less their zero point)
// w    int8 or int16, packed as integer_tile.h says
// y    int32, overlaps nothing. No bias, no epilogue, no scratch. Units: params/gemm.h.
#pragma once
#include "gemm.h"
#include "integer_tile.h"

template <class W, class B>
void gemm_integer(const GemmParams& p, const int16_t* x, const W* w, const B*, int32_t* y,
                  int64_t begin, int64_t end, void*) {
  const int64_t most = gemm_rows_in_cache(p.k, p.n) / kGemmRowsPerUnit;
  for (int64_t unit = begin; unit < end;) {
    const GemmRows r = gemm_unit_rows(p, unit, end, most);
    IntegerTile<W> t;
    t.rows = nullptr;
    t.x = x + r.outer * p.x_batch[0] + r.inner * p.x_batch[1] + r.first * p.x_row;
    t.x_row = p.x_row;
    t.x_offset = 0;
    t.taps = 1;
    t.k = p.k;
    t.w = w;
    t.w_panel = integer_panel(1, p.k);
    t.y = y + r.outer * p.y_batch[0] + r.inner * p.y_batch[1] + r.first * p.y_row;
    t.y_row = p.y_row;
    t.columns = p.n;
    integer_columns(t, r.count);
    unit += gemm_units_of(r);
  }
}
