// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes, regions, windows as columns and transforms: sizes, ranges, values, refusals.
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

OneNode::Input int_of(int64_t v) {
  return OneNode::of(Tensor::scalar_i64(v));
}
OneNode::Input float_of(float v) {
  return OneNode::of(Tensor::scalar_f32(v));
}
Tensor floats(const std::vector<float>& v, std::vector<int64_t> shape) {
  return Tensor::vector_f32(v, std::move(shape));
}

}  // namespace

TEST_CASE("as many boxes are kept as a constant limit allows") {
  OneNode nms("NonMaxSuppression",
              {OneNode::of({2, 10, 4}), OneNode::of({2, 3, 10}), int_of(4), float_of(0.5f)});
  CHECK(nms.shape()[0].lo() == 0);
  CHECK(nms.shape()[0].hi() == 2 * 3 * 4);
  CHECK(nms.shape()[1] == Dim(3));
}

TEST_CASE("a limit of the run allows all boxes, none allows no box") {
  OneNode some("NonMaxSuppression",
               {OneNode::of({1, 10, 4}), OneNode::of({1, 3, 10}), OneNode::of({}, DType::int64)});
  CHECK(some.shape()[0].hi() == 30);
  OneNode none("NonMaxSuppression", {OneNode::of({1, 10, 4}), OneNode::of({1, 3, 10})});
  CHECK(none.shape()[0].hi() == 0);
}

TEST_CASE("a box that shares exactly the threshold is kept") {
  OneNode nms("NonMaxSuppression",
              {OneNode::of({1, 2, 4}), OneNode::of({1, 1, 2}), int_of(5), float_of(0.5f)});
  const Tensor boxes = floats({0, 0, 1, 2, 0, 0, 1, 1}, {1, 2, 4}),
               scores = floats({1, 2}, {1, 1, 2});
  CHECK(to_i64(nms.evaluate({boxes, scores})[0]) == std::vector<int64_t>{0, 0, 1, 0, 0, 0});
}

TEST_CASE("boxes and scores of different numbers are refused") {
  CHECK_THROWS_AS(OneNode("NonMaxSuppression", {OneNode::of({1, 10, 4}), OneNode::of({1, 3, 9})}),
                  UserError);
}

TEST_CASE("a onesided transform of a range has half of it") {
  const Dim n = ranged("n", 1, 64);
  OneNode dft("DFT", {OneNode::of({2, n, 1})}, {{"onesided", int64_t{1}}});
  CHECK(dft.shape() == Shape{2, floor_div(n, 2) + 1, 2});
}

TEST_CASE("a spectrum goes back to twice its length") {
  OneNode dft("DFT", {OneNode::of({2, 9, 2})}, {{"onesided", int64_t{1}}, {"inverse", int64_t{1}}});
  CHECK(dft.shape() == Shape{2, 16, 1});
}

TEST_CASE("frames of a short-time transform follow the length of the signal") {
  const Dim length = ranged("length", 16, 320);
  OneNode stft("STFT", {OneNode::of({1, length, 1}), int_of(8), OneNode::of({16})});
  CHECK(stft.shape() == Shape{1, floor_div(length - 16, 8) + 1, 9, 2});
}

TEST_CASE("a transform of the parts of numbers is refused") {
  CHECK_THROWS_AS(OneNode("DFT", {OneNode::of({2, 9, 2}), int_of(9), int_of(2)}), UserError);
}

TEST_CASE("columns make an image of a range of planes") {
  const Dim n = ranged("n", 1, 4);
  OneNode image("Col2Im",
                {OneNode::of({n, 12, 9}), OneNode::of(ints({4, 4})), OneNode::of(ints({2, 2}))});
  CHECK(image.shape() == Shape{n, 3, 4, 4});
}

TEST_CASE("what is cut and what is padded lies around the middle") {
  OneNode crop("CenterCropPad", {OneNode::of({5}), OneNode::of(ints({2}))});
  CHECK(to_f64(crop.evaluate({counting({5})})[0]) == std::vector<double>{1, 2});
  OneNode pad("CenterCropPad", {OneNode::of({2}), OneNode::of(ints({5}))});
  CHECK(to_f64(pad.evaluate({floats({3, 4}, {2})})[0]) == std::vector<double>{0, 3, 4, 0, 0});
}

TEST_CASE("a region of an image that does not exist is refused") {
  OneNode roi("RoiAlign", {OneNode::of({1, 1, 3, 3}), OneNode::of({1, 4}), OneNode::of(ints({1}))});
  CHECK_THROWS_AS(roi.evaluate({counting({1, 1, 3, 3}), floats({0, 0, 1, 1}, {1, 4})}), UserError);
}

TEST_CASE("a target that is ignored has no loss and no weight") {
  OneNode loss("NegativeLogLikelihoodLoss", {OneNode::of({2, 2}), OneNode::of(ints({0, 7}))},
               {{"ignore_index", int64_t{7}}});
  CHECK(loss.evaluate({floats({-3, 1, INFINITY, 1}, {2, 2})})[0].f64(0) == 3);
}

TEST_CASE("bits of a float are those of an integer of its size") {
  OneNode bits("BitCast", {OneNode::of({1})}, {{"to", int64_t{6}}});
  CHECK(bits.evaluate({floats({1}, {1})})[0].i64(0) == 0x3f800000);
  CHECK_THROWS_AS(OneNode("BitCast", {OneNode::of({1})}, {{"to", int64_t{7}}}), UserError);
}
