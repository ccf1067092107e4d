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

// The operator of a branch that no run can finish: its body is one node of it, and what the branch
// gives has the types of the other one. Its attribute `text` says why.
constexpr const char* kFailOp = "Fail";
// The Fail node of such a body; nullptr for all others.
const Node* failing_node(const Graph& body);

// The operator that makes extents of numbers of a run: extents.cpp.
constexpr const char* kExtentsOp = "Extents";

// Infers all nodes of the body. Errors name the place in the body. Its checks stay in it: they are
// made where it runs.
void infer_body(InferContext& context, Graph* body);

// A run-time extent of axis `axis` of output `output`: the one that an earlier inference made, if
// its bounds are the same.
Dim computed_extent(InferContext& context, int output, size_t axis, int64_t lo, int64_t hi);

}  // namespace macec
