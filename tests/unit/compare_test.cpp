// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/compare.h"

#include <cmath>

#include "tests/catch.h"

namespace {

using namespace macec;

std::string compare(const std::vector<float>& have, const std::vector<float>& want,
                    const Tolerance& tolerance = {}) {
  double worst = 0;
  return difference(Tensor::vector_f32(have, {static_cast<int64_t>(have.size())}),
                    Tensor::vector_f32(want, {static_cast<int64_t>(want.size())}), tolerance,
                    &worst);
}

}  // namespace

TEST_CASE("a difference within 1e-4 of the greatest magnitude is right") {
  CHECK(compare({100, 0.009f}, {100, 0}).empty());
}
TEST_CASE("a difference beyond 1e-4 of the greatest magnitude is wrong") {
  CHECK_FALSE(compare({100, 0.011f}, {100, 0}).empty());
}
TEST_CASE("a NaN where none is expected is wrong") {
  CHECK_FALSE(compare({NAN}, {1}).empty());
}
TEST_CASE("a number where NaN is expected is wrong") {
  CHECK_FALSE(compare({1}, {NAN}).empty());
}
TEST_CASE("NaN where NaN is expected is right") {
  CHECK(compare({NAN}, {NAN}).empty());
}
TEST_CASE("an infinity of the other sign is wrong") {
  CHECK_FALSE(compare({INFINITY}, {-INFINITY}).empty());
}
TEST_CASE("a finite number where infinity is expected is wrong") {
  CHECK_FALSE(compare({3e38f}, {INFINITY}).empty());
}
TEST_CASE("with rtol each element has a limit of its own") {
  Tolerance tolerance;
  tolerance.rtol = 1e-4;
  tolerance.atol = 1e-5;
  CHECK_FALSE(compare({100, 0.009f}, {100, 0}, tolerance).empty());
}
TEST_CASE("integers are exact") {
  double worst = 0;
  CHECK(difference(Tensor::vector_i64({1, 2}), Tensor::vector_i64({1, 3}), {}, &worst) ==
        "1 of 2 elements differ; the first is [1]: 2, expected 3");
}
TEST_CASE("a wrong shape is named with both shapes") {
  double worst = 0;
  CHECK(difference(Tensor::vector_i64({1, 2}), Tensor::scalar_i64(1), {}, &worst) ==
        "it is int64[2], expected int64[]");
}
