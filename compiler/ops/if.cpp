// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If: one of two bodies.
//
// Where the condition is known at compile time only the chosen body counts, and the pass fold-if
// puts it in the place of the node. Else both bodies must give the same types; an extent in which
// they differ becomes a run-time extent between the two. A body that cannot run (see kFailOp) gives
// what the other one gives.
#include "compiler/ops/bodies.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

enum { kThen, kElse };

void infer_branch(InferContext& context, Graph* body) {
  if (body->inputs.size() + 1 != context.node.inputs.size() ||
      body->outputs.size() != context.node.outputs.size()) {
    throw user_error("a branch with {} parameters and {} results for {} inputs and {} outputs",
                     body->inputs.size(), body->outputs.size(), context.node.inputs.size() - 1,
                     context.node.outputs.size());
  }
  for (size_t i = 0; i < body->inputs.size(); ++i) {
    pass_input(context, static_cast<int>(i) + 1, body, i);
  }
  infer_body(context, body);
}

// What is known about a value of a body.
const std::vector<Dim>* known_result(const Graph& body, size_t output) {
  const Value& value = body.value(body.outputs[output]);
  return value.known ? &*value.known : nullptr;
}

// Both types in one; the message names what would decide between them.
Shape merge_shapes(InferContext& context, int output, const Shape& a, const Shape& b) {
  if (a.size() != b.size()) {
    const Value& condition = context.graph.value(context.node.inputs[0]);
    throw user_error(
        "branches that give {} and {} under the condition '{}', which is computed "
        "when the model runs, are not supported",
        text(a), text(b), condition.name)
        .hint("if the condition depends on the size of an input, fix that size: --dim NAME=N");
  }
  Shape shape;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) {
      shape.push_back(a[i]);
    } else {
      shape.push_back(computed_extent(context, output, i, std::min(a[i].lo(), b[i].lo()),
                                      std::max(a[i].hi(), b[i].hi())));
    }
  }
  return shape;
}

// The node gives what this body gives. failing: the other one, where it cannot run.
void infer_only(InferContext& context, Graph* body, Graph* failing) {
  infer_branch(context, body);
  for (size_t o = 0; o < body->outputs.size(); ++o) {
    const TensorType& type = body->type(body->outputs[o]);
    context.set_type(static_cast<int>(o), type.dtype, type.shape);
    if (known_result(*body, o)) context.set_known(static_cast<int>(o), *known_result(*body, o));
    if (failing) failing->value(failing->outputs[o]).type = type;
  }
}

void infer_if(InferContext& context) {
  if (context.type(0).dtype != DType::boolean || product(context.shape(0)) != Dim(1)) {
    throw user_error("the condition is {} instead of one bool", text(context.type(0)));
  }
  Node& node = node_with_bodies(context);
  MACEC_CHECK(node.bodies.size() == 2, "an If with {} bodies", node.bodies.size());
  const std::vector<Dim>* condition = context.known(0);
  if (condition && (*condition)[0].is_fixed()) {
    return infer_only(context, &node.bodies[(*condition)[0].value() ? kThen : kElse], nullptr);
  }
  for (int b : {kThen, kElse})
    if (failing_node(node.bodies[static_cast<size_t>(b)]))
      return infer_only(context, &node.bodies[b == kThen ? kElse : kThen],
                        &node.bodies[static_cast<size_t>(b)]);
  for (Graph& body : node.bodies) infer_branch(context, &body);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const TensorType& a = node.bodies[kThen].type(node.bodies[kThen].outputs[o]);
    const TensorType& b = node.bodies[kElse].type(node.bodies[kElse].outputs[o]);
    if (a.dtype != b.dtype) {
      throw user_error("the branches give {} and {} for output {}", text(a), text(b), o);
    }
    int output = static_cast<int>(o);
    context.set_type(output, a.dtype, merge_shapes(context, output, a.shape, b.shape));
    const std::vector<Dim>* known = known_result(node.bodies[kThen], o);
    const std::vector<Dim>* other = known_result(node.bodies[kElse], o);
    if (known && other && *known == *other) context.set_known(output, *known);
  }
}

void evaluate_if(EvaluateContext& context) {
  std::vector<Tensor> parameters;
  for (size_t i = 1; i < context.inputs.size(); ++i) parameters.push_back(*context.inputs[i]);
  bool condition = context.in(0).i64(0) != 0;
  context.outputs = context.run_body(context.node.bodies[condition ? kThen : kElse], parameters);
}

}  // namespace

void append_if(OpList& ops) {
  OpDef op;
  op.name = "If";
  op.doc = "The results of the then-branch where the bool scalar is true, else of the else-branch.";
  op.min_inputs = 1;
  op.max_inputs = -1;
  op.min_outputs = 1;
  op.max_outputs = -1;
  // Bodies stand in this order.
  op.attributes = {{AttributeDef::graph, "then_branch", true},
                   {AttributeDef::graph, "else_branch", true}};
  op.versions = {{"", "If", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kControlFlow;
  op.infer = infer_if;
  op.evaluate = evaluate_if;
  ops.push_back(std::move(op));
}

}  // namespace macec
