// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If and Loop: types through bodies, evaluation, and the pass that decides known conditions.
#include "compiler/ir/text.h"
#include "passes/passes.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

TensorType scalar(DType dtype) {
  return {dtype, {}, Layout::plain};
}

ValueId parameter(Graph* graph, const char* name, TensorType type = {}) {
  ValueId id = add_value(*graph, name, std::move(type));
  graph->inputs.push_back(id);
  return id;
}

ValueId add_node(Graph* graph, const std::string& op, std::vector<ValueId> inputs,
                 Attributes attributes = {}) {
  NewNode node{op, find_op(op), op, std::move(inputs), std::move(attributes), {}};
  return graph->node(insert_before(*graph, NodeId{}, std::move(node), {TensorType{}}, {}))
      .outputs[0];
}

// x[2, 3] squeezed to 2-d or sliced to [1, 3]: branches of different extents.
Graph slice_branch(int64_t end) {
  Graph body;
  ValueId x = parameter(&body, "a");
  ValueId starts = add_constant(body, "s", ints({0})), ends = add_constant(body, "e", ints({end}));
  body.outputs = {add_node(&body, "Slice", {x, starts, ends})};
  return body;
}

Graph if_graph(bool is_constant, bool condition) {
  Graph graph;
  ValueId c;
  if (is_constant) {
    Tensor value(DType::boolean, {});
    value.set_i64(0, condition);
    c = add_constant(graph, "c", value);
  } else {
    c = parameter(&graph, "c", scalar(DType::boolean));
  }
  ValueId x = parameter(&graph, "x", {DType::float32, {2, 3}, Layout::plain});
  ValueId y = add_node(&graph, "If", {c, x});
  graph.nodes[0].bodies = {slice_branch(2), slice_branch(1)};
  graph.outputs = {y};
  infer_node(graph, NodeId{0});
  return graph;
}

}  // namespace

TEST_CASE("an extent in which branches differ is computed, between the two") {
  Graph graph = if_graph(false, false);
  const Shape& shape = graph.type(graph.outputs[0]).shape;
  CHECK(shape[0].lo() == 1);
  CHECK(shape[0].hi() == 2);
  CHECK(shape[1] == Dim(3));
  infer_node(graph, NodeId{0});
  CHECK(graph.type(graph.outputs[0]).shape == shape);
}

TEST_CASE("a known condition counts one branch, and fold-if puts it in place") {
  Graph graph = if_graph(true, false);
  CHECK(graph.type(graph.outputs[0]).shape == Shape{1, 3});
  PassContext context;
  CHECK(fold_if(graph, context));
  REQUIRE(graph.order.size() == 1);
  CHECK(graph.node(graph.order[0]).op == "Slice");
  CHECK(evaluate_graph(graph, {counting({2, 3})})[0] == Tensor::vector_f32({0, 1, 2}, {1, 3}));
}

TEST_CASE("a loop stacks its scan output as often as the trip count says") {
  Graph body;
  ValueId i = parameter(&body, "i"), keep = parameter(&body, "keep"), v = parameter(&body, "v");
  ValueId wide = add_node(&body, "Cast", {i}, {{"to", int64_t{1}}});
  ValueId next = add_node(&body, "Add", {v, wide});
  body.outputs = {add_node(&body, "Identity", {keep}), next, add_node(&body, "Identity", {v})};

  Graph graph;
  ValueId trips = add_constant(graph, "trips", Tensor::scalar_i64(3));
  Tensor yes(DType::boolean, {});
  yes.set_i64(0, 1);
  ValueId condition = add_constant(graph, "yes", yes);
  ValueId start = parameter(&graph, "start", scalar(DType::float32));
  NewNode loop{"Loop", find_op("Loop"), "loop", {trips, condition, start}, {}, {}};
  NodeId id = insert_before(graph, NodeId{}, std::move(loop), {TensorType{}, TensorType{}}, {});
  graph.node(id).attributes["carried"] = int64_t{1};
  graph.node(id).bodies = {body};
  graph.outputs = graph.node(id).outputs;
  infer_node(graph, id);
  CHECK(graph.type(graph.outputs[1]).shape == Shape{3});
  std::vector<Tensor> y = evaluate_graph(graph, {Tensor::scalar_f32(10)});
  CHECK(y[0].f64(0) == 13);
  CHECK(y[1] == Tensor::vector_f32({10, 10, 11}, {3}));
}

TEST_CASE("shape arithmetic under a range leaves no node behind") {
  Graph graph;
  Dim batch = ranged("batch", 1, 8);
  ValueId x = parameter(&graph, "x", {DType::float32, {batch, 3, 4}, Layout::plain});
  ValueId shape = add_node(&graph, "Shape", {x});
  ValueId first = add_constant(graph, "first", ints({0})),
          rest = add_constant(graph, "rest", ints({12}));
  ValueId n = add_node(&graph, "Gather", {shape, first});
  ValueId target = add_node(&graph, "Concat", {n, rest}, {{"axis", int64_t{0}}});
  graph.outputs = {add_node(&graph, "Reshape", {x, target})};
  for (NodeId id : graph.order) infer_node(graph, id);
  PassContext context;
  CHECK(cut_shapes(graph, context));
  remove_dead(graph);
  verify(graph, "cut-shapes");
  REQUIRE(graph.order.size() == 1);
  CHECK(graph.type(graph.outputs[0]).shape == Shape{batch, 12});
}
