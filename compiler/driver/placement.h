// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What --explain=placement, inspect and the summary say about a plan over two devices.
#pragma once
#include <string>
#include <vector>

#include "compiler/driver/compile.h"

namespace macec {

// Throws UserError for --place rules that name no node of any of the graphs, and for flags of
// placement where the target has no GPU.
void check_placing(const std::vector<const Graph*>& graphs, const Target& target,
                   const Options& options);

// The estimate; then segments, transfers and CPU steps with their reasons, in the order of a run.
//   "before segment 1: map 'add_3', 25088 bytes"
std::vector<std::string> placement_lines(const Plan& plan);

// For inspect: segments, transfers, memory of the devices, the second plan. Empty without a GPU.
std::string placement_text(const CompiledModel& model);
// The same as members of an object: "gpu": {...}, "cpu_plan": {...}; null where there is none. Then
// "placement": what --explain=placement says.
std::string placement_json(const Compilation& compilation);
// The lines of --explain=placement.
std::vector<std::string> placement_explanations(const Compilation& compilation);
// For the summary: "gpu 52 of 53 steps, 53 launches, ...". Empty for a target without a GPU.
std::string placement_summary(const CompiledModel& model, const Target& target);

struct GpuWork {
  int steps = 0;
  double flops = 0, bytes = 0;
};
GpuWork gpu_work(const Plan& plan);
// Bytes of weights that only the plans behind the first one use.
int64_t second_plan_weight_bytes(const CompiledModel& model);

}  // namespace macec
