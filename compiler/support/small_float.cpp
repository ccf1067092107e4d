// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/small_float.h"

#include <llvm/ADT/APFloat.h>

#include <cmath>
#include <cstring>

namespace macec {
namespace {

const llvm::fltSemantics& semantics(SmallFloat format) {
  switch (format) {
    case SmallFloat::e4m3fn:
      return llvm::APFloat::Float8E4M3FN();
    case SmallFloat::e4m3fnuz:
      return llvm::APFloat::Float8E4M3FNUZ();
    case SmallFloat::e5m2:
      return llvm::APFloat::Float8E5M2();
    case SmallFloat::e5m2fnuz:
      return llvm::APFloat::Float8E5M2FNUZ();
    default:
      return llvm::APFloat::Float4E2M1FN();
  }
}

uint32_t bits_of(float f) {
  uint32_t u;
  std::memcpy(&u, &f, sizeof u);
  return u;
}
float float_of(uint32_t u) {
  float f;
  std::memcpy(&f, &u, sizeof f);
  return f;
}

uint8_t double_to_e8m0(double value) {
  if (std::isnan(value)) return 255;
  if (!(value > 0)) return 0;
  if (std::isinf(value)) return 254;
  const int exponent = static_cast<int>(std::lrint(std::log2(value))) + 127;
  return static_cast<uint8_t>(exponent < 0 ? 0 : exponent > 254 ? 254 : exponent);
}

}  // namespace

float half_to_float(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31u,
                 mantissa = bits & 1023u;
  if (exponent == 31) return float_of(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return float_of(sign | ((exponent + 112) << 23) | (mantissa << 13));
  const float tiny = static_cast<float>(mantissa) * 5.9604644775390625e-8f;  // 2^-24
  return sign ? -tiny : tiny;
}

uint16_t float_to_half(float value) {
  const uint32_t u = bits_of(value), sign = (u >> 16) & 0x8000u, magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u)
    return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 65536 or more
  if (magnitude <
      0x38800000u) {  // below 2^-14: a multiple of 2^-24; the addition rounds to nearest even
    const float shifted = float_of(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (bits_of(shifted) - 0x3f000000u));
  }
  const uint32_t rounded = magnitude + 0xfffu + ((magnitude >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

float bfloat16_to_float(uint16_t bits) {
  return float_of(static_cast<uint32_t>(bits) << 16);
}

uint16_t float_to_bfloat16(float value) {
  const uint32_t u = bits_of(value);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40u);
  return static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

// A float that a shorter format rounds as it would round the double: of the two floats around a
// number that is none, the one whose last bit is set.
static float round_to_odd(double value) {
  const float near = static_cast<float>(value);
  const double back = static_cast<double>(near);
  const uint32_t bits = bits_of(near);
  if (std::isnan(value) || std::isinf(near) || back == value || (bits & 1u) != 0) return near;
  const bool is_larger = std::fabs(back) > std::fabs(value);
  return float_of(is_larger ? bits - 1 : bits + 1);
}
uint16_t double_to_half(double value) {
  return float_to_half(round_to_odd(value));
}
uint16_t double_to_bfloat16(double value) {
  return float_to_bfloat16(round_to_odd(value));
}

double small_to_double(SmallFloat format, uint8_t bits) {
  if (format == SmallFloat::e8m0) return bits == 255 ? std::nan("") : std::ldexp(1.0, bits - 127);
  const llvm::fltSemantics& s = semantics(format);
  const unsigned width = format == SmallFloat::e2m1 ? 4 : 8;
  llvm::APFloat value(s, llvm::APInt(width, bits & (width == 4 ? 15u : 255u)));
  bool loses = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

uint8_t double_to_small(SmallFloat format, double value, bool saturate) {
  if (format == SmallFloat::e8m0) return double_to_e8m0(value);
  const llvm::fltSemantics& s = semantics(format);
  const bool is_e2m1 = format == SmallFloat::e2m1;
  if (is_e2m1 && std::isnan(value)) value = 0;
  const double largest = llvm::APFloat::getLargest(s).convertToDouble();
  if ((saturate || is_e2m1) && !std::isnan(value) && std::fabs(value) > largest)
    value = std::copysign(largest, value);
  llvm::APFloat converted(value);
  bool loses = false;
  converted.convert(s, llvm::APFloat::rmNearestTiesToEven, &loses);
  return static_cast<uint8_t>(converted.bitcastToAPInt().getZExtValue());
}

}  // namespace macec
