// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inference through the bodies of If and Loop.
#pragma once
#include <string>
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// The node whose bodies inference fills in: an InferContext shows it as const, because everything
// else of it is.
Node& node_with_bodies(InferContext& context);

// Gives parameter `index` of the body the type of input `input` of the node, and what is known
// about its contents.
void pass_input(const InferContext& context, int input, Graph* body, size_t index);
void set_parameter(Graph* body, size_t index, const TensorType& type);

// Infers all nodes of the body, and hands its checks on to the graph around it. Errors name the
// place in the body.
void infer_body(InferContext& context, Graph* body);

// A run-time extent of axis `axis` of output `output`: the one that an earlier inference made, if
// its bounds are the same.
Dim computed_extent(InferContext& context, int output, size_t axis, int64_t lo, int64_t hi);

}  // namespace macec
