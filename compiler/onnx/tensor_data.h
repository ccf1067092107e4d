// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TensorProto -> Tensor: raw bytes, typed fields, external files. Everything is checked before anything is allocated.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/ir/tensor.h"
#include "compiler/onnx/proto.h"

namespace macec {

// Where an external tensor's bytes are.
struct ExternalPlace {
  std::string location;  // relative to the model's folder
  int64_t offset = 0;
  int64_t length = -1;  // -1: not said
};

class TensorReader {
 public:
  explicit TensorReader(std::string folder) : folder_(std::move(folder)) {}

  // Throws UserError that names the tensor.
  Tensor read(const onnx::TensorProto& proto);

  static bool is_external(const onnx::TensorProto& proto);
  static ExternalPlace place_of(const onnx::TensorProto& proto);
  // The file's real path, inside the folder. Throws UserError if it climbs out. Empty: there is no such file.
  std::string find_external(const ExternalPlace& place) const;

 private:
  std::vector<unsigned char> read_external(const onnx::TensorProto& proto, int64_t bytes) const;
  std::string folder_;
};

// "weight 'conv1.weight' float32[64,3,7,7]", as errors name it; never fails, whatever the proto has.
std::string describe(const onnx::TensorProto& proto);

}  // namespace macec
