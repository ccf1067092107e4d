// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather along one axis with indices that are known when the model runs.
//
//   x[outer][extent][inner]   indices[n]   y[outer][n][inner]      inner is dense, x and y do not
//   overlap
//
// Index: int32_t or int64_t, -extent <= index < extent. Returns 0, or 1 if an index lies outside;
// the rows of y from there on are then not written.
#pragma once
#include "../params/gather.h"
#include "simd/vocabulary.h"

template <class T, class Index>
int32_t gather(const GatherParams& p, const T* x, const Index* indices, T* y, int64_t begin,
               int64_t end, void*) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t outer = unit / p.indices, i = unit % p.indices;
    int64_t at = static_cast<int64_t>(indices[i]);
    if (at < 0) at += p.extent;
    if (at < 0 || at >= p.extent) return 1;
    const T* from = x + outer * p.x_outer + at * p.x_axis;
    T* to = y + outer * p.y_outer + i * p.y_index;
    if (p.inner * static_cast<int64_t>(sizeof(T)) >= 64) {
      memcpy(to, from, static_cast<size_t>(p.inner) * sizeof(T));
    } else {
      for (int64_t j = 0; j < p.inner; ++j) to[j] = from[j];
    }
  }
  return 0;
}
