// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Det and BitCast.
//
//   Det      determinants of the matrices x [..., n, n], y [...]
//   BitCast  the bits of every element as one of another type of the same size
#include <cmath>

#include "compiler/ops/line.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Det --------------------------------------------------------------------------------------------

void infer_det(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  if (x.shape.size() < 2) throw user_error("input is {}, not [..., n, n]", text(x));
  context.require_equal(x.shape[x.shape.size() - 2], x.shape.back(), "the number of rows",
                        "the number of columns");
  context.set_type(0, x.dtype, Shape(x.shape.begin(), x.shape.end() - 2));
}

double determinant(std::vector<double> a, size_t n) {
  double det = 1;
  for (size_t k = 0; k < n; ++k) {
    size_t best = k;
    for (size_t r = k + 1; r < n; ++r)
      if (std::fabs(a[r * n + k]) > std::fabs(a[best * n + k])) best = r;
    if (best != k) det = -det;
    for (size_t c = 0; c < n; ++c) std::swap(a[k * n + c], a[best * n + c]);
    det *= a[k * n + k];
    if (a[k * n + k] == 0) return 0;
    for (size_t r = k + 1; r < n; ++r) {
      const double by = a[r * n + k] / a[k * n + k];
      for (size_t c = k; c < n; ++c) a[r * n + c] -= by * a[k * n + c];
    }
  }
  return det;
}

void evaluate_det(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const int64_t n = x.shape.back();
  Tensor y(x.dtype, {x.shape.begin(), x.shape.end() - 2});
  for (int64_t m = 0; m < y.count(); ++m) {
    std::vector<double> a;
    for (int64_t i = 0; i < n * n; ++i) a.push_back(x.f64(m * n * n + i));
    y.set_f64(m, determinant(std::move(a), static_cast<size_t>(n)));
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_det(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  const size_t rank = x.shape.size();
  std::vector<Dim> matrices(x.strides.begin(), x.strides.end() - 2);
  const LoopNest nest = make_nest(y.shape, {matrices, y.strides}, 1);
  LineParamsT<Dim> p{};
  p.rank = static_cast<int>(nest.extent.size());
  std::copy(nest.extent.begin(), nest.extent.end(), p.extent);
  std::copy(nest.strides[0].begin(), nest.strides[0].end(), p.x_stride);
  std::copy(nest.strides[1].begin(), nest.strides[1].end(), p.y_stride);
  p.n = x.shape[rank - 1];
  p.x_step = x.strides[rank - 1];
  p.y_step = x.strides[rank - 2];
  KernelCall call = make_call(Family::line, {x}, {y});
  call.op = "Det";
  call.units = product(y.shape);
  call.elements = static_cast<double>((call.units * p.n * p.n * p.n).hi());
  call.params = std::move(p);
  return {std::move(call)};
}

// BitCast ----------------------------------------------------------------------------------------

DType cast_type(const Node& node, DType from) {
  const int64_t to = node.int_attribute("to", 0);
  const DTypeInfo* type = to > 0 && to < 1000 ? find_dtype(static_cast<int>(to)) : nullptr;
  if (!type || type->bits < 8 || info(from).bits < 8)
    throw user_error("BitCast of {} to type {} is not supported", name(from), to);
  if (type->bits != info(from).bits)
    throw user_error("{} has {} bits, but {} has {}", name(from), info(from).bits, type->name,
                     type->bits);
  return type->dtype;
}
void infer_bits(InferContext& context) {
  const TensorType& x = context.type(0);
  context.set_type(0, cast_type(context.node, x.dtype), x.shape);
}
void evaluate_bits(EvaluateContext& context) {
  Tensor y = context.in(0);
  y.dtype = cast_type(context.node, y.dtype);
  context.outputs[0] = std::move(y);
}
Lowered lower_bits(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  if (!x.is_dense() || !y.is_dense()) return {};
  KernelCall call = make_call(Family::iota, {x}, {y});
  call.op = "bits";
  call.params = IotaParamsT<Dim>{product(y.shape)};
  call.units = ceil_div(product(y.shape), kPointwiseBlock);
  call.elements = static_cast<double>(product(y.shape).hi());
  return {std::move(call)};
}

}  // namespace

void append_det(OpList& ops) {
  OpDef det = one_result("Det", "Determinants: x [..., n, n], y [...]", 1, 1, 11);
  det.infer = infer_det;
  det.evaluate = evaluate_det;
  det.lower = lower_det;
  ops.push_back(std::move(det));

  OpDef bits =
      one_result("BitCast", "The same bits as elements of another type; any shape", 1, 1, 26);
  bits.attributes = {{AttributeDef::integer, "to", true}};
  bits.infer = infer_bits;
  bits.evaluate = evaluate_bits;
  bits.lower = lower_bits;
  ops.push_back(std::move(bits));
}

}  // namespace macec
