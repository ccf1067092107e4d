// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer products of SSE2: pairs of depth by pmaddwd.
#pragma once
#include "sse2.h"

[[maybe_unused]] constexpr int kIntegerDepth = 2;
[[maybe_unused]] constexpr bool kIntegerByLane = false;
struct Vs {
  __m128i v;
};

MACEC_INLINE Vs load_shorts(const int16_t* p) {
  return Vs{_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
}
MACEC_INLINE Vs load_shorts(const int8_t* p) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return Vs{_mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8)};
}
MACEC_INLINE Vs splat_shorts(const int16_t* x, int n) {
  int32_t pair = static_cast<uint16_t>(x[0]);
  if (n == 2) memcpy(&pair, x, sizeof pair);
  return Vs{_mm_set1_epi32(pair)};
}
MACEC_INLINE Vi multiply_add(Vs x, Vs w, Vi sums) {
  return Vi{_mm_add_epi32(sums.v, _mm_madd_epi16(x.v, w.v))};
}
