// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local response normalization: y[i] = x[i] / (bias + scale * sum of x^2 over a window)^power.
//
// The window of element i has `size` elements, (size - 1) / 2 of them before it; what lies outside
// the line counts as 0. x, y: float types, no overlap. No scratch.
#pragma once
#include "line.h"

MACEC_INLINE float lrn_power(float v, float power) {
  return ::powf(v, power);
}
MACEC_INLINE double lrn_power(double v, float power) {
  return ::pow(v, static_cast<double>(power));
}

template <class T>
MACEC_NOINLINE void line_lrn(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                             void*) {
  using Sum = typename PlainSum<T>::Type;
  const int64_t before = (p.size - 1) / 2, after = p.size - 1 - before;
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    for (int64_t i = 0; i < p.n; ++i) {
      const int64_t first = i < before ? 0 : i - before;
      const int64_t last = i + after < p.n ? i + after : p.n - 1;
      Sum sum = 0;
      for (int64_t k = first; k <= last; ++k) {
        const Sum v = plain_load(x + from + k * p.x_step);
        sum += v * v;
      }
      const Sum base = static_cast<Sum>(p.bias) + static_cast<Sum>(p.scale) * sum;
      const Sum root = line_root(line_root(base));  // the usual power 0.75 without a call of pow
      const Sum divisor = p.power == 0.75f ? root * root * root : lrn_power(base, p.power);
      plain_store(y + to + i * p.y_step, plain_load(x + from + i * p.x_step) / divisor);
    }
  });
}
