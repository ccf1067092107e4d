// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What data picks: positions of elements other than 0, slices where a condition holds.
//
//   nonzero   x [extent...] -> y int64 [rank, count], one column for each such element
//   compress  x [outer, n, inner], condition [m] -> y [outer, count, inner]; conditions past n
//             count for nothing
//
// No scratch; x and y do not overlap.
#pragma once
#include "../params/pick.h"
#include "line.h"

template <class T>
MACEC_NOINLINE void nonzero(const PickParams& p, const T* x, int64_t* y, int64_t* count,
                            int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  const int64_t size = nest_size(p.extent, p.rank);
  int64_t found = 0;
  for (int64_t i = 0; i < size; ++i) found += line_load(x + i) != 0 ? 1 : 0;
  *count = found;
  int64_t column = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (line_load(x + i) == 0) continue;
    int64_t rest = i;
    for (int a = p.rank - 1; a >= 0; --a) {
      y[a * found + column] = rest % p.extent[a];
      rest /= p.extent[a];
    }
    ++column;
  }
}

template <class T>
MACEC_NOINLINE void compress(const PickParams& p, const T* x, const uint8_t* condition, T* y,
                             int64_t* count, int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  const int64_t conditions = p.m < p.n ? p.m : p.n;
  int64_t found = 0;
  for (int64_t i = 0; i < conditions; ++i) found += condition[i] != 0 ? 1 : 0;
  *count = found;
  for (int64_t o = 0; o < p.outer; ++o) {
    for (int64_t i = 0; i < conditions; ++i) {
      if (condition[i] == 0) continue;
      const T* from = x + (o * p.n + i) * p.inner;
      for (int64_t k = 0; k < p.inner; ++k) *y++ = from[k];
    }
  }
}
