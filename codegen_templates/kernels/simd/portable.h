// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors in plain C++: four floats in a struct. No extension, no assembly; compilers that can will
// pair the lanes up.
#pragma once
#include "vocabulary.h"

[[maybe_unused]] constexpr int kLanes = 4;
[[maybe_unused]] constexpr int kVectorRegisters = 0;
[[maybe_unused]] constexpr bool kFmaByLane = false;
struct Vf {
  float lane[4];
};
struct Vi {
  uint32_t lane[4];
};
struct Vm {
  bool lane[4];
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

MACEC_INLINE Vf make_lanes(Tag<Vf>, float v) {
  return Vf{{v, v, v, v}};
}
MACEC_INLINE Vi make_int_lanes(Tag<Vf>, uint32_t v) {
  return Vi{{v, v, v, v}};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Full) {
  return Vf{{p[0], p[1], p[2], p[3]}};
}
MACEC_INLINE Vf load_lanes(Tag<Vf>, const float* p, Part n) {
  return Vf{{p[0], n.n > 1 ? p[1] : 0.0f, n.n > 2 ? p[2] : 0.0f, 0.0f}};
}
MACEC_INLINE void store_lanes(float* p, Vf v, Full) {
  memcpy(p, v.lane, sizeof v.lane);
}
MACEC_INLINE void store_lanes(float* p, Vf v, Part n) {
  p[0] = v.lane[0];
  if (n.n > 1) p[1] = v.lane[1];
  if (n.n > 2) p[2] = v.lane[2];
}
MACEC_INLINE Vi load_int_lanes(Tag<Vf>, const uint32_t* p) {
  return Vi{{p[0], p[1], p[2], p[3]}};
}
MACEC_INLINE void store_int_lanes(uint32_t* p, Vi v) {
  memcpy(p, v.lane, sizeof v.lane);
}

#define MACEC_LANE_OP(Result, name, Type, op)                                              \
  MACEC_INLINE Result name(Type a, Type b) {                                               \
    return Result{{a.lane[0] op b.lane[0], a.lane[1] op b.lane[1], a.lane[2] op b.lane[2], \
                   a.lane[3] op b.lane[3]}};                                               \
  }
MACEC_LANE_OP(Vf, operator+, Vf, +)
MACEC_LANE_OP(Vf, operator-, Vf, -)
MACEC_LANE_OP(Vf, operator*, Vf, *)
MACEC_LANE_OP(Vf, operator/, Vf, /)
MACEC_LANE_OP(Vm, operator<, Vf, <)
MACEC_LANE_OP(Vm, operator<=, Vf, <=)
MACEC_LANE_OP(Vm, operator>, Vf, >)
MACEC_LANE_OP(Vm, operator>=, Vf, >=)
MACEC_LANE_OP(Vm, operator==, Vf, ==)
MACEC_LANE_OP(Vm, operator!=, Vf, !=)
MACEC_LANE_OP(Vi, operator+, Vi, +)
MACEC_LANE_OP(Vi, operator-, Vi, -)
MACEC_LANE_OP(Vi, operator&, Vi, &)
MACEC_LANE_OP(Vi, operator|, Vi, |)
MACEC_LANE_OP(Vi, operator^, Vi, ^)
MACEC_LANE_OP(Vm, equal_int, Vi, ==)
MACEC_LANE_OP(Vm, mask_and, Vm, &&)
MACEC_LANE_OP(Vm, mask_or, Vm, ||)

#define MACEC_LANE_CALL1(Result, name, Type)                                             \
  MACEC_INLINE Result name(Type a) {                                                     \
    return Result{{name(a.lane[0]), name(a.lane[1]), name(a.lane[2]), name(a.lane[3])}}; \
  }
#define MACEC_LANE_CALL2(Result, name, Type)                                 \
  MACEC_INLINE Result name(Type a, Type b) {                                 \
    return Result{{name(a.lane[0], b.lane[0]), name(a.lane[1], b.lane[1]),   \
                   name(a.lane[2], b.lane[2]), name(a.lane[3], b.lane[3])}}; \
  }
MACEC_LANE_CALL2(Vf, min_fast, Vf)
MACEC_LANE_CALL2(Vf, max_fast, Vf)
MACEC_LANE_CALL2(Vf, min, Vf)
MACEC_LANE_CALL2(Vf, max, Vf)
MACEC_LANE_CALL2(Vf, copy_sign, Vf)
MACEC_LANE_CALL2(Vm, greater_int, Vi)
MACEC_LANE_CALL1(Vf, abs, Vf)
MACEC_LANE_CALL1(Vf, neg, Vf)
MACEC_LANE_CALL1(Vf, sqrt, Vf)
MACEC_LANE_CALL1(Vf, floor, Vf)
MACEC_LANE_CALL1(Vf, ceil, Vf)
MACEC_LANE_CALL1(Vf, trunc, Vf)
MACEC_LANE_CALL1(Vf, round_even, Vf)
MACEC_LANE_CALL1(Vm, mask_not, Vm)
MACEC_LANE_CALL1(Vi, to_bits, Vf)
MACEC_LANE_CALL1(Vf, from_bits, Vi)
MACEC_LANE_CALL1(Vi, to_int, Vf)
MACEC_LANE_CALL1(Vi, trunc_int, Vf)
MACEC_LANE_CALL1(Vf, to_float, Vi)
#undef MACEC_LANE_OP
#undef MACEC_LANE_CALL1
#undef MACEC_LANE_CALL2

MACEC_INLINE Vf fma(Vf a, Vf b, Vf c) {
  return a * b + c;
}
MACEC_INLINE Vf fnma(Vf a, Vf b, Vf c) {
  return c - a * b;
}
template <int k>
MACEC_INLINE Vi shift_left(Vi a) {
  return Vi{{a.lane[0] << k, a.lane[1] << k, a.lane[2] << k, a.lane[3] << k}};
}
template <int k>
MACEC_INLINE Vi shift_right(Vi a) {
  return Vi{{shift_right<k>(a.lane[0]), shift_right<k>(a.lane[1]), shift_right<k>(a.lane[2]),
             shift_right<k>(a.lane[3])}};
}
MACEC_INLINE bool any(Vm m) {
  return m.lane[0] || m.lane[1] || m.lane[2] || m.lane[3];
}
MACEC_INLINE Vf select(Vm m, Vf a, Vf b) {
  return Vf{{m.lane[0] ? a.lane[0] : b.lane[0], m.lane[1] ? a.lane[1] : b.lane[1],
             m.lane[2] ? a.lane[2] : b.lane[2], m.lane[3] ? a.lane[3] : b.lane[3]}};
}
MACEC_INLINE Vi select(Vm m, Vi a, Vi b) {
  return Vi{{m.lane[0] ? a.lane[0] : b.lane[0], m.lane[1] ? a.lane[1] : b.lane[1],
             m.lane[2] ? a.lane[2] : b.lane[2], m.lane[3] ? a.lane[3] : b.lane[3]}};
}
MACEC_INLINE float sum(Vf v) {
  return (v.lane[0] + v.lane[2]) + (v.lane[1] + v.lane[3]);
}
MACEC_INLINE float max_lane(Vf v) {
  return max(max(v.lane[0], v.lane[1]), max(v.lane[2], v.lane[3]));
}
MACEC_INLINE float min_lane(Vf v) {
  return min(min(v.lane[0], v.lane[1]), min(v.lane[2], v.lane[3]));
}

// ---- squares of 4-byte elements: y[r][c] = x[c][r]; distances between rows in bytes

[[maybe_unused]] constexpr int kSquare = 4;
MACEC_INLINE void transpose_square(const char* x, int64_t x_row, char* y, int64_t y_row) {
  for (int c = 0; c < kSquare; ++c) {
    for (int r = 0; r < kSquare; ++r) memcpy(y + r * y_row + 4 * c, x + c * x_row + 4 * r, 4);
  }
}
