// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ScatterElements and ScatterND: data with updates put where indices say.
//
//   ScatterElements  y[..., indices[i0, i1, ...], ...] = updates[i0, i1, ...] along one axis
//   ScatterND        y[indices[q..., :], rest...] = updates[q..., rest...]
//
// A copy of the data, then one nest of loops over the updates (params/gather_nest.h, with the roles
// of x and y exchanged). Indices that come twice are applied in the order of the updates.
#include <algorithm>
#include <cmath>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/index_nest.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

const char* const kReductions[] = {"none", "add", "mul", "max", "min"};

int reduction_of(const Node& node) {
  const std::string reduction = node.string_attribute("reduction", "none");
  for (int i = 0; i < 5; ++i)
    if (reduction == kReductions[i]) return i;
  throw user_error("reduction '{}' is not supported", reduction);
}

// Over the axes of the updates, here x.
IndexNest scatter_nest(const Node& node, const View& indices, const View& x, const View& y) {
  IndexNest nest{x.shape, x.strides, {}, {}, {}, {}, 0};
  if (node.op == "ScatterElements") {
    const auto axis =
        static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), y.shape.size()));
    nest.i = indices.strides;
    nest.y = y.strides;
    nest.y[axis] = 0;
    nest.part_extent = {y.shape[axis]};
    nest.part_stride = {y.strides[axis]};
    return nest;
  }
  const size_t tuple_axes = indices.shape.size() - 1;
  const auto parts = static_cast<size_t>(indices.shape.back().value());
  for (size_t a = 0; a < x.shape.size(); ++a) {
    const bool is_tuple = a < tuple_axes;
    nest.i.push_back(is_tuple ? indices.strides[a] : Dim(0));
    nest.y.push_back(is_tuple ? Dim(0) : y.strides[parts + a - tuple_axes]);
  }
  for (size_t p = 0; p < parts; ++p) {
    nest.part_extent.push_back(y.shape[p]);
    nest.part_stride.push_back(y.strides[p]);
  }
  nest.i_part = indices.strides.back();
  return nest;
}

// Inference --------------------------------------------------------------------------------------

void infer_elements(InferContext& context) {
  const Shape &x = context.shape(0), &indices = context.shape(1), &updates = context.shape(2);
  if (x.empty() || x.size() != indices.size() || x.size() != updates.size())
    throw user_error("data, indices and updates have ranks {}, {} and {}, but must agree", x.size(),
                     indices.size(), updates.size());
  const auto axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), x.size()));
  for (size_t a = 0; a < x.size(); ++a) {
    context.require_equal(indices[a], updates[a], fmt::format("axis {} of indices", a),
                          fmt::format("axis {} of updates", a));
    if (a != axis && !(indices[a] == x[a]) && indices[a].hi() > x[a].lo())
      throw user_error("indices have {} elements along axis {} but data has {}", indices[a].text(),
                       a, x[a].text());
  }
}

void infer_tuples(InferContext& context) {
  const Shape &x = context.shape(0), &indices = context.shape(1), &updates = context.shape(2);
  if (indices.empty() || x.empty() || !indices.back().is_fixed())
    throw user_error(
        "the last axis of indices must have a fixed size, and neither data nor indices may be a "
        "scalar");
  const int64_t parts = indices.back().value();
  if (parts < 1 || parts > static_cast<int64_t>(x.size()))
    throw user_error("index tuples of {} numbers do not fit data of rank {}", parts, x.size());
  Shape want(indices.begin(), indices.end() - 1);
  want.insert(want.end(), x.begin() + static_cast<std::ptrdiff_t>(parts), x.end());
  if (want.size() != updates.size())
    throw user_error("updates have the shape {}, not {}", text(updates), text(want));
  for (size_t a = 0; a < want.size(); ++a)
    context.require_equal(updates[a], want[a], fmt::format("axis {} of updates", a),
                          fmt::format("axis {} of the slices that indices name", a));
}

void infer_scatter(InferContext& context) {
  const DType index = context.type(1).dtype, type = context.type(0).dtype;
  if (index != DType::int32 && index != DType::int64)
    throw user_error("indices of type {} are not supported", name(index));
  if (type != context.type(2).dtype)
    throw user_error("data of {} with updates of {}", name(type), name(context.type(2).dtype));
  const bool is_number =
      info(type).is_float ? info(type).bits >= 16 : info(type).is_integer && info(type).bits >= 8;
  if (reduction_of(context.node) != 0 && !is_number)
    throw user_error("a reduction of {} is not supported", name(type));
  context.node.op == "ScatterElements" ? infer_elements(context) : infer_tuples(context);
  context.set_type(0, type, context.shape(0));
}

// Evaluation -------------------------------------------------------------------------------------

void apply(int op, const Tensor& x, int64_t from, Tensor* y, int64_t to) {
  if (op == 0) return copy_element(x, from, y, to);
  if (info(x.dtype).is_float) {
    const double a = y->f64(to), b = x.f64(from);
    y->set_f64(to, op == 1   ? a + b
                   : op == 2 ? a * b
                   : op == 3 ? (b > a || std::isnan(b) ? b : a)
                             : (b < a || std::isnan(b) ? b : a));
    return;
  }
  const int64_t a = y->i64(to), b = x.i64(from);
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool is_less = x.dtype == DType::uint64 ? ub < ua : b < a;
  const int64_t v = op == 1   ? static_cast<int64_t>(ua + ub)
                    : op == 2 ? static_cast<int64_t>(ua * ub)
                    : op == 3 ? (is_less ? a : b)
                              : (is_less ? b : a);
  y->set_i64(to, wrap_integer(v, x.dtype));
}

void evaluate_scatter(EvaluateContext& context) {
  const Tensor &indices = context.in(1), &updates = context.in(2);
  Tensor y = context.in(0);
  const IndexNest nest =
      scatter_nest(context.node, dense_view(indices), dense_view(updates), dense_view(y));
  const int op = reduction_of(context.node);
  for (int64_t n = 0; n < updates.count(); ++n)
    apply(op, updates, n, &y, indexed_element(nest, nest.y, updates.shape, indices, n));
  context.outputs[0] = std::move(y);
}

Lowered lower_scatter(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &indices = context.in(1), &x = context.in(2), &y = context.out(0);
  if (!x.is_dense()) return {};
  const std::string op = std::string("scatter_") + kReductions[reduction_of(context.node)];
  // Led by the updates: their order is the order of equal indices.
  KernelCall call =
      index_nest_call(scatter_nest(context.node, indices, x, y), x, indices, y, op, 0);
  return {copy_call(context.in(0), y), std::move(call)};
}

OpDef scatter_def(const char* name, const char* doc, int first) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = def.max_inputs = 3;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::text, "reduction"}};
  def.versions = {{"", name, first, kLatestOpset, nullptr}};
  def.infer = infer_scatter;
  def.evaluate = evaluate_scatter;
  def.lower = lower_scatter;
  return def;
}

}  // namespace

void append_scatter(OpList& ops) {
  OpDef elements = scatter_def(
      "ScatterElements",
      "x[...] with updates[...] put where indices, of the same shape, say along one axis.", 11);
  elements.attributes.push_back({AttributeDef::integer, "axis"});
  elements.versions.insert(elements.versions.begin(), {"", "Scatter", 9, 10, nullptr});
  ops.push_back(std::move(elements));
  ops.push_back(scatter_def("ScatterND",
                            "x[...] with the slices updates[q..., rest...] put where the tuples in "
                            "indices[q..., tuple] say.",
                            11));
}

}  // namespace macec
