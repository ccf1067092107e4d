// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs as text, and back.
//
//   graph "net" (%x: float32[batch,3,8,8]) -> (%y) where batch = 1..8 {
//     %w = constant float32[4,3,3,3] "w" {0.1, 0.2, ... }      large constants: {seed 7}
//     %y: float32[batch,4,6,6] = Conv(%x, %w, _) {pads = [0, 0, 0, 0]} | Add(., %b) | Relu(.)   //
//     Conv '/conv'
//   }
#pragma once
#include <string>
#include <string_view>

#include "compiler/ir/graph.h"

namespace macec {

std::string text(const Graph& graph);
std::string text(const Graph& graph, const Node& node);
// Throws UserError with the line. Node definitions are found through `find_op` (ops/registry.h),
// types of outputs are as written.
Graph parse_graph(std::string_view text, const OpDef* (*find_op)(std::string_view));

// Every invariant of graph.h; throws InternalError that names what is broken. `after` names the
// pass.
void verify(const Graph& graph, std::string_view after);

}  // namespace macec
