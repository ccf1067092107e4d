// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of recurrent layers over arrays, vector by vector: V is Vf or float over arrays of
// float, or double over arrays of double.
#pragma once
#include "../params/recurrent.h"
#include "math.h"
#include "scalar.h"
#include "simd/simd.h"

template <class V>
struct RecurrentLanes {
  using Element = float;
  [[maybe_unused]] static constexpr int kCount = Lanes<V>::kCount;
};
template <>
struct RecurrentLanes<double> {
  using Element = double;
  [[maybe_unused]] static constexpr int kCount = 1;
};

template <class V>
MACEC_INLINE V recurrent_number(Tag<V>, float v) {
  return splat<V>(v);
}
MACEC_INLINE double recurrent_number(Tag<double>, float v) {
  return static_cast<double>(v);
}
template <class V>
MACEC_INLINE V recurrent_load(Tag<V>, const float* p) {
  return load<V>(p, Full{});
}
MACEC_INLINE double recurrent_load(Tag<double>, const double* p) {
  return *p;
}
template <class V>
MACEC_INLINE void recurrent_store(float* p, V v) {
  store(p, v, Full{});
}
MACEC_INLINE void recurrent_store(double* p, double v) {
  *p = v;
}

// A NaN passes.
template <class V>
MACEC_INLINE V recurrent_bound(V v, V size) {
  return max(neg(size), min(size, v));
}
MACEC_INLINE double recurrent_bound(double v, double size) {
  return v > size ? size : v < -size ? -size : v;
}

template <int kFunction, class V>
MACEC_INLINE V recurrent_function(V x, V alpha, V beta) {
  const V zero = splat<V>(0.0f), one = splat<V>(1.0f);
  if constexpr (kFunction == kRecurrentRelu) return max(x, zero);
  if constexpr (kFunction == kRecurrentTanh) return tanh(x);
  if constexpr (kFunction == kRecurrentSigmoid) return sigmoid(x);
  if constexpr (kFunction == kRecurrentAffine) return fma(alpha, x, beta);
  if constexpr (kFunction == kRecurrentLeakyRelu) return select(x < zero, alpha * x, x);
  if constexpr (kFunction == kRecurrentThresholdedRelu) return select(x <= alpha, zero, x);
  if constexpr (kFunction == kRecurrentScaledTanh) return alpha * tanh(beta * x);
  if constexpr (kFunction == kRecurrentHardSigmoid) {
    return max(zero, min(one, fma(alpha, x, beta)));
  }
  if constexpr (kFunction == kRecurrentElu) return select(x < zero, alpha * expm1(x), x);
  if constexpr (kFunction == kRecurrentSoftsign) return x / (one + abs(x));
  if constexpr (kFunction == kRecurrentSoftplus) return softplus(x);
  static_cast<void>(alpha), static_cast<void>(beta);
  return x;
}
template <int kFunction>
MACEC_INLINE double recurrent_function(double x, double alpha, double beta) {
  if constexpr (kFunction == kRecurrentRelu) return x < 0 ? 0 : x;
  if constexpr (kFunction == kRecurrentTanh) return scalar_tanh(x);
  if constexpr (kFunction == kRecurrentSigmoid) return 1 / (1 + scalar_exp(-x));
  if constexpr (kFunction == kRecurrentAffine) return alpha * x + beta;
  if constexpr (kFunction == kRecurrentLeakyRelu) return x < 0 ? alpha * x : x;
  if constexpr (kFunction == kRecurrentThresholdedRelu) return x <= alpha ? 0 : x;
  if constexpr (kFunction == kRecurrentScaledTanh) return alpha * scalar_tanh(beta * x);
  if constexpr (kFunction == kRecurrentHardSigmoid) {
    const double v = alpha * x + beta;
    return v < 0 ? 0 : v > 1 ? 1 : v;
  }
  if constexpr (kFunction == kRecurrentElu) return x < 0 ? alpha * scalar_expm1(x) : x;
  if constexpr (kFunction == kRecurrentSoftsign) return x / (1 + scalar_fabs(x));
  if constexpr (kFunction == kRecurrentSoftplus) {
    return (x > 0 ? x : 0) + scalar_log1p(scalar_exp(-scalar_fabs(x)));
  }
  static_cast<void>(alpha), static_cast<void>(beta);
  return x;
}

template <int kFunction, class V, class S>
MACEC_NOINLINE void recurrent_each(S* values, int64_t count, float a, float b, float clip) {
  const Tag<V> tag{};
  const V alpha = recurrent_number(tag, a), beta = recurrent_number(tag, b);
  const V size = recurrent_number(tag, clip > 0 ? clip : INFINITY);
  for (int64_t i = 0; i < count; i += RecurrentLanes<V>::kCount) {
    const V v = recurrent_bound(recurrent_load(tag, values + i), size);
    recurrent_store(values + i, recurrent_function<kFunction>(v, alpha, beta));
  }
}

// values = function `which` of direction d of their bounded selves, in place.
template <class V, class S>
void recurrent_activate(const RecurrentParams& p, int d, int which, float clip, S* values,
                        int64_t count) {
  const float a = p.alpha[d * 3 + which], b = p.beta[d * 3 + which];
  switch (p.function[d * 3 + which]) {
    case kRecurrentRelu:
      return recurrent_each<kRecurrentRelu, V>(values, count, a, b, clip);
    case kRecurrentTanh:
      return recurrent_each<kRecurrentTanh, V>(values, count, a, b, clip);
    case kRecurrentSigmoid:
      return recurrent_each<kRecurrentSigmoid, V>(values, count, a, b, clip);
    case kRecurrentAffine:
      return recurrent_each<kRecurrentAffine, V>(values, count, a, b, clip);
    case kRecurrentLeakyRelu:
      return recurrent_each<kRecurrentLeakyRelu, V>(values, count, a, b, clip);
    case kRecurrentThresholdedRelu:
      return recurrent_each<kRecurrentThresholdedRelu, V>(values, count, a, b, clip);
    case kRecurrentScaledTanh:
      return recurrent_each<kRecurrentScaledTanh, V>(values, count, a, b, clip);
    case kRecurrentHardSigmoid:
      return recurrent_each<kRecurrentHardSigmoid, V>(values, count, a, b, clip);
    case kRecurrentElu:
      return recurrent_each<kRecurrentElu, V>(values, count, a, b, clip);
    case kRecurrentSoftsign:
      return recurrent_each<kRecurrentSoftsign, V>(values, count, a, b, clip);
    default:
      return recurrent_each<kRecurrentSoftplus, V>(values, count, a, b, clip);
  }
}
