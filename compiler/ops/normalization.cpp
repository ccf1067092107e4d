// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LayerNormalization and RMSNormalization: rows are all axes from `axis` on.
//
//   x [rows..., n...]    mean, inverse deviation [rows..., 1...]    scale, bias broadcast to [n...]
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/groups.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/rows.h"

namespace macec {
namespace {

size_t row_axis(const Node& node, size_t rank) {
  return checked_axes({node.int_attribute("axis", -1)}, rank)[0];
}
bool is_layer(const Node& node) {
  return node.op == "LayerNormalization";
}

// Broadcasting to the axes of a row only.
void check_row_operand(InferContext& context, int i, size_t axis, const char* what) {
  if (!context.has(i)) return;
  const Shape &x = context.shape(0), &operand = context.shape(i);
  for (size_t a = 0; a < operand.size(); ++a) {
    const size_t from_end = operand.size() - a;
    if (operand[a] == Dim(1)) continue;
    if (from_end > x.size() - axis)
      throw user_error("the {} {} varies outside the normalized axes of {}", what, text(operand),
                       text(x));
    context.require_equal(operand[a], x[x.size() - from_end],
                          fmt::format("axis {} of the {}", a, what),
                          fmt::format("axis {} of the input", x.size() - from_end));
  }
}

void infer_norm(InferContext& context) {
  const TensorType& x = context.type(0);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("{} of {} is not supported", context.node.op, name(x.dtype));
  const size_t axis = row_axis(context.node, x.shape.size());
  check_row_operand(context, 1, axis, "scale");
  if (is_layer(context.node)) check_row_operand(context, 2, axis, "bias");
  const int64_t stash = context.node.int_attribute("stash_type", 1);
  if (stash != 1 && stash != 16) throw user_error("stash_type {} is not supported", stash);
  // RMSNormalization has the type of its scale (V), LayerNormalization that of its input.
  context.set_type(0, is_layer(context.node) ? x.dtype : context.type(1).dtype, x.shape);
  Shape rows = x.shape;
  for (size_t a = axis; a < rows.size(); ++a) rows[a] = 1;
  for (size_t o = 1; o < context.node.outputs.size(); ++o) {
    context.set_type(static_cast<int>(o), stash == 1 ? DType::float32 : DType::bfloat16, rows);
  }
}

// Element e of a row of an operand that broadcasts to the row's shape.
struct RowOperand {
  const Tensor* tensor = nullptr;
  std::vector<int64_t> row;

  double at(int64_t e, double otherwise) const {
    if (!tensor) return otherwise;
    int64_t offset = 0, stride = 1;
    for (size_t a = 0; a < std::min(row.size(), tensor->shape.size()); ++a) {
      const int64_t extent = row[row.size() - 1 - a],
                    own = tensor->shape[tensor->shape.size() - 1 - a];
      if (own != 1) offset += e % extent * stride;
      stride *= own;
      e /= extent;
    }
    return tensor->f64(offset);
  }
};

void evaluate_norm(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const size_t axis = row_axis(context.node, x.shape.size());
  const double epsilon = static_cast<double>(context.node.float_attribute("epsilon", 1e-5f));
  std::vector<int64_t> row(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end()),
      stats = x.shape;
  for (size_t a = axis; a < stats.size(); ++a) stats[a] = 1;
  const int64_t n = Tensor(DType::int2, row).count(), rows = Tensor(DType::int2, stats).count();
  const RowOperand scale{&context.in(1), row},
      bias{is_layer(context.node) && context.has(2) ? &context.in(2) : nullptr, row};
  context.outputs[0] = Tensor(is_layer(context.node) ? x.dtype : context.in(1).dtype, x.shape);
  const DType stash =
      context.node.int_attribute("stash_type", 1) == 1 ? DType::float32 : DType::bfloat16;
  for (size_t o = 1; o < context.outputs.size(); ++o) context.outputs[o] = Tensor(stash, stats);
  for (int64_t r = 0; r < rows; ++r) {
    double sum = 0, squares = 0;
    for (int64_t e = 0; e < n; ++e) sum += x.f64(r * n + e);
    const double mean = is_layer(context.node) ? sum / static_cast<double>(n) : 0;
    for (int64_t e = 0; e < n; ++e)
      squares += (x.f64(r * n + e) - mean) * (x.f64(r * n + e) - mean);
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(n) + epsilon);
    for (int64_t e = 0; e < n; ++e) {
      context.outputs[0].set_f64(
          r * n + e, (x.f64(r * n + e) - mean) * inverse * scale.at(e, 1) + bias.at(e, 0));
    }
    if (context.outputs.size() > 1) context.outputs[1].set_f64(r, mean);
    if (context.outputs.size() > 2) context.outputs[2].set_f64(r, inverse);
  }
}

// The operand as n dense elements: constants are spread out, others must be so already.
bool row_view(const View& operand, const Shape& row, View* out) {
  *out = operand;
  Shape shape = operand.shape;
  while (!shape.empty() && shape.size() > row.size()) shape.erase(shape.begin());
  Dim stride;
  if (shape == row && merged_stride(operand, 0, operand.shape.size(), &stride) && stride == Dim(1))
    return true;
  if (!operand.constant || !is_fixed(row)) return false;
  const RowOperand from{operand.constant.get(), fixed(row)};
  auto spread = std::make_shared<Tensor>(operand.dtype, fixed(row));
  for (int64_t e = 0; e < spread->count(); ++e) spread->set_f64(e, from.at(e, 0));
  *out = dense_view(-1, spread->type());
  out->constant = std::move(spread);
  return true;
}

Lowered lower_norm(const LowerContext& context) {
  const Node& node = context.node;
  const View &x = context.in(0), &y = context.out(0);
  const size_t axis = row_axis(node, x.shape.size()), rank = x.shape.size();
  NormParamsT<Dim> params{};
  Dim x_step, y_step;
  if (!merged_stride(x, axis, rank, &x_step) || !merged_stride(y, axis, rank, &y_step)) return {};
  if (x_step != Dim(1) || y_step != Dim(1)) return {};
  if (!merged_stride(x, 0, axis, &params.x_row) || !merged_stride(y, 0, axis, &params.y_row))
    return {};
  params.rows =
      product(Shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis)));
  const Shape row(x.shape.begin() + static_cast<std::ptrdiff_t>(axis), x.shape.end());
  params.n = product(row);
  params.epsilon = node.float_attribute("epsilon", 1e-5f);

  KernelCall call;
  call.family = Family::norm;
  call.op = is_layer(node) ? "layer" : "rms";
  View scale, bias;
  const bool has_bias = is_layer(node) && context.has(2);
  if (!row_view(context.in(1), row, &scale) || (has_bias && !row_view(context.in(2), row, &bias)))
    return {};
  call.inputs = {x, scale, bias};
  call.outputs = {y};
  for (size_t o = 1; o < (is_layer(node) ? 3u : 2u); ++o) {
    const bool is_wanted = o < node.outputs.size() && node.outputs[o].is_valid();
    call.outputs.push_back(is_wanted ? context.out(static_cast<int>(o)) : View());
    Dim step;
    if (is_wanted && (!merged_stride(call.outputs.back(), 0, rank, &step) || step != Dim(1)))
      return {};
  }
  call.constant_uses.resize(call.inputs.size());
  call.units = params.rows;
  call.elements = static_cast<double>(product(x.shape).hi()) * 4;
  call.params = std::move(params);
  if (!node.epilogue.empty() &&
      (axis + 1 != rank || !attach_epilogue(context, static_cast<int>(axis), &call)))
    return {};
  return {call};
}

// What the kernels cannot do: double, statistics in bfloat16, operands that are computed and
// broadcast, or of two types.
bool expands_norm(const Graph& graph, const Node& node) {
  const TensorType& x = graph.type(node.inputs[0]);
  const DType scale = graph.type(node.inputs[1]).dtype;
  bool is_odd = x.dtype == DType::float64 || scale == DType::float64;
  const Shape row(x.shape.begin() + static_cast<std::ptrdiff_t>(row_axis(node, x.shape.size())),
                  x.shape.end());
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].is_valid()) continue;
    Shape shape = graph.type(node.inputs[i]).shape;
    while (shape.size() > row.size()) shape.erase(shape.begin());
    is_odd = is_odd || graph.type(node.inputs[i]).dtype != scale ||
             (shape != row && !graph.value(node.inputs[i]).constant);
  }
  for (size_t o = 1; o < node.outputs.size(); ++o)
    is_odd = is_odd || (node.outputs[o].is_valid() && node.int_attribute("stash_type", 1) != 1);
  return is_odd && !x.shape.empty();
}

void expand_norm(Expander& e) {
  const Node node = e.node();
  const DType x_type = e.dtype(e.in(0)), scale_type = e.dtype(e.in(1));
  const DType type = x_type == DType::float64 ? x_type : DType::float32;
  std::vector<int64_t> axes;
  for (size_t a = row_axis(node, e.shape(e.in(0)).size()); a < e.shape(e.in(0)).size(); ++a)
    axes.push_back(static_cast<int64_t>(a));
  const ValueId over = e.numbers(axes);
  ValueId x = e.cast(e.in(0), type), mean;
  if (is_layer(node)) {
    mean = e.add("ReduceMean", {x, over});
    x = e.add("Sub", {x, mean});
  }
  const ValueId variance = e.add("ReduceMean", {e.add("Mul", {x, x}), over});
  const ValueId epsilon = e.cast(e.number(node.float_attribute("epsilon", 1e-5f)), type);
  const ValueId deviation = e.add("Sqrt", {e.add("Add", {variance, epsilon})});
  ValueId y = e.add("Mul", {e.add("Div", {x, deviation}), e.cast(e.in(1), type)});
  if (is_layer(node) && e.has(2)) y = e.add("Add", {y, e.cast(e.in(2), type)});
  e.result(0, e.cast(y, is_layer(node) ? x_type : scale_type));
  const DType stash = node.int_attribute("stash_type", 1) == 1 ? DType::float32 : DType::bfloat16;
  if (is_layer(node)) {
    e.result(1, e.cast(mean, stash));
    e.result(2, e.cast(e.add("Reciprocal", {deviation}), stash));
  }
}

OpDef norm_def(const char* name, const char* doc, int first) {
  OpDef def = one_result(name, doc, 2, 3, first);
  def.max_outputs = 3;
  def.attributes = {{AttributeDef::integer, "axis"},
                    {AttributeDef::real, "epsilon"},
                    {AttributeDef::integer, "stash_type"}};
  def.infer = infer_norm;
  def.evaluate = evaluate_norm;
  def.lower = lower_norm;
  def.expand = expand_norm;
  def.expands = expands_norm;
  return def;
}

}  // namespace

void append_normalization(OpList& ops) {
  ops.push_back(norm_def("LayerNormalization",
                         "y = (x - mean) / sqrt(variance + epsilon) * scale + bias over the axes "
                         "from `axis` on; x, y [rows..., n...], "
                         "scale, bias [n...], mean, inverse deviation [rows..., 1...]",
                         17));
  OpDef rms = norm_def("RMSNormalization",
                       "y = x / sqrt(mean of x^2 + epsilon) * scale over the axes from `axis` on; "
                       "x, y [rows..., n...], scale [n...]",
                       23);
  rms.max_inputs = 2;
  rms.max_outputs = 1;
  ops.push_back(std::move(rms));
}

}  // namespace macec
