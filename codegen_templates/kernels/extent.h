// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores an extent: y[0] = n, what Shape and Size are when the model runs. One unit.
#pragma once
#include "../params/iota.h"
#include "simd/vocabulary.h"

template <class T>
void extent(const IotaParams& p, T* y, int64_t begin, int64_t end, void*) {
  if (begin < end) *y = static_cast<T>(p.n);
}
