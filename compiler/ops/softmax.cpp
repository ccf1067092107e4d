// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax.
//
// Before opset 13 the input is seen as a matrix [axes before `axis`, `axis` and all behind it] and each row is normalised; the
// importer says so by the attribute `flattened`, which no newer model has.
#include <algorithm>
#include <cmath>

#include "compiler/ops/groups.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/rows.h"

namespace macec {
namespace {

// The axes that one row runs along: [begin, end).
struct RowAxes {
  size_t begin, end;
};
RowAxes row_axes(const Node& node, size_t rank) {
  const int64_t axis = node.int_attribute("axis", -1);
  const auto r = static_cast<int64_t>(rank);
  const bool is_flattened = node.int_attribute("flattened", 0) != 0;
  if (is_flattened && axis == r) return {rank, rank};  // rows of one element
  if (rank == 0) {
    if (axis != 0 && axis != -1) throw user_error("axis {} of a scalar", axis);
    return {0, 0};
  }
  if (axis < -r || axis >= r)
    throw user_error("axis {} is outside the {} axes of the input", axis, r);
  const auto begin = static_cast<size_t>(axis < 0 ? axis + r : axis);
  return {begin, is_flattened ? rank : begin + 1};
}

void infer_softmax(InferContext& context) {
  const TensorType& x = context.type(0);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("{} of {} is not supported", context.node.op, name(x.dtype));
  row_axes(context.node, x.shape.size());
  context.set_type(0, x.dtype, x.shape);
}

void evaluate_softmax(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const RowAxes axes = row_axes(context.node, x.shape.size());
  const bool is_log = context.node.op == "LogSoftmax";
  int64_t outer = 1, n = 1, inner = 1;
  for (size_t a = 0; a < x.shape.size(); ++a)
    (a < axes.begin ? outer : a < axes.end ? n : inner) *= x.shape[a];
  Tensor y(x.dtype, x.shape);
  for (int64_t row = 0; row < outer * inner; ++row) {
    const int64_t base = row / inner * n * inner + row % inner;
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < n; ++j) largest = std::max(largest, x.f64(base + j * inner));
    for (int64_t j = 0; j < n; ++j) sum += std::exp(x.f64(base + j * inner) - largest);
    for (int64_t j = 0; j < n; ++j) {
      const double v = x.f64(base + j * inner) - largest;
      y.set_f64(base + j * inner, is_log ? v - std::log(sum) : std::exp(v) / sum);
    }
  }
  context.outputs[0] = std::move(y);
}

// The nest of all axes but those of a row, in x and y.
LoopNest other_axes(const View& x, const View& y, RowAxes axes) {
  Shape shape = y.shape;
  for (size_t a = axes.begin; a < axes.end; ++a) shape[a] = 1;
  return make_nest(shape, {x.strides, y.strides}, 1);
}

Lowered lower_softmax(const LowerContext& context) {
  const View &x = context.in(0), &y = context.out(0);
  const RowAxes axes = row_axes(context.node, x.shape.size());
  SoftmaxParamsT<Dim> params{};
  if (!merged_stride(x, axes.begin, axes.end, &params.x_step) ||
      !merged_stride(y, axes.begin, axes.end, &params.y_step))
    return {};
  params.n = product(Shape(y.shape.begin() + static_cast<std::ptrdiff_t>(axes.begin),
                           y.shape.begin() + static_cast<std::ptrdiff_t>(axes.end)));
  params.outer = params.inner = 1;
  const LoopNest nest = other_axes(x, y, axes);
  const bool is_contiguous = params.x_step == Dim(1) && params.y_step == Dim(1);
  if (!is_contiguous && (params.x_step == Dim(1) || params.y_step == Dim(1))) return {};
  size_t outer_axes = nest.extent.size();
  if (!is_contiguous && outer_axes > 0 && nest.strides[0].back() == Dim(1) &&
      nest.strides[1].back() == Dim(1)) {
    params.inner = nest.extent.back();
    --outer_axes;
  }
  if (outer_axes > 1) return {};
  if (outer_axes == 1) {
    params.outer = nest.extent[0];
    params.x_outer = nest.strides[0][0];
    params.y_outer = nest.strides[1][0];
  }
  KernelCall call;
  call.family = Family::softmax;
  call.op = context.node.op == "LogSoftmax" ? "log" : "";
  call.params = params;
  call.inputs = {x};
  call.outputs = {y};
  call.constant_uses.resize(1);
  call.units = params.outer;
  call.elements = static_cast<double>(product(y.shape).hi()) * 12;
  if (!context.node.epilogue.empty()) {
    const bool is_last = is_contiguous && axes.begin + 1 == y.shape.size();
    if (!is_last || !attach_epilogue(context, static_cast<int>(axes.begin), &call)) return {};
  }
  return {call};
}

void import_flattened(ImportContext& c) {
  c.node.attributes["axis"] = c.node.int_attribute("axis", 1);
  c.node.attributes["flattened"] = int64_t{1};
}

OpDef softmax_def(const char* name, const char* doc) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = def.max_inputs = def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "axis"}, {AttributeDef::integer, "flattened"}};
  def.versions = {{"", name, kOldestOpset, 12, import_flattened},
                  {"", name, 13, kLatestOpset, nullptr}};
  def.traits = kAnyLayout;
  def.infer = infer_softmax;
  def.evaluate = evaluate_softmax;
  def.lower = lower_softmax;
  return def;
}

}  // namespace

void append_softmax(OpList& ops) {
  ops.push_back(
      softmax_def("Softmax", "y = e^x / the sum of e^x along an axis; x, y of any shape [...]"));
  ops.push_back(softmax_def("LogSoftmax",
                            "y = x - log(the sum of e^x along an axis); x, y of any shape [...]"));
}

}  // namespace macec
