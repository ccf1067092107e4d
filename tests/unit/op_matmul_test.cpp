// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul and Gemm: shapes, values, and how batches become rows.
#include "compiler/ops/product.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

View dense(Shape shape) {
  return dense_view(0, {DType::float32, std::move(shape), Layout::plain});
}

GemmParamsT<Dim> lowered(Shape x, Shape w, Shape y) {
  Product p;
  p.x = dense(std::move(x));
  p.w = dense(std::move(w));
  p.y = dense(std::move(y));
  Lowered calls = lower_product(p);
  REQUIRE(calls.size() == 1);
  return std::get<GemmParamsT<Dim>>(calls[0].params);
}

}  // namespace

TEST_CASE("vectors lose their axis in a matrix product") {
  CHECK(OneNode("MatMul", {OneNode::of({3}), OneNode::of({3})}).shape() == Shape{});
  CHECK(OneNode("MatMul", {OneNode::of({5, 2, 3}), OneNode::of({3})}).shape() == Shape{5, 2});
  CHECK(OneNode("MatMul", {OneNode::of({3}), OneNode::of({5, 3, 4})}).shape() == Shape{5, 4});
}

TEST_CASE("a product over no elements is zero") {
  OneNode node("MatMul", {OneNode::of({2, 0}), OneNode::of({0, 3})});
  CHECK(node.evaluate({Tensor(DType::float32, {2, 0}), Tensor(DType::float32, {0, 3})})[0] ==
        Tensor(DType::float32, {2, 3}));
}

TEST_CASE("batches broadcast") {
  OneNode node("MatMul", {OneNode::of({2, 1, 1, 2}), OneNode::of({2, 2, 1})});
  CHECK(node.shape() == Shape{2, 2, 1, 1});
  Tensor y = node.evaluate({counting({2, 1, 1, 2}), counting({2, 2, 1})})[0];
  CHECK(to_f64(y) == std::vector<double>{1, 3, 3, 13});
}

TEST_CASE("integer products wrap") {
  Tensor a(DType::int32, {1, 2}), b(DType::int32, {2, 1});
  for (int i = 0; i < 2; ++i) a.set_i64(i, 1 << 30), b.set_i64(i, 2);
  OneNode node("MatMul", {OneNode::of({1, 2}, DType::int32), OneNode::of({2, 1}, DType::int32)});
  CHECK(node.evaluate({a, b})[0].i64(0) == 0);
}

TEST_CASE("gemm transposes, scales and adds a column") {
  OneNode node("Gemm", {OneNode::of({2, 1}), OneNode::of({3, 2}), OneNode::of({1, 1})},
               {{"transA", int64_t{1}}, {"transB", int64_t{1}}, {"alpha", 2.0f}, {"beta", 0.5f}});
  CHECK(node.shape() == Shape{1, 3});
  Tensor c = Tensor::vector_f32({10}, {1, 1});
  CHECK(to_f64(node.evaluate({Tensor::vector_f32({1, 2}, {2, 1}), counting({3, 2}), c})[0]) ==
        std::vector<double>{9, 21, 33});
}

TEST_CASE("a batch without a batch of weights becomes rows") {
  Dim n = ranged("n", 1, 8);
  GemmParamsT<Dim> p = lowered({n, 5, 7}, {7, 3}, {n, 5, 3});
  CHECK(p.m == n * 5);
  CHECK(p.batch[0] == Dim(1));
  CHECK(p.batch[1] == Dim(1));
}

TEST_CASE("a batch of both matrices stays a batch") {
  GemmParamsT<Dim> p = lowered({4, 6, 5, 7}, {4, 6, 7, 3}, {4, 6, 5, 3});
  CHECK(p.m == Dim(5));
  CHECK(p.batch[1] == Dim(24));
  CHECK(p.w_batch[1] == Dim(21));
}

TEST_CASE("three batch axes that do not merge are several products") {
  Product p;
  p.x = dense({2, 1, 3, 5, 7});
  p.w = dense({1, 4, 3, 7, 2});
  p.y = dense({2, 4, 3, 5, 2});
  CHECK(lower_product(p).size() == 2);
}
