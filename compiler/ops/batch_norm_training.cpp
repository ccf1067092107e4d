// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// BatchNormalization in training mode, written as reductions and elementwise operators:
//
//   m = mean(x)   v = mean((x - m)^2)   over all axes but that of the channels
//   y = (x - m) / sqrt(v + epsilon) * scale + bias
//   running mean = mean * momentum + m * (1 - momentum), so the variance
//
// In the element type of x, or float32 where that is narrower.
#include "compiler/ops/batch_norm.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

void infer_training(InferContext& context) {
  const TensorType& x = context.type(0);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("BatchNormalization of {} is not supported", name(x.dtype));
  require_batch_norm_shapes(context);
  context.set_type(0, x.dtype, x.shape);
  context.set_type(1, context.type(3).dtype, context.shape(3));
  context.set_type(2, context.type(4).dtype, context.shape(4));
}

void expand_training(Expander& e) {
  const Node node = e.node();
  const DType type = e.dtype(e.in(0));
  const DType computed = type == DType::float64 ? type : DType::float32;
  std::vector<int64_t> others = {0}, behind;  // axes around that of the channels
  for (size_t a = 2; a < e.shape(e.in(0)).size(); ++a) others.push_back(static_cast<int64_t>(a));
  for (size_t a = 2; a < e.shape(e.in(0)).size(); ++a) behind.push_back(static_cast<int64_t>(a) - 1);
  const auto number = [&](double v) {
    Tensor tensor(computed, {});
    tensor.set_f64(0, v);
    return e.constant(std::move(tensor));
  };
  const auto by_channel = [&](ValueId v) {
    v = e.cast(v, computed);
    return behind.empty() ? v : e.unsqueeze(v, behind);
  };
  const ValueId x = e.cast(e.in(0), computed), axes = e.numbers(others);
  const ValueId mean = e.add("ReduceMean", {x, axes});
  const ValueId d = e.add("Sub", {x, mean});
  const ValueId variance = e.add("ReduceMean", {e.add("Mul", {d, d}), axes});
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
  const ValueId deviation = e.add("Sqrt", {e.add("Add", {variance, number(epsilon)})});
  const ValueId scaled = e.add("Mul", {e.add("Div", {d, deviation}), by_channel(e.in(1))});
  e.result(0, e.cast(e.add("Add", {scaled, by_channel(e.in(2))}), type));

  const double momentum = static_cast<double>(node.float_attribute("momentum", 0.9f));
  const auto running = [&](int output, ValueId before, ValueId now) {
    if (output >= static_cast<int>(node.outputs.size())) return;
    const DType kept = e.dtype(before);
    const ValueId old = e.add("Mul", {e.cast(before, computed), number(momentum)});
    const ValueId flat = e.add("Squeeze", {now, axes});
    const ValueId part = e.add("Mul", {flat, number(1 - momentum)});
    e.result(output, e.cast(e.add("Add", {old, part}), kept));
  };
  running(1, e.in(3), mean);
  running(2, e.in(4), variance);
}

}  // namespace

void append_batch_norm_training(OpList& ops) {
  OpDef def{};
  def.name = "BatchNormalizationTraining";
  def.doc =
      "BatchNormalization by mean and variance of x itself, which go into running ones; x, y [N, "
      "C, ...], the others [C]";
  def.min_inputs = def.max_inputs = 5;
  def.min_outputs = 1;
  def.max_outputs = 3;
  def.attributes = {{AttributeDef::real, "epsilon"},
                    {AttributeDef::real, "momentum"},
                    {AttributeDef::integer, "training_mode"}};
  def.infer = infer_training;
  def.evaluate = evaluate_expanded;
  def.expand = expand_training;
  ops.push_back(std::move(def));
}

}  // namespace macec
