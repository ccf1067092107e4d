// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated code as a program: written into a temporary folder with harness.h around it, compiled, run.
#pragma once
#include <string>
#include <vector>

#include "compiler/driver/options.h"
#include "compiler/emit/emit.h"
#include "compiler/support/files.h"
#include "targets/target.h"

namespace macec {

// What one run gets: sizes of CompiledModel::symbols, tensors of CompiledModel::inputs.
struct RunInput {
  std::vector<int64_t> dims;
  std::vector<Tensor> inputs;
};
struct RunOutput {
  int status = 0;     // a macec_status; 0: done
  std::string error;  // of a run that failed
  bool broke_guard = false;
  std::string place;  // "GPU", "CPU (why)"; empty: the model has no OpenCL half
  std::vector<Tensor> outputs;
};

class Program {
 public:
  // Throws UserError if a tool is missing, InternalError if the generated code does not compile.
  Program(const std::vector<CompiledModel>& models, const Target& target, const Options& options,
          bool step_hooks);

  // Runs all inputs, each in a fresh context; in_sequence: in one context, so that states carry on. Fewer outputs than inputs: the
  // program ended early, and *failure says how.
  std::vector<RunOutput> run(size_t model, const std::vector<RunInput>& inputs, bool in_sequence,
                             std::string* failure) const;

  // Nanoseconds of every timed run, and of every step (by number) on average.
  struct Times {
    std::vector<double> totals, steps;
    std::string place;  // as of RunOutput
  };
  Times bench(size_t model, const RunInput& input, int runs) const;

  int64_t code_bytes()
      const;  // text and read-only data of the generated object without weights; -1: not known
  // How much of it is there for the plans behind the first ones, without their weights; -1: not
  // known.
  int64_t second_plan_code_bytes() const;
  const std::string& folder() const { return folder_.path(); }

 private:
  int64_t object_bytes(const std::string& stem) const;
  void build();
  std::string write_input(const std::vector<RunInput>& inputs) const;
  std::vector<std::string> command(const char* mode, size_t model, const std::string& in,
                                   const std::string& out) const;

  const std::vector<CompiledModel>& models_;
  const Target& target_;
  const Options& options_;
  const bool step_hooks_;
  TemporaryFolder folder_;
};

}  // namespace macec
