// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CumSum, CumProd, LpNormalization, LRN and ReverseSequence: each line of one axis by itself.
#include <algorithm>
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/line.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// CumSum, CumProd ------------------------------------------------------------------------------

void infer_cumsum(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, false);
  const std::vector<int64_t> axis = require_numbers(context, 1, "the axis");
  if (axis.size() != 1) throw user_error("{} axes, but {} takes one", axis.size(), context.node.op);
  normal_axis(axis[0], x.shape.size());
  context.set_type(0, x.dtype, x.shape);
}

void evaluate_cumsum(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Lines lines(x.shape,
                    static_cast<size_t>(normal_axis(context.in(1).i64(0), x.shape.size())));
  const bool exclusive = context.node.int_attribute("exclusive", 0) != 0;
  const bool reverse = context.node.int_attribute("reverse", 0) != 0;
  const bool is_real = info(x.dtype).is_float, is_product = context.node.op == "CumProd";
  Tensor y(x.dtype, x.shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    double sum = is_product ? 1 : 0;
    uint64_t total = is_product ? 1 : 0;
    auto set = [&](int64_t at) {
      if (is_real)
        y.set_f64(at, sum);
      else
        y.set_i64(at, wrap_integer(static_cast<int64_t>(total), x.dtype));
    };
    for (int64_t k = 0; k < lines.n; ++k) {
      const int64_t at = lines.first(line) + (reverse ? lines.n - 1 - k : k) * lines.step;
      if (exclusive) set(at);
      const double v = is_real ? x.f64(at) : 0;
      const uint64_t u = is_real ? 0 : static_cast<uint64_t>(x.i64(at));
      sum = is_product ? sum * v : sum + v;
      total = is_product ? total * u : total + u;
      if (!exclusive) set(at);
    }
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_cumsum(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  const int64_t axis = known_elements(context, 1)[0].value();
  const std::string op = fmt::format("{}{}{}", context.node.op == "CumSum" ? "CumSum" : "CumMul",
                                     context.node.int_attribute("exclusive", 0) != 0 ? 1 : 0,
                                     context.node.int_attribute("reverse", 0) != 0 ? 1 : 0);
  return {line_call(op.c_str(), x, context.out(0),
                    static_cast<size_t>(normal_axis(axis, x.shape.size())))};
}

// LpNormalization ------------------------------------------------------------------------------

size_t unit_axis(const Node& node, size_t rank) {
  return static_cast<size_t>(normal_axis(node.int_attribute("axis", -1), rank));
}
void infer_unit(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  unit_axis(context.node, x.shape.size());
  const int64_t p = context.node.int_attribute("p", 2);
  if (p != 1 && p != 2) throw user_error("p is {}, but must be 1 or 2", p);
  context.set_type(0, x.dtype, x.shape);
}
void evaluate_unit(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Lines lines(x.shape, unit_axis(context.node, x.shape.size()));
  const bool is_square = context.node.int_attribute("p", 2) == 2;
  Tensor y(x.dtype, x.shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    double sum = 0;
    for (int64_t i = 0; i < lines.n; ++i) {
      const double v = x.f64(lines.first(line) + i * lines.step);
      sum += is_square ? v * v : std::fabs(v);
    }
    if (is_square) sum = std::sqrt(sum);
    for (int64_t i = 0; i < lines.n; ++i) {
      const int64_t at = lines.first(line) + i * lines.step;
      y.set_f64(at, sum == 0 ? 0 : x.f64(at) / sum);
    }
  }
  context.outputs[0] = std::move(y);
}
Lowered lower_unit(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  return {line_call(context.node.int_attribute("p", 2) == 2 ? "Unit2" : "Unit1", x, context.out(0),
                    unit_axis(context.node, x.shape.size()))};
}

// LRN ------------------------------------------------------------------------------------------

void infer_lrn(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  if (x.shape.size() < 2)
    throw user_error("input has {} axes, but needs [N, C, ...]", x.shape.size());
  const int64_t size = context.node.int_attribute("size", 0);
  if (size < 1) throw user_error("a window of {} channels", size);
  context.set_type(0, x.dtype, x.shape);
}
void evaluate_lrn(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Node& node = context.node;
  const Lines lines(x.shape, 1);
  const int64_t size = node.int_attribute("size", 1), before = (size - 1) / 2;
  const double alpha = static_cast<double>(node.float_attribute("alpha", 1e-4f)),
               beta = static_cast<double>(node.float_attribute("beta", 0.75f)),
               bias = static_cast<double>(node.float_attribute("bias", 1));
  Tensor y(x.dtype, x.shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    const int64_t first = lines.first(line);
    for (int64_t i = 0; i < lines.n; ++i) {
      double sum = 0;
      for (int64_t k = std::max<int64_t>(0, i - before);
           k <= std::min(lines.n - 1, i + size - 1 - before); ++k)
        sum += x.f64(first + k * lines.step) * x.f64(first + k * lines.step);
      y.set_f64(first + i * lines.step,
                x.f64(first + i * lines.step) /
                    std::pow(bias + alpha / static_cast<double>(size) * sum, beta));
    }
  }
  context.outputs[0] = std::move(y);
}
Lowered lower_lrn(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const Node& node = context.node;
  const int64_t size = node.int_attribute("size", 1);
  KernelCall call = line_call("LRN", context.in(0), context.out(0), 1);
  LineParamsT<Dim>& p = line_params(&call);
  p.size = size;
  p.scale = node.float_attribute("alpha", 1e-4f) / static_cast<float>(size);
  p.power = node.float_attribute("beta", 0.75f);
  p.bias = node.float_attribute("bias", 1);
  call.elements *= 8;
  return {std::move(call)};
}

// ReverseSequence ------------------------------------------------------------------------------

void reverse_axes(const Node& node, size_t rank, size_t* time, size_t* batch) {
  const int64_t t = node.int_attribute("time_axis", 0), b = node.int_attribute("batch_axis", 1);
  if (rank < 2 || t < 0 || t > 1 || b < 0 || b > 1 || t == b)
    throw user_error("time_axis {} and batch_axis {} of {} axes: they must be 0 and 1", t, b, rank);
  *time = static_cast<size_t>(t);
  *batch = static_cast<size_t>(b);
}
void infer_reverse(InferContext& context) {
  const TensorType& x = context.type(0);
  size_t time, batch;
  reverse_axes(context.node, x.shape.size(), &time, &batch);
  const TensorType& lengths = context.type(1);
  if (lengths.dtype != DType::int64 || lengths.shape.size() != 1)
    throw user_error("lengths are {}, not int64[n]", text(lengths));
  context.require_equal(lengths.shape[0], x.shape[batch], "the number of lengths",
                        fmt::format("axis {} of the input", batch));
  context.set_type(0, x.dtype, x.shape);
}
void evaluate_reverse(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  size_t time, batch;
  reverse_axes(context.node, x.shape.size(), &time, &batch);
  const Lines lines(x.shape, time);
  const int64_t inner = lines.step / (batch > time ? x.shape[batch] : 1);
  Tensor y(x.dtype, x.shape);
  for (int64_t line = 0; line < lines.count; ++line) {
    const int64_t of = batch > time ? line % lines.step / inner : line / lines.step;
    const int64_t length = context.in(1).i64(of), first = lines.first(line);
    if (length < 0 || length > lines.n)
      throw user_error("length {} of an axis of {} elements", length, lines.n);
    for (int64_t i = 0; i < lines.n; ++i)
      copy_element(x, first + (i < length ? length - 1 - i : i) * lines.step, &y,
                   first + i * lines.step);
  }
  context.outputs[0] = std::move(y);
}
Lowered lower_reverse(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  size_t time, batch;
  reverse_axes(context.node, x.shape.size(), &time, &batch);
  View lengths = context.in(1);
  const Dim stride = lengths.strides[0];
  lengths.shape = x.shape;
  lengths.strides.assign(x.shape.size(), Dim(0));
  lengths.strides[batch] = stride;
  KernelCall call = line_call("Reverse", x, context.out(0), time, lengths);
  call.inputs[1] = context.in(1);
  return {std::move(call)};
}

OpDef line_def(const char* name, const char* doc, std::vector<AttributeDef> attributes) {
  OpDef def = one_result(name, doc, 1, 1);
  def.attributes = std::move(attributes);
  def.traits = kAnyLayout;
  return def;
}

}  // namespace

void append_line_sums(OpList& ops) {
  OpDef sum = line_def("CumSum", "y = the running sums of x along an axis; x, y of any shape [...]",
                       {{AttributeDef::integer, "exclusive"}, {AttributeDef::integer, "reverse"}});
  sum.min_inputs = sum.max_inputs = 2;
  sum.versions = {{"", "CumSum", 11, kLatestOpset, nullptr}};
  sum.shape_inputs = 1u << 1;
  sum.infer = infer_cumsum;
  sum.evaluate = evaluate_cumsum;
  sum.lower = lower_cumsum;
  OpDef product = sum;
  product.name = "CumProd";
  product.doc = "y = the running products of x along an axis; x, y of any shape [...]";
  product.versions = {{"", "CumProd", 26, kLatestOpset, nullptr}};
  ops.push_back(std::move(sum));
  ops.push_back(std::move(product));

  OpDef unit =
      line_def("LpNormalization",
               "y = x / the p-norm of x along an axis, 0 where that is 0; x, y of any shape [...]",
               {{AttributeDef::integer, "axis"}, {AttributeDef::integer, "p"}});
  unit.infer = infer_unit;
  unit.evaluate = evaluate_unit;
  unit.lower = lower_unit;
  ops.push_back(std::move(unit));

  OpDef lrn = line_def("LRN",
                       "y = x / (bias + alpha / size * sum of x^2 over `size` channels)^beta; x, y "
                       "[N, C, ...]",
                       {{AttributeDef::real, "alpha"},
                        {AttributeDef::real, "beta"},
                        {AttributeDef::real, "bias"},
                        {AttributeDef::integer, "size", true}});
  lrn.infer = infer_lrn;
  lrn.evaluate = evaluate_lrn;
  lrn.lower = lower_lrn;
  ops.push_back(std::move(lrn));

  OpDef reverse = line_def(
      "ReverseSequence",
      "The first lengths[b] elements along the time axis backwards: x, y [time, batch, ...] or "
      "[batch, time, ...]",
      {{AttributeDef::integer, "time_axis"}, {AttributeDef::integer, "batch_axis"}});
  reverse.min_inputs = reverse.max_inputs = 2;
  reverse.versions = {{"", "ReverseSequence", 10, kLatestOpset, nullptr}};
  reverse.infer = infer_reverse;
  reverse.evaluate = evaluate_reverse;
  reverse.lower = lower_reverse;
  ops.push_back(std::move(reverse));
}

}  // namespace macec
