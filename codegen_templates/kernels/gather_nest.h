// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements picked by tuples of run-time indices (GatherElements, GatherND); negative ones count from the end.
//
// x, y: any element type, no overlap. Index: int32_t or int64_t. Returns 0, or 1 if an index lies outside; y is then partly written.
#pragma once
#include "../params/gather_nest.h"
#include "nest.h"

template <class T, class Index>
int32_t gather_nest(const GatherNestParams& p, const T* x, const Index* index, T* y, int64_t begin,
                    int64_t end, void*) {
  const int64_t inner = p.rank > 1 ? nest_size(p.extent + 1, p.rank - 1) : 1;
  if (begin >= end || inner == 0) return 0;
  Nest<3> nest = {p.rank, 3, p.extent, {p.x_stride, p.i_stride, p.y_stride}, {}, {}};
  nest.start(begin * inner);
  for (int64_t n = (end - begin) * inner; n > 0; --n, nest.step()) {
    const T* from = x + nest.offset[0];
    for (int part = 0; part < p.parts; ++part) {
      int64_t at = static_cast<int64_t>(index[nest.offset[1] + part * p.i_part]);
      if (at < 0) at += p.part_extent[part];
      if (at < 0 || at >= p.part_extent[part]) return 1;
      from += at * p.part_stride[part];
    }
    y[nest.offset[2]] = *from;
  }
  return 0;
}
