// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution, pooling and resize.
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

TEST_CASE("a convolution with everything in images") {
  const auto results =
      check_on_opencl("x86-64-adreno", {{"conv", R"(graph "g" (%x: float32[1,8,5,6]@cl) -> (%y) {
  %w = constant float32[16,8,3,3] {seed 1}
  %b = constant float32[16] {seed 2}
  %c: float32[1,16,5,6] = Conv(%x, %w, %b) {pads = [1, 1, 1, 1]}
  %y: float32[1,16,5,6] = Relu(%c)
})"}});
  CHECK(results[0].images == 4);
}
