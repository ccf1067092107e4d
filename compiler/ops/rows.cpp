// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"

namespace macec {
namespace {

struct RealSum {
  const std::string& op;
  double total = 0, largest = -INFINITY;
  int64_t count = 0;

  explicit RealSum(const std::string& o) : op(o) {
    if (op == "Prod") total = 1;
    if (op == "Max") total = -INFINITY;
    if (op == "Min") total = INFINITY;
  }
  void add(double v) {
    ++count;
    if (op == "Prod")
      total *= v;
    else if (op == "Max")
      total = std::isnan(v) || v > total ? v : total;
    else if (op == "Min")
      total = std::isnan(v) || v < total ? v : total;
    else if (op == "L1")
      total += std::fabs(v);
    else if (op == "L2" || op == "SumSquare")
      total += v * v;
    else if (op == "LogSumExp")
      add_exponential(v);
    else
      total += v;
  }
  // The sum is kept relative to e^largest.
  void add_exponential(double v) {
    if (v > largest) {
      total = std::isinf(largest) ? 0 : total * std::exp(largest - v);
      largest = v;
    }
    total += std::isinf(v) ? (v > 0 ? 1 : 0) : std::exp(v - largest);
  }
  double result() const {
    if (op == "Mean") return total / static_cast<double>(count);
    if (op == "L2") return std::sqrt(total);
    if (op == "LogSum") return std::log(total);
    if (op == "LogSumExp") return std::isinf(largest) ? largest : std::log(total) + largest;
    return total;
  }
};

// Max and Min keep the first NaN they meet.
double reduce_real(const std::string& op, const Tensor& x, const std::vector<int64_t>& elements) {
  RealSum sum(op);
  for (int64_t i : elements) {
    const double v = x.f64(i);
    if (std::isnan(v)) return v;
    sum.add(v);
  }
  return sum.result();
}

int64_t extreme(DType dtype, bool is_low) {
  if (dtype == DType::uint64) return is_low ? 0 : -1;
  return real_to_integer(is_low ? -1e30 : 1e30, dtype == DType::boolean ? DType::uint8 : dtype);
}

int64_t reduce_integer(const std::string& op, const Tensor& x,
                       const std::vector<int64_t>& elements) {
  const bool is_unsigned64 = x.dtype == DType::uint64;
  if (op == "L2" || op == "LogSum" || op == "LogSumExp") {
    RealSum sum(op);
    for (int64_t i : elements) sum.add(x.f64(i));
    return real_to_integer(sum.result(), x.dtype);
  }
  if (elements.empty() && (op == "Max" || op == "Min")) return extreme(x.dtype, op == "Max");
  uint64_t total = op == "Prod" ? 1 : 0;
  if (!elements.empty() && (op == "Max" || op == "Min"))
    total = static_cast<uint64_t>(x.i64(elements[0]));
  for (int64_t i : elements) {
    const int64_t v = x.i64(i);
    const auto u = static_cast<uint64_t>(v);
    const bool is_larger = is_unsigned64 ? u > total : v > static_cast<int64_t>(total);
    if (op == "Prod")
      total *= u;
    else if (op == "Max")
      total = is_larger ? u : total;
    else if (op == "Min")
      total = is_larger ? total : u;
    else if (op == "L1")
      total += !is_unsigned64 && v < 0 ? 0 - u : u;
    else if (op == "SumSquare")
      total += u * u;
    else
      total += u;
  }
  if (op == "Mean") {
    if (elements.empty()) return 0;
    const auto n = static_cast<int64_t>(elements.size());
    return is_unsigned64 ? static_cast<int64_t>(total / static_cast<uint64_t>(n))
                         : static_cast<int64_t>(total) / n;
  }
  return static_cast<int64_t>(total);
}

}  // namespace

std::vector<size_t> checked_axes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<size_t> result;
  const auto r = static_cast<int64_t>(rank);
  for (int64_t axis : axes) {
    if (axis < -r || axis >= r)
      throw user_error("axis {} is outside the {} axes of the input", axis, r);
    result.push_back(static_cast<size_t>(axis < 0 ? axis + r : axis));
  }
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    throw user_error("axes {} name an axis twice", text(to_shape(axes)));
  }
  return result;
}

View with_axes(const View& y, const std::vector<size_t>& axes) {
  View view = y;
  for (size_t axis : axes) {
    view.shape.insert(view.shape.begin() + static_cast<std::ptrdiff_t>(axis), Dim(1));
    view.strides.insert(view.strides.begin() + static_cast<std::ptrdiff_t>(axis), Dim(0));
  }
  return view;
}

KernelCall reduce_call(const char* op, const View& x, const View& y,
                       const std::vector<size_t>& axes) {
  Shape kept_shape = x.shape, reduced_shape(x.shape.size(), Dim(1));
  for (size_t axis : axes) {
    reduced_shape[axis] = x.shape[axis];
    kept_shape[axis] = 1;
  }
  const LoopNest kept = make_nest(kept_shape, {x.strides, y.strides}, 1);
  const LoopNest reduced = make_nest(reduced_shape, {x.strides}, 0);
  ReduceParamsT<Dim> params{};
  params.kept = static_cast<int>(kept.extent.size());
  params.reduced = static_cast<int>(reduced.extent.size());
  std::copy(kept.extent.begin(), kept.extent.end(), params.extent);
  std::copy(kept.strides[0].begin(), kept.strides[0].end(), params.x_stride);
  std::copy(kept.strides[1].begin(), kept.strides[1].end(), params.y_stride);
  std::copy(reduced.extent.begin(), reduced.extent.end(), params.reduce_extent);
  std::copy(reduced.strides[0].begin(), reduced.strides[0].end(), params.reduce_stride);
  const bool has_columns = params.kept > 0 && params.x_stride[params.kept - 1] == Dim(1);
  params.unit_axes = params.kept - (has_columns ? 1 : 0);

  KernelCall call;
  call.family = Family::reduce;
  call.op = op;
  call.params = params;
  call.inputs = {x};
  call.outputs = {y};
  call.constant_uses.resize(1);
  call.units = product(Shape(kept.extent.begin(), kept.extent.begin() + params.unit_axes));
  call.elements = static_cast<double>(product(x.shape).hi());
  return call;
}

Tensor evaluate_reduction(const std::string& op, const Tensor& x, const std::vector<size_t>& axes,
                          bool keeps) {
  std::vector<int64_t> shape, kept, kept_stride, folded, folded_stride;
  int64_t stride = 1, results = 1, terms = 1;
  for (size_t a = x.shape.size(); a-- > 0;) {
    const bool is_reduced = std::binary_search(axes.begin(), axes.end(), a);
    if (!is_reduced)
      shape.insert(shape.begin(), x.shape[a]);
    else if (keeps)
      shape.insert(shape.begin(), 1);
    (is_reduced ? folded : kept).push_back(x.shape[a]);
    (is_reduced ? folded_stride : kept_stride).push_back(stride);
    (is_reduced ? terms : results) *= x.shape[a];
    stride *= x.shape[a];
  }
  auto offset = [](int64_t i, const std::vector<int64_t>& extents,
                   const std::vector<int64_t>& strides) {
    int64_t at = 0;
    for (size_t a = 0; a < extents.size(); ++a) {
      at += i % extents[a] * strides[a];
      i /= extents[a];
    }
    return at;
  };
  Tensor y(x.dtype, shape);
  std::vector<int64_t> elements(static_cast<size_t>(terms));
  for (int64_t r = 0; r < results; ++r) {
    const int64_t base = offset(r, kept, kept_stride);
    for (int64_t t = 0; t < terms; ++t)
      elements[static_cast<size_t>(t)] = base + offset(t, folded, folded_stride);
    if (info(x.dtype).is_float)
      y.set_f64(r, reduce_real(op, x, elements));
    else
      y.set_i64(r, wrap_integer(reduce_integer(op, x, elements), x.dtype));
  }
  return y;
}

bool merged_stride(const View& view, size_t begin, size_t end, Dim* stride) {
  bool is_found = false;
  Dim inner = 1;
  *stride = 1;
  for (size_t a = end; a-- > begin;) {
    if (view.shape[a] == Dim(1)) continue;
    if (!is_found) *stride = view.strides[a];
    if (view.strides[a] != *stride * inner) return false;
    is_found = true;
    inner *= view.shape[a];
  }
  return true;
}

}  // namespace macec
