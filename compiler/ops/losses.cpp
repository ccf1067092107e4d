// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, written as look-ups and sums:
//
//   loss[n, d...] = -w[t] x[n, t, d...],  t = target[n, d...]     0 where t is ignore_index
//   mean          = the sum of the losses / the sum of the weights of all targets that count
//
// A target outside of the classes, other than ignore_index, ends the run with an error.
#include "compiler/ops/expand.h"
#include "compiler/ops/line.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::string reduction_of(const Node& node) {
  const std::string reduction = node.string_attribute("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    throw user_error("reduction '{}' is not one of none, sum, mean", reduction);
  return reduction;
}

void infer_loss(InferContext& context) {
  const TensorType &x = context.type(0), &target = context.type(1);
  check_line_type(context.node, x.dtype, true);
  if (target.dtype != DType::int32 && target.dtype != DType::int64)
    throw user_error("targets of type {} are not supported", name(target.dtype));
  if (x.shape.size() < 2 || target.shape.size() + 1 != x.shape.size())
    throw user_error("input {} and targets {} do not fit: they must be [N, C, ...] and [N, ...]",
                     text(x), text(target));
  for (size_t a = 0; a < target.shape.size(); ++a)
    context.require_equal(target.shape[a], x.shape[a == 0 ? 0 : a + 1],
                          fmt::format("axis {} of the targets", a), "that of the input");
  if (context.has(2)) {
    const TensorType& weight = context.type(2);
    if (weight.dtype != x.dtype || weight.shape.size() != 1)
      throw user_error("the weights are {}, not {}[C]", text(weight), name(x.dtype));
    context.require_equal(weight.shape[0], x.shape[1], "the number of weights",
                          "the number of classes");
  }
  context.set_type(0, x.dtype, reduction_of(context.node) == "none" ? target.shape : Shape{});
  if (context.node.outputs.size() > 1) context.set_type(1, x.dtype, x.shape);
}

ValueId total(Expander& e, ValueId v) {
  return e.add("ReduceSum", {v}, {{"keepdims", int64_t{0}}});
}

// log_p [N, C, ...] in the type that sums are made in.
ValueId loss_of(Expander& e, ValueId log_p, ValueId target) {
  const DType type = e.dtype(log_p);
  const ValueId zero = e.cast(e.number(0), type);
  ValueId ignored, weights;
  if (e.node().has_attribute("ignore_index")) {
    const ValueId index = e.constant(Tensor::scalar_i64(e.node().int_attribute("ignore_index", 0)));
    const ValueId wide = e.cast(target, DType::int64);
    ignored = e.add("Equal", {wide, index});
    target = e.add("Where", {ignored, e.constant(Tensor::scalar_i64(0)), wide});
  }
  const ValueId picked =
      e.add("GatherElements", {log_p, e.unsqueeze(target, {1})}, {{"axis", int64_t{1}}});
  ValueId loss = e.add("Neg", {e.add("Squeeze", {picked, e.constant(Tensor::vector_i64({1}))})});
  if (e.has(2)) {
    weights = e.cast(e.add("Gather", {e.in(2), target}), type);
    loss = e.add("Mul", {loss, weights});
  }
  if (ignored.is_valid()) {
    const ValueId one = e.cast(e.number(1), type);
    weights = e.add("Where", {ignored, zero, weights.is_valid() ? weights : one});
    loss = e.add("Where", {ignored, zero, loss});
  }
  const std::string reduction = reduction_of(e.node());
  if (reduction == "none") return loss;
  if (reduction == "sum") return total(e, loss);
  if (!weights.is_valid()) return e.add("ReduceMean", {loss}, {{"keepdims", int64_t{0}}});
  return e.add("Div", {total(e, loss), total(e, weights)});
}

// Sums of 16-bit floats are made in float.
DType sum_type(DType dtype) {
  return dtype == DType::float64 ? DType::float64 : DType::float32;
}

void expand_likelihood(Expander& e) {
  const DType type = e.dtype(e.in(0));
  e.result(0, e.cast(loss_of(e, e.cast(e.in(0), sum_type(type)), e.in(1)), type));
}

void expand_cross_entropy(Expander& e) {
  const DType type = e.dtype(e.in(0));
  const ValueId log_p =
      e.add("LogSoftmax", {e.cast(e.in(0), sum_type(type))}, {{"axis", int64_t{1}}});
  e.result(0, e.cast(loss_of(e, log_p, e.in(1)), type));
  e.result(1, e.cast(log_p, type));
}

OpDef loss_def(const char* name, const char* doc) {
  OpDef def = one_result(name, doc, 2, 3, 12);
  def.attributes = {{AttributeDef::integer, "ignore_index"}, {AttributeDef::text, "reduction"}};
  def.infer = infer_loss;
  def.evaluate = evaluate_expanded;
  return def;
}

}  // namespace

void append_losses(OpList& ops) {
  OpDef likelihood = loss_def("NegativeLogLikelihoodLoss",
                              "-w[t] x[n, t, ...] of targets t [N, ...], x [N, C, ...], w [C]; "
                              "none, their sum or mean");
  likelihood.expand = expand_likelihood;
  ops.push_back(std::move(likelihood));
  OpDef entropy = loss_def("SoftmaxCrossEntropyLoss",
                           "NegativeLogLikelihoodLoss of the logarithms of Softmax along axis 1, "
                           "which are output 1");
  entropy.max_outputs = 2;
  entropy.expand = expand_cross_entropy;
  ops.push_back(std::move(entropy));
}

}  // namespace macec
