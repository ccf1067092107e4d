// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs another program: a C++ compiler, a generated program, qemu.
#pragma once
#include <string>
#include <vector>

namespace macec {

struct ProcessResult {
  int code = 0;    // exit status
  int signal = 0;  // > 0: ended by it
  bool timed_out = false;
  double seconds = 0;
  std::string output;  // stdout and stderr together, at most 64 KB of it

  bool is_ok() const { return code == 0 && signal == 0 && !timed_out; }
  std::string failure()
      const;  // "ended by signal 11 (Segmentation fault)", "exit code 3", "no end within 60 s"
};

// argv[0] is looked up in PATH. Runs in `folder`, with no input; the whole process group ends when the time is over.
// Throws UserError if the program cannot be started.
ProcessResult run_process(const std::vector<std::string>& argv, const std::string& folder,
                          double timeout_seconds);

// Is there such a program in PATH?
bool has_program(const std::string& name);

}  // namespace macec
