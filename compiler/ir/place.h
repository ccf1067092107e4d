// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How messages name a node: "Conv '/conv' (node 3 of 12): x float32[1,3,8,8], w float32[4,3,3,3]".
#pragma once
#include <string>

#include "compiler/ir/graph.h"

namespace macec {

// total_nodes: of the file; 0: not known.
std::string place(const Graph& graph, const Node& node, int total_nodes);
// "x float32[1,3,8,8]"; only the name where the type is not known.
std::string place(const Value& value);

}  // namespace macec
