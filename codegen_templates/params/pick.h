// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of kernels whose outputs are as long as the data says: they write the number to
// `count`, an int64 behind their last output. All tensors are dense.
//
//   x [outer, n, inner], m conditions; nonzero: extent has the axes of x
//   nms: outer batches of n boxes in m classes; room: the most results that y holds
//
// Units: one, all of the work.
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct PickParamsT {
  int rank;  // form; nonzero only
  Int outer, n, inner, m, room;
  Int extent[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("outer", p.outer), f("n", p.n), f("inner", p.inner), f("m", p.m);
    f("room", p.room);
    f("extent", p.extent);
  }
};
using PickParams = PickParamsT<int64_t>;
