// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/source.h"

#include <algorithm>
#include <queue>
#include <unordered_set>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int kNoNode = -1;  // made by an input or an initializer

using Makers = std::unordered_map<std::string_view, int>;
using Edges = std::vector<std::vector<int>>;  // node -> nodes that make what it reads

// Nodes whose outputs somebody needs, found backwards from the outputs.
std::vector<bool> find_live(const SourceGraph& source, const Makers& makers, const Edges& needs) {
  std::vector<bool> live(source.nodes.size(), false);
  std::vector<int> work;
  const auto visit = [&](int node) {
    if (node == kNoNode || live[static_cast<size_t>(node)]) return;
    live[static_cast<size_t>(node)] = true;
    work.push_back(node);
  };
  for (const std::string& output : source.outputs) {
    const auto at = makers.find(output);
    if (at != makers.end()) visit(at->second);
  }
  while (!work.empty()) {
    const int node = work.back();
    work.pop_back();
    for (int maker : needs[static_cast<size_t>(node)]) visit(maker);
  }
  return live;
}

[[noreturn]] void refuse_cycle(const SourceGraph& source, const Edges& needs,
                               const std::vector<int>& missing) {
  // Every node that is left waits for another that is left: following makers must come back.
  const auto is_left = [&](int i) { return missing[static_cast<size_t>(i)] > 0; };
  int at = 0;
  while (!is_left(at)) ++at;
  std::unordered_map<int, size_t> seen;
  std::vector<int> path;
  while (!seen.count(at)) {
    seen[at] = path.size();
    path.push_back(at);
    const auto& makers = needs[static_cast<size_t>(at)];
    at = *std::find_if(makers.begin(), makers.end(), is_left);
  }
  UserError error = user_error(
      "the graph has a cycle: each of these nodes needs the next one's output, and the last the "
      "first's");
  const size_t begin = seen[at];
  for (size_t i = begin; i < path.size() && i < begin + 8; ++i) {
    const onnx::NodeProto& node = *source.nodes[static_cast<size_t>(path[i])].proto;
    error.at(fmt::format("{}, which makes '{}'", title(node),
                         node.output_size() ? printable(node.output(0)) : ""));
  }
  throw error;
}

// Kahn's algorithm; of the ready nodes the first in the file goes first, so a sorted file stays as it is.
void sort(SourceGraph* source, const Edges& needs, const std::vector<bool>& live) {
  const size_t n = source->nodes.size();
  std::vector<int> missing(n, 0);
  Edges users(n);
  for (size_t i = 0; i < n; ++i) {
    if (!live[i]) continue;
    missing[i] = static_cast<int>(needs[i].size());
    for (int maker : needs[i]) users[static_cast<size_t>(maker)].push_back(static_cast<int>(i));
  }
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  size_t wanted = 0;
  for (size_t i = 0; i < n; ++i) {
    wanted += live[i];
    if (live[i] && missing[i] == 0) ready.push(static_cast<int>(i));
  }
  std::vector<SourceNode> sorted;
  sorted.reserve(wanted);
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    sorted.push_back(source->nodes[static_cast<size_t>(node)]);
    for (int user : users[static_cast<size_t>(node)])
      if (--missing[static_cast<size_t>(user)] == 0) ready.push(user);
  }
  if (sorted.size() != wanted) refuse_cycle(*source, needs, missing);
  source->nodes = std::move(sorted);
}

std::vector<std::string> known_names(const Makers& makers) {
  std::vector<std::string> names;
  for (const auto& [name, maker] : makers) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string title(const onnx::NodeProto& node) {
  const std::string type = printable(node.domain().empty() || node.domain() == "ai.onnx"
                                         ? node.op_type()
                                         : fmt::format("{}.{}", node.domain(), node.op_type()));
  return node.name().empty() ? type : fmt::format("{} '{}'", type, printable(node.name()));
}

void SourceReader::define(const SourceGraph& source, const Cut& cut, Makers* makers) const {
  std::unordered_set<std::string_view> cut_inputs(cut.inputs.begin(), cut.inputs.end());
  const auto twice = [](const std::string& name, const std::string& first,
                        const std::string& second) {
    return user_error("the value '{}' is defined twice, by {} and by {}", printable(name), first,
                      second);
  };
  for (const auto& input : source.proto->input())
    if (!makers->emplace(input.name(), kNoNode).second)
      throw twice(input.name(), "an input", "another input");
  std::unordered_set<std::string_view> initializers;
  for (const auto& tensor : source.proto->initializer()) {
    if (!initializers.insert(tensor.name()).second)
      throw twice(tensor.name(), "an initializer", "another initializer");
    makers->emplace(tensor.name(), kNoNode);  // in old files also an input
  }
  for (const std::string& name : cut.inputs) makers->emplace(name, kNoNode);
  for (size_t i = 0; i < source.nodes.size(); ++i) {
    const onnx::NodeProto& node = *source.nodes[i].proto;
    for (const std::string& output : node.output()) {
      if (output.empty() || cut_inputs.count(output)) continue;
      const auto [at, is_new] = makers->emplace(output, static_cast<int>(i));
      if (is_new) continue;
      const std::string first = at->second != kNoNode
                                    ? title(*source.nodes[static_cast<size_t>(at->second)].proto)
                                : initializers.count(output) ? "an initializer"
                                                             : "an input";
      throw twice(output, first, title(node));
    }
  }
}

SourceGraph SourceReader::read(const onnx::GraphProto& graph, const Opsets& opsets,
                               const Cut& cut) {
  SourceGraph source;
  source.proto = &graph;
  source.total_nodes = graph.node_size();
  source.nodes = functions_.expand(graph.node(), opsets);
  source.outputs = cut.outputs;
  if (source.outputs.empty())
    for (const auto& output : graph.output()) source.outputs.push_back(output.name());
  for (const auto& tensor : graph.initializer())
    source.initializers.emplace(tensor.name(), &tensor);

  Makers makers;
  define(source, cut, &makers);
  for (const std::string& output : cut.outputs) {
    if (makers.count(output)) continue;
    UserError error =
        user_error("the model has no value '{}', which --outputs names", printable(output));
    const std::string near = nearest(output, known_names(makers));
    if (!near.empty()) error.hint(fmt::format("did you mean '{}'?", printable(near)));
    throw error;
  }

  Edges needs(source.nodes.size());
  for (size_t i = 0; i < source.nodes.size(); ++i) {
    const onnx::NodeProto& node = *source.nodes[i].proto;
    const auto add = [&](const std::string& name) {
      const auto at = makers.find(name);
      if (at != makers.end() && at->second != kNoNode) needs[i].push_back(at->second);
    };
    for (const std::string& input : node.input()) add(input);
    for (const auto& attribute : node.attribute())
      if (attribute.has_g())
        for (const std::string& name : free_names(attribute.g())) add(name);
    std::sort(needs[i].begin(), needs[i].end());
    needs[i].erase(std::unique(needs[i].begin(), needs[i].end()), needs[i].end());
  }
  sort(&source, needs, find_live(source, makers, needs));
  return source;
}

const std::vector<std::string>& SourceReader::free_names(const onnx::GraphProto& body) {
  const auto cached = free_.find(&body);
  if (cached != free_.end()) return cached->second;
  std::unordered_set<std::string> defined, met;
  for (const auto& input : body.input()) defined.insert(input.name());
  for (const auto& tensor : body.initializer()) defined.insert(tensor.name());
  for (const auto& node : body.node()) defined.insert(node.output().begin(), node.output().end());
  std::vector<std::string> names;
  const auto use = [&](const std::string& name) {
    if (!name.empty() && !defined.count(name) && met.insert(name).second) names.push_back(name);
  };
  for (const auto& node : body.node()) {
    for (const std::string& input : node.input()) use(input);
    for (const auto& attribute : node.attribute())
      if (attribute.has_g())
        for (const std::string& name : free_names(attribute.g())) use(name);
  }
  for (const auto& output : body.output()) use(output.name());
  return free_.emplace(&body, std::move(names)).first->second;
}

}  // namespace macec
