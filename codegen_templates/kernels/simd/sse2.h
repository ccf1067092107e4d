// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of the x86-64 baseline: SSE2, four lanes, no fused multiply-add.
#pragma once
#include <emmintrin.h>

#include "vocabulary.h"

[[maybe_unused]] constexpr int kLanes = 4;
[[maybe_unused]] constexpr int kVectorRegisters = 16;
[[maybe_unused]] constexpr bool kFmaByLane = false;
struct Vf {
  __m128 v;
};
struct Vi {
  __m128i v;
};
struct Vm {
  __m128 v;
};
template <>
struct Lanes<Vf> {
  using Int = Vi;
  using Mask = Vm;
  [[maybe_unused]] static constexpr int kCount = kLanes;
};

MACEC_INLINE float fma(float a, float b, float c) {
  return a * b + c;
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return c - a * b;
}

// ---- loads and stores

MACEC_INLINE Vf make_lanes(Tag<Vf>, float v) {
  return Vf{_mm_set1_ps(v)};
}
MACEC_INLINE Vi make_int_lanes(Tag<Vf>, uint32_t v) {
  return Vi{_mm_set1_epi32(static_cast<int>(v))};
}
MACEC_INLINE __m128i load_8_bytes(const void* p) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(p));
}
MACEC_INLINE void store_8_bytes(void* p, __m128i v) {
  _mm_storel_epi64(static_cast<__m128i*>(p), v);
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Full) {
  return Vf{_mm_loadu_ps(p)};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Part n) {
  if (n.n == 1) return Vf{_mm_load_ss(p)};
  const __m128 low = _mm_castsi128_ps(load_8_bytes(p));
  return Vf{n.n == 2 ? low : _mm_movelh_ps(low, _mm_load_ss(p + 2))};
}
// Lanes put together in registers: a vector cannot be loaded from memory that was just written in pieces.
MACEC_INLINE Vf load_apart(Tag<Vf>, const float* p, int64_t s, Full) {
  return Vf{_mm_setr_ps(p[0], p[s], p[2 * s], p[3 * s])};
}
MACEC_INLINE void store_lanes(float* p, Vf v, Full) {
  _mm_storeu_ps(p, v.v);
}
MACEC_INLINE void store_lanes(float* p, Vf v, Part n) {
  if (n.n == 1) return _mm_store_ss(p, v.v);
  store_8_bytes(p, _mm_castps_si128(v.v));
  if (n.n == 3) _mm_store_ss(p + 2, _mm_movehl_ps(v.v, v.v));
}
MACEC_INLINE Vi load_int_lanes(Tag<Vf>, const uint32_t* p) {
  return Vi{_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
}
MACEC_INLINE void store_int_lanes(uint32_t* p, Vi v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v.v);
}

// ---- bits and integers

MACEC_INLINE Vi to_bits(Vf a) {
  return Vi{_mm_castps_si128(a.v)};
}
MACEC_INLINE Vf from_bits(Vi a) {
  return Vf{_mm_castsi128_ps(a.v)};
}
MACEC_INLINE Vi to_int(Vf a) {
  return Vi{_mm_cvtps_epi32(a.v)};
}
MACEC_INLINE Vi trunc_int(Vf a) {
  return Vi{_mm_cvttps_epi32(a.v)};
}
MACEC_INLINE Vf to_float(Vi a) {
  return Vf{_mm_cvtepi32_ps(a.v)};
}
MACEC_INLINE Vi operator+(Vi a, Vi b) {
  return Vi{_mm_add_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator-(Vi a, Vi b) {
  return Vi{_mm_sub_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator&(Vi a, Vi b) {
  return Vi{_mm_and_si128(a.v, b.v)};
}
MACEC_INLINE Vi operator|(Vi a, Vi b) {
  return Vi{_mm_or_si128(a.v, b.v)};
}
MACEC_INLINE Vi operator^(Vi a, Vi b) {
  return Vi{_mm_xor_si128(a.v, b.v)};
}
template <int k>
MACEC_INLINE Vi shift_left(Vi a) {
  return Vi{_mm_slli_epi32(a.v, k)};
}
template <int k>
MACEC_INLINE Vi shift_right(Vi a) {
  return Vi{_mm_srai_epi32(a.v, k)};
}
MACEC_INLINE Vm equal_int(Vi a, Vi b) {
  return Vm{_mm_castsi128_ps(_mm_cmpeq_epi32(a.v, b.v))};
}
MACEC_INLINE Vm greater_int(Vi a, Vi b) {
  return Vm{_mm_castsi128_ps(_mm_cmpgt_epi32(a.v, b.v))};
}

// ---- masks

MACEC_INLINE Vm operator<(Vf a, Vf b) {
  return Vm{_mm_cmplt_ps(a.v, b.v)};
}
MACEC_INLINE Vm operator<=(Vf a, Vf b) {
  return Vm{_mm_cmple_ps(a.v, b.v)};
}
MACEC_INLINE Vm operator>(Vf a, Vf b) {
  return Vm{_mm_cmpgt_ps(a.v, b.v)};
}
MACEC_INLINE Vm operator>=(Vf a, Vf b) {
  return Vm{_mm_cmpge_ps(a.v, b.v)};
}
MACEC_INLINE Vm operator==(Vf a, Vf b) {
  return Vm{_mm_cmpeq_ps(a.v, b.v)};
}
MACEC_INLINE Vm operator!=(Vf a, Vf b) {
  return Vm{_mm_cmpneq_ps(a.v, b.v)};
}
MACEC_INLINE Vm mask_and(Vm a, Vm b) {
  return Vm{_mm_and_ps(a.v, b.v)};
}
MACEC_INLINE Vm mask_or(Vm a, Vm b) {
  return Vm{_mm_or_ps(a.v, b.v)};
}
MACEC_INLINE Vm mask_not(Vm a) {
  return Vm{_mm_xor_ps(a.v, _mm_castsi128_ps(_mm_set1_epi32(-1)))};
}
MACEC_INLINE bool any(Vm a) {
  return _mm_movemask_ps(a.v) != 0;
}
MACEC_INLINE Vf select(Vm m, Vf a, Vf b) {
  return Vf{_mm_or_ps(_mm_and_ps(m.v, a.v), _mm_andnot_ps(m.v, b.v))};
}
MACEC_INLINE Vi select(Vm m, Vi a, Vi b) {
  return to_bits(select(m, from_bits(a), from_bits(b)));
}

// ---- arithmetic

MACEC_INLINE Vf operator+(Vf a, Vf b) {
  return Vf{_mm_add_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator-(Vf a, Vf b) {
  return Vf{_mm_sub_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator*(Vf a, Vf b) {
  return Vf{_mm_mul_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator/(Vf a, Vf b) {
  return Vf{_mm_div_ps(a.v, b.v)};
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return a * b + c;
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return c - a * b;
}
MACEC_INLINE Vf min_fast(Vf a, Vf b) {
  return Vf{_mm_min_ps(a.v, b.v)};
}
MACEC_INLINE Vf max_fast(Vf a, Vf b) {
  return Vf{_mm_max_ps(a.v, b.v)};
}
// The instructions return b when either is NaN, so only a NaN in a needs care.
MACEC_INLINE Vf min(Vf a, Vf b) {
  return select(a != a, a, min_fast(a, b));
}
MACEC_INLINE Vf max(Vf a, Vf b) {
  return select(a != a, a, max_fast(a, b));
}
MACEC_INLINE Vf abs(Vf a) {
  return Vf{_mm_andnot_ps(_mm_set1_ps(-0.0f), a.v)};
}
MACEC_INLINE Vf neg(Vf a) {
  return Vf{_mm_xor_ps(_mm_set1_ps(-0.0f), a.v)};
}
MACEC_INLINE Vf copy_sign(Vf size, Vf sign) {
  const __m128 bit = _mm_set1_ps(-0.0f);
  return Vf{_mm_or_ps(_mm_andnot_ps(bit, size.v), _mm_and_ps(bit, sign.v))};
}
MACEC_INLINE Vf sqrt(Vf a) {
  return Vf{_mm_sqrt_ps(a.v)};
}

// SSE2 cannot round to a float. From 2^23 on (and for NaN) a float is its own integer part; below,
// int32 holds it. Zeros keep the sign of a.
MACEC_INLINE Vf keep_large(Vf a, Vf rounded) {
  return select(abs(a) < splat<Vf>(8388608.0f), copy_sign(rounded, a), a);
}
MACEC_INLINE Vf trunc(Vf a) {
  return keep_large(a, to_float(trunc_int(a)));
}
MACEC_INLINE Vf round_even(Vf a) {
  return keep_large(a, to_float(to_int(a)));
}
MACEC_INLINE Vf floor(Vf a) {
  const Vf t = to_float(trunc_int(a));
  return keep_large(a, t - Vf{_mm_and_ps((t > a).v, _mm_set1_ps(1.0f))});
}
MACEC_INLINE Vf ceil(Vf a) {
  const Vf t = to_float(trunc_int(a));
  return keep_large(a, t + Vf{_mm_and_ps((t < a).v, _mm_set1_ps(1.0f))});
}

MACEC_INLINE float sum(Vf a) {
  const __m128 pairs = _mm_add_ps(a.v, _mm_movehl_ps(a.v, a.v));
  return _mm_cvtss_f32(_mm_add_ss(pairs, _mm_shuffle_ps(pairs, pairs, 1)));
}
MACEC_INLINE float max_lane(Vf a) {
  const Vf pairs = max(a, Vf{_mm_movehl_ps(a.v, a.v)});
  return _mm_cvtss_f32(max(pairs, Vf{_mm_shuffle_ps(pairs.v, pairs.v, 1)}).v);
}
MACEC_INLINE float min_lane(Vf a) {
  const Vf pairs = min(a, Vf{_mm_movehl_ps(a.v, a.v)});
  return _mm_cvtss_f32(min(pairs, Vf{_mm_shuffle_ps(pairs.v, pairs.v, 1)}).v);
}

// ---- float16 and bfloat16

MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, Full) {
  return half_to_float<Vf>(Vi{_mm_unpacklo_epi16(load_8_bytes(p), _mm_setzero_si128())});
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const bfloat16_t* p, Full) {
  return Vf{_mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), load_8_bytes(p)))};
}
// Low 16 bits of each lane, side by side. packs_epi32 saturates, so the lanes are sign-extended
// first.
MACEC_INLINE void store_low_halves(void* p, Vi a) {
  const __m128i extended = shift_right<16>(shift_left<16>(a)).v;
  store_8_bytes(p, _mm_packs_epi32(extended, extended));
}
MACEC_INLINE void store_lanes(half_t* p, Vf a, Full) {
  store_low_halves(p, float_to_half(a));
}
MACEC_INLINE void store_lanes(bfloat16_t* p, Vf a, Full) {
  store_low_halves(p, float_to_bfloat16(a));
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int32_t* p, Full) {
  return to_float(Vi{_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))});
}

MACEC_INLINE __m128i load_4_bytes(const void* p) {
  int bits;
  memcpy(&bits, p, sizeof bits);
  return _mm_cvtsi32_si128(bits);
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const uint8_t* p, Full) {
  const __m128i zero = _mm_setzero_si128();
  return to_float(Vi{_mm_unpacklo_epi16(_mm_unpacklo_epi8(load_4_bytes(p), zero), zero)});
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int8_t* p,
                           Full) {  // each byte on top of its lane, then down
  const __m128i two = _mm_unpacklo_epi8(load_4_bytes(p), load_4_bytes(p));
  return to_float(shift_right<24>(Vi{_mm_unpacklo_epi16(two, two)}));
}
MACEC_INLINE void store_low_bytes(void* p, Vi a) {
  const __m128i two = _mm_packs_epi32((a & splat_int<Vf>(0xff)).v, _mm_setzero_si128());
  const int bits = _mm_cvtsi128_si32(_mm_packus_epi16(two, two));
  memcpy(p, &bits, sizeof bits);
}
MACEC_INLINE void store_lanes(uint8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int32_t* p, Vf a, Full) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), trunc_int(a).v);
}

// ---- squares of 4-byte elements: y[r][c] = x[c][r]; distances between rows in bytes

[[maybe_unused]] constexpr int kSquare = 4;
MACEC_INLINE void transpose_square(const char* x, int64_t x_row, char* y, int64_t y_row) {
  const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x));
  const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + x_row));
  const __m128i c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + 2 * x_row));
  const __m128i d = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + 3 * x_row));
  const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
  const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y), _mm_unpacklo_epi64(ab_low, cd_low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y + y_row), _mm_unpackhi_epi64(ab_low, cd_low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y + 2 * y_row), _mm_unpacklo_epi64(ab_high, cd_high));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(y + 3 * y_row), _mm_unpackhi_epi64(ab_high, cd_high));
}
