// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From views to kernel parameters: what the lower functions of all families share.
#pragma once
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// An empty call of a family: operands, plain constant uses.
KernelCall make_call(Family family, std::vector<View> inputs, std::vector<View> outputs);

// A nest of loops over the axes of `shape`, the same for several operands: axes of extent 1 are
// dropped, the rest is ordered by the strides of the operand `leader` (largest first) and
// neighbours are merged where every operand allows.
struct LoopNest {
  Shape extent;                           // outermost first
  std::vector<std::vector<Dim>> strides;  // [operand][axis]
};
// strides[operand][logical axis]. Throws UserError if more than kMaxRank axes remain.
LoopNest make_nest(const Shape& shape, const std::vector<std::vector<Dim>>& strides, int leader);

// Elements from one axis step to the next of a dense tensor of this shape, row-major.
std::vector<Dim> row_major_strides(const Shape& shape);

// The strides of a view seen through numpy broadcasting to `shape` (0 where the view's extent is 1
// or missing).
std::vector<Dim> broadcast_strides(const View& view, const Shape& shape);

// View arithmetic. Each returns false if strides cannot say it.
bool reshape_view(const View& in, const Shape& shape, View* out);
View transpose_view(const View& in, const std::vector<int64_t>& permutation);
View slice_view(const View& in, const std::vector<Dim>& starts, const std::vector<Dim>& extents,
                const std::vector<int64_t>& steps);
View expand_view(const View& in, const Shape& shape);

KernelCall copy_call(const View& from, const View& to);  // from broadcasts to the shape of `to`
KernelCall fill_call(const View& one_element, const View& to);
// steps over views[0..inputs): writes results (indices of steps) to outputs.
KernelCall pointwise_call(std::vector<PointwiseStep> steps, std::vector<View> inputs,
                          std::vector<View> outputs, std::vector<int> results);
// Results of less than a byte share bytes, so the elements of one byte must be written in order. Sees
// to that, or throws UserError. Every pointwise call whose results may be packed goes through it.
void order_packed_results(KernelCall* call);

// Whether a fused operand can be read by a kernel whose output is rows x columns: the view of
// output 0 is walked row by row (all axes but the column axis, which has stride 1 or is broadcast).
// Fills row and column strides of `operand` (broadcast to the output's shape). columns: logical
// axis of the columns. False: not expressible.
bool row_column_strides(const View& output, int columns, const View& operand, Dim* row,
                        int* column);
// A channels-last view whose pixels lie behind one another: channels have stride 1, `pixel`
// elements lie between neighbours along the innermost spatial axis, rows and images follow without
// gaps. False for any other view.
bool pixel_stride(const View& view, Dim* pixel);

// Attaches the node's epilogue to a call whose output is rows x columns; false if an operand does
// not fit.
bool attach_epilogue(const LowerContext& context, int columns, KernelCall* call);
// The same for any steps; StepArg::input indexes `operands`.
bool attach_steps(const std::vector<PointwiseStep>& steps, const std::vector<View>& operands,
                  int columns, KernelCall* call);
// Units of a product of rows x n that is split by its columns, kUnitColumns each, so that workers share
// the weights out among them; 0: workers take rows each, because there are many or few columns.
int64_t column_units(const Dim& rows, int64_t n);
// The views of all inputs of the node; an empty view for one that is not given.
std::vector<View> input_views(const LowerContext& context);
// A dense operand whose contents the compiler makes up.
View constant_view(Tensor tensor);

}  // namespace macec
