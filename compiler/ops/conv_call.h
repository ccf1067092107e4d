// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the lowerings of Conv and ConvTranspose share.
#pragma once
#include <optional>

#include "compiler/ops/lowering.h"
#include "compiler/ops/window.h"

namespace macec {

// A call of Family::conv with everything but its weights' order, its op and its work: operands x, w,
// bias, and the geometry of the window. in_channels and out_channels are those of one group.
// Nothing if x or y are no dense pixels, or computed weights or bias have gaps.
std::optional<KernelCall> make_conv_call(const LowerContext& context, const Window& window,
                                         int64_t in_channels, int64_t out_channels);

}  // namespace macec
