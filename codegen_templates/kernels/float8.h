// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four float8 formats as bytes: sign, exponent, mantissa. Computed with as float, rounded to nearest even.
//
//   e4m3fn    bias 7, no infinity, NaN is all ones           e4m3fnuz   bias 8,  no infinity, no -0: 0x80 is NaN
//   e5m2      bias 15, infinity and NaN as IEEE              e5m2fnuz   bias 16, no infinity, no -0: 0x80 is NaN
#pragma once
#include "simd/simd.h"

struct Float8e4m3fn {
  [[maybe_unused]] static constexpr int kMantissa = 3, kBias = 7;
  [[maybe_unused]] static constexpr uint8_t kLargest = 0x7e, kNan = 0x7f, kInfinity = 0x7f;
  [[maybe_unused]] static constexpr bool kHasInfinity = false, kHasNegativeZero = true;
};
struct Float8e4m3fnuz {
  [[maybe_unused]] static constexpr int kMantissa = 3, kBias = 8;
  [[maybe_unused]] static constexpr uint8_t kLargest = 0x7f, kNan = 0x80, kInfinity = 0x80;
  [[maybe_unused]] static constexpr bool kHasInfinity = false, kHasNegativeZero = false;
};
struct Float8e5m2 {
  [[maybe_unused]] static constexpr int kMantissa = 2, kBias = 15;
  [[maybe_unused]] static constexpr uint8_t kLargest = 0x7b, kNan = 0x7f, kInfinity = 0x7c;
  [[maybe_unused]] static constexpr bool kHasInfinity = true, kHasNegativeZero = true;
};
struct Float8e5m2fnuz {
  [[maybe_unused]] static constexpr int kMantissa = 2, kBias = 16;
  [[maybe_unused]] static constexpr uint8_t kLargest = 0x7f, kNan = 0x80, kInfinity = 0x80;
  [[maybe_unused]] static constexpr bool kHasInfinity = false, kHasNegativeZero = false;
};

template <class F>
MACEC_INLINE float float8_to_float(uint8_t bits) {
  const int size = bits & 0x7f;
  if (!F::kHasNegativeZero && bits == F::kNan) return NAN;
  if (F::kHasNegativeZero && size > F::kLargest)
    return F::kHasInfinity && size == F::kInfinity ? (bits > 127 ? -INFINITY : INFINITY) : NAN;
  const int exponent = size >> F::kMantissa, mantissa = size & ((1 << F::kMantissa) - 1);
  const int whole = exponent == 0 ? mantissa : mantissa + (1 << F::kMantissa);
  const int place = (exponent == 0 ? 1 : exponent) - F::kBias - F::kMantissa;
  const float v = ::ldexpf(static_cast<float>(whole), place);
  return bits > 127 ? -v : v;
}

// saturate: what is too large, infinity too, becomes the largest number; otherwise infinity, or NaN where there is none.
template <class F>
MACEC_INLINE uint8_t float_to_float8(float v, bool saturate) {
  if (v != v) return F::kNan;
  const uint8_t sign = (to_bits(v) >> 31) != 0 ? 0x80 : 0;
  const float size = abs(v), largest = float8_to_float<F>(F::kLargest);
  const int smallest = 1 - F::kBias;  // exponent of the smallest normal number
  int exponent = smallest;
  if (size < INFINITY && size > 0) {
    const int own = ::ilogbf(size);
    exponent = own > smallest ? own : smallest;
  }
  const float units = size < INFINITY ? ::rintf(::ldexpf(size, F::kMantissa - exponent)) : INFINITY;
  if (!(units < INFINITY) || ::ldexpf(units, exponent - F::kMantissa) > largest) {
    const uint8_t over = saturate ? F::kLargest : F::kInfinity;
    return F::kHasNegativeZero || saturate ? static_cast<uint8_t>(over | sign) : F::kNan;
  }
  // units reaches 2^(mantissa + 1) when it was rounded up: the sum carries into the exponent.
  const int base = exponent == smallest ? 0 : (exponent - smallest) << F::kMantissa;
  const int code = base + static_cast<int>(units);
  if (code == 0 && !F::kHasNegativeZero) return 0;
  return static_cast<uint8_t>(code | sign);
}
template <class F>
MACEC_INLINE float through_float8(float v, bool saturate) {
  return float8_to_float<F>(float_to_float8<F>(v, saturate));
}
