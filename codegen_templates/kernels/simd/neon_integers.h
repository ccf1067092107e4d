// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer products of NEON: one element of depth at a time, picked by lane from four.
#pragma once
#include "neon.h"

[[maybe_unused]] constexpr int kIntegerDepth = 1;
[[maybe_unused]] constexpr bool kIntegerByLane = true;
struct Vs {
  int16x4_t v;
};

MACEC_INLINE Vs load_shorts(const int16_t* p) {
  return Vs{vld1_s16(p)};
}
MACEC_INLINE Vs load_shorts(const int8_t* p) {
  uint32_t bytes;
  memcpy(&bytes, p, sizeof bytes);
  return Vs{vget_low_s16(vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(bytes))))};
}
MACEC_INLINE Vs load_four_shorts(const int16_t* x) {
  return Vs{vld1_s16(x)};
}
MACEC_INLINE Vs splat_shorts(const int16_t* x, int) {
  return Vs{vld1_dup_s16(x)};
}
MACEC_INLINE Vi multiply_add(Vs x, Vs w, Vi sums) {
  return Vi{vreinterpretq_u32_s32(vmlal_s16(vreinterpretq_s32_u32(sums.v), w.v, x.v))};
}
template <int L>
MACEC_INLINE Vi multiply_add_lane(Lane<L>, Vs w, Vs x, Vi sums) {
  return Vi{vreinterpretq_u32_s32(vmlal_lane_s16(vreinterpretq_s32_u32(sums.v), w.v, x.v, L))};
}
