// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that the inputs of a node must have, by its operator.
#pragma once
#include "compiler/ir/graph.h"

namespace macec {

// Of a node in its newest form, as import makes it. Throws UserError that names the input.
void check_input_types(const Graph& graph, const Node& node);

}  // namespace macec
