// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line. Every flag and every command stands once, in a table of options.cpp: parsing, --help and the
// documentation come from it.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compiler/onnx/import.h"
#include "passes/place_steps.h"

namespace macec {

// A command line that means nothing: exit code 2.
struct UsageError : std::runtime_error {
  explicit UsageError(const std::string& text, std::string hint_ = "")
      : std::runtime_error(text), hint(std::move(hint_)) {}
  std::string hint;
};

enum ExitCode { kDone = 0, kUserFault = 1, kUsage = 2, kInternal = 70 };

struct Options {
  std::string command = "compile";
  std::vector<std::string> files;
  bool wants_help = false, wants_version = false;

  // what to compile
  ImportOptions import;
  std::vector<std::pair<std::string, std::string>> states;
  std::string target;  // empty: this machine
  bool target_is_given = false;
  int max_threads = 4;
  int plans = 1;
  PlaceOptions placing;
  bool has_self_check = true;  // of a plan that uses the GPU
  bool has_cpu_plan = true;  // behind a plan that uses the GPU

  // what to write
  std::string output, name, depfile;
  std::string weights = "auto";
  bool force = false, step_hooks = false;
  std::string emit;        // "graph", "plan": print it instead of writing code
  std::string dump_after;  // pass, "all" or empty
  std::string explain;     // topic or "all"
  bool json = false;

  // verify, run, bench
  std::string data, in, out;
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> fills;  // --fill ids=0..30521
  std::optional<double> rtol, atol;
  int jobs = 1, threads = 1, level = 0, runs = 50;
  uint64_t seed = 1;
  std::string optimize = "-O2";
  std::string device;  // "gpu", "cpu", "any"; empty: gpu on this machine, any under an emulator
  std::string opencl;  // path of the OpenCL library; empty: the usual ones
  bool keep = false;

  std::vector<std::string> arguments;  // the command line as typed, without the program
  std::string
      shaping;  // the flags that change the generated code, in the order typed; without folders
  std::string verify_flags;  // those of them that verify has too, a space before each
};

// Throws UsageError.
Options parse_options(const std::vector<std::string>& arguments);
std::string help_text(const std::string& command);  // "" for all commands
std::string version_text();

}  // namespace macec
