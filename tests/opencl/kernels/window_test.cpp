// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution, pooling and resize.
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

// x, w: shapes. tail: more nodes, from %c to %y; "": the convolution is the output.
OpenclCase conv(const std::string& name, const std::string& x, const std::string& w,
                const std::string& y, const std::string& attributes, bool has_bias = true,
                const std::string& type = "float32", const std::string& tail = "",
                const std::string& more_inputs = "") {
  const std::string channels = w.substr(0, w.find(','));
  std::string graph =
      fmt::format("graph \"g\" (%x: {}[{}]@cl{}) -> (%y) {{\n", type, x, more_inputs);
  graph += fmt::format("  %w = constant {}[{}] {{seed 1}}\n", type, w);
  if (has_bias) graph += fmt::format("  %b = constant {}[{}] {{seed 2}}\n", type, channels);
  graph += fmt::format("  %{}: {}[{}] = Conv(%x, %w{}) {{{}}}\n{}}}\n", tail.empty() ? "y" : "c",
                       type, y, has_bias ? ", %b" : "", attributes, tail);
  return {name, graph};
}

// w: [C, M / group, kernel...].
OpenclCase transposed(const std::string& name, const std::string& x, const std::string& w,
                      const std::string& y, const std::string& attributes) {
  return {name, fmt::format("graph \"g\" (%x: float32[{}]@cl) -> (%y) {{\n"
                            "  %w = constant float32[{}] {{seed 1}}\n"
                            "  %b = constant float32[{}] {{seed 2}}\n"
                            "  %c: float32[{}] = ConvTranspose(%x, %w, %b) {{{}}}\n"
                            "  %y: float32[{}] = Relu(%c)\n}}\n",
                            x, w, y.substr(2, y.find(',', 2) - 2), y, attributes, y)};
}

OpenclCase pool(const std::string& name, const std::string& op, const std::string& x,
                const std::string& y, const std::string& attributes,
                const std::string& type = "float32") {
  return {name,
          fmt::format(
              "graph \"g\" (%x: {0}[{1}]@cl) -> (%y) {{\n  %y: {0}[{2}] = {3}(%x) {{{4}}}\n}}\n",
              type, x, y, op, attributes)};
}

// Weights and bias are inputs.
OpenclCase dynamic(const std::string& name, const std::string& op, const std::string& x,
                   const std::string& w, const std::string& y, const std::string& attributes) {
  return {name, fmt::format("graph \"g\" (%x: float32[{0}]@cl, %w: float32[{1}], "
                            "%b: float32[{2}]) -> (%y) {{\n"
                            "  %y: float32[{3}] = {4}(%x, %w, %b) {{{5}}}\n}}\n",
                            x, w, y.substr(2, y.find(',', 2) - 2), y, op, attributes)};
}

// numbers: scales ("float32[4] {1, 1, 2, 2}"), or sizes if the type is int64.
OpenclCase resize(const std::string& name, const std::string& x, const std::string& y,
                  const std::string& numbers, const std::string& attributes,
                  const std::string& layout = "@cl", const std::string& type = "float32") {
  const bool is_sizes = numbers[0] == 'i';
  return {name, fmt::format("graph \"g\" (%x: {0}[{1}]{2}) -> (%y) {{\n"
                            "  %s = constant {3}\n"
                            "  %y: {0}[{4}] = Resize(%x, _, {5}) {{{6}}}\n}}\n",
                            type, x, layout, numbers, y, is_sizes ? "_, %s" : "%s", attributes)};
}

// A part of the input that reaches beyond it.
OpenclCase crop(const std::string& mode) {
  return {"crop, " + mode, fmt::format(R"(graph "g" (%x: float32[1,4,6,5]@cl) -> (%y) {{
  %r = constant float32[8] {{0, 0, 0.4, -0.2, 1, 1, 1.2, 0.6}}
  %s = constant int64[4] {{1, 4, 7, 8}}
  %y: float32[1,4,7,8] = Resize(%x, %r, _, %s) {{mode = "{}",
    coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 10.0}}
}})",
                                       mode)};
}

const std::vector<OpenclCase>& conv_cases() {
  static const std::vector<OpenclCase> cases = {
      conv("patches of 4x4", "2,3,8,12", "8,3,4,4", "2,8,2,3", "strides = [4, 4]"),
      conv("patches beside padding", "1,4,6,8", "8,4,2,2", "1,8,4,4",
           "strides = [2, 2], pads = [1, 0, 1, 0]"),
      conv("3x3", "1,8,5,6", "16,8,3,3", "1,16,5,6", "pads = [1, 1, 1, 1]"),
      conv("1x1 of one pixel, a long sum", "2,256,1,1", "24,256,1,1", "2,24,1,1", ""),
      conv("1x1 of 17 x 16", "1,16,17,16", "16,16,1,1", "1,16,17,16", "", false),
      conv("3 channels into 7", "2,3,7,16", "7,3,3,3", "2,7,4,8",
           "pads = [1, 1, 1, 1], strides = [2, 2]"),
      conv("one channel, one row", "1,1,1,17", "1,1,1,7", "1,1,1,17", "pads = [0, 3, 0, 3]"),
      conv("odd strides, dilation, uneven pads", "1,4,17,16", "12,4,3,2", "1,12,5,16",
           "pads = [0, 2, 1, 1], strides = [3, 1], dilations = [2, 3]"),
      conv("two groups of 8", "1,16,7,7", "8,8,3,3", "1,8,7,7", "group = 2, pads = [1, 1, 1, 1]"),
      conv("three groups of 3 and 5", "1,9,7,3", "15,3,3,3", "1,15,7,3",
           "group = 3, pads = [1, 1, 1, 1]"),
      conv("depthwise with two results a channel", "1,6,7,7", "12,1,3,3", "1,12,5,5", "group = 6"),
      conv("one axis", "2,8,17", "20,8,3", "2,20,8", "strides = [2]"),
      conv("three axes", "1,4,3,7,5", "4,4,2,3,3", "1,4,2,7,5", "pads = [0, 1, 1, 0, 1, 1]"),
      conv("depthwise", "1,16,7,17", "16,1,3,3", "1,16,7,17", "group = 16, pads = [1, 1, 1, 1]"),
      conv("depthwise, stride 2", "1,8,17,16", "8,1,5,5", "1,8,9,8",
           "group = 8, pads = [2, 2, 2, 2], strides = [2, 2]", false),
      conv("depthwise, 7 channels, dilated", "2,7,7,17", "7,1,3,3", "2,7,3,13",
           "group = 7, dilations = [2, 2]"),
      conv("depthwise, three axes", "1,4,3,7,5", "4,1,3,3,3", "1,4,3,7,5",
           "group = 4, pads = [1, 1, 1, 1, 1, 1]"),
      conv("float16", "1,8,5,6", "16,8,3,3", "1,16,5,6", "pads = [1, 1, 1, 1]", true, "float16"),
      conv("float16 depthwise", "1,8,5,6", "8,1,3,3", "1,8,5,6", "group = 8, pads = [1, 1, 1, 1]",
           true, "float16"),
      conv("residual, scale by channel, a number", "1,8,7,7", "16,8,3,3", "1,16,7,7",
           "pads = [1, 1, 1, 1]", true, "float32", R"(
  %s = constant float32[16,1,1] {seed 5}
  %half = constant float32[] {0.5}
  %r: float32[1,16,7,7] = Relu(%c)
  %m: float32[1,16,7,7] = Mul(%r, %s)
  %n: float32[1,16,7,7] = Add(%m, %z)
  %y: float32[1,16,7,7] = Mul(%n, %half)
)",
           ", %z: float32[1,16,7,7]@cl"),
      conv("residual of 7 channels", "1,8,7,5", "7,8,1,1", "1,7,7,5", "", true, "float32",
           "  %n: float32[1,7,7,5] = Add(%c, %z)\n  %y: float32[1,7,7,5] = Sigmoid(%n)\n",
           ", %z: float32[1,7,7,5]@cl"),
      conv("depthwise and hard swish", "1,8,7,5", "8,1,3,3", "1,8,7,5",
           "group = 8, pads = [1, 1, 1, 1]", true, "float32",
           "  %y: float32[1,8,7,5] = HardSwish(%c)\n"),
  };
  return cases;
}

const std::vector<OpenclCase>& transposed_cases() {
  static const std::vector<OpenclCase> cases = {
      transposed("2x2, stride 2", "1,8,5,7", "8,12,2,2", "1,12,10,14", "strides = [2, 2]"),
      transposed("3x3, stride 2, pads", "2,6,7,5", "6,5,3,3", "2,5,14,10",
                 "strides = [2, 2], pads = [1, 1, 1, 1], output_padding = [1, 1]"),
      transposed("stride 1", "1,4,7,7", "4,8,3,3", "1,8,7,7", "pads = [1, 1, 1, 1]"),
      transposed("stride 3, dilated, two groups", "1,8,3,16", "8,4,2,4", "1,8,8,55",
                 "strides = [3, 3], dilations = [1, 3], group = 2"),
      transposed("by channel", "1,8,7,7", "8,1,4,4", "1,8,14,14",
                 "strides = [2, 2], pads = [1, 1, 1, 1], group = 8"),
      transposed("one axis", "1,16,17", "16,8,4", "1,8,36", "strides = [2]"),
      dynamic("computed weights, two groups", "Conv", "2,6,7,5", "8,3,3,3", "2,8,4,3",
              "strides = [2, 2], pads = [1, 1, 1, 1], group = 2"),
      dynamic("computed weights, transposed", "ConvTranspose", "1,6,7,5", "6,4,3,3", "1,8,15,11",
              "strides = [2, 2], group = 2"),
      transposed("1x1", "1,16,3,3", "16,8,1,1", "1,8,3,3", ""),
  };
  return cases;
}

const std::vector<OpenclCase>& resize_cases() {
  static const std::vector<OpenclCase> cases = {
      resize("nearest, twice", "1,8,5,7", "1,8,10,14", "float32[4] {1, 1, 2, 2}",
             R"(coordinate_transformation_mode = "asymmetric", nearest_mode = "floor")"),
      resize("nearest, to a third", "1,3,9,17", "1,3,3,5",
             "float32[4] {1, 1, 0.33333334, 0.33333334}", ""),
      resize("nearest, aligned corners", "1,4,7,7", "1,4,16,3", "int64[4] {1, 4, 16, 3}",
             R"(coordinate_transformation_mode = "align_corners", nearest_mode = "ceil")"),
      resize("linear", "1,8,5,7", "1,8,10,14", "float32[4] {1, 1, 2, 2}", R"(mode = "linear")"),
      resize("linear, 3 channels, smaller", "2,3,17,16", "2,3,7,11", "int64[4] {2, 3, 7, 11}",
             R"(mode = "linear")"),
      resize("linear, aligned corners", "1,8,5,7", "1,8,13,16", "int64[4] {1, 8, 13, 16}",
             R"(mode = "linear", coordinate_transformation_mode = "align_corners")"),
      resize("linear, three axes", "1,4,3,5,7", "1,4,6,7,8", "int64[5] {1, 4, 6, 7, 8}",
             R"(mode = "linear")"),
      resize("linear, filtered", "1,4,16,17", "1,4,5,6", "int64[4] {1, 4, 5, 6}",
             R"(mode = "linear", antialias = 1)"),
      resize("cubic", "1,4,7,5", "1,4,16,12", "int64[4] {1, 4, 16, 12}",
             R"(mode = "cubic", cubic_coeff_a = -0.5)"),
      resize("cubic, without what lies outside", "1,3,7,5", "1,3,16,12", "int64[4] {1, 3, 16, 12}",
             R"(mode = "cubic", exclude_outside = 1)"),
      crop("nearest"),
      crop("linear"),
      resize("linear, float16", "1,8,5,7", "1,8,10,14", "float32[4] {1, 1, 2, 2}",
             R"(mode = "linear")", "@cl", "float16"),
      resize("rows of a plain image", "1,2,7,5", "1,2,14,10", "float32[4] {1, 1, 2, 2}",
             R"(mode = "linear")", ""),
  };
  return cases;
}

const std::vector<OpenclCase>& pool_cases() {
  static const std::vector<OpenclCase> cases = {
      pool("max", "MaxPool", "1,16,7,17", "1,16,4,9",
           "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]"),
      pool("max, 3 channels", "MaxPool", "2,3,7,16", "2,3,6,15", "kernel_shape = [2, 2]"),
      pool("max of the whole image", "MaxPool", "1,8,17,16", "1,8,1,1", "kernel_shape = [17, 16]"),
      pool("mean", "AveragePool", "1,8,7,17", "1,8,4,9",
           "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]"),
      pool("mean with pads", "AveragePool", "1,8,7,17", "1,8,4,9",
           "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], count_include_pad = 1"),
      pool("mean, ceil_mode", "AveragePool", "1,7,8,7", "1,7,4,3",
           "kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1, count_include_pad = 1"),
      pool("mean of the whole image", "AveragePool", "2,12,7,7", "2,12,1,1",
           "kernel_shape = [7, 7]"),
      pool("mean over one axis", "AveragePool", "1,4,17", "1,4,5",
           "kernel_shape = [4], strides = [3]"),
      pool("mean over three axes", "AveragePool", "1,4,3,7,5", "1,4,2,6,4",
           "kernel_shape = [2, 2, 2]"),
      pool("max of bytes", "MaxPool", "1,3,7,17", "1,3,4,9",
           "kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]", "int8"),
      {"max with indices", R"(graph "g" (%x: float32[2,3,5,7]) -> (%y, %i) {
  %y: float32[2,3,4,6], %i: int64[2,3,4,6] = MaxPool(%x) {kernel_shape = [2, 2]}
})"},
      {"max with indices by column", R"(graph "g" (%x: float32[2,3,5,7]) -> (%y, %i) {
  %y: float32[2,3,3,4], %i: int64[2,3,3,4] = MaxPool(%x) {kernel_shape = [3, 3],
    strides = [2, 2], pads = [1, 1, 1, 1], storage_order = 1}
})"},
      pool("max of float16", "MaxPool", "1,8,7,17", "1,8,5,8",
           "kernel_shape = [3, 3], strides = [1, 2]", "float16"),
  };
  return cases;
}

}  // namespace

TEST_CASE("convolutions in memory") {
  check_on_opencl("x86-64-opencl", conv_cases());
}
TEST_CASE("convolutions in images") {
  const auto results = check_on_opencl("x86-64-adreno", conv_cases());
  CHECK(results[0].images == 4);
}
TEST_CASE("transposed convolutions in memory") {
  check_on_opencl("x86-64-opencl", transposed_cases());
}
TEST_CASE("transposed convolutions in images") {
  check_on_opencl("x86-64-adreno", transposed_cases());
}
TEST_CASE("pooling in memory") {
  check_on_opencl("x86-64-opencl", pool_cases());
}
TEST_CASE("pooling in images") {
  const auto results = check_on_opencl("x86-64-adreno", pool_cases());
  CHECK(results[0].images == 2);
}
TEST_CASE("resize in memory") {
  check_on_opencl("x86-64-opencl", resize_cases());
}
TEST_CASE("resize in images") {
  check_on_opencl("x86-64-adreno", resize_cases());
}
