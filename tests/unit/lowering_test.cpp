// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop nests, view arithmetic, and the calls made of them.
#include "compiler/ops/lowering.h"

#include "tests/catch.h"

using namespace macec;

namespace {

Dim batch() {
  auto symbol = std::make_shared<Symbol>();
  symbol->name = "batch";
  symbol->hi = 8;
  return Dim::symbol(symbol);
}

View dense(Shape shape, Layout layout = Layout::plain) {
  return dense_view(0, {DType::float32, std::move(shape), layout});
}

}  // namespace

TEST_CASE("dense operands merge into one axis") {
  View a = dense({batch(), 3, 4});
  KernelCall call = copy_call(a, a);
  const CopyParamsT<Dim>& p = std::get<CopyParamsT<Dim>>(call.params);
  CHECK(p.rank == 1);
  CHECK(p.extent[0] == batch() * 12);
  CHECK(p.x_stride[0] == Dim(1));
}

TEST_CASE("a broadcast operand keeps its axis apart") {
  View y = dense({2, 3, 4, 5});
  View bias = dense({3, 1, 1});
  LoopNest nest = make_nest(y.shape, {broadcast_strides(bias, y.shape), y.strides}, 1);
  CHECK(nest.extent == Shape{2, 3, 20});
  CHECK(nest.strides[0] == std::vector<Dim>{0, 1, 0});
  CHECK(nest.strides[1] == std::vector<Dim>{60, 20, 1});
}

TEST_CASE("a nest is ordered by its leader") {
  View x = dense({2, 3, 4, 5}), y = dense({2, 3, 4, 5}, Layout::channels_last);
  LoopNest nest = make_nest(y.shape, {x.strides, y.strides}, 1);
  CHECK(nest.extent == Shape{2, 20, 3});
  CHECK(nest.strides[0] == std::vector<Dim>{60, 1, 20});
}

TEST_CASE("reshape of a dense view keeps it dense under a range") {
  View out;
  REQUIRE(reshape_view(dense({batch(), 4, 6}), {batch() * 4, 2, 1, 3}, &out));
  CHECK(out.is_dense());
  CHECK(out.shape == Shape{batch() * 4, 2, 1, 3});
}

TEST_CASE("reshape cannot merge transposed axes but can split them") {
  View transposed = transpose_view(dense({2, 6, 5}), {0, 2, 1});
  View out;
  CHECK_FALSE(reshape_view(transposed, {2, 30}, &out));
  REQUIRE(reshape_view(transposed, {2, 5, 2, 3}, &out));
  CHECK(out.strides == std::vector<Dim>{30, 1, 15, 5});
}

TEST_CASE("reshape of an empty tensor always works") {
  View out;
  REQUIRE(reshape_view(transpose_view(dense({0, 3}), {1, 0}), {3, 5, 0}, &out));
  CHECK(out.shape == Shape{3, 5, 0});
}

TEST_CASE("slice with a negative step walks backwards from its start") {
  View out = slice_view(dense({4, 5}), {1, 4}, {2, 3}, {1, -2});
  CHECK(out.offset == Dim(9));
  CHECK(out.strides == std::vector<Dim>{5, -2});
}

TEST_CASE("expand gives new axes and axes of extent 1 the stride 0") {
  View out = expand_view(dense({3, 1}), {2, 3, 4});
  CHECK(out.strides == std::vector<Dim>{0, 1, 0});
}

TEST_CASE("rows and columns of a channels-last output are pixels and channels") {
  View y = dense({2, 3, 4, 5}, Layout::channels_last);
  Dim row;
  int column = -1;
  REQUIRE(row_column_strides(y, 1, y, &row, &column));
  CHECK(row == Dim(3));
  CHECK(column == 1);
  REQUIRE(row_column_strides(y, 1, dense({3, 1, 1}), &row, &column));
  CHECK(row == Dim(0));
  CHECK(column == 1);
  REQUIRE(row_column_strides(y, 1, dense({4, 5}), &row, &column) == false);
  REQUIRE(row_column_strides(y, 1, dense({}), &row, &column));
  CHECK(row == Dim(0));
  CHECK(column == 0);
}

TEST_CASE("an operand of another layout is no row of the output") {
  View y = dense({2, 3, 4, 5}, Layout::channels_last);
  Dim row;
  int column;
  CHECK_FALSE(row_column_strides(y, 1, dense({2, 3, 4, 5}), &row, &column));
}

TEST_CASE("pixels of a channel slice lie as far apart as those of the whole tensor") {
  View whole = dense({2, 8, 4, 5}, Layout::channels_last);
  View part = slice_view(whole, {0, 2, 0, 0}, {2, 3, 4, 5}, {1, 1, 1, 1});
  Dim pixel;
  REQUIRE(pixel_stride(part, &pixel));
  CHECK(pixel == Dim(8));
  CHECK_FALSE(pixel_stride(dense({2, 8, 4, 5}), &pixel));
  CHECK(pixel_stride(dense({2, 8, 1, 1}), &pixel));
}

TEST_CASE("pointwise work of one axis counts blocks, else outer indices") {
  View y = dense({batch(), 3, 4}), b = dense({3, 1});
  PointwiseStep add{"Add", {{StepArg::input, 0}, {StepArg::input, 1}}, DType::float32, {}};
  CHECK(pointwise_call({add}, {y, y}, {y}, {0}).units == ceil_div(batch() * 12, 4096));
  CHECK(pointwise_call({add}, {y, b}, {y}, {0}).units == batch() * 3);
}
