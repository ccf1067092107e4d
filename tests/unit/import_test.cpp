// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/import.h"

#include "compiler/ops/registry.h"
#include "tests/catch.h"
#include "tests/unit/onnx_bytes.h"

namespace {

using namespace macec;
namespace ob = onnx_bytes;

struct Imported {
  Graph graph;
  Diagnostics diag;
  std::string first_error() const { return diag.count() ? diag.errors()[0].text() : ""; }
  std::string report() const { return diag.report("m.onnx", "nothing was written"); }
  std::vector<std::string> ops() const {
    std::vector<std::string> names;
    for (NodeId id : graph.order) names.push_back(graph.node(id).op);
    return names;
  }
};

Imported import(const std::string& bytes, const ImportOptions& options = {}) {
  Imported result;
  result.graph = import_model(parse_model(bytes, "m.onnx", "."), options, result.diag);
  return result;
}

ob::Graph one_in_one_out(std::vector<ob::Message> nodes, const ob::Names& in = {"4"},
                         const ob::Names& out = {"4"}) {
  return {
      std::move(nodes), {ob::value("x", ob::kFloat, in)}, {ob::value("y", ob::kFloat, out)}, {}};
}

using Ops = std::vector<std::string>;

ob::Message named(const std::string& name) {
  return ob::Message().text(1, name);
}

}  // namespace

TEST_CASE("nodes out of order are sorted") {
  const Imported r = import(
      ob::model(one_in_one_out({ob::node("Relu", {"a"}, {"y"}), ob::node("Neg", {"x"}, {"a"})})));
  CHECK(r.ops() == Ops{"Neg", "Relu"});
}

TEST_CASE("a cycle is refused and its nodes are named") {
  const Imported r = import(ob::model(one_in_one_out(
      {ob::node("Add", {"x", "b"}, {"y"}, "first"), ob::node("Relu", {"y"}, {"b"}, "second")})));
  CHECK(r.first_error().find("cycle") != std::string::npos);
  CHECK(r.report().find("Relu 'second'") != std::string::npos);
}

TEST_CASE("a value that two nodes make is refused") {
  const Imported r = import(
      ob::model(one_in_one_out({ob::node("Relu", {"x"}, {"y"}), ob::node("Neg", {"x"}, {"y"})})));
  CHECK(r.first_error() == "the value 'y' is defined twice, by Relu and by Neg");
}

TEST_CASE("nodes that no output needs are left out") {
  const Imported r = import(ob::model(
      one_in_one_out({ob::node("Relu", {"x"}, {"y"}), ob::node("Strange", {"x"}, {"z"})})));
  CHECK(r.diag.count() == 0);
  CHECK(r.ops() == Ops{"Relu"});
}

TEST_CASE("one failed node is one error, whatever reads its output") {
  const Imported r = import(
      ob::model(one_in_one_out({ob::node("Relu", {"x", "x"}, {"a"}), ob::node("Neg", {"a"}, {"b"}),
                                ob::node("Abs", {"b"}, {"y"})})));
  CHECK(r.diag.count() == 1);
}

TEST_CASE("unsupported operators are one error with the flag that leaves them out") {
  const Imported r = import(ob::model(one_in_one_out(
      {ob::node("Relu", {"x"}, {"a"}), ob::node("Odd", {"a"}, {"b"}, "one", {}, "local"),
       ob::node("Odd", {"b"}, {"y"}, "two", {}, "local")})));
  CHECK(r.first_error() == "operator local.Odd is not supported (2 nodes; the other node is)");
  const std::vector<Cure>& cures = r.diag.errors()[0].cures();
  REQUIRE(cures.size() == 1);
  CHECK(cures[0].flag == "--outputs");
  CHECK(cures[0].value == "a");
  CHECK(cures[0].is_partial);
}

TEST_CASE("a dimension without a size is one error for all inputs that have it") {
  ob::Graph graph{{ob::node("Add", {"x", "z"}, {"y"})},
                  {ob::value("x", ob::kFloat, {"n", "3"}), ob::value("z", ob::kFloat, {"n", "3"})},
                  {ob::value("y", ob::kFloat, {"n", "3"})},
                  {}};
  CHECK(import(ob::model(graph)).first_error() == "dimension 'n' has no size");
  CHECK(import(ob::model(graph)).diag.count() == 1);
}

TEST_CASE("--dim with a range makes a symbol that all inputs share") {
  ob::Graph graph{{ob::node("Add", {"x", "z"}, {"y"})},
                  {ob::value("x", ob::kFloat, {"n", "3"}), ob::value("z", ob::kFloat, {"n", "3"})},
                  {ob::value("y", ob::kFloat, {"n", "3"})},
                  {}};
  ImportOptions options;
  options.dims["n"] = {1, 8, 1};
  const Imported r = import(ob::model(graph), options);
  REQUIRE(r.graph.symbols.size() == 1);
  CHECK(r.graph.type(r.graph.outputs[0]).shape[0] == Dim::symbol(r.graph.symbols[0]));
}

TEST_CASE("--shape overrides a declared size") {
  ImportOptions options;
  ShapeItem item;
  item.kind = ShapeItem::extent;
  item.size = {7, 7, 1};
  options.shapes["x"] = {item};
  const Imported r = import(ob::model(one_in_one_out({ob::node("Relu", {"x"}, {"y"})})), options);
  CHECK(text(r.graph.type(r.graph.outputs[0])) == "float32[7]");
}

TEST_CASE("a --dim that the model does not have is an error") {
  ImportOptions options;
  options.dims["bach"] = {1, 1, 1};
  const Imported r = import(
      ob::model(one_in_one_out({ob::node("Relu", {"x"}, {"y"})}, {"batch"}, {"batch"})), options);
  CHECK(r.diag.count() == 1);
  CHECK(r.report().find("did you mean 'batch'?") != std::string::npos);
}

TEST_CASE("--set makes an input a constant") {
  ob::Graph graph{{ob::node("Add", {"x", "s"}, {"y"})},
                  {ob::value("x", ob::kFloat, {"4"}), ob::value("s", ob::kFloat, {})},
                  {ob::value("y", ob::kFloat, {"4"})},
                  {}};
  ImportOptions options;
  options.sets["s"] = {2.5};
  const Imported r = import(ob::model(graph), options);
  REQUIRE(r.graph.inputs.size() == 1);
  const Node& add = r.graph.node(r.graph.order[0]);
  CHECK(r.graph.value(add.inputs[1]).constant->f64(0) == 2.5);
}

TEST_CASE("--outputs ends the graph at a value in the middle") {
  ImportOptions options;
  options.outputs = {"a"};
  const Imported r = import(ob::model(one_in_one_out({ob::node("Relu", {"x"}, {"a"}),
                                                      ob::node("Strange", {"a"}, {"y"})})),
                            options);
  CHECK(r.diag.count() == 0);
  CHECK(r.ops() == Ops{"Relu"});
}

TEST_CASE("--io-type puts a Cast behind an input") {
  ImportOptions options;
  options.io_types["x"] = DType::float16;
  const Imported r = import(ob::model(one_in_one_out({ob::node("Relu", {"x"}, {"y"})})), options);
  CHECK(r.ops() == Ops{"Cast", "Relu"});
  CHECK(text(r.graph.type(r.graph.inputs[0])) == "float16[4]");
}

TEST_CASE("shape arithmetic is folded while importing") {
  ob::Graph graph =
      one_in_one_out({ob::node("Shape", {"x"}, {"s"}), ob::node("Reshape", {"x", "s"}, {"y"})},
                     {"2", "3"}, {"2", "3"});
  const Imported r = import(ob::model(graph));
  CHECK(r.diag.count() == 0);
  CHECK(r.ops() == Ops{"Reshape"});
}

TEST_CASE("an initializer that is listed as an input is a constant") {
  ob::Graph graph{{ob::node("Add", {"x", "w"}, {"y"})},
                  {ob::value("w", ob::kFloat, {"4"}), ob::value("x", ob::kFloat, {"4"})},
                  {ob::value("y", ob::kFloat, {"4"})},
                  {ob::raw_tensor<float>("w", ob::kFloat, {4}, {1, 2, 3, 4})}};
  const Imported r = import(ob::model(graph));
  REQUIRE(r.graph.inputs.size() == 1);
  CHECK(r.graph.value(r.graph.inputs[0]).name == "x");
}

TEST_CASE("the outer values of a branch are inputs of the If, and its constants are not") {
  const ob::Graph branch{
      {ob::node("Add", {"x", "w"}, {"r"})}, {}, {ob::value("r", ob::kFloat, {"4"})}, {}};
  ob::Graph graph{{ob::node("If", {"c"}, {"y"}, "",
                            {ob::graph_attribute("then_branch", branch.message()),
                             ob::graph_attribute("else_branch", branch.message())})},
                  {ob::value("x", ob::kFloat, {"4"}), ob::value("c", ob::kBool, {})},
                  {ob::value("y", ob::kFloat, {"4"})},
                  {ob::raw_tensor<float>("w", ob::kFloat, {4}, {1, 2, 3, 4})}};
  const Imported r = import(ob::model(graph));
  REQUIRE(r.ops() == Ops{"If"});
  const Node& node = r.graph.node(r.graph.order[0]);
  CHECK(node.inputs.size() == 2);
  CHECK(node.bodies[0].inputs.size() == 1);
}

TEST_CASE("an If of a known condition becomes the nodes of its branch") {
  const ob::Graph yes{
      {ob::node("Relu", {"x"}, {"r"})}, {}, {ob::value("r", ob::kFloat, {"4"})}, {}};
  const ob::Graph no{{ob::node("Neg", {"x"}, {"r"})}, {}, {ob::value("r", ob::kFloat, {"4"})}, {}};
  ob::Graph graph = one_in_one_out({ob::node("If", {"c"}, {"y"}, "",
                                             {ob::graph_attribute("then_branch", yes.message()),
                                              ob::graph_attribute("else_branch", no.message())})});
  graph.initializers = {ob::raw_tensor<unsigned char>("c", ob::kBool, {}, {0})};
  const Imported r = import(ob::model(graph));
  CHECK(r.ops() == Ops{"Neg"});
  CHECK(r.graph.value(r.graph.outputs[0]).name == "y");
}

TEST_CASE("an attribute of the wrong kind is refused") {
  const Imported r = import(ob::model(
      one_in_one_out({ob::node("Softmax", {"x"}, {"y"}, "", {ob::float_attribute("axis", 1)})})));
  CHECK(r.first_error() == "attribute 'axis' is a float, but must be an int");
}

TEST_CASE("a file from before opset imports is of opset 1; a later one without is refused") {
  const auto to = [](const char* type) {
    return ob::Message().text(1, "to").text(4, type).number(20, 3);
  };
  const auto file = [&](int ir_version) {
    const ob::Graph graph = one_in_one_out({ob::node("Cast", {"x"}, {"a"}, "", {to("INT32")}),
                                            ob::node("Cast", {"a"}, {"y"}, "", {to("FLOAT")})});
    return ob::Message().number(1, ir_version).message(7, graph.message()).bytes;
  };
  CHECK(import(file(2)).ops() == Ops{"Cast", "Cast"});
  CHECK(import(file(3)).first_error().find("imports no opset") != std::string::npos);
}

// Each level maps a sequence of 16 with the level below: 16^6 nodes in a small file.
TEST_CASE("SequenceMaps in SequenceMaps do not grow beyond bounds") {
  ob::Graph body = {{ob::node("Relu", {"e"}, {"r"})}, {named("e")}, {named("r")}, {}};
  for (int level = 0; level < 6; ++level)
    body = {{ob::node("SequenceConstruct", ob::Names(16, "e"), {"s"}),
             ob::node("SequenceMap", {"s"}, {"m"}, "", {ob::graph_attribute("body", body.message())}),
             ob::node("ConcatFromSequence", {"m"}, {"r"}, "", {ob::int_attribute("axis", 0)})},
            {named("e")},
            {named("r")},
            {}};
  body.inputs = {ob::value("e", ob::kFloat, {"4"})};
  const Imported r = import(ob::model(body));
  CHECK(r.first_error().find("SequenceMaps expand to more than") != std::string::npos);
}

TEST_CASE("a chain of 20,000 nodes is imported without deep recursion") {
  std::vector<ob::Message> nodes;
  for (int i = 0; i < 20000; ++i)
    nodes.push_back(
        ob::node("Relu", {i ? "v" + std::to_string(i - 1) : "x"}, {"v" + std::to_string(i)}));
  nodes.push_back(ob::node("Neg", {"v19999"}, {"y"}));
  const Imported r = import(ob::model(one_in_one_out(nodes)));
  CHECK(r.graph.order.size() == 20001);
}

TEST_CASE("--state ties inputs to outputs by pattern") {
  ob::Graph graph{
      {ob::node("Relu", {"past.0"}, {"present.0"}), ob::node("Relu", {"past.1"}, {"present.1"})},
      {ob::value("past.0", ob::kFloat, {"4"}), ob::value("past.1", ob::kFloat, {"4"})},
      {ob::value("present.1", ob::kFloat, {"4"}), ob::value("present.0", ob::kFloat, {"4"})},
      {}};
  Imported r = import(ob::model(graph));
  const auto states = match_states(r.graph, {{"past.*", "present.*"}}, r.diag);
  CHECK(states == std::vector<std::pair<int, int>>{{0, 1}, {1, 0}});
}
