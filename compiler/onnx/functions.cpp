// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/functions.h"

#include <algorithm>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

std::string key_of(const std::string& domain, const std::string& name,
                   const std::string& overload) {
  return fmt::format("{}\x1f{}\x1f{}", domain == "ai.onnx" ? "" : domain, name, overload);
}

void collect_names(const onnx::GraphProto& graph, std::set<std::string>* names) {
  for (const auto& input : graph.input()) names->insert(input.name());
  for (const auto& tensor : graph.initializer()) names->insert(tensor.name());
  for (const auto& node : graph.node()) {
    names->insert(node.output().begin(), node.output().end());
    for (const auto& attribute : node.attribute())
      if (attribute.has_g()) collect_names(attribute.g(), names);
  }
}

}  // namespace

std::string domain_of(const onnx::NodeProto& node) {
  return node.domain() == "ai.onnx" ? "" : node.domain();
}

Functions::Functions(const onnx::ModelProto& model) : model_(model) {
  for (const onnx::FunctionProto& proto : model.functions()) {
    Function function{&proto, {}, {}};
    for (const auto& opset : proto.opset_import())
      function.opsets[opset.domain() == "ai.onnx" ? "" : opset.domain()] = opset.version();
    // Domains that a function does not import have the model's version.
    for (const auto& opset : model.opset_import())
      function.opsets.emplace(opset.domain() == "ai.onnx" ? "" : opset.domain(), opset.version());
    for (onnx::AttributeProto& attribute : default_attributes(proto)) {
      const std::string name = attribute.name();
      function.defaults[name] = std::move(attribute);
    }
    const std::string key = key_of(proto.domain(), proto.name(), overload_of(proto));
    if (!functions_.emplace(key, std::move(function)).second)
      throw user_error("function '{}' is defined twice", printable(proto.name()));
  }
}

const Functions::Function* Functions::find(const onnx::NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  const auto at = functions_.find(key_of(node.domain(), node.op_type(), overload_of(node)));
  return at == functions_.end() ? nullptr : &at->second;
}

std::vector<SourceNode> Functions::expand(const NodeList& nodes, const Opsets& opsets) {
  std::vector<SourceNode> out;
  out.reserve(static_cast<size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) append(nodes[i], opsets, i, &out);
  return out;
}

void Functions::append(const onnx::NodeProto& node, const Opsets& opsets, int index,
                       std::vector<SourceNode>* out) {
  if (const Function* function = find(node)) {
    append_call(*function, node, index, out);
  } else {
    out->push_back({&node, &opsets, index});
  }
}

void Functions::append_call(const Function& function, const onnx::NodeProto& node, int index,
                            std::vector<SourceNode>* out) {
  const std::string name = printable(function.proto->name());
  if (std::find(active_.begin(), active_.end(), &function) != active_.end())
    throw user_error("function '{}' calls itself; recursion is not supported", name);
  if (active_.size() >= kDeepestCalls)
    throw user_error("functions call each other more than {} levels deep", kDeepestCalls);
  active_.push_back(&function);
  const Call call = bind(function, node);
  for (const onnx::NodeProto& inner : function.proto->node()) {
    onnx::NodeProto* made = copy(inner);
    rename(made, call);
    append(*made, function.opsets, index, out);
  }
  // An output that is also an input: the call hands it through.
  for (int i = 0; i < function.proto->output_size() && i < node.output_size(); ++i) {
    const std::string& formal = function.proto->output(i);
    const auto& inputs = function.proto->input();
    if (node.output(i).empty() || std::find(inputs.begin(), inputs.end(), formal) == inputs.end())
      continue;
    onnx::NodeProto identity;
    identity.set_op_type("Identity");
    identity.add_input(call.names.at(formal));
    identity.add_output(node.output(i));
    out->push_back({copy(identity), &function.opsets, index});
  }
  active_.pop_back();
}

Functions::Call Functions::bind(const Function& function, const onnx::NodeProto& node) {
  const onnx::FunctionProto& proto = *function.proto;
  const std::string name = printable(proto.name());
  if (node.input_size() > proto.input_size())
    throw user_error("a call of function '{}' has {} inputs, but it takes {}", name,
                     node.input_size(), proto.input_size());
  if (node.output_size() > proto.output_size())
    throw user_error("a call of function '{}' wants {} outputs, but it has {}", name,
                     node.output_size(), proto.output_size());
  Call call;
  call.prefix = fresh_prefix(node.name().empty() ? node.op_type() : node.name());
  for (int i = 0; i < proto.output_size(); ++i)
    if (i < node.output_size() && !node.output(i).empty())
      call.names[proto.output(i)] = node.output(i);
  for (int i = 0; i < proto.input_size(); ++i)
    call.names[proto.input(i)] = i < node.input_size() ? node.input(i) : "";
  for (const auto& [key, value] : function.defaults) call.attributes[key] = &value;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    const auto& declared = proto.attribute();
    if (!function.defaults.count(attribute.name()) &&
        std::find(declared.begin(), declared.end(), attribute.name()) == declared.end())
      throw user_error("function '{}' has no attribute '{}'", name, printable(attribute.name()));
    call.attributes[attribute.name()] = &attribute;
  }
  return call;
}

std::string Functions::fresh_prefix(const std::string& stem) {
  if (taken_.empty()) collect_names(model_.graph(), &taken_);
  const auto is_free = [&](const std::string& prefix) {
    const auto at = taken_.lower_bound(prefix);
    return (at == taken_.end() || !starts_with(*at, prefix)) && prefixes_.insert(prefix).second;
  };
  std::string prefix = stem + "/";
  while (!is_free(prefix)) prefix = fmt::format("{}.{}/", stem, ++next_prefix_);
  return prefix;
}

onnx::NodeProto* Functions::copy(const onnx::NodeProto& node) {
  copied_bytes_ += static_cast<int64_t>(node.ByteSizeLong());
  if (static_cast<int64_t>(copies_.size()) >= kMostExpandedNodes ||
      copied_bytes_ > kMostExpandedBytes)
    throw user_error("the model's functions expand to more than {} nodes or {}",
                     with_commas(kMostExpandedNodes), bytes_text(kMostExpandedBytes));
  copies_.push_back(node);
  return &copies_.back();
}

std::string Functions::renamed(const std::string& name, const Call& call) {
  if (name.empty()) return name;
  const auto at = call.names.find(name);
  return at == call.names.end() ? call.prefix + name : at->second;
}

void Functions::rename(onnx::NodeProto* node, const Call& call) {
  node->set_name(call.prefix + (node->name().empty() ? node->op_type() : node->name()));
  for (std::string& input : *node->mutable_input()) input = renamed(input, call);
  for (std::string& output : *node->mutable_output()) output = renamed(output, call);
  auto* attributes = node->mutable_attribute();
  for (int i = 0; i < attributes->size();) {
    onnx::AttributeProto* attribute = attributes->Mutable(i);
    if (!attribute->ref_attr_name().empty()) {
      const auto at = call.attributes.find(attribute->ref_attr_name());
      if (at == call.attributes.end()) {
        attributes->DeleteSubrange(i, 1);
        continue;
      }
      const std::string name = attribute->name();
      onnx::AttributeProto value =
          *at->second;  // a copy first: it may be large, but never this attribute itself
      *attribute = std::move(value);
      attribute->set_name(name);
    } else if (attribute->has_g()) {
      rename(attribute->mutable_g(), call);
    }
    ++i;
  }
}

void Functions::rename(onnx::GraphProto* graph, const Call& call) {
  for (auto& input : *graph->mutable_input()) input.set_name(renamed(input.name(), call));
  for (auto& output : *graph->mutable_output()) output.set_name(renamed(output.name(), call));
  for (auto& tensor : *graph->mutable_initializer()) tensor.set_name(renamed(tensor.name(), call));
  graph->clear_value_info();
  for (auto& node : *graph->mutable_node()) rename(&node, call);
}

}  // namespace macec
