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

std::string with_type(std::string body, const std::string& type) {
  for (size_t at = body.find("TYPE"); at != body.npos; at = body.find("TYPE", at))
    body.replace(at, 4, type);
  return body;
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

TEST_CASE("products of many outputs go through tiles in local memory") {
  const std::vector<OpenclCase> cases = {
      product_case(1024, 20, 1028), product_case(2081, 68, 516, "float16"),
      two_inputs("float32[40,64,36]", "float32[40,36,512]", "float32[40,64,512]")};
  for (const char* target : kBoth) {
    const std::vector<OpenclResult> results = check_on_opencl(target, cases);
    for (const OpenclResult& result : results)
      CHECK(result.rows == std::vector<std::string>{"gemm_tile"});
  }
  const std::vector<OpenclResult> results = check_on_opencl("x86-64-mali", {cases[0]});
  CHECK(results[0].rows == std::vector<std::string>{"gemm"});
}

TEST_CASE("operands and results of products are images where rows are whole vectors") {
  const std::vector<OpenclResult> results =
      check_on_opencl("x86-64-adreno",
                      {product_case(17, 64, 20), product_case(17, 62, 20), product_case(17, 64, 21),
                       two_inputs("float32[3,16,8]", "float32[3,8,12]", "float32[3,16,12]")});
  const int images[] = {3, 2, 2, 3};
  for (size_t i = 0; i < 4; ++i) CHECK(results[i].images == images[i]);
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

TEST_CASE("products of transposed matrices") {
  const auto gemm = [](int m, int k, int n, int trans_a, int trans_b, bool is_constant) {
    const std::string a = trans_a ? fmt::format("{},{}", k, m) : fmt::format("{},{}", m, k);
    const std::string b = trans_b ? fmt::format("{},{}", n, k) : fmt::format("{},{}", k, n);
    const std::string attributes = fmt::format("{{transA = {}, transB = {}}}", trans_a, trans_b);
    const std::string name = fmt::format("{}x{}x{} {}", m, k, n, attributes);
    const std::string product =
        fmt::format("  %y: float32[{},{}] = Gemm(%a, %b) {}\n}}", m, n, attributes);
    if (!is_constant)
      return OpenclCase{
          name, fmt::format("graph \"g\" (%a: float32[{}], %b: float32[{}]) -> (%y) {{\n", a, b) +
                    product};
    return OpenclCase{name, fmt::format("graph \"g\" (%a: float32[{}]) -> (%y) {{\n  %b = constant "
                                        "float32[{}] {{seed 1}}\n",
                                        a, b) +
                                product};
  };
  std::vector<OpenclCase> cases;
  for (int form = 0; form < 4; ++form)
    for (bool is_constant : {false, true}) {
      cases.push_back(gemm(16, 64, 20, form & 1, form / 2, is_constant));
      cases.push_back(gemm(17, 3, 7, form & 1, form / 2, is_constant));
      cases.push_back(gemm(1, 37, 197, form & 1, form / 2, is_constant));
    }
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("the scores and the values of attention") {
  const OpenclCase attention = {
      "attention",
      R"(graph "g" (%q: float32[1,17,24], %k: float32[1,17,24], %v: float32[1,17,24]) -> (%y) {
  %shape = constant int64[4] {1, 17, 3, 8}
  %back = constant int64[3] {1, 17, 24}
  %q4: float32[1,17,3,8] = Reshape(%q, %shape)
  %k4: float32[1,17,3,8] = Reshape(%k, %shape)
  %v4: float32[1,17,3,8] = Reshape(%v, %shape)
  %qt: float32[1,3,17,8] = Transpose(%q4) {perm = [0, 2, 1, 3]}
  %kt: float32[1,3,8,17] = Transpose(%k4) {perm = [0, 2, 3, 1]}
  %vt: float32[1,3,17,8] = Transpose(%v4) {perm = [0, 2, 1, 3]}
  %scores: float32[1,3,17,17] = MatMul(%qt, %kt)
  %factor = constant float32[] {0.35}
  %scaled: float32[1,3,17,17] = Mul(%scores, %factor)
  %weights: float32[1,3,17,17] = Softmax(%scaled) {axis = -1}
  %heads: float32[1,3,17,8] = MatMul(%weights, %vt)
  %joined: float32[1,17,3,8] = Transpose(%heads) {perm = [0, 2, 1, 3]}
  %y: float32[1,17,24] = Reshape(%joined, %back)
})"};
  for (const char* target : kBoth) {
    const std::vector<OpenclResult> results = check_on_opencl(target, {attention});
    CHECK(results[0].rows == std::vector<std::string>{"gemm", "softmax", "gemm"});
    CHECK(results[0].images == (target == kBoth[0] ? 0 : 4));  // scores have 17 columns
  }
}

TEST_CASE("products with bias, fused steps and their operands") {
  const auto fused = [](int m, int k, int n, const std::string& element, const std::string& body) {
    return OpenclCase{
        fmt::format("{} {}x{}x{}: {}", element, m, k, n, body),
        fmt::format(R"(graph "g" (%x: {3}[{0},{1}], %r: {3}[{0},{2}], %c: {3}[{0},1]) -> (%y) {{
  %w = constant {3}[{1},{2}] {{seed 1}}
  %b = constant {3}[{2}] {{seed 2}}
  %p: {3}[{0},{2}] = Gemm(%x, %w, %b)
{4}
}})",
                    m, k, n, element, with_type(body, fmt::format("{}[{},{}]", element, m, n)))};
  };
  const std::string bodies[] = {
      "  %y: TYPE = Relu(%p)", "  %g: TYPE = Gelu(%p)\n  %y: TYPE = Add(%g, %r)",
      "  %a: TYPE = Add(%p, %r)\n  %z: TYPE = Mul(%a, %c)\n  %y: TYPE = Add(%z, %b)"};
  std::vector<OpenclCase> cases;
  for (const std::string& body : bodies) {
    cases.push_back(fused(64, 64, 64, "float32", body));
    cases.push_back(fused(17, 16, 7, "float32", body));
    cases.push_back(fused(1, 256, 197, "float32", body));
    cases.push_back(fused(16, 16, 16, "float16", body));
  }
  for (const char* target : kBoth) check_on_opencl(target, cases);
}
