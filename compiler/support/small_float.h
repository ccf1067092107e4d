// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversion between double and the small float formats, rounding to nearest even.
#pragma once
#include <cstdint>

namespace macec {

float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat16_to_float(uint16_t bits);
uint16_t float_to_bfloat16(float value);
uint16_t double_to_half(double value);  // rounded once, not by way of float
uint16_t double_to_bfloat16(double value);

enum class SmallFloat { e4m3fn, e4m3fnuz, e5m2, e5m2fnuz, e2m1, e8m0 };
double small_to_double(SmallFloat format, uint8_t bits);
// Values out of range: infinity where the format has one, else NaN (e2m1 and e8m0: the largest
// value); saturate: the largest value always.
uint8_t double_to_small(SmallFloat format, double value, bool saturate = false);

}  // namespace macec
