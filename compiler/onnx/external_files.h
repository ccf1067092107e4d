// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights in files beside the model: what is missing or out of bounds, said once for each file.
#pragma once
#include "compiler/onnx/model.h"
#include "compiler/support/diagnostics.h"

namespace macec {

// Adds one error for each external file that is not there or lies outside the model's folder, however many weights are
// in it.
void check_external_files(const Model& model, Diagnostics& diag);

}  // namespace macec
