// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies of If and Loop (scan.cpp: of Scan): isolated graphs whose outer values are explicit inputs of the node (see ir/graph.h).
//
//   if (c) { y = x + w }                 If(%c, %x) then (%x) -> (%y) { %w = constant; %y = Add(%x, %w) }
//
// Captured constants are not inputs: they stand in each body again (the contents are shared).
#include <algorithm>
#include <unordered_set>

#include "compiler/ir/edit.h"
#include "compiler/onnx/attributes.h"
#include "compiler/onnx/builder.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

// Parameters of a Loop's body before its carried values: iteration, condition.
constexpr size_t kLoopHead = 2;

bool is_loop(const Node& node) {
  return node.op == "Loop";
}

}  // namespace

ValueId Builder::add_parameter(Scope& scope, const std::string& name, const TensorType& type) {
  const ValueId id = define(scope, name, type);
  scope.target->graph.inputs.push_back(id);
  return id;
}

void Builder::inline_branch(Scope& scope, const SourceNode& node, const onnx::GraphProto& branch) {
  int depth = 0;
  for (const Scope* at = &scope; at; at = at->outer) ++depth;
  if (depth + scope.target->depth > kDeepestBodies)
    throw user_error("graphs in graphs more than {} levels deep are not supported", kDeepestBodies);
  const onnx::NodeProto& proto = *node.proto;
  if (branch.output_size() != proto.output_size())
    throw user_error("the branch '{}' has {}, but the node has {}", printable(branch.name()),
                     plural(branch.output_size(), "output"), proto.output_size());
  const SourceGraph source_graph = source.read(branch, *node.opsets, Cut());
  Scope inner;
  inner.target = scope.target;
  inner.source = &source_graph;
  inner.outer = &scope;
  build(inner);
  for (int i = 0; i < proto.output_size(); ++i)
    if (!proto.output(i).empty())
      alias(scope, proto.output(i), inner, branch.output(i).name());
}

// The value of that name; of a sequence its elements.
std::vector<ValueId> Builder::elements(Scope& scope, const std::string& name) {
  if (const Composite* composite = find_composite(scope, name)) return composite->elements;
  return {get(scope, name)};
}

// Constants are copied into the bodies.
bool Builder::capture(Scope& scope, const std::vector<const onnx::GraphProto*>& bodies,
                      std::vector<std::string>* names) {
  std::unordered_set<std::string> met;
  bool failed = false;
  for (const onnx::GraphProto* body : bodies)
    for (const std::string& name : source.free_names(*body)) {
      if (!met.insert(name).second) continue;
      for (const ValueId id : elements(scope, name))
        failed = failed || scope.target->graph.type(id).dtype == DType::undefined;
      names->push_back(name);
    }
  return !failed;
}

bool Builder::add_bodies(Scope& scope, const SourceNode& source_node, Node* node) {
  const std::vector<const onnx::GraphProto*> bodies = read_bodies(*source_node.proto, *node->def);
  if (bodies.empty()) return true;
  MACEC_CHECK(node->op == "If" || is_loop(*node), "bodies of {} have no rule for their parameters",
              node->op);
  if (scope.target->depth >= kDeepestBodies)
    throw user_error("graphs in graphs more than {} levels deep are not supported", kDeepestBodies);
  if (is_loop(*node)) {
    node->inputs.resize(std::max(node->inputs.size(), kLoopHead));
    node->attributes["carried"] = static_cast<int64_t>(node->inputs.size() - kLoopHead);
  } else if (node->inputs.empty() || !node->inputs[0].is_valid()) {
    throw user_error("the condition is missing");
  }
  const int problems = diag_.count() + static_cast<int>(unsupported.size());

  std::vector<std::string> captured;
  if (!capture(scope, bodies, &captured)) return false;

  const Node head = *node;  // the node without captured values: what parameters are made from
  for (const std::string& name : captured)
    for (const ValueId id : elements(scope, name))
      if (!scope.target->graph.value(id).constant) node->inputs.push_back(id);
  std::vector<Target> built;
  for (const onnx::GraphProto* body : bodies)
    built.push_back(build_body(scope, source_node, *body, captured, head));
  if (is_loop(*node))
    node->bodies.push_back(std::move(built[0].graph));
  else if (!take_branches(*scope.target, std::move(built), node))
    return false;
  return diag_.count() + static_cast<int>(unsupported.size()) == problems;
}

void Builder::hand_in_elements(const Composite& composite, const Graph& around, Scope& scope,
                               const std::string& name) {
  Composite inside{composite.is_absent, composite.dtype, {}};
  for (const ValueId element : composite.elements) {
    const Value& value = around.value(element);
    if (value.constant) {
      inside.elements.push_back(define_constant(scope, name, value.constant));
    } else {
      inside.elements.push_back(add_parameter(scope, name, value.type));
      scope.target->graph.value(inside.elements.back()).known = value.known;
    }
    scope.values.erase(name);
  }
  scope.composites[name] = std::move(inside);
}

void Builder::hand_in(Scope& outer, Scope& scope, const std::vector<std::string>& captured) {
  for (const std::string& name : captured) {
    if (const Composite* composite = find_composite(outer, name)) {
      hand_in_elements(*composite, outer.target->graph, scope, name);
      continue;
    }
    const Value& value = outer.target->graph.value(get(outer, name));
    if (scope.values.count(
            name)) {  // this body has a parameter of that name; the other one captures it
      if (!value.constant)
        scope.target->graph.inputs.push_back(add_value(scope.target->graph, unique(*scope.target, name), value.type));
    } else if (value.constant) {
      define_constant(scope, name, value.constant);
    } else {
      const ValueId id = add_parameter(scope, name, value.type);
      scope.target->graph.value(id).known = value.known;
    }
  }
}

void Builder::build_results(Scope& scope) {
  build(scope);
  for (const std::string& output : scope.source->outputs) {
    if (const Composite* composite = find_composite(scope, output))
      throw user_error("the body's output '{}' is {}, which is not supported", printable(output),
                       composite->is_absent ? "an absent optional value" : "a sequence");
    const ValueId id = find(scope, output);
    if (!id.is_valid()) throw user_error("nothing makes the body's output '{}'", printable(output));
    scope.target->graph.outputs.push_back(id);
  }
}

Builder::Target Builder::build_body(Scope& outer, const SourceNode& source_node, const onnx::GraphProto& body,
                          const std::vector<std::string>& captured, const Node& node) {
  const SourceGraph source_graph = source.read(body, *source_node.opsets, Cut());
  Target target;
  target.graph.name = body.name();
  target.depth = outer.target->depth + 1;
  target.is_branch = !is_loop(node) || outer.target->is_branch;
  Scope scope;
  scope.target = &target;
  scope.source = &source_graph;
  const Graph& around = outer.target->graph;
  target.graph.bounds = around.bounds;
  if (is_loop(node)) {
    const size_t carried = node.inputs.size() - kLoopHead;
    if (static_cast<size_t>(body.input_size()) != kLoopHead + carried)
      throw user_error("the body has {}, but needs {}: iteration, condition and {}",
                       plural(body.input_size(), "input"), kLoopHead + carried,
                       plural(static_cast<int64_t>(carried), "carried value"));
    add_parameter(scope, body.input(0).name(), {DType::int64, {}, Layout::plain});
    add_parameter(scope, body.input(1).name(), {DType::boolean, {}, Layout::plain});
    for (size_t i = 0; i < carried; ++i) {
      if (!node.inputs[kLoopHead + i].is_valid())
        throw user_error("the initial value of carried value {} is missing", i);
      add_parameter(scope, body.input(static_cast<int>(kLoopHead + i)).name(),
                    around.type(node.inputs[kLoopHead + i]));
    }
  } else if (body.input_size() != 0) {
    throw user_error("the branch '{}' has inputs; a branch of If takes none",
                     printable(body.name()));
  }
  hand_in(outer, scope, captured);
  const size_t refused = unsupported.size();
  build_results(scope);
  if (target.failure) {
    if (is_loop(node)) throw IllTyped(*target.failure);
    unsupported.resize(refused);  // what a branch that fails would need is of no use
  }
  return target;
}

}  // namespace macec
