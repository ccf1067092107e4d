// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SwiGLU, TensorScatter, CausalConvWithState, LinearAttention: places, states, what is refused.
#include "compiler/support/error.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

std::vector<double> scattered(const OneNode::Input& write, const char* mode) {
  const OneNode::Input past = OneNode::of(counting({2, 4, 1}));
  const OneNode::Input update = OneNode::of(Tensor::vector_f32({-1, -2, -3, -4}, {2, 2, 1}));
  return to_f64(
      OneNode("TensorScatter", {past, update, write}, {{"mode", std::string(mode)}}).evaluate()[0]);
}

}  // namespace

TEST_CASE("an update is written from an index of its own in each batch") {
  CHECK(scattered(OneNode::none(), "linear") == std::vector<double>{-1, -2, 2, 3, -3, -4, 6, 7});
  CHECK(scattered(OneNode::of(ints({2, 1})), "linear") ==
        std::vector<double>{0, 1, -1, -2, 4, -3, -4, 7});
  CHECK(scattered(OneNode::of(ints({3, 6})), "circular") ==
        std::vector<double>{-2, 1, 2, -1, 4, 5, -3, -4});
}

TEST_CASE("a cache keeps its size, whatever the update is") {
  const Dim batch = ranged("batch", 1, 4), n = ranged("n", 1, 9);
  OneNode scatter("TensorScatter", {OneNode::of({batch, 2, 9, 8}, DType::float16),
                                    OneNode::of({batch, 2, n, 8}, DType::float16),
                                    OneNode::of({batch}, DType::int64)});
  CHECK(scatter.shape() == Shape{batch, 2, 9, 8});
  CHECK_THROWS_AS(OneNode("TensorScatter", {OneNode::of({1, 2, 9}), OneNode::of({1, 3, 9})}),
                  UserError);
  CHECK_THROWS_AS(OneNode("TensorScatter", {OneNode::of({4, 9}), OneNode::of({3, 9})}), UserError);
}

TEST_CASE("a causal convolution starts from its state, or from zeros, and hands on the end") {
  const OneNode::Input x = OneNode::of(Tensor::vector_f32({1, 2}, {1, 1, 2}));
  const OneNode::Input w = OneNode::of(Tensor::vector_f32({100, 10, 1}, {1, 1, 3}));
  const OneNode::Input past = OneNode::of(Tensor::vector_f32({8, 9}, {1, 1, 2}));
  std::vector<Tensor> y = OneNode("CausalConvWithState", {x, w}, {}, 2).evaluate();
  CHECK(to_f64(y[0]) == std::vector<double>{1, 12});
  CHECK(to_f64(y[1]) == std::vector<double>{1, 2});
  const OneNode::Input no = OneNode::none();
  y = OneNode("CausalConvWithState", {x, w, no, past}, {}, 2).evaluate();
  CHECK(to_f64(y[0]) == std::vector<double>{891, 912});
  CHECK(to_f64(y[1]) == std::vector<double>{1, 2});
  CHECK_THROWS_AS(
      OneNode("CausalConvWithState", {x, w, no, no}, {{"activation", std::string("relu")}}),
      UserError);
}

TEST_CASE("both inputs of SwiGLU have one shape") {
  CHECK_THROWS_AS(OneNode("SwiGLU", {OneNode::of({2, 3}), OneNode::of({1, 3})}), UserError);
}

TEST_CASE("linear attention remembers keys with values, and decay forgets them") {
  const OneNode::Input q = OneNode::of(Tensor::vector_f32({1, 1}, {1, 2, 1}));
  const OneNode::Input k = OneNode::of(Tensor::vector_f32({2, 3}, {1, 2, 1}));
  const OneNode::Input v = OneNode::of(Tensor::vector_f32({5, 7}, {1, 2, 1}));
  const OneNode::Input past = OneNode::of(Tensor::vector_f32({100}, {1, 1, 1, 1}));
  Attributes attributes = {{"q_num_heads", int64_t{1}},
                           {"kv_num_heads", int64_t{1}},
                           {"update_rule", std::string("linear")}};
  std::vector<Tensor> y = OneNode("LinearAttention", {q, k, v, past}, attributes, 2).evaluate();
  CHECK(to_f64(y[0]) == std::vector<double>{110, 131});
  CHECK(to_f64(y[1]) == std::vector<double>{131});
  // Before the first token: 100 e^0; before the second: nothing is left.
  attributes["update_rule"] = std::string("gated");
  const OneNode::Input decay = OneNode::of(Tensor::vector_f32({0, -1000}, {1, 2, 1}));
  y = OneNode("LinearAttention", {q, k, v, past, decay}, attributes, 2).evaluate();
  CHECK(to_f64(y[0]) == std::vector<double>{110, 21});
  CHECK_THROWS_AS(OneNode("LinearAttention", {q, k, v, past}, attributes, 2), UserError);
}

TEST_CASE("linear attention takes a fixed number of tokens") {
  const Attributes attributes = {{"q_num_heads", int64_t{2}},
                                 {"kv_num_heads", int64_t{1}},
                                 {"update_rule", std::string("linear")}};
  const Dim batch = ranged("batch", 1, 4), n = ranged("n", 1, 9);
  OneNode fixed(
      "LinearAttention",
      {OneNode::of({batch, 3, 8}), OneNode::of({batch, 3, 4}), OneNode::of({batch, 3, 5})},
      attributes, 2);
  CHECK(fixed.shape(0) == Shape{batch, 3, 10});
  CHECK(fixed.shape(1) == Shape{batch, 1, 4, 5});
  CHECK_THROWS_AS(OneNode("LinearAttention",
                          {OneNode::of({1, n, 8}), OneNode::of({1, n, 4}), OneNode::of({1, n, 5})},
                          attributes, 2),
                  UserError);
}
