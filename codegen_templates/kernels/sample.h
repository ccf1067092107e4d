// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels share that sum elements of any type at computed positions: float and 16-bit floats
// in float, double and integers in double; integers are cut off and saturate.
#pragma once
#include "plain.h"
#include "scalar.h"

template <class T>
struct SampleValue {  // what sums of T are made in
  using Type = double;
};
template <>
struct SampleValue<float> {
  using Type = float;
};
template <>
struct SampleValue<half_t> {
  using Type = float;
};
template <>
struct SampleValue<bfloat16_t> {
  using Type = float;
};

template <class T>
MACEC_INLINE double sample_load(const T* p) {
  return static_cast<double>(*p);
}
MACEC_INLINE float sample_load(const float* p) {
  return *p;
}
MACEC_INLINE float sample_load(const half_t* p) {
  return plain_load(p);
}
MACEC_INLINE float sample_load(const bfloat16_t* p) {
  return plain_load(p);
}

template <class T>
MACEC_INLINE void sample_store(T* p, double v) {
  *p = scalar_cast<T>(v);
}
MACEC_INLINE void sample_store(float* p, float v) {
  *p = v;
}
MACEC_INLINE void sample_store(half_t* p, float v) {
  plain_store(p, v);
}
MACEC_INLINE void sample_store(bfloat16_t* p, float v) {
  plain_store(p, v);
}

// A whole number from a float of any size or NaN: within [low, high], NaN is low.
template <class At>
MACEC_INLINE At sample_within(At v, At low, At high) {
  return v >= low ? v <= high ? v : high : low;
}
