// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range, Constant, ConstantOfShape: tensors that come from nothing.
#include <algorithm>
#include <cmath>

#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

int64_t range_count(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  if (delta.f64(0) == 0) throw user_error("a range with step 0");
  double count;
  if (info(start.dtype).is_integer) {
    __int128 span = static_cast<__int128>(limit.i64(0)) - start.i64(0), step = delta.i64(0);
    if (step < 0) {
      span = -span;
      step = -step;
    }
    count = span <= 0 ? 0 : static_cast<double>((span + step - 1) / step);
  } else {
    count = std::ceil((limit.f64(0) - start.f64(0)) / delta.f64(0));
  }
  if (!(count < 2147483648.0)) throw user_error("a range of {} elements", count);
  return std::max<int64_t>(static_cast<int64_t>(count), 0);
}

// The number of elements when limits are extents; constants of any type are handled before.
Dim range_extent(const InferContext& context) {
  Dim start = require_known(context, 0, "the start of a range")[0];
  Dim limit = require_known(context, 1, "the limit of a range")[0];
  Dim delta = require_known(context, 2, "the step of a range")[0];
  if (!delta.is_fixed()) {
    throw user_error("a range whose step varies ({}) is not supported", delta.text());
  }
  if (delta.value() == 0) throw user_error("a range with step 0");
  int64_t step = delta.value();
  return max(0, step > 0 ? ceil_div(limit - start, step) : ceil_div(start - limit, -step));
}

void infer_range(InferContext& context) {
  for (int i = 0; i < 3; ++i) {
    const Shape& shape = context.shape(i);
    if (product(shape) != Dim(1)) throw user_error("input {} is no scalar: {}", i, text(shape));
  }
  const Tensor* start = context.constant(0);
  const Tensor* limit = context.constant(1);
  const Tensor* delta = context.constant(2);
  bool is_constant = start && limit && delta;
  Dim count = is_constant ? Dim(range_count(*start, *limit, *delta)) : range_extent(context);
  context.set_type(0, context.type(0).dtype, {count});

  if (!info(context.type(0).dtype).is_integer || !count.is_fixed() || count.value() > kMaxKnown ||
      !context.known(0) || !context.known(2)) {
    return;
  }
  std::vector<Dim> elements;
  for (int64_t i = 0; i < count.value(); ++i) {
    elements.push_back((*context.known(0))[0] + (*context.known(2))[0] * Dim(i));
  }
  context.set_known(0, elements);
}

void evaluate_range(EvaluateContext& context) {
  const Tensor& start = context.in(0);
  const Tensor& delta = context.in(2);
  Tensor y(start.dtype, {range_count(start, context.in(1), delta)});
  for (int64_t i = 0; i < y.count(); ++i) {
    if (info(start.dtype).is_integer) {
      y.set_i64(i, start.i64(0) + i * delta.i64(0));
    } else {
      y.set_f64(i, start.f64(0) + static_cast<double>(i) * delta.f64(0));
    }
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_range(const LowerContext& context) {
  const View& y = context.out(0);
  if (!context.node.epilogue.empty() || !y.is_dense()) return {};
  KernelCall call = make_call(Family::iota, {context.in(0), context.in(2)}, {y});
  call.params = IotaParamsT<Dim>{y.shape[0]};
  call.units = ceil_div(y.shape[0], kPointwiseBlock);
  call.elements = static_cast<double>(y.shape[0].hi());
  return {std::move(call)};
}

// All forms of the value become the attribute `value`.
void import_constant(ImportContext& context) {
  Node& node = context.node;
  Tensor value;
  if (node.has_attribute("value_int")) {
    value = Tensor::scalar_i64(node.int_attribute("value_int", 0));
  } else if (node.has_attribute("value_ints")) {
    value = Tensor::vector_i64(node.ints_attribute("value_ints"));
  } else if (node.has_attribute("value_float")) {
    value = Tensor::scalar_f32(node.float_attribute("value_float", 0));
  } else if (node.has_attribute("value_floats")) {
    std::vector<float> floats = node.floats_attribute("value_floats");
    value = Tensor::vector_f32(floats, {static_cast<int64_t>(floats.size())});
  } else if (node.has_attribute("value_string") || node.has_attribute("value_strings")) {
    throw user_error("a constant of strings is not supported");
  } else if (node.has_attribute("sparse_value")) {
    throw user_error("a sparse constant is not supported");
  } else {
    return;
  }
  node.attributes.clear();
  node.attributes["value"] = std::make_shared<const Tensor>(std::move(value));
}

TensorPtr constant_value(const Node& node) {
  TensorPtr value = node.tensor_attribute("value");
  if (!value) throw user_error("a constant without a value");
  return value;
}

void infer_constant(InferContext& context) {
  TensorPtr value = constant_value(context.node);
  context.set_type(0, value->dtype, to_shape(value->shape));
  if (info(value->dtype).is_integer && value->count() <= kMaxKnown) {
    context.set_known(0, element_extents(*value));
  }
}

void evaluate_constant(EvaluateContext& context) {
  context.outputs[0] = *constant_value(context.node);
}

Lowered lower_constant(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  return {copy_call(constant_view(*constant_value(context.node)), context.out(0))};
}

// The one element that ConstantOfShape repeats.
Tensor fill_value(const Node& node) {
  TensorPtr value = node.tensor_attribute("value");
  if (!value) return Tensor::scalar_f32(0);
  if (value->count() != 1) {
    throw user_error("the value to fill with has {} elements", value->count());
  }
  Tensor scalar = *value;
  scalar.shape.clear();
  return scalar;
}

void infer_constant_of_shape(InferContext& context) {
  Shape shape = require_known(context, 0, "the shape");
  for (const Dim& d : shape) {
    if (d.lo() < 0) throw user_error("an axis of {} elements", d.text());
  }
  Tensor value = fill_value(context.node);
  context.set_type(0, value.dtype, shape);
  Dim count = product(shape);
  if (info(value.dtype).is_integer && count.is_fixed() && count.value() <= kMaxKnown) {
    context.set_known(0, std::vector<Dim>(static_cast<size_t>(count.value()), value.i64(0)));
  }
}

void evaluate_constant_of_shape(EvaluateContext& context) {
  Tensor value = fill_value(context.node);
  Tensor y(value.dtype, to_i64(context.in(0)));
  for (int64_t i = 0; i < y.count(); ++i) copy_element(value, 0, &y, i);
  context.outputs[0] = std::move(y);
}

Lowered lower_constant_of_shape(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  return {fill_call(constant_view(fill_value(context.node)), context.out(0))};
}

OpDef source_op(const char* name, const char* doc, int inputs) {
  OpDef op = one_result(name, doc, inputs, inputs);
  return op;
}

}  // namespace

void append_range(OpList& ops) {
  OpDef constant = source_op("Constant", "The tensor of the attribute `value`.", 0);
  constant.attributes = {{AttributeDef::tensor, "value"}};
  constant.versions = {{"", "Constant", kOldestOpset, kLatestOpset, import_constant}};
  constant.infer = infer_constant;
  constant.evaluate = evaluate_constant;
  constant.lower = lower_constant;
  ops.push_back(std::move(constant));

  OpDef of_shape = source_op(
      "ConstantOfShape", "A tensor of the shape that the input int64[rank] says, of one value.", 1);
  of_shape.attributes = {{AttributeDef::tensor, "value"}};
  of_shape.versions = {{"", "ConstantOfShape", 9, kLatestOpset, nullptr}};
  of_shape.shape_inputs = 1u << 0;
  of_shape.infer = infer_constant_of_shape;
  of_shape.evaluate = evaluate_constant_of_shape;
  of_shape.lower = lower_constant_of_shape;
  ops.push_back(std::move(of_shape));

  OpDef range = source_op("Range", "start, start + delta, ... before limit: y[n] of scalars.", 3);
  range.attributes = {{AttributeDef::integer, "stash_type"}};
  range.versions = {{"", "Range", 11, kLatestOpset, nullptr}};
  range.infer = infer_range;
  range.evaluate = evaluate_range;
  range.lower = lower_range;
  ops.push_back(std::move(range));
}

}  // namespace macec
