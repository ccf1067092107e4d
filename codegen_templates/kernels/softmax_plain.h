// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax of double, one element at a time; rows as in softmax.h.
//
// x and y may be the same memory (with equal strides), otherwise they do not overlap. A row with a
// NaN, or of -infinities only, becomes NaN. No epilogue.
#pragma once
#include "../params/softmax.h"
#include "math.h"

template <bool kLog, class T>
MACEC_NOINLINE void softmax_plain_row(const SoftmaxParams& p, const T* x, T* y) {
  T most = -INFINITY, total = 0;
  for (int64_t j = 0; j < p.n; ++j) most = x[j * p.x_step] > most ? x[j * p.x_step] : most;
  for (int64_t j = 0; j < p.n; ++j) total += ::exp(x[j * p.x_step] - most);
  const T scale = kLog ? ::log(total) : 1 / total;
  for (int64_t j = 0; j < p.n; ++j) {
    const T v = x[j * p.x_step] - most;
    y[j * p.y_step] = kLog ? v - scale : ::exp(v) * scale;
  }
}

template <bool kLog, class T>
void softmax_plain_units(const SoftmaxParams& p, const T* x, T* y, int64_t begin, int64_t end) {
  for (int64_t unit = begin; unit < end; ++unit) {
    for (int64_t i = 0; i < p.inner; ++i)
      softmax_plain_row<kLog>(p, x + unit * p.x_outer + i, y + unit * p.y_outer + i);
  }
}

template <class T>
void softmax_plain(const SoftmaxParams& p, const T* x, T* y, int64_t begin, int64_t end, void*) {
  softmax_plain_units<false>(p, x, y, begin, end);
}
template <class T>
void log_softmax_plain(const SoftmaxParams& p, const T* x, T* y, int64_t begin, int64_t end,
                       void*) {
  softmax_plain_units<true>(p, x, y, begin, end);
}
