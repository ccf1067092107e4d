// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range: y[i] = start + i * delta for any arithmetic T; start and delta are single elements. And the number n itself.
#pragma once
#include "../params/iota.h"
#include "simd/vocabulary.h"

template <class T>
void iota(const IotaParams& p, const T* start, const T* delta, T* y, int64_t begin, int64_t end,
          void*) {
  const int64_t last = end * kPointwiseBlock < p.n ? end * kPointwiseBlock : p.n;
  const T first = *start, step = *delta;
  for (int64_t i = begin * kPointwiseBlock; i < last; ++i) {
    y[i] = static_cast<T>(first + static_cast<T>(i) * step);
  }
}

// An extent that only a run knows, as one element.
[[maybe_unused]] inline void extent(const IotaParams& p, int64_t* y, int64_t, int64_t, void*) {
  *y = p.n;
}
