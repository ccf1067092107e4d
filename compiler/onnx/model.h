// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model file in memory. Nothing here shows protobuf: other folders include this header freely.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace onnx {
class ModelProto;
}

namespace macec {

struct Model {
  std::shared_ptr<const onnx::ModelProto> proto;
  std::string path;    // as given
  std::string folder;  // where external data must be
  int64_t bytes = 0;   // of the file
  std::vector<unsigned char> sha256;
};

// Reads and parses a file; what is no ONNX model is named for what it is. At most 2 GiB (protobuf's limit).
Model load_model(const std::string& path);
// The same for bytes in memory (tests, the fuzzer). path: for messages; folder: of external data.
Model parse_model(const std::string& bytes, const std::string& path, const std::string& folder);

// An input as the file declares it; initializers that are listed as inputs too are left out.
struct DeclaredDim {
  int64_t size = -1;  // < 0: free
  std::string name;   // of a free one; may be empty
};
struct DeclaredValue {
  std::string name;
  DType dtype = DType::undefined;  // undefined: no tensor, or no type
  const char* kind = "a tensor";   // "a sequence", "a map", ...
  bool has_shape = false;
  std::vector<DeclaredDim> dims;
};
std::vector<DeclaredValue> declared_inputs(const Model& model);
std::vector<DeclaredValue> declared_outputs(const Model& model);
std::vector<DeclaredValue> declared_values(const Model& model);  // inputs, outputs and value_info

// The files beside the model that hold its external data: real paths, sorted; those that are missing are left out.
// Throws UserError for a place outside the model's folder.
std::vector<std::string> external_files(const Model& model);

// A file that holds one TensorProto (input_0.pb of a test data set). Throws UserError; also for sequences and optionals.
struct NamedTensor {
  std::string name;
  Tensor tensor;
};
NamedTensor load_tensor(const std::string& path);

}  // namespace macec
