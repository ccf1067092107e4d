// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AffineGrid, written as a product of every position of the output with theta:
//
//   positions [H W, 3] = (x, y, 1), x and y from -1 to 1     grid [N, H W, 2] = positions theta^T
//
// The outermost axis moves slowest, but its coordinate is the last one. An axis of one element lies
// at -1 with align_corners, in the middle without.
#include "compiler/ops/expand.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_aligned(const Node& node) {
  return node.int_attribute("align_corners", 0) != 0;
}

void infer_affine_grid(InferContext& context) {
  const TensorType& theta = context.type(0);
  if (!info(theta.dtype).is_float || info(theta.dtype).bits < 16)
    throw user_error("AffineGrid of {} is not supported", name(theta.dtype));
  const std::vector<Dim>& size = require_known(context, 1, "the size of a grid");
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  if (axes != 2 && axes != 3)
    throw user_error("the size has {} elements, but must be (N, C, H, W) or (N, C, D, H, W)",
                     size.size());
  const Shape& t = theta.shape;
  if (t.size() != 3 || t[1] != Dim(axes) || t[2] != Dim(axes + 1))
    throw user_error("theta is {}, but {} axes need [N, {}, {}]", text(theta), axes, axes,
                     axes + 1);
  context.require_equal(t[0], size[0], "axis 0 of theta", "the first element of the size");
  Shape y = {size[0]};
  y.insert(y.end(), size.begin() + 2, size.end());
  y.push_back(axes);
  context.set_type(0, theta.dtype, y);
}

// The coordinates of an axis of n elements (a scalar), in the type of positions.
ValueId coordinates(Expander& e, ValueId n, DType type) {
  const ValueId zero = e.constant(Tensor::scalar_i64(0)), one = e.constant(Tensor::scalar_i64(1)),
                two = e.constant(Tensor::scalar_i64(2));
  const ValueId i = e.add("Range", {zero, n, one});
  const auto real = [&](ValueId v) { return e.cast(v, type); };
  if (is_aligned(e.node())) {
    const ValueId steps = e.add("Max", {e.add("Sub", {n, one}), one});
    const ValueId part = e.add("Div", {real(e.add("Mul", {i, two})), real(steps)});
    return e.add("Sub", {part, real(one)});
  }
  const ValueId odd = e.add("Add", {e.add("Mul", {i, two}), one});
  return e.add("Sub", {e.add("Div", {real(odd), real(n)}), real(one)});
}

void expand_affine_grid(Expander& e) {
  const ValueId theta = e.in(0);
  const ValueId size = e.cast(e.in(1), DType::int64);
  const int64_t axes = e.shape(theta)[1].value();
  const DType type = e.dtype(theta) == DType::float64 ? DType::float64 : DType::float32;
  const auto vector = [&](const std::vector<int64_t>& v) {
    return e.constant(Tensor::vector_i64(v));
  };
  const ValueId extents = e.add("Slice", {size, vector({2}), vector({2 + axes})});
  std::vector<ValueId> parts;  // (x, y, z, 1) of all positions, each [D, H, W, 1]
  for (int64_t a = axes - 1; a >= 0; --a) {
    const ValueId n = e.add("Gather", {size, e.constant(Tensor::scalar_i64(2 + a))});
    ValueId line = coordinates(e, n, type);
    std::vector<int64_t> inner;
    for (int64_t k = 1; k < axes - a; ++k) inner.push_back(k);
    if (!inner.empty()) line = e.unsqueeze(line, inner);
    parts.push_back(e.unsqueeze(e.add("Expand", {line, extents}), {axes}));
  }
  const ValueId one = e.cast(e.number(1), type);
  parts.push_back(e.unsqueeze(e.add("Expand", {one, extents}), {axes}));
  const ValueId all = e.add("Concat", parts, {{"axis", axes}});
  const ValueId positions = e.add("Reshape", {all, vector({-1, axes + 1})});
  const ValueId turned =
      e.add("Transpose", {e.cast(theta, type)}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  const ValueId flat = e.add("MatMul", {positions, turned});
  const ValueId first = e.add("Slice", {size, vector({0}), vector({1})});
  const ValueId shape = e.add("Concat", {first, extents, vector({axes})}, {{"axis", int64_t{0}}});
  e.result(0, e.cast(e.add("Reshape", {flat, shape}), e.dtype(theta)));
}

}  // namespace

void append_affine_grid(OpList& ops) {
  OpDef def{};
  def.name = "AffineGrid";
  def.doc =
      "Positions of an image through an affine matrix: theta [N, 2, 3] or [N, 3, 4], y [N, H, W, "
      "2] "
      "or [N, D, H, W, 3]";
  def.min_inputs = def.max_inputs = 2;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "align_corners"}};
  def.versions = {{"", "AffineGrid", 20, kLatestOpset, nullptr}};
  def.shape_inputs = 1u << 1;
  def.infer = infer_affine_grid;
  def.evaluate = evaluate_expanded;
  def.expand = expand_affine_grid;
  ops.push_back(std::move(def));
}

}  // namespace macec
