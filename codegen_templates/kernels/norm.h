// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisation of rows of n dense elements.
//
//   layer_norm   y = (x - mean) / sqrt(variance + epsilon) * scale + bias      variance: mean of (x
//   - mean)^2 rms_norm     y = x / sqrt(mean of x^2 + epsilon) * scale + bias
//
// scale[n], bias[n]: a null pointer of any storage type for none. mean[rows], inv_std[rows]: nullptr unless wanted; inv_std is
// 1 / sqrt(...). x, y: float, half_t or bfloat16_t; scale and bias may be of another of these
// types. Everything is computed in float, the mean before the deviations, in sums that are emptied
// every 64 additions. x and y may be the same memory (with equal strides), otherwise they do not
// overlap. epilogue(v, row, col, n).
#pragma once
#include "../params/norm.h"
#include "epilogue.h"
#include "simd/simd.h"

struct SumTerm {
  template <class V>
  static V of(V x, V) {
    return x;
  }
};
struct SquareTerm {  // of the deviation from `center`
  template <class V>
  static V of(V x, V center) {
    const V d = x - center;
    return d * d;
  }
};

template <class Term, class T>
MACEC_NOINLINE float norm_sum(const T* x, int64_t n, float center) {
  const Vf zero = splat<Vf>(0.0f), centers = splat<Vf>(center);
  Vf total = zero;
  int64_t i = 0;
  while (i + kLanes <= n) {
    Vf a = zero, b = zero;
    const int64_t stop = n - i < 128 * kLanes ? n : i + 128 * kLanes;
    for (; i + 2 * kLanes <= stop; i += 2 * kLanes) {
      a = a + Term::of(load<Vf>(x + i, Full{}), centers);
      b = b + Term::of(load<Vf>(x + i + kLanes, Full{}), centers);
    }
    if (i + kLanes <= stop) {
      a = a + Term::of(load<Vf>(x + i, Full{}), centers);
      i += kLanes;
    }
    total = total + (a + b);
  }
  if (i < n) {
    const Part rest = {static_cast<int>(n - i)};
    total = first_lanes(total + Term::of(load<Vf>(x + i, rest), centers), total, rest);
  }
  return sum(total);
}

template <class T, class S, class B, class Epilogue>
struct NormRow {
  const T* x;
  const S* scale;
  const B* bias;
  T* y;
  float mean, inv_std;
  Epilogue epilogue;
  int64_t row;

  template <class N>
  MACEC_INLINE void at(int64_t i, N n) const {
    Vf v = (load<Vf>(x + i, n) - splat<Vf>(mean)) * splat<Vf>(inv_std);
    if (scale != nullptr) v = v * load<Vf>(scale + i, n);
    if (bias != nullptr) v = v + load<Vf>(bias + i, n);
    store(y + i, epilogue(v, row, i, n), n);
  }
};
template <class Row>
MACEC_NOINLINE void norm_write(Row row, int64_t n) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) row.at(i, Full{});
  if (i < n) row.at(i, Part{static_cast<int>(n - i)});
}

template <class T, class S, class B, class Epilogue>
void layer_norm(const NormParams& p, const T* x, const S* scale, const B* bias, T* y, float* mean,
                float* inv_std, const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const float count = static_cast<float>(p.n);
  for (int64_t r = begin; r < end; ++r) {
    const T* from = x + r * p.x_row;
    const float center = norm_sum<SumTerm>(from, p.n, 0.0f) / count;
    const float factor = 1.0f / sqrt(norm_sum<SquareTerm>(from, p.n, center) / count + p.epsilon);
    if (mean != nullptr) mean[r] = center;
    if (inv_std != nullptr) inv_std[r] = factor;
    norm_write(
        NormRow<T, S, B, Epilogue>{from, scale, bias, y + r * p.y_row, center, factor, epilogue, r},
        p.n);
  }
}

template <class T, class S, class B, class Epilogue>
void rms_norm(const NormParams& p, const T* x, const S* scale, const B* bias, T* y, float* inv_rms,
              const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  for (int64_t r = begin; r < end; ++r) {
    const T* from = x + r * p.x_row;
    const float factor =
        1.0f / sqrt(norm_sum<SquareTerm>(from, p.n, 0.0f) / static_cast<float>(p.n) + p.epsilon);
    if (inv_rms != nullptr) inv_rms[r] = factor;
    norm_write(
        NormRow<T, S, B, Epilogue>{from, scale, bias, y + r * p.y_row, 0.0f, factor, epilogue, r},
        p.n);
  }
}
