// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of a kernel call as C++ expressions.
#pragma once
#include <string>
#include <vector>

#include "compiler/emit/params_text.h"
#include "compiler/ir/plan.h"

namespace macec {

// The element type of a buffer in generated code; packed types are bytes.
std::string element_name(DType dtype);

// Where the bytes of a plan's weights stand in the model's blob.
struct WeightPlaces {
  std::vector<std::vector<int64_t>> offset;  // [plan][weight]
  std::string packed;                        // the blob without its head
};
WeightPlaces place_weights(const std::vector<Plan>& plans);

struct OperandWriter {
  const Plan& plan;
  const std::vector<int64_t>& weight_offsets;
  SymbolNames& names;

  // "arena<float>(c, 4096)", "input<const float>(c, 0) + batch * 3"; "nullptr" for nothing. Packed
  // types: the address of the first byte; their element offset must then be handed on apart.
  std::string pointer(const View& view);
};

}  // namespace macec
