// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather: y[outer, indices..., inner] = x[outer, index, inner]; negative indices count from the
// end.
//
// Constant indices in even steps (one index above all) are a slice, and so a view.
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

size_t axis_of(const Node& node, size_t rank) {
  return static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), rank));
}

int64_t normal_index(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent) {
    throw user_error("index {} into an axis of {} elements", index, extent);
  }
  return index < 0 ? index + extent : index;
}

void infer_gather(InferContext& context) {
  const Shape& x = context.shape(0);
  const Shape& indices = context.shape(1);
  size_t axis = axis_of(context.node, x.size());
  Shape y(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(axis));
  y.insert(y.end(), indices.begin(), indices.end());
  y.insert(y.end(), x.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.end());
  context.set_type(0, context.type(0).dtype, y);

  const Tensor* constant = context.constant(1);
  if (constant && x[axis].is_fixed()) {
    for (int64_t i = 0; i < constant->count(); ++i) {
      normal_index(constant->i64(i), x[axis].value());
    }
  }
  const std::vector<Dim>* known = context.known(0);
  const std::vector<Dim>* places = context.known(1);
  if (!known || !places || x.size() != 1) return;
  std::vector<Dim> elements;
  for (const Dim& place : *places) {
    if (!place.is_fixed()) return;
    int64_t index = normal_index(place.value(), static_cast<int64_t>(known->size()));
    elements.push_back((*known)[static_cast<size_t>(index)]);
  }
  context.set_known(0, elements);
}

void evaluate_gather(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& indices = context.in(1);
  size_t axis = axis_of(context.node, x.shape.size());
  int64_t outer = 1, inner = 1, extent = x.shape[axis];
  std::vector<int64_t> shape;
  for (size_t a = 0; a < axis; ++a) {
    outer *= x.shape[a];
    shape.push_back(x.shape[a]);
  }
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  for (size_t a = axis + 1; a < x.shape.size(); ++a) {
    inner *= x.shape[a];
    shape.push_back(x.shape[a]);
  }
  Tensor y(x.dtype, shape);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < indices.count(); ++i) {
      int64_t from = (o * extent + normal_index(indices.i64(i), extent)) * inner;
      for (int64_t j = 0; j < inner; ++j) copy_element(x, from + j, &y, to++);
    }
  }
  context.outputs[0] = std::move(y);
}

// Constant indices start, start + step, ...; false for any others.
bool is_progression(const LowerContext& context, const Dim& extent, Dim* start, int64_t* step) {
  const Tensor* indices = context.constant(1);
  if (!indices || indices->count() == 0) return false;
  auto at = [&](int64_t i) {
    int64_t index = indices->i64(i);
    return index < 0 ? extent + Dim(index) : Dim(index);
  };
  *start = at(0);
  *step = 1;
  for (int64_t i = 1; i < indices->count(); ++i) {
    Dim difference = at(i) - at(i - 1);
    if (!difference.is_fixed() || (i > 1 && difference != Dim(*step))) return false;
    *step = difference.value();
  }
  return *step != 0;
}

bool view_gathered(const LowerContext& context, const View& in, View* out) {
  size_t axis = axis_of(context.node, in.shape.size());
  std::vector<Dim> starts(in.shape.size(), 0), extents = in.shape;
  std::vector<int64_t> steps(in.shape.size(), 1);
  if (!is_progression(context, in.shape[axis], &starts[axis], &steps[axis])) return false;
  extents[axis] = context.constant(1)->count();
  View slice = slice_view(in, starts, extents, steps);
  return reshape_view(slice, context.graph.type(context.node.outputs[0]).shape, out);
}

Lowered lower_gather(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  const View& indices = context.in(1);
  const View& y = context.out(0);
  View slice;
  if (view_gathered(context, x, &slice)) return {copy_call(slice, y)};

  // x as [outer, extent, inner], y as [outer, indices, inner].
  size_t axis = axis_of(context.node, x.shape.size());
  auto middle = x.shape.begin() + static_cast<std::ptrdiff_t>(axis);
  Dim outer = product(Shape(x.shape.begin(), middle));
  Dim inner = product(Shape(middle + 1, x.shape.end()));
  Dim count = product(indices.shape);
  View from, to;
  if (!indices.is_dense() || !reshape_view(x, {outer, x.shape[axis], inner}, &from) ||
      !reshape_view(y, {outer, count, inner}, &to)) {
    return {};
  }
  if (inner != Dim(1) && (from.strides[2] != Dim(1) || to.strides[2] != Dim(1))) return {};
  GatherParamsT<Dim> p{};
  p.outer = outer;
  p.indices = count;
  p.inner = inner;
  p.extent = x.shape[axis];
  p.x_outer = from.strides[0];
  p.x_axis = from.strides[1];
  p.y_outer = to.strides[0];
  p.y_index = to.strides[1];
  KernelCall call = make_call(Family::gather, {x, indices}, {y});
  call.params = p;
  call.units = outer * count;
  call.elements = static_cast<double>(product(y.shape).hi());
  return {std::move(call)};
}

}  // namespace

void append_gather(OpList& ops) {
  OpDef op;
  op.name = "Gather";
  op.doc = "y[outer..., indices..., inner...]: the slices of x along one axis that indices name.";
  op.min_inputs = op.max_inputs = 2;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::integer, "axis"}};
  op.versions = {{"", "Gather", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kView;
  op.infer = infer_gather;
  op.evaluate = evaluate_gather;
  op.lower = lower_gather;
  op.view = view_gathered;
  ops.push_back(std::move(op));
}

}  // namespace macec
