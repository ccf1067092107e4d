// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer products of AVX-512: pairs of depth by vpmaddwd.
#pragma once
#include "avx512.h"

[[maybe_unused]] constexpr int kIntegerDepth = 2;
[[maybe_unused]] constexpr bool kIntegerByLane = false;
struct Vs {
  __m512i v;
};

MACEC_INLINE Vs load_shorts(const int16_t* p) {
  return Vs{_mm512_loadu_si512(p)};
}
MACEC_INLINE Vs load_shorts(const int8_t* p) {
  return Vs{_mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
MACEC_INLINE Vs splat_shorts(const int16_t* x, int n) {
  int32_t pair = static_cast<uint16_t>(x[0]);
  if (n == 2) memcpy(&pair, x, sizeof pair);
  return Vs{_mm512_set1_epi32(pair)};
}
MACEC_INLINE Vi multiply_add(Vs x, Vs w, Vi sums) {
  return Vi{_mm512_add_epi32(sums.v, _mm512_madd_epi16(x.v, w.v))};
}
