// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/builder.h"

#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/ir/place.h"
#include "compiler/onnx/attributes.h"
#include "compiler/ops/input_types.h"
#include "compiler/ops/old_opsets.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int64_t kMostFoldedElements = 4096;  // of the outputs of a node that is evaluated here
constexpr int64_t kMostFoldedInputElements = 1 << 16;

bool is_poisoned(const Graph& graph, ValueId id) {
  return id.is_valid() && graph.type(id).dtype == DType::undefined;
}

// Of the operators only Loop has an optional input before one that is not.
void check_given(const Node& node) {
  if (node.def->traits & kControlFlow) return;
  for (size_t i = 0; i < static_cast<size_t>(node.def->min_inputs); ++i)
    if (!node.inputs[i].is_valid()) throw user_error("input {} is missing", i);
}

void check_arity(const Node& node, int inputs, int outputs) {
  const OpDef& def = *node.def;
  if (def.max_inputs >= 0 && inputs > def.max_inputs)
    throw user_error("{} has {}, but takes at most {}", def.name, plural(inputs, "input"),
                     def.max_inputs);
  if (inputs < def.min_inputs)
    throw user_error("{} has {}, but needs {}", def.name, plural(inputs, "input"), def.min_inputs);
  if (def.max_outputs >= 0 && outputs > def.max_outputs)
    throw user_error("{} has {}, but gives at most {}", def.name, plural(outputs, "output"),
                     def.max_outputs);
  if (outputs < def.min_outputs)
    throw user_error("{} has {}, but gives {}", def.name, plural(outputs, "output"),
                     def.min_outputs);
}

int64_t opset_of(const SourceNode& node) {
  const auto at = node.opsets->find(domain_of(*node.proto));
  return at == node.opsets->end() ? -1 : at->second;
}

// A node that none of the file stands for.
Node own_node(const std::string& op, const std::vector<ValueId>& inputs, Attributes attributes) {
  Node node;
  node.op = op;
  node.def = find_op(op);
  MACEC_CHECK(node.def, "there is no operator {}", op);
  node.inputs = inputs;
  node.attributes = std::move(attributes);
  return node;
}

}  // namespace

std::string Builder::unique(Target& target, const std::string& name) {
  std::string result = name;
  while (!target.names.insert(result).second) result = fresh_name(target.graph, name);
  return result;
}

ValueId Builder::define(Scope& scope, const std::string& name, TensorType type) {
  const ValueId id = add_value(scope.target->graph, unique(*scope.target, name), std::move(type));
  scope.values[name] = id;
  return id;
}

ValueId Builder::define_constant(Scope& scope, const std::string& name, TensorPtr tensor) {
  const ValueId id = define(scope, name, tensor->type());
  scope.target->graph.value(id).constant = std::move(tensor);
  return id;
}

ValueId Builder::find(Scope& scope, const std::string& name) {
  for (const Scope* at = &scope; at; at = at->outer) {
    const auto value = at->values.find(name);
    if (value != at->values.end()) return value->second;
    const auto initializer = at->source->initializers.find(name);
    if (initializer == at->source->initializers.end()) continue;
    Scope& owner = *const_cast<Scope*>(
        at);  // scopes are ours; `outer` is const so that lookups do not define there
    try {
      return define_constant(owner, name,
                             std::make_shared<const Tensor>(reader.read(*initializer->second)));
    } catch (const UserError& error) {
      diag_.add(error);
      return define(owner, name, TensorType());
    }
  }
  return ValueId();
}

ValueId Builder::get(Scope& scope, const std::string& name) {
  if (const Composite* composite = find_composite(scope, name))
    throw user_error("it reads '{}', which is {}", printable(name),
                     composite->is_absent ? "an optional value without an element"
                                          : "a sequence of tensors and no tensor")
        .hint(
            "sequences are followed at compile time; SequenceAt, SequenceLength and "
            "ConcatFromSequence make tensors of them");
  const ValueId id = find(scope, name);
  if (!id.is_valid())
    throw user_error("it reads the value '{}', and nothing makes that", printable(name));
  return id;
}

std::string Builder::node_place(const Scope& scope, const SourceNode& node,
                                const std::vector<ValueId>& inputs) const {
  Node named;
  named.op = title(*node.proto);
  named.inputs = inputs;
  named.onnx_index = node.index;
  return place(scope.target->graph, named, scope.source->total_nodes);
}

void Builder::poison(Scope& scope, const onnx::NodeProto& node) {
  for (const std::string& output : node.output())
    if (!output.empty() && !scope.values.count(output)) define(scope, output, TensorType());
}

void Builder::build(Scope& scope) {
  for (const SourceNode& node : scope.source->nodes) build_node(scope, node);
}

void Builder::build_node(Scope& scope, const SourceNode& node) {
  ++nodes_met;
  const onnx::NodeProto& proto = *node.proto;
  std::vector<ValueId> inputs;
  try {
    if (proto.op_type() == "Constant" && domain_of(proto).empty()) {
      if (proto.output_size() != 1)
        throw user_error("a Constant has {} outputs", proto.output_size());
      define_constant(scope, proto.output(0),
                      std::make_shared<const Tensor>(read_constant(proto, reader)));
      return;
    }
    const int64_t opset = opset_of(node);
    if (build_composite(scope, node, opset)) return;
    for (const std::string& input : proto.input())
      inputs.push_back(input.empty() ? ValueId() : get(scope, input));
    while (!inputs.empty() && !inputs.back().is_valid()) inputs.pop_back();
    const OpMatch match =
        opset < 0 ? OpMatch()
                  : match_op(domain_of(proto), proto.op_type(), static_cast<int>(opset));
    if (opset < 0 && domain_of(proto).empty() && find_op(proto.op_type()))
      throw user_error("the model imports no opset of ONNX's own domain, which {} needs",
                       proto.op_type());
    if (!match.def) {
      note_unsupported(scope, node, opset);
      poison(scope, proto);
      return;
    }
    const Graph& graph = scope.target->graph;
    if (std::any_of(inputs.begin(), inputs.end(),
                    [&](ValueId id) { return is_poisoned(graph, id); })) {
      poison(scope, proto);
      return;
    }
    add(scope, node, match, inputs);
  } catch (const IllTyped& error) {
    note_failure(*scope.target, error, node_place(scope, node, inputs));
    poison(scope, proto);
  } catch (const UserError& error) {
    diag_.add(error, node_place(scope, node, inputs));
    poison(scope, proto);
  }
}

void Builder::note_failure(Target& target, const IllTyped& error, const std::string& place) {
  if (!target.is_branch) return diag_.add(error, place);
  if (target.failure) return;
  target.failure = error;
  target.failure->at(place);
}

void Builder::note_unsupported(Scope& scope, const SourceNode& node, int64_t opset) {
  const onnx::NodeProto& proto = *node.proto;
  const Graph& graph = scope.target->graph;
  Unsupported entry;
  onnx::NodeProto nameless;
  nameless.set_domain(proto.domain());
  nameless.set_op_type(proto.op_type());
  entry.type = title(nameless);
  entry.is_in_body = scope.target->depth > 0 || scope.outer;
  std::vector<ValueId> inputs;
  for (const std::string& input : proto.input()) {
    const ValueId id = input.empty() ? ValueId() : find(scope, input);
    inputs.push_back(id);
    if (!id.is_valid() || is_poisoned(graph, id) || graph.value(id).constant ||
        !graph.value(id).producer.is_valid())
      continue;
    entry.needs.push_back(input);
  }
  entry.place = node_place(scope, node, inputs);
  if (domain_of(proto).empty()) {
    std::vector<std::string> names;
    for (const OpDef& def : all_ops()) names.push_back(def.name);
    if (find_op(proto.op_type()))
      entry.opset = std::max<int64_t>(opset, 1);
    else
      entry.near = nearest(proto.op_type(), names);
    entry.was_experimental = opset == 1 && was_experimental(proto.op_type());
    if (entry.was_experimental) entry.near.clear();
  }
  unsupported.push_back(std::move(entry));
}

// Contents of an integer value whose elements are all known numbers; nullptr if they are not.
static TensorPtr known_tensor(const Value& value) {
  if (!value.known || !is_fixed(value.type.shape)) return nullptr;
  for (const Dim& element : *value.known)
    if (!element.is_fixed()) return nullptr;
  Tensor tensor(value.type.dtype, fixed(value.type.shape));
  if (tensor.count() != static_cast<int64_t>(value.known->size())) return nullptr;
  for (size_t i = 0; i < value.known->size(); ++i)
    tensor.set_i64(static_cast<int64_t>(i), (*value.known)[i].value());
  return std::make_shared<const Tensor>(std::move(tensor));
}

void Builder::add(Scope& scope, const SourceNode& source_node, const OpMatch& match,
                  const std::vector<ValueId>& inputs) {
  Graph& graph = scope.target->graph;
  if (std::string_view(match.def->name) == "If" && !inputs.empty() && inputs[0].is_valid()) {
    const Value& value = graph.value(inputs[0]);
    const TensorPtr condition = value.constant ? value.constant : known_tensor(value);
    if (condition && condition->dtype == DType::boolean && condition->count() == 1) {
      const auto branches = read_bodies(*source_node.proto, *match.def);
      inline_branch(scope, source_node, *branches[condition->i64(0) != 0 ? 0 : 1]);
      return;
    }
  }
  Node node = make_node(scope, source_node, match, inputs);
  if (node.op == "Scan") {
    const auto& names = source_node.proto->output();
    const std::vector<std::string> outputs(names.begin(), names.end());
    return match.version->importer ? add_scan_of_batch(scope, source_node, node, outputs)
                                   : add_scan_of_sample(scope, source_node, node, outputs);
  }
  if (!add_bodies(scope, source_node, &node)) {
    poison(scope, *source_node.proto);
    return;
  }
  if (node.op == "Loop" && changes_shapes(node) && can_unroll(scope, *source_node.proto))
    return unroll(scope, source_node);
  append(scope, std::move(node), source_node.proto->output());
}

Node Builder::make_node(Scope& scope, const SourceNode& source_node, const OpMatch& match,
                        const std::vector<ValueId>& inputs) {
  const onnx::NodeProto& proto = *source_node.proto;
  Node node;
  node.op = match.def->name;
  node.def = match.def;
  node.name = proto.name();
  node.inputs = inputs;
  node.onnx_index = source_node.index;
  node.origins = {title(proto)};
  node.attributes = read_attributes(proto, *match.def, match.old_form != nullptr, reader);
  const auto add_before = [&](const char* op, const std::vector<ValueId>& operands) {
    return add_unnamed(scope, source_node, op, operands, {})[0];
  };
  const int opset = std::max(static_cast<int>(opset_of(source_node)), kOldestOpset);
  ImportContext context{node, scope.target->graph, opset, add_before};
  if (match.old_form) raise(*match.old_form, context);
  if (match.version->importer) match.version->importer(context);
  check_attributes(node, *match.def);
  return node;
}

void Builder::append(Scope& scope, Node node, const NameList& outputs) {
  Graph& graph = scope.target->graph;
  int wanted = outputs.size();
  // Bodies have a result for every output.
  const bool counts = node.def->max_outputs < 0;  // Split: an output without a name is still a part
  while (!counts && node.bodies.empty() && wanted > 0 && outputs[wanted - 1].empty()) --wanted;
  check_arity(node, static_cast<int>(node.inputs.size()), wanted);
  check_given(node);
  check_input_types(graph, node);
  const NodeId id{static_cast<int32_t>(graph.nodes.size())};
  for (int i = 0; i < wanted; ++i) {
    const ValueId value = outputs[i].empty() ? ValueId() : define(scope, outputs[i], TensorType());
    if (value.is_valid()) graph.value(value).producer = id;
    node.outputs.push_back(value);
  }
  graph.nodes.push_back(std::move(node));
  graph.order.push_back(id);
  try {
    infer_node(graph, id);
    fold(graph, id);
  } catch (const UserError& error) {
    drop(graph, id);
    for (const ValueId value : graph.node(id).outputs)
      if (value.is_valid()) graph.value(value).type = TensorType();
    const Node& failed = graph.node(id);
    if (error.is_refusal() || !scope.target->is_branch || !fails_at_all_sizes(graph, failed)) throw;
    throw IllTyped(error, failed.origins.empty() ? failed.op : failed.origins[0]);
  }
  const bool may_bound =
      !graph.bounds.empty() && graph.node(id).op != "Loop";  // that bounds lengths
  for (int i = 0; may_bound && i < wanted; ++i)
    if (!outputs[i].empty()) read_extents(scope, outputs[i]);
}

// Takes the last node out of the graph; its outputs stay as values without a producer.
void Builder::drop(Graph& graph, NodeId id) {
  MACEC_CHECK(!graph.order.empty() && graph.order.back() == id,
              "only the last node can be dropped");
  graph.order.pop_back();
  graph.node(id).is_dead = true;
  for (const ValueId value : graph.node(id).outputs)
    if (value.is_valid()) graph.value(value).producer = NodeId();
}

// The contents of all outputs, or an empty list if they are not known now, or too large to be of use here.
static std::vector<TensorPtr> contents_of(const Graph& graph, const Node& node) {
  std::vector<TensorPtr> contents;
  for (const ValueId output : node.outputs)
    contents.push_back(output.is_valid() ? known_tensor(graph.value(output)) : nullptr);
  const auto is_done = [&] {
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].is_valid() && !contents[i]) return false;
    return true;
  };
  if (is_done()) return contents;
  if (!node.def->evaluate || !node.bodies.empty() || keeps_packed_weights(graph, node)) return {};
  std::vector<const Tensor*> inputs;
  for (const ValueId input : node.inputs) {
    const Tensor* tensor = input.is_valid() ? graph.value(input).constant.get() : nullptr;
    if (input.is_valid() && (!tensor || tensor->count() > kMostFoldedInputElements)) return {};
    inputs.push_back(tensor);
  }
  for (const ValueId output : node.outputs)
    if (output.is_valid() && graph.type(output).count().hi() > kMostFoldedElements) return {};
  std::vector<Tensor> results = evaluate_node(graph, node, inputs);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i].is_valid())
      contents[i] = std::make_shared<const Tensor>(std::move(results[i]));
  return contents;
}

void Builder::fold(Graph& graph, NodeId id) {
  const std::vector<TensorPtr> contents = contents_of(graph, graph.node(id));
  if (contents.empty()) return;
  drop(graph, id);
  for (size_t i = 0; i < contents.size(); ++i) {
    const ValueId output = graph.node(id).outputs[i];
    if (!output.is_valid()) continue;
    graph.value(output).constant = contents[i];
    graph.value(output).type = contents[i]->type();
    graph.value(output).known.reset();
  }
}

ValueId Builder::add_node(Scope& scope, const std::string& op, const std::vector<ValueId>& inputs,
                          Attributes attributes, const std::string& output) {
  NameList names;
  *names.Add() = output;
  append(scope, own_node(op, inputs, std::move(attributes)), names);
  return scope.values.at(output);
}

std::vector<ValueId> Builder::add_unnamed(Scope& scope, const SourceNode& source_node,
                                          const std::string& op, const std::vector<ValueId>& inputs,
                                          Attributes attributes, size_t outputs) {
  const onnx::NodeProto& proto = *source_node.proto;
  NameList names;
  const std::string stem =
      fmt::format("{}.{}", proto.name().empty() ? proto.op_type() : proto.name(), op);
  for (size_t i = 0; i < outputs; ++i) {
    std::string name = outputs == 1 ? stem : fmt::format("{}.{}", stem, i);
    while (find(scope, name).is_valid()) name += "_";
    *names.Add() = name;
  }
  Node node = own_node(op, inputs, std::move(attributes));
  node.name = proto.name();
  node.onnx_index = source_node.index;
  node.origins = {title(proto)};
  append(scope, std::move(node), names);
  std::vector<ValueId> values;
  for (const std::string& name : names) values.push_back(scope.values.at(name));
  return values;
}

}  // namespace macec
