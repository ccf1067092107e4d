// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv and DynamicQuantizeLinear, written as
// other operators.
//
// Both operands less their zero points fit 16 bits. Where the weights are constant the product is one
// of int16 by int8 (int16 where a zero point needs it), with sums in int32: see ops/product.h.
//
// Otherwise, and for depthwise convolutions: products of 8-bit integers are exact in float32 as long
// as no sum of magnitudes exceeds 2^24: then float kernels do the work. That is so for up to 258
// products, and for constant weights whose magnitudes say it. Others are computed in int32.
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr double kExact = 16777216, kGreatestByte = 255;

bool is_byte(DType type) {
  return type == DType::int8 || type == DType::uint8;
}

void check_bytes(InferContext& context, int i, int zero_point) {
  const DType type = context.type(i).dtype;
  if (!is_byte(type)) throw user_error("{} of {} is not supported", context.node.op, name(type));
  if (context.has(zero_point) && context.type(zero_point).dtype != type)
    throw user_error("a zero point of {} for {}", name(context.type(zero_point).dtype), name(type));
}

// Moves a zero point or scale so that it broadcasts: a vector along `axis` of `rank` axes.
ValueId along(Expander& e, ValueId v, size_t axis, size_t rank) {
  const Shape shape = e.shape(v);
  if (shape.size() != 1) return v;
  std::vector<int64_t> axes;
  if (shape[0] == Dim(1)) return e.add("Reshape", {v, e.constant(Tensor::vector_i64({}))});
  for (size_t a = axis + 1; a < rank; ++a) axes.push_back(static_cast<int64_t>(a - axis));
  return axes.empty() ? v : e.unsqueeze(v, axes);
}

// The greatest sum of |w - zero point| that one result adds up; by: elements that belong to one.
double greatest_sum(const Tensor& w, const Tensor* zero, int64_t columns, bool by_row) {
  const int64_t count = w.count();
  if (columns <= 0 || count == 0) return 0;
  const int64_t results = by_row ? count / columns : columns;
  std::vector<double> sums(static_cast<size_t>(results), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t r = by_row ? i / columns : i % columns;
    const int64_t z = !zero ? 0 : zero->count() == 1 ? zero->i64(0) : zero->i64(r % zero->count());
    sums[static_cast<size_t>(r)] += static_cast<double>(std::abs(w.i64(i) - z));
  }
  return *std::max_element(sums.begin(), sums.end());
}

// The element type in which sums of `depth` products are exact.
DType exact_type(const Expander& e, ValueId w, int zero, const Dim& depth, int64_t columns,
                 bool by_row) {
  if (static_cast<double>(depth.hi()) * kGreatestByte * kGreatestByte <= kExact)
    return DType::float32;
  const Tensor* weights = e.graph.value(w).constant.get();
  const Tensor* zero_point = e.has(zero) ? e.graph.value(e.in(zero)).constant.get() : nullptr;
  if (!weights || (e.has(zero) && !zero_point)) return DType::int32;
  // A matrix for each batch adds up apart; together they are a bound.
  return greatest_sum(*weights, zero_point, columns, by_row) * kGreatestByte <= kExact
             ? DType::float32
             : DType::int32;
}

// v - zero point.
ValueId shifted(Expander& e, ValueId v, int zero, size_t axis, DType type) {
  const size_t rank = e.shape(v).size();
  const ValueId wide = e.cast(v, type);
  if (!e.has(zero)) return wide;
  return e.add("Sub", {wide, e.cast(along(e, e.in(zero), axis, rank), type)});
}

// Constant weights less their zero point, in the smallest type that holds them; nothing for others.
// An index into the zero points is that of an element, divided by `inner`, modulo their number.
std::optional<Tensor> short_weights(const Expander& e, ValueId w, int zero, int64_t inner) {
  const Tensor* weights = e.graph.value(w).constant.get();
  const Tensor* zeros = e.has(zero) ? e.graph.value(e.in(zero)).constant.get() : nullptr;
  if (!weights || (e.has(zero) && !zeros) || inner == 0) return std::nullopt;
  if (zeros && zeros->count() == 0) return std::nullopt;
  std::vector<int64_t> numbers = to_i64(*weights);
  bool fits = true;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (zeros) numbers[i] -= zeros->i64(static_cast<int64_t>(i) / inner % zeros->count());
    fits = fits && numbers[i] >= -128 && numbers[i] <= 127;
  }
  Tensor result(fits ? DType::int8 : DType::int16, weights->shape);
  for (size_t i = 0; i < numbers.size(); ++i) result.set_i64(static_cast<int64_t>(i), numbers[i]);
  return result;
}

// Matrix products -------------------------------------------------------------------------------

ValueId matmul_of(Expander& e, int a, int a_zero, int b, int b_zero) {
  const Shape x = e.shape(e.in(a)), w = e.shape(e.in(b));
  const int64_t columns = w.size() < 2 ? 1 : w.back().hi();
  const size_t rows = x.size() < 2 ? 0 : x.size() - 2;
  if (w.size() == 2) {
    if (std::optional<Tensor> weights = short_weights(e, e.in(b), b_zero, 1)) {
      const ValueId left = shifted(e, e.in(a), a_zero, rows, DType::int16);
      return e.add("MatMul", {left, e.constant(std::move(*weights))});
    }
  }
  const DType type = exact_type(e, e.in(b), b_zero, x.back(), columns, false);
  const ValueId left = shifted(e, e.in(a), a_zero, rows, type);
  const ValueId right = shifted(e, e.in(b), b_zero, w.size() - 1, type);
  return e.cast(e.add("MatMul", {left, right}), DType::int32);
}

// The type of the product by what MatMul says.
void infer_product(InferContext& context, int a, int b, DType type) {
  Node product = context.node;
  product.inputs = {context.node.inputs[static_cast<size_t>(a)],
                    context.node.inputs[static_cast<size_t>(b)]};
  product.op = "MatMul";
  product.attributes.clear();
  InferContext inner{context.graph, product, {}, {}, {}};
  find_op("MatMul")->infer(inner);
  context.set_type(0, type, inner.results[0].shape);
}

void infer_matmul_integer(InferContext& context) {
  check_bytes(context, 0, 2);
  check_bytes(context, 1, 3);
  infer_product(context, 0, 1, DType::int32);
}
void expand_matmul_integer(Expander& e) {
  e.result(0, matmul_of(e, 0, 2, 1, 3));
}

// y = saturate(round(sums * (scale a * scale b / scale y)) + zero point y)
ValueId requantized(Expander& e, ValueId sums, ValueId a_scale, ValueId b_scale, int y_scale,
                    int y_zero) {
  const ValueId both =
      e.add("Mul", {e.cast(a_scale, DType::float32), e.cast(b_scale, DType::float32)});
  const ValueId scale = e.add("Div", {both, e.cast(e.in(y_scale), DType::float32)});
  const ValueId real = e.add("Mul", {e.cast(sums, DType::float32), scale});
  return e.add("QuantizeLinear", {real, e.number(1), along(e, e.in(y_zero), 0, 1)});
}
void check_scalar(InferContext& context, int i, const char* what) {
  if (context.has(i) && !(product(context.shape(i)) == Dim(1)))
    throw user_error("{} of shape {} is not supported", what, text(context.shape(i)));
}

void infer_qlinear_matmul(InferContext& context) {
  check_bytes(context, 0, 2);
  check_bytes(context, 3, 5);
  check_scalar(context, 6, "an output scale");
  check_scalar(context, 7, "an output zero point");
  if (!is_byte(context.type(7).dtype))
    throw user_error("results of {} are not supported", name(context.type(7).dtype));
  infer_product(context, 0, 3, context.type(7).dtype);
}
void expand_qlinear_matmul(Expander& e) {
  const ValueId sums = matmul_of(e, 0, 2, 3, 5);
  const size_t rank = e.shape(sums).size();
  const ValueId a_scale = along(e, e.in(1), rank < 2 ? 0 : rank - 2, rank);
  const ValueId b_scale = along(e, e.in(4), rank < 1 ? 0 : rank - 1, rank);
  e.result(0, requantized(e, sums, a_scale, b_scale, 6, 7));
}

// Convolutions ----------------------------------------------------------------------------------

ValueId conv_of(Expander& e, int x, int x_zero, int w, int w_zero) {
  const Shape filter = e.shape(e.in(w));
  Dim depth = 1;
  for (size_t a = 1; a < filter.size(); ++a) depth *= filter[a];
  const Attributes attributes = e.node().attributes;
  const bool is_depthwise =
      filter.size() > 1 && filter[1] == Dim(1) && e.node().int_attribute("group", 1) > 1;
  if (!is_depthwise) {
    if (std::optional<Tensor> weights = short_weights(e, e.in(w), w_zero, depth.hi())) {
      const ValueId input = shifted(e, e.in(x), x_zero, 1, DType::int16);
      return e.add("Conv", {input, e.constant(std::move(*weights))}, attributes);
    }
  }
  const DType type = exact_type(e, e.in(w), w_zero, depth, depth.hi(), true);
  const ValueId input = shifted(e, e.in(x), x_zero, 1, type);
  const ValueId weights = shifted(e, e.in(w), w_zero, 0, type);
  return e.cast(e.add("Conv", {input, weights}, attributes), DType::int32);
}
void infer_conv_of(InferContext& context, int x, int w, DType type) {
  Node conv = context.node;
  conv.inputs = {context.node.inputs[static_cast<size_t>(x)],
                 context.node.inputs[static_cast<size_t>(w)]};
  conv.op = "Conv";
  InferContext inner{context.graph, conv, {}, {}, {}};
  find_op("Conv")->infer(inner);
  context.set_type(0, type, inner.results[0].shape);
}
void infer_conv_integer(InferContext& context) {
  check_bytes(context, 0, 2);
  check_bytes(context, 1, 3);
  check_scalar(context, 2, "a zero point of the input");
  infer_conv_of(context, 0, 1, DType::int32);
}
void expand_conv_integer(Expander& e) {
  e.result(0, conv_of(e, 0, 2, 1, 3));
}

void infer_qlinear_conv(InferContext& context) {
  check_bytes(context, 0, 2);
  check_bytes(context, 3, 5);
  check_scalar(context, 1, "a scale of the input");
  check_scalar(context, 2, "a zero point of the input");
  check_scalar(context, 6, "an output scale");
  check_scalar(context, 7, "an output zero point");
  if (!is_byte(context.type(7).dtype))
    throw user_error("results of {} are not supported", name(context.type(7).dtype));
  infer_conv_of(context, 0, 3, context.type(7).dtype);
}
void expand_qlinear_conv(Expander& e) {
  ValueId sums = conv_of(e, 0, 2, 3, 5);
  const size_t rank = e.shape(sums).size();
  if (e.has(8)) sums = e.add("Add", {sums, along(e, e.in(8), 1, rank)});
  const ValueId x_scale = along(e, e.in(1), 0, 1), w_scale = along(e, e.in(4), 1, rank);
  e.result(0, requantized(e, sums, x_scale, w_scale, 6, 7));
}

// DynamicQuantizeLinear -------------------------------------------------------------------------

void infer_dynamic(InferContext& context) {
  if (context.type(0).dtype != DType::float32)
    throw user_error("DynamicQuantizeLinear of {} is not supported", name(context.type(0).dtype));
  context.set_type(0, DType::uint8, context.shape(0));
  context.set_type(1, DType::float32, {});
  context.set_type(2, DType::uint8, {});
}
// The range of x and 0 in 255 steps; of nothing but zeros the scale is 1, as onnxruntime has it.
void expand_dynamic(Expander& e) {
  const Attributes all = {{"keepdims", int64_t{0}}};
  const ValueId zero = e.number(0), last = e.number(255);
  const ValueId least = e.add("Min", {e.add("ReduceMin", {e.in(0)}, all), zero});
  const ValueId most = e.add("Max", {e.add("ReduceMax", {e.in(0)}, all), zero});
  const ValueId range = e.add("Sub", {most, least});
  const ValueId scale =
      e.add("Where", {e.add("Equal", {range, zero}), e.number(1), e.add("Div", {range, last})});
  const ValueId start = e.add("Sub", {zero, e.add("Div", {least, scale})});
  const ValueId clipped = e.add("Min", {e.add("Max", {start, zero}), last});
  const ValueId zero_point = e.cast(e.add("Round", {clipped}), DType::uint8);
  e.result(0, e.add("QuantizeLinear", {e.in(0), scale, zero_point}));
  e.result(1, scale);
  e.result(2, zero_point);
}

OpDef expanded_def(const char* name, const char* doc, int min_inputs, int max_inputs, int first,
                   void (*infer)(InferContext&), void (*expand)(Expander&)) {
  OpDef def = one_result(name, doc, min_inputs, max_inputs, first);
  def.infer = infer;
  def.evaluate = evaluate_expanded;
  def.expand = expand;
  return def;
}

}  // namespace

void append_integer_products(OpList& ops) {
  const std::vector<AttributeDef> window = {
      {AttributeDef::text, "auto_pad"}, {AttributeDef::integers, "dilations"},
      {AttributeDef::integer, "group"}, {AttributeDef::integers, "kernel_shape"},
      {AttributeDef::integers, "pads"}, {AttributeDef::integers, "strides"}};
  ops.push_back(expanded_def("MatMulInteger",
                             "The product of 8-bit matrices less their zero points: a [..., m, k], "
                             "b [..., k, n], y int32 [..., m, n]",
                             2, 4, 10, infer_matmul_integer, expand_matmul_integer));
  ops.push_back(expanded_def("ConvInteger",
                             "Convolution of 8-bit x [N, C, spatial...] and w [M, C / group, "
                             "kernel...] less their zero points; y int32 [N, M, windows...]",
                             2, 4, 10, infer_conv_integer, expand_conv_integer));
  ops.back().attributes = window;
  ops.push_back(expanded_def("QLinearMatMul",
                             "The product of quantized matrices, quantized: a [..., m, k], b [..., "
                             "k, n], y [..., m, n]",
                             8, 8, 10, infer_qlinear_matmul, expand_qlinear_matmul));
  ops.push_back(expanded_def("QLinearConv",
                             "Convolution of quantized x [N, C, spatial...] and w [M, C / group, "
                             "kernel...], quantized; y [N, M, windows...]",
                             8, 9, 10, infer_qlinear_conv, expand_qlinear_conv));
  ops.back().attributes = window;
  ops.push_back(expanded_def("DynamicQuantizeLinear",
                             "x as uint8 with the scale and zero point of its range: x, y [...], "
                             "scale and zero point []",
                             1, 1, 11, infer_dynamic, expand_dynamic));
  ops.back().max_outputs = ops.back().min_outputs = 3;
}

}  // namespace macec
