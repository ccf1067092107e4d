// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of a plan at one level: functors, one function per step, and the run function.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/emit/operands.h"
#include "compiler/emit/params_text.h"
#include "compiler/ir/plan.h"
#include "targets/target.h"

namespace macec {

struct StepsText {
  std::string functors, functions, run;
};

class StepsWriter {
 public:
  // level: index of the target's level; identifiers: what symbols are called, with their index in
  // c.dim.
  StepsWriter(const Plan& plan, const Target& target, size_t level,
              const std::vector<int64_t>& weight_offsets,
              const std::map<std::string, std::pair<std::string, int>>& symbols,
              const std::vector<bool>& optional_outputs, bool step_hooks);
  // run_name: of the run function, "run".
  StepsText write(const std::string& run_name);

 private:
  void write_list(const StepList& steps, const std::vector<ExtentCheck>& checks,
                  const std::string& indent);
  void write_checks(const std::string& indent);
  void write_step(const Step& step, const std::string& indent);
  void write_gpu_run();
  void write_borders(int segment);  // maps and unmaps before it
  void write_gpu_segment(const Segment& segment);
  void write_call(const Step& step, const std::string& indent);
  void write_branch(const Step& step, const std::string& indent);
  void write_loop(const Step& step, const std::string& indent);
  void write_fail(const Step& step, const std::string& indent);
  void write_extents(const Step& step, size_t body, const std::string& indent);
  void write_function(const Step& step);
  std::string comment_of(const Step& step) const;
  std::string call_text(const Step& step, SymbolNames& names, bool* uses_worker);
  std::string functor_argument(const KernelCall& call, SymbolNames& names);
  std::string locals(const SymbolNames& names) const;  // declarations of the symbols used
  std::string value_of(const Dim& extent) const;
  std::string element_of(const View& view) const;
  SymbolNames new_names() const;
  int index_of(const Symbol& symbol) const;

  const Plan& plan_;
  const Target& target_;
  size_t level_;
  const std::vector<int64_t>& weight_offsets_;
  const std::map<std::string, std::pair<std::string, int>>& symbols_;
  const std::vector<bool>& optional_outputs_;  // which outputs the app may leave out
  bool step_hooks_;
  std::vector<std::vector<ExtentCheck>> waiting_;  // of the lists being written, innermost last
  std::set<std::string> set_;                      // computed extents that steps have set so far
  std::map<std::string, std::string> functor_types_;  // body of a functor -> its name
  StepsText text_;
};

// Every kernel header that the plan's steps need at this level, from codegen_templates/.
std::vector<std::string> kernel_headers(const Plan& plan, size_t level);

}  // namespace macec
