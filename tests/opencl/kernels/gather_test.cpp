// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run's indices pick, and what stands around a tensor.
#include "compiler/ir/text.h"
#include "compiler/ops/registry.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

Tensor integers(DType type, std::vector<int64_t> shape, const std::vector<int64_t>& values) {
  Tensor t(type, std::move(shape));
  for (int64_t i = 0; i < t.count(); ++i)
    t.set_i64(i, values[static_cast<size_t>(i) % values.size()]);
  return t;
}

// The graph with its last input, of indices, made of `values`.
OpenclCase with_indices(const char* name, const std::string& text,
                        const std::vector<int64_t>& values) {
  const Graph graph = parse_graph(text, find_op);
  std::vector<Tensor> inputs = made_up_inputs(graph);
  inputs.back() = integers(inputs.back().dtype, inputs.back().shape, values);
  return {name, text, 0, inputs};
}

std::vector<OpenclCase> gathers() {
  return {
      with_indices("rows of a table", R"(graph "g" (%x: float32[7,8], %i: int64[2,3]) -> (%y) {
  %y: float32[2,3,8] = Gather(%x, %i)
})",
                   {0, -1, 6, -7, 3, 3}),
      with_indices("columns", R"(graph "g" (%x: int8[2,5,3], %i: int32[4]) -> (%y) {
  %y: int8[2,4,3] = Gather(%x, %i) {axis = 1}
})",
                   {4, -5, 2, 0}),
      with_indices("single elements", R"(graph "g" (%x: float64[3,5], %i: int64[]) -> (%y) {
  %y: float64[3] = Gather(%x, %i) {axis = 1}
})",
                   {-2}),
      with_indices("half", R"(graph "g" (%x: float16[5,8], %i: int64[6]) -> (%y) {
  %y: float16[6,8] = Gather(%x, %i)
})",
                   {4, -5, 2, 0}),
      with_indices("elements", R"(graph "g" (%x: float32[4,5], %i: int64[4,3]) -> (%y) {
  %y: float32[4,3] = GatherElements(%x, %i) {axis = 1}
})",
                   {0, -1, 4, -5, 2}),
      with_indices("elements along the first axis",
                   R"(graph "g" (%x: bool[4,8], %i: int32[3,8]) -> (%y) {
  %y: bool[3,8] = GatherElements(%x, %i) {axis = 0}
})",
                   {0, -1, 3, -4, 2}),
      with_indices("tuples", R"(graph "g" (%x: int64[3,4,2], %i: int64[5,3]) -> (%y) {
  %y: int64[5] = GatherND(%x, %i)
})",
                   {0, 3, 1, -1, -4, -2, 2, 0, 0}),
      with_indices("slices by tuples", R"(graph "g" (%x: float32[3,4,8], %i: int64[5,2]) -> (%y) {
  %y: float32[5,8] = GatherND(%x, %i)
})",
                   {0, 3, -1, -4, 2, 0}),
      with_indices("batches", R"(graph "g" (%x: float32[2,3,4], %i: int64[2,1]) -> (%y) {
  %y: float32[2,4] = GatherND(%x, %i) {batch_dims = 1}
})",
                   {2, -3})};
}

}  // namespace

TEST_CASE("run-time indices in memory and images") {
  for (const OpenclResult& result : check_on_opencl("x86-64-opencl", gathers()))
    CHECK(result.problem == 0);
  const auto results = check_on_opencl("x86-64-adreno", gathers());
  CHECK(results[0].images == 2);
  CHECK(results[3].images == 2);
}

TEST_CASE("an index out of range is reported and reads nothing outside") {
  const std::vector<OpenclCase> cases = gathers();
  std::vector<Graph> graphs;
  std::vector<std::vector<Tensor>> inputs;
  for (const OpenclCase& one : cases) {
    for (int64_t wrong : {int64_t{8}, int64_t{-9}, int64_t{1} << 30, -(int64_t{1} << 31)}) {
      graphs.push_back(parse_graph(one.graph, find_op));
      inputs.push_back(one.inputs);
      Tensor& indices = inputs.back().back();
      indices.set_i64(indices.count() - 1, wrong);
    }
  }
  for (const char* target : {"x86-64-opencl", "x86-64-adreno"})
    for (const OpenclResult& result : run_on_opencl(find_target(target), graphs, inputs))
      CHECK(result.problem == 1);
}

TEST_CASE("padding of every mode") {
  std::vector<OpenclCase> cases;
  const auto pad = [&](const char* type, const char* in, const char* pads, const char* out,
                       const char* mode, const char* value) {
    const std::string one(in);
    const auto rank = std::count(one.begin(), one.end(), ',') + 1;
    cases.push_back(
        {fmt::format("{} {} {}", mode, type, in),
         fmt::format("graph \"g\" (%x: {0}[{1}]) -> (%y) {{\n  %p = constant int64[{2}] {{{3}}}\n"
                     "  %v = constant {0}[] {{{6}}}\n  %y: {0}[{4}] = Pad(%x, %p, %v) {{mode = "
                     "\"{5}\"}}\n}}\n",
                     type, in, 2 * rank, pads, out, mode, value)});
  };
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    pad("float32", "2,3,4,5", "0,0,1,2,0,0,3,1", "2,3,8,8", mode, "0.5");
    pad("int64", "5,4", "1,-1,2,3", "8,6", mode, "-7");
    pad("float32", "3,4,8", "1,2,0,2,0,0", "6,6,8", mode, "-1");
    pad("float16", "2,8", "1,0,1,0", "4,8", mode, "3");
  }
  pad("bool", "3,3", "1,1,1,1", "5,5", "constant", "1");
  pad("float64", "3,3", "0,0,2,1", "5,4", "constant", "0.25");
  pad("float32", "2", "3,4", "9", "reflect", "0");
  check_on_opencl("x86-64-opencl", cases);
  CHECK(check_on_opencl("x86-64-adreno", cases)[2].images == 2);
}

TEST_CASE("sequences of numbers") {  // smaller ones are constants
  std::vector<OpenclCase> cases;
  for (const char* type : {"float32", "int64", "int32"})
    cases.push_back({type, fmt::format("graph \"g\" (%x: {0}[1]) -> (%y) {{\n"
                                       "  %a = constant {0}[] {{-3}}\n"
                                       "  %l = constant {0}[] {{899997}}\n"
                                       "  %d = constant {0}[] {{3}}\n"
                                       "  %y: {0}[300000] = Range(%a, %l, %d)\n}}\n",
                                       type)});
  for (const OpenclResult& result : check_on_opencl("x86-64-opencl", cases))
    CHECK(result.rows == std::vector<std::string>{"iota"});
}
