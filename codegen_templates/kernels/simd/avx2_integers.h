// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer products of AVX2: pairs of depth by vpmaddwd.
#pragma once
#include "avx2.h"

[[maybe_unused]] constexpr int kIntegerDepth = 2;
[[maybe_unused]] constexpr bool kIntegerByLane = false;
struct Vs {
  __m256i v;
};

MACEC_INLINE Vs load_shorts(const int16_t* p) {
  return Vs{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
MACEC_INLINE Vs load_shorts(const int8_t* p) {
  return Vs{_mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
MACEC_INLINE Vs splat_shorts(const int16_t* x, int n) {
  int32_t pair = static_cast<uint16_t>(x[0]);
  if (n == 2) memcpy(&pair, x, sizeof pair);
  return Vs{_mm256_set1_epi32(pair)};
}
MACEC_INLINE Vi multiply_add(Vs x, Vs w, Vi sums) {
  return Vi{_mm256_add_epi32(sums.v, _mm256_madd_epi16(x.v, w.v))};
}
