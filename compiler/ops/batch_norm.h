// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What BatchNormalization asks of its inputs, at inference and in training.
#pragma once
#include "compiler/ops/op_def.h"

namespace macec {

// x is [N, C, ...] and scale, bias, mean and variance are [C]; a user_error says which is not.
void require_batch_norm_shapes(InferContext& context);

}  // namespace macec
