// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes of the opsets 1 to 6, before broadcasting was what it is today: brought to the form of
// opset 7, from which the importers of `OpDef::versions` lead on to the newest one.
#pragma once
#include <string_view>

#include "compiler/ops/op_def.h"

namespace macec {

// A range of opsets in which an operator had one form. `raise` is nullptr where that form differs
// from opset 7 in nothing but `consumed_inputs`, which every old node may have.
struct OldForm {
  const char* type;  // of the domain ai.onnx
  int first, last;   // opset versions, inclusive; within 1 to 6
  Importer raise;
};
void raise(const OldForm& form, ImportContext& context);
// nullptr: there was no such operator in that opset.
const OldForm* find_old_form(std::string_view type, int opset);
// An operator of opset 1 that was marked as experimental and that no later opset has.
bool was_experimental(std::string_view type);

}  // namespace macec
