// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape arithmetic, and operators that move elements.
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

TEST_CASE("the shape of a ranged tensor is known") {
  Dim batch = ranged("batch", 1, 8);
  OneNode shape("Shape", {OneNode::of({batch, 12, 64})},
                {{"start", int64_t{-3}}, {"end", int64_t{2}}});
  REQUIRE(shape.known());
  CHECK(*shape.known() == std::vector<Dim>{batch, 12});
}

TEST_CASE("reshape finds -1 under a range") {
  Dim batch = ranged("batch", 1, 8);
  OneNode reshape("Reshape", {OneNode::of({batch, 12, 64}), OneNode::of(ints({0, -1}))});
  CHECK(reshape.shape() == Shape{batch, 768});
  OneNode flat("Reshape", {OneNode::of({batch, 12, 64}), OneNode::of(ints({-1, 64}))});
  CHECK(flat.shape() == Shape{batch * 12, 64});
}

TEST_CASE("reshape copies an axis of length 0, and with allowzero makes one") {
  OneNode copied("Reshape", {OneNode::of({0, 4}), OneNode::of(ints({0, -1}))});
  CHECK(copied.shape() == Shape{0, 4});
  OneNode made("Reshape", {OneNode::of({0, 4}), OneNode::of(ints({3, 0}))},
               {{"allowzero", int64_t{1}}});
  CHECK(made.shape() == Shape{3, 0});
}

TEST_CASE("reshape to another number of elements is the user's error") {
  CHECK_THROWS_AS(OneNode("Reshape", {OneNode::of({2, 3}), OneNode::of(ints({4, 2}))}), UserError);
  CHECK_THROWS_AS(OneNode("Reshape", {OneNode::of({2, 3}), OneNode::of(ints({4, -1}))}), UserError);
}

TEST_CASE("a shape that is computed when the model runs is not supported, by name") {
  try {
    OneNode node("Reshape", {OneNode::of({2, 3}), OneNode::of({2}, DType::int64)});
    FAIL("accepted");
  } catch (const UserError& error) {
    CHECK(error.text().find("'in.2'") != std::string::npos);
    CHECK(error.text().find("not supported") != std::string::npos);
  }
}

TEST_CASE("a slice with a negative step and far ends runs backwards over everything") {
  OneNode slice("Slice",
                {OneNode::of({4}), OneNode::of(ints({INT64_MAX})), OneNode::of(ints({INT64_MIN})),
                 OneNode::of(ints({0})), OneNode::of(ints({-1}))});
  CHECK(slice.evaluate({counting({4})})[0] == Tensor::vector_f32({3, 2, 1, 0}, {4}));
}

TEST_CASE("a slice that ends before it starts is empty") {
  OneNode slice("Slice", {OneNode::of({4}), OneNode::of(ints({3})), OneNode::of(ints({1}))});
  CHECK(slice.shape() == Shape{0});
}

TEST_CASE("a slice up to a ranged length has that length") {
  Dim n = ranged("n", 1, 128);
  OneNode slice("Slice", {OneNode::of({n}), OneNode::of(ints({0})), OneNode::of(ints({-1}))});
  CHECK(slice.shape() == Shape{n - 1});
}

TEST_CASE("the last of the equal parts of a split is smaller") {
  OneNode split("Split", {OneNode::of({7})}, {{"num_outputs", int64_t{3}}}, 3);
  CHECK(split.shape(0) == Shape{3});
  CHECK(split.shape(2) == Shape{1});
  CHECK(split.evaluate({counting({7})})[2] == Tensor::vector_f32({6}, {1}));
}

TEST_CASE("concat of known shapes is known") {
  OneNode concat("Concat", {OneNode::of(ints({1, 2})), OneNode::of(ints({3}))},
                 {{"axis", int64_t{0}}});
  REQUIRE(concat.known());
  CHECK(*concat.known() == std::vector<Dim>{1, 2, 3});
}

TEST_CASE("gather takes indices from the end") {
  OneNode gather("Gather", {OneNode::of({3, 2}), OneNode::of(ints({-1, 0}))});
  CHECK(gather.evaluate({counting({3, 2})})[0] == Tensor::vector_f32({4, 5, 0, 1}, {2, 2}));
  CHECK_THROWS_AS(OneNode("Gather", {OneNode::of({3, 2}), OneNode::of(ints({3}))}), UserError);
}

TEST_CASE("a range may run down, and under a range has that length") {
  Tensor start = Tensor::scalar_i64(10), limit = Tensor::scalar_i64(4),
         delta = Tensor::scalar_i64(-2);
  OneNode down("Range", {OneNode::of(start), OneNode::of(limit), OneNode::of(delta)});
  CHECK(to_i64(down.evaluate()[0]) == std::vector<int64_t>{10, 8, 6});
}

TEST_CASE("expand keeps an axis that the shape calls 1") {
  OneNode expand("Expand", {OneNode::of({3, 1}), OneNode::of(ints({2, 1, 4}))});
  CHECK(expand.shape() == Shape{2, 3, 4});
}

TEST_CASE("tile repeats every axis") {
  OneNode tile("Tile", {OneNode::of({1, 2}), OneNode::of(ints({2, 2}))});
  CHECK(tile.evaluate({counting({1, 2})})[0] ==
        Tensor::vector_f32({0, 1, 0, 1, 0, 1, 0, 1}, {2, 4}));
}

TEST_CASE("pad reflects without repeating the edge") {
  OneNode pad("Pad", {OneNode::of({3}), OneNode::of(ints({2, 3}))},
              {{"mode", std::string("reflect")}});
  CHECK(pad.evaluate({counting({3})})[0] == Tensor::vector_f32({2, 1, 0, 1, 2, 1, 0, 1}, {8}));
}

TEST_CASE("negative pads cut off") {
  OneNode pad("Pad", {OneNode::of({4}), OneNode::of(ints({-1, 2}))});
  CHECK(pad.evaluate({counting({4})})[0] == Tensor::vector_f32({1, 2, 3, 0, 0}, {5}));
}
