// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ArgMax, ArgMin, TopK and Hardmax: where the greatest elements along one axis are.
//
// A NaN comes before every number; among equals the first one wins, or with select_last_index the
// last one. TopK always sorts.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/ops/line.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

size_t axis_of(const Node& node, size_t rank, int64_t otherwise) {
  const int64_t axis = node.int_attribute("axis", otherwise);
  if (rank == 0 && (axis == 0 || axis == -1)) return 0;
  return static_cast<size_t>(normal_axis(axis, rank));
}

// Whether element i of a tensor comes before element j.
bool is_before(const Tensor& x, int64_t i, int64_t j, bool least) {
  if (!info(x.dtype).is_float) {
    const int64_t a = x.i64(i), b = x.i64(j);
    if (x.dtype == DType::uint64) {
      const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
      return least ? ua < ub : ua > ub;
    }
    return least ? a < b : a > b;
  }
  const double a = x.f64(i), b = x.f64(j);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  return least ? a < b : a > b;
}

int64_t best_of(const Tensor& x, const Lines& lines, int64_t line, bool least, bool last) {
  const int64_t first = lines.first(line);
  int64_t best = 0;
  for (int64_t i = 1; i < lines.n; ++i) {
    const int64_t at = first + i * lines.step, from = first + best * lines.step;
    if (is_before(x, at, from, least) || (last && !is_before(x, from, at, least))) best = i;
  }
  return best;
}

// ArgMax, ArgMin -------------------------------------------------------------------------------

void infer_arg(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, false);
  const size_t axis = axis_of(context.node, x.shape.size(), 0);
  Shape y = x.shape;
  if (!y.empty()) {
    if (y[axis].lo() <= 0)
      throw user_error("axis {} has {} elements, but needs one", axis, y[axis].text());
    y[axis] = 1;
    if (context.node.int_attribute("keepdims", 1) == 0)
      y.erase(y.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  context.set_type(0, DType::int64, y);
}

void evaluate_arg(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const size_t axis = axis_of(context.node, x.shape.size(), 0);
  const Lines lines(x.shape, axis);
  std::vector<int64_t> shape = x.shape;
  if (!shape.empty()) {
    shape[axis] = 1;
    if (context.node.int_attribute("keepdims", 1) == 0)
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  }
  Tensor y(DType::int64, shape);
  const bool last = context.node.int_attribute("select_last_index", 0) != 0;
  for (int64_t line = 0; line < lines.count; ++line)
    y.set_i64(line, best_of(x, lines, line, context.node.op == "ArgMin", last));
  context.outputs[0] = std::move(y);
}

Lowered lower_arg(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  const size_t axis = axis_of(context.node, x.shape.size(), 0);
  View y = context.out(0);
  if (y.shape.size() < x.shape.size()) {
    const auto at = static_cast<std::ptrdiff_t>(axis);
    y.shape.insert(y.shape.begin() + at, Dim(1));
    y.strides.insert(y.strides.begin() + at, Dim(1));
  }
  const bool last = context.node.int_attribute("select_last_index", 0) != 0;
  const std::string op = context.node.op + (last ? "Last" : "");
  return {line_call(op.c_str(), x, y, axis)};
}

// Hardmax --------------------------------------------------------------------------------------

// Before opset 13 the input is a matrix [axes before `axis`, all others], and a line is a row of it;
// the importer says so by the attribute `flattened`.
bool is_flattened(const Node& node) {
  return node.int_attribute("flattened", 0) != 0;
}
Shape rows_of(const Node& node, const Shape& shape) {
  const int64_t rank = static_cast<int64_t>(shape.size());
  const int64_t axis = node.int_attribute("axis", 1);
  if (axis < -rank || axis > rank)
    throw user_error("axis {} is outside the {} axes of the input", axis, rank);
  const auto middle = shape.begin() + static_cast<std::ptrdiff_t>(axis < 0 ? axis + rank : axis);
  return {product(Shape(shape.begin(), middle)), product(Shape(middle, shape.end()))};
}

void infer_hardmax(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  if (is_flattened(context.node))
    rows_of(context.node, x.shape);
  else
    axis_of(context.node, x.shape.size(), -1);
  context.set_type(0, x.dtype, x.shape);
}
void evaluate_hardmax(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const bool is_flat = is_flattened(context.node);
  const std::vector<int64_t> shape =
      is_flat ? fixed(rows_of(context.node, to_shape(x.shape))) : x.shape;
  const Lines lines(shape, is_flat ? 1 : axis_of(context.node, x.shape.size(), -1));
  Tensor y(x.dtype, x.shape);
  for (int64_t line = 0; line < lines.count && lines.n > 0; ++line)
    y.set_f64(lines.first(line) + best_of(x, lines, line, false, false) * lines.step, 1);
  context.outputs[0] = std::move(y);
}
Lowered lower_hardmax(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  if (!is_flattened(context.node))
    return {line_call("Hardmax", x, y, axis_of(context.node, x.shape.size(), -1))};
  const Shape rows = rows_of(context.node, x.shape);
  View x_rows, y_rows;
  if (!reshape_view(x, rows, &x_rows) || !reshape_view(y, rows, &y_rows)) return {};
  return {line_call("Hardmax", x_rows, y_rows, 1)};
}
void import_flattened(ImportContext& c) {
  c.node.attributes.emplace("axis", int64_t{1});
  c.node.attributes["flattened"] = int64_t{1};
}

// TopK -----------------------------------------------------------------------------------------

void infer_topk(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, false);
  const size_t axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", -1), x.shape.size()));
  const std::vector<Dim>& k = require_known(context, 1, "the number of elements");
  if (k.size() != 1) throw user_error("k has {} elements", k.size());
  if (k[0].lo() < 0 || k[0].lo() > x.shape[axis].hi())
    throw user_error("{} elements of an axis of {}", k[0].text(), x.shape[axis].text());
  if (k[0].hi() > x.shape[axis].lo() && !(x.shape[axis] == k[0])) {
    throw user_error("{} elements of an axis of {}, which may be fewer, is not supported",
                     k[0].text(), x.shape[axis].text());
  }
  Shape y = x.shape;
  y[axis] = k[0];
  context.set_type(0, x.dtype, y);
  if (context.node.outputs.size() > 1) context.set_type(1, DType::int64, y);
}

void evaluate_topk(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const size_t axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", -1), x.shape.size()));
  const bool least = context.node.int_attribute("largest", 1) == 0;
  std::vector<int64_t> shape = x.shape;
  shape[axis] = context.in(1).i64(0);
  if (shape[axis] < 0 || shape[axis] > x.shape[axis])
    throw user_error("{} elements of an axis of {}", shape[axis], x.shape[axis]);
  Tensor y(x.dtype, shape), indices(DType::int64, shape);
  const Lines from(x.shape, axis), to(shape, axis);
  for (int64_t line = 0; line < from.count; ++line) {
    const int64_t first = from.first(line);
    std::vector<int64_t> order(static_cast<size_t>(from.n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      return is_before(x, first + i * from.step, first + j * from.step, least);
    });
    for (int64_t i = 0; i < to.n; ++i) {
      const int64_t at = to.first(line) + i * to.step, picked = order[static_cast<size_t>(i)];
      copy_element(x, first + picked * from.step, &y, at);
      indices.set_i64(at, picked);
    }
  }
  context.outputs[0] = std::move(y);
  if (context.outputs.size() > 1) context.outputs[1] = std::move(indices);
}

Lowered lower_topk(const LowerContext& context) {
  const Node& node = context.node;
  if (!node.epilogue.empty()) return {};
  const View& x = context.in(0);
  const size_t axis =
      static_cast<size_t>(normal_axis(node.int_attribute("axis", -1), x.shape.size()));
  const bool has_values = node.outputs[0].is_valid();
  const bool has_indices = node.outputs.size() > 1 && node.outputs[1].is_valid();
  const View y = has_values ? context.out(0) : context.out(1);
  if (has_values && has_indices && !context.out(1).lies_like(y)) return {};
  const bool least = node.int_attribute("largest", 1) == 0;
  KernelCall call = line_call(least ? "TopKLeast" : "TopK", x, y, axis);
  call.outputs = {has_values ? y : View(), has_indices ? context.out(1) : View()};
  call.elements *= 4;
  return {std::move(call)};
}

// k is an input since opset 10, an attribute before.
void import_topk(ImportContext& c) {
  const int64_t k = c.node.int_attribute("k", -1);
  if (k < 0) throw user_error("attribute 'k' is missing");
  c.node.attributes.erase("k");
  c.node.inputs.resize(1);
  c.node.inputs.push_back(c.constant("k", Tensor::vector_i64({k})));
}

OpDef line_def(const char* name, const char* doc, int inputs) {
  OpDef def = one_result(name, doc, inputs, inputs);
  def.attributes = {{AttributeDef::integer, "axis"}};
  return def;
}

OpDef arg_def(const char* name, const char* doc) {
  OpDef def = line_def(name, doc, 1);
  def.attributes.push_back({AttributeDef::integer, "keepdims"});
  def.attributes.push_back({AttributeDef::integer, "select_last_index"});
  def.infer = infer_arg;
  def.evaluate = evaluate_arg;
  def.lower = lower_arg;
  return def;
}

}  // namespace

void append_arg(OpList& ops) {
  ops.push_back(arg_def("ArgMax",
                        "y = the index of the greatest element along an axis: x [..., n, ...], y "
                        "int64 [..., 1, ...] or without the axis"));
  ops.push_back(arg_def("ArgMin",
                        "y = the index of the least element along an axis: x [..., n, ...], y "
                        "int64 [..., 1, ...] or without the axis"));

  OpDef hardmax = line_def(
      "Hardmax",
      "y = 1 at the first greatest element along an axis, else 0; x, y of any shape [...]", 1);
  hardmax.attributes.push_back({AttributeDef::integer, "flattened"});
  hardmax.versions = {{"", "Hardmax", kOldestOpset, 12, import_flattened},
                      {"", "Hardmax", 13, kLatestOpset, nullptr}};
  hardmax.traits = kAnyLayout;
  hardmax.infer = infer_hardmax;
  hardmax.evaluate = evaluate_hardmax;
  hardmax.lower = lower_hardmax;
  ops.push_back(std::move(hardmax));

  OpDef topk = line_def("TopK",
                        "The k greatest (or least) elements along an axis in order, and their "
                        "indices: x [..., n, ...], both outputs [..., k, ...]",
                        2);
  topk.max_outputs = 2;
  topk.attributes.push_back({AttributeDef::integer, "largest"});
  topk.attributes.push_back({AttributeDef::integer, "sorted"});
  topk.attributes.push_back({AttributeDef::integer, "k"});
  topk.versions = {{"", "TopK", kOldestOpset, 9, import_topk},
                   {"", "TopK", 10, kLatestOpset, nullptr}};
  topk.shape_inputs = 1u << 1;
  topk.infer = infer_topk;
  topk.evaluate = evaluate_topk;
  topk.lower = lower_topk;
  ops.push_back(std::move(topk));
}

}  // namespace macec
