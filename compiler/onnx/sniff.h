// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names a file that is no ONNX model for what it is.
#pragma once
#include <string>
#include <string_view>

#include "compiler/support/error.h"

namespace macec {

// bytes: the whole file. "'net.onnx' is a PyTorch checkpoint, no ONNX model" with what to do; parses: protobuf could read
// it (and found no graph).
UserError not_a_model(std::string_view bytes, const std::string& path, bool parses);

}  // namespace macec
