// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts the chosen branch of an If in its place where the condition is known at compile time.
//
//   %c = constant true
//   %y = If(%c, %x) { then (%a) { %r = Relu(%a) } else (%b) { ... } }        %y = Relu(%x)
//
// The nodes of the branch keep their origins and get those of the If. Left alone if the condition
// is computed when the model runs. Tests: tests/unit/op_control_test.cpp
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/support/error.h"
#include "passes/pass.h"

namespace macec {
namespace {

// 1 true, 0 false, -1 not known.
int condition_of(const Graph& graph, const Node& node) {
  const Value& value = graph.value(node.inputs[0]);
  if (value.constant) return value.constant->i64(0) != 0 ? 1 : 0;
  if (value.known && (*value.known)[0].is_fixed()) return (*value.known)[0] != Dim(0) ? 1 : 0;
  return -1;
}

// Values of the body in the graph around it.
class Inliner {
 public:
  Inliner(Graph& graph, NodeId place, const Graph& body)
      : graph_(graph), place_(place), body_(body) {
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      values_[body.inputs[i].index] = graph.node(place).inputs[i + 1];
    }
  }

  ValueId of(ValueId id) {
    if (!id.is_valid()) return id;
    auto at = values_.find(id.index);
    if (at != values_.end()) return at->second;
    const Value& value = body_.value(id);
    MACEC_CHECK(value.constant, "value '{}' of a branch has no place", value.name);
    ValueId copy = add_value(graph_, fresh_name(graph_, value.name), value.type);
    graph_.value(copy).constant = value.constant;
    return values_[id.index] = copy;
  }

  void add(const Node& node) {
    NewNode copy{node.op, node.def, node.name, {}, node.attributes, node.epilogue};
    for (ValueId input : node.inputs) copy.inputs.push_back(of(input));
    NodeId id = insert_before(graph_, place_, std::move(copy), {}, {place_});
    Node& added = graph_.node(id);
    added.origins = node.origins;
    merge_origins(added, graph_.node(place_));
    added.epilogue_input_type = node.epilogue_input_type;
    added.bodies = node.bodies;
    added.onnx_index = node.onnx_index;
    for (ValueId output : node.outputs) graph_.node(id).outputs.push_back(result(output, id));
  }

 private:
  ValueId result(ValueId id, NodeId producer) {
    if (!id.is_valid()) return id;
    const Value& value = body_.value(id);
    ValueId copy = add_value(graph_, fresh_name(graph_, value.name), value.type);
    graph_.value(copy).known = value.known;
    graph_.value(copy).producer = producer;
    return values_[id.index] = copy;
  }

  Graph& graph_;
  NodeId place_;
  const Graph& body_;
  std::map<int32_t, ValueId> values_;  // of the body -> of the graph
};

void inline_branch(Graph& graph, NodeId id, int branch) {
  Graph body = std::move(graph.node(id).bodies[static_cast<size_t>(branch)]);
  Inliner inliner(graph, id, body);
  for (NodeId inner : body.order) inliner.add(body.node(inner));
  for (ExtentCheck& check : body.checks) graph.checks.push_back(std::move(check));
  for (size_t o = 0; o < body.outputs.size(); ++o) {
    ValueId output = graph.node(id).outputs[o];
    if (output.is_valid()) replace_all_uses(graph, output, inliner.of(body.outputs[o]));
  }
  erase(graph, id);
}

}  // namespace

bool fold_if(Graph& graph, PassContext& context) {
  bool changed = false;
  // Branches may hold further Ifs of known conditions: those come into the order before the next look.
  for (size_t i = 0; i < graph.order.size();) {
    NodeId id = graph.order[i];
    int condition = graph.node(id).op == "If" ? condition_of(graph, graph.node(id)) : -1;
    if (condition < 0) {
      ++i;
      continue;
    }
    if (context.explain) {
      context.explain->push_back(fmt::format("control: '{}' always takes its {}-branch",
                                             graph.node(id).name, condition ? "then" : "else"));
    }
    inline_branch(graph, id, condition ? 0 : 1);
    changed = true;
  }
  return changed;
}

}  // namespace macec
