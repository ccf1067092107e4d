// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the items of a work-group are dealt to lines: rows of a softmax, results of a reduction.
//
//   shares 4, lines 2:   item  0 1 2 3 | 4 5 6 7
//                        line  a a a a | b b b b     item 0 takes elements 0, 4, 8, ... of line a
#pragma once
#include "targets/opencl/gpu_row.h"
#include "targets/opencl/launch_builder.h"

namespace macec {

struct Shares {
  int64_t shares;  // items of one line, a power of two
  int64_t lines;   // of one group, a power of two
  int64_t held;    // vectors or elements that each item can keep in registers; 0: too many
};

// count: vectors (width 4) or elements (width 1) of each of `lines` lines. More items a line where
// the lines alone do not keep the device busy, and where a line is long. neighbours: lines that a
// group should have at least, because their elements are neighbours in memory.
Shares shares_of(int64_t count, int64_t lines, int width, const GpuCapabilities& caps,
                 int64_t neighbours = 1);
constexpr int64_t kNeighbours = 8;  // times 16 bytes: a cache line

// A row that reads by X4 may find its operand in an image.
inline Access access_if(bool has_vectors) {
  return has_vectors ? Access::vectors : Access::elements;
}

}  // namespace macec
