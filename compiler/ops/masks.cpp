// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// EyeLike, Trilu and OneHot, made of fills and pointwise steps over counters 0, 1, 2, ...
//
//   EyeLike   a fill with 0, then a fill with 1 of the diagonal (a view with stride row + column)
//   Trilu     y = where(column - row >= k, x, 0)
//   OneHot    y = where(counter == index or counter == index + depth, on, off)
#include <algorithm>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// 0, 1, ... along one axis of a shape, to be broadcast along the others. Extents that vary count to
// their upper bound.
View counter_view(const Shape& shape, size_t axis) {
  std::vector<int64_t> extents(shape.size() - axis, 1);
  extents[0] = std::max<int64_t>(shape[axis].hi(), 0);
  Tensor counter(DType::int64, extents);
  for (int64_t i = 0; i < counter.count(); ++i) counter.set_i64(i, i);
  return constant_view(std::move(counter));
}
View scalar_view(DType dtype, double value) {
  Tensor scalar(dtype, {});
  scalar.set_f64(0, value);
  return constant_view(std::move(scalar));
}
StepArg in(int i) {
  return {StepArg::input, i};
}
StepArg step(int i) {
  return {StepArg::step, i};
}

// EyeLike --------------------------------------------------------------------------------------

DType eye_type(const Node& node, DType input) {
  const int64_t given = node.int_attribute("dtype", 0);
  if (given == 0) return input;
  const DTypeInfo* type = given > 0 && given < 1000 ? find_dtype(static_cast<int>(given)) : nullptr;
  if (!type || info(type->dtype).bits < 8) throw user_error("dtype {} is not supported", given);
  return type->dtype;
}
void infer_eye(InferContext& context) {
  const TensorType& x = context.type(0);
  if (x.shape.size() != 2) throw user_error("input has {} axes, but needs 2", x.shape.size());
  context.set_type(0, eye_type(context.node, x.dtype), x.shape);
}
void evaluate_eye(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Tensor y(eye_type(context.node, x.dtype), x.shape);
  const int64_t k = context.node.int_attribute("k", 0);
  for (int64_t i = 0; i < y.count(); ++i)
    if (i % x.shape[1] - i / x.shape[1] == k) y.set_f64(i, 1);
  context.outputs[0] = std::move(y);
}
Lowered lower_eye(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  const int64_t k = context.node.int_attribute("k", 0);
  if (k < -y.shape[0].hi() || k > y.shape[1].hi()) return {fill_call(scalar_view(y.dtype, 0), y)};
  View diagonal = y;
  diagonal.shape = {
      max(0, k < 0 ? min(y.shape[0] + k, y.shape[1]) : min(y.shape[0], y.shape[1] - k))};
  diagonal.strides = {y.strides[0] + y.strides[1]};
  diagonal.offset = y.offset + (k < 0 ? y.strides[0] * -k : y.strides[1] * k);
  return {fill_call(scalar_view(y.dtype, 0), y), fill_call(scalar_view(y.dtype, 1), diagonal)};
}

// Trilu ----------------------------------------------------------------------------------------

bool is_upper(const Node& node) {
  return node.int_attribute("upper", 1) != 0;
}

void infer_trilu(InferContext& context) {
  const TensorType& x = context.type(0);
  if (x.shape.size() < 2) throw user_error("input has {} axes, but needs 2", x.shape.size());
  if (info(x.dtype).bits < 8) throw user_error("Trilu of {} is not supported", name(x.dtype));
  context.set_type(0, x.dtype, x.shape);
}
void evaluate_trilu(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Tensor y(x.dtype, x.shape);
  const int64_t k = context.has(1) ? context.in(1).i64(0) : 0;
  const int64_t columns = x.shape.back(), rows = x.shape[x.shape.size() - 2];
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t above = i % columns - i / columns % rows;
    if (is_upper(context.node) ? above >= k : above <= k) copy_element(x, i, &y, i);
  }
  context.outputs[0] = std::move(y);
}
// Positions are int64, so that any k will do.
Lowered lower_trilu(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  check_lowerable({x}, {y});
  const size_t rank = x.shape.size();
  const View k = context.has(1) ? context.in(1) : scalar_view(DType::int64, 0);
  std::vector<View> inputs = {x, counter_view(x.shape, rank - 1), counter_view(x.shape, rank - 2),
                              k, scalar_view(x.dtype, 0)};
  const std::vector<PointwiseStep> steps = {
      {"Sub", {in(1), in(2)}, DType::int64, {}},
      {is_upper(context.node) ? "GreaterOrEqual" : "LessOrEqual",
       {step(0), in(3)},
       DType::boolean,
       {}},
      {"Where", {step(1), in(0), in(4)}, x.dtype, {}}};
  return {pointwise_call(steps, std::move(inputs), {y}, {2})};
}

// OneHot ---------------------------------------------------------------------------------------

size_t hot_axis(const Node& node, size_t rank) {
  return static_cast<size_t>(normal_axis(node.int_attribute("axis", -1), rank + 1));
}
void infer_one_hot(InferContext& context) {
  const TensorType& indices = context.type(0);
  const DTypeInfo& type = info(indices.dtype);
  if (type.bits < 16 && !(type.is_integer && type.bits == 8))
    throw user_error("indices of type {} are not supported", type.name);
  const std::vector<Dim>& depth = require_known(context, 1, "the depth");
  if (depth.size() != 1) throw user_error("depth has {} elements", depth.size());
  if (depth[0].lo() < 0) throw user_error("a depth of {}", depth[0].text());
  const Shape& values = context.shape(2);
  if (values.size() != 1 || !(values[0] == Dim(2)))
    throw user_error("values have the shape {}, not [2]", text(values));
  Shape y = indices.shape;
  y.insert(y.begin() + static_cast<std::ptrdiff_t>(hot_axis(context.node, y.size())), depth[0]);
  context.set_type(0, context.type(2).dtype, y);
}
void evaluate_one_hot(EvaluateContext& context) {
  const Tensor &indices = context.in(0), &values = context.in(2);
  const size_t axis = hot_axis(context.node, indices.shape.size());
  const int64_t depth = static_cast<int64_t>(context.in(1).f64(0));
  std::vector<int64_t> shape = indices.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  int64_t inner = 1;
  for (size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  Tensor y(values.dtype, shape);
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t from = i / (inner * depth) * inner + i % inner, at = i / inner % depth;
    const int64_t index = info(indices.dtype).is_integer
                              ? indices.i64(from)
                              : real_to_integer(indices.f64(from), DType::int64);
    const bool is_on = at == index || at == index + depth;
    copy_element(values, is_on ? 1 : 0, &y, i);
  }
  context.outputs[0] = std::move(y);
}
// An element of `values` as a scalar.
View value_view(const View& values, int64_t i) {
  View view = values;
  view.offset = values.offset + values.strides[0] * i;
  view.shape.clear();
  view.strides.clear();
  return view;
}
Lowered lower_one_hot(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  const size_t axis = hot_axis(context.node, context.in(0).shape.size());
  View index = context.in(0), values = context.in(2);
  index.shape.insert(index.shape.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
  index.strides.insert(index.strides.begin() + static_cast<std::ptrdiff_t>(axis), Dim(0));
  View on, off;
  if (const Tensor* constant = context.constant(2)) {
    Tensor both[2] = {Tensor(y.dtype, {}), Tensor(y.dtype, {})};
    for (int64_t i = 0; i < 2; ++i) copy_element(*constant, i, &both[i], 0);
    off = constant_view(both[0]);
    on = constant_view(both[1]);
  } else {
    off = value_view(values, 0);
    on = value_view(values, 1);
  }
  View depth = context.in(1);
  if (const Tensor* constant = context.constant(1))
    depth = scalar_view(DType::int64, constant->f64(0));
  check_lowerable({index, on, off}, {y});
  const std::vector<PointwiseStep> steps = {{"Cast", {in(1)}, DType::int64, {}},
                                            {"Cast", {in(2)}, DType::int64, {}},
                                            {"Add", {step(0), step(1)}, DType::int64, {}},
                                            {"Equal", {in(0), step(0)}, DType::boolean, {}},
                                            {"Equal", {in(0), step(2)}, DType::boolean, {}},
                                            {"Or", {step(3), step(4)}, DType::boolean, {}},
                                            {"Where", {step(5), in(3), in(4)}, y.dtype, {}}};
  return {pointwise_call(steps, {counter_view(y.shape, axis), index, depth, on, off}, {y}, {6})};
}

}  // namespace

void append_masks(OpList& ops) {
  OpDef eye =
      one_result("EyeLike", "Ones on the k-th diagonal, else zeros; y [m, n] as x", 1, 1, 9);
  eye.attributes = {{AttributeDef::integer, "dtype"}, {AttributeDef::integer, "k"}};
  eye.traits = kShapeOnly;
  eye.infer = infer_eye;
  eye.evaluate = evaluate_eye;
  eye.lower = lower_eye;
  ops.push_back(std::move(eye));

  OpDef trilu = one_result(
      "Trilu", "x on and above (or below) the k-th diagonal, else zeros; x, y [..., m, n]", 1, 2,
      14);
  trilu.attributes = {{AttributeDef::integer, "upper"}};
  trilu.infer = infer_trilu;
  trilu.evaluate = evaluate_trilu;
  trilu.lower = lower_trilu;
  ops.push_back(std::move(trilu));

  OpDef hot =
      one_result("OneHot",
                 "values[1] where the position along a new axis of `depth` is the index, else "
                 "values[0]: indices [...], y [..., depth, ...]",
                 3, 3, 9);
  hot.attributes = {{AttributeDef::integer, "axis"}};
  hot.infer = infer_one_hot;
  hot.evaluate = evaluate_one_hot;
  hot.lower = lower_one_hot;
  ops.push_back(std::move(hot));
}

}  // namespace macec
