// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of NEON, four lanes, for AArch64 and for ARMv7 (-mfpu=neon or better).
//
// On ARMv7 vector instructions flush denormals to zero, cannot divide, take roots or round, and
// fuse multiply-add only from VFPv4 on. Division and square root go through the scalar unit there,
// lane by lane, and are exact.
#pragma once
#include <arm_neon.h>

#include "vocabulary.h"

[[maybe_unused]] constexpr int kLanes = 4;
[[maybe_unused]] constexpr int kVectorRegisters = sizeof(void*) == 8 ? 32 : 16;
[[maybe_unused]] constexpr bool kFmaByLane = true;
struct Vf {
  float32x4_t v;
};
struct Vi {
  uint32x4_t v;
};
struct Vm {
  uint32x4_t v;
};
template <>
struct Lanes<Vf> {
  using Int = Vi;
  using Mask = Vm;
  [[maybe_unused]] static constexpr int kCount = kLanes;
};

// ---- loads and stores

MACEC_INLINE Vf make_lanes(Tag<Vf>, float v) {
  return Vf{vdupq_n_f32(v)};
}
MACEC_INLINE Vi make_int_lanes(Tag<Vf>, uint32_t v) {
  return Vi{vdupq_n_u32(v)};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Full) {
  return Vf{vld1q_f32(p)};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Part n) {
  float32x4_t v = vsetq_lane_f32(p[0], vdupq_n_f32(0.0f), 0);
  if (n.n > 1) v = vld1q_lane_f32(p + 1, v, 1);
  if (n.n > 2) v = vld1q_lane_f32(p + 2, v, 2);
  return Vf{v};
}
MACEC_INLINE Vf load_apart(Tag<Vf>, const float* p, int64_t s, Full) {
  float32x4_t v = vld1q_dup_f32(p);
  v = vld1q_lane_f32(p + s, v, 1);
  v = vld1q_lane_f32(p + 2 * s, v, 2);
  return Vf{vld1q_lane_f32(p + 3 * s, v, 3)};
}
MACEC_INLINE void store_lanes(float* p, Vf v, Full) {
  vst1q_f32(p, v.v);
}
MACEC_INLINE void store_lanes(float* p, Vf v, Part n) {
  vst1q_lane_f32(p, v.v, 0);
  if (n.n > 1) vst1q_lane_f32(p + 1, v.v, 1);
  if (n.n > 2) vst1q_lane_f32(p + 2, v.v, 2);
}
MACEC_INLINE Vi load_int_lanes(Tag<Vf>, const uint32_t* p) {
  return Vi{vld1q_u32(p)};
}
MACEC_INLINE void store_int_lanes(uint32_t* p, Vi v) {
  vst1q_u32(p, v.v);
}

// ---- bits and integers

MACEC_INLINE Vi to_bits(Vf a) {
  return Vi{vreinterpretq_u32_f32(a.v)};
}
MACEC_INLINE Vf from_bits(Vi a) {
  return Vf{vreinterpretq_f32_u32(a.v)};
}
MACEC_INLINE Vi trunc_int(Vf a) {
  return Vi{vreinterpretq_u32_s32(vcvtq_s32_f32(a.v))};
}
MACEC_INLINE Vf to_float(Vi a) {
  return Vf{vcvtq_f32_s32(vreinterpretq_s32_u32(a.v))};
}
MACEC_INLINE Vi operator+(Vi a, Vi b) {
  return Vi{vaddq_u32(a.v, b.v)};
}
MACEC_INLINE Vi operator-(Vi a, Vi b) {
  return Vi{vsubq_u32(a.v, b.v)};
}
MACEC_INLINE Vi operator&(Vi a, Vi b) {
  return Vi{vandq_u32(a.v, b.v)};
}
MACEC_INLINE Vi operator|(Vi a, Vi b) {
  return Vi{vorrq_u32(a.v, b.v)};
}
MACEC_INLINE Vi operator^(Vi a, Vi b) {
  return Vi{veorq_u32(a.v, b.v)};
}
template <int k>
MACEC_INLINE Vi shift_left(Vi a) {
  return Vi{vshlq_n_u32(a.v, k)};
}
template <int k>
MACEC_INLINE Vi shift_right(Vi a) {
  return Vi{vreinterpretq_u32_s32(vshrq_n_s32(vreinterpretq_s32_u32(a.v), k))};
}
MACEC_INLINE Vm equal_int(Vi a, Vi b) {
  return Vm{vceqq_u32(a.v, b.v)};
}
MACEC_INLINE Vm greater_int(Vi a, Vi b) {
  return Vm{vcgtq_s32(vreinterpretq_s32_u32(a.v), vreinterpretq_s32_u32(b.v))};
}

// ---- masks

MACEC_INLINE Vm operator<(Vf a, Vf b) {
  return Vm{vcltq_f32(a.v, b.v)};
}
MACEC_INLINE Vm operator<=(Vf a, Vf b) {
  return Vm{vcleq_f32(a.v, b.v)};
}
MACEC_INLINE Vm operator>(Vf a, Vf b) {
  return Vm{vcgtq_f32(a.v, b.v)};
}
MACEC_INLINE Vm operator>=(Vf a, Vf b) {
  return Vm{vcgeq_f32(a.v, b.v)};
}
MACEC_INLINE Vm operator==(Vf a, Vf b) {
  return Vm{vceqq_f32(a.v, b.v)};
}
MACEC_INLINE Vm operator!=(Vf a, Vf b) {
  return Vm{vmvnq_u32(vceqq_f32(a.v, b.v))};
}
MACEC_INLINE Vm mask_and(Vm a, Vm b) {
  return Vm{vandq_u32(a.v, b.v)};
}
MACEC_INLINE Vm mask_or(Vm a, Vm b) {
  return Vm{vorrq_u32(a.v, b.v)};
}
MACEC_INLINE Vm mask_not(Vm a) {
  return Vm{vmvnq_u32(a.v)};
}
MACEC_INLINE bool any(Vm a) {
  const uint32x2_t two = vorr_u32(vget_low_u32(a.v), vget_high_u32(a.v));
  return (vget_lane_u32(two, 0) | vget_lane_u32(two, 1)) != 0;
}
MACEC_INLINE Vf select(Vm m, Vf a, Vf b) {
  return Vf{vbslq_f32(m.v, a.v, b.v)};
}
MACEC_INLINE Vi select(Vm m, Vi a, Vi b) {
  return Vi{vbslq_u32(m.v, a.v, b.v)};
}

// ---- arithmetic of both

MACEC_INLINE Vf operator+(Vf a, Vf b) {
  return Vf{vaddq_f32(a.v, b.v)};
}
MACEC_INLINE Vf operator-(Vf a, Vf b) {
  return Vf{vsubq_f32(a.v, b.v)};
}
MACEC_INLINE Vf operator*(Vf a, Vf b) {
  return Vf{vmulq_f32(a.v, b.v)};
}
// The instructions already let a NaN win.
MACEC_INLINE Vf min_fast(Vf a, Vf b) {
  return Vf{vminq_f32(a.v, b.v)};
}
MACEC_INLINE Vf max_fast(Vf a, Vf b) {
  return Vf{vmaxq_f32(a.v, b.v)};
}
MACEC_INLINE Vf min(Vf a, Vf b) {
  return Vf{vminq_f32(a.v, b.v)};
}
MACEC_INLINE Vf max(Vf a, Vf b) {
  return Vf{vmaxq_f32(a.v, b.v)};
}
MACEC_INLINE Vf abs(Vf a) {
  return Vf{vabsq_f32(a.v)};
}
MACEC_INLINE Vf neg(Vf a) {
  return Vf{vnegq_f32(a.v)};
}
MACEC_INLINE Vf copy_sign(Vf size, Vf sign) {
  return Vf{vbslq_f32(vdupq_n_u32(0x80000000u), sign.v, size.v)};
}

#if defined(__aarch64__)

MACEC_INLINE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return __builtin_fmaf(-a, b, c);
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return Vf{vfmaq_f32(c.v, a.v, b.v)};
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return Vf{vfmsq_f32(c.v, a.v, b.v)};
}
template <int k>
MACEC_INLINE Vf fma_lane(Lane<k>, Vf a, Vf b, Vf c) {
#if defined(__clang__)
  return Vf{vfmaq_laneq_f32(c.v, a.v, b.v, k)};
#else
  // g++ 12 copies accumulators around the intrinsic; an operand that is both read and written
  // stays.
  __asm__("fmla %0.4s, %1.4s, %2.s[%3]" : "+w"(c.v) : "w"(a.v), "w"(b.v), "i"(k));
  return c;
#endif
}
MACEC_INLINE Vf operator/(Vf a, Vf b) {
  return Vf{vdivq_f32(a.v, b.v)};
}
MACEC_INLINE Vf sqrt(Vf a) {
  return Vf{vsqrtq_f32(a.v)};
}
MACEC_INLINE Vf floor(Vf a) {
  return Vf{vrndmq_f32(a.v)};
}
MACEC_INLINE Vf ceil(Vf a) {
  return Vf{vrndpq_f32(a.v)};
}
MACEC_INLINE Vf trunc(Vf a) {
  return Vf{vrndq_f32(a.v)};
}
MACEC_INLINE Vf round_even(Vf a) {
  return Vf{vrndnq_f32(a.v)};
}
MACEC_INLINE Vi to_int(Vf a) {
  return Vi{vreinterpretq_u32_s32(vcvtnq_s32_f32(a.v))};
}
MACEC_INLINE float sum(Vf a) {
  return vaddvq_f32(a.v);
}
MACEC_INLINE float max_lane(Vf a) {
  return vmaxvq_f32(a.v);
}
MACEC_INLINE float min_lane(Vf a) {
  return vminvq_f32(a.v);
}

MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, Full) {
  return Vf{vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(&p->bits)))};
}
MACEC_INLINE void store_lanes(half_t* p, Vf a, Full) {
  vst1_u16(&p->bits, vreinterpret_u16_f16(vcvt_f16_f32(a.v)));
}

#else

#if defined(__ARM_FEATURE_FMA)
MACEC_INLINE float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return __builtin_fmaf(-a, b, c);
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return Vf{vfmaq_f32(c.v, a.v, b.v)};
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return Vf{vfmsq_f32(c.v, a.v, b.v)};
}
#else
MACEC_INLINE float fma(float a, float b, float c) {
  return a * b + c;
}
MACEC_INLINE float fnma(float a, float b, float c) {
  return c - a * b;
}
MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return Vf{vmlaq_f32(c.v, a.v, b.v)};
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return Vf{vmlsq_f32(c.v, a.v, b.v)};
}
#endif
template <int k>
MACEC_INLINE Vf fma_lane(Lane<k>, Vf a, Vf b, Vf c) {
  const float32x2_t half = k < 2 ? vget_low_f32(b.v) : vget_high_f32(b.v);
#if defined(__ARM_FEATURE_FMA)
  return Vf{vfmaq_f32(c.v, a.v, vdupq_lane_f32(half, k & 1))};  // no fused form by lane
#else
  return Vf{vmlaq_lane_f32(c.v, a.v, half, k & 1)};
#endif
}
MACEC_INLINE Vf operator/(Vf a, Vf b) {
  float x[kLanes], y[kLanes];
  vst1q_f32(x, a.v);
  vst1q_f32(y, b.v);
  for (int i = 0; i < kLanes; ++i) x[i] /= y[i];
  return Vf{vld1q_f32(x)};
}
MACEC_INLINE Vf sqrt(Vf a) {
  float x[kLanes];
  vst1q_f32(x, a.v);
  for (int i = 0; i < kLanes; ++i) x[i] = sqrtf(x[i]);
  return Vf{vld1q_f32(x)};
}
// From 2^23 on (and for NaN) a float is its own integer part. Zeros keep the sign of a.
MACEC_INLINE Vf keep_large(Vf a, Vf rounded) {
  return select(abs(a) < splat<Vf>(8388608.0f), copy_sign(rounded, a), a);
}
MACEC_INLINE Vf one_where(Vm m) {
  return Vf{vreinterpretq_f32_u32(vandq_u32(m.v, vdupq_n_u32(0x3f800000u)))};
}
MACEC_INLINE Vf trunc(Vf a) {
  return keep_large(a, to_float(trunc_int(a)));
}
MACEC_INLINE Vf round_even(Vf a) {
  const Vf shift =
      copy_sign(splat<Vf>(8388608.0f), a);  // after the sum the last place is 1: the sum rounds
  return keep_large(a, (a + shift) - shift);
}
MACEC_INLINE Vf floor(Vf a) {
  const Vf t = to_float(trunc_int(a));
  return keep_large(a, t - one_where(t > a));
}
MACEC_INLINE Vf ceil(Vf a) {
  const Vf t = to_float(trunc_int(a));
  return keep_large(a, t + one_where(t < a));
}
MACEC_INLINE Vi to_int(Vf a) {
  return trunc_int(round_even(a));
}
MACEC_INLINE float sum(Vf a) {
  const float32x2_t two = vadd_f32(vget_low_f32(a.v), vget_high_f32(a.v));
  return vget_lane_f32(vpadd_f32(two, two), 0);
}
MACEC_INLINE float max_lane(Vf a) {
  const float32x2_t two = vpmax_f32(vget_low_f32(a.v), vget_high_f32(a.v));
  return vget_lane_f32(vpmax_f32(two, two), 0);
}
MACEC_INLINE float min_lane(Vf a) {
  const float32x2_t two = vpmin_f32(vget_low_f32(a.v), vget_high_f32(a.v));
  return vget_lane_f32(vpmin_f32(two, two), 0);
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const half_t* p, Full) {
  return half_to_float<Vf>(Vi{vmovl_u16(vld1_u16(&p->bits))});
}
MACEC_INLINE void store_lanes(half_t* p, Vf a, Full) {
  vst1_u16(&p->bits, vmovn_u32(float_to_half(a).v));
}

#endif

MACEC_INLINE Vf load_lanes(Tag<Vf>, const bfloat16_t* p, Full) {
  return Vf{vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(&p->bits), 16))};
}
MACEC_INLINE void store_lanes(bfloat16_t* p, Vf a, Full) {
  vst1_u16(&p->bits, vmovn_u32(float_to_bfloat16(a).v));
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int32_t* p, Full) {
  return Vf{vcvtq_f32_s32(vld1q_s32(p))};
}

MACEC_INLINE uint8x8_t load_4_bytes(const void* p) {
  uint32_t bits;
  memcpy(&bits, p, sizeof bits);
  return vreinterpret_u8_u32(vdup_n_u32(bits));
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const uint8_t* p, Full) {
  return Vf{vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(load_4_bytes(p)))))};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const int8_t* p, Full) {
  return Vf{vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(load_4_bytes(p))))))};
}
MACEC_INLINE void store_low_bytes(void* p, Vi a) {
  const uint16x4_t two = vmovn_u32(a.v);
  const uint32_t bits = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(two, two))), 0);
  memcpy(p, &bits, sizeof bits);
}
MACEC_INLINE void store_lanes(uint8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int8_t* p, Vf a, Full) {
  store_low_bytes(p, trunc_int(a));
}
MACEC_INLINE void store_lanes(int32_t* p, Vf a, Full) {
  vst1q_s32(p, vreinterpretq_s32_u32(trunc_int(a).v));
}

// ---- squares of 4-byte elements: y[r][c] = x[c][r]; distances between rows in bytes

[[maybe_unused]] constexpr int kSquare = 4;
MACEC_INLINE void transpose_square(const char* x, int64_t x_row, char* y, int64_t y_row) {
  uint32x4_t row[4];
  for (int i = 0; i < 4; ++i)
    row[i] = vreinterpretq_u32_u8(vld1q_u8(reinterpret_cast<const uint8_t*>(x + i * x_row)));
  const uint32x4x2_t ab = vtrnq_u32(row[0], row[1]), cd = vtrnq_u32(row[2], row[3]);
  row[0] = vcombine_u32(vget_low_u32(ab.val[0]), vget_low_u32(cd.val[0]));
  row[1] = vcombine_u32(vget_low_u32(ab.val[1]), vget_low_u32(cd.val[1]));
  row[2] = vcombine_u32(vget_high_u32(ab.val[0]), vget_high_u32(cd.val[0]));
  row[3] = vcombine_u32(vget_high_u32(ab.val[1]), vget_high_u32(cd.val[1]));
  for (int i = 0; i < 4; ++i)
    vst1q_u8(reinterpret_cast<uint8_t*>(y + i * y_row), vreinterpretq_u8_u32(row[i]));
}
