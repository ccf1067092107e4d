// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GatherElements, GatherND, ScatterElements and ScatterND share: one nest of loops in which
// indices say where in one of two tensors an element is (params/gather_nest.h).
#pragma once
#include <vector>

#include "compiler/ops/lowering.h"

namespace macec {

// Strides of x (read), the indices and y (written) for every axis of `extent`. An axis that indices
// decide has stride 0 in the tensor they point into; part p of an index counts part_stride[p]
// elements of it, i_part elements of the indices lie between two parts.
struct IndexNest {
  Shape extent;
  std::vector<Dim> x, i, y;
  std::vector<Dim> part_extent, part_stride;
  Dim i_part = 0;
};

// A call of Family::gather. leader: the operand that orders the loops, 0 x, 2 y. Throws UserError if
// an index has too many parts.
KernelCall index_nest_call(const IndexNest& nest, const View& x, const View& indices, const View& y,
                           const std::string& op, int leader);

// The element that position n (row-major in `shape`, the extents of the nest) points at, in the
// tensor with `strides` (nest.x or nest.y). Throws UserError for an index out of range.
int64_t indexed_element(const IndexNest& nest, const std::vector<Dim>& strides,
                        const std::vector<int64_t>& shape, const Tensor& indices, int64_t n);

}  // namespace macec
