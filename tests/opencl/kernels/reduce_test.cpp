// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions.
#include <cmath>

#include "compiler/support/text.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

const char* const kBoth[] = {"x86-64-opencl", "x86-64-adreno"};
const char* const kReductions[] = {"L1",   "L2",  "LogSum", "LogSumExp", "Max",
                                   "Mean", "Min", "Prod",   "Sum",       "SumSquare"};

// axes: "1, 2"; y: the type of the result.
OpenclCase reduce_case(const std::string& op, const std::string& x, const std::string& axes,
                       const std::string& y, int keeps = 1) {
  const auto count = 1 + std::count(axes.begin(), axes.end(), ',');
  return {op + " of " + x + " along " + axes, fmt::format(R"(graph "g" (%x: {0}) -> (%y) {{
  %axes = constant int64[{1}] {{{2}}}
  %y: {3} = Reduce{4}(%x, %axes) {{keepdims = {5}}}
}})",
                                                          x, count, axes, y, op, keeps)};
}

}  // namespace

TEST_CASE("every reduction, along the last axis and another one") {
  std::vector<OpenclCase> cases;
  for (const char* op : kReductions) {
    cases.push_back(reduce_case(op, "float32[5,64]", "1", "float32[5,1]"));
    cases.push_back(reduce_case(op, "float32[9,20]", "0", "float32[20]", 0));
  }
  for (OpenclCase& one : cases) {  // positive: their logarithm is a number
    const bool is_last = one.name.find("along 1") != std::string::npos;
    Tensor x(DType::float32, is_last ? std::vector<int64_t>{5, 64} : std::vector<int64_t>{9, 20});
    for (int64_t i = 0; i < x.count(); ++i)
      x.set_f64(i, 0.5 + static_cast<double>(i * 37 % 101) / 101);
    one.inputs = {x};
  }
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("means of any axes and sizes") {
  const std::vector<OpenclCase> cases = {
      reduce_case("Mean", "float32[1]", "0", "float32[1]"),
      reduce_case("Mean", "float32[3,7]", "1", "float32[3,1]"),
      reduce_case("Mean", "float32[7,17]", "0", "float32[1,17]"),
      reduce_case("Mean", "float32[4,16,197]", "0, 2", "float32[1,16,1]"),
      reduce_case("Mean", "float32[4,16,12]", "0, 2", "float32[16]", 0),
      reduce_case("Mean", "float32[3,5,7,8]", "0, 2", "float32[1,5,1,8]"),
      reduce_case("Mean", "float32[3,4,5,6]", "1, 3", "float32[3,5]", 0),
      reduce_case("Mean", "float32[64,1000]", "0, 1", "float32[1,1]"),
      reduce_case("Mean", "float16[8,64]", "1", "float16[8,1]"),
      reduce_case("Mean", "float16[9,7]", "0", "float16[1,7]"),
      {"GlobalAveragePool", R"(graph "g" (%x: float32[2,24,7,5]@cl) -> (%y) {
  %y: float32[2,24,1,1] = GlobalAveragePool(%x)
})"},
      {"GlobalMaxPool", R"(graph "g" (%x: float32[1,6,7,5]@cl) -> (%y) {
  %y: float32[1,6,1,1] = GlobalMaxPool(%x)
})"}};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("few results of many elements take two launches") {
  const std::vector<OpenclCase> cases = {
      reduce_case("Mean", "float32[1000,100]", "0, 1", "float32[1,1]"),
      reduce_case("Max", "float32[2,30011]", "1", "float32[2,1]"),
      reduce_case("L2", "float32[9001,12]", "0", "float32[1,12]"),
      reduce_case("Min", "float16[9001,3]", "0", "float16[3]", 0),
      {"GlobalAveragePool", R"(graph "g" (%x: float32[1,16,70,90]@cl) -> (%y) {
  %y: float32[1,16,1,1] = GlobalAveragePool(%x)
})"},
      reduce_case("LogSumExp", "float32[2,30011]", "1", "float32[2,1]")};
  for (const char* target : kBoth) {
    const std::vector<OpenclResult> results = check_on_opencl(target, cases);
    for (size_t i = 0; i < cases.size(); ++i)
      CHECK(results[i].launches.size() == (i + 1 < cases.size() ? 2 : 1));
  }
}

TEST_CASE("reductions of integers") {
  std::vector<OpenclCase> cases;
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod", "L1", "SumSquare"}) {
    cases.push_back(reduce_case(op, "int32[5,9]", "1", "int32[5,1]"));
    cases.push_back(reduce_case(op, "int64[5,9]", "0", "int64[1,9]"));
  }
  cases.push_back(reduce_case("Max", "uint8[5,9]", "1", "uint8[5,1]"));
  cases.push_back(reduce_case("Min", "int8[5,9]", "1", "int8[5,1]"));
  check_on_opencl("x86-64-opencl", cases);
}

TEST_CASE("reductions of infinities and NaN") {
  std::vector<OpenclCase> cases;
  Tensor x(DType::float32, {4, 4});
  const double values[] = {NAN, 1,         2,         3,         -INFINITY, 1, 2, INFINITY,
                           1,   -INFINITY, -INFINITY, -INFINITY, 5,         6, 7, NAN};
  for (int i = 0; i < 16; ++i) x.set_f64(i, values[i]);
  for (const char* op : {"Max", "Min", "LogSumExp", "Sum"}) {
    cases.push_back(reduce_case(op, "float32[4,4]", "1", "float32[4,1]"));
    cases.push_back(reduce_case(op, "float32[4,4]", "0", "float32[1,4]"));
  }
  for (OpenclCase& one : cases) one.inputs = {x};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}
