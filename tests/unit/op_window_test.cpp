// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conv and pooling: extents, padding, values.
#include "compiler/ops/window.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

TEST_CASE("ceil_mode adds a window that starts inside the input") {
  CHECK(window_extent(5, 2, 2, true, 5) == Dim(3));
  CHECK(window_extent(5, 2, 2, false, 5) == Dim(2));
}

TEST_CASE("ceil_mode adds no window that starts in the padding behind") {
  // 1 + 2 + 1 elements, windows of 1 with stride 3: one would start at 3, behind the input.
  CHECK(window_extent(4, 1, 3, true, 3) == Dim(1));
}

TEST_CASE("same padding puts the odd element at the end or at the begin") {
  Attributes attributes = {{"auto_pad", std::string("SAME_UPPER")}};
  Node node;
  node.attributes = attributes;
  Window upper = make_window(node, {1, 1, 5}, {2});
  CHECK(upper.pad[2] == Dim(0));
  CHECK(upper.pad_end[2] == Dim(1));
  node.attributes["auto_pad"] = std::string("SAME_LOWER");
  Window lower = make_window(node, {1, 1, 5}, {2});
  CHECK(lower.pad[2] == Dim(1));
  CHECK(lower.pad_end[2] == Dim(0));
}

TEST_CASE("a convolution of a ranged height has a ranged height") {
  OneNode conv(
      "Conv",
      {OneNode::of({1, 3, ranged("height", 32, 960, 32), 64}),
       OneNode::of(Tensor(DType::float32, {8, 3, 3, 3}))},
      {{"strides", std::vector<int64_t>{2, 2}}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  CHECK(conv.shape()[2] == floor_div(ranged("height", 32, 960, 32), 2));
  CHECK(conv.shape()[3] == Dim(32));
}

TEST_CASE("a window that does not fit is the user's error") {
  CHECK_THROWS_AS(OneNode("Conv", {OneNode::of({1, 1, 2}), OneNode::of({1, 1, 3})}), UserError);
}

TEST_CASE("grouped convolution reads only the channels of its group") {
  Tensor x = Tensor::vector_f32({1, 2, 10, 20}, {1, 2, 2});
  Tensor w = Tensor::vector_f32({3, 5}, {2, 1, 1});
  OneNode conv("Conv", {OneNode::of({1, 2, 2}), OneNode::of(w)}, {{"group", int64_t{2}}});
  CHECK(conv.evaluate({x})[0] == Tensor::vector_f32({3, 6, 50, 100}, {1, 2, 2}));
}

TEST_CASE("max pool gives the index of the first greatest element") {
  Tensor x = Tensor::vector_f32({5, 7, 7, 1}, {1, 1, 4});
  OneNode pool("MaxPool", {OneNode::of({1, 1, 4})}, {{"kernel_shape", std::vector<int64_t>{3}}}, 2);
  std::vector<Tensor> y = pool.evaluate({x});
  CHECK(y[0] == Tensor::vector_f32({7, 7}, {1, 1, 2}));
  CHECK(to_i64(y[1]) == std::vector<int64_t>{1, 1});
}

TEST_CASE("average pool with ceil_mode divides by the elements in the padded input") {
  Attributes attributes = {{"kernel_shape", std::vector<int64_t>{3}},
                           {"strides", std::vector<int64_t>{2}},
                           {"ceil_mode", int64_t{1}},
                           {"count_include_pad", int64_t{1}}};
  OneNode pool("AveragePool", {OneNode::of({1, 1, 4})}, attributes);
  Tensor x = Tensor::vector_f32({3, 3, 6, 6}, {1, 1, 4});
  CHECK(pool.evaluate({x})[0] == Tensor::vector_f32({4, 6}, {1, 1, 2}));
}
