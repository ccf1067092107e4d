// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same bits as elements of another type of the same size. Dense, no overlap. Units: blocks of
// kPointwiseBlock elements.
#pragma once
#include "../params/iota.h"
#include "simd/vocabulary.h"

template <class From, class To>
MACEC_NOINLINE void bits(const IotaParams& p, const From* x, To* y, int64_t begin, int64_t end,
                         void*) {
  static_assert(sizeof(From) == sizeof(To), "elements of one size");
  const int64_t first = begin * kPointwiseBlock, past = end * kPointwiseBlock;
  const int64_t last = past < p.n ? past : p.n;
  if (first < last) memcpy(y + first, x + first, static_cast<size_t>(last - first) * sizeof(To));
}
