// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's protobuf classes, and the fields that libonnx-dev 1.12 does not know yet. Included by compiler/onnx/*.cpp only.
#pragma once
#include <onnx.pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace macec {

// Fields of newer schemas arrive as unknown fields. Length-delimited ones with this number, in order.
std::vector<std::string> unknown_messages(const std::string& unknown_fields, int field);

// NodeProto.overload (8), FunctionProto.overload (13).
std::string overload_of(const onnx::NodeProto& node);
std::string overload_of(const onnx::FunctionProto& function);
// FunctionProto.attribute_proto (11): attributes with default values.
std::vector<onnx::AttributeProto> default_attributes(const onnx::FunctionProto& function);

// Type of an attribute; deduced from what is set where very old files leave it out.
onnx::AttributeProto::AttributeType type_of(const onnx::AttributeProto& attribute);
const char* type_name(onnx::AttributeProto::AttributeType type);  // "an int", "a list of floats"

}  // namespace macec
