// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements put where tuples of run-time indices say (ScatterElements, ScatterND), over the elements
// of the updates x; negative indices count from the end:
//
//   y[at . y_stride + sum over p of index[at . i_stride + p * i_part] * part_stride[p]] (op)= x[...]
//
// kOp: 0 the last one stays, 1 add, 2 multiply, 3 greatest, 4 least. x, index, y do not overlap.
// Index: int32_t or int64_t. Returns 0, or 1 if an index lies outside; y is then partly written.
// Units: as gather_nest; they may not run at the same time, indices may name an element twice.
#pragma once
#include "../params/gather_nest.h"
#include "line.h"
#include "nest.h"

template <int kOp, class T>
MACEC_INLINE void scatter_one(T* y, const T* x) {
  if constexpr (kOp == 0) {
    *y = *x;
  } else if constexpr (kOp == 1) {
    plain_store(y, plain_load(y) + plain_load(x));
  } else if constexpr (kOp == 2) {
    plain_store(y, plain_load(y) * plain_load(x));
  } else {
    const auto have = line_load(y), v = line_load(x);
    const bool is_number = v == v;
    if ((kOp == 3 ? v > have : v < have) || !is_number) *y = *x;
  }
}

template <int kOp, class T, class Index>
int32_t scatter_nest(const GatherNestParams& p, const T* x, const Index* index, T* y, int64_t begin,
                     int64_t end, void*) {
  const int64_t inner = p.rank > 1 ? nest_size(p.extent + 1, p.rank - 1) : 1;
  if (begin >= end || inner == 0) return 0;
  Nest<3> nest = {p.rank, 3, p.extent, {p.x_stride, p.i_stride, p.y_stride}, {}, {}};
  nest.start(begin * inner);
  for (int64_t n = (end - begin) * inner; n > 0; --n, nest.step()) {
    int64_t to = nest.offset[2];
    for (int part = 0; part < p.parts; ++part) {
      int64_t at = static_cast<int64_t>(index[nest.offset[1] + part * p.i_part]);
      if (at < 0) at += p.part_extent[part];
      if (at < 0 || at >= p.part_extent[part]) return 1;
      to += at * p.part_stride[part];
    }
    scatter_one<kOp>(y + to, x + nest.offset[0]);
  }
  return 0;
}
