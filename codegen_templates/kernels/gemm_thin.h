// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a few rows with a run-time w: each weight is used so seldom that packing it first
// would cost more than the product. Reads w where it lies.
//
//   gemm_thin_columns   w[k][n], columns dense: some vectors of columns stay in registers
//   gemm_thin_dots      w[n][k], k dense, as is x: dot products, four columns at once
//
// x, w, y: float or 16-bit types, aligned to their element; `bias` may be nullptr.
#pragma once
#include <stdint.h>

#include "simd/simd.h"

// One row: y[n] = epilogue(sum of x[k] * w[k][n] + bias[n]).
struct GemmThin {
  int64_t n, k, x_k;
  int64_t w_step;  // elements from one k (columns) or one n (dots) of w to the next
  int64_t row;     // for the epilogue
};

template <int V, class N, class X, class W, class Y, class Epilogue>
MACEC_INLINE void gemm_thin_block(const GemmThin& p, const X* x, const W* w, const float* bias,
                                  Y* y, int64_t col, N n, const Epilogue& epilogue) {
  Vf acc[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    acc[v] = bias == nullptr ? splat<Vf>(0) : load<Vf>(bias + col + v * kLanes, n);
  }
  const W* from = w + col;
  for (int64_t k = 0; k < p.k; ++k, from += p.w_step, x += p.x_k) {
    const Vf a = splat<Vf>(load<float>(x, Full{}));
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) acc[v] = fma(a, load<Vf>(from + v * kLanes, n), acc[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const int64_t at = col + v * kLanes;
    store(y + at, epilogue(acc[v], p.row, at, n), n);
  }
}

template <class X, class W, class Y, class Epilogue>
MACEC_NOINLINE void gemm_thin_columns(const GemmThin& p, const X* x, const W* w, const float* bias,
                                      Y* y, const Epilogue& epilogue) {
  int64_t col = 0;
  for (; col + 4 * kLanes <= p.n; col += 4 * kLanes) {
    gemm_thin_block<4>(p, x, w, bias, y, col, Full{}, epilogue);
  }
  for (; col + kLanes <= p.n; col += kLanes) {
    gemm_thin_block<1>(p, x, w, bias, y, col, Full{}, epilogue);
  }
  if (col < p.n) {
    const Part n{static_cast<int>(p.n - col)};
    gemm_thin_block<1>(p, x, w, bias, y, col, n, epilogue);
  }
}

template <class X, class W, class Y, class Epilogue>
MACEC_NOINLINE void gemm_thin_dots(const GemmThin& p, const X* x, const W* w, const float* bias,
                                   Y* y, const Epilogue& epilogue) {
  constexpr int kColumns = 4;
  const int64_t tail = p.k % kLanes;
  for (int64_t col = 0; col < p.n; col += kColumns) {
    const int count = p.n - col < kColumns ? static_cast<int>(p.n - col) : kColumns;
    const W* column[kColumns];  // missing ones repeat the first
    for (int i = 0; i < kColumns; ++i) column[i] = w + (col + (i < count ? i : 0)) * p.w_step;
    Vf acc[kColumns];
#pragma GCC unroll 4
    for (int i = 0; i < kColumns; ++i) acc[i] = splat<Vf>(0);
    int64_t k = 0;
    for (; k + kLanes <= p.k; k += kLanes) {
      const Vf a = load<Vf>(x + k, Full{});
#pragma GCC unroll 4
      for (int i = 0; i < kColumns; ++i) acc[i] = fma(a, load<Vf>(column[i] + k, Full{}), acc[i]);
    }
    if (tail > 0) {
      const Part n{static_cast<int>(tail)};
      const Vf a = load<Vf>(x + k, n);
#pragma GCC unroll 4
      for (int i = 0; i < kColumns; ++i) acc[i] = fma(a, load<Vf>(column[i] + k, n), acc[i]);
    }
    float sums[kColumns];
#pragma GCC unroll 4
    for (int i = 0; i < kColumns; ++i) sums[i] = sum(acc[i]);
    for (int i = 0; i < count; ++i) {
      const float v = bias == nullptr ? sums[i] : sums[i] + bias[col + i];
      store(y + col + i, epilogue(v, p.row, col + i, Full{}), Full{});
    }
  }
}
