// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BatchNormalization at inference: one factor and one summand for each channel.
//
//   y[n, c, ...] = (x[n, c, ...] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]
//
// With constant parameters that is x * w[c] + b[c], computed at compile time in double. Behind a Conv it goes into the weights
// (passes/fold_batch_norm.cpp); what is left becomes elementwise work.
#include <cmath>

#include "compiler/ops/batch_norm.h"
#include "compiler/ops/groups.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"

namespace macec {

void require_batch_norm_shapes(InferContext& context) {
  const TensorType& x = context.type(0);
  if (x.shape.size() < 2)
    throw user_error("input has {} axes, but BatchNormalization needs [N, C, ...]", x.shape.size());
  const char* names[] = {"", "scale", "bias", "mean", "variance"};
  for (int i = 1; i < 5; ++i) {
    const Shape& shape = context.shape(i);
    if (shape.size() != 1)
      throw user_error("the {} has rank {} instead of 1", names[i], shape.size());
    context.require_equal(x.shape[1], shape[0], "axis 1 of the input",
                          fmt::format("axis 0 of the {}", names[i]));
  }
}

namespace {

double epsilon_of(const Node& node) {
  return static_cast<double>(node.float_attribute("epsilon", 1e-5f));
}

void infer_batch_norm(InferContext& context) {
  const TensorType& x = context.type(0);
  const Node& node = context.node;
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("BatchNormalization of {} is not supported", name(x.dtype));
  if (node.int_attribute("training_mode", 0) != 0 || node.outputs.size() > 1) {
    throw user_error("BatchNormalization in training mode is not supported")
        .hint("export the model for inference (model.eval() in PyTorch)");
  }
  require_batch_norm_shapes(context);
  context.set_type(0, x.dtype, x.shape);
}

void evaluate_batch_norm(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Tensor y(x.dtype, x.shape);
  int64_t inner = 1;
  for (size_t a = 2; a < x.shape.size(); ++a) inner *= x.shape[a];
  for (int64_t i = 0; i < x.count(); ++i) {
    const int64_t c = i / inner % x.shape[1];
    const double factor =
        context.in(1).f64(c) / std::sqrt(context.in(4).f64(c) + epsilon_of(context.node));
    y.set_f64(i, (x.f64(i) - context.in(3).f64(c)) * factor + context.in(2).f64(c));
  }
  context.outputs[0] = std::move(y);
}

View by_channel(const View& vector, size_t rank) {
  View view = vector;
  view.shape.assign(rank, Dim(1));
  view.strides.assign(rank, Dim(0));
  view.shape[1] = vector.shape[0];
  view.strides[1] = vector.strides[0];
  return view;
}
Lowered lower_batch_norm(const LowerContext& context) {
  const Node& node = context.node;
  if (!node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  const DType computed = x.dtype == DType::float64 ? DType::float64 : DType::float32;
  const size_t rank = x.shape.size();
  StepBuilder b{node, {x.dtype}, {}, {}, {}, {}, true};
  std::vector<View> inputs = {x};
  auto operand = [&](const View& view) {
    inputs.push_back(view);
    b.types.push_back(view.dtype);
    return b.cast(StepBuilder::in(static_cast<int>(inputs.size()) - 1), computed);
  };
  StepArg v = b.cast(StepBuilder::in(0), computed);
  const Tensor *scale = context.constant(1), *bias = context.constant(2),
               *mean = context.constant(3), *variance = context.constant(4);
  if (scale && bias && mean && variance) {
    Tensor factor(computed, scale->shape), summand(computed, scale->shape);
    for (int64_t c = 0; c < scale->count(); ++c) {
      const double w = scale->f64(c) / std::sqrt(variance->f64(c) + epsilon_of(node));
      factor.set_f64(c, w);
      summand.set_f64(c, bias->f64(c) - mean->f64(c) * w);
    }
    v = b.add("Mul", {v, operand(by_channel(constant_view(std::move(factor)), rank))});
    v = b.add("Add", {v, operand(by_channel(constant_view(std::move(summand)), rank))});
  } else {
    auto parameter = [&](int i) { return operand(by_channel(context.in(i), rank)); };
    Tensor epsilon(computed, {});
    epsilon.set_f64(0, epsilon_of(node));
    const StepArg deviation =
        b.add("Sqrt", {b.add("Add", {parameter(4), operand(constant_view(std::move(epsilon)))})});
    v = b.add("Mul", {b.add("Sub", {v, parameter(3)}), b.add("Div", {parameter(1), deviation})});
    v = b.add("Add", {v, parameter(2)});
  }
  b.result(b.cast(v, x.dtype));
  return {pointwise_call(std::move(b.steps), std::move(inputs), {y}, b.results)};
}

// Opset 7 had statistics for every activation, and no training mode of its own.
void import_batch_norm(ImportContext& c) {
  if (c.node.int_attribute("spatial", 1) == 0)
    throw user_error("BatchNormalization with spatial = 0 is not supported");
  c.node.attributes.erase("spatial");
}

// Training mode is another operator: batch_norm_training.cpp.
void import_training(ImportContext& c) {
  if (c.node.int_attribute("training_mode", 0) == 0) return;
  c.node.op = "BatchNormalizationTraining";
  c.node.def = find_op(c.node.op);
}

}  // namespace

void append_batch_norm(OpList& ops) {
  OpDef def{};
  def.name = "BatchNormalization";
  def.doc =
      "y = (x - mean) / sqrt(variance + epsilon) * scale + bias for each channel; x, y [N, C, "
      "...], the others [C]";
  def.min_inputs = def.max_inputs = 5;
  def.min_outputs = 1;
  def.max_outputs = 5;
  def.attributes = {{AttributeDef::real, "epsilon"},
                    {AttributeDef::real, "momentum"},
                    {AttributeDef::integer, "training_mode"}};
  def.versions = {{"", "BatchNormalization", kOldestOpset, 8, import_batch_norm},
                  {"", "BatchNormalization", 9, 13, nullptr},
                  {"", "BatchNormalization", 14, kLatestOpset, import_training}};
  def.traits = kAnyLayout;
  def.infer = infer_batch_norm;
  def.evaluate = evaluate_batch_norm;
  def.lower = lower_batch_norm;
  ops.push_back(std::move(def));
}

}  // namespace macec
