// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Determinants of n x n matrices: elimination with the greatest pivot of each column, in double.
//
// x_step lies between columns of x, y_step between its rows; one element of y for each matrix.
// scratch: n n doubles.
#pragma once
#include "line.h"
#include "sample.h"

// The determinant of a [n][n], which is overwritten.
MACEC_NOINLINE double det_of(double* a, int64_t n) {
  double det = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t r = k + 1; r < n; ++r) {
      if (scalar_fabs(a[r * n + k]) > scalar_fabs(a[best * n + k])) best = r;
    }
    const double pivot = a[best * n + k];
    if (best != k) det = -det;
    det *= pivot;
    if (!(pivot < 0 || pivot > 0)) return pivot == pivot ? 0.0 : det;  // NaN stays NaN
    for (int64_t c = k; c < n && best != k; ++c) {
      const double other = a[k * n + c];
      a[k * n + c] = a[best * n + c];
      a[best * n + c] = other;
    }
    for (int64_t r = k + 1; r < n; ++r) {
      const double by = a[r * n + k] / pivot;
      for (int64_t c = k + 1; c < n; ++c) a[r * n + c] -= by * a[k * n + c];
    }
  }
  return det;
}

template <class T>
MACEC_NOINLINE void line_det(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                             void* scratch) {
  double* const a = static_cast<double*>(scratch);
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    for (int64_t i = 0; i < p.n * p.n; ++i)
      a[i] = static_cast<double>(sample_load(x + from + i / p.n * p.y_step + i % p.n * p.x_step));
    sample_store(y + to, static_cast<typename SampleValue<T>::Type>(det_of(a, p.n)));
  });
}
