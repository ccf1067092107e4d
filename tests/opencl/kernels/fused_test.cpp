// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps fused behind other kernels, and chains over operands of many shapes and types.
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

// A convolution [1,8,5,6] -> [1,channels,5,6] and what comes behind it, up to %y.
OpenclCase behind_conv(const char* name, int channels, const char* inputs, const char* behind) {
  return {name, fmt::format("graph \"g\" (%x: float32[1,8,5,6]{1}) -> (%y) {{\n"
                            "  %w = constant float32[{0},8,1,1] {{seed 1}}\n"
                            "  %c: float32[1,{0},5,6] = Conv(%x, %w)\n{2}}}\n",
                            channels, inputs, behind)};
}
OpenclCase behind_product(const char* name, const char* inputs, const char* behind) {
  return {name, fmt::format("graph \"g\" (%x: float32[6,16]{}) -> (%y) {{\n"
                            "  %w = constant float32[16,12] {{seed 1}}\n"
                            "  %c: float32[6,12] = MatMul(%x, %w)\n{}}}\n",
                            inputs, behind)};
}

std::vector<OpenclCase> fused() {
  return {
      behind_conv("a mask chooses", 16, ", %m: bool[1,16,5,6], %o: float32[1,16,1,1]",
                  "  %y: float32[1,16,5,6] = Where(%m, %c, %o)\n"),
      behind_conv("a comparison chooses", 16, ", %o: float32[1,16,5,6]", R"(
  %l: bool[1,16,5,6] = Less(%c, %o)
  %y: float32[1,16,5,6] = Where(%l, %c, %o)
)"),
      behind_conv("quantized", 16, "", R"(
  %s = constant float32[] {0.01}
  %z = constant uint8[] {100}
  %y: uint8[1,16,5,6] = QuantizeLinear(%c, %s, %z)
)"),
      behind_conv("a quantized operand", 16, ", %q: int8[1,16,5,6]", R"(
  %s = constant float32[] {0.01}
  %d: float32[1,16,5,6] = DequantizeLinear(%q, %s)
  %y: float32[1,16,5,6] = Add(%c, %d)
)"),
      behind_conv("odd channels", 7, ", %o: float32[1,7,1,1], %p: float32[1,7,5,6]", R"(
  %a: float32[1,7,5,6] = Mul(%c, %o)
  %b: float32[1,7,5,6] = Add(%a, %p)
  %y: float32[1,7,5,6] = HardSwish(%b)
)"),
      behind_conv("long", 16, ", %o: float32[1,16,5,6]", R"(
  %two = constant float32[] {2}
  %d: float32[1,16,5,6] = Gelu(%c)
  %e: float32[1,16,5,6] = Tanh(%d)
  %f: float32[1,16,5,6] = Div(%e, %two)
  %g: float32[1,16,5,6] = Sigmoid(%f)
  %h: float32[1,16,5,6] = Max(%g, %o)
  %y: float32[1,16,5,6] = Mish(%h)
)"),
      behind_product("rows and columns", ", %r: float32[6,1], %o: float32[12], %m: bool[6,12]", R"(
  %a: float32[6,12] = Mul(%c, %r)
  %b: float32[6,12] = Sub(%a, %o)
  %e: float32[6,12] = Exp(%b)
  %y: float32[6,12] = Where(%m, %e, %o)
)"),
      behind_product("an integer operand", ", %i: int64[6,1]", R"(
  %f: float32[6,1] = Cast(%i) {to = 1}
  %y: float32[6,12] = Mul(%c, %f)
)"),
      behind_product("half as the result", "", "  %y: float16[6,12] = Cast(%c) {to = 10}\n")};
}

// Elementwise nodes over operands that broadcast and lie in all ways.
std::vector<OpenclCase> shapes() {
  return {{"eight axes",
           R"(graph "g" (%x: float32[2,1,3,1,2,1,3,4], %z: float32[1,2,1,3,1,2,1,4]) -> (%y) {
  %y: float32[2,2,3,3,2,2,3,4] = Add(%x, %z)
})"},
          {"a column and a row", R"(graph "g" (%x: float32[5,1], %z: float32[1,8]) -> (%y) {
  %y: float32[5,8] = Sub(%x, %z)
})"},
          {"a scalar",
           R"(graph "g" (%x: float32[3,5], %z: float32[]) -> (%y) {
  %y: float32[3,5] = Pow(%x, %z)
})",
           0,
           {}},
          {"one element", R"(graph "g" (%x: float32[], %z: float32[]) -> (%y) {
  %y: float32[] = Mul(%x, %z)
})"},
          {"transposed operand", R"(graph "g" (%x: float32[8,12], %z: float32[12,8]) -> (%y) {
  %t: float32[8,12] = Transpose(%z) {perm = [1, 0]}
  %y: float32[8,12] = Add(%x, %t)
})"},
          {"slices", R"(graph "g" (%x: float32[6,16], %z: float32[6,8]) -> (%y) {
  %s = constant int64[1] {4}
  %e = constant int64[1] {12}
  %a = constant int64[1] {1}
  %p: float32[6,8] = Slice(%x, %s, %e, %a)
  %y: float32[6,8] = Mul(%p, %z)
})"},
          {"slices out of step", R"(graph "g" (%x: float16[6,17], %z: float16[6,8]) -> (%y) {
  %s = constant int64[1] {1}
  %e = constant int64[1] {17}
  %a = constant int64[1] {1}
  %t = constant int64[1] {2}
  %p: float16[6,8] = Slice(%x, %s, %e, %a, %t)
  %y: float16[6,8] = Mul(%p, %z)
})"},
          {"channels", R"(graph "g" (%x: float32[2,8,3,4], %z: float32[1,8,1,1]) -> (%y) {
  %y: float32[2,8,3,4] = PRelu(%x, %z)
})"},
          {"many inputs", R"(graph "g" (%a: float32[3,4], %b: float32[4], %c: float32[3,1],
  %d: float32[3,4], %e: float32[1,4]) -> (%y) {
  %y: float32[3,4] = Sum(%a, %b, %c, %d, %e)
})"},
          {"a mask of two", R"(graph "g" (%x: int64[1,128], %z: int64[128,1]) -> (%y) {
  %a: bool[1,128] = Cast(%x) {to = 9}
  %b: bool[128,1] = Cast(%z) {to = 9}
  %m: bool[128,128] = And(%a, %b)
  %p = constant float32[] {0}
  %q = constant float32[] {-3.4028234663852886e38}
  %y: float32[128,128] = Where(%m, %p, %q)
})"},
          {"two results", R"(graph "g" (%x: float32[3,8]) -> (%y, %m) {
  %y: float32[3,8], %m: bool[3,8] = Dropout(%x)
})"},
          {"mixed types", R"(graph "g" (%x: int32[5,7], %z: float32[7], %w: uint8[5,1]) -> (%y) {
  %a: float32[5,7] = Cast(%x) {to = 1}
  %b: float32[5,7] = Div(%a, %z)
  %c: int32[5,7] = Cast(%b) {to = 6}
  %d: int32[5,1] = Cast(%w) {to = 6}
  %e: int32[5,7] = BitwiseXor(%c, %d)
  %y: int32[5,7] = Mod(%e, %x)
})"}};
}

}  // namespace

TEST_CASE("steps behind kernels: masks, integers, long chains") {
  check_on_opencl("x86-64-opencl", fused());
  check_on_opencl("x86-64-adreno", fused());
}

TEST_CASE("elementwise work on operands of many shapes") {
  check_on_opencl("x86-64-opencl", shapes());
  const auto results = check_on_opencl("x86-64-adreno", shapes());
  for (const OpenclResult& result : results) UNSCOPED_INFO(result.images);
  CHECK(results[5].images == 3);  // slices
  CHECK(results[7].images >= 2);  // channels
}
