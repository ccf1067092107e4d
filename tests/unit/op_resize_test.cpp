// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize, Pad, ConvTranspose and the normalisations of channels: sizes, ranges, values, lowered axes.
#include "compiler/ops/lowering.h"
#include "tests/catch.h"
#include "tests/unit/op_test.h"

using namespace macec;

namespace {

Attributes with(const char* name, const char* value) {
  return {{name, std::string(value)}};
}
OneNode::Input floats(const std::vector<float>& v) {
  return OneNode::of(Tensor::vector_f32(v, {static_cast<int64_t>(v.size())}));
}
OneNode::Input none() {
  return OneNode::of(Tensor(DType::float32, {0}));
}

// The one call that the node is lowered to, all values in this layout.
KernelCall lowered(const OneNode& node, Layout layout) {
  std::vector<View> views;
  for (size_t i = 0; i < node.graph.values.size(); ++i) {
    TensorType type = node.graph.values[i].type;
    if (type.rank() >= 3) type.layout = layout;
    views.push_back(dense_view(static_cast<int>(i), type));
    views.back().constant = node.graph.values[i].constant;
  }
  const Node& n = node.graph.nodes[0];
  const LowerContext context{
      node.graph, n,
      [&](ValueId id) -> const View& { return views[static_cast<size_t>(id.index)]; }, 0};
  Lowered calls = n.def->lower(context);
  REQUIRE(calls.size() == 1);
  return calls[0];
}

}  // namespace

TEST_CASE("a scale of 0.7 makes 7 of 10 as floats do") {
  OneNode resize("Resize", {OneNode::of({1, 10}), none(), floats({1, 0.7f})});
  CHECK(resize.shape() == Shape{1, 7});
}

TEST_CASE("a whole or dyadic scale works on a range") {
  const Dim width = ranged("width", 8, 64, 8);
  OneNode twice("Resize", {OneNode::of({1, width}), none(), floats({1, 2})});
  CHECK(twice.shape()[1] == width * 2);
  OneNode half("Resize", {OneNode::of({1, width}), none(), floats({1, 0.5f})});
  CHECK(half.shape()[1] == floor_div(width, 2));
  CHECK_THROWS_AS(OneNode("Resize", {OneNode::of({1, width}), none(), floats({1, 0.7f})}),
                  UserError);
}

TEST_CASE("sizes that are not larger keep the aspect ratio") {
  Attributes attributes = with("keep_aspect_ratio_policy", "not_larger");
  attributes["axes"] = std::vector<int64_t>{0, 1};
  OneNode resize("Resize", {OneNode::of({2, 4}), none(), none(), OneNode::of(ints({7, 8}))},
                 attributes);
  CHECK(resize.shape() == Shape{4, 8});
}

TEST_CASE("scales that are computed are refused by name") {
  try {
    OneNode("Resize", {OneNode::of({1, 4}), none(), OneNode::of({2})});
    FAIL("not refused");
  } catch (const UserError& error) {
    CHECK(error.text().find("the scales ('in") != std::string::npos);
  }
}

TEST_CASE("nearest_mode says what becomes of the middle between two elements") {
  const Tensor x = Tensor::vector_f32({1, 2}, {2});
  const auto at_half = [&](const char* mode) {
    Attributes attributes = with("coordinate_transformation_mode", "asymmetric");
    attributes["nearest_mode"] = std::string(mode);
    OneNode resize("Resize", {OneNode::of({2}), none(), floats({2})}, attributes);
    return resize.evaluate({x})[0].f64(1);  // lies at 0.5
  };
  CHECK(at_half("round_prefer_floor") == 1);
  CHECK(at_half("round_prefer_ceil") == 2);
  CHECK(at_half("floor") == 1);
  CHECK(at_half("ceil") == 2);
}

TEST_CASE("Resize keeps images and channels apart from the axes that it resizes") {
  OneNode resize("Resize", {OneNode::of({2, 3, 4, 5}), none(), floats({1, 1, 2, 3})},
                 with("mode", "linear"));
  const auto last = std::get<ResizeParamsT<Dim>>(lowered(resize, Layout::channels_last).params);
  CHECK(last.rank == 4);
  CHECK(last.resized[1] + last.resized[2] == 2);
  CHECK(last.out[3] == Dim(3));
  const auto plain = std::get<ResizeParamsT<Dim>>(lowered(resize, Layout::plain).params);
  CHECK(plain.rank == 3);  // [image and channel][height][width]
  CHECK(plain.out[0] == Dim(6));
  CHECK(plain.out[2] == Dim(15));
}

TEST_CASE("Pad of constants moves whole rows, of mirrored elements whole pixels") {
  const OneNode::Input pads = OneNode::of(ints({0, 0, 1, 2, 0, 0, 3, 4}));
  OneNode constant("Pad", {OneNode::of({1, 3, 8, 9}), pads});
  const KernelCall call = lowered(constant, Layout::channels_last);
  const auto& p = std::get<PadParamsT<Dim>>(call.params);
  CHECK(p.rank == 2);
  CHECK(p.begin[1] == Dim(6));
  CHECK(p.out[1] == Dim(45));
  CHECK(call.units == Dim(12));
  OneNode reflect("Pad", {OneNode::of({1, 3, 8, 9}), pads}, with("mode", "reflect"));
  const KernelCall mirrored = lowered(reflect, Layout::channels_last);
  CHECK(std::get<PadParamsT<Dim>>(mirrored.params).rank == 3);
  CHECK(mirrored.units == Dim(180));
  CHECK(mirrored.inputs[1].buffer < 0);
}

TEST_CASE("what a negative pad cuts off is no part of the input of the call") {
  OneNode pad("Pad", {OneNode::of({8}), OneNode::of(ints({-2, 3}))});
  const KernelCall call = lowered(pad, Layout::plain);
  const auto& p = std::get<PadParamsT<Dim>>(call.params);
  CHECK(call.inputs[0].offset == Dim(2));
  CHECK(p.in[0] == Dim(6));
  CHECK(p.begin[0] == Dim(0));
  CHECK(p.out[0] == Dim(9));
}

TEST_CASE("a transposed convolution undoes the extents of a convolution") {
  const Dim height = ranged("height", 8, 64, 8);
  OneNode conv("ConvTranspose",
               {OneNode::of({1, 4, height, 5}), OneNode::of(Tensor(DType::float32, {4, 3, 3, 3}))},
               {{"strides", std::vector<int64_t>{2, 2}},
                {"pads", std::vector<int64_t>{1, 1, 1, 1}},
                {"output_padding", std::vector<int64_t>{1, 0}}});
  CHECK(conv.shape() == Shape{1, 3, height * 2, 9});
}

TEST_CASE("an output_shape takes the odd element from the begin") {
  OneNode conv("ConvTranspose",
               {OneNode::of({1, 1, 2}), OneNode::of(Tensor::vector_f32({1, 2, 3}, {1, 1, 3}))},
               {{"strides", std::vector<int64_t>{2}}, {"output_shape", std::vector<int64_t>{4}}});
  const Tensor y = conv.evaluate({Tensor::vector_f32({1, 10}, {1, 1, 2})})[0];
  CHECK(y == Tensor::vector_f32({2, 13, 20, 30}, {1, 1, 4}));
}

TEST_CASE("weights of a transposed convolution are also packed phase by phase") {
  OneNode conv("ConvTranspose",
               {OneNode::of({1, 2, 4}), OneNode::of(Tensor(DType::float32, {2, 5, 3}))},
               {{"strides", std::vector<int64_t>{2}}});
  const KernelCall call = lowered(conv, Layout::channels_last);
  CHECK(call.op == "transposed");
  const KernelCall::ConstantUse& use = call.constant_uses[1];
  CHECK(use.k_order == std::vector<int64_t>{0, 15, 1, 16, 2, 17});
  CHECK(use.phase_order == std::vector<int64_t>{0, 15, 2, 17, 1, 16});
}

TEST_CASE("scale and bias by group become those of channels") {
  OneNode norm("GroupNormalization",
               {OneNode::of({1, 4, 3}), floats({1, 2}), floats({0.5f, -0.5f})},
               {{"num_groups", int64_t{2}}, {"per_group", int64_t{1}}});
  const KernelCall call = lowered(norm, Layout::channels_last);
  CHECK(*call.inputs[1].constant == Tensor::vector_f32({1, 1, 2, 2}, {4}));
  const auto& p = std::get<ChannelNormParamsT<Dim>>(call.params);
  CHECK(p.groups == 2);
  CHECK(p.channels == 2);
  CHECK(call.units == Dim(1));
}

TEST_CASE("an instance is normalized over its positions alone") {
  OneNode norm("InstanceNormalization", {OneNode::of({1, 2, 2}), floats({1, 2}), floats({0, 1})},
               {{"epsilon", 0.0f}});
  const Tensor y = norm.evaluate({Tensor::vector_f32({1, 3, 10, 50}, {1, 2, 2})})[0];
  CHECK(y == Tensor::vector_f32({-1, 1, -1, 3}, {1, 2, 2}));
}
