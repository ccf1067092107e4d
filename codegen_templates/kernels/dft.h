// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discrete Fourier transforms of lines of any length n (params/dft.h).
//
// n = r0 r1 r2 ...: one pass for each factor, which writes where the next one reads in order, so
// nothing is permuted (Stockham). Factors of 4 and 2 are written out, a prime r costs n r. The other
// direction is the same with real and imaginary parts swapped. All of it is
// in double: what should be 0 beside large sums then is nearly so.
// scratch: dft_scratch(n) doubles.
#pragma once
#include "../params/dft.h"
#include "nest.h"
#include "sample.h"

[[maybe_unused]] constexpr int64_t dft_scratch(int64_t n) {
  return 6 * n;
}

template <class Value>
struct DftLine {
  Value *re, *im;
};

MACEC_INLINE int64_t dft_factor(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t r = 2; r * r <= n; ++r) {
    if (n % r == 0) return r;
  }
  return n;
}

// One butterfly: the r elements of `a` that lie `apart` apart become sums in y.
template <class Value>
MACEC_INLINE void dft_butterfly(int64_t r, int64_t n, const Value* cosine, const Value* sine,
                                const Value* re, const Value* im, int64_t apart, int64_t u,
                                Value* y_re, Value* y_im) {
  Value sum_re = 0, sum_im = 0;
  for (int64_t t = 0; t < r; ++t) {
    const int64_t w = t * u % r * (n / r);
    sum_re += re[t * apart] * cosine[w] + im[t * apart] * sine[w];
    sum_im += im[t * apart] * cosine[w] - re[t * apart] * sine[w];
  }
  *y_re = sum_re;
  *y_im = sum_im;
}
template <class Value>
MACEC_INLINE void dft_four(const Value* re, const Value* im, int64_t apart, Value* y_re,
                           Value* y_im) {
  const Value a = re[0] + re[2 * apart], b = re[0] - re[2 * apart];
  const Value c = re[apart] + re[3 * apart], d = re[apart] - re[3 * apart];
  const Value e = im[0] + im[2 * apart], f = im[0] - im[2 * apart];
  const Value g = im[apart] + im[3 * apart], h = im[apart] - im[3 * apart];
  y_re[0] = a + c, y_im[0] = e + g;
  y_re[1] = b + h, y_im[1] = f - d;
  y_re[2] = a - c, y_im[2] = e - g;
  y_re[3] = b - h, y_im[3] = f + d;
}

// A pass with factor r: from [r][m][s] to [m][r][s], n = r m s.
template <class Value>
MACEC_NOINLINE void dft_pass(int64_t n, int64_t r, int64_t m, int64_t s, const Value* cosine,
                             const Value* sine, const DftLine<Value>& a, const DftLine<Value>& b) {
  for (int64_t p = 0; p < m; ++p) {
    for (int64_t q = 0; q < s; ++q) {
      const Value *re = a.re + q + s * p, *im = a.im + q + s * p;
      Value y_re[4], y_im[4];
      if (r == 4) dft_four(re, im, s * m, y_re, y_im);
      for (int64_t u = 0; u < r; ++u) {
        const int64_t k = r == 4 ? u : 0;
        if (r != 4) dft_butterfly(r, n, cosine, sine, re, im, s * m, u, y_re, y_im);
        const int64_t w = p * u * s, to = q + s * (r * p + u);
        b.re[to] = y_re[k] * cosine[w] + y_im[k] * sine[w];
        b.im[to] = y_im[k] * cosine[w] - y_re[k] * sine[w];
      }
    }
  }
}

// Transforms a in place of a or b; returns the one that has the result.
template <class Value>
MACEC_INLINE DftLine<Value> dft_transform(int64_t n, const Value* cosine, const Value* sine,
                                          DftLine<Value> a, DftLine<Value> b) {
  for (int64_t left = n, s = 1; left > 1;) {
    const int64_t r = dft_factor(left);
    left /= r;
    dft_pass(n, r, left, s, cosine, sine, a, b);
    s *= r;
    const DftLine<Value> done = b;
    b = a;
    a = done;
  }
  return a;
}

// A line of x, its window and its mirrored half applied, zeros behind it.
template <class T, class Value>
MACEC_INLINE void dft_load(const DftParams& p, const T* x, const T* window,
                           const DftLine<Value>& a) {
  for (int64_t i = 0; i < p.n; ++i) {
    a.re[i] = a.im[i] = 0;
    if (i >= p.given) continue;
    const Value w = window ? static_cast<Value>(sample_load(window + i)) : Value(1);
    a.re[i] = static_cast<Value>(sample_load(x + i * p.x_step)) * w;
    if (p.x_part != 0) a.im[i] = static_cast<Value>(sample_load(x + i * p.x_step + p.x_part)) * w;
  }
  if (p.mirrors == 0 || p.n == 0) return;
  a.im[0] = 0;
  if (p.n % 2 == 0) a.im[p.n / 2] = 0;
  for (int64_t i = 1; 2 * i < p.n; ++i) {
    a.re[p.n - i] = a.re[i];
    a.im[p.n - i] = -a.im[i];
  }
}

template <class T>
MACEC_NOINLINE void dft(const DftParams& p, const T* x, const T* window, T* y, int64_t begin,
                        int64_t end, void* scratch) {
  if (begin >= end || p.n == 0) return;
  using Value = double;
  using Result = typename SampleValue<T>::Type;
  Value* const all = static_cast<Value*>(scratch);
  Value *const cosine = all, *const sine = all + p.n;
  const double turn = 6.283185307179586476925;
  for (int64_t i = 0; i < p.n; ++i) {
    const double angle = turn * static_cast<double>(i) / static_cast<double>(p.n);
    cosine[i] = static_cast<Value>(::cos(angle));
    sine[i] = static_cast<Value>(::sin(angle));
  }
  const Value by = p.inverse != 0 ? static_cast<Value>(p.n) : Value(1);
  Nest<2> nest = {p.rank, 2, p.extent, {p.x_stride, p.y_stride}, {}, {}};
  nest.start(begin);
  for (int64_t line = begin; line < end; ++line, nest.step()) {
    DftLine<Value> a = {all + 2 * p.n, all + 3 * p.n}, b = {all + 4 * p.n, all + 5 * p.n};
    dft_load(p, x + nest.offset[0], window, a);
    if (p.inverse != 0) a = {a.im, a.re}, b = {b.im, b.re};
    DftLine<Value> done = dft_transform(p.n, cosine, sine, a, b);
    if (p.inverse != 0) done = {done.im, done.re};
    for (int64_t k = 0; k < p.bins; ++k) {
      T* const to = y + nest.offset[1] + k * p.y_step;
      sample_store(to, static_cast<Result>(done.re[k] / by));
      if (p.y_part != 0) sample_store(to + p.y_part, static_cast<Result>(done.im[k] / by));
    }
  }
}
