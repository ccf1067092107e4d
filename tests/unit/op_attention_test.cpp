// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention and RotaryEmbedding: shapes, masks, rows without a key, what is refused.
#include <cmath>

#include "compiler/support/error.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

Tensor mask_of(const std::vector<int64_t>& v, std::vector<int64_t> shape) {
  Tensor mask(DType::boolean, std::move(shape));
  for (size_t i = 0; i < v.size(); ++i) mask.set_i64(static_cast<int64_t>(i), v[i]);
  return mask;
}

// One head, keys of one element that are all 0: every key that is seen has the same weight, so y is
// the mean of the values 1, 2, 6 that are seen.
std::vector<double> means(int64_t queries, const OneNode::Input& mask, Attributes attributes) {
  const OneNode::Input q = OneNode::of(counting({1, 1, queries, 1}));
  const OneNode::Input k = OneNode::of(Tensor::vector_f32({0, 0, 0}, {1, 1, 3, 1}));
  const OneNode::Input v = OneNode::of(Tensor::vector_f32({1, 2, 6}, {1, 1, 3, 1}));
  return to_f64(OneNode("Attention", {q, k, v, mask}, std::move(attributes)).evaluate()[0]);
}

}  // namespace

TEST_CASE("inputs of three axes hold their heads inside, and keys grow by the past ones") {
  const Dim batch = ranged("batch", 1, 4), n = ranged("n", 1, 9), past = ranged("past", 1, 30);
  OneNode attention("Attention",
                    {OneNode::of({batch, n, 32}), OneNode::of({batch, n, 16}),
                     OneNode::of({batch, n, 12}), OneNode::of({n, past + n}),
                     OneNode::of({batch, 2, past, 8}), OneNode::of({batch, 2, past, 6})},
                    {{"q_num_heads", int64_t{4}}, {"kv_num_heads", int64_t{2}}}, 4);
  CHECK(attention.shape(0) == Shape{batch, n, 24});
  CHECK(attention.shape(1) == Shape{batch, 2, past + n, 8});
  CHECK(attention.shape(2) == Shape{batch, 2, past + n, 6});
  CHECK(attention.shape(3) == Shape{batch, 4, n, past + n});
  CHECK(attention.graph.checks.empty());
}

TEST_CASE("a causal query sees the keys up to its own position") {
  const OneNode::Input open = OneNode::of(mask_of({1, 1, 1}, {3}));
  CHECK(means(3, open, {{"is_causal", int64_t{1}}}) == std::vector<double>{1, 1.5, 3});
}

TEST_CASE("a window bounds what a query sees on both sides") {
  const OneNode::Input open = OneNode::of(mask_of({1, 1, 1}, {3}));
  CHECK(means(3, open, {{"left_window_size", int64_t{0}}}) == std::vector<double>{3, 4, 6});
  CHECK(means(3, open, {{"right_window_size", int64_t{1}}, {"left_window_size", int64_t{0}}}) ==
        std::vector<double>{1.5, 4, 6});
}

TEST_CASE("a query that sees no key gives 0") {
  CHECK(means(2, OneNode::of(mask_of({0, 0, 0, 0, 1, 0}, {2, 3})), {}) ==
        std::vector<double>{0, 2});
  const Tensor closed =
      Tensor::vector_f32({0, -INFINITY, 0, -INFINITY, -INFINITY, -INFINITY}, {2, 3});
  CHECK(means(2, OneNode::of(closed), {}) == std::vector<double>{3.5, 0});
}

TEST_CASE("a mask that is too short hides the keys behind it") {
  CHECK(means(1, OneNode::of(mask_of({1, 1}, {1, 2})), {}) == std::vector<double>{1.5});
  CHECK(means(1, OneNode::of(Tensor::vector_f32({0}, {1})), {}) == std::vector<double>{1});
}

TEST_CASE("lengths hide keys of each batch and move its causal frontier") {
  const OneNode::Input k = OneNode::of(Tensor(DType::float32, {2, 1, 3, 1}));
  const OneNode::Input v = OneNode::of(Tensor::vector_f32({1, 2, 6, 1, 2, 6}, {2, 1, 3, 1}));
  const OneNode::Input q = OneNode::of(counting({2, 1, 2, 1})), no = OneNode::none();
  OneNode attention("Attention", {q, k, v, no, no, no, OneNode::of(ints({3, 1}))},
                    {{"is_causal", int64_t{1}}});
  CHECK(to_f64(attention.evaluate()[0]) == std::vector<double>{1.5, 3, 0, 1});
}

TEST_CASE("attention whose inputs disagree is refused") {
  const auto q = OneNode::of({2, 4, 5, 8});
  CHECK_THROWS_AS(OneNode("Attention", {q, OneNode::of({2, 3, 5, 8}), OneNode::of({2, 3, 5, 8})}),
                  UserError);
  CHECK_THROWS_AS(OneNode("Attention", {q, OneNode::of({2, 4, 5, 8}), OneNode::of({2, 4, 6, 8})}),
                  UserError);
  CHECK_THROWS_AS(OneNode("Attention",
                          {OneNode::of({2, 5, 8}), OneNode::of({2, 5, 8}), OneNode::of({2, 5, 8})}),
                  UserError);
  CHECK_THROWS_AS(OneNode("Attention", {q, q, q, OneNode::of({4, 5, 6})}), UserError);
  CHECK_THROWS_AS(OneNode("Attention", {q, q, q}, {{"qk_matmul_output_mode", int64_t{4}}}),
                  UserError);
}

TEST_CASE("rotation turns pairs, by halves or side by side, and leaves the rest") {
  const OneNode::Input x = OneNode::of(Tensor::vector_f32({1, 2, 3, 4, 5}, {1, 1, 1, 5}));
  const OneNode::Input cos = OneNode::of(Tensor::vector_f32({0, 1}, {1, 1, 2}));
  const OneNode::Input sin = OneNode::of(Tensor::vector_f32({1, 0}, {1, 1, 2}));
  Attributes attributes = {{"rotary_embedding_dim", int64_t{4}}};
  CHECK(to_f64(OneNode("RotaryEmbedding", {x, cos, sin}, attributes).evaluate()[0]) ==
        std::vector<double>{-3, 2, 1, 4, 5});
  attributes["interleaved"] = int64_t{1};
  CHECK(to_f64(OneNode("RotaryEmbedding", {x, cos, sin}, attributes).evaluate()[0]) ==
        std::vector<double>{-2, 1, 3, 4, 5});
  CHECK_THROWS_AS(OneNode("RotaryEmbedding", {x, cos, sin}), UserError);  // 5 are no pairs
}
