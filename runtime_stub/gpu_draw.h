// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that the compiler and the self-check draw alike, bit by bit: the compiler records what the
// model makes of them, the self-check compares.
//
// Element i of input `seed` is the i-th number of splitmix64. No product here needs rounding (24 bits
// by 24 bits fit a double), so that a compiler that fuses multiplication and addition changes
// nothing. Integers are drawn from lo to hi, both included.
//
// Included by the compiler, and pasted into the unnamed namespace of a generated .cpp that has a GPU
// plan.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bits of ONNX's element types that can be drawn and compared; 0: others.
[[maybe_unused]] constexpr uint32_t draw_bits(uint32_t dtype) {
  switch (dtype) {
    case 2:  // uint8, int8, bool
    case 3:
    case 9:
      return 8;
    case 4:  // uint16, int16, float16, bfloat16
    case 5:
    case 10:
    case 16:
      return 16;
    case 1:  // float32, int32, uint32
    case 6:
    case 12:
      return 32;
    case 7:  // int64, float64, uint64
    case 11:
    case 13:
      return 64;
    default:
      return 0;
  }
}
[[maybe_unused]] constexpr bool draw_is_real(uint32_t dtype) {
  return dtype == 1 || dtype == 10 || dtype == 11 || dtype == 16;
}

[[maybe_unused]] constexpr uint64_t draw_word(uint64_t seed, uint64_t element) {
  uint64_t z = (seed << 40) + (element + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

[[maybe_unused]] double draw_value(uint64_t seed, uint64_t element, double lo, double hi,
                                   uint32_t dtype) {
  const uint64_t word = draw_word(seed, element);
  if (draw_is_real(dtype)) {
    const double part = static_cast<double>(word >> 40) * (1.0 / (1 << 24));
    return lo + part * static_cast<double>(static_cast<float>(hi - lo));
  }
  const uint64_t count = static_cast<uint64_t>(hi - lo) + 1;
  return lo + static_cast<double>((word >> 32) % count);
}

// float32 to float16, to the nearest, ties to even.
[[maybe_unused]] uint16_t draw_half(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, 4);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  const bool is_small = magnitude < 0x38800000;  // below the normal numbers of float16
  const uint32_t exponent = magnitude >> 23;
  if (is_small && exponent < 102) return static_cast<uint16_t>(sign);
  const uint32_t mantissa = is_small ? (magnitude & 0x7fffff) | 0x800000 : magnitude - 0x38000000;
  const uint32_t shift = is_small ? 126 - exponent : 13;
  const uint32_t half = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
  const uint32_t tie = 1u << (shift - 1);
  const uint32_t up = rest > tie || (rest == tie && (half & 1)) ? 1 : 0;
  return static_cast<uint16_t>(sign | (half + up));
}
[[maybe_unused]] double draw_from_half(uint16_t half) {
  const uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  float value = 0;
  if (exponent == 31) {
    const uint32_t bits = 0x7f800000 | mantissa << 13;
    memcpy(&value, &bits, 4);
  } else if (exponent == 0) {
    value = static_cast<float>(mantissa) * (1.0f / (1 << 24));
  } else {
    const uint32_t bits = (exponent + 112) << 23 | mantissa << 13;
    memcpy(&value, &bits, 4);
  }
  return half & 0x8000 ? -static_cast<double>(value) : static_cast<double>(value);
}

// Writes one value as element `at` of an array; reads one.
template <class T>
void draw_put(void* to, uint64_t at, T value) {
  memcpy(static_cast<unsigned char*>(to) + static_cast<size_t>(at) * sizeof value, &value,
         sizeof value);
}
template <class T>
T draw_get(const void* from, uint64_t at) {
  T value;
  memcpy(&value, static_cast<const unsigned char*>(from) + static_cast<size_t>(at) * sizeof value,
         sizeof value);
  return value;
}

[[maybe_unused]] void draw_store(void* to, uint32_t dtype, uint64_t at, double value) {
  const float single = static_cast<float>(value);
  uint32_t bits = 0;
  memcpy(&bits, &single, 4);
  const int64_t whole = draw_is_real(dtype) ? 0 : static_cast<int64_t>(value);
  if (dtype == 1) {
    draw_put(to, at, single);
  } else if (dtype == 10) {
    draw_put(to, at, draw_half(single));
  } else if (dtype == 11) {
    draw_put(to, at, value);
  } else if (dtype == 16) {
    draw_put(to, at, static_cast<uint16_t>(bits >> 16));
  } else if (draw_bits(dtype) == 8) {
    draw_put(to, at, static_cast<uint8_t>(whole));
  } else if (draw_bits(dtype) == 16) {
    draw_put(to, at, static_cast<uint16_t>(whole));
  } else if (draw_bits(dtype) == 32) {
    draw_put(to, at, static_cast<uint32_t>(whole));
  } else {
    draw_put(to, at, whole);
  }
}

[[maybe_unused]] double draw_load(const void* from, uint32_t dtype, uint64_t at) {
  switch (dtype) {
    case 1:
      return static_cast<double>(draw_get<float>(from, at));
    case 2:
    case 9:
      return draw_get<uint8_t>(from, at);
    case 3:
      return draw_get<int8_t>(from, at);
    case 4:
      return draw_get<uint16_t>(from, at);
    case 5:
      return draw_get<int16_t>(from, at);
    case 6:
      return draw_get<int32_t>(from, at);
    case 7:
      return static_cast<double>(draw_get<int64_t>(from, at));
    case 10:
      return draw_from_half(draw_get<uint16_t>(from, at));
    case 12:
      return draw_get<uint32_t>(from, at);
    case 13:
      return static_cast<double>(draw_get<uint64_t>(from, at));
    case 16: {
      const uint32_t bits = uint32_t{draw_get<uint16_t>(from, at)} << 16;
      return static_cast<double>(draw_get<float>(&bits, 0));
    }
    default:
      return draw_get<double>(from, at);
  }
}

// Fills an input. seed: its number in the model. Of a type with draw_bits() > 0.
[[maybe_unused]] void draw_elements(void* to, uint32_t dtype, uint64_t elements, double lo,
                                    double hi, uint64_t seed) {
  for (uint64_t i = 0; i < elements; ++i) {
    draw_store(to, dtype, i, draw_value(seed, i, lo, hi, dtype));
  }
}
