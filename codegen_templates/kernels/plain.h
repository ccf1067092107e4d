// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element at a time, for every arithmetic type: what the plain kernels share.
//
//   element type        PlainSum<T>::Type
//   float, half_t, bfloat16_t   float
//   double                      double
//   integers                    uint64_t (sign extended: sums and products wrap as they should)
#pragma once
#include "simd/simd.h"

template <class T>
struct PlainSum {
  using Type = uint64_t;
};
template <>
struct PlainSum<float> {
  using Type = float;
};
template <>
struct PlainSum<double> {
  using Type = double;
};
template <>
struct PlainSum<half_t> {
  using Type = float;
};
template <>
struct PlainSum<bfloat16_t> {
  using Type = float;
};

template <class T>
MACEC_INLINE typename PlainSum<T>::Type plain_load(const T* p) {
  return static_cast<typename PlainSum<T>::Type>(*p);
}
MACEC_INLINE float plain_load(const half_t* p) {
  return load<float>(p, Full{});
}
MACEC_INLINE float plain_load(const bfloat16_t* p) {
  return load<float>(p, Full{});
}

template <class T, class S>
MACEC_INLINE void plain_store(T* p, S v) {
  *p = static_cast<T>(v);
}
MACEC_INLINE void plain_store(half_t* p, float v) {
  store(p, v, Full{});
}
MACEC_INLINE void plain_store(bfloat16_t* p, float v) {
  store(p, v, Full{});
}
