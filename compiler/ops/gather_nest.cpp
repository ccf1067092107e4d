// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherElements: y[i0, i1, ...] = x[..., indices[i0, i1, ...], ...] along one axis.
// GatherND:       y[batch..., q..., rest...] = x[batch..., indices[batch..., q..., :], rest...].
//
// Negative indices count from the end. Both are one nest of loops over y (params/gather_nest.h).
#include <algorithm>

#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

int64_t normal_index(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    throw user_error("index {} into an axis of {} elements", index, extent);
  return index < 0 ? index + extent : index;
}

void check_index_type(DType type) {
  if (type != DType::int32 && type != DType::int64)
    throw user_error("indices of type {} are not supported", name(type));
}

// One nest for lowering and evaluation: strides of x, indices and y for every axis of y.
struct GatherNest {
  Shape extent;
  std::vector<Dim> x, i, y;
  std::vector<Dim> part_extent, part_stride;
  Dim i_part = 0;
};

GatherNest elements_nest(const Node& node, const View& x, const View& indices, const View& y) {
  const size_t axis =
      static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), x.shape.size()));
  GatherNest nest{y.shape,           x.strides, indices.strides, y.strides, {x.shape[axis]},
                  {x.strides[axis]}, 0};
  nest.x[axis] = 0;
  return nest;
}

GatherNest nd_nest(const Node& node, const View& x, const View& indices, const View& y) {
  const size_t batch = static_cast<size_t>(node.int_attribute("batch_dims", 0)),
               tuple_axes = indices.shape.size() - 1;
  const size_t parts = static_cast<size_t>(indices.shape.back().value());
  GatherNest nest{y.shape, {}, {}, y.strides, {}, {}, indices.strides.back()};
  for (size_t a = 0; a < y.shape.size(); ++a) {
    const bool is_tuple = a < tuple_axes, is_batch = a < batch;
    nest.i.push_back(is_tuple ? indices.strides[a] : Dim(0));
    nest.x.push_back(is_batch   ? x.strides[a]
                     : is_tuple ? Dim(0)
                                : x.strides[batch + parts + a - tuple_axes]);
  }
  for (size_t p = 0; p < parts; ++p) {
    nest.part_extent.push_back(x.shape[batch + p]);
    nest.part_stride.push_back(x.strides[batch + p]);
  }
  return nest;
}

using MakeNest = GatherNest (*)(const Node&, const View&, const View&, const View&);

void evaluate_nest(EvaluateContext& context, const Shape& y_shape, MakeNest make) {
  const Tensor &x = context.in(0), &indices = context.in(1);
  Tensor y(x.dtype, fixed(y_shape));
  const GatherNest nest = make(context.node, dense_view(0, x.type()), dense_view(0, indices.type()),
                               dense_view(0, y.type()));
  const int64_t count = y.count();
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, from = 0, at = 0;
    for (size_t a = y.shape.size(); a-- > 0;) {
      const int64_t k = rest % y.shape[a];
      rest /= y.shape[a];
      from += k * nest.x[a].value();
      at += k * nest.i[a].value();
    }
    for (size_t p = 0; p < nest.part_extent.size(); ++p) {
      const int64_t index = indices.i64(at + static_cast<int64_t>(p) * nest.i_part.value());
      from += normal_index(index, nest.part_extent[p].value()) * nest.part_stride[p].value();
    }
    copy_element(x, from, &y, n);
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_nest(const LowerContext& context, MakeNest make) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &indices = context.in(1), &y = context.out(0);
  const GatherNest nest = make(context.node, x, indices, y);
  if (nest.part_extent.size() > static_cast<size_t>(kMaxRank)) {
    throw user_error("index tuples of {} numbers are not supported, at most {}",
                     nest.part_extent.size(), static_cast<int>(kMaxRank));
  }
  const LoopNest loops = make_nest(nest.extent, {nest.x, nest.i, nest.y}, 2);
  GatherNestParamsT<Dim> p{};
  p.rank = static_cast<int>(loops.extent.size());
  p.parts = static_cast<int>(nest.part_extent.size());
  std::copy(loops.extent.begin(), loops.extent.end(), p.extent);
  std::copy(loops.strides[0].begin(), loops.strides[0].end(), p.x_stride);
  std::copy(loops.strides[1].begin(), loops.strides[1].end(), p.i_stride);
  std::copy(loops.strides[2].begin(), loops.strides[2].end(), p.y_stride);
  std::copy(nest.part_extent.begin(), nest.part_extent.end(), p.part_extent);
  std::copy(nest.part_stride.begin(), nest.part_stride.end(), p.part_stride);
  p.i_part = nest.i_part;
  KernelCall call = make_call(Family::gather, {x, indices}, {y});
  call.op = "nest";
  call.params = p;
  call.units = loops.extent.empty() ? Dim(1) : loops.extent[0];
  call.elements = static_cast<double>(product(y.shape).hi());
  return {std::move(call)};
}

// GatherElements -----------------------------------------------------------------------------------------------------

void infer_gather_elements(InferContext& context) {
  check_index_type(context.type(1).dtype);
  const Shape &x = context.shape(0), &indices = context.shape(1);
  if (x.size() != indices.size() || x.empty()) {
    throw user_error("data has rank {} but indices have rank {}; both must be equal and at least 1",
                     x.size(), indices.size());
  }
  const size_t axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), x.size()));
  for (size_t a = 0; a < x.size(); ++a) {
    if (a != axis && indices[a].lo() > x[a].hi()) {
      throw user_error("indices have {} elements along axis {} but data has {}", indices[a].text(),
                       a, x[a].text());
    }
  }
  context.set_type(0, context.type(0).dtype, indices);
}
void evaluate_gather_elements(EvaluateContext& context) {
  evaluate_nest(context, to_shape(context.in(1).shape), elements_nest);
}
Lowered lower_gather_elements(const LowerContext& context) {
  return lower_nest(context, elements_nest);
}

// GatherND -----------------------------------------------------------------------------------------------------------

Shape nd_shape(const Node& node, const Shape& x, const Shape& indices) {
  const int64_t batch = node.int_attribute("batch_dims", 0);
  if (indices.empty() || x.empty() || !indices.back().is_fixed()) {
    throw user_error(
        "the last axis of indices must have a fixed size, and neither input may be a scalar");
  }
  const int64_t parts = indices.back().value(), rank = static_cast<int64_t>(x.size());
  if (batch < 0 || batch >= static_cast<int64_t>(indices.size()) || parts < 1 ||
      batch + parts > rank) {
    throw user_error("index tuples of {} numbers with batch_dims {} do not fit data of rank {}",
                     parts, batch, rank);
  }
  Shape y(indices.begin(), indices.end() - 1);
  y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(batch + parts), x.end());
  return y;
}
void infer_gather_nd(InferContext& context) {
  check_index_type(context.type(1).dtype);
  const Shape y = nd_shape(context.node, context.shape(0), context.shape(1));
  for (int64_t b = 0; b < context.node.int_attribute("batch_dims", 0); ++b) {
    const size_t a = static_cast<size_t>(b);
    context.require_equal(context.shape(0)[a], context.shape(1)[a],
                          fmt::format("axis {} of data", b), fmt::format("axis {} of indices", b));
  }
  context.set_type(0, context.type(0).dtype, y);
}
void evaluate_gather_nd(EvaluateContext& context) {
  evaluate_nest(
      context, nd_shape(context.node, to_shape(context.in(0).shape), to_shape(context.in(1).shape)),
      nd_nest);
}
Lowered lower_gather_nd(const LowerContext& context) {
  return lower_nest(context, nd_nest);
}

}  // namespace

void append_gather_nest(OpList& ops) {
  OpDef elements{};
  elements.name = "GatherElements";
  elements.doc =
      "y[shape of indices]: elements of x[...] picked along one axis by indices of the same rank.";
  elements.min_inputs = elements.max_inputs = 2;
  elements.min_outputs = elements.max_outputs = 1;
  elements.attributes = {{AttributeDef::integer, "axis"}};
  elements.versions = {{"", "GatherElements", 11, kLatestOpset, nullptr}};
  elements.infer = infer_gather_elements;
  elements.evaluate = evaluate_gather_elements;
  elements.lower = lower_gather_elements;
  ops.push_back(std::move(elements));

  OpDef nd{};
  nd.name = "GatherND";
  nd.doc =
      "y[batch..., q..., rest...]: slices of x[batch..., ...] that the tuples in indices[batch..., "
      "q..., tuple] name.";
  nd.min_inputs = nd.max_inputs = 2;
  nd.min_outputs = nd.max_outputs = 1;
  nd.attributes = {{AttributeDef::integer, "batch_dims"}};
  nd.versions = {{"", "GatherND", 11, kLatestOpset, nullptr}};
  nd.infer = infer_gather_nd;
  nd.evaluate = evaluate_gather_nd;
  nd.lower = lower_gather_nd;
  ops.push_back(std::move(nd));
}

}  // namespace macec
