// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over any set of axes, and global pooling.
//
// Axes are an input since opset 18 (ReduceSum: 13), an attribute before. No axes: all of them, unless noop_with_empty_axes says
// that nothing is reduced; then each element is reduced by itself (ReduceSumSquare still squares).
#include <algorithm>
#include <cmath>

#include "compiler/ops/expand.h"
#include "compiler/ops/groups.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/rows.h"

namespace macec {
namespace {

const char* kind_of(const Node& node) {
  if (node.op == "GlobalAveragePool") return "Mean";
  if (node.op == "GlobalMaxPool") return "Max";
  if (node.op == "GlobalLpPool") {
    const int64_t p = node.int_attribute("p", 2);
    if (p < 1) throw user_error("GlobalLpPool with p {} is not supported", p);
    return p == 1 ? "L1" : p == 2 ? "L2" : "Lp";
  }
  return node.def->name + std::string_view("Reduce").size();
}

bool is_noop(const Node& node, bool has_axes) {
  return !has_axes && node.int_attribute("noop_with_empty_axes", 0) != 0;
}

std::vector<size_t> all_axes(size_t rank) {
  std::vector<size_t> axes(rank);
  for (size_t a = 0; a < rank; ++a) axes[a] = a;
  return axes;
}

// noop: no axes at all.
std::vector<size_t> axes_of(const Node& node, const std::vector<int64_t>& given, size_t rank) {
  if (!given.empty()) return checked_axes(given, rank);
  return is_noop(node, false) ? std::vector<size_t>{} : all_axes(rank);
}

std::vector<int64_t> known_axes(const InferContext& context) {
  if (!context.has(1)) return {};
  const std::vector<Dim>* known = context.known(1);
  if (!known || !is_fixed(*known)) {
    throw user_error("axes that are computed when the model runs are not supported");
  }
  return fixed(*known);
}

Shape reduced_shape(const Shape& x, const std::vector<size_t>& axes, bool keeps) {
  Shape shape;
  for (size_t a = 0; a < x.size(); ++a) {
    const bool is_reduced = std::binary_search(axes.begin(), axes.end(), a);
    if (!is_reduced)
      shape.push_back(x[a]);
    else if (keeps)
      shape.emplace_back(1);
  }
  return shape;
}

void check_type(const Node& node, DType dtype) {
  const DTypeInfo& type = info(dtype);
  const std::string op = node.op;
  const bool orders_bools = dtype == DType::boolean && (op == "ReduceMax" || op == "ReduceMin");
  const bool is_number = (type.is_float && type.bits >= 16) || (type.is_integer && type.bits >= 8);
  if (!orders_bools && !is_number) throw user_error("{} of {} is not supported", op, type.name);
}

// A known vector reduced to one extent: the number of elements of a shape.
void infer_known(InferContext& context, const std::vector<size_t>& axes) {
  const std::vector<Dim>* known = context.known(0);
  if (!known || axes.size() != 1 || context.shape(0).size() != 1 || known->empty() ||
      !info(context.type(0).dtype).is_integer)
    return;
  const std::string op = kind_of(context.node);
  Dim total = (*known)[0];
  for (size_t i = 1; i < known->size(); ++i) {
    const Dim& next = (*known)[i];
    if (op == "Sum")
      total += next;
    else if (op == "Prod")
      total *= next;
    else if (op == "Max")
      total = max(total, next);
    else if (op == "Min")
      total = min(total, next);
    else
      return;
    if (total.lo() < -(int64_t{1} << 52) || total.hi() > int64_t{1} << 52) return;
  }
  if (op == "Sum" || op == "Prod" || op == "Max" || op == "Min") context.set_known(0, {total});
}

void infer_reduce(InferContext& context) {
  const TensorType& x = context.type(0);
  check_type(context.node, x.dtype);
  const std::vector<size_t> axes = axes_of(context.node, known_axes(context), x.shape.size());
  context.set_type(0, x.dtype,
                   reduced_shape(x.shape, axes, context.node.int_attribute("keepdims", 1) != 0));
  infer_known(context, axes);
}

void evaluate_reduce(EvaluateContext& context) {
  const std::vector<int64_t> given =
      context.has(1) ? to_i64(context.in(1)) : std::vector<int64_t>{};
  const std::vector<size_t> axes = axes_of(context.node, given, context.in(0).shape.size());
  context.outputs[0] = evaluate_reduction(kind_of(context.node), context.in(0), axes,
                                          context.node.int_attribute("keepdims", 1) != 0);
}

// bool is reduced as bytes of 0 and 1; over nothing that would give bytes that are neither.
KernelCall as_bytes(KernelCall call) {
  if (call.inputs[0].dtype != DType::boolean) return call;
  if (product(call.inputs[0].shape).lo() <= 0)
    throw user_error("a reduction of bool over nothing is not supported");
  call.inputs[0].dtype = call.outputs[0].dtype = DType::uint8;
  return call;
}

Lowered lower_reduce(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  std::vector<int64_t> given;
  if (context.has(1)) {
    const Tensor* axes = context.constant(1);
    const auto& known = context.graph.value(context.node.inputs[1]).known;
    if (!axes && !known) return {};
    given = axes ? to_i64(*axes) : fixed(*known);
  }
  const std::vector<size_t> axes = axes_of(context.node, given, x.shape.size());
  const View y = context.node.int_attribute("keepdims", 1) != 0 ? context.out(0)
                                                                : with_axes(context.out(0), axes);
  return {as_bytes(reduce_call(kind_of(context.node), x, y, axes))};
}

// Older forms: axes are an attribute. An empty one and none mean all axes.
void import_axes(ImportContext& c) {
  c.node.inputs.resize(1);
  const std::vector<int64_t> axes = c.node.ints_attribute("axes");
  c.node.attributes.erase("axes");
  if (!axes.empty()) c.node.inputs.push_back(c.constant("axes", Tensor::vector_i64(axes)));
}

// --- global pooling -----------------------------------------------------------------------------------------------------

std::vector<size_t> spatial_axes(size_t rank) {
  if (rank < 3) throw user_error("input has {} axes, but needs [N, C, spatial...]", rank);
  std::vector<size_t> axes = all_axes(rank);
  axes.erase(axes.begin(), axes.begin() + 2);
  return axes;
}
void infer_global_pool(InferContext& context) {
  const TensorType& x = context.type(0);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("{} of {} is not supported", context.node.op, name(x.dtype));
  kind_of(context.node);
  context.set_type(0, x.dtype, reduced_shape(x.shape, spatial_axes(x.shape.size()), true));
}
void evaluate_global_pool(EvaluateContext& context) {
  if (kind_of(context.node) == std::string_view("Lp")) return evaluate_expanded(context);
  const Tensor& x = context.in(0);
  context.outputs[0] =
      evaluate_reduction(kind_of(context.node), x, spatial_axes(x.shape.size()), true);
}
// Norms other than 1 and 2.
bool expands_global_pool(const Graph&, const Node& node) {
  return kind_of(node) == std::string_view("Lp");
}
void expand_global_pool(Expander& e) {
  const float p = static_cast<float>(e.node().int_attribute("p", 2));
  const DType type = e.dtype(e.in(0));
  std::vector<int64_t> axes;
  for (size_t a : spatial_axes(e.shape(e.in(0)).size())) axes.push_back(static_cast<int64_t>(a));
  const ValueId powers = e.add("Pow", {e.add("Abs", {e.in(0)}), e.cast(e.number(p), type)});
  const ValueId sum = e.add("ReduceSum", {powers, e.numbers(axes)});
  e.result(0, e.add("Pow", {sum, e.cast(e.number(1 / p), type)}));
}
Lowered lower_global_pool(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  return {reduce_call(kind_of(context.node), x, context.out(0), spatial_axes(x.shape.size()))};
}

OpDef reduce_def(const char* name, const char* doc, int input_since) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = 1;
  def.max_inputs = 2;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "keepdims"},
                    {AttributeDef::integer, "noop_with_empty_axes"}};
  def.versions = {{"", name, kOldestOpset, input_since - 1, import_axes},
                  {"", name, input_since, kLatestOpset, nullptr}};
  def.infer = infer_reduce;
  def.evaluate = evaluate_reduce;
  def.lower = lower_reduce;
  return def;
}
OpDef global_pool_def(const char* name, const char* doc) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = def.max_inputs = def.min_outputs = def.max_outputs = 1;
  def.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  def.traits = kAnyLayout;
  def.infer = infer_global_pool;
  def.evaluate = evaluate_global_pool;
  def.lower = lower_global_pool;
  return def;
}

}  // namespace

void append_reduce(OpList& ops) {
  ops.push_back(reduce_def(
      "ReduceL1", "y = the sum of |x| over the axes; x [...], y without them or with extents of 1",
      18));
  ops.push_back(reduce_def(
      "ReduceL2",
      "y = the root of the sum of x^2 over the axes; x [...], y without them or with extents of 1",
      18));
  ops.push_back(reduce_def(
      "ReduceLogSum",
      "y = log(sum of x) over the axes; x [...], y without them or with extents of 1", 18));
  ops.push_back(reduce_def(
      "ReduceLogSumExp",
      "y = log(sum of e^x) over the axes; x [...], y without them or with extents of 1", 18));
  ops.push_back(reduce_def(
      "ReduceMax",
      "y = the greatest x along the axes; x [...], y without them or with extents of 1", 18));
  ops.push_back(reduce_def(
      "ReduceMean", "y = the mean of x over the axes; x [...], y without them or with extents of 1",
      18));
  ops.push_back(reduce_def(
      "ReduceMin", "y = the least x along the axes; x [...], y without them or with extents of 1",
      18));
  ops.push_back(reduce_def(
      "ReduceProd",
      "y = the product of x over the axes; x [...], y without them or with extents of 1", 18));
  ops.push_back(reduce_def(
      "ReduceSum", "y = the sum of x over the axes; x [...], y without them or with extents of 1",
      13));
  ops.push_back(reduce_def(
      "ReduceSumSquare",
      "y = the sum of x^2 over the axes; x [...], y without them or with extents of 1", 18));
  ops.push_back(global_pool_def(
      "GlobalAveragePool", "y = the mean of each channel: x [N, C, spatial...], y [N, C, 1...]"));
  ops.push_back(global_pool_def(
      "GlobalMaxPool", "y = the maximum of each channel: x [N, C, spatial...], y [N, C, 1...]"));
  ops.push_back(global_pool_def(
      "GlobalLpPool", "y = the p-norm of each channel: x [N, C, spatial...], y [N, C, 1...]"));
  ops.back().attributes = {{AttributeDef::integer, "p"}};
  ops.back().expand = expand_global_pool;
  ops.back().expands = expands_global_pool;
}

}  // namespace macec
