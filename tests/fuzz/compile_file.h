// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one thing that the fuzzer asks of macec.
#pragma once
#include <string>

namespace fuzz {

enum class Outcome { kCompiled, kRefused, kOurError, kForeignException };

struct Answer {
  Outcome outcome = Outcome::kCompiled;
  std::string text;
};

// Compiles model file `path` in this process; what is written goes to the folder `out`. Never
// throws.
Answer compile_file(const std::string& path, const std::string& out);

}  // namespace fuzz
