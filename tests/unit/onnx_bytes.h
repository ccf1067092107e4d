// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes ONNX files by hand, so that tests can make models, right and wrong, without protobuf.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace onnx_bytes {

// One protobuf message; fields are appended.
struct Message {
  std::string bytes;

  Message& varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
    bytes += static_cast<char>(value);
    return *this;
  }
  Message& number(int field, int64_t value) {
    return varint(static_cast<uint64_t>(field) << 3).varint(static_cast<uint64_t>(value));
  }
  Message& text(int field, std::string_view value) {
    varint(static_cast<uint64_t>(field) << 3 | 2).varint(value.size());
    bytes += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes); }
  Message& real(int field, float value) {
    varint(static_cast<uint64_t>(field) << 3 | 5);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
};

constexpr int kFloat = 1, kInt64 = 7, kBool = 9;

inline Message int_attribute(const std::string& name, int64_t value) {
  return Message().text(1, name).number(3, value).number(20, 2);
}
inline Message float_attribute(const std::string& name, float value) {
  return Message().text(1, name).real(2, value).number(20, 1);
}
inline Message ints_attribute(const std::string& name, const std::vector<int64_t>& values) {
  Message message = Message().text(1, name);
  for (int64_t value : values) message.number(8, value);
  return message.number(20, 7);
}
inline Message graph_attribute(const std::string& name, const Message& graph) {
  return Message().text(1, name).message(6, graph).number(20, 5);
}
inline Message tensor_attribute(const std::string& name, const Message& tensor) {
  return Message().text(1, name).message(5, tensor).number(20, 4);
}
// Takes its value from the attribute `from` of the call of the function around it.
inline Message reference(const std::string& name, const std::string& from, int type) {
  return Message().text(1, name).number(20, type).text(21, from);
}

using Names = std::vector<std::string>;
inline Message node(const std::string& op, const Names& inputs, const Names& outputs,
                    const std::string& name = "", const std::vector<Message>& attributes = {},
                    const std::string& domain = "") {
  Message message;
  for (const std::string& input : inputs) message.text(1, input);
  for (const std::string& output : outputs) message.text(2, output);
  if (!name.empty()) message.text(3, name);
  message.text(4, op);
  for (const Message& attribute : attributes) message.message(5, attribute);
  if (!domain.empty()) message.text(7, domain);
  return message;
}

// dims: a number, a name, or "?" for none.
inline Message value(const std::string& name, int dtype, const Names& dims) {
  Message shape;
  for (const std::string& dim : dims) {
    Message d;
    if (dim != "?")
      dim.find_first_not_of("0123456789") == std::string::npos ? d.number(1, std::stoll(dim))
                                                               : d.text(2, dim);
    shape.message(1, d);
  }
  return Message().text(1, name).message(
      2, Message().message(1, Message().number(1, dtype).message(2, shape)));
}

inline Message tensor(const std::string& name, int dtype, const std::vector<int64_t>& dims) {
  Message message;
  for (int64_t dim : dims) message.number(1, dim);
  return message.number(2, dtype).text(8, name);
}
template <class T>
Message raw_tensor(const std::string& name, int dtype, const std::vector<int64_t>& dims,
                   const std::vector<T>& values) {
  return tensor(name, dtype, dims)
      .text(9, std::string_view(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(T)));
}

struct Graph {
  std::vector<Message> nodes, inputs, outputs, initializers;
  Message message() const {
    Message m;
    for (const Message& n : nodes) m.message(1, n);
    m.text(2, "g");
    for (const Message& t : initializers) m.message(5, t);
    for (const Message& v : inputs) m.message(11, v);
    for (const Message& v : outputs) m.message(12, v);
    return m;
  }
};

inline Message opset(int64_t version, const std::string& domain = "") {
  return Message().text(1, domain).number(2, version);
}

inline std::string model(const Graph& graph, const std::vector<Message>& functions = {}) {
  Message m = Message()
                  .number(1, 9)
                  .message(7, graph.message())
                  .message(8, opset(18))
                  .message(8, opset(1, "local"));
  for (const Message& function : functions) m.message(25, function);
  return m.bytes;
}

// A function of domain "local". defaults: attributes with values (field 11, unknown to older schemas).
inline Message function(const std::string& name, const Names& inputs, const Names& outputs,
                        const Names& attributes, const std::vector<Message>& nodes,
                        const std::vector<Message>& defaults = {}) {
  Message m = Message().text(1, name);
  for (const std::string& input : inputs) m.text(4, input);
  for (const std::string& output : outputs) m.text(5, output);
  for (const std::string& attribute : attributes) m.text(6, attribute);
  for (const Message& n : nodes) m.message(7, n);
  m.message(9, opset(18)).message(9, opset(1, "local")).text(10, "local");
  for (const Message& d : defaults) m.message(11, d);
  return m;
}

}  // namespace onnx_bytes
