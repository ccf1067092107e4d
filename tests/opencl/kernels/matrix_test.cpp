// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices.
#include "compiler/support/text.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

const char* const kBoth[] = {"x86-64-opencl", "x86-64-adreno"};

// x[m, k] * w[k, n] with constant weights.
OpenclCase product_case(int m, int k, int n, const std::string& type = "float32") {
  return {fmt::format("{} {}x{}x{}", type, m, k, n),
          fmt::format(R"(graph "g" (%x: {3}[{0},{1}]) -> (%y) {{
  %w = constant {3}[{1},{2}] {{seed 1}}
  %y: {3}[{0},{2}] = MatMul(%x, %w)
}})",
                      m, k, n, type)};
}

// Both operands are inputs of the model.
OpenclCase two_inputs(const std::string& a, const std::string& b, const std::string& y) {
  return {a + " " + b, fmt::format(R"(graph "g" (%a: {}, %b: {}) -> (%y) {{
  %y: {} = MatMul(%a, %b)
}})",
                                   a, b, y)};
}

}  // namespace

TEST_CASE("products with packed weights, any sizes") {
  std::vector<OpenclCase> cases;
  for (int m : {1, 3, 17, 64})
    for (int n : {1, 7, 16, 64}) cases.push_back(product_case(m, m == 3 ? 7 : 64, n));
  cases.push_back(product_case(197, 192, 64));
  cases.push_back(product_case(1, 1280, 1000));
  cases.push_back(product_case(16, 197, 3));
  cases.push_back(product_case(5, 1, 5));
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("products of float16") {
  const std::vector<OpenclCase> cases = {
      product_case(1, 64, 16, "float16"), product_case(17, 33, 7, "float16"),
      product_case(64, 64, 64, "float16"),
      two_inputs("float16[17,33]", "float16[33,19]", "float16[17,19]")};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("products of two run-time matrices") {
  const std::vector<OpenclCase> cases = {
      two_inputs("float32[4,8]", "float32[8,4]", "float32[4,4]"),
      two_inputs("float32[17,33]", "float32[33,1]", "float32[17,1]"),
      two_inputs("float32[17,5]", "float32[5,3]", "float32[17,3]"),
      two_inputs("float32[2,3,16,8]", "float32[2,3,8,12]", "float32[2,3,16,12]"),
      two_inputs("float32[2,1,5,8]", "float32[1,3,8,7]", "float32[2,3,5,7]"),
      two_inputs("float32[3,5,8]", "float32[8,7]", "float32[3,5,7]"),
      two_inputs("float32[8]", "float32[3,8,5]", "float32[3,5]"),
      two_inputs("float32[3,197,197]", "float32[3,197,64]", "float32[3,197,64]")};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}
