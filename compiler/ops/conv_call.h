// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Conv and ConvTranspose share.
#pragma once
#include <functional>
#include <optional>

#include "compiler/ops/lowering.h"
#include "compiler/ops/window.h"

namespace macec {

// Extents of the kernel of weights [.., .., kernel...]. Throws UserError if the weights vary, or
// attribute kernel_shape differs. form: what the operator's weights should be.
std::vector<int64_t> conv_kernel(const Node& node, const Shape& weights, const char* form);

// Throws UserError unless x has `in` channels and the bias, if there is one, `out` elements.
void require_channels(InferContext& context, const Dim& in, const Dim& out);

// A convolution for the evaluator, in double: the channels of all groups, the element of w of an
// output channel, an input channel of its group and tap 0, and what one tap adds to a plane:
// sums[o] += weight * x[i] for every o that meets an i.
struct ConvSums {
  int64_t group, in_channels, out_channels;  // of all groups
  std::function<int64_t(int64_t output, int64_t channel)> weight_at;
  void (*add_tap)(const Window&, const int64_t tap[3], double weight, const double* x,
                  double* sums);
};
Tensor evaluate_sums(const EvaluateContext& context, const Window& window, DType dtype,
                     const ConvSums& sums);

// A call of Family::conv with everything but its weights' order, its op and its work: operands x, w,
// bias, and the geometry of the window. in_channels and out_channels are those of one group.
// Nothing if x or y are no dense pixels, or computed weights or bias have gaps.
std::optional<KernelCall> make_conv_call(const LowerContext& context, const Window& window,
                                         int64_t in_channels, int64_t out_channels);

// How constant weights are read, all but the order of depths of panels: one input and one output
// channel a group [tap][channel], else panels of depth [tap][channel]. row, column: elements of w from
// an output channel and from an input channel of a group to the next.
KernelCall::ConstantUse conv_weights(const ConvParamsT<Dim>& p, int64_t row, int64_t column);

}  // namespace macec
