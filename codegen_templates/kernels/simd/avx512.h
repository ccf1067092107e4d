// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of x86-64 v4: AVX-512 F, BW, DQ and VL, sixteen lanes.
//
// Many plain intrinsics of g++ 12 pass an uninitialised vector and warn about it; the zeroing forms
// with a full mask compile to the same instruction without the warning.
#pragma once
#include <immintrin.h>

#include "vocabulary.h"

[[maybe_unused]] constexpr int kLanes = 16;
[[maybe_unused]] constexpr int kVectorRegisters = 32;
[[maybe_unused]] constexpr bool kFmaByLane = false;
struct Vf {
  __m512 v;
};
struct Vi {
  __m512i v;
};
struct Vm {
  __mmask16 v;
};
template <>
struct Lanes<Vf> {
  using Int = Vi;
  using Mask = Vm;
  [[maybe_unused]] static constexpr int kCount = kLanes;
};
[[maybe_unused]] constexpr __mmask16 kAllLanes = 0xffff;

MACEC_INLINE float fma(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fnmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}

// ---- loads and stores

MACEC_INLINE Vf make_lanes(Tag<Vf>, float v) {
  return Vf{_mm512_set1_ps(v)};
}
MACEC_INLINE Vi make_int_lanes(Tag<Vf>, uint32_t v) {
  return Vi{_mm512_set1_epi32(static_cast<int>(v))};
}
MACEC_INLINE __mmask16 lane_mask(Full) {
  return kAllLanes;
}
MACEC_INLINE __mmask16 lane_mask(Part n) {
  return static_cast<__mmask16>((1u << n.n) - 1u);
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Full) {
  return Vf{_mm512_loadu_ps(p)};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Part n) {
  return Vf{_mm512_maskz_loadu_ps(lane_mask(n), p)};
}
// Lanes put together in registers: a vector cannot be loaded from memory that was just written in pieces.
MACEC_INLINE __m256 load_8_apart(const float* p, int64_t s) {
  const float* q = p + 4 * s;
  return _mm256_setr_ps(p[0], p[s], p[2 * s], p[3 * s], q[0], q[s], q[2 * s], q[3 * s]);
}
MACEC_INLINE Vf load_apart(Tag<Vf>, const float* p, int64_t s, Full) {
  const __m512 low = _mm512_maskz_broadcast_f32x8(kAllLanes, load_8_apart(p, s));
  return Vf{_mm512_maskz_insertf32x8(kAllLanes, low, load_8_apart(p + 8 * s, s), 1)};
}
MACEC_INLINE void store_lanes(float* p, Vf v, Full) {
  _mm512_storeu_ps(p, v.v);
}
MACEC_INLINE void store_lanes(float* p, Vf v, Part n) {
  _mm512_mask_storeu_ps(p, lane_mask(n), v.v);
}
MACEC_INLINE Vi load_int_lanes(Tag<Vf>, const uint32_t* p) {
  return Vi{_mm512_loadu_si512(p)};
}
MACEC_INLINE void store_int_lanes(uint32_t* p, Vi v) {
  _mm512_storeu_si512(p, v.v);
}

// ---- bits and integers

MACEC_INLINE Vi to_bits(Vf a) {
  return Vi{_mm512_castps_si512(a.v)};
}
MACEC_INLINE Vf from_bits(Vi a) {
  return Vf{_mm512_castsi512_ps(a.v)};
}
MACEC_INLINE Vi to_int(Vf a) {
  return Vi{_mm512_maskz_cvtps_epi32(kAllLanes, a.v)};
}
MACEC_INLINE Vi trunc_int(Vf a) {
  return Vi{_mm512_maskz_cvttps_epi32(kAllLanes, a.v)};
}
MACEC_INLINE Vf to_float(Vi a) {
  return Vf{_mm512_maskz_cvtepi32_ps(kAllLanes, a.v)};
}
MACEC_INLINE Vi operator+(Vi a, Vi b) {
  return Vi{_mm512_add_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator-(Vi a, Vi b) {
  return Vi{_mm512_sub_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator&(Vi a, Vi b) {
  return Vi{_mm512_and_si512(a.v, b.v)};
}
MACEC_INLINE Vi operator|(Vi a, Vi b) {
  return Vi{_mm512_or_si512(a.v, b.v)};
}
MACEC_INLINE Vi operator^(Vi a, Vi b) {
  return Vi{_mm512_xor_si512(a.v, b.v)};
}
template <int k>
MACEC_INLINE Vi shift_left(Vi a) {
  return Vi{_mm512_maskz_slli_epi32(kAllLanes, a.v, k)};
}
template <int k>
MACEC_INLINE Vi shift_right(Vi a) {
  return Vi{_mm512_maskz_srai_epi32(kAllLanes, a.v, k)};
}
MACEC_INLINE Vm equal_int(Vi a, Vi b) {
  return Vm{_mm512_cmpeq_epi32_mask(a.v, b.v)};
}
MACEC_INLINE Vm greater_int(Vi a, Vi b) {
  return Vm{_mm512_cmpgt_epi32_mask(a.v, b.v)};
}

// ---- masks

MACEC_INLINE Vm operator<(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ)};
}
MACEC_INLINE Vm operator<=(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ)};
}
MACEC_INLINE Vm operator>(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_GT_OQ)};
}
MACEC_INLINE Vm operator>=(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_GE_OQ)};
}
MACEC_INLINE Vm operator==(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ)};
}
MACEC_INLINE Vm operator!=(Vf a, Vf b) {
  return Vm{_mm512_cmp_ps_mask(a.v, b.v, _CMP_NEQ_UQ)};
}
MACEC_INLINE Vm mask_and(Vm a, Vm b) {
  return Vm{static_cast<__mmask16>(a.v & b.v)};
}
MACEC_INLINE Vm mask_or(Vm a, Vm b) {
  return Vm{static_cast<__mmask16>(a.v | b.v)};
}
MACEC_INLINE Vm mask_not(Vm a) {
  return Vm{static_cast<__mmask16>(~a.v)};
}
MACEC_INLINE bool any(Vm a) {
  return a.v != 0;
}
MACEC_INLINE Vf select(Vm m, Vf a, Vf b) {
  return Vf{_mm512_mask_blend_ps(m.v, b.v, a.v)};
}
MACEC_INLINE Vi select(Vm m, Vi a, Vi b) {
  return Vi{_mm512_mask_blend_epi32(m.v, b.v, a.v)};
}

// ---- arithmetic

MACEC_INLINE Vf operator+(Vf a, Vf b) {
  return Vf{_mm512_add_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator-(Vf a, Vf b) {
  return Vf{_mm512_sub_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator*(Vf a, Vf b) {
  return Vf{_mm512_mul_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator/(Vf a, Vf b) {
  return Vf{_mm512_div_ps(a.v, b.v)};
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return Vf{_mm512_fmadd_ps(a.v, b.v, c.v)};
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return Vf{_mm512_fnmadd_ps(a.v, b.v, c.v)};
}
MACEC_INLINE Vf min_fast(Vf a, Vf b) {
  return Vf{_mm512_maskz_min_ps(kAllLanes, a.v, b.v)};
}
MACEC_INLINE Vf max_fast(Vf a, Vf b) {
  return Vf{_mm512_maskz_max_ps(kAllLanes, a.v, b.v)};
}
// The instructions return b when either is NaN, so only a NaN in a needs care.
MACEC_INLINE Vf min(Vf a, Vf b) {
  return select(a != a, a, min_fast(a, b));
}
MACEC_INLINE Vf max(Vf a, Vf b) {
  return select(a != a, a, max_fast(a, b));
}
MACEC_INLINE Vf abs(Vf a) {
  return from_bits(to_bits(a) & splat_int<Vf>(0x7fffffffu));
}
MACEC_INLINE Vf neg(Vf a) {
  return from_bits(to_bits(a) ^ splat_int<Vf>(0x80000000u));
}
MACEC_INLINE Vf copy_sign(Vf size, Vf sign) {
  return from_bits((to_bits(size) & splat_int<Vf>(0x7fffffffu)) |
                   (to_bits(sign) & splat_int<Vf>(0x80000000u)));
}
MACEC_INLINE Vf sqrt(Vf a) {
  return Vf{_mm512_maskz_sqrt_ps(kAllLanes, a.v)};
}
MACEC_INLINE Vf floor(Vf a) {
  return Vf{_mm512_maskz_roundscale_ps(kAllLanes, a.v, 9)};
}
MACEC_INLINE Vf ceil(Vf a) {
  return Vf{_mm512_maskz_roundscale_ps(kAllLanes, a.v, 10)};
}
MACEC_INLINE Vf trunc(Vf a) {
  return Vf{_mm512_maskz_roundscale_ps(kAllLanes, a.v, 11)};
}
MACEC_INLINE Vf round_even(Vf a) {
  return Vf{_mm512_maskz_roundscale_ps(kAllLanes, a.v, 8)};
}

MACEC_INLINE __m256 upper_half(Vf a) {
  return _mm512_maskz_extractf32x8_ps(0xff, a.v, 1);
}
MACEC_INLINE __m256 lower_half(Vf a) {
  return _mm512_maskz_extractf32x8_ps(0xff, a.v, 0);
}
MACEC_INLINE float first_lane(Vf a) {
  return _mm_cvtss_f32(_mm256_castps256_ps128(lower_half(a)));
}
MACEC_INLINE float sum(Vf a) {
  const __m256 eight = _mm256_add_ps(lower_half(a), upper_half(a));
  const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
// Four exchanges: halves, quarters, pairs, neighbours; afterwards every lane holds the result.
MACEC_INLINE Vf swap_halves(Vf a) {
  return Vf{_mm512_maskz_shuffle_f32x4(kAllLanes, a.v, a.v, 0x4e)};
}
MACEC_INLINE Vf swap_quarters(Vf a) {
  return Vf{_mm512_maskz_shuffle_f32x4(kAllLanes, a.v, a.v, 0xb1)};
}
MACEC_INLINE Vf swap_pairs(Vf a) {
  return Vf{_mm512_maskz_permute_ps(kAllLanes, a.v, 0x4e)};
}
MACEC_INLINE Vf swap_neighbours(Vf a) {
  return Vf{_mm512_maskz_permute_ps(kAllLanes, a.v, 0xb1)};
}
MACEC_INLINE float max_lane(Vf a) {
  a = max(a, swap_halves(a));
  a = max(a, swap_quarters(a));
  a = max(a, swap_pairs(a));
  return first_lane(max(a, swap_neighbours(a)));
}
MACEC_INLINE float min_lane(Vf a) {
  a = min(a, swap_halves(a));
  a = min(a, swap_quarters(a));
  a = min(a, swap_pairs(a));
  return first_lane(min(a, swap_neighbours(a)));
}

// ---- float16, bfloat16, small integers

template <class N>
MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, N n) {
  return Vf{_mm512_maskz_cvtph_ps(kAllLanes, _mm256_maskz_loadu_epi16(lane_mask(n), p))};
}
template <class N>
MACEC_INLINE void store_lanes(half_t* p, Vf a, N n) {
  _mm256_mask_storeu_epi16(p, lane_mask(n),
                           _mm512_maskz_cvtps_ph(kAllLanes, a.v, _MM_FROUND_TO_NEAREST_INT));
}
template <class N>
MACEC_INLINE Vf load_lanes(Tag<Vf>, const bfloat16_t* p, N n) {
  const __m256i bits = _mm256_maskz_loadu_epi16(lane_mask(n), p);
  return bfloat16_to_float<Vf>(Vi{_mm512_maskz_cvtepu16_epi32(kAllLanes, bits)});
}
template <class N>
MACEC_INLINE void store_lanes(bfloat16_t* p, Vf a, N n) {
  _mm256_mask_storeu_epi16(p, lane_mask(n),
                           _mm512_maskz_cvtepi32_epi16(kAllLanes, float_to_bfloat16(a).v));
}
template <class N>
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int32_t* p, N n) {
  return to_float(Vi{_mm512_maskz_loadu_epi32(lane_mask(n), p)});
}
template <class N>
MACEC_INLINE Vf load_lanes(Tag<Vf>, const uint8_t* p, N n) {
  return to_float(Vi{_mm512_maskz_cvtepu8_epi32(kAllLanes, _mm_maskz_loadu_epi8(lane_mask(n), p))});
}
template <class N>
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int8_t* p, N n) {
  return to_float(Vi{_mm512_maskz_cvtepi8_epi32(kAllLanes, _mm_maskz_loadu_epi8(lane_mask(n), p))});
}

template <class N>
MACEC_INLINE void store_lanes(uint8_t* p, Vf a, N n) {
  _mm_mask_storeu_epi8(p, lane_mask(n), _mm512_maskz_cvtepi32_epi8(kAllLanes, trunc_int(a).v));
}
template <class N>
MACEC_INLINE void store_lanes(int8_t* p, Vf a, N n) {
  _mm_mask_storeu_epi8(p, lane_mask(n), _mm512_maskz_cvtepi32_epi8(kAllLanes, trunc_int(a).v));
}
template <class N>
MACEC_INLINE void store_lanes(int32_t* p, Vf a, N n) {
  _mm512_mask_storeu_epi32(p, lane_mask(n), trunc_int(a).v);
}

// ---- squares of 4-byte elements: y[r][c] = x[c][r]; distances between rows in bytes

[[maybe_unused]] constexpr int kSquare = 8;
// Rows i and i + 4 of x as the halves of one register, so that the exchanges stay inside halves.
MACEC_INLINE __m256i two_rows(const char* x, int64_t x_row, int64_t byte) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + byte));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + 4 * x_row + byte));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}
MACEC_INLINE void transpose_half(const char* x, int64_t x_row, char* y, int64_t y_row,
                                 int64_t byte) {
  const __m256i a = two_rows(x, x_row, byte), b = two_rows(x + x_row, x_row, byte);
  const __m256i c = two_rows(x + 2 * x_row, x_row, byte), d = two_rows(x + 3 * x_row, x_row, byte);
  const __m256i ab_low = _mm256_unpacklo_epi32(a, b), ab_high = _mm256_unpackhi_epi32(a, b);
  const __m256i cd_low = _mm256_unpacklo_epi32(c, d), cd_high = _mm256_unpackhi_epi32(c, d);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y), _mm256_unpacklo_epi64(ab_low, cd_low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + y_row), _mm256_unpackhi_epi64(ab_low, cd_low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + 2 * y_row),
                      _mm256_unpacklo_epi64(ab_high, cd_high));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + 3 * y_row),
                      _mm256_unpackhi_epi64(ab_high, cd_high));
}
MACEC_INLINE void transpose_square(const char* x, int64_t x_row, char* y, int64_t y_row) {
  transpose_half(x, x_row, y, y_row, 0);
  transpose_half(x, x_row, y + 4 * y_row, y_row, 16);
}
