// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands; each in a file of its own. All return an exit code, and throw UserError, UsageError, Stop or
// InternalError.
#pragma once
#include "compiler/driver/options.h"
#include "compiler/support/diagnostics.h"

namespace macec {

int run_compile(const Options& options, Diagnostics& diag);  // compile.cpp
int run_inspect(const Options& options, Diagnostics& diag);
int run_list(const Options& options);
int run_verify(const Options& options);
int run_run(const Options& options, Diagnostics& diag);
int run_bench(const Options& options, Diagnostics& diag);

// Parses, runs one command, prints every error in its form. Everything but main() itself.
int run_macec(const std::vector<std::string>& arguments);

}  // namespace macec
