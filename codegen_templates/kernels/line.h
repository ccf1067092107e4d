// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of one axis, one after the other, for every element type.
//
//   line_arg      y[0] = the index of the greatest (kLeast: least) element; the first of equals, or
//                 the last (kLast). A NaN is greater and less than everything.
//   line_hardmax  y = 1 at the first greatest element, else 0
//   line_sum      y[i] = x[0] + ... + x[i]; kExclusive: without x[i]; kReverse: from the other end
//   line_unit     y = x / (sum of |x|) or, with kPower 2, x / sqrt(sum of x^2); 0 where that is 0
//   line_reverse  the first z elements backwards, the others as they are; returns 1 if z is outside
//
// x and y do not overlap. No scratch.
#pragma once
#include "../params/line.h"
#include "nest.h"
#include "plain.h"

template <class T>
MACEC_INLINE T line_load(const T* p) {  // what compares: integers as they are
  return *p;
}
MACEC_INLINE float line_load(const half_t* p) {
  return plain_load(p);
}
MACEC_INLINE float line_load(const bfloat16_t* p) {
  return plain_load(p);
}

MACEC_INLINE float line_root(float v) {
  return ::sqrtf(v);
}
MACEC_INLINE double line_root(double v) {
  return ::sqrt(v);
}

// Calls f(offset of x, of y, of z) for every line of the units.
template <class F>
MACEC_INLINE void each_line(const LineParams& p, int64_t begin, int64_t end, F f) {
  if (begin >= end) return;
  Nest<3> nest = {p.rank, 3, p.extent, {p.x_stride, p.y_stride, p.z_stride}, {}, {}};
  nest.start(begin);
  for (int64_t line = begin; line < end; ++line, nest.step()) {
    f(nest.offset[0], nest.offset[1], nest.offset[2]);
  }
}

template <int kLeast, int kLast, class T>
MACEC_INLINE int64_t line_best(const LineParams& p, const T* x) {
  int64_t where = 0;
  auto best = line_load(x);
  for (int64_t i = 1; i < p.n; ++i) {
    const auto v = line_load(x + i * p.x_step);
    const bool is_better = kLeast != 0 ? v < best : v > best;
    const bool is_number = v == v, best_is_number = best == best;
    const bool is_equal = v == best || (!is_number && !best_is_number);
    if ((best_is_number && (is_better || !is_number)) || (kLast != 0 && is_equal)) {
      best = v;
      where = i;
    }
  }
  return where;
}

template <int kLeast, int kLast, class T>
MACEC_NOINLINE void line_arg(const LineParams& p, const T* x, int64_t* y, int64_t begin,
                             int64_t end, void*) {
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    y[to] = line_best<kLeast, kLast>(p, x + from);
  });
}

template <class T>
MACEC_NOINLINE void line_hardmax(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                                 void*) {
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    if (p.n == 0) return;
    const int64_t best = line_best<0, 0>(p, x + from);
    for (int64_t i = 0; i < p.n; ++i) plain_store(y + to + i * p.y_step, i == best ? 1.0f : 0.0f);
  });
}

template <int kProduct, int kExclusive, int kReverse, class T>
MACEC_INLINE void line_running(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end) {
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    typename PlainSum<T>::Type total = kProduct;
    for (int64_t k = 0; k < p.n; ++k) {
      const int64_t i = kReverse != 0 ? p.n - 1 - k : k;
      const typename PlainSum<T>::Type v = plain_load(x + from + i * p.x_step);
      if (kExclusive != 0) plain_store(y + to + i * p.y_step, total);
      total = kProduct != 0 ? total * v : total + v;
      if (kExclusive == 0) plain_store(y + to + i * p.y_step, total);
    }
  });
}
template <int kExclusive, int kReverse, class T>
MACEC_NOINLINE void line_sum(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                             void*) {
  line_running<0, kExclusive, kReverse>(p, x, y, begin, end);
}
template <int kExclusive, int kReverse, class T>
MACEC_NOINLINE void line_product(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                                 void*) {
  line_running<1, kExclusive, kReverse>(p, x, y, begin, end);
}

template <int kPower, class T>
MACEC_NOINLINE void line_unit(const LineParams& p, const T* x, T* y, int64_t begin, int64_t end,
                              void*) {
  using Sum = typename PlainSum<T>::Type;
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    Sum sum = 0;
    for (int64_t i = 0; i < p.n; ++i) {
      const Sum v = plain_load(x + from + i * p.x_step);
      sum += kPower == 2 ? v * v : v < 0 ? -v : v;
    }
    if (kPower == 2) sum = line_root(sum);
    for (int64_t i = 0; i < p.n; ++i) {
      const Sum v = plain_load(x + from + i * p.x_step);
      plain_store(y + to + i * p.y_step, sum > 0 || sum < 0 ? v / sum : sum);
    }
  });
}

template <class T>
MACEC_NOINLINE int32_t line_reverse(const LineParams& p, const T* x, const int64_t* z, T* y,
                                    int64_t begin, int64_t end, void*) {
  int32_t problem = 0;
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t of) {
    const int64_t length = z[of];
    if (length < 0 || length > p.n) {
      problem = 1;
      return;
    }
    for (int64_t i = 0; i < p.n; ++i) {
      y[to + i * p.y_step] = x[from + (i < length ? length - 1 - i : i) * p.x_step];
    }
  });
  return problem;
}
