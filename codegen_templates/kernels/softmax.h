// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax over one axis.
//
//   row (outer, inner):  x[outer * x_outer + inner + j * x_step], j < n     y alike
//
// The axis is contiguous when x_step is 1 (inner is 1 then): vectors run along it. Otherwise a
// vector holds one j of neighbouring rows. Three sweeps: the maximum; the sum of e^(x - maximum),
// which float storage keeps in y; the scaling. x and y may be the same memory (with equal strides),
// otherwise they do not overlap. Results below 2^-126 are 0. A row with a NaN, or of -infinities
// only, becomes NaN. epilogue(v, row, col, n): row = outer * inner_count + inner, col = j. Called
// with vectors along j only in the contiguous form.
#pragma once
#include "../params/softmax.h"
#include "epilogue.h"
#include "math.h"

// What the two operators make of an element, given the maximum and the sum of the exponentials.
struct SoftmaxKind {
  [[maybe_unused]] static constexpr bool kKeepsExp = true;
  template <class V>
  static V scale(V sum) {
    return splat<V>(1.0f) / sum;
  }
  template <class V>
  static V finish(V shifted, V scale) {
    return exp_nonpositive(shifted) * scale;
  }
};
struct LogSoftmaxKind {
  [[maybe_unused]] static constexpr bool kKeepsExp = false;
  template <class V>
  static V scale(V sum) {
    return log(sum);
  }
  template <class V>
  static V finish(V shifted, V scale) {
    return shifted - scale;
  }
};

template <class T>
struct IsFloat {
  [[maybe_unused]] static constexpr bool value = false;
};
template <>
struct IsFloat<float> {
  [[maybe_unused]] static constexpr bool value = true;
};

// ---- one contiguous row

template <class T>
MACEC_NOINLINE float row_max(const T* x, int64_t n) {
  Vf a = splat<Vf>(-INFINITY), b = a;
  int64_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    a = max_fast(load<Vf>(x + i, Full{}),
                 a);  // a NaN may get lost here; it comes back with the sum
    b = max_fast(load<Vf>(x + i + kLanes, Full{}), b);
  }
  if (i + kLanes <= n) {
    a = max_fast(load<Vf>(x + i, Full{}), a);
    i += kLanes;
  }
  if (i < n) {
    const Part rest = {static_cast<int>(n - i)};
    b = first_lanes(max_fast(load<Vf>(x + i, rest), b), b, rest);
  }
  return max_lane(max_fast(a, b));
}

// The sum of e^(x - m); y keeps the terms if it is float.
template <bool kKeep, class T>
MACEC_NOINLINE float row_exp_sum(const T* x, T* y, int64_t n, float m) {
  const Vf shift = splat<Vf>(m);
  Vf total = splat<Vf>(0.0f);
  int64_t i = 0;
  while (i + kLanes <= n) {
    Vf part = splat<Vf>(0.0f);  // short sums: 64 terms, then the next register
    const int64_t stop = n - i < 64 * kLanes ? n : i + 64 * kLanes;
    for (; i + kLanes <= stop; i += kLanes) {
      const Vf e = exp_nonpositive(load<Vf>(x + i, Full{}) - shift);
      if constexpr (kKeep) store(y + i, e, Full{});
      part = part + e;
    }
    total = total + part;
  }
  if (i < n) {
    const Part rest = {static_cast<int>(n - i)};
    const Vf e = exp_nonpositive(load<Vf>(x + i, rest) - shift);
    if constexpr (kKeep) store(y + i, e, rest);
    total = first_lanes(total + e, total, rest);
  }
  return sum(total);
}

template <class Kind, class V, class T, class Epilogue, class N>
MACEC_INLINE void row_finish(const T* x, T* y, float m, float scale, const Epilogue& epilogue,
                             int64_t row, int64_t i, N n) {
  V v;
  if constexpr (Kind::kKeepsExp && IsFloat<T>::value) {
    v = load<V>(y + i, n) * splat<V>(scale);
  } else {
    v = Kind::finish(load<V>(x + i, n) - splat<V>(m), splat<V>(scale));
  }
  store(y + i, epilogue(v, row, i, n), n);
}

template <class Kind, class T, class Epilogue>
MACEC_NOINLINE void softmax_row(const T* x, T* y, int64_t n, Epilogue epilogue, int64_t row) {
  const float m = row_max(x, n);
  const float scale =
      Kind::scale(row_exp_sum < Kind::kKeepsExp && IsFloat<T>::value > (x, y, n, m));
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    row_finish<Kind, Vf>(x, y, m, scale, epilogue, row, i, Full{});
  if (i < n) row_finish<Kind, Vf>(x, y, m, scale, epilogue, row, i, Part{static_cast<int>(n - i)});
}

// ---- rows side by side: lane l holds row `row + l`

// The epilogue wants vectors along j, so it gets the lanes one by one.
template <class T, class Epilogue, class N>
MACEC_INLINE void store_column(T* y, Vf v, const Epilogue& epilogue, int64_t row, int64_t j, N n) {
  float lane[kLanes];
  store(lane, v, Full{});
  for (int l = 0; l < lane_count<Vf>(n); ++l)
    store(y + l, epilogue(lane[l], row + l, j, Full{}), Full{});
}
template <class T, class N>
MACEC_INLINE void store_column(T* y, Vf v, const NoEpilogue&, int64_t, int64_t, N n) {
  store(y, v, n);
}

template <class Kind, class T, class Epilogue, class N>
MACEC_NOINLINE void softmax_columns(const SoftmaxParams& p, const T* x, T* y, Epilogue epilogue,
                                    int64_t row, N n) {
  Vf m = splat<Vf>(-INFINITY);
  for (int64_t j = 0; j < p.n; ++j) m = max_fast(load<Vf>(x + j * p.x_step, n), m);
  Vf total = splat<Vf>(0.0f);
  for (int64_t j = 0; j < p.n;) {
    Vf part = splat<Vf>(0.0f);
    const int64_t stop = p.n - j < 64 ? p.n : j + 64;
    for (; j < stop; ++j) {
      const Vf e = exp_nonpositive(load<Vf>(x + j * p.x_step, n) - m);
      part = part + e;
      if constexpr (Kind::kKeepsExp && IsFloat<T>::value) store(y + j * p.y_step, e, n);
    }
    total = total + part;
  }
  const Vf scale = Kind::scale(total);
  for (int64_t j = 0; j < p.n; ++j) {
    Vf v;
    if constexpr (Kind::kKeepsExp && IsFloat<T>::value) {
      v = load<Vf>(y + j * p.y_step, n) * scale;
    } else {
      v = Kind::finish(load<Vf>(x + j * p.x_step, n) - m, scale);
    }
    store_column(y + j * p.y_step, v, epilogue, row, j, n);
  }
}

template <class Kind, class T, class Epilogue>
void softmax_units(const SoftmaxParams& p, const T* x, T* y, const Epilogue& epilogue,
                   int64_t begin, int64_t end) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const T* from = x + unit * p.x_outer;
    T* to = y + unit * p.y_outer;
    if (p.x_step == 1 && p.y_step == 1 && p.inner == 1) {
      softmax_row<Kind>(from, to, p.n, epilogue, unit);
      continue;
    }
    int64_t i = 0;
    const int64_t row = unit * p.inner;
    for (; i + kLanes <= p.inner; i += kLanes)
      softmax_columns<Kind>(p, from + i, to + i, epilogue, row + i, Full{});
    if (i < p.inner) {
      softmax_columns<Kind>(p, from + i, to + i, epilogue, row + i,
                            Part{static_cast<int>(p.inner - i)});
    }
  }
}

template <class T, class Epilogue>
void softmax(const SoftmaxParams& p, const T* x, T* y, const Epilogue& epilogue, int64_t begin,
             int64_t end, void*) {
  softmax_units<SoftmaxKind>(p, x, y, epilogue, begin, end);
}
template <class T, class Epilogue>
void log_softmax(const SoftmaxParams& p, const T* x, T* y, const Epilogue& epilogue, int64_t begin,
                 int64_t end, void*) {
  softmax_units<LogSoftmaxKind>(p, x, y, epilogue, begin, end);
}
