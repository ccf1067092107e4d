// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a planned model to the description that the header and the C interface are written from.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/emit/emit.h"
#include "compiler/emit/interface.h"
#include "compiler/emit/operands.h"

namespace macec {

ModelInterface fill_interface(const CompiledModel& model, const Target& target,
                              const WeightPlaces& weights, const EmitOptions& options);
// Numbers that depend on the finished code: build (of everything) and weights_layout (of everything
// but the weights' values).
void finish_interface(const CompiledModel& model, const WeightPlaces& weights,
                      const std::string& code, ModelInterface* interface);

// Symbol -> what it is called in code, and its index in c.dim: the caller's dimensions first, then
// values of the steps.
std::map<std::string, std::pair<std::string, int>> run_time_symbols(
    const CompiledModel& model, const ModelInterface& interface);

// "kws: audio float32[1,49,10] -> scores float32[1,12]; memory, steps, weights".
std::vector<std::string> summary_lines(const CompiledModel& model);

}  // namespace macec
