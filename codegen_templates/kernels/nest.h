// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A position in a nest of loops, with the offsets of several operands carried along: no divisions
// but those of start().
//
//   extent [2][3], operand 0 has strides [10][1]: offset[0] runs 0 1 2 10 11 12
#pragma once
#include "../params/pointwise.h"
#include "simd/vocabulary.h"

template <int kOperands>
struct Nest {
  int axes, operands;
  const int64_t* extent;
  const int64_t* stride[kOperands];  // stride[o][axis]
  int64_t index[kMaxRank];
  int64_t offset[kOperands];

  // Goes to a row-major index of the nest. Extents must not be 0.
  void start(int64_t at) {
    for (int o = 0; o < operands; ++o) offset[o] = 0;
    for (int a = axes - 1; a >= 0; --a) {
      index[a] = at % extent[a];
      at /= extent[a];
      for (int o = 0; o < operands; ++o) offset[o] += index[a] * stride[o][a];
    }
  }

  // Goes to the next index; after the last one back to the first.
  void step() {
    for (int a = axes - 1; a >= 0; --a) {
      for (int o = 0; o < operands; ++o) offset[o] += stride[o][a];
      if (++index[a] < extent[a]) return;
      for (int o = 0; o < operands; ++o) offset[o] -= extent[a] * stride[o][a];
      index[a] = 0;
    }
  }
};

[[maybe_unused]] inline int64_t nest_size(const int64_t* extent, int axes) {
  int64_t size = 1;
  for (int a = 0; a < axes; ++a) size *= extent[a];
  return size;
}
