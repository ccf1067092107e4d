// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise functions on C++ scalars, for chains that vectors of float cannot say: integers,
// double, bool, conversions.
//
// Integers wrap modulo 2^bits without undefined behaviour; dividing by zero gives 0. float16 and
// bfloat16 are computed as float. Uses libm: exp, log, tanh, ... of float and double.
#pragma once
#include "simd/simd.h"

template <class T>
[[maybe_unused]] constexpr bool kIsReal = static_cast<T>(0.5) != static_cast<T>(0);
template <class T>
[[maybe_unused]] constexpr bool kIsSigned = static_cast<T>(-1) < static_cast<T>(0);

// ---- libm for float and double by one name

#define MACEC_SCALAR_MATH(name)                 \
  MACEC_INLINE float scalar_##name(float v) {   \
    return ::name##f(v);                        \
  }                                             \
  MACEC_INLINE double scalar_##name(double v) { \
    return ::name(v);                           \
  }
MACEC_SCALAR_MATH(exp)
MACEC_SCALAR_MATH(expm1)
MACEC_SCALAR_MATH(log)
MACEC_SCALAR_MATH(log1p)
MACEC_SCALAR_MATH(erf)
MACEC_SCALAR_MATH(tanh)
MACEC_SCALAR_MATH(sqrt)
MACEC_SCALAR_MATH(floor)
MACEC_SCALAR_MATH(ceil)
MACEC_SCALAR_MATH(rint)
MACEC_SCALAR_MATH(fabs)
MACEC_SCALAR_MATH(sin)
MACEC_SCALAR_MATH(cos)
MACEC_SCALAR_MATH(tan)
MACEC_SCALAR_MATH(asin)
MACEC_SCALAR_MATH(acos)
MACEC_SCALAR_MATH(atan)
MACEC_SCALAR_MATH(sinh)
MACEC_SCALAR_MATH(cosh)
MACEC_SCALAR_MATH(asinh)
MACEC_SCALAR_MATH(acosh)
MACEC_SCALAR_MATH(atanh)
#undef MACEC_SCALAR_MATH
MACEC_INLINE float scalar_real_fmod(float a, float b) {
  return ::fmodf(a, b);
}
MACEC_INLINE double scalar_real_fmod(double a, double b) {
  return ::fmod(a, b);
}
MACEC_INLINE float scalar_real_pow(float a, float b) {
  return ::powf(a, b);
}
MACEC_INLINE double scalar_real_pow(double a, double b) {
  return ::pow(a, b);
}

// ---- arithmetic

template <class T>
MACEC_INLINE bool scalar_is_negative(T v) {
  if constexpr (kIsSigned<T>) return v < 0;
  return static_cast<void>(v), false;
}
template <class T>
MACEC_INLINE T scalar_add(T a, T b) {
  if constexpr (kIsReal<T>)
    return a + b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <class T>
MACEC_INLINE T scalar_sub(T a, T b) {
  if constexpr (kIsReal<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <class T>
MACEC_INLINE T scalar_mul(T a, T b) {
  if constexpr (kIsReal<T>)
    return a * b;
  else
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class T>
MACEC_INLINE T scalar_neg(T v) {
  if constexpr (kIsReal<T>)
    return -v;
  else
    return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(v));
}
// Toward zero; the most negative number divided by -1 is itself.
template <class T>
MACEC_INLINE T scalar_div(T a, T b) {
  if constexpr (kIsReal<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if (kIsSigned<T> && b == static_cast<T>(-1)) return scalar_neg(a);
    return static_cast<T>(a / b);
  }
}
// Sign of the dividend.
template <class T>
MACEC_INLINE T scalar_fmod(T a, T b) {
  if constexpr (kIsReal<T>) {
    return scalar_real_fmod(a, b);
  } else {
    if (b == 0 || (kIsSigned<T> && b == static_cast<T>(-1))) return 0;
    return static_cast<T>(a % b);
  }
}
// Sign of the divisor.
template <class T>
MACEC_INLINE T scalar_mod(T a, T b) {
  const T r = scalar_fmod(a, b);
  if constexpr (kIsReal<T>) {
    if (r == 0) return scalar_is_negative(b) ? -T(0) : T(0);
  }
  return r != 0 && scalar_is_negative(r) != scalar_is_negative(b) ? scalar_add(r, b) : r;
}
template <class T>
MACEC_INLINE T scalar_pow(T a, T b) {
  if constexpr (kIsReal<T>) {
    return scalar_real_pow(a, b);
  } else {
    if (scalar_is_negative(b)) {
      if (a == 1) return 1;
      return kIsSigned<T> && a == static_cast<T>(-1) ? static_cast<T>(b % 2 != 0 ? -1 : 1) : T(0);
    }
    uint64_t result = 1, square = static_cast<uint64_t>(a);
    for (uint64_t n = static_cast<uint64_t>(b); n != 0; n >>= 1) {
      if ((n & 1) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
}
template <class T>
MACEC_INLINE T scalar_max(T a, T b) {  // a NaN wins
  return a != a || a > b ? a : b;
}
template <class T>
MACEC_INLINE T scalar_min(T a, T b) {
  return a != a || a < b ? a : b;
}
template <class T>
MACEC_INLINE T scalar_clip(T v, T lo, T hi) {  // hi wins over lo; a NaN in v stays
  const T raised = v < lo ? lo : v;
  return hi < raised ? hi : raised;
}
template <class T>
MACEC_INLINE T scalar_abs(T v) {
  if constexpr (kIsReal<T>)
    return scalar_fabs(v);
  else
    return scalar_is_negative(v) ? scalar_neg(v) : v;
}
template <class T>
MACEC_INLINE T scalar_sign(T v) {
  if (v > 0) return 1;
  return scalar_is_negative(v) ? static_cast<T>(-1) : v;  // 0 and NaN stay
}
// A count outside the type shifts everything out; to the right the sign comes in.
template <class T>
MACEC_INLINE T scalar_shift_left(T v, T n) {
  const bool fits = static_cast<uint64_t>(n) < sizeof(T) * 8;
  return fits ? static_cast<T>(static_cast<uint64_t>(v) << n) : T(0);
}
template <class T>
MACEC_INLINE T scalar_shift_right(T v, T n) {
  const bool fits = static_cast<uint64_t>(n) < sizeof(T) * 8;
  return fits ? static_cast<T>(v >> n) : scalar_is_negative(v) ? static_cast<T>(-1) : T(0);
}

// ---- activations

template <class T>
MACEC_INLINE T scalar_relu(T v) {
  return scalar_is_negative(v) ? T(0) : v;
}
template <class T>
MACEC_INLINE T scalar_prelu(T v, T slope) {
  return scalar_is_negative(v) ? scalar_mul(v, slope) : v;
}
template <class T>
MACEC_INLINE bool scalar_is_inf(T v) {
  return v - v != v - v && v == v;
}
template <class T>
MACEC_INLINE T scalar_sigmoid(T v) {
  return 1 / (1 + scalar_exp(-v));
}
template <class T>
MACEC_INLINE T scalar_softplus(T v) {
  const T above = v < 0 ? T(0) : v;
  return above + scalar_log1p(scalar_exp(-scalar_fabs(v)));
}
template <class T>
MACEC_INLINE T scalar_gelu(T v) {
  return v / 2 * (1 + scalar_erf(v * T(0.70710678118654752)));
}
template <class T>
MACEC_INLINE T scalar_gelu_tanh(T v) {
  return v / 2 * (1 + scalar_tanh(T(0.79788456080286536) * (v + T(0.044715) * v * v * v)));
}
template <class T>
MACEC_INLINE T scalar_shrink(T v, float bias, float lambd) {
  const double x = static_cast<double>(v), b = static_cast<double>(bias),
               limit = static_cast<double>(lambd);
  if (x < -limit) return static_cast<T>(x + b);
  if (x > limit) return static_cast<T>(x - b);
  return T(0);
}

// ---- conversions

// Limits of an integer type as the nearest floats inside it.
template <class T>
MACEC_INLINE T scalar_largest() {
  const uint64_t all = ~uint64_t{0} >> (64 - 8 * sizeof(T));
  return static_cast<T>(kIsSigned<T> ? all >> 1 : all);
}
template <class T>
MACEC_INLINE T scalar_smallest() {
  return kIsSigned<T> ? static_cast<T>(-scalar_largest<T>() - 1) : T(0);
}
// Floats truncate toward zero and saturate, NaN is 0; integers keep the low bits.
template <class T, class From>
MACEC_INLINE T scalar_cast(From v) {
  if constexpr (kIsReal<From> && !kIsReal<T>) {
    // 2^bits of the type: exact in every float type, unlike the largest integer.
    const From limit =
        static_cast<From>(uint64_t{1} << (8 * sizeof(T) - 2)) * (kIsSigned<T> ? 2 : 4);
    if (!(v == v)) return 0;
    if (v >= limit) return scalar_largest<T>();
    if (kIsSigned<T> ? v < -limit : v <= 0) return scalar_smallest<T>();
    return static_cast<T>(v);
  } else {
    return static_cast<T>(v);
  }
}
template <class T, class From>
MACEC_INLINE T scalar_saturate(From v) {
  if constexpr (kIsReal<From>) {
    return scalar_cast<T>(v);
  } else {
    const int64_t wide = static_cast<int64_t>(v);
    const int64_t lo = static_cast<int64_t>(scalar_smallest<T>()),
                  hi = static_cast<int64_t>(scalar_largest<T>());
    return static_cast<T>(wide < lo ? lo : wide > hi ? hi : wide);
  }
}
// A number rounded to float16 or bfloat16, as a float. A double or a wide integer is first rounded
// to odd: the second rounding then cannot meet a tie that the first one made.
template <class From>
MACEC_INLINE float scalar_round_odd(From v) {
  const double wide = static_cast<double>(v);
  const float near = static_cast<float>(wide);
  const double back = static_cast<double>(near);
  const uint32_t bits = to_bits(near);
  if (back == wide || wide != wide || (bits & 1u) != 0 || (bits & 0x7fffffffu) == 0x7f800000u)
    return near;
  const bool is_larger = (back > wide) == (wide > 0);  // in magnitude
  return from_bits(is_larger ? bits - 1 : bits + 1);
}
template <class From>
MACEC_INLINE float scalar_to_half(From v) {
  return half_to_float<float>(float_to_half(scalar_round_odd(v)));
}
template <class From>
MACEC_INLINE float scalar_to_bfloat16(From v) {
  return bfloat16_to_float<float>(float_to_bfloat16(scalar_round_odd(v)));
}
// Element i of packed integers of 4 or 2 bits, low bits first.
template <int bits>
MACEC_INLINE uint8_t scalar_packed_unsigned(const uint8_t* p, int64_t i) {
  const int64_t bit = i * bits;
  return static_cast<uint8_t>((p[bit >> 3] >> (bit & 7)) & ((1 << bits) - 1));
}
template <int bits>
MACEC_INLINE int8_t scalar_packed_signed(const uint8_t* p, int64_t i) {
  const int v = scalar_packed_unsigned<bits>(p, i);
  return static_cast<int8_t>(v >> (bits - 1) != 0 ? v - (1 << bits) : v);
}
// The low bits of a number as a packed integer's value, and a number limited to the packed type.
template <int bits>
MACEC_INLINE uint8_t scalar_wrap_unsigned(int64_t v) {
  return static_cast<uint8_t>(v & ((1 << bits) - 1));
}
template <int bits>
MACEC_INLINE int8_t scalar_wrap_signed(int64_t v) {
  const int low = scalar_wrap_unsigned<bits>(v);
  return static_cast<int8_t>(low >> (bits - 1) != 0 ? low - (1 << bits) : low);
}
template <int bits>
MACEC_INLINE uint8_t scalar_limit_unsigned(int64_t v) {
  const int64_t hi = (1 << bits) - 1;
  return static_cast<uint8_t>(v < 0 ? 0 : v > hi ? hi : v);
}
template <int bits>
MACEC_INLINE int8_t scalar_limit_signed(int64_t v) {
  const int64_t hi = (1 << (bits - 1)) - 1;
  return static_cast<int8_t>(v < -hi - 1 ? -hi - 1 : v > hi ? hi : v);
}
// Elements are written in rising order: the first of a byte clears those behind it.
template <int bits>
MACEC_INLINE void scalar_put_packed(uint8_t* p, int64_t i, int v) {
  const int shift = static_cast<int>(i * bits & 7);
  const int below = shift == 0 ? 0 : p[i * bits >> 3] & ((1 << shift) - 1);
  p[i * bits >> 3] = static_cast<uint8_t>(below | ((v & ((1 << bits) - 1)) << shift));
}
