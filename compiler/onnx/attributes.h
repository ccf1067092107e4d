// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of an ONNX node -> Attributes of an IR node, checked against the operator's list.
#pragma once
#include <vector>

#include "compiler/onnx/proto.h"
#include "compiler/onnx/tensor_data.h"
#include "compiler/ops/op_def.h"

namespace macec {

// All attributes but graphs. An attribute that `def` has must be of its kind, unless the node is of an old form, which
// may have had another; those that `def` does not have are taken as they are, for the importer. Throws UserError.
Attributes read_attributes(const onnx::NodeProto& node, const OpDef& def, bool is_old,
                           TensorReader& reader);
// The graphs, in the order of def.attributes. Throws UserError if one is missing.
std::vector<const onnx::GraphProto*> read_bodies(const onnx::NodeProto& node, const OpDef& def);
// After the importer: no unknown attribute is left, none that is required is missing, kinds are right.
void check_attributes(const Node& node, const OpDef& def);

// The contents of a Constant node, whatever its form. Throws UserError.
Tensor read_constant(const onnx::NodeProto& node, TensorReader& reader);

}  // namespace macec
