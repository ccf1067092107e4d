// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The different slices of x [outer, n, inner] along the axis of n.
//
//   y [outer, count, inner]   each once, in ascending order or (kSorted 0) as they come first
//   indices [count]           where in x each comes first
//   inverse [n]               which slice of y each slice of x is
//   counts [count]            how often each comes
//
// A stable merge sort of the indices finds the runs of equal slices. NaNs are equal, and greater
// than numbers. indices, inverse and counts may be nullptr. scratch: 3 n int64.
#pragma once
#include "../params/pick.h"
#include "line.h"

// -1, 0 or 1: slice a before, equal to or behind slice b.
template <class T>
MACEC_INLINE int unique_compare(const PickParams& p, const T* x, int64_t a, int64_t b) {
  for (int64_t o = 0; o < p.outer; ++o) {
    const T* slices = x + o * p.n * p.inner;
    for (int64_t k = 0; k < p.inner; ++k) {
      const auto u = line_load(slices + a * p.inner + k), v = line_load(slices + b * p.inner + k);
      if (u < v) return -1;
      if (v < u) return 1;
      const bool u_is_number = u == u, v_is_number = v == v;
      if (u_is_number != v_is_number) return u_is_number ? -1 : 1;
    }
  }
  return 0;
}

// Sorts 0 ... n - 1 by their slices. Returns which of the two buffers has the result.
template <class T>
MACEC_INLINE int64_t* unique_sort(const PickParams& p, const T* x, int64_t* order, int64_t* other) {
  for (int64_t i = 0; i < p.n; ++i) order[i] = i;
  for (int64_t width = 1; width < p.n; width *= 2) {
    for (int64_t from = 0; from < p.n; from += 2 * width) {
      const int64_t middle = from + width < p.n ? from + width : p.n;
      const int64_t end = from + 2 * width < p.n ? from + 2 * width : p.n;
      int64_t a = from, b = middle;
      for (int64_t i = from; i < end; ++i) {
        const bool takes_a =
            b >= end || (a < middle && unique_compare(p, x, order[b], order[a]) >= 0);
        other[i] = takes_a ? order[a++] : order[b++];
      }
    }
    int64_t* const sorted = other;
    other = order;
    order = sorted;
  }
  return order;
}

template <int kSorted, class T>
MACEC_NOINLINE void unique(const PickParams& p, const T* x, T* y, int64_t* indices,
                           int64_t* inverse, int64_t* counts, int64_t* count, int64_t begin,
                           int64_t end, void* scratch) {
  if (begin >= end) return;
  int64_t* const buffers = static_cast<int64_t*>(scratch);
  int64_t* const order = unique_sort(p, x, buffers, buffers + p.n);
  int64_t* const first = order == buffers ? buffers + p.n : buffers;  // the first equal slice
  int64_t* const place = buffers + 2 * p.n;                           // in y, of first slices
  int64_t found = 0, run = 0;
  for (int64_t i = 0; i < p.n; ++i) {
    const bool is_new = i == 0 || unique_compare(p, x, order[i - 1], order[i]) != 0;
    if (is_new) run = order[i];
    if (is_new && kSorted != 0) place[run] = found++;
    first[order[i]] = run;
  }
  for (int64_t i = 0; kSorted == 0 && i < p.n; ++i) {
    if (first[i] == i) place[i] = found++;
  }
  *count = found;
  for (int64_t i = 0; i < p.n; ++i) {
    const int64_t to = place[first[i]];
    if (inverse) inverse[i] = to;
    if (first[i] != i) {
      if (counts) ++counts[to];
      continue;
    }
    if (indices) indices[to] = i;
    if (counts) counts[to] = 1;
    for (int64_t o = 0; o < p.outer; ++o) {
      for (int64_t k = 0; k < p.inner; ++k)
        y[(o * found + to) * p.inner + k] = x[(o * p.n + i) * p.inner + k];
    }
  }
}
