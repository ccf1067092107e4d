// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that are rare enough to go through the C library lane by lane, so that a chain that
// holds one stays a chain of vectors: pow fmod tan asin acos atan sinh cosh asinh acosh atanh.
#pragma once
#include "math.h"

template <class V>
MACEC_NOINLINE V each_lane_pair(float (*f)(float, float), V a, V b) {
  float x[Lanes<V>::kCount], y[Lanes<V>::kCount];
  store(x, a, Full{});
  store(y, b, Full{});
  for (int i = 0; i < Lanes<V>::kCount; ++i) x[i] = f(x[i], y[i]);
  return load<V>(static_cast<const float*>(x), Full{});
}

template <class V>
MACEC_INLINE V pow(V a, V b) {
  return each_lane_pair(powf, a, b);
}
template <class V>
MACEC_INLINE V fmod(V a, V b) {
  return each_lane_pair(fmodf, a, b);
}
template <class V>
MACEC_INLINE V tan(V x) {
  return each_lane(tanf, x);
}
template <class V>
MACEC_INLINE V asin(V x) {
  return each_lane(asinf, x);
}
template <class V>
MACEC_INLINE V acos(V x) {
  return each_lane(acosf, x);
}
template <class V>
MACEC_INLINE V atan(V x) {
  return each_lane(atanf, x);
}
template <class V>
MACEC_INLINE V sinh(V x) {
  return each_lane(sinhf, x);
}
template <class V>
MACEC_INLINE V cosh(V x) {
  return each_lane(coshf, x);
}
template <class V>
MACEC_INLINE V asinh(V x) {
  return each_lane(asinhf, x);
}
template <class V>
MACEC_INLINE V acosh(V x) {
  return each_lane(acoshf, x);
}
template <class V>
MACEC_INLINE V atanh(V x) {
  return each_lane(atanhf, x);
}
