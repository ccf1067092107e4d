// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM: shapes by layout, lengths, what is refused.
#include "compiler/support/error.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

Attributes both_ways() {
  return {{"direction", std::string("bidirectional")}};
}

}  // namespace

TEST_CASE("an LSTM in two directions has two rows of states for each of the batch") {
  const Dim steps = ranged("steps", 1, 9, 1);
  OneNode lstm("LSTM",
               {OneNode::of({steps, 3, 5}), OneNode::of({2, 16, 5}), OneNode::of({2, 16, 4})},
               both_ways(), 3);
  CHECK(lstm.shape(0) == Shape{steps, 2, 3, 4});
  CHECK(lstm.shape(1) == Shape{2, 3, 4});
  CHECK(lstm.shape(2) == Shape{2, 3, 4});
}

TEST_CASE("layout 1 puts the batch first everywhere") {
  Attributes attributes = both_ways();
  attributes["layout"] = int64_t{1};
  OneNode gru("GRU", {OneNode::of({3, 7, 5}), OneNode::of({2, 12, 5}), OneNode::of({2, 12, 4})},
              attributes, 2);
  CHECK(gru.shape(0) == Shape{3, 7, 2, 4});
  CHECK(gru.shape(1) == Shape{3, 2, 4});
}

TEST_CASE("behind the length of a row y is 0 and the state stays") {
  Tensor lengths(DType::int32, {1});
  lengths.set_i64(0, 2);
  const Tensor one = Tensor::vector_f32({1}, {1, 1, 1});
  const Tensor bias = Tensor::vector_f32({0, 0}, {1, 2});
  OneNode rnn("RNN",
              {OneNode::of(Tensor::vector_f32({1, 2, 4}, {3, 1, 1})), OneNode::of(one),
               OneNode::of(one), OneNode::of(bias), OneNode::of(lengths)},
              {{"activations", std::vector<std::string>{"Relu"}}}, 2);
  const std::vector<Tensor> results = rnn.evaluate();
  CHECK(to_f64(results[0]) == std::vector<double>{1, 3, 0});
  CHECK(to_f64(results[1]) == std::vector<double>{3});
}

TEST_CASE("two directions need activations for both") {
  Attributes attributes = both_ways();
  attributes["activations"] = std::vector<std::string>{"Tanh"};
  CHECK_THROWS_AS(
      OneNode("RNN", {OneNode::of({7, 3, 5}), OneNode::of({2, 4, 5}), OneNode::of({2, 4, 4})},
              attributes, 2),
      UserError);
}

TEST_CASE("recurrent weights must have the gates of the operator") {
  CHECK_THROWS_AS(
      OneNode("GRU", {OneNode::of({7, 3, 5}), OneNode::of({1, 12, 5}), OneNode::of({1, 16, 4})}),
      UserError);
}
