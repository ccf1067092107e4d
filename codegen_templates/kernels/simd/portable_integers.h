// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer products in plain C++: one element of depth at a time.
#pragma once
#include "portable.h"

[[maybe_unused]] constexpr int kIntegerDepth = 1;
[[maybe_unused]] constexpr bool kIntegerByLane = false;
struct Vs {
  int32_t lane[4];
};

template <class W>
MACEC_INLINE Vs load_shorts(const W* p) {
  return Vs{{p[0], p[1], p[2], p[3]}};
}
MACEC_INLINE Vs splat_shorts(const int16_t* x, int) {
  return Vs{{x[0], x[0], x[0], x[0]}};
}
MACEC_INLINE Vi multiply_add(Vs x, Vs w, Vi sums) {
  for (int c = 0; c < 4; ++c) sums.lane[c] += static_cast<uint32_t>(x.lane[c] * w.lane[c]);
  return sums;
}
