// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The model's inputs: what the file declares, what --shape, --dim and --set say, and what is still missing.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/onnx/import.h"
#include "compiler/onnx/proto.h"

namespace macec {

struct ImportInput {
  std::string name;
  TensorType type;
  TensorPtr constant;  // --set
};

struct ImportInputs {
  std::vector<ImportInput> inputs;
  std::vector<std::shared_ptr<const Symbol>> symbols;  // in order of first use
};

// declared: the inputs to make. Errors: a size that nothing gives (one per cause, with a flag that cures it), names
// in flags that the model does not have, sizes that contradict each other.
ImportInputs resolve_inputs(const std::vector<DeclaredValue>& declared,
                            const ImportOptions& options, Diagnostics& diag);

// "float32[batch,3,?]"
std::string text(const DeclaredValue& value);

}  // namespace macec
