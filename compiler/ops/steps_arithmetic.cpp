// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of two numbers: arithmetic, limits, shifts, bits.
//
// Integers wrap modulo 2^bits, division truncates toward zero, and a division by zero gives 0 (the
// standard leaves it open; a trap in the app or in the compiler would be worse). The most negative
// number divided by -1 wraps to itself.
#include <algorithm>
#include <cmath>

#include "compiler/ops/steps.h"

namespace macec {
namespace {

uint64_t bits(int64_t v) {
  return static_cast<uint64_t>(v);
}
int64_t wrapped(uint64_t v) {
  return static_cast<int64_t>(v);
}
bool is_less(int64_t a, int64_t b, DType dtype) {
  return dtype == DType::uint64 ? bits(a) < bits(b) : a < b;
}

int64_t divide(int64_t a, int64_t b, DType dtype) {
  if (b == 0) return 0;
  if (dtype == DType::uint64) return wrapped(bits(a) / bits(b));
  if (b == -1) return wrapped(0 - bits(a));
  return a / b;
}
// Sign of the dividend, as C's %.
int64_t remainder_c(int64_t a, int64_t b, DType dtype) {
  if (b == 0 || (b == -1 && dtype != DType::uint64)) return 0;
  if (dtype == DType::uint64) return wrapped(bits(a) % bits(b));
  return a % b;
}
// Sign of the divisor, as Python's %.
int64_t remainder_floor(int64_t a, int64_t b, DType dtype) {
  const int64_t r = remainder_c(a, b, dtype);
  return dtype != DType::uint64 && r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double remainder_floor_real(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}
// By squaring; a negative exponent truncates 1 / a^n.
int64_t power(int64_t a, int64_t n, DType dtype) {
  if (n < 0 && dtype != DType::uint64) {
    if (a == 1) return 1;
    return a == -1 ? (n % 2 != 0 ? -1 : 1) : 0;
  }
  uint64_t result = 1, square = bits(a);
  for (uint64_t e = bits(n); e != 0; e >>= 1) {
    if ((e & 1) != 0) result *= square;
    square *= square;
  }
  return wrapped(result);
}
// A right shift fills with the sign. A count outside the type shifts everything out.
int64_t shift(int64_t a, int64_t n, DType dtype, bool left) {
  const bool is_negative = info(dtype).is_signed && a < 0;
  if (bits(n) >= static_cast<uint64_t>(info(dtype).bits)) return is_negative && !left ? -1 : 0;
  if (left) return wrapped(bits(a) << n);
  return wrapped(is_negative ? ~(~bits(a) >> n) : bits(a) >> n);
}
double max_real(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::max(a, b);
}
double min_real(double a, double b) {
  return std::isnan(a) ? a : std::isnan(b) ? b : std::min(a, b);
}

#define REAL(expression) [](const double* a, const float*) -> double { return expression; }
#define INTEGER(expression) \
  [](const int64_t* a, const float*, [[maybe_unused]] DType dtype) -> int64_t { return expression; }

}  // namespace

void append_arithmetic_steps(StepTable& t) {
  const ResultType same = ResultType::same;
  t.push_back({"Add", 2, same, kNumbers, REAL(a[0] + a[1]),
               INTEGER(wrapped(bits(a[0]) + bits(a[1]))), "({0} + {1})", "scalar_add({0}, {1})",
               nullptr, 1});
  t.push_back({"Sub", 2, same, kNumbers, REAL(a[0] - a[1]),
               INTEGER(wrapped(bits(a[0]) - bits(a[1]))), "({0} - {1})", "scalar_sub({0}, {1})",
               nullptr, 1});
  t.push_back({"Mul", 2, same, kNumbers, REAL(a[0] * a[1]),
               INTEGER(wrapped(bits(a[0]) * bits(a[1]))), "({0} * {1})", "scalar_mul({0}, {1})",
               nullptr, 1});
  t.push_back({"Div", 2, same, kNumbers, REAL(a[0] / a[1]), INTEGER(divide(a[0], a[1], dtype)),
               "({0} / {1})", "scalar_div({0}, {1})", nullptr, 5});
  t.push_back({"DivideBy",
               1,
               same,
               kFloats,
               [](const double* a, const float* k) { return a[0] / static_cast<double>(k[0]); },
               nullptr,
               "({0} / splat<V>({k0}))",
               "({0} / T({k0}))",
               nullptr,
               5,
               {{"divisor", 1.0f}}});
  t.push_back({"Max", 2, same, kNumbers, REAL(max_real(a[0], a[1])),
               INTEGER(is_less(a[0], a[1], dtype) ? a[1] : a[0]), "max({0}, {1})",
               "scalar_max({0}, {1})", nullptr, 1.5});
  t.push_back({"Min", 2, same, kNumbers, REAL(min_real(a[0], a[1])),
               INTEGER(is_less(a[1], a[0], dtype) ? a[1] : a[0]), "min({0}, {1})",
               "scalar_min({0}, {1})", nullptr, 1.5});
  t.push_back({"Mod", 2, same, kNumbers, REAL(remainder_floor_real(a[0], a[1])),
               INTEGER(remainder_floor(a[0], a[1], dtype)), nullptr, "scalar_mod({0}, {1})",
               nullptr, 20});
  t.push_back({"Fmod", 2, same, kNumbers, REAL(std::fmod(a[0], a[1])),
               INTEGER(remainder_c(a[0], a[1], dtype)), "fmod({0}, {1})", "scalar_fmod({0}, {1})",
               "kernels/libm.h", 20});
  t.push_back({"Pow", 2, same, kNumbers, REAL(std::pow(a[0], a[1])),
               INTEGER(power(a[0], a[1], dtype)), "pow({0}, {1})", "scalar_pow({0}, {1})",
               "kernels/libm.h", 40});
  t.push_back(
      {"PRelu", 2, same, kNumbers, REAL(a[0] < 0 ? a[0] * a[1] : a[0]),
       INTEGER(dtype != DType::uint64 && a[0] < 0 ? wrapped(bits(a[0]) * bits(a[1])) : a[0]),
       "select({0} < splat<V>(0.0f), {0} * {1}, {0})", "scalar_prelu({0}, {1})", nullptr, 3});
  t.push_back({"BitwiseAnd", 2, same, kIntegers, nullptr, INTEGER(a[0] & a[1]), nullptr,
               "static_cast<T>({0} & {1})", nullptr, 1});
  t.push_back({"BitwiseOr", 2, same, kIntegers, nullptr, INTEGER(a[0] | a[1]), nullptr,
               "static_cast<T>({0} | {1})", nullptr, 1});
  t.push_back({"BitwiseXor", 2, same, kIntegers, nullptr, INTEGER(a[0] ^ a[1]), nullptr,
               "static_cast<T>({0} ^ {1})", nullptr, 1});
  t.push_back({"BitwiseNot", 1, same, kIntegers, nullptr, INTEGER(~a[0]), nullptr,
               "static_cast<T>(~{0})", nullptr, 1});
  t.push_back({"ShiftLeft", 2, same, kIntegers, nullptr, INTEGER(shift(a[0], a[1], dtype, true)),
               nullptr, "scalar_shift_left({0}, {1})", nullptr, 2});
  t.push_back({"ShiftRight", 2, same, kIntegers, nullptr, INTEGER(shift(a[0], a[1], dtype, false)),
               nullptr, "scalar_shift_right({0}, {1})", nullptr, 2});
}

}  // namespace macec
