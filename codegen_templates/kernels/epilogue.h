// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue of kernels that have nothing fused behind them.
#pragma once
#include "simd/simd.h"

struct NoEpilogue {
  template <class V, class N>
  MACEC_INLINE V operator()(V v, int64_t, int64_t, N) const {
    return v;
  }
};
