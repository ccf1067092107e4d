// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves elements without computing: copies, fills.
#include "compiler/ir/type.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

OpenclCase transposed(const char* type, const char* in, const char* permutation, const char* out) {
  return {fmt::format("transpose {} {} by {}", type, in, permutation),
          fmt::format("graph \"g\" (%x: {0}[{1}]) -> (%y) {{\n"
                      "  %y: {0}[{3}] = Transpose(%x) {{perm = [{2}]}}\n}}\n",
                      type, in, permutation, out)};
}

const char* const kTypes[] = {"float32", "float16", "int8",   "bool",    "int16",
                              "int32",   "int64",   "uint64", "float64", "bfloat16"};

}  // namespace

TEST_CASE("transpositions of every size of element, in squares and one by one") {
  std::vector<OpenclCase> cases;
  for (const char* type : kTypes) {
    cases.push_back(transposed(type, "2,8,3,4", "0,2,3,1", "2,3,4,8"));  // squares
    cases.push_back(transposed(type, "1,3,5,7", "0,2,3,1", "1,5,7,3"));
  }
  cases.push_back(transposed("float32", "6,5,4,3", "3,1,0,2", "3,5,6,4"));
  cases.push_back(transposed("float32", "3,2,8,4,5", "0,3,1,4,2", "3,4,2,5,8"));
  check_on_opencl("x86-64-opencl", cases);
}

TEST_CASE("images change their layout in squares") {
  const auto results =
      check_on_opencl("x86-64-adreno", {transposed("float32", "2,8,12", "0,2,1", "2,12,8"),
                                        transposed("float16", "1,8,6,4", "0,3,2,1", "1,4,6,8"),
                                        transposed("float32", "4,8,16", "1,0,2", "8,4,16"),
                                        transposed("float32", "1,3,4,5", "0,2,3,1", "1,4,5,3")});
  CHECK(results[0].images == 2);
  CHECK(results[2].images == 2);
  CHECK(results[3].images == 0);
  CHECK(results[0].launches[0].find("opencl/transpose.cl") == 0);
}

TEST_CASE("slices, parts of a concatenation, broadcasts, repetitions") {
  std::vector<OpenclCase> cases = {
      {"slice backwards", R"(graph "g" (%x: int16[3,10]) -> (%y) {
  %s = constant int64[2] {2, 8}
  %e = constant int64[2] {-9, 0}
  %a = constant int64[2] {0, 1}
  %t = constant int64[2] {-1, -3}
  %y: int16[3,3] = Slice(%x, %s, %e, %a, %t)
})"},
      {"concat", R"(graph "g" (%x: float32[2,3,4], %z: float32[2,5,4]) -> (%y) {
  %y: float32[2,8,4] = Concat(%x, %z) {axis = 1}
})"},
      {"concat along the last axis", R"(graph "g" (%x: float32[4,8], %z: float32[4,4]) -> (%y) {
  %y: float32[4,12] = Concat(%x, %z) {axis = 1}
})"},
      {"concat odd", R"(graph "g" (%x: float16[2,3], %z: float16[2,6]) -> (%y) {
  %y: float16[2,9] = Concat(%x, %z) {axis = 1}
})"},
      {"expand", R"(graph "g" (%x: float32[3,1,8]) -> (%y) {
  %s = constant int64[4] {2, 3, 5, 8}
  %y: float32[2,3,5,8] = Expand(%x, %s)
})"},
      {"expand the last axis", R"(graph "g" (%x: int8[3,1]) -> (%y) {
  %s = constant int64[2] {3, 8}
  %y: int8[3,8] = Expand(%x, %s)
})"},
      {"tile", R"(graph "g" (%x: bool[2,3]) -> (%y) {
  %s = constant int64[2] {2, 3}
  %y: bool[4,9] = Tile(%x, %s)
})"}};
  check_on_opencl("x86-64-opencl", cases);
  const auto results = check_on_opencl("x86-64-adreno", cases);
  CHECK(results[1].images == 3);
  CHECK(results[2].images == 3);
}

TEST_CASE("fills") {  // smaller ones are constants
  std::vector<OpenclCase> cases;
  for (const char* type : kTypes)
    for (const char* shape : {"1050,1000", "1048579"})
      cases.push_back(
          {fmt::format("fill {} [{}]", type, shape),
           fmt::format("graph \"g\" (%x: {0}[1]) -> (%y) {{\n"
                       "  %s = constant int64[{2}] {{{1}}}\n"
                       "  %y: {0}[{1}] = ConstantOfShape(%s) {{value = {0}[1] {{1}}}}\n}}\n",
                       type, shape, std::string(shape).size() > 8 ? 2 : 1)});
  for (const OpenclResult& result : check_on_opencl("x86-64-opencl", cases))
    CHECK(result.rows == std::vector<std::string>{"fill"});
  cases.resize(3);
  CHECK(check_on_opencl("x86-64-adreno", cases)[0].images == 1);
}
