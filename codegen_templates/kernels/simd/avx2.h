// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of x86-64 v3: AVX2, FMA and F16C, eight lanes.
#pragma once
#include <immintrin.h>

#include "vocabulary.h"

[[maybe_unused]] constexpr int kLanes = 8;
[[maybe_unused]] constexpr int kVectorRegisters = 16;
[[maybe_unused]] constexpr bool kFmaByLane = false;
struct Vf {
  __m256 v;
};
struct Vi {
  __m256i v;
};
struct Vm {
  __m256 v;
};
template <>
struct Lanes<Vf> {
  using Int = Vi;
  using Mask = Vm;
  [[maybe_unused]] static constexpr int kCount = kLanes;
};

MACEC_INLINE float fma(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return _mm_cvtss_f32(_mm_fnmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c)));
}

// ---- loads and stores

MACEC_INLINE Vf make_lanes(Tag<Vf>, float v) {
  return Vf{_mm256_set1_ps(v)};
}
MACEC_INLINE Vi make_int_lanes(Tag<Vf>, uint32_t v) {
  return Vi{_mm256_set1_epi32(static_cast<int>(v))};
}
MACEC_INLINE __m256i part_mask(Part n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n.n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Full) {
  return Vf{_mm256_loadu_ps(p)};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Part n) {
  return Vf{_mm256_maskload_ps(p, part_mask(n))};
}
// Lanes put together in registers: a vector cannot be loaded from memory that was just written in pieces.
MACEC_INLINE Vf load_apart(Tag<Vf>, const float* p, int64_t s, Full) {
  const float* q = p + 4 * s;
  return Vf{_mm256_setr_ps(p[0], p[s], p[2 * s], p[3 * s], q[0], q[s], q[2 * s], q[3 * s])};
}
MACEC_INLINE void store_lanes(float* p, Vf v, Full) {
  _mm256_storeu_ps(p, v.v);
}
// Not maskstore: processors of AMD need a dozen cycles for it.
MACEC_INLINE void store_lanes(float* p, Vf v, Part n) {
  __m128 left = _mm256_castps256_ps128(v.v);
  if ((n.n & 4) != 0) {
    _mm_storeu_ps(p, left);
    p += 4;
    left = _mm256_extractf128_ps(v.v, 1);
  }
  if ((n.n & 2) != 0) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_castps_si128(left));
    p += 2;
    left = _mm_movehl_ps(left, left);
  }
  if ((n.n & 1) != 0) _mm_store_ss(p, left);
}
MACEC_INLINE Vi load_int_lanes(Tag<Vf>, const uint32_t* p) {
  return Vi{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
MACEC_INLINE void store_int_lanes(uint32_t* p, Vi v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v.v);
}

// ---- bits and integers

MACEC_INLINE Vi to_bits(Vf a) {
  return Vi{_mm256_castps_si256(a.v)};
}
MACEC_INLINE Vf from_bits(Vi a) {
  return Vf{_mm256_castsi256_ps(a.v)};
}
MACEC_INLINE Vi to_int(Vf a) {
  return Vi{_mm256_cvtps_epi32(a.v)};
}
MACEC_INLINE Vi trunc_int(Vf a) {
  return Vi{_mm256_cvttps_epi32(a.v)};
}
MACEC_INLINE Vf to_float(Vi a) {
  return Vf{_mm256_cvtepi32_ps(a.v)};
}
MACEC_INLINE Vi operator+(Vi a, Vi b) {
  return Vi{_mm256_add_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator-(Vi a, Vi b) {
  return Vi{_mm256_sub_epi32(a.v, b.v)};
}
MACEC_INLINE Vi operator&(Vi a, Vi b) {
  return Vi{_mm256_and_si256(a.v, b.v)};
}
MACEC_INLINE Vi operator|(Vi a, Vi b) {
  return Vi{_mm256_or_si256(a.v, b.v)};
}
MACEC_INLINE Vi operator^(Vi a, Vi b) {
  return Vi{_mm256_xor_si256(a.v, b.v)};
}
template <int k>
MACEC_INLINE Vi shift_left(Vi a) {
  return Vi{_mm256_slli_epi32(a.v, k)};
}
template <int k>
MACEC_INLINE Vi shift_right(Vi a) {
  return Vi{_mm256_srai_epi32(a.v, k)};
}
MACEC_INLINE Vm equal_int(Vi a, Vi b) {
  return Vm{_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))};
}
MACEC_INLINE Vm greater_int(Vi a, Vi b) {
  return Vm{_mm256_castsi256_ps(_mm256_cmpgt_epi32(a.v, b.v))};
}

// ---- masks

MACEC_INLINE Vm operator<(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
}
MACEC_INLINE Vm operator<=(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)};
}
MACEC_INLINE Vm operator>(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)};
}
MACEC_INLINE Vm operator>=(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)};
}
MACEC_INLINE Vm operator==(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_EQ_OQ)};
}
MACEC_INLINE Vm operator!=(Vf a, Vf b) {
  return Vm{_mm256_cmp_ps(a.v, b.v, _CMP_NEQ_UQ)};
}
MACEC_INLINE Vm mask_and(Vm a, Vm b) {
  return Vm{_mm256_and_ps(a.v, b.v)};
}
MACEC_INLINE Vm mask_or(Vm a, Vm b) {
  return Vm{_mm256_or_ps(a.v, b.v)};
}
MACEC_INLINE Vm mask_not(Vm a) {
  return Vm{_mm256_xor_ps(a.v, _mm256_castsi256_ps(_mm256_set1_epi32(-1)))};
}
MACEC_INLINE bool any(Vm a) {
  return _mm256_movemask_ps(a.v) != 0;
}
MACEC_INLINE Vf select(Vm m, Vf a, Vf b) {
  return Vf{_mm256_blendv_ps(b.v, a.v, m.v)};
}
MACEC_INLINE Vi select(Vm m, Vi a, Vi b) {
  return to_bits(select(m, from_bits(a), from_bits(b)));
}

// ---- arithmetic

MACEC_INLINE Vf operator+(Vf a, Vf b) {
  return Vf{_mm256_add_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator-(Vf a, Vf b) {
  return Vf{_mm256_sub_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator*(Vf a, Vf b) {
  return Vf{_mm256_mul_ps(a.v, b.v)};
}
MACEC_INLINE Vf operator/(Vf a, Vf b) {
  return Vf{_mm256_div_ps(a.v, b.v)};
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return Vf{_mm256_fmadd_ps(a.v, b.v, c.v)};
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return Vf{_mm256_fnmadd_ps(a.v, b.v, c.v)};
}
MACEC_INLINE Vf min_fast(Vf a, Vf b) {
  return Vf{_mm256_min_ps(a.v, b.v)};
}
MACEC_INLINE Vf max_fast(Vf a, Vf b) {
  return Vf{_mm256_max_ps(a.v, b.v)};
}
// The instructions return b when either is NaN, so only a NaN in a needs care.
MACEC_INLINE Vf min(Vf a, Vf b) {
  return select(a != a, a, min_fast(a, b));
}
MACEC_INLINE Vf max(Vf a, Vf b) {
  return select(a != a, a, max_fast(a, b));
}
MACEC_INLINE Vf abs(Vf a) {
  return Vf{_mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v)};
}
MACEC_INLINE Vf neg(Vf a) {
  return Vf{_mm256_xor_ps(_mm256_set1_ps(-0.0f), a.v)};
}
MACEC_INLINE Vf copy_sign(Vf size, Vf sign) {
  const __m256 bit = _mm256_set1_ps(-0.0f);
  return Vf{_mm256_or_ps(_mm256_andnot_ps(bit, size.v), _mm256_and_ps(bit, sign.v))};
}
MACEC_INLINE Vf sqrt(Vf a) {
  return Vf{_mm256_sqrt_ps(a.v)};
}
MACEC_INLINE Vf floor(Vf a) {
  return Vf{_mm256_floor_ps(a.v)};
}
MACEC_INLINE Vf ceil(Vf a) {
  return Vf{_mm256_ceil_ps(a.v)};
}
MACEC_INLINE Vf trunc(Vf a) {
  return Vf{_mm256_round_ps(a.v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
}
MACEC_INLINE Vf round_even(Vf a) {
  return Vf{_mm256_round_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}

MACEC_INLINE __m128 upper_half(Vf a) {
  return _mm256_extractf128_ps(a.v, 1);
}
MACEC_INLINE __m128 lower_half(Vf a) {
  return _mm256_castps256_ps128(a.v);
}
MACEC_INLINE float sum(Vf a) {
  const __m128 four = _mm_add_ps(lower_half(a), upper_half(a));
  const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
}
// Three exchanges: halves, pairs, neighbours; afterwards every lane holds the result.
MACEC_INLINE Vf swap_halves(Vf a) {
  return Vf{_mm256_permute2f128_ps(a.v, a.v, 1)};
}
MACEC_INLINE Vf swap_pairs(Vf a) {
  return Vf{_mm256_permute_ps(a.v, 0x4e)};
}
MACEC_INLINE Vf swap_neighbours(Vf a) {
  return Vf{_mm256_permute_ps(a.v, 0xb1)};
}
MACEC_INLINE float max_lane(Vf a) {
  a = max(a, swap_halves(a));
  a = max(a, swap_pairs(a));
  return _mm_cvtss_f32(lower_half(max(a, swap_neighbours(a))));
}
MACEC_INLINE float min_lane(Vf a) {
  a = min(a, swap_halves(a));
  a = min(a, swap_pairs(a));
  return _mm_cvtss_f32(lower_half(min(a, swap_neighbours(a))));
}

// ---- float16, bfloat16, small integers

MACEC_INLINE __m128i load_16_bytes(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
MACEC_INLINE __m128i load_8_bytes(const void* p) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(p));
}
MACEC_INLINE __m128i float_to_halves(Vf a) {
  return _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT);
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, Full) {
  return Vf{_mm256_cvtph_ps(load_16_bytes(p))};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, Part n) {
  half_t lanes[kLanes] = {};
  for (int i = 0; i < n.n; ++i) lanes[i] = p[i];
  return Vf{_mm256_cvtph_ps(load_16_bytes(lanes))};
}
MACEC_INLINE void store_lanes(half_t* p, Vf a, Full) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), float_to_halves(a));
}
MACEC_INLINE void store_lanes(half_t* p, Vf a, Part n) {
  half_t lanes[kLanes];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lanes), float_to_halves(a));
  for (int i = 0; i < n.n; ++i) p[i] = lanes[i];
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const bfloat16_t* p, Full) {
  return bfloat16_to_float<Vf>(Vi{_mm256_cvtepu16_epi32(load_16_bytes(p))});
}
MACEC_INLINE void store_lanes(bfloat16_t* p, Vf a, Full) {
  const __m256i wide = float_to_bfloat16(a).v;  // 0 ... 65535: packus does not saturate
  const __m128i low = _mm256_castsi256_si128(wide);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p),
                   _mm_packus_epi32(low, _mm256_extracti128_si256(wide, 1)));
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int32_t* p, Full) {
  return to_float(Vi{_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))});
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const uint8_t* p, Full) {
  return to_float(Vi{_mm256_cvtepu8_epi32(load_8_bytes(p))});
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int8_t* p, Full) {
  return to_float(Vi{_mm256_cvtepi8_epi32(load_8_bytes(p))});
}

MACEC_INLINE void store_low_bytes(void* p, Vi a) {
  const __m256i low = (a & splat_int<Vf>(0xff)).v;
  const __m128i two =
      _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
  _mm_storel_epi64(static_cast<__m128i*>(p), _mm_packus_epi16(two, two));
}
MACEC_INLINE void store_lanes(uint8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int32_t* p, Vf a, Full) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), trunc_int(a).v);
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
