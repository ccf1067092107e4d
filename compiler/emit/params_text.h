// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameter structs and expressions of extents as C++ text.
#pragma once
#include <functional>
#include <string>

#include "compiler/ir/plan.h"

namespace macec {

// How symbols are called in generated code, and which ones a piece of text used.
struct SymbolNames {
  std::function<std::string(const Symbol&)> identifier;
  // Extents of the caller and run-time values as locals of the function: declarations for those
  // used so far.
  std::vector<std::string> used;
  std::string operator()(const Dim& extent);
};

struct ParamsText {
  std::string type;         // "ConvParams"; empty: the family has none
  std::string initializer;  // "{{1, 3, 3}, ...}"
  bool is_constant = true;  // no extent depends on a symbol
};
ParamsText params_text(const CallParams& params, SymbolNames& names);

std::string float_text(float value);  // shortest that reads back the same: "0.1f", "INFINITY"
std::string double_text(double value);

}  // namespace macec
