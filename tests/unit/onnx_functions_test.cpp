// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/import.h"
#include "tests/catch.h"
#include "tests/unit/onnx_bytes.h"

namespace {

using namespace macec;
namespace ob = onnx_bytes;

constexpr int kFloatAttribute = 1;

// y = LeakyRelu(x) with alpha from the call.
ob::Message leaky(const std::vector<ob::Message>& defaults = {}) {
  const ob::Names attributes = defaults.empty() ? ob::Names{"slope"} : ob::Names{};
  return ob::function("Leaky", {"in"}, {"out"}, attributes,
                      {ob::node("Neg", {"in"}, {"t"}),
                       ob::node("LeakyRelu", {"t"}, {"out"}, "",
                                {ob::reference("alpha", "slope", kFloatAttribute)})},
                      defaults);
}

struct Result {
  Graph graph;
  Diagnostics diag;
};
Result import(std::vector<ob::Message> nodes, const std::vector<ob::Message>& functions) {
  const ob::Graph graph{std::move(nodes),
                        {ob::value("x", ob::kFloat, {"4"})},
                        {ob::value("y", ob::kFloat, {"4"})},
                        {}};
  Result result;
  try {
    result.graph =
        import_model(parse_model(ob::model(graph, functions), "m.onnx", "."), {}, result.diag);
  } catch (const UserError& error) {
    result.diag.add(error);
  }
  return result;
}

}  // namespace

TEST_CASE("an attribute reference takes the call's value") {
  const Result r =
      import({ob::node("Leaky", {"x"}, {"y"}, "", {ob::float_attribute("slope", 0.25f)}, "local")},
             {leaky()});
  REQUIRE(r.graph.order.size() == 2);
  CHECK(r.graph.node(r.graph.order[1]).float_attribute("alpha", 0) == 0.25f);
}

TEST_CASE("an attribute reference takes the default where the call says nothing") {
  const Result r = import({ob::node("Leaky", {"x"}, {"y"}, "", {}, "local")},
                          {leaky({ob::float_attribute("slope", 0.5f)})});
  REQUIRE(r.graph.order.size() == 2);
  CHECK(r.graph.node(r.graph.order[1]).float_attribute("alpha", 0) == 0.5f);
}

TEST_CASE("an attribute reference without a value leaves the operator's own default") {
  const Result r = import({ob::node("Leaky", {"x"}, {"y"}, "", {}, "local")}, {leaky()});
  REQUIRE(r.graph.order.size() == 2);
  CHECK_FALSE(r.graph.node(r.graph.order[1]).has_attribute("alpha"));
}

TEST_CASE("two calls of one function keep their inner values apart") {
  const Result r = import({ob::node("Leaky", {"x"}, {"t"}, "", {}, "local"),
                           ob::node("Leaky", {"t"}, {"y"}, "", {}, "local")},
                          {leaky()});
  CHECK(r.diag.count() == 0);
  CHECK(r.graph.order.size() == 4);
}

TEST_CASE("a function that calls itself is refused") {
  const ob::Message self = ob::function("Self", {"in"}, {"out"}, {},
                                        {ob::node("Self", {"in"}, {"out"}, "", {}, "local")});
  const Result r = import({ob::node("Self", {"x"}, {"y"}, "", {}, "local")}, {self});
  REQUIRE(r.diag.count() == 1);
  CHECK(r.diag.errors()[0].text() == "function 'Self' calls itself; recursion is not supported");
}

TEST_CASE("functions that double their calls at every level are refused, not expanded") {
  std::vector<ob::Message> functions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = i == 39 ? "Relu" : "F" + std::to_string(i + 1),
                      domain = i == 39 ? "" : "local";
    functions.push_back(ob::function("F" + std::to_string(i), {"a"}, {"c"}, {},
                                     {ob::node(next, {"a"}, {"b"}, "", {}, domain),
                                      ob::node(next, {"b"}, {"c"}, "", {}, domain)}));
  }
  const Result r = import({ob::node("F0", {"x"}, {"y"}, "", {}, "local")}, functions);
  CHECK(r.diag.count() == 1);
}

TEST_CASE("a function may hand an input through as an output") {
  const ob::Message through = ob::function("Through", {"in"}, {"in"}, {}, {});
  const Result r = import({ob::node("Through", {"x"}, {"y"}, "", {}, "local")}, {through});
  CHECK(r.diag.count() == 0);
  CHECK(r.graph.value(r.graph.outputs[0]).name == "y");
}

TEST_CASE("too many inputs of a call are refused") {
  const Result r = import({ob::node("Leaky", {"x", "x"}, {"y"}, "", {}, "local")}, {leaky()});
  CHECK(r.diag.count() == 1);
}
