// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "compiler/support/error.h"

namespace macec {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

std::vector<std::string> unknown_messages(const std::string& unknown_fields, int field) {
  std::vector<std::string> found;
  CodedInputStream in(reinterpret_cast<const uint8_t*>(unknown_fields.data()),
                      static_cast<int>(unknown_fields.size()));
  while (const uint32_t tag = in.ReadTag()) {
    if (WireFormatLite::GetTagFieldNumber(tag) != field ||
        WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&in, tag)) break;
      continue;
    }
    uint32_t bytes = 0;
    std::string text;
    if (!in.ReadVarint32(&bytes) || !in.ReadString(&text, static_cast<int>(bytes))) break;
    found.push_back(std::move(text));
  }
  return found;
}

static std::string last_text(const std::string& unknown_fields, int field) {
  const std::vector<std::string> found = unknown_messages(unknown_fields, field);
  return found.empty() ? "" : found.back();
}

std::string overload_of(const onnx::NodeProto& node) {
  return last_text(node.unknown_fields(), 8);
}
std::string overload_of(const onnx::FunctionProto& function) {
  return last_text(function.unknown_fields(), 13);
}

std::vector<onnx::AttributeProto> default_attributes(const onnx::FunctionProto& function) {
  std::vector<onnx::AttributeProto> attributes;
  for (const std::string& bytes : unknown_messages(function.unknown_fields(), 11)) {
    attributes.emplace_back();
    if (!attributes.back().ParseFromString(bytes))
      throw user_error("a default attribute of function '{}' cannot be read", function.name());
  }
  return attributes;
}

onnx::AttributeProto::AttributeType type_of(const onnx::AttributeProto& a) {
  using A = onnx::AttributeProto;
  if (a.type() != A::UNDEFINED) return a.type();
  if (a.has_f()) return A::FLOAT;
  if (a.has_i()) return A::INT;
  if (a.has_s()) return A::STRING;
  if (a.has_t()) return A::TENSOR;
  if (a.has_g()) return A::GRAPH;
  if (a.floats_size()) return A::FLOATS;
  if (a.ints_size()) return A::INTS;
  if (a.strings_size()) return A::STRINGS;
  return A::UNDEFINED;
}

const char* type_name(onnx::AttributeProto::AttributeType type) {
  using A = onnx::AttributeProto;
  switch (type) {
    case A::FLOAT:
      return "a float";
    case A::INT:
      return "an int";
    case A::STRING:
      return "a string";
    case A::TENSOR:
      return "a tensor";
    case A::GRAPH:
      return "a graph";
    case A::FLOATS:
      return "a list of floats";
    case A::INTS:
      return "a list of ints";
    case A::STRINGS:
      return "a list of strings";
    case A::TENSORS:
      return "a list of tensors";
    case A::GRAPHS:
      return "a list of graphs";
    case A::SPARSE_TENSOR:
    case A::SPARSE_TENSORS:
      return "a sparse tensor";
    case A::TYPE_PROTO:
    case A::TYPE_PROTOS:
      return "a type";
    default:
      return "nothing";
  }
}

}  // namespace macec
