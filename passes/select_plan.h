// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph -> Plan: where every value lives, and which kernel computes it.
#pragma once
#include "compiler/ir/plan.h"
#include "targets/target.h"

namespace macec {

// An output tied to an input: the value is kept between runs.
struct StatePair {
  int input, output;  // indices of graph.inputs, graph.outputs
};

// Values become buffers or views of buffers; nodes become kernel calls with a row chosen for every
// level of the target. Throws UserError for a node that no kernel of the target can do.
Plan select_plan(const Graph& graph, const Target& target,
                 const std::vector<StatePair>& states = {});

// Peak bytes of a graph run node by node, every value in a tensor of its own; the caller's inputs
// and outputs, and constants, do not count.
int64_t graph_live_bytes(const Graph& graph);

// Gives every arena buffer its lifetime and offset; fills arena_bytes, scratch_bytes and
// plan_live_bytes.
//   workers   how many take part in a step at most; each has scratch of its own
void plan_memory(Plan& plan, int workers);

}  // namespace macec
