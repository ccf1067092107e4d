// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vector vocabulary: tags, storage types and the scalar (V = float) version of every function.
//
// A level file (sse2.h, avx2.h, ...) includes this first and then defines the same functions for
// its own Vf:
//
//   Vf, kLanes                         the level's vector of float and its number of lanes
//   kVectorRegisters, kFmaByLane       registers for them, 0 if unknown; whether
//   fma_lane(Lane<k>, a, b, c)         exists: a * b[k] + c, rounded as fma
//   Lanes<V>::kCount, ::Int, ::Mask    1 / uint32_t / bool for float; kLanes / Vi / Vm for Vf
//   load<V>(p, n)  store(p, v, n)      p: float, half_t, bfloat16_t, int32_t, int64_t, int8_t,
//   uint8_t; n: Full or Part load_strided<V>(p, stride, n)      lane i comes from p[i * stride];
//   store_strided is its mirror image splat<V>(f)  + - * /               elementwise fma(a, b, c)
//   fnma(a, b, c)        a * b + c and c - a * b; fused for V = float exactly where they are for Vf
//   min max  min_fast max_fast         a NaN wins / whatever one instruction does (never for lanes
//   that may hold NaN) abs neg copy_sign sqrt floor ceil trunc round_even < <= > >= == != give a
//   mask; mask_and mask_or mask_not, select(mask, a, b), any(mask) sum(v) max_lane(v) min_lane(v)
//   over the lanes; a NaN wins to_bits from_bits                  the same 32 bits as integer /
//   float to_int trunc_int to_float          int32 and back (nearest even / toward zero);
//   unspecified outside int32 splat_int<V>  + - & | ^  shift_left<k>  shift_right<k> (sign fills)
//   equal_int  greater_int (signed)  select
//
// Everything is written for a namespace: at global scope the names would meet those of <math.h> and
// <stdlib.h>. Include the system headers first, then these files inside a namespace, as generated
// code does.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(MACEC_INLINE)
#if defined(__GNUC__)
#define MACEC_INLINE [[maybe_unused]] inline __attribute__((always_inline))
#define MACEC_NOINLINE [[maybe_unused]] __attribute__((noinline))
#else
#define MACEC_INLINE [[maybe_unused]] inline
#define MACEC_NOINLINE [[maybe_unused]]
#endif
#endif

#if defined(__clang__)
// clang fuses a * b + c of scalars but not of wrapped vectors; tails must equal vectors.
#pragma clang fp contract(off)
#endif

struct half_t {  // IEEE binary16
  uint16_t bits;
};
struct bfloat16_t {  // upper half of a float
  uint16_t bits;
};

struct Full {};  // all lanes
struct Part {    // the first n lanes, 0 < n < lanes
  int n;
};

template <class V>
struct Lanes;
template <>
struct Lanes<float> {
  using Int = uint32_t;
  using Mask = bool;
  [[maybe_unused]] static constexpr int kCount = 1;
};
template <class V>
struct Tag {};  // names a V without having one
template <int k>
struct Lane {};  // names a lane

template <class V>
MACEC_INLINE int lane_count(Full) {
  return Lanes<V>::kCount;
}
template <class V>
MACEC_INLINE int lane_count(Part n) {
  return n.n;
}

// ---- float <-> bits

MACEC_INLINE uint32_t to_bits(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}
MACEC_INLINE float from_bits(uint32_t bits) {
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
template <int k>
MACEC_INLINE uint32_t shift_left(uint32_t a) {
  return a << k;
}
template <int k>
MACEC_INLINE uint32_t shift_right(uint32_t a) {
  return static_cast<uint32_t>(static_cast<int32_t>(a) >> k);
}
MACEC_INLINE bool equal_int(uint32_t a, uint32_t b) {
  return a == b;
}
MACEC_INLINE bool greater_int(uint32_t a, uint32_t b) {
  return static_cast<int32_t>(a) > static_cast<int32_t>(b);
}
MACEC_INLINE uint32_t select(bool m, uint32_t a, uint32_t b) {
  return m ? a : b;
}
MACEC_INLINE float to_float(uint32_t a) {
  return static_cast<float>(static_cast<int32_t>(a));
}
MACEC_INLINE uint32_t trunc_int(float v) {
  const bool fits = v >= -2147483648.0f && v < 2147483648.0f;
  return fits ? static_cast<uint32_t>(static_cast<int32_t>(v)) : 0x80000000u;
}
MACEC_INLINE uint32_t to_int(float v) {
  return trunc_int(rintf(v));
}

// ---- scalar arithmetic (fma and fnma are the level's)

MACEC_INLINE bool mask_and(bool a, bool b) {
  return a && b;
}
MACEC_INLINE bool mask_or(bool a, bool b) {
  return a || b;
}
MACEC_INLINE bool mask_not(bool a) {
  return !a;
}
MACEC_INLINE bool any(bool a) {
  return a;
}
MACEC_INLINE float select(bool m, float a, float b) {
  return m ? a : b;
}
MACEC_INLINE float min_fast(float a, float b) {
  return a < b ? a : b;
}
MACEC_INLINE float max_fast(float a, float b) {
  return a > b ? a : b;
}
MACEC_INLINE float min(float a, float b) {
  return a != a ? a : a < b ? a : b;
}
MACEC_INLINE float max(float a, float b) {
  return a != a ? a : a > b ? a : b;
}
MACEC_INLINE float abs(float v) {
  return from_bits(to_bits(v) & 0x7fffffffu);
}
MACEC_INLINE float neg(float v) {
  return from_bits(to_bits(v) ^ 0x80000000u);
}
MACEC_INLINE float copy_sign(float size, float sign) {
  return from_bits((to_bits(size) & 0x7fffffffu) | (to_bits(sign) & 0x80000000u));
}
MACEC_INLINE float sqrt(float v) {
  return sqrtf(v);
}
MACEC_INLINE float floor(float v) {
  return floorf(v);
}
MACEC_INLINE float ceil(float v) {
  return ceilf(v);
}
MACEC_INLINE float trunc(float v) {
  return truncf(v);
}
MACEC_INLINE float round_even(float v) {
  return rintf(v);
}
MACEC_INLINE float sum(float v) {
  return v;
}
MACEC_INLINE float max_lane(float v) {
  return v;
}
MACEC_INLINE float min_lane(float v) {
  return v;
}

// ---- making vectors: a level adds make_lanes, load_lanes and store_lanes overloads for its Vf

MACEC_INLINE float make_lanes(Tag<float>, float v) {
  return v;
}
MACEC_INLINE uint32_t make_int_lanes(Tag<float>, uint32_t v) {
  return v;
}
MACEC_INLINE uint32_t load_int_lanes(Tag<float>, const uint32_t* p) {
  return *p;
}
MACEC_INLINE void store_int_lanes(uint32_t* p, uint32_t v) {
  *p = v;
}
MACEC_INLINE float load_lanes(Tag<float>, const float* p, Full) {
  return *p;
}
MACEC_INLINE void store_lanes(float* p, float v, Full) {
  *p = v;
}

template <class V>
MACEC_INLINE V splat(float v) {
  return make_lanes(Tag<V>{}, v);
}
template <class V>
MACEC_INLINE typename Lanes<V>::Int splat_int(uint32_t v) {
  return make_int_lanes(Tag<V>{}, v);
}

// ---- float16 and bfloat16 by integer arithmetic, for levels without instructions and for scalars

// The float of 16 stored bits. Denormals come out exact without touching a denormal float; a
// signalling NaN is quieted.
template <class V>
MACEC_INLINE V half_to_float(typename Lanes<V>::Int h) {
  using I = typename Lanes<V>::Int;
  const I sign = shift_left<16>(h & splat_int<V>(0x8000u));
  const I exponent_mask = splat_int<V>(0x7c00u << 13);
  const I wide = shift_left<13>(h & splat_int<V>(0x7fffu));
  const I exponent = wide & exponent_mask;
  const I normal = wide + splat_int<V>((127u - 15u) << 23);
  const I quiet =
      select(greater_int(wide, exponent_mask), splat_int<V>(0x400000u), splat_int<V>(0));
  const I special = (normal + splat_int<V>((128u - 16u) << 23)) | quiet;
  const I shifted = normal + splat_int<V>(1u << 23);
  const I tiny = to_bits(from_bits(shifted) - from_bits(splat_int<V>(113u << 23)));
  const I finite = select(equal_int(exponent, splat_int<V>(0)), tiny, normal);
  return from_bits(select(equal_int(exponent, exponent_mask), special, finite) | sign);
}

// The 16 bits of the nearest float16, ties to even; overflow gives infinity; NaN stays NaN.
template <class V>
MACEC_INLINE typename Lanes<V>::Int float_to_half(V v) {
  using I = typename Lanes<V>::Int;
  const I sign = shift_right<16>(to_bits(v)) & splat_int<V>(0x8000u);
  const I size = to_bits(v) & splat_int<V>(0x7fffffffu);
  const I half = splat_int<V>(126u << 23);  // 0.5f: its last place is that of the smallest float16
  const I tiny = to_bits(from_bits(size) + from_bits(half)) - half;
  const I odd = shift_right<13>(size) & splat_int<V>(1);
  const I normal =
      shift_right<13>(size + splat_int<V>(0xc8000fffu) + odd);  // exponent - 112, round
  const I nan = splat_int<V>(0x7e00u) | (shift_right<13>(size) & splat_int<V>(0x3ffu));
  const I huge = select(greater_int(size, splat_int<V>(0x7f800000u)), nan, splat_int<V>(0x7c00u));
  const I small = select(greater_int(splat_int<V>(0x38800000u), size), tiny, normal);
  return sign | select(greater_int(size, splat_int<V>(0x477fffffu)), huge, small);
}

template <class V>
MACEC_INLINE V bfloat16_to_float(typename Lanes<V>::Int b) {
  return from_bits(shift_left<16>(b));
}

template <class V>
MACEC_INLINE typename Lanes<V>::Int float_to_bfloat16(V v) {
  using I = typename Lanes<V>::Int;
  const I bits = to_bits(v);
  const I top = shift_right<16>(bits) & splat_int<V>(0xffffu);
  const I rounded = shift_right<16>(bits + splat_int<V>(0x7fffu) + (top & splat_int<V>(1))) &
                    splat_int<V>(0xffffu);
  const I size = bits & splat_int<V>(0x7fffffffu);
  return select(greater_int(size, splat_int<V>(0x7f800000u)), top | splat_int<V>(0x40u), rounded);
}

// ---- loads and stores of every storage type; what a level does not add goes through a small array

MACEC_INLINE uint32_t stored_bits(half_t v) {
  return v.bits;
}
MACEC_INLINE uint32_t stored_bits(bfloat16_t v) {
  return v.bits;
}

template <class V, class T, class N>
MACEC_INLINE typename Lanes<V>::Int load_stored_bits(const T* p, N n) {
  uint32_t lanes[Lanes<V>::kCount] = {};
  for (int i = 0; i < lane_count<V>(n); ++i) lanes[i] = stored_bits(p[i]);
  return load_int_lanes(Tag<V>{}, lanes);
}
template <class V, class N>
MACEC_INLINE V load_lanes(Tag<V>, const half_t* p, N n) {
  return half_to_float<V>(load_stored_bits<V>(p, n));
}
template <class V, class N>
MACEC_INLINE V load_lanes(Tag<V>, const bfloat16_t* p, N n) {
  return bfloat16_to_float<V>(load_stored_bits<V>(p, n));
}
template <class V, class T, class N>
MACEC_INLINE V load_lanes(Tag<V>, const T* p, N n) {  // integers
  float lanes[Lanes<V>::kCount] = {};
  for (int i = 0; i < lane_count<V>(n); ++i) lanes[i] = static_cast<float>(p[i]);
  return load_lanes(Tag<V>{}, lanes, Full{});
}

template <class V, class N>
MACEC_INLINE void store_lanes(half_t* p, V v, N n) {
  uint32_t lanes[Lanes<V>::kCount];
  store_int_lanes(lanes, float_to_half(v));
  for (int i = 0; i < lane_count<V>(n); ++i) p[i].bits = static_cast<uint16_t>(lanes[i]);
}
template <class V, class N>
MACEC_INLINE void store_lanes(bfloat16_t* p, V v, N n) {
  uint32_t lanes[Lanes<V>::kCount];
  store_int_lanes(lanes, float_to_bfloat16(v));
  for (int i = 0; i < lane_count<V>(n); ++i) p[i].bits = static_cast<uint16_t>(lanes[i]);
}
template <class V, class T, class N>
MACEC_INLINE void store_lanes(T* p, V v,
                              N n) {  // integers up to 32 bits: toward zero, then the low bits
  uint32_t lanes[Lanes<V>::kCount];
  store_int_lanes(lanes, trunc_int(v));
  for (int i = 0; i < lane_count<V>(n); ++i) p[i] = static_cast<T>(static_cast<int32_t>(lanes[i]));
}
template <class V, class N>
MACEC_INLINE void store_lanes(int64_t* p, V v, N n) {
  float lanes[Lanes<V>::kCount];
  store_lanes(lanes, v, Full{});
  for (int i = 0; i < lane_count<V>(n); ++i) {
    const bool fits = lanes[i] >= -9223372036854775808.0f && lanes[i] < 9223372036854775808.0f;
    p[i] = fits ? static_cast<int64_t>(lanes[i]) : INT64_MIN;
  }
}

// Lanes beyond a Part are 0.
template <class V, class T, class N>
MACEC_INLINE V load(const T* p, N n) {
  return load_lanes(Tag<V>{}, p, n);
}
template <class T, class V, class N>
MACEC_INLINE void store(T* p, V v, N n) {
  store_lanes(p, v, n);
}

MACEC_INLINE float scalar_of(const float* p) {
  return *p;
}
template <class T>
MACEC_INLINE float scalar_of(const T* p) {
  return load<float>(p, Full{});
}

template <class V, class T, class N>
MACEC_INLINE V load_apart(Tag<V>, const T* p, int64_t stride, N n) {
  float lanes[Lanes<V>::kCount] = {};
  for (int i = 0; i < lane_count<V>(n); ++i) lanes[i] = scalar_of(p + i * stride);
  return load<V>(static_cast<const float*>(lanes), Full{});
}

// stride in elements, any sign; 0 and 1 are the fast cases.
template <class V, class T, class N>
MACEC_INLINE V load_strided(const T* p, int64_t stride, N n) {
  if (stride == 1) return load<V>(p, n);
  if (stride == 0) return splat<V>(scalar_of(p));
  return load_apart(Tag<V>{}, p, stride, n);
}
template <class T, class V, class N>
MACEC_INLINE void store_strided(T* p, int64_t stride, V v, N n) {
  if (stride == 1) return store(p, v, n);
  float lanes[Lanes<V>::kCount];
  store(lanes, v, Full{});
  for (int i = 0; i < lane_count<V>(n); ++i) store(p + i * stride, lanes[i], Full{});
}

// `after` in the first n lanes, `before` in the others.
template <class V>
MACEC_INLINE V first_lanes(V after, V before, Part n) {
  const float number[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const V lane = load<V>(static_cast<const float*>(number), Full{});
  return select(lane < splat<V>(static_cast<float>(n.n)), after, before);
}
