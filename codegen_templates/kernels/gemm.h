// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products: y[b][m][n] = epilogue(sum over k of x[b][m][k] * w[b][k][n] + bias[n]).
//
// gemm_packed   w is packed at compile time: w[panel][k][kPanel], zeros behind the last column.
//               With w_batch != 0 each batch entry has its own panels, w_batch floats apart.
// gemm_dynamic  w is a tensor with any strides; blocks of its columns are packed into scratch first,
//               unless x has so few rows that reading w in place is quicker.
//
// x, y: float or 16-bit, aligned to their element; bias: n floats or nullptr; y overlaps nothing.
// k == 0 gives the bias, m, n or batch == 0 nothing. Units and scratch: params/gemm.h.
// Rows given to the epilogue count through the batch: (b0 * batch[1] + b1) * m + row.
#pragma once
#include "../params/gemm.h"
#include "gemm_thin.h"
#include "gemm_tile.h"

// A range of rows of one batch entry.
struct GemmRows {
  int64_t outer, inner;  // the batch entry
  int64_t first, count;
};

// The rows of the units from `unit` on that belong to one batch entry, at most `most` units of them.
[[maybe_unused]] inline GemmRows gemm_unit_rows(const GemmParams& p, int64_t unit, int64_t end,
                                                int64_t most) {
  const int64_t per_entry = (p.m + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit;
  const int64_t entry = unit / per_entry;
  const int64_t in_entry = unit - entry * per_entry;
  int64_t units = per_entry - in_entry < end - unit ? per_entry - in_entry : end - unit;
  if (units > most) units = most;
  GemmRows r;
  r.outer = entry / p.batch[1];
  r.inner = entry % p.batch[1];
  r.first = in_entry * kGemmRowsPerUnit;
  const int64_t left = p.m - r.first;
  r.count = units * kGemmRowsPerUnit < left ? units * kGemmRowsPerUnit : left;
  return r;
}

[[maybe_unused]] inline int64_t gemm_units_of(const GemmRows& r) {
  return (r.count + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit;
}

// The tile arguments that packed and dynamic products share, w and columns left open.
template <class X, class Y>
inline TileArgs<X, Y> gemm_args(const GemmParams& p, const GemmRows& r, const X* x, Y* y) {
  TileArgs<X, Y> t;
  t.rows = nullptr;
  t.x = x + r.outer * p.x_batch[0] + r.inner * p.x_batch[1] + r.first * p.x_row;
  t.x_row = p.x_row;
  t.x_offset = 0;
  t.taps = 1;
  t.k = p.k;
  t.w = nullptr;
  t.w_panel = p.k * kPanel;
  t.bias = nullptr;
  t.y = y + r.outer * p.y_batch[0] + r.inner * p.y_batch[1] + r.first * p.y_row;
  t.y_row = p.y_row;
  t.columns = p.n;
  t.row = (r.outer * p.batch[1] + r.inner) * p.m + r.first;
  t.col = 0;
  return t;
}

// Runs the tiles of `t`; rows of x whose elements are x_k apart are gathered into `dense` first,
// one unit at a time.
template <class X, class Y, class Epilogue>
void gemm_run(const GemmParams& p, const TileArgs<X, Y>& t, int64_t rows, const Epilogue& epilogue,
              float* dense) {
  if (p.x_k == 1 || p.k == 1) {
    gemm_columns(t, rows, epilogue);
    return;
  }
  for (int64_t first = 0; first < rows; first += kGemmRowsPerUnit) {
    const int64_t count = rows - first < kGemmRowsPerUnit ? rows - first : kGemmRowsPerUnit;
    for (int64_t m = 0; m < count; ++m) {
      const X* from = t.x + (first + m) * t.x_row;
      for (int64_t k = 0; k < p.k; ++k, from += p.x_k) {
        dense[m * p.k + k] = load<float>(from, Full{});
      }
    }
    TileArgs<float, Y> block;
    block.rows = nullptr;
    block.x = dense;
    block.x_row = p.k;
    block.x_offset = 0;
    block.taps = 1;
    block.k = t.k;
    block.w = t.w;
    block.w_panel = t.w_panel;
    block.bias = t.bias;
    block.y = t.y + first * t.y_row;
    block.y_row = t.y_row;
    block.columns = t.columns;
    block.row = t.row + first;
    block.col = t.col;
    gemm_columns(block, count, epilogue);
  }
}

// The columns of units [begin, end) of a product that is split along them.
template <class X, class Y, class Epilogue>
void gemm_packed_columns(const GemmParams& p, const X* x, const float* w, const float* bias, Y* y,
                         const Epilogue& epilogue, int64_t begin, int64_t end, float* scratch) {
  const TileColumns columns = tile_columns(p.columns, p.n, begin, end);
  const int64_t most = gemm_rows_in_cache(p.k, p.n);
  for (int64_t first = 0; first < p.m; first += most) {
    const int64_t count = p.m - first < most ? p.m - first : most;
    TileArgs<X, Y> t = gemm_args(p, GemmRows{0, 0, first, count}, x, y);
    t.w = w;
    t.bias = bias;
    tile_narrow(t, columns);
    gemm_run(p, t, count, epilogue, scratch);
  }
}

// x[batch][m][k] with strides, w packed, bias[n] or nullptr, y[batch][m][n].
template <class X, class Y, class Epilogue>
void gemm_packed(const GemmParams& p, const X* x, const float* w, const float* bias, Y* y,
                 const Epilogue& epilogue, int64_t begin, int64_t end, void* scratch) {
  if (p.columns != 0) {
    gemm_packed_columns(p, x, w, bias, y, epilogue, begin, end, static_cast<float*>(scratch));
    return;
  }
  const int64_t most = gemm_rows_in_cache(p.k, p.n) / kGemmRowsPerUnit;
  for (int64_t unit = begin; unit < end;) {
    const GemmRows r = gemm_unit_rows(p, unit, end, most);
    TileArgs<X, Y> t = gemm_args(p, r, x, y);
    t.w = w + r.outer * p.w_batch[0] + r.inner * p.w_batch[1];
    t.bias = bias;
    gemm_run(p, t, r.count, epilogue, static_cast<float*>(scratch));
    unit += gemm_units_of(r);
  }
}

// Four columns of a panel, of which `valid` (any number) exist.
template <class W>
MACEC_INLINE void gemm_pack_columns(const W* w, int64_t w_k, int64_t w_n, int64_t k, int64_t valid,
                                    float* to) {
  if (valid >= 4) {
    const W* const column[4] = {w, w + w_n, w + 2 * w_n, w + 3 * w_n};
    for (int64_t kk = 0, at = 0; kk < k; ++kk, at += w_k, to += kPanel) {
#pragma GCC unroll 4
      for (int c = 0; c < 4; ++c) to[c] = load<float>(column[c] + at, Full{});
    }
    return;
  }
  for (int64_t kk = 0; kk < k; ++kk, w += w_k, to += kPanel) {
    for (int c = 0; c < 4; ++c) to[c] = c < valid ? load<float>(w + c * w_n, Full{}) : 0.0f;
  }
}

// Packs w[k][n] (strides w_k, w_n) of `columns` columns into panels, zeros behind the last one.
template <class W>
MACEC_NOINLINE void gemm_pack(const W* w, int64_t w_k, int64_t w_n, int64_t k, int64_t columns,
                              float* panels) {
  for (int64_t col = 0; col < columns; col += kPanel) {
    const int64_t left = columns - col;
    const W* from = w + col * w_n;
    if (left >= kPanel && w_n == 1) {
      for (int64_t kk = 0; kk < k; ++kk, from += w_k, panels += kPanel) {
        for (int v = 0; v < kPanel; v += kLanes) {
          store(panels + v, load<Vf>(from + v, Full{}), Full{});
        }
      }
      continue;
    }
    for (int64_t c = 0; c < kPanel; c += 4)
      gemm_pack_columns(from + c * w_n, w_k, w_n, k, left - c, panels + c);
    panels += k * kPanel;
  }
}

// Rows of x up to which w is not packed.
[[maybe_unused]] constexpr int64_t kGemmThinRows = 4;

// Whether a product has so few rows, and w so dense, that gemm_thin.h takes it.
[[maybe_unused]] inline bool gemm_is_thin(const GemmParams& p) {
  return p.m <= kGemmThinRows && (p.w_n == 1 || (p.w_k == 1 && p.x_k == 1));
}

template <class X, class W, class Y, class Epilogue>
void gemm_thin(const GemmParams& p, const TileArgs<X, Y>& t, int64_t rows, const W* w,
               const float* bias, const Epilogue& epilogue) {
  GemmThin thin = {p.n, p.k, p.x_k, p.w_n == 1 ? p.w_k : p.w_n, t.row};
  for (int64_t m = 0; m < rows; ++m, ++thin.row) {
    if (p.w_n == 1) {
      gemm_thin_columns(thin, t.x + m * t.x_row, w, bias, t.y + m * t.y_row, epilogue);
    } else {
      gemm_thin_dots(thin, t.x + m * t.x_row, w, bias, t.y + m * t.y_row, epilogue);
    }
  }
}

// The same with w[batch][k][n] a run-time tensor. Scratch: gemm_dynamic_scratch().
template <class X, class W, class Y, class Epilogue>
void gemm_dynamic(const GemmParams& p, const X* x, const W* w, const float* bias, Y* y,
                  const Epilogue& epilogue, int64_t begin, int64_t end, void* scratch) {
  const int64_t block = gemm_dynamic_columns(p.n, p.k, kPanel);
  float* const panels = static_cast<float*>(scratch);
  float* const dense = panels + block * p.k;
  const W* packed = nullptr;  // what the panels hold
  for (int64_t unit = begin; unit < end;) {
    const GemmRows r = gemm_unit_rows(p, unit, end, end - begin);
    const W* entry = w + r.outer * p.w_batch[0] + r.inner * p.w_batch[1];
    unit += gemm_units_of(r);
    if (gemm_is_thin(p)) {
      gemm_thin(p, gemm_args(p, r, x, y), r.count, entry, bias, epilogue);
      continue;
    }
    for (int64_t col = 0; col < p.n; col += block) {
      TileArgs<X, Y> t = gemm_args(p, r, x, y);
      t.columns = p.n - col < block ? p.n - col : block;
      const W* from = entry + col * p.w_n;
      if (from != packed) gemm_pack(from, p.w_k, p.w_n, p.k, t.columns, panels);
      packed = from;
      t.w = panels;
      t.col = col;
      t.y += col;
      if (bias != nullptr) t.bias = bias + col;
      gemm_run(p, t, r.count, epilogue, dense);
    }
  }
}
