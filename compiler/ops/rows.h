// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators that work along some axes share: reductions, softmax, normalisation. Private to ops/.
#pragma once
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// Axes in 0..rank, sorted; negative ones count from the end. UserError when one is outside or comes twice.
std::vector<size_t> checked_axes(const std::vector<int64_t>& axes, size_t rank);

// Reduces the axes of one view into another of equal rank (extent 1 on reduced axes). op: what follows "Reduce" in the name of the
// operator: "Sum", "Mean", "Max".
KernelCall reduce_call(const char* op, const View& x, const View& y,
                       const std::vector<size_t>& axes);
// The view with extents of 1 at these axes put back (they are not in y).
View with_axes(const View& y, const std::vector<size_t>& axes);

// Reference: y[kept] = finish(fold of f over reduced). Computed in double, or in 64-bit integers for integer types.
Tensor evaluate_reduction(const std::string& op, const Tensor& x, const std::vector<size_t>& axes,
                          bool keeps);

// All axes of the view from `axis` on as one axis: its stride; false if they cannot be walked with one stride.
bool merged_stride(const View& view, size_t begin, size_t end, Dim* stride);

}  // namespace macec
