// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph -> Plan: where every value lives, and which kernel computes it.
#pragma once
#include "compiler/ir/plan.h"
#include "passes/place_steps.h"
#include "targets/target.h"

namespace macec {

// An output tied to an input: the value is kept between runs.
struct StatePair {
  int input, output;  // indices of graph.inputs, graph.outputs
};

// Values become buffers or views of buffers; nodes become kernel calls with a row chosen for every
// level of the target, and one for its GPU where there is one. Constants are not packed yet. Throws
// UserError for a node that no kernel of the target can do.
Plan select_plan(const Graph& graph, const Target& target,
                 const std::vector<StatePair>& states = {}, const PlaceOptions& placing = {});

// Appends a buffer. Returns its index.
int add_buffer(Plan& plan, const std::string& name, DType dtype, const Dim& elements,
               Buffer::Place place, int index);

// Constants among the operands become packed weights and buffers, in the order that the row of the
// step's device reads; one-element constants of pointwise work stay as they are.
void pack_weights(Plan& plan, const Target& target);

// Peak bytes of a graph run node by node, every value in a tensor of its own; the caller's inputs
// and outputs, and constants, do not count.
int64_t graph_live_bytes(const Graph& graph);

// Gives every buffer its place: offsets in the arena of its home, image and shared objects; fills
// arena_bytes, scratch_bytes and plan_live_bytes, and their like in plan.gpu. Offsets among the
// arguments of launches become final, but for weights: the emitter knows where those stand.
//   workers   how many take part in a CPU step at most; each has scratch of its own
void plan_memory(Plan& plan, int workers);

}  // namespace macec
