// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nest of loops of which each work-item does one round: the axes as constants of a template.
//
//   extents [5][96], X strides [960][1], vectors of four     COUNT   120
//                                                            INDICES const int i0 = at / 24, i1 = at % 24;
//                                                            X_ROW   0
//                                                            X_AT    (i0 * 960 + i1 * 4)
#pragma once
#include <string>
#include <vector>

#include "targets/opencl/launch_builder.h"

namespace macec {

constexpr int kNestGroup = 64;  // work-items of a group

struct GpuNest {
  std::vector<int64_t> extent;               // outermost first
  std::vector<std::vector<int64_t>> stride;  // [operand][axis], elements

  GpuNest() = default;
  GpuNest(int rank, const Dim* extents);
  void add(const Dim* strides);  // the next operand
  size_t rank() const { return extent.size(); }
  // Of operand o along the innermost axis; 1 where there is only one element.
  int64_t inner(size_t o) const { return rank() ? stride[o].back() : 1; }
  int64_t inner_extent() const { return rank() ? extent.back() : 1; }
  int64_t count() const;

  // Cuts axes so that no axis runs over the end of a row of operand o, which is in an image with
  // rows of image_row elements. Nothing happens where that does not work out.
  void split_at_rows(size_t o, int64_t image_row);
};

// Empty: a launch can address all of the call. Else why not.
std::string refuses_nest(const KernelCall& call);

// The type that elements of a whole number of bytes, at most 8, move as: float32, or an unsigned
// integer of their size.
DType moved_type(DType type);

// Element 0 of a constant as a constant expression; type: its own, or what it moves as.
std::string literal_of(const Tensor& tensor, DType type);

// Bytes of the elements that the views show, broadcast ones once.
double touched_bytes(const std::vector<View>& views);

// "i2 * 4", or "i2" for a stride of 1: a part of <name>_AT.
void add_term(std::string* sum, const std::string& index, int64_t stride);

// Defines COUNT, INDICES (axes of one round have none) and, for each operand o that is not called "", <name>_ROW and <name>_AT.
// The operands are declared. steps[a]: elements along axis a that one work-item does.
void define_nest(LaunchBuilder& b, const GpuNest& nest, const std::vector<std::string>& names,
                 const std::vector<int64_t>& steps);
// The same with `width` elements of the innermost axis for each work-item; sets the size.
void define_nest(LaunchBuilder& b, const GpuNest& nest, const std::vector<std::string>& names,
                 int64_t width);

}  // namespace macec
