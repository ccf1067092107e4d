// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonZero, Compress and Unique: how long the results are, the data says.
//
// The length is a computed extent (KernelCall::counts): the kernel writes it, later steps use it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/ops/bodies.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/pick.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::shared_ptr<const Symbol> symbol_of(const Dim& extent) {
  std::shared_ptr<const Symbol> found;
  extent.symbols([&](const std::shared_ptr<const Symbol>& s) {
    if (s->is_computed && Dim::symbol(s) == extent) found = s;
  });
  return found;
}

// Every given operand is dense at a place that does not vary.
bool is_dense_call(const KernelCall& call) {
  const auto fits = [](const View& v) {
    return (v.buffer < 0 && !v.constant) || (v.is_dense() && v.offset.is_fixed());
  };
  return std::all_of(call.inputs.begin(), call.inputs.end(), fits) &&
         std::all_of(call.outputs.begin(), call.outputs.end(), fits);
}

}  // namespace

Lowered counted_call(KernelCall call, PickParamsT<Dim> params, const char* op, const Dim& length) {
  if (!is_dense_call(call)) return {};
  if (length == Dim(0)) {  // nothing to count
    Lowered fills;
    for (const View& y : call.outputs)
      if (y.buffer >= 0) fills.push_back(fill_call(constant_view(Tensor(y.dtype, {})), y));
    return fills;
  }
  call.op = op;
  call.counts = symbol_of(length);
  MACEC_CHECK(call.counts, "the length {} of {} is not computed", length.text(), op);
  call.elements = static_cast<double>(product(call.inputs[0].shape).hi());
  call.params = std::move(params);
  return {std::move(call)};
}

namespace {

// x seen as [outer, n, inner] around an axis; without an axis as n elements.
struct Around {
  Dim outer = 1, n = 1, inner = 1;
};
bool has_axis(const Node& node) {
  return node.has_attribute("axis");
}
size_t axis_of(const Node& node, size_t rank) {
  return has_axis(node) ? static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), rank)) : 0;
}
Around around(const Node& node, const Shape& x) {
  Around a;
  if (!has_axis(node)) {
    a.n = product(x);
    return a;
  }
  const size_t axis = axis_of(node, x.size());
  for (size_t i = 0; i < x.size(); ++i) (i < axis ? a.outer : i == axis ? a.n : a.inner) *= x[i];
  return a;
}
// The shape of x with another extent along the axis.
Shape with_extent(const Node& node, Shape x, const Dim& extent) {
  if (!has_axis(node)) return {extent};
  x[axis_of(node, x.size())] = extent;
  return x;
}

void check_bytes(const Node& node, DType dtype) {
  const DTypeInfo& type = info(dtype);
  const bool is_number = dtype == DType::boolean || (type.is_float && type.bits >= 16) ||
                         (type.is_integer && type.bits >= 8);
  if (!is_number) throw user_error("{} of {} is not supported", node.op, type.name);
}

// NonZero ----------------------------------------------------------------------------------------

void infer_nonzero(InferContext& context) {
  const TensorType& x = context.type(0);
  check_bytes(context.node, x.dtype);
  if (x.shape.empty() || x.shape.size() > static_cast<size_t>(kMaxRank))
    throw user_error("NonZero of {} axes is not supported", x.shape.size());
  const Dim count = computed_extent(context, 0, 1, 0, product(x.shape).hi());
  context.set_type(0, DType::int64, {static_cast<int64_t>(x.shape.size()), count});
}
void evaluate_nonzero(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.count(); ++i) {
    if (info(x.dtype).is_float ? x.f64(i) != 0 : x.i64(i) != 0) found.push_back(i);
  }
  const auto count = static_cast<int64_t>(found.size());
  Tensor y(DType::int64, {static_cast<int64_t>(x.shape.size()), count});
  for (int64_t c = 0; c < count; ++c) {
    int64_t rest = found[static_cast<size_t>(c)];
    for (size_t a = x.shape.size(); a-- > 0; rest /= x.shape[a])
      y.set_i64(static_cast<int64_t>(a) * count + c, rest % x.shape[a]);
  }
  context.outputs[0] = std::move(y);
}
Lowered lower_nonzero(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  PickParamsT<Dim> p{};
  p.rank = static_cast<int>(x.shape.size());
  std::copy(x.shape.begin(), x.shape.end(), p.extent);
  return counted_call(make_call(Family::pick, {x}, {context.out(0)}), p, "nonzero",
                      context.out(0).shape[1]);
}

// Compress ---------------------------------------------------------------------------------------

void infer_compress(InferContext& context) {
  const TensorType &x = context.type(0), &condition = context.type(1);
  if (condition.dtype != DType::boolean || condition.shape.size() != 1)
    throw user_error("the condition is {}, not bool[n]", text(condition));
  if (info(x.dtype).bits < 8) throw user_error("Compress of {} is not supported", name(x.dtype));
  const Around a = around(context.node, x.shape);
  const Dim count = computed_extent(context, 0, axis_of(context.node, x.shape.size()), 0,
                                    std::min(a.n.hi(), condition.shape[0].hi()));
  context.set_type(0, x.dtype, with_extent(context.node, x.shape, count));
}
void evaluate_compress(EvaluateContext& context) {
  const Tensor &x = context.in(0), &condition = context.in(1);
  const Around a = around(context.node, to_shape(x.shape));
  const int64_t outer = a.outer.value(), n = a.n.value(), inner = a.inner.value();
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < std::min(n, condition.count()); ++i)
    if (condition.i64(i) != 0) kept.push_back(i);
  Tensor y(x.dtype,
           fixed(with_extent(context.node, to_shape(x.shape), static_cast<int64_t>(kept.size()))));
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i : kept)
      for (int64_t k = 0; k < inner; ++k) copy_element(x, (o * n + i) * inner + k, &y, to++);
  context.outputs[0] = std::move(y);
}
Lowered lower_compress(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  const Around a = around(context.node, x.shape);
  PickParamsT<Dim> p{};
  p.outer = a.outer;
  p.n = a.n;
  p.inner = a.inner;
  p.m = context.in(1).shape[0];
  const View& y = context.out(0);
  return counted_call(make_call(Family::pick, {x, context.in(1)}, {y}), p, "compress",
                      y.shape[axis_of(context.node, x.shape.size())]);
}

// Unique -----------------------------------------------------------------------------------------

bool is_sorted(const Node& node) {
  return node.int_attribute("sorted", 1) != 0;
}

void infer_unique(InferContext& context) {
  const TensorType& x = context.type(0);
  check_bytes(context.node, x.dtype);
  const Around a = around(context.node, x.shape);
  const Dim count = computed_extent(context, 0, axis_of(context.node, x.shape.size()), 0, a.n.hi());
  context.set_type(0, x.dtype, with_extent(context.node, x.shape, count));
  for (int o = 1; o < static_cast<int>(context.node.outputs.size()); ++o)
    context.set_type(o, DType::int64, {o == 2 ? a.n : count});
}

// -1, 0, 1: slice i of x before, equal to, behind slice j.
int compare(const Tensor& x, int64_t outer, int64_t n, int64_t inner, int64_t i, int64_t j) {
  for (int64_t e = 0; e < outer * inner; ++e) {
    const int64_t base = e / inner * n * inner + e % inner;
    if (!info(x.dtype).is_float) {
      int64_t u = x.i64(base + i * inner), v = x.i64(base + j * inner);
      if (x.dtype == DType::uint64) u ^= INT64_MIN, v ^= INT64_MIN;
      if (u != v) return u < v ? -1 : 1;
      continue;
    }
    const double u = x.f64(base + i * inner), v = x.f64(base + j * inner);
    if (u < v || (std::isnan(v) && !std::isnan(u))) return -1;
    if (v < u || (std::isnan(u) && !std::isnan(v))) return 1;
  }
  return 0;
}

void evaluate_unique(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Around a = around(context.node, to_shape(x.shape));
  const int64_t outer = a.outer.value(), n = a.n.value(), inner = a.inner.value();
  std::vector<int64_t> firsts, inverse(static_cast<size_t>(n)), order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  const auto is_less = [&](int64_t i, int64_t j) { return compare(x, outer, n, inner, i, j) < 0; };
  std::stable_sort(order.begin(), order.end(), is_less);
  for (size_t i = 0; i < order.size(); ++i)
    if (i == 0 || is_less(order[i - 1], order[i])) firsts.push_back(order[i]);
  if (!is_sorted(context.node)) std::sort(firsts.begin(), firsts.end());
  const auto count = static_cast<int64_t>(firsts.size());
  Tensor y(x.dtype, fixed(with_extent(context.node, to_shape(x.shape), count)));
  Tensor indices(DType::int64, {count}), places(DType::int64, {n}), counts(DType::int64, {count});
  for (int64_t c = 0; c < count; ++c) {
    const int64_t first = firsts[static_cast<size_t>(c)];
    indices.set_i64(c, first);
    for (int64_t e = 0; e < outer * inner; ++e)
      copy_element(x, (e / inner * n + first) * inner + e % inner, &y,
                   (e / inner * count + c) * inner + e % inner);
    for (int64_t i = 0; i < n; ++i) {
      if (compare(x, outer, n, inner, i, first) != 0) continue;
      places.set_i64(i, c);
      counts.set_i64(c, counts.i64(c) + 1);
    }
  }
  Tensor* const results[] = {&y, &indices, &places, &counts};
  for (size_t o = 0; o < context.outputs.size(); ++o) context.outputs[o] = std::move(*results[o]);
}

Lowered lower_unique(const LowerContext& context) {
  const Node& node = context.node;
  if (!node.epilogue.empty() || !node.outputs[0].is_valid()) return {};
  const View& x = context.in(0);
  const Around a = around(node, x.shape);
  PickParamsT<Dim> p{};
  p.outer = a.outer;
  p.n = a.n;
  p.inner = a.inner;
  std::vector<View> outputs;
  for (size_t o = 0; o < 4; ++o) {
    const bool is_wanted = o < node.outputs.size() && node.outputs[o].is_valid();
    outputs.push_back(is_wanted ? context.out(static_cast<int>(o)) : View());
  }
  const Dim length = outputs[0].shape[axis_of(node, x.shape.size())];
  KernelCall call = make_call(Family::pick, {x}, std::move(outputs));
  return counted_call(std::move(call), p, is_sorted(node) ? "unique" : "unique_first", length);
}

OpDef pick_def(const char* name, const char* doc, int first, bool has_axis) {
  OpDef def = one_result(name, doc, 1, 1, first);
  if (has_axis) def.attributes = {{AttributeDef::integer, "axis"}};
  return def;
}

}  // namespace

void append_pick(OpList& ops) {
  OpDef nonzero = pick_def("NonZero",
                           "The positions of all elements other than 0, one a column: x [...], y "
                           "int64 [rank, count]",
                           9, false);
  nonzero.infer = infer_nonzero;
  nonzero.evaluate = evaluate_nonzero;
  nonzero.lower = lower_nonzero;
  ops.push_back(std::move(nonzero));

  OpDef compress =
      pick_def("Compress",
               "The slices of x [..., n, ...] along an axis where condition [m] holds; "
               "without an axis its elements",
               9, true);
  compress.min_inputs = compress.max_inputs = 2;
  compress.infer = infer_compress;
  compress.evaluate = evaluate_compress;
  compress.lower = lower_compress;
  ops.push_back(std::move(compress));

  OpDef unique = pick_def("Unique",
                          "The different slices of x [..., n, ...] along an axis, where each comes "
                          "first, which of them each slice is, and how often each comes",
                          11, true);
  unique.max_outputs = 4;
  unique.attributes.push_back({AttributeDef::integer, "sorted"});
  unique.infer = infer_unique;
  unique.evaluate = evaluate_unique;
  unique.lower = lower_unique;
  ops.push_back(std::move(unique));
}

}  // namespace macec
