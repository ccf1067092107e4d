// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pass is, and what it may know.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/graph.h"

namespace macec {

struct Target;

struct PassContext {
  const Target* target = nullptr;
  // Appended by passes for --explain: "fusion: Add '/a' behind Conv '/c'".
  std::vector<std::string>* explain = nullptr;
};

struct Pass {
  const char* name;       // "fold-batch-norm"
  const char* doc;        // one line, before -> after
  const char* invariant;  // what holds afterwards; "" if nothing new
  bool (*run)(
      Graph&,
      PassContext&);  // true: the graph changed. Bodies are visited by the runner, innermost first.
};
const std::vector<Pass>& pipeline();

struct PipelineOptions {
  std::string dump_after;  // pass name, "all", or empty
  std::string stop_after;  // for filetests: run up to this pass
};
// Runs all passes in order, verifies after each. dump is called with (pass name, text) as asked.
void run_pipeline(Graph& graph, PassContext& context, const PipelineOptions& options,
                  void (*dump)(const std::string& pass, const std::string& text));
// Runs one pass by name (filetests). Throws UserError for an unknown name.
bool run_pass(Graph& graph, const std::string& name, PassContext& context);

}  // namespace macec
