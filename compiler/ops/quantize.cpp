// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear and DequantizeLinear, as elementwise work.
//
//   per tensor  scale []                          y[i] = (x[i] - zero) * scale
//   per axis    scale [C], axis a                 seen as [1, C, 1, 1]
//   blocked     scale [.., ceil(D / B), ..]       axis a of x is cut into blocks of B: [.., D / B,
//   B, ..], scale [.., D / B, 1, ..];
//                                                 a last block that is not full is a second call
//
// Quotients are rounded half to even before the zero point is added; the division happens in the
// type that the standard names (float16 really rounds), so that ties fall as in other runtimes.
#include <algorithm>

#include "compiler/ops/groups.h"
#include "compiler/ops/lowering.h"

namespace macec {
namespace {

enum class ScaleForm { per_tensor, per_axis, blocked };

int64_t axis_of(const Node& node, size_t rank) {
  const int64_t axis = node.int_attribute("axis", 1);
  const auto r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r)
    throw user_error("axis {} is outside the {} axes of the input", axis, r);
  return axis < 0 ? axis + r : axis;
}

ScaleForm scale_form(const Node& node, const Shape& x, const Shape& scale) {
  const int64_t block = node.int_attribute("block_size", 0);
  if (block < 0) throw user_error("block_size is {}", block);
  if (block == 0 && (scale.empty() || (scale.size() == 1 && scale[0] == Dim(1))))
    return ScaleForm::per_tensor;
  if (block > 0 && scale.size() == x.size()) return ScaleForm::blocked;
  if (block == 0 && scale.size() == 1) return ScaleForm::per_axis;
  throw user_error("the scale has shape {}, which does not fit input {} with block_size {}",
                   text(scale), text(x), block);
}

bool is_small_float(DType t) {
  return info(t).is_float && info(t).bits <= 8;
}

DType element_type(int64_t number) {
  const DTypeInfo* type = find_dtype(static_cast<int>(number));
  if (!type || (!type->is_float && !type->is_integer))
    throw user_error("element type {} is not supported", number);
  return type->dtype;
}

// The zero point as a step argument; false if there is none, or it is known to be 0.
bool has_zero(const StepBuilder& b) {
  if (!b.has(2)) return false;
  const Tensor* zero = b.constants[2];
  if (!zero || zero->count() > 4096) return true;
  for (int64_t i = 0; i < zero->count(); ++i) {
    if (zero->f64(i) != 0) return true;
  }
  return false;
}

void note_form(StepBuilder& b) {
  const ScaleForm form = scale_form(b.node, b.shapes[0], b.shapes[1]);
  if (form == ScaleForm::per_axis) {
    b.is_plain =
        axis_of(b.node, b.shapes[0].size()) == static_cast<int64_t>(b.shapes[0].size()) - 1;
  } else {
    b.is_plain = form == ScaleForm::per_tensor && b.shapes[1].size() <= b.shapes[0].size();
  }
}

// x / scale in the type that the standard names, rounded to it, as float32 or float64.
StepArg quotient(StepBuilder& b) {
  const StepArg x = b.in(0), scale = b.in(1);
  const int64_t precision = b.node.int_attribute("precision", 0);
  DType type = b.type(scale);
  if (precision != 0)
    type = element_type(precision);
  else if (!info(b.type(x)).is_float)
    type = DType::float64;  // int32, exactly
  else if (b.type(x) != type)
    type = DType::float32;
  const DType computed = type == DType::float64 ? type : DType::float32;
  auto rounded = [&](StepArg v) {
    return type == computed ? v : b.cast(b.cast(v, type), computed);
  };
  const StepArg q = b.add("Div", {rounded(b.cast(x, computed)), rounded(b.cast(scale, computed))});
  return rounded(q);
}

void quantize_steps(StepBuilder& b) {
  note_form(b);
  const int64_t named = b.node.int_attribute("output_dtype", 0);
  DType to = b.has(2) ? b.types[2] : named != 0 ? element_type(named) : DType::uint8;
  if (b.has(2) && named != 0 && element_type(named) != to) {
    throw user_error("output_dtype is {} but the zero point is {}", name(element_type(named)),
                     name(to));
  }
  if (!is_small_float(to) && !(info(to).is_integer && info(to).bits <= 16)) {
    throw user_error("QuantizeLinear to {} is not supported", name(to));
  }
  StepArg v = quotient(b);
  const DType computed = b.type(v);
  if (is_small_float(to)) {
    if (to == DType::float4e2m1 && has_zero(b)) v = b.add("Add", {v, b.cast(b.in(2), computed)});
    Attributes attributes = {{"saturate", b.node.int_attribute("saturate", 1)}};
    v = b.add("Cast", {v}, std::move(attributes));
    b.steps.back().dtype = to;
    return b.result(v);
  }
  v = b.add("Round", {v});
  if (has_zero(b)) v = b.add("Add", {v, b.cast(b.in(2), computed)});
  b.result(b.saturate(v, to));
}

void dequantize_steps(StepBuilder& b) {
  note_form(b);
  const int64_t named = b.node.int_attribute("output_dtype", 0);
  const DType to = named != 0 ? element_type(named) : b.type(b.in(1));
  StepArg v = b.cast(b.in(0), DType::float32);
  if (has_zero(b)) v = b.add("Sub", {v, b.cast(b.in(2), DType::float32)});
  v = b.add("Mul", {v, b.cast(b.in(1), DType::float32)});
  b.result(b.cast(v, to));
}

void check_scale_extent(InferContext& context, int input, const char* what) {
  const Shape &x = context.shape(0), &scale = context.shape(input);
  const ScaleForm form = scale_form(context.node, x, scale);
  if (form == ScaleForm::per_tensor) return;
  const auto axis = static_cast<size_t>(axis_of(context.node, x.size()));
  if (form == ScaleForm::per_axis) {
    return context.require_equal(scale[0], x[axis], fmt::format("axis 0 of the {}", what),
                                 fmt::format("axis {} of the input", axis));
  }
  const int64_t block = context.node.int_attribute("block_size", 0);
  for (size_t a = 0; a < x.size(); ++a) {
    const Dim expected = a == axis ? ceil_div(x[a], block) : x[a];
    context.require_equal(scale[a], expected, fmt::format("axis {} of the {}", a, what),
                          fmt::format("axis {} of the input", a));
  }
}

void infer_quantize(InferContext& context) {
  const StepBuilder builder = make_builder(context.graph, context.node);
  check_scale_extent(context, 1, "scale");
  if (context.has(2)) {
    const Shape &x = context.shape(0), &scale = context.shape(1), &zero = context.shape(2);
    if (scale_form(context.node, x, scale) != scale_form(context.node, x, zero))
      throw user_error("the scale is {} but the zero point is {}; their shapes must agree",
                       text(context.type(1)), text(context.type(2)));
    check_scale_extent(context, 2, "zero point");
  }
  context.set_type(0, builder.steps[static_cast<size_t>(builder.results[0])].dtype,
                   context.shape(0));
}

// The operand with one element for every element of x, or with extents that broadcast to x.
Tensor spread(const Node& node, const Tensor& x, const Tensor& operand) {
  const ScaleForm form = scale_form(node, to_shape(x.shape), to_shape(operand.shape));
  Tensor result = operand;
  if (form == ScaleForm::per_tensor) result.shape.clear();
  if (form != ScaleForm::blocked) {
    if (form == ScaleForm::per_axis) {
      result.shape.assign(x.shape.size(), 1);
      result.shape[static_cast<size_t>(axis_of(node, x.shape.size()))] = operand.count();
    }
    return result;
  }
  const auto axis = static_cast<size_t>(axis_of(node, x.shape.size()));
  const int64_t block = node.int_attribute("block_size", 0), extent = x.shape[axis],
                blocks = operand.shape[axis];
  int64_t inner = 1;
  for (size_t a = axis + 1; a < x.shape.size(); ++a) inner *= x.shape[a];
  result = Tensor(operand.dtype, x.shape);
  for (int64_t i = 0; i < result.count(); ++i) {
    const int64_t outer = i / (inner * extent), at = i / inner % extent / block;
    const int64_t from = (outer * blocks + at) * inner + i % inner;
    if (info(operand.dtype).is_float)
      result.set_f64(i, operand.f64(from));
    else
      result.set_i64(i, operand.i64(from));
  }
  return result;
}

void evaluate_quantize(EvaluateContext& context) {
  const StepBuilder builder = make_builder(context);
  std::vector<Tensor> spread_inputs;
  spread_inputs.reserve(context.inputs.size());
  std::vector<const Tensor*> inputs;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (i > 0 && context.inputs[i]) {
      spread_inputs.push_back(spread(context.node, context.in(0), *context.inputs[i]));
      inputs.push_back(&spread_inputs.back());
    } else {
      inputs.push_back(context.inputs[i]);
    }
  }
  context.outputs[0] =
      std::move(evaluate_steps(builder.steps, builder.results, nullptr, inputs)[0]);
}

// --- lowering
// -----------------------------------------------------------------------------------------------------------

// Axis a of the view cut in two: [.., outer, inner, ..].
View split_axis(View view, size_t a, const Dim& outer, const Dim& inner) {
  const Dim stride = view.strides[a];
  view.shape[a] = outer;
  view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(a) + 1, inner);
  view.strides[a] = stride * inner;
  view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(a) + 1, stride);
  return view;
}
View part_of(View view, size_t a, const Dim& start, const Dim& extent) {
  view.offset += start * view.strides[a];
  view.shape[a] = extent;
  return view;
}
View along_axis(const View& vector, size_t rank, size_t axis) {
  View view = vector;
  view.shape.assign(rank, Dim(1));
  view.strides.assign(rank, Dim(0));
  view.shape[axis] = vector.shape[0];
  view.strides[axis] = vector.strides[0];
  return view;
}

Lowered lower_quantize(const LowerContext& context) {
  const Node& node = context.node;
  const View &x = context.in(0), &y = context.out(0);
  const ScaleForm form = scale_form(node, x.shape, context.in(1).shape);
  if (!node.epilogue.empty() || form == ScaleForm::per_tensor) return lower_elementwise(context);
  StepBuilder builder = make_builder(context.graph, node);
  const std::vector<int> used = take_used_inputs(&builder.steps);
  const auto axis = static_cast<size_t>(axis_of(node, x.shape.size()));
  auto call = [&](const View& to, auto view_of) {
    std::vector<View> inputs;
    for (int i : used) inputs.push_back(view_of(i));
    check_lowerable(inputs, {to});
    KernelCall part = pointwise_call(builder.steps, std::move(inputs), {to}, builder.results);
    order_packed_results(&part);
    return part;
  };
  if (form == ScaleForm::per_axis) {
    return {call(
        y, [&](int i) { return i == 0 ? x : along_axis(context.in(i), x.shape.size(), axis); })};
  }
  const int64_t block = node.int_attribute("block_size", 0);
  const Dim full = floor_div(x.shape[axis], block), rest = mod(x.shape[axis], block);
  Lowered calls;
  if (full != Dim(0)) {
    auto cut = [&](const View& view) {
      return split_axis(part_of(view, axis, 0, full * block), axis, full, block);
    };
    calls.push_back(call(cut(y), [&](int i) {
      return i == 0 ? cut(x) : split_axis(part_of(context.in(i), axis, 0, full), axis, full, 1);
    }));
  }
  if (rest != Dim(0)) {
    calls.push_back(call(part_of(y, axis, full * block, rest), [&](int i) {
      return i == 0 ? part_of(x, axis, full * block, rest) : part_of(context.in(i), axis, full, 1);
    }));
  }
  return calls;
}

OpDef quantize_def(const char* name, const char* doc, void (*steps)(StepBuilder&),
                   std::vector<AttributeDef> attributes) {
  OpDef def = elementwise_def(name, doc, 2, 3, 10, steps, std::move(attributes));
  def.infer = infer_quantize;
  def.evaluate = evaluate_quantize;
  def.lower = lower_quantize;
  return def;
}

}  // namespace

void append_quantize(OpList& ops) {
  const AttributeDef::Kind integer = AttributeDef::integer;
  ops.push_back(quantize_def("QuantizeLinear",
                             "y = x / scale rounded half to even, plus zero point, saturated; x, y "
                             "[...], scale [], [C] or blocked",
                             quantize_steps,
                             {{integer, "axis"},
                              {integer, "block_size"},
                              {integer, "output_dtype"},
                              {integer, "precision"},
                              {integer, "saturate"}}));
  ops.push_back(quantize_def(
      "DequantizeLinear", "y = (x - zero point) * scale; x, y [...], scale [], [C] or blocked",
      dequantize_steps, {{integer, "axis"}, {integer, "block_size"}, {integer, "output_dtype"}}));
}

}  // namespace macec
