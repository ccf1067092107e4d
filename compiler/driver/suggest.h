// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user may type instead of a command that was refused.
#pragma once
#include <string>

#include "compiler/driver/options.h"
#include "compiler/support/diagnostics.h"

namespace macec {

// For the end of a report: the command with flags that cure all errors, ". For example, this compiles:\n    macec ...".
// It is tried before that is said of it. "" if an error has no cure.
std::string suggestion(const Options& options, const Diagnostics& diag);

}  // namespace macec
