// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of elementwise work with broadcasting: a nest of loops over at most kMaxRank axes.
//
// The compiler orders the axes by the output's strides and merges what can be merged, so the innermost axis is the last one and
// usually long. stride[o][a]: elements that operand o moves along axis a; operands are the inputs, then the outputs.
// Units: rank <= 1: blocks of kPointwiseBlock elements; else single indices of the nest of all axes but the last (row-major).
#pragma once
#include "common.h"

enum { kMaxRank = 8, kMaxOperands = 16, kPointwiseBlock = 4096 };

template <class Int>
struct PointwiseParamsT {
  int rank, operands;  // form
  Int extent[kMaxRank];
  Int stride[kMaxOperands][kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("operands", p.operands), f("extent", p.extent), f("stride", p.stride);
  }
};
using PointwiseParams = PointwiseParamsT<int64_t>;
