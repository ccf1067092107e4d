// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Known contents through elementwise operators: extents stay extents.
#include "compiler/ir/edit.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"
#include "tests/catch.h"

using namespace macec;

namespace {

Dim batch() {
  auto symbol = std::make_shared<Symbol>();
  symbol->name = "batch";
  symbol->lo = 2;
  symbol->hi = 8;
  return Dim::symbol(symbol);
}

struct Builder {
  Graph graph;
  ValueId known(std::vector<Dim> elements, DType dtype = DType::int64) {
    const ValueId id = add_value(graph, fresh_name(graph, "k"),
                                 {dtype, {static_cast<int64_t>(elements.size())}, Layout::plain});
    graph.value(id).known = std::move(elements);
    return id;
  }
  ValueId constant(std::vector<int64_t> values) {
    return add_constant(graph, "c", Tensor::vector_i64(values));
  }
  ValueId node(const std::string& op, std::vector<ValueId> inputs, Attributes attributes = {}) {
    Node node;
    node.op = op;
    node.def = find_op(op);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.outputs = {add_value(graph, fresh_name(graph, "v"), {})};
    const NodeId id{static_cast<int32_t>(graph.nodes.size())};
    const ValueId output = node.outputs[0];
    graph.value(output).producer = id;
    graph.nodes.push_back(std::move(node));
    graph.order.push_back(id);
    infer_node(graph, id);
    return output;
  }
  std::vector<Dim> elements(ValueId id) const {
    return graph.value(id).known.value_or(std::vector<Dim>{-999});
  }
};

}  // namespace

TEST_CASE("arithmetic on a size gives a size") {
  Builder b;
  const ValueId n = b.known({batch()});
  CHECK(b.elements(b.node("Mul", {n, b.constant({3})})) == std::vector<Dim>{batch() * 3});
  CHECK(b.elements(b.node("Add", {n, b.constant({1, 2})})) ==
        std::vector<Dim>{batch() + 1, batch() + 2});
  CHECK(b.elements(b.node("Div", {n, b.constant({2})})) == std::vector<Dim>{floor_div(batch(), 2)});
  CHECK(b.elements(b.node("Mod", {n, b.constant({2})})) == std::vector<Dim>{mod(batch(), 2)});
  CHECK(b.elements(b.node("Min", {n, b.constant({4})})) == std::vector<Dim>{min(batch(), Dim(4))});
}

TEST_CASE("a comparison is known only where it holds for every size in the range") {
  Builder b;
  const ValueId n = b.known({batch()});
  CHECK(b.elements(b.node("Equal", {n, b.constant({1})})) == std::vector<Dim>{0});
  CHECK(b.elements(b.node("Less", {n, b.constant({9})})) == std::vector<Dim>{1});
  CHECK(!b.graph.value(b.node("Equal", {n, b.constant({4})})).known);
}

TEST_CASE("Where picks by a known condition") {
  Builder b;
  const ValueId n = b.known({batch(), batch()});
  const ValueId is_one = b.node("Equal", {b.known({1, batch()}), b.constant({1, 1})});
  CHECK(b.elements(b.node("Where", {is_one, b.constant({7, 7}), n})) ==
        std::vector<Dim>{7, batch()});
}

TEST_CASE("a size halved as a float and rounded down stays a size") {
  Builder b;
  const ValueId x = b.node("Cast", {b.known({batch()})}, {{"to", int64_t{1}}});
  CHECK(b.elements(x) == std::vector<Dim>{batch()});
  const ValueId half = b.node("Mul", {x, add_constant(b.graph, "half", Tensor::scalar_f32(0.5f))});
  CHECK(!b.graph.value(half).known);
  const ValueId floor = b.node("Floor", {half});
  CHECK(b.elements(floor) == std::vector<Dim>{floor_div(batch(), 2)});
  CHECK(b.elements(b.node("Cast", {floor}, {{"to", int64_t{7}}})) ==
        std::vector<Dim>{floor_div(batch(), 2)});
  CHECK(b.elements(b.node("Ceil", {half})) == std::vector<Dim>{ceil_div(batch(), 2)});
}

TEST_CASE("the product of a shape is known") {
  Builder b;
  const ValueId count =
      b.node("ReduceProd", {b.known({batch(), 3, 4})}, {{"keepdims", int64_t{0}}});
  CHECK(b.elements(count) == std::vector<Dim>{batch() * 12});
}

TEST_CASE("extents that cannot be shown equal become one check") {
  Builder b;
  auto value = [&](Shape shape) {
    return add_value(b.graph, fresh_name(b.graph, "x"),
                     {DType::float32, std::move(shape), Layout::plain});
  };
  const ValueId x = value({batch(), 4}), y = value({3, 4});
  CHECK(b.graph.type(b.node("Add", {x, y})).shape == Shape{3, 4});
  CHECK(b.graph.checks.size() == 1);
  b.node("Mul", {x, y});
  CHECK(b.graph.checks.size() == 1);
  CHECK_THROWS_AS(b.node("Add", {x, value({5, 5})}), UserError);
}

TEST_CASE("the sign of a size below 0 is -1") {
  Builder b;
  const ValueId n = b.known({batch(), Dim(-1), Dim(0), batch() - 10, batch() - 5});
  CHECK(b.elements(b.node("Sign", {b.known({batch(), Dim(-1), Dim(0), batch() - 10})})) ==
        std::vector<Dim>{Dim(1), Dim(-1), Dim(0), Dim(-1)});
  CHECK(b.elements(b.node("Sign", {n})) == std::vector<Dim>{-999});
}

TEST_CASE("a size that doubles its expression at each step is refused, in no time") {
  const auto grow = [] {
    Dim size = batch();
    for (int i = 0; i < 100; ++i) size = size + floor_div(size * 2, 3);
    return size;
  };
  CHECK_THROWS_AS(grow(), UserError);
}

TEST_CASE("bounds of nested sizes take time in proportion to their depth") {
  Dim size = batch();
  for (int i = 0; i < 60; ++i) size = floor_div(size + batch() + i % 2, 2);
  CHECK(size.lo() == 2);
  CHECK(size.hi() == 8);
}
