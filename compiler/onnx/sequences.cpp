// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optional values, followed at compile time; nothing of them is left in the graph.
//
//   s = SequenceConstruct(a, b)      s stands for [a, b]
//   t = SequenceInsert(s, c, 0)      t stands for [c, a, b]
//   x = SequenceAt(t, -1)            x is another name of b
//   y = ConcatFromSequence(t)        y = Concat(c, a, b)
//
// So positions and the number of elements must be known now. A sequence may not be an input or output of the model, or
// the result of a branch that stays one; a Loop that carries one is unrolled (unroll.cpp).
#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/onnx/attributes.h"
#include "compiler/onnx/builder.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

using Composite = Builder::Composite;

constexpr int64_t kMostElements = 4096;
constexpr int kDeepestMaps = 40;

// One node that makes, changes or reads a sequence.
struct SequenceNode {
  Builder& builder;
  Builder::Scope& scope;
  const SourceNode& source;

  const onnx::NodeProto& proto() const { return *source.proto; }
  Graph& graph() const { return scope.target->graph; }
  bool has(int i) const { return i < proto().input_size() && !proto().input(i).empty(); }
  const std::string& input(int i) const {
    if (!has(i)) throw user_error("input {} is missing", i);
    return proto().input(i);
  }
  ValueId tensor(int i) const { return builder.get(scope, input(i)); }
  const Composite& sequence(int i) const {
    const Composite* found = builder.find_composite(scope, input(i));
    if (!found || found->is_absent)
      throw user_error("input '{}' is {}, but must be a sequence", printable(input(i)),
                       found ? "an absent optional value" : "a tensor");
    return *found;
  }
  int64_t attribute(const char* name, int64_t otherwise) const {
    for (const auto& a : proto().attribute()) {
      if (a.name() != name) continue;
      if (a.type() != onnx::AttributeProto::INT)
        throw user_error("attribute '{}' is {}, but must be an integer", name, type_name(a.type()));
      return a.i();
    }
    return otherwise;
  }
  // The only element of an integer input that is known at compile time.
  int64_t number(int i, const char* what) const {
    const Value& value = graph().value(tensor(i));
    if (value.constant && value.constant->count() == 1) return value.constant->i64(0);
    if (value.known && value.known->size() == 1 && (*value.known)[0].is_fixed())
      return (*value.known)[0].value();
    throw user_error("{} '{}' is {}", what, printable(input(i)),
                     value.constant ? "no single number"
                                    : "computed when the model runs, which is not supported")
        .hint("sequences are followed at compile time, so every position must be a constant");
  }
  // A position in a list of n elements, or behind it.
  int64_t position(int i, int64_t n, int64_t last) const {
    const int64_t given = number(i, "the position"), at = given < 0 ? given + n : given;
    if (at < 0 || at > last)
      throw user_error("position {} is out of range in a sequence of {}", given,
                       plural(n, "element"));
    return at;
  }
  void give(Composite composite) const {
    if (static_cast<int64_t>(composite.elements.size()) > kMostElements)
      throw user_error("a sequence of {} elements is not supported; the most is {}",
                       composite.elements.size(), kMostElements);
    scope.composites[proto().output(0)] = std::move(composite);
  }
  void give(ValueId value) const { scope.values[proto().output(0)] = value; }
  void give(Tensor tensor) const {
    builder.define_constant(scope, proto().output(0),
                            std::make_shared<const Tensor>(std::move(tensor)));
  }
  void check_element(const Composite& sequence, ValueId element) const {
    const DType dtype = graph().type(element).dtype;
    if (dtype != sequence.dtype)
      throw user_error("a sequence of {} cannot hold a tensor of {}", name(sequence.dtype),
                       name(dtype));
  }
  ValueId constant(Tensor tensor) const {
    return add_constant(graph(), proto().op_type() + ".constant", std::move(tensor));
  }
  std::vector<ValueId> add(const char* op, const std::vector<ValueId>& inputs,
                           Attributes attributes, size_t outputs = 1) const {
    return builder.add_unnamed(scope, source, op, inputs, std::move(attributes), outputs);
  }
};

void construct(const SequenceNode& n) {
  Composite made;
  for (int i = 0; i < n.proto().input_size(); ++i) made.elements.push_back(n.tensor(i));
  if (made.elements.empty()) throw user_error("SequenceConstruct needs an input");
  made.dtype = n.graph().type(made.elements[0]).dtype;
  for (const ValueId element : made.elements) n.check_element(made, element);
  n.give(std::move(made));
}

void make_empty(const SequenceNode& n) {
  const DTypeInfo* type =
      find_dtype(static_cast<int>(n.attribute("dtype", static_cast<int64_t>(DType::float32))));
  if (!type || type->dtype == DType::undefined)
    throw user_error("the attribute 'dtype' is no type");
  n.give(Composite{false, type->dtype, {}});
}

void insert(const SequenceNode& n) {
  Composite made = n.sequence(0);
  const ValueId element = n.tensor(1);
  n.check_element(made, element);
  const int64_t count = static_cast<int64_t>(made.elements.size());
  const int64_t at = n.has(2) ? n.position(2, count, count) : count;
  made.elements.insert(made.elements.begin() + at, element);
  n.give(std::move(made));
}

void erase_element(const SequenceNode& n) {
  Composite made = n.sequence(0);
  const int64_t count = static_cast<int64_t>(made.elements.size());
  if (count == 0) throw user_error("there is nothing to erase in an empty sequence");
  const int64_t at = n.has(1) ? n.position(1, count, count - 1) : count - 1;
  made.elements.erase(made.elements.begin() + at);
  n.give(std::move(made));
}

void take_element(const SequenceNode& n) {
  const Composite& sequence = n.sequence(0);
  const int64_t count = static_cast<int64_t>(sequence.elements.size());
  n.give(sequence.elements[static_cast<size_t>(n.position(1, count, count - 1))]);
}

void give_length(const SequenceNode& n) {
  n.give(Tensor::scalar_i64(static_cast<int64_t>(n.sequence(0).elements.size())));
}

void concatenate(const SequenceNode& n) {
  std::vector<ValueId> parts = n.sequence(0).elements;
  if (parts.empty()) throw user_error("an empty sequence has nothing to concatenate");
  const int64_t axis = n.attribute("axis", INT64_MIN);
  if (axis == INT64_MIN) throw user_error("the attribute 'axis' is missing");
  if (n.attribute("new_axis", 0) != 0)
    for (ValueId& part : parts)
      part = n.add("Unsqueeze", {part, n.constant(Tensor::vector_i64({axis}))}, {})[0];
  n.give(n.add("Concat", parts, {{"axis", axis}})[0]);
}

// Sizes of the parts along the axis; all 1 without `split`.
std::vector<int64_t> part_sizes(const SequenceNode& n, const Dim& extent) {
  const Value* split = n.has(1) ? &n.graph().value(n.tensor(1)) : nullptr;
  std::vector<int64_t> sizes;
  if (split && split->type.rank() == 1) {
    if (!split->constant)
      throw user_error("sizes of parts that are computed when the model runs are not supported");
    for (int64_t i = 0; i < split->constant->count(); ++i) sizes.push_back(split->constant->i64(i));
    return sizes;
  }
  const int64_t size = split ? n.number(1, "the size of a part") : 1;
  if (size < 1) throw user_error("a part of {} elements", size);
  if (!extent.is_fixed())
    throw user_error("a sequence of as many tensors as {} says is not supported", extent.text())
        .hint("give the dimension one size (--dim or --shape)");
  if (extent.value() / size >= kMostElements)
    throw user_error("{} cut into parts of {} are too many for a sequence; the most is {}",
                     extent.value(), size, kMostElements);
  for (int64_t left = extent.value(); left > 0; left -= size) sizes.push_back(std::min(left, size));
  return sizes;
}

void split(const SequenceNode& n) {
  const ValueId x = n.tensor(0);
  const TensorType type = n.graph().type(x);
  const int64_t given = n.attribute("axis", 0), axis = given < 0 ? given + type.rank() : given;
  if (axis < 0 || axis >= type.rank())
    throw user_error("axis {} is out of range for an input with {} axes", given, type.rank());
  const std::vector<int64_t> sizes = part_sizes(n, type.shape[static_cast<size_t>(axis)]);
  Composite made{false, type.dtype, {}};
  if (!sizes.empty())
    made.elements =
        n.add("Split", {x, n.constant(Tensor::vector_i64(sizes))}, {{"axis", axis}}, sizes.size());
  if (!n.has(1) && n.attribute("keepdims", 1) == 0)
    for (ValueId& element : made.elements)
      element = n.add("Squeeze", {element, n.constant(Tensor::vector_i64({axis}))}, {})[0];
  n.give(std::move(made));
}

void make_optional(const SequenceNode& n) {
  if (!n.has(0)) return n.give(Composite{true, DType::undefined, {}});
  if (const Composite* held = n.builder.find_composite(n.scope, n.input(0)))
    return n.give(Composite(*held));
  n.give(n.tensor(0));
}

void has_element(const SequenceNode& n) {
  const Composite* held = n.has(0) ? n.builder.find_composite(n.scope, n.input(0)) : nullptr;
  const bool is_there = held ? !held->is_absent : n.has(0) && n.tensor(0).is_valid();
  Tensor answer(DType::boolean, {});
  answer.set_i64(0, is_there);
  n.give(std::move(answer));
}

void get_element(const SequenceNode& n) {
  const Composite* held = n.builder.find_composite(n.scope, n.input(0));
  if (!held) return n.give(n.tensor(0));
  if (held->is_absent) throw user_error("the optional value '{}' is absent", printable(n.input(0)));
  n.give(Composite(*held));
}

struct Row {
  const char* type;
  int first_opset;
  void (*build)(const SequenceNode&);
};
constexpr Row kRows[] = {
    {"ConcatFromSequence", 11, concatenate}, {"Optional", 15, make_optional},
    {"OptionalGetElement", 15, get_element}, {"OptionalHasElement", 15, has_element},
    {"SequenceAt", 11, take_element},        {"SequenceConstruct", 11, construct},
    {"SequenceEmpty", 11, make_empty},       {"SequenceErase", 11, erase_element},
    {"SequenceInsert", 11, insert},          {"SequenceLength", 11, give_length},
    {"SplitToSequence", 11, split}};

}  // namespace

const Builder::Composite* Builder::find_composite(const Scope& scope,
                                                  const std::string& name) const {
  for (const Scope* at = &scope; at; at = at->outer) {
    const auto found = at->composites.find(name);
    if (found != at->composites.end()) return &found->second;
    if (at->values.count(name)) return nullptr;
  }
  return nullptr;
}

void Builder::alias(Scope& scope, const std::string& name, Scope& from, const std::string& what) {
  if (const Composite* composite = find_composite(from, what))
    scope.composites[name] = Composite(*composite);
  else
    scope.values[name] = get(from, what);
}

// The body once for each element; its outputs are sequences of what the copies give.
void Builder::map_sequence(Scope& scope, const SourceNode& node) {
  const onnx::NodeProto& proto = *node.proto;
  const auto at = std::find_if(proto.attribute().begin(), proto.attribute().end(),
                               [](const auto& a) { return a.name() == "body" && a.has_g(); });
  if (at == proto.attribute().end()) throw user_error("the attribute 'body' is missing");
  const onnx::GraphProto& body = at->g();
  if (body.input_size() != proto.input_size() || body.output_size() != proto.output_size())
    throw user_error("the body has {} and {}, but the node {} and {}",
                     plural(body.input_size(), "input"), plural(body.output_size(), "output"),
                     plural(proto.input_size(), "input"), plural(proto.output_size(), "output"));
  int depth = scope.target->depth;
  for (const Scope* outer = &scope; outer; outer = outer->outer) ++depth;
  if (depth > kDeepestMaps)
    throw user_error("graphs in graphs more than {} levels deep are not supported", kDeepestMaps);
  const Composite first = SequenceNode{*this, scope, node}.sequence(0);
  const SourceGraph source_graph = source.read(body, *node.opsets, Cut());
  std::vector<Composite> results(static_cast<size_t>(proto.output_size()));
  for (size_t i = 0; i < first.elements.size(); ++i) {
    mapped_nodes_ += 1 + static_cast<int64_t>(source_graph.nodes.size());
    if (mapped_nodes_ > kMostExpandedNodes)
      throw user_error("the model's SequenceMaps expand to more than {} nodes", kMostExpandedNodes);
    Scope inner;
    inner.target = scope.target;
    inner.source = &source_graph;
    inner.outer = &scope;
    for (int k = 0; k < proto.input_size(); ++k) {
      const Composite* sequence = find_composite(scope, proto.input(k));
      if (sequence && sequence->elements.size() != first.elements.size())
        throw user_error("the sequences have {} and {} elements", first.elements.size(),
                         sequence->elements.size());
      inner.values[body.input(k).name()] =
          sequence ? sequence->elements[i] : get(scope, proto.input(k));
    }
    build(inner);
    for (int k = 0; k < proto.output_size(); ++k) {
      const ValueId made = get(inner, body.output(k).name());
      Composite& result = results[static_cast<size_t>(k)];
      result.dtype = scope.target->graph.type(made).dtype;
      result.elements.push_back(made);
      if (result.dtype == DType::undefined) return poison(scope, proto);  // its error is reported
    }
  }
  for (int k = 0; k < proto.output_size(); ++k)
    scope.composites[proto.output(k)] = std::move(results[static_cast<size_t>(k)]);
}

bool Builder::build_composite(Scope& scope, const SourceNode& node, int64_t opset) {
  const onnx::NodeProto& proto = *node.proto;
  if (!domain_of(proto).empty() || proto.output_size() < 1) return false;
  const std::string& type = proto.op_type();
  if (type == "Identity" && proto.input_size() == 1 && find_composite(scope, proto.input(0))) {
    alias(scope, proto.output(0), scope, proto.input(0));
    return true;
  }
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) {
    return type == r.type && opset >= r.first_opset;
  });
  const bool is_map = type == "SequenceMap" && opset >= 17;
  const bool is_loop = type == "Loop" && has_sequences(scope, proto);
  if (row == std::end(kRows) && !is_map && !is_loop) return false;
  for (const std::string& input : proto.input()) {
    if (input.empty() || find_composite(scope, input)) continue;
    if (scope.target->graph.type(get(scope, input)).dtype != DType::undefined) continue;
    poison(scope, proto);
    return true;
  }
  if (is_map)
    map_sequence(scope, node);
  else if (is_loop)
    unroll(scope, node);
  else if (!proto.output(0).empty())
    row->build({*this, scope, node});
  return true;
}

}  // namespace macec
