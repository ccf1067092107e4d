// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/bodies.h"

#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {

Node& node_with_bodies(InferContext& context) {
  for (Node& node : context.graph.nodes) {
    if (&node == &context.node) return node;
  }
  throw InternalError("inference of a node outside its graph");
}

void set_parameter(Graph* body, size_t index, const TensorType& type) {
  MACEC_CHECK(index < body->inputs.size(), "a body with {} parameters", body->inputs.size());
  Value& parameter = body->value(body->inputs[index]);
  parameter.type = type;
  parameter.known.reset();
}

void pass_input(const InferContext& context, int input, Graph* body, size_t index) {
  set_parameter(body, index, context.type(input));
  const std::vector<Dim>* known = context.known(input);
  if (known) body->value(body->inputs[index]).known = *known;
}

const Node* failing_node(const Graph& body) {
  if (body.order.size() != 1) return nullptr;
  const Node& node = body.node(body.order[0]);
  return node.op == kFailOp ? &node : nullptr;
}

void infer_body(InferContext& context, Graph* body) {
  body->checks.clear();
  for (NodeId id : body->order) {
    try {
      infer_node(*body, id);
    } catch (UserError& error) {
      if (error.places().empty()) {
        const Node& node = body->node(id);
        error.at(fmt::format("{} '{}' in the body of {} '{}'", node.op, node.name, context.node.op,
                             context.node.name));
      }
      throw;
    }
  }
}

Dim computed_extent(InferContext& context, int output, size_t axis, int64_t lo, int64_t hi) {
  ValueId id = context.node.outputs[static_cast<size_t>(output)];
  const Value* value = id.is_valid() ? &context.graph.value(id) : nullptr;
  if (value && axis < value->type.shape.size()) {
    const Dim& before = value->type.shape[axis];
    if (before.has_computed() && before.lo() == lo && before.hi() == hi) return before;
  }
  std::string name = value ? value->name : context.node.op;
  return context.computed(fmt::format("{}.axis{}", name, axis), lo, hi);
}

}  // namespace macec
