// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What run and bench begin with: one model compiled, and an input for it.
#pragma once
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/driver/program.h"

namespace macec {

struct OneModel {
  Target target;
  std::vector<Compilation> compilation;  // one
  std::vector<CompiledModel> models;     // one
  RunInput input;                        // --in, or made at the upper bounds
};
OneModel compile_one(const Options& options, Diagnostics& diag);

}  // namespace macec
