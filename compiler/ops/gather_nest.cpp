// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GatherElements: y[i0, i1, ...] = x[..., indices[i0, i1, ...], ...] along one axis.
// GatherND:       y[batch..., q..., rest...] = x[batch..., indices[batch..., q..., :], rest...].
//
// Negative indices count from the end. Both are one nest of loops over y (params/gather_nest.h).
#include <algorithm>

#include "compiler/ops/index_nest.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

void check_index_type(DType type) {
  if (type != DType::int32 && type != DType::int64)
    throw user_error("indices of type {} are not supported", name(type));
}

// One nest for lowering and evaluation, over the axes of y.
IndexNest elements_nest(const Node& node, const View& x, const View& indices, const View& y) {
  const size_t axis =
      static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), x.shape.size()));
  IndexNest nest{y.shape,           x.strides, indices.strides, y.strides, {x.shape[axis]},
                 {x.strides[axis]}, 0};
  nest.x[axis] = 0;
  return nest;
}

IndexNest nd_nest(const Node& node, const View& x, const View& indices, const View& y) {
  const size_t batch = static_cast<size_t>(node.int_attribute("batch_dims", 0)),
               tuple_axes = indices.shape.size() - 1;
  const size_t parts = static_cast<size_t>(indices.shape.back().value());
  IndexNest nest{y.shape, {}, {}, y.strides, {}, {}, indices.strides.back()};
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

using MakeNest = IndexNest (*)(const Node&, const View&, const View&, const View&);

void evaluate_nest(EvaluateContext& context, const Shape& y_shape, MakeNest make) {
  const Tensor &x = context.in(0), &indices = context.in(1);
  Tensor y(x.dtype, fixed(y_shape));
  const IndexNest nest = make(context.node, dense_view(0, x.type()), dense_view(0, indices.type()),
                              dense_view(0, y.type()));
  const int64_t count = y.count();
  for (int64_t n = 0; n < count; ++n)
    copy_element(x, indexed_element(nest, nest.x, y.shape, indices, n), &y, n);
  context.outputs[0] = std::move(y);
}

Lowered lower_nest(const LowerContext& context, MakeNest make) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &indices = context.in(1), &y = context.out(0);
  return {index_nest_call(make(context.node, x, indices, y), x, indices, y, "nest", 2)};
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
