// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The m greatest (kLeast: least) elements of every line in order, and their indices; the lower
// index first among equals, NaN before all numbers.
//
// A heap of m indices with the worst one on top is kept while the line goes by, then sorted.
// y, indices: m elements a line with the same strides, nullptr if not wanted. scratch: m int64.
#pragma once
#include "line.h"

template <int kLeast, class T>
struct TopK {
  const T* x;
  int64_t step;
  int64_t* heap;

  // Whether element i comes before element j in the result.
  MACEC_INLINE bool is_before(int64_t i, int64_t j) const {
    const auto a = line_load(x + i * step), b = line_load(x + j * step);
    if (kLeast != 0 ? a < b : a > b) return true;
    if (kLeast != 0 ? b < a : b > a) return false;
    const bool a_is_number = a == a, b_is_number = b == b;
    if (a_is_number != b_is_number) return b_is_number;
    return i < j;
  }
  // Lets the index at `at` sink until none below it is worse.
  MACEC_INLINE void sink(int64_t at, int64_t size) {
    const int64_t index = heap[at];
    for (int64_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && is_before(heap[child], heap[child + 1])) ++child;
      if (!is_before(index, heap[child])) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = index;
  }
  MACEC_INLINE void run(int64_t n, int64_t m) {
    for (int64_t i = 0; i < m; ++i) heap[i] = i;
    for (int64_t i = m / 2; i-- > 0;) sink(i, m);
    for (int64_t i = m; i < n; ++i) {
      if (!is_before(i, heap[0])) continue;
      heap[0] = i;
      sink(0, m);
    }
    for (int64_t size = m - 1; size > 0; --size) {
      const int64_t worst = heap[0];
      heap[0] = heap[size];
      heap[size] = worst;
      sink(0, size);
    }
  }
};

template <class T>
struct TopKOutput {  // not deduced from nullptr
  using Type = T;
};

template <int kLeast, class T>
MACEC_NOINLINE void line_topk(const LineParams& p, const T* x, typename TopKOutput<T>::Type* y,
                              int64_t* indices, int64_t begin, int64_t end, void* scratch) {
  if (p.m == 0) return;
  each_line(p, begin, end, [&](int64_t from, int64_t to, int64_t) {
    TopK<kLeast, T> top = {x + from, p.x_step, static_cast<int64_t*>(scratch)};
    top.run(p.n, p.m);
    for (int64_t i = 0; i < p.m; ++i) {
      if (y) y[to + i * p.y_step] = x[from + top.heap[i] * p.x_step];
      if (indices) indices[to + i * p.y_step] = top.heap[i];
    }
  });
}
