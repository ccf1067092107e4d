// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over any set of axes: reduce<ReduceMean>(p, x, y, begin, end, scratch). The operators
// stand in reduce_ops.h.
//
// x and y have one type and do not overlap. float, half_t and bfloat16_t are reduced in vectors of
// float, double in double, integers in int64 (the result keeps the low bits, as ONNX's integer sums
// do). Two forms, by p.unit_axes:
//
//   rows      one result per unit; vectors run along the last reduced axis
//   columns   the last kept axis has x stride 1: a vector holds as many results as it has lanes
//
// Sums are kept short: after kRunSteps additions a register is added to another one and starts
// again. The order of additions depends on the extents only. A NaN makes Max and Min NaN. Over
// nothing: Sum 0, Prod 1, Mean NaN (0 for integers), Max and Min the lowest and the highest value.
#pragma once
#include "../params/reduce.h"
#include "nest.h"
#include "reduce_ops.h"

[[maybe_unused]] constexpr int kRunSteps = 64;
[[maybe_unused]] constexpr int kReduceRegisters = 4;

// The lowest and highest value of an element type.
template <class T>
struct Extremes {  // integers and bool
  [[maybe_unused]] static constexpr bool kSigned = static_cast<T>(-1) < static_cast<T>(1);
  [[maybe_unused]] static constexpr uint64_t kTop =
      sizeof(T) == 8 ? ~uint64_t{0} : (uint64_t{1} << (sizeof(T) % 8 * 8)) - 1;
  static Wide<T> high() { return static_cast<Wide<T>>(kSigned ? kTop >> 1 : kTop); }
  static Wide<T> low() {
    return kSigned ? static_cast<Wide<T>>(Wide<T>{0} - high() - 1) : Wide<T>{0};
  }
};
struct InfiniteExtremes {
  static float high() { return INFINITY; }
  static float low() { return -INFINITY; }
};
template <>
struct Extremes<float> : InfiniteExtremes {};
template <>
struct Extremes<half_t> : InfiniteExtremes {};
template <>
struct Extremes<bfloat16_t> : InfiniteExtremes {};
template <>
struct Extremes<double> : InfiniteExtremes {};

template <class Op, class A, class T>
MACEC_INLINE A reduce_init() {
  if constexpr (sizeof(A) == sizeof(Vf) && sizeof(Wide<T>) == sizeof(float)) {
    return Op::init(splat<A>(Extremes<T>::low()), splat<A>(Extremes<T>::high()));
  } else {
    return Op::init(static_cast<A>(Extremes<T>::low()), static_cast<A>(Extremes<T>::high()));
  }
}

// LogSumExp over a row that holds +-infinity: subtracting 0 gives infinity, subtracting infinity
// NaN.
template <class V>
MACEC_INLINE V finite_or_zero(V v) {
  return select(abs(v) < splat<V>(INFINITY), v, splat<V>(0.0f));
}

// ---- rows

// Vector i of a run; kDense: x_step is 1.
template <bool kDense, class T, class N>
MACEC_INLINE Vf reduce_load(const T* x, int64_t x_step, int64_t i, N n) {
  if constexpr (kDense) {
    return load<Vf>(x + i * kLanes, n);
  } else {
    return load_strided<Vf>(x + i * kLanes * x_step, x_step, n);
  }
}

// n elements, x_step apart, merged into total.
template <class Op, bool kDense, class T>
MACEC_NOINLINE Vf reduce_vectors(const T* x, int64_t x_step, int64_t n, Vf total, Vf shift) {
  const Vf none = reduce_init<Op, Vf, T>();
  const int64_t full = n / kLanes;  // vectors
  int64_t i = 0;                    // the next one
  while (i < full) {
    const int64_t left = full - i, most = kRunSteps * kReduceRegisters;
    const int64_t stop = i + (left < most ? left : most);
    Vf acc[kReduceRegisters] = {none, none, none, none};
    for (; i + kReduceRegisters <= stop; i += kReduceRegisters) {
#pragma GCC unroll 4
      for (int r = 0; r < kReduceRegisters; ++r) {
        acc[r] = Op::step(acc[r], reduce_load<kDense>(x, x_step, i + r, Full{}), shift);
      }
    }
    for (; i < stop; ++i)
      acc[0] = Op::step(acc[0], reduce_load<kDense>(x, x_step, i, Full{}), shift);
    total = Op::merge(total, Op::merge(Op::merge(acc[0], acc[1]), Op::merge(acc[2], acc[3])));
  }
  const Part rest = {static_cast<int>(n - full * kLanes)};
  if (rest.n == 0) return total;
  const Vf last = reduce_load<kDense>(x, x_step, full, rest);
  return first_lanes(Op::step(total, last, shift), total, rest);
}
template <class Op, class T>
Vf reduce_run(const T* x, int64_t x_step, int64_t n, Vf total, Vf shift) {
  return x_step == 1 ? reduce_vectors<Op, true>(x, x_step, n, total, shift)
                     : reduce_vectors<Op, false>(x, x_step, n, total, shift);
}
template <class Op, class T>
MACEC_NOINLINE Wide<T> reduce_run(const T* x, int64_t x_step, int64_t n, Wide<T> total,
                                  Wide<T> shift) {
  for (int64_t i = 0; i < n; ++i)
    total = Op::step(total, static_cast<Wide<T>>(x[i * x_step]), shift);
  return total;
}

// All elements of one result, not finished. A: Vf, or Wide<T> for types without vectors.
template <class Op, class A, class T>
A reduce_row(const ReduceParams& p, const T* x, A shift) {
  A total = reduce_init<Op, A, T>();
  const int last = p.reduced - 1;
  if (p.reduced == 0) return reduce_run<Op>(x, 0, 1, total, shift);
  const int64_t runs = nest_size(p.reduce_extent, last);
  if (runs == 0) return total;
  Nest<1> nest = {last, 1, p.reduce_extent, {p.reduce_stride}, {}, {}};
  nest.start(0);
  for (int64_t run = 0; run < runs; ++run, nest.step()) {
    total = reduce_run<Op>(x + nest.offset[0], p.reduce_stride[last], p.reduce_extent[last], total,
                           shift);
  }
  return total;
}

template <class Op, class T>
MACEC_NOINLINE void reduce_one(const ReduceParams& p, const T* x, T* y, int64_t count) {
  if constexpr (sizeof(Wide<T>) == sizeof(float)) {
    const Vf zero = splat<Vf>(0.0f);
    float shift = 0.0f;
    if constexpr (Op::kShifted)
      shift = finite_or_zero(ReduceMax::lanes(reduce_row<ReduceMax, Vf>(p, x, zero)));
    const float total = Op::lanes(reduce_row<Op, Vf>(p, x, splat<Vf>(shift)));
    const Vf result = Op::finish(splat<Vf>(total), splat<Vf>(static_cast<float>(count)));
    store(y, result + splat<Vf>(shift), Part{1});
  } else {
    using A = Wide<T>;
    A shift = A(0);
    if constexpr (Op::kShifted) {
      shift = reduce_row<ReduceMax, A>(p, x, A(0));
      if (shift - shift != A(0)) shift = A(0);  // infinite
    }
    *y = static_cast<T>(Op::finish(reduce_row<Op, A>(p, x, shift), static_cast<A>(count)) + shift);
  }
}

// ---- columns

// kVectors neighbouring vectors of columns, not finished.
template <class Op, int kVectors, class T, class N>
MACEC_NOINLINE void reduce_columns(const ReduceParams& p, const T* x, const Vf* shift, Vf* out,
                                   N n) {
  const Vf none = reduce_init<Op, Vf, T>();
  Vf total[kVectors];
  for (int v = 0; v < kVectors; ++v) total[v] = none;
  const int last = p.reduced - 1;
  const int64_t runs = p.reduced == 0 ? 1 : nest_size(p.reduce_extent, last);
  const int64_t length = p.reduced == 0 ? 1 : p.reduce_extent[last];
  const int64_t x_step = p.reduced == 0 ? 0 : p.reduce_stride[last];
  Nest<1> nest = {last, 1, p.reduce_extent, {p.reduce_stride}, {}, {}};
  if (runs > 0) nest.start(0);
  for (int64_t run = 0; run < runs; ++run, nest.step()) {
    const T* from = x + nest.offset[0];
    for (int64_t i = 0; i < length;) {
      const int64_t stop = length - i < kRunSteps ? length : i + kRunSteps;
      Vf acc[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) acc[v] = none;
      for (; i < stop; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) {
          acc[v] = Op::step(acc[v], load<Vf>(from + i * x_step + v * kLanes, n), shift[v]);
        }
      }
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) total[v] = Op::merge(total[v], acc[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) out[v] = total[v];
}

template <class Op, int kVectors, class T, class N>
void reduce_block(const ReduceParams& p, const T* x, T* y, int64_t y_step, int64_t count, N n) {
  Vf shift[kVectors], out[kVectors];
  for (int v = 0; v < kVectors; ++v) shift[v] = splat<Vf>(0.0f);
  if constexpr (Op::kShifted) {
    reduce_columns<ReduceMax, kVectors>(p, x, shift, out, n);
    for (int v = 0; v < kVectors; ++v) shift[v] = finite_or_zero(out[v]);
  }
  reduce_columns<Op, kVectors>(p, x, shift, out, n);
  for (int v = 0; v < kVectors; ++v) {
    const Vf result = Op::finish(out[v], splat<Vf>(static_cast<float>(count))) + shift[v];
    store_strided(y + v * kLanes * y_step, y_step, result, n);
  }
}

// One unit of the column form: all indices of the last kept axis.
template <class Op, class T>
MACEC_NOINLINE void reduce_unit_columns(const ReduceParams& p, const T* x, T* y, int64_t count) {
  const int64_t columns = p.extent[p.kept - 1], y_step = p.y_stride[p.kept - 1];
  int64_t c = 0;
  if constexpr (sizeof(Wide<T>) == sizeof(float)) {
    for (; c + kReduceRegisters * kLanes <= columns; c += kReduceRegisters * kLanes) {
      reduce_block<Op, kReduceRegisters>(p, x + c, y + c * y_step, y_step, count, Full{});
    }
    for (; c + kLanes <= columns; c += kLanes)
      reduce_block<Op, 1>(p, x + c, y + c * y_step, y_step, count, Full{});
    if (c < columns)
      reduce_block<Op, 1>(p, x + c, y + c * y_step, y_step, count,
                          Part{static_cast<int>(columns - c)});
  } else {
    for (; c < columns; ++c) reduce_one<Op>(p, x + c, y + c * y_step, count);
  }
}

template <class Op, class T>
void reduce(const ReduceParams& p, const T* x, T* y, int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  const int64_t count = nest_size(p.reduce_extent, p.reduced);
  Nest<2> nest = {p.unit_axes, 2, p.extent, {p.x_stride, p.y_stride}, {}, {}};
  nest.start(begin);
  for (int64_t unit = begin; unit < end; ++unit, nest.step()) {
    if (p.unit_axes < p.kept) {
      reduce_unit_columns<Op>(p, x + nest.offset[0], y + nest.offset[1], count);
    } else {
      reduce_one<Op>(p, x + nest.offset[0], y + nest.offset[1], count);
    }
  }
}
