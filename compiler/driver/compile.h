// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The spine: one model through all stages, for every subcommand.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compiler/driver/options.h"
#include "compiler/emit/emit.h"
#include "compiler/onnx/model.h"
#include "compiler/support/diagnostics.h"

namespace macec {

// What is left of one model after all stages.
struct Compilation {
  std::string path;
  Graph imported;       // before the passes; contents of constants are shared with `graph`
  Graph graph;          // after them
  CompiledModel model;  // with its plans
  std::vector<std::pair<int, int>> states;  // indices of imported.inputs, imported.outputs
  std::vector<std::string> explanations;    // --explain
};

// Import, passes, plans, memory. Errors of the model go to diag; then Stop is thrown.
Compilation compile_model(const Model& model, const Options& options, const Target& target,
                          const std::string& name, Diagnostics& diag);
// The whole compiler but for writing: files with their names, no folders.
struct Outputs {
  std::vector<Compilation> models;
  Target target;
  EmitOptions emit_options;
  std::vector<EmittedFile> files;
  std::vector<std::string> read;  // --depfile: the models and their external data
};
Outputs compile(const Options& options, Diagnostics& diag);

// The target of --target, or this machine's architecture.
Target target_of(const Options& options);
// C identifiers for the models: --name, the stem of -o, or the models' stems; different from each other.
std::vector<std::string> model_names(const Options& options);

// The lines of --explain.
void print_explanations(const Compilation& model, const Options& options);

// macec [compile]: writes the files and prints the summary. Returns an exit code.
int run_compile(const Options& options, Diagnostics& diag);

}  // namespace macec
