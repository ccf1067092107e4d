// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/attributes.h"

#include <algorithm>
#include <cstring>

#include "compiler/support/text.h"

namespace macec {
namespace {

using A = onnx::AttributeProto;

struct KindRow {
  AttributeDef::Kind kind;
  A::AttributeType type;
  size_t index;  // in the variant Attribute
};
const KindRow kKinds[] = {
    {AttributeDef::integer, A::INT, 0},   {AttributeDef::real, A::FLOAT, 1},
    {AttributeDef::text, A::STRING, 2},   {AttributeDef::integers, A::INTS, 3},
    {AttributeDef::reals, A::FLOATS, 4},  {AttributeDef::texts, A::STRINGS, 5},
    {AttributeDef::tensor, A::TENSOR, 6}, {AttributeDef::graph, A::GRAPH, 7},
};

const KindRow& row_of(AttributeDef::Kind kind) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const KindRow& row) { return row.kind == kind; });
}

const AttributeDef* find(const OpDef& def, const std::string& name) {
  const auto at = std::find_if(def.attributes.begin(), def.attributes.end(),
                               [&](const AttributeDef& a) { return a.name == name; });
  return at == def.attributes.end() ? nullptr : &*at;
}

UserError wrong_kind(const std::string& name, const char* have, AttributeDef::Kind want) {
  return user_error("attribute '{}' is {}, but must be {}", printable(name), have,
                    type_name(row_of(want).type));
}

Attribute read(const A& attribute, A::AttributeType type, TensorReader& reader) {
  switch (type) {
    case A::INT:
      return attribute.i();
    case A::FLOAT:
      return attribute.f();
    case A::STRING:
      return attribute.s();
    case A::INTS:
      return std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end());
    case A::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case A::STRINGS:
      return std::vector<std::string>(attribute.strings().begin(), attribute.strings().end());
    case A::TENSOR:
      return std::make_shared<const Tensor>(reader.read(attribute.t()));
    default:
      throw user_error("attribute '{}' is {}, which is not supported", printable(attribute.name()),
                       type_name(type));
  }
}

UserError unknown_attribute(const std::string& name, const OpDef& def) {
  UserError error = user_error("{} has no attribute '{}'", def.name, printable(name));
  std::vector<std::string> names;
  for (const AttributeDef& a : def.attributes) names.push_back(a.name);
  const std::string near = nearest(name, names);
  if (!near.empty()) error.hint(fmt::format("did you mean '{}'?", near));
  return error;
}

}  // namespace

Attributes read_attributes(const onnx::NodeProto& node, const OpDef& def, bool is_old,
                           TensorReader& reader) {
  Attributes attributes;
  for (const A& attribute : node.attribute()) {
    const A::AttributeType type = type_of(attribute);
    if (!attribute.ref_attr_name().empty())
      throw user_error("attribute '{}' refers to '{}' of a function, but the node is in none",
                       printable(attribute.name()), printable(attribute.ref_attr_name()));
    const AttributeDef* known = find(def, attribute.name());
    // An empty list without a type says nothing about its kind.
    if (known && type == A::UNDEFINED && attribute.ByteSizeLong() <= attribute.name().size() + 2)
      continue;
    if (known && type != row_of(known->kind).type && (!is_old || known->kind == AttributeDef::graph))
      throw wrong_kind(attribute.name(), type_name(type), known->kind);
    if (type == A::GRAPH && known) continue;
    if (!attributes.emplace(attribute.name(), read(attribute, type, reader)).second)
      throw user_error("attribute '{}' is given twice", printable(attribute.name()));
  }
  return attributes;
}

std::vector<const onnx::GraphProto*> read_bodies(const onnx::NodeProto& node, const OpDef& def) {
  std::vector<const onnx::GraphProto*> bodies;
  for (const AttributeDef& wanted : def.attributes) {
    if (wanted.kind != AttributeDef::graph) continue;
    const onnx::GraphProto* body = nullptr;
    for (const A& attribute : node.attribute())
      if (attribute.name() == wanted.name && attribute.has_g()) body = &attribute.g();
    if (!body) throw user_error("the attribute '{}' is missing", wanted.name);
    bodies.push_back(body);
  }
  return bodies;
}

void check_attributes(const Node& node, const OpDef& def) {
  for (const auto& [name, value] : node.attributes) {
    const AttributeDef* known = find(def, name);
    if (!known) throw unknown_attribute(name, def);
    if (row_of(known->kind).index == value.index()) continue;
    const auto have =
        std::find_if(std::begin(kKinds), std::end(kKinds),
                     [&, index = value.index()](const KindRow& row) { return row.index == index; });
    throw wrong_kind(name, type_name(have->type), known->kind);
  }
  for (const AttributeDef& wanted : def.attributes)
    if (wanted.is_required && wanted.kind != AttributeDef::graph &&
        !node.has_attribute(wanted.name))
      throw user_error("the attribute '{}' is missing", wanted.name);
}

Tensor read_constant(const onnx::NodeProto& node, TensorReader& reader) {
  if (node.attribute_size() != 1)
    throw user_error("a Constant has {} attributes, but needs exactly one", node.attribute_size());
  const A& a = node.attribute(0);
  const A::AttributeType type = type_of(a);
  const auto floats = [](const auto& values, std::vector<int64_t> shape) {
    return Tensor::vector_f32(std::vector<float>(values.begin(), values.end()), std::move(shape));
  };
  if (a.name() == "value" && type == A::TENSOR) return reader.read(a.t());
  if (a.name() == "value_float" && type == A::FLOAT) return Tensor::scalar_f32(a.f());
  if (a.name() == "value_int" && type == A::INT) return Tensor::scalar_i64(a.i());
  if (a.name() == "value_floats" && type == A::FLOATS) return floats(a.floats(), {a.floats_size()});
  if (a.name() == "value_ints" && type == A::INTS)
    return Tensor::vector_i64(std::vector<int64_t>(a.ints().begin(), a.ints().end()));
  if (a.name() == "value_string" || a.name() == "value_strings")
    throw user_error("strings are not supported");
  if (a.name() == "sparse_value") throw user_error("a sparse constant is not supported");
  throw user_error("a Constant's attribute '{}' is {}, which is not supported", printable(a.name()),
                   type_name(type));
}

}  // namespace macec
