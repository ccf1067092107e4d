// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of any elementwise work. The work is a functor; it holds the operands' pointers and
// inner strides:
//
//   struct AddRelu {                                   // y = max(a0 + a1, 0)
//     static constexpr bool kVector = true;            // false: at<float> is called for single
//     elements, of any type const float* a0; int64_t s0; const float* a1; int64_t s1; float* y;
//     template <class V, class N> void at(const int64_t* offset, int64_t i, N n) const {
//       const V v = load_strided<V>(a0 + offset[0] + i * s0, s0, n) + load_strided<V>(a1 +
//       offset[1] + i * s1, s1, n); store(y + offset[2] + i, max(v, splat<V>(0.0f)), n);
//     }
//   };
//
// offset[o] is that of operand o in all axes but the innermost (0 for rank <= 1); i is the index in
// the innermost one. Outputs may be the same memory as an input of equal strides; otherwise they
// must not overlap.
#pragma once
#include "../params/pointwise.h"
#include "nest.h"
#include "simd/simd.h"

template <class F>
MACEC_INLINE void pointwise_run(const F& f, const int64_t* offset, int64_t begin, int64_t end) {
  int64_t i = begin;
  if constexpr (F::kVector) {
    for (; i + kLanes <= end; i += kLanes) f.template at<Vf>(offset, i, Full{});
    if (i < end) f.template at<Vf>(offset, i, Part{static_cast<int>(end - i)});
  } else {
    for (; i < end; ++i) f.template at<float>(offset, i, Full{});
  }
}

// Elements [begin, end) of `rows` rows; offset is that of the first one, step what a row adds. work by value: a copy that no store
// can change stays in registers; so do the offsets, as their number is a constant.
template <class F>
MACEC_NOINLINE void pointwise_rows(F work, const int64_t* first, const int64_t* step, int64_t rows,
                                   int64_t begin, int64_t end) {
  int64_t offset[F::kOperands];
  for (int o = 0; o < F::kOperands; ++o) offset[o] = first[o];
  for (int64_t r = 0; r < rows; ++r) {
    pointwise_run(work, offset, begin, end);
    for (int o = 0; o < F::kOperands; ++o) offset[o] += step[o];
  }
}

// The same in squares, so that whole cache lines are used of operands that are dense from row to row.
[[maybe_unused]] constexpr int64_t kPointwiseSquare = 16;
template <class F>
void pointwise_squares(const F& work, const int64_t* first, const int64_t* step, int64_t rows,
                       int64_t length) {
  int64_t offset[F::kOperands];
  for (int64_t r = 0; r < rows; r += kPointwiseSquare) {
    const int64_t tall = rows - r < kPointwiseSquare ? rows - r : kPointwiseSquare;
    for (int o = 0; o < F::kOperands; ++o) offset[o] = first[o] + r * step[o];
    for (int64_t i = 0; i < length; i += kPointwiseSquare) {
      const int64_t stop = length - i < kPointwiseSquare ? length : i + kPointwiseSquare;
      pointwise_rows(work, offset, step, tall, i, stop);
    }
  }
}

template <class F>
void pointwise(const PointwiseParams& p, const F& work, int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  int64_t offset[F::kOperands] = {}, step[F::kOperands] = {};
  if (p.rank <= 1) {
    const int64_t size = p.rank == 0 ? 1 : p.extent[0];
    const int64_t last = end * kPointwiseBlock;
    pointwise_rows(work, offset, step, 1, begin * kPointwiseBlock, last < size ? last : size);
    return;
  }
  const int row_axis = p.rank - 2;
  const int64_t rows = p.extent[row_axis], length = p.extent[p.rank - 1];
  Nest<F::kOperands> nest = {row_axis, F::kOperands, p.extent, {}, {}, {}};
  bool squares = false;  // a transposition
  for (int o = 0; o < F::kOperands; ++o) {
    nest.stride[o] = p.stride[o], step[o] = p.stride[o][row_axis];
    squares = squares || (step[o] == 1 && p.stride[o][p.rank - 1] > 1);
  }
  nest.start(begin / rows);
  int64_t row = begin % rows;
  for (int64_t unit = begin; unit < end; nest.step(), row = 0) {
    const int64_t count = rows - row < end - unit ? rows - row : end - unit;
    for (int o = 0; o < F::kOperands; ++o) offset[o] = nest.offset[o] + row * step[o];
    if (squares) {
      pointwise_squares(work, offset, step, count, length);
    } else {
      pointwise_rows(work, offset, step, count, 0, length);
    }
    unit += count;
  }
}
