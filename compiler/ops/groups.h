// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers for the files that declare elementwise operators. Private to ops/.
#pragma once
#include "compiler/ops/elementwise.h"
#include "compiler/ops/registry.h"

namespace macec {

// Fills an OpDef of an elementwise operator that has one output and no older form since opset
// `first` (7 if it is older).
inline OpDef elementwise_def(const char* name, const char* doc, int min_inputs, int max_inputs,
                             int first, void (*steps)(StepBuilder&),
                             std::vector<AttributeDef> attributes = {}) {
  OpDef def =
      one_result(name, doc, min_inputs, max_inputs, first < kOldestOpset ? kOldestOpset : first);
  def.attributes = std::move(attributes);
  def.traits = kElementwise | kAnyLayout;
  def.infer = infer_elementwise;
  def.evaluate = evaluate_elementwise;
  def.lower = lower_elementwise;
  def.steps = steps;
  return def;
}

// The step of the operator's own name on all inputs, with its attributes.
inline void same_step(StepBuilder& b) {
  std::vector<StepArg> args;
  for (size_t i = 0; i < b.types.size(); ++i) args.push_back(StepBuilder::in(static_cast<int>(i)));
  b.result(b.add(b.node.op.c_str(), std::move(args), b.node.attributes));
}

}  // namespace macec
