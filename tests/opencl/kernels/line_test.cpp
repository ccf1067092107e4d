// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and normalisations: work along lines.
#include <cmath>

#include "compiler/support/text.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

const char* const kBoth[] = {"x86-64-opencl", "x86-64-adreno"};

OpenclCase softmax_case(const std::string& type, int axis, const char* op = "Softmax") {
  return {fmt::format("{} of {} axis {}", op, type, axis),
          fmt::format(R"(graph "g" (%x: {0}) -> (%y) {{
  %y: {0} = {1}(%x) {{axis = {2}}}
}})",
                      type, op, axis)};
}

OpenclCase norm_case(const std::string& type, const std::string& element, int n,
                     bool has_bias = true) {
  return {fmt::format("norm of {}{}", type, has_bias ? "" : " without bias"),
          fmt::format(R"(graph "g" (%x: {0}) -> (%y) {{
  %s = constant {1}[{2}] {{seed 1}}
  %b = constant {1}[{2}] {{seed 2}}
  %y: {0} = LayerNormalization(%x, %s{3})
}})",
                      type, element, n, has_bias ? ", %b" : "")};
}

Tensor with_values(const std::vector<int64_t>& shape, const std::vector<double>& values) {
  Tensor tensor(DType::float32, shape);
  for (size_t i = 0; i < values.size(); ++i) tensor.set_f64(static_cast<int64_t>(i), values[i]);
  return tensor;
}

}  // namespace

TEST_CASE("softmax along the last axis, any lengths") {
  std::vector<OpenclCase> cases;
  for (int n : {1, 3, 4, 7, 16, 17, 64, 197})
    cases.push_back(softmax_case(fmt::format("float32[3,{}]", n), -1));
  cases.push_back(softmax_case("float32[1,1000]", -1));
  cases.push_back(softmax_case("float32[1,10003]", -1));
  cases.push_back(softmax_case("float32[2,20000]", -1, "LogSoftmax"));
  cases.push_back(softmax_case("float32[700,5]", -1));
  cases.push_back(softmax_case("float32[3,17]", -1, "LogSoftmax"));
  cases.push_back(softmax_case("float32[3,64]", -1, "LogSoftmax"));
  cases.push_back(softmax_case("float16[3,64]", -1));
  cases.push_back(softmax_case("float16[3,17]", -1));
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("softmax along an inner axis") {
  const std::vector<OpenclCase> cases = {
      softmax_case("float32[2,7,12]", 1),   softmax_case("float32[2,7,5]", 1),
      softmax_case("float32[64,3]", 0),     softmax_case("float32[3,21,197]", 1, "LogSoftmax"),
      softmax_case("float32[1,300,64]", 1), softmax_case("float16[2,19,8]", 1)};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("softmax of infinities and NaN, and of large numbers") {
  std::vector<OpenclCase> cases = {softmax_case("float32[4,4]", -1),
                                   softmax_case("float32[4,3]", -1),
                                   softmax_case("float32[3,4]", 0)};
  const double inf = INFINITY, nan = NAN;
  cases[0].inputs = {with_values(
      {4, 4}, {1, nan, 2, 3, -inf, -inf, -inf, -inf, 1e30, 1, 2, 3, -inf, 0, 1000, 1001})};
  cases[1].inputs = {
      with_values({4, 3}, {nan, 2, 3, -inf, -inf, -inf, inf, 2, 3, -1e30, -1e30, -1e30})};
  cases[2].inputs = {
      with_values({3, 4}, {nan, -inf, 1e30, -1e30, 1, -inf, 0, 5, 2, -inf, 2, -inf})};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("layer normalisation, any lengths") {
  std::vector<OpenclCase> cases;
  for (int n : {1, 3, 16, 17, 197, 256})
    cases.push_back(norm_case(fmt::format("float32[5,{}]", n), "float32", n));
  cases.push_back(norm_case("float32[197,192]", "float32", 192, false));
  cases.push_back(norm_case("float32[2,40000]", "float32", 40000));
  cases.push_back(norm_case("float16[9,64]", "float16", 64));
  cases.push_back(norm_case("float16[9,35]", "float16", 35));
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("layer normalisation of a large mean keeps its digits") {
  OpenclCase one = norm_case("float32[2,64]", "float32", 64);
  std::vector<double> values;
  for (int i = 0; i < 128; ++i) values.push_back(4096 + (i * 37 % 64) / 64.0);
  one.inputs = {with_values({2, 64}, values)};
  for (const char* target : kBoth) check_on_opencl(target, {one});
}

TEST_CASE("normalisations with their statistics") {
  const std::vector<OpenclCase> cases = {
      {"layer", R"(graph "g" (%x: float32[6,20]) -> (%y, %m, %d) {
  %s = constant float32[20] {seed 1}
  %b = constant float32[20] {seed 2}
  %y: float32[6,20], %m: float32[6,1], %d: float32[6,1] = LayerNormalization(%x, %s, %b)
})"},
      {"rms", R"(graph "g" (%x: float32[6,20]) -> (%y) {
  %s = constant float32[20] {seed 1}
  %y: float32[6,20] = RMSNormalization(%x, %s)
})"}};
  for (const char* target : kBoth) check_on_opencl(target, cases);
}

TEST_CASE("steps fused into softmax and normalisations") {
  const auto fused = [](const std::string& element, const std::string& op, int n) {
    return OpenclCase{op + " " + std::to_string(n),
                      fmt::format(R"(graph "g" (%x: {0}[6,{1}], %r: {0}[6,{1}]) -> (%y) {{
  %b = constant {0}[{1}] {{seed 1}}
  %y: {0}[6,{1}] = {2} | Mul(., %b): {0} | Add(#0, %r): {0}
}})",
                                  element, n, op)};
  };
  const auto channels = [](int n) {
    return OpenclCase{
        fmt::format("channel norm {}", n),
        fmt::format(
            R"(graph "g" (%x: float32[2,{0},5,6]@cl, %r: float32[2,{0},5,6]@cl) -> (%y) {{
  %b = constant float32[{0}] {{seed 1}}
  %s: float32[2,{0},5,6] = InstanceNormalization(%x, %b, %b)
  %m: float32[2,{0},5,6] = Relu(%s)
  %y: float32[2,{0},5,6] = Add(%m, %r)
}})",
            n)};
  };
  const std::vector<OpenclCase> cases = {
      fused("float32", "Softmax(%x, %b, %r) {axis = -1}", 16),
      fused("float32", "Softmax(%x, %b, %r) {axis = -1}", 7),
      fused("float16", "LayerNormalization(%x, %b, _, %b, %r)", 64),
      fused("float16", "LayerNormalization(%x, %b, _, %b, %r)", 35),
      channels(8),
      channels(3)};
  for (const char* target : kBoth) {
    const std::vector<OpenclResult> results = check_on_opencl(target, cases);
    for (const OpenclResult& result : results) {
      INFO(result.launches[0] << " and " << result.launches.back());
      CHECK(result.rows.size() == 1);
    }
  }
}

TEST_CASE("instance and group normalisation, in one launch and in two") {
  const auto channel_norm = [](const std::string& type, int channels, int groups,
                               const std::string& element = "float32") {
    const std::string op =
        groups > 0 ? "GroupNormalization(%x, %s, %b) {num_groups = " + std::to_string(groups) + "}"
                   : "InstanceNormalization(%x, %s, %b)";
    return OpenclCase{type + " groups " + std::to_string(groups),
                      fmt::format(R"(graph "g" (%x: {0}) -> (%y) {{
  %s = constant {1}[{2}] {{seed 1}}
  %b = constant {1}[{2}] {{seed 2}}
  %y: {3} = {4}
}})",
                                  type, element, channels, type.substr(0, type.find('@')), op)};
  };
  const std::vector<OpenclCase> cases = {channel_norm("float32[2,8,5,6]@cl", 8, 0),
                                         channel_norm("float32[1,3,7,9]@cl", 3, 0),
                                         channel_norm("float32[1,16,80,80]@cl", 16, 0),
                                         channel_norm("float32[1,3,150,120]@cl", 3, 0),
                                         channel_norm("float32[2,16,5,6]@cl", 16, 2),
                                         channel_norm("float32[1,6,7,9]@cl", 6, 2),
                                         channel_norm("float32[2,32,65,48]@cl", 32, 4),
                                         channel_norm("float32[1,6,70,90]@cl", 6, 3),
                                         channel_norm("float32[1,8,33]@cl", 8, 2),
                                         channel_norm("float16[1,16,48,50]@cl", 16, 4, "float16")};
  for (const char* target : kBoth) {
    const std::vector<OpenclResult> results = check_on_opencl(target, cases);
    CHECK(results[0].launches.size() == 1);
    CHECK(results[6].launches.size() == 2);
  }
}
