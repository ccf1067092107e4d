// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that a file stores sparsely; private to compiler/onnx.
#pragma once
#include <string>

#include "compiler/onnx/proto.h"

namespace macec {

// Makes every sparse initializer and every sparse Constant of the model a dense one, in bodies and functions too.
// folder: of external data. Throws UserError that names the tensor.
void make_dense(onnx::ModelProto* model, const std::string& folder);

}  // namespace macec
