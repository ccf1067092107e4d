// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshape, Squeeze, Unsqueeze, Flatten, Identity: the same elements in the same order under another
// shape.
//
// Reshape's shape may hold extents that vary (Shape -> Gather -> Concat -> Reshape under --dim
// batch=1..8). One entry may be -1; it is found by exact division, after the axes that both shapes
// have are taken out, so that [batch, 12, 64] -> [batch, -1] works without a value for batch.
#include <algorithm>

#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Takes one extent equal to d out of extents; false if there is none.
bool remove_equal(Shape* extents, const Dim& d) {
  auto at = std::find(extents->begin(), extents->end(), d);
  if (at == extents->end()) return false;
  extents->erase(at);
  return true;
}

// The extent that -1 stands for.
Dim missing_extent(const Shape& input, const std::vector<bool>& is_copied, const Shape& given) {
  Shape have, explicit_extents = given;
  for (size_t i = 0; i < input.size(); ++i) {
    if (!is_copied[i]) have.push_back(input[i]);
  }
  Shape rest;
  for (const Dim& d : explicit_extents) {
    if (d == Dim(0) || !remove_equal(&have, d)) rest.push_back(d);
  }
  Dim count = product(have), by = product(rest), quotient;
  if (exact_div(count, by, &quotient)) return quotient;
  if (count.is_fixed() && by.is_fixed()) {
    throw user_error("{} elements cannot be cut into rows of {}", product(input).text(),
                     product(given).text());
  }
  throw user_error("the entry -1 of the shape is {} / {}, which is not known to be whole",
                   count.text(), by.text())
      .hint("give the dimension a step: --dim height=32..960:32");
}

// The output's shape for the elements of input 1.
Shape reshaped(const Shape& input, const std::vector<Dim>& entries, bool allow_zero) {
  Shape shape, given;
  std::vector<bool> is_copied(input.size(), false);
  int missing = -1;
  for (size_t i = 0; i < entries.size(); ++i) {
    const Dim& entry = entries[i];
    if (entry == Dim(-1)) {
      if (missing >= 0) throw user_error("the shape has two entries of -1");
      missing = static_cast<int>(i);
      shape.push_back(1);
    } else if (entry == Dim(0) && !allow_zero) {
      if (i >= input.size()) {
        throw user_error("entry {} of the shape copies an axis of an input of rank {}", i,
                         input.size());
      }
      is_copied[i] = true;
      shape.push_back(input[i]);
    } else {
      if (entry.is_fixed() && entry.value() < 0) {
        throw user_error("entry {} of the shape is {}", i, entry.text());
      }
      shape.push_back(entry);
      given.push_back(entry);
    }
  }
  if (missing >= 0) {
    shape[static_cast<size_t>(missing)] = missing_extent(input, is_copied, given);
  }
  return shape;
}

void keep_known(InferContext& context) {
  if (const std::vector<Dim>* known = context.known(0)) context.set_known(0, *known);
}

void infer_reshape(InferContext& context) {
  const Shape& x = context.shape(0);
  if (context.shape(1).size() != 1) {
    throw user_error("the shape is a tensor of rank {} instead of 1", context.shape(1).size());
  }
  bool allow_zero = context.node.int_attribute("allowzero", 0) != 0;
  Shape y = reshaped(x, require_known(context, 1, "the shape"), allow_zero);
  context.require_equal(product(x), product(y), "the number of elements", "that of the new shape");
  context.set_type(0, context.type(0).dtype, y);
  keep_known(context);
}

void evaluate_reshape(EvaluateContext& context) {
  bool allow_zero = context.node.int_attribute("allowzero", 0) != 0;
  Tensor y = context.in(0);
  y.shape = fixed(reshaped(to_shape(y.shape), element_extents(context.in(1)), allow_zero));
  context.outputs[0] = std::move(y);
}

Shape squeezed(const Shape& x, const std::vector<int64_t>* axes) {
  Shape y;
  std::vector<int64_t> normal;
  if (axes) normal = normal_axes(*axes, x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    bool is_named =
        std::find(normal.begin(), normal.end(), static_cast<int64_t>(i)) != normal.end();
    if (is_named && x[i] != Dim(1)) {
      throw user_error("axis {} has extent {}, and only axes of extent 1 can be removed", i,
                       x[i].text());
    }
    if (axes ? !is_named : x[i] != Dim(1)) y.push_back(x[i]);
  }
  return y;
}

void infer_squeeze(InferContext& context) {
  std::vector<int64_t> axes;
  bool has_axes = context.has(1);
  if (has_axes) axes = require_numbers(context, 1, "the list of axes");
  context.set_type(0, context.type(0).dtype,
                   squeezed(context.shape(0), has_axes ? &axes : nullptr));
  keep_known(context);
}

void evaluate_squeeze(EvaluateContext& context) {
  Tensor y = context.in(0);
  std::vector<int64_t> axes;
  if (context.has(1)) axes = to_i64(context.in(1));
  y.shape = fixed(squeezed(to_shape(y.shape), context.has(1) ? &axes : nullptr));
  context.outputs[0] = std::move(y);
}

// Axes count in the result.
Shape unsqueezed(const Shape& x, const std::vector<int64_t>& axes) {
  size_t rank = x.size() + axes.size();
  std::vector<int64_t> normal = normal_axes(axes, rank);
  Shape y;
  size_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    bool is_new = std::find(normal.begin(), normal.end(), static_cast<int64_t>(i)) != normal.end();
    y.push_back(is_new ? Dim(1) : x[next++]);
  }
  return y;
}

void infer_unsqueeze(InferContext& context) {
  context.set_type(0, context.type(0).dtype,
                   unsqueezed(context.shape(0), require_numbers(context, 1, "the list of axes")));
  keep_known(context);
}

void evaluate_unsqueeze(EvaluateContext& context) {
  Tensor y = context.in(0);
  y.shape = fixed(unsqueezed(to_shape(y.shape), to_i64(context.in(1))));
  context.outputs[0] = std::move(y);
}

Shape flattened(const Node& node, const Shape& x) {
  int64_t axis = node.int_attribute("axis", 1), rank = static_cast<int64_t>(x.size());
  if (axis < -rank || axis > rank) throw user_error("axis {} of a tensor of rank {}", axis, rank);
  if (axis < 0) axis += rank;
  auto middle = x.begin() + axis;
  return {product(Shape(x.begin(), middle)), product(Shape(middle, x.end()))};
}

void infer_flatten(InferContext& context) {
  context.set_type(0, context.type(0).dtype, flattened(context.node, context.shape(0)));
  keep_known(context);
}

void evaluate_flatten(EvaluateContext& context) {
  Tensor y = context.in(0);
  y.shape = fixed(flattened(context.node, to_shape(y.shape)));
  context.outputs[0] = std::move(y);
}

void infer_identity(InferContext& context) {
  context.set_type(0, context.type(0).dtype, context.shape(0));
  keep_known(context);
}

void evaluate_identity(EvaluateContext& context) {
  context.outputs[0] = context.in(0);
}

// Elements without gaps may be cut in any way: where the counts are not provably equal, a check of
// the run says that they are.
bool reshaped_view(const View& in, const Shape& shape, View* out) {
  if (reshape_view(in, shape, out)) return true;
  if (!in.is_dense()) return false;
  *out = dense_view(in.buffer, {in.dtype, shape, Layout::plain});
  out->offset = in.offset;
  out->constant = in.constant;
  return true;
}

bool view_reshaped(const LowerContext& context, const View& in, View* out) {
  return reshaped_view(in, context.graph.type(context.node.outputs[0]).shape, out);
}

// A dense output that starts anywhere: the copy walks the input's shape.
Lowered lower_reshaped(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  View from = context.in(0), to = context.out(0), seen;
  if (reshaped_view(from, to.shape, &seen)) return {copy_call(seen, to)};
  if (reshaped_view(to, from.shape, &seen)) return {copy_call(from, seen)};
  return {};
}

void import_axes(ImportContext& context) {
  attribute_to_input(context, "axes", 1);
}

OpDef view_op(const char* name, const char* doc) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.min_inputs = op.max_inputs = 1;
  op.min_outputs = op.max_outputs = 1;
  op.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kView;
  op.lower = lower_reshaped;
  op.view = view_reshaped;
  return op;
}

}  // namespace

void append_reshape(OpList& ops) {
  OpDef flatten = view_op("Flatten", "x[a..., b...] to [product of a, product of b], b from axis.");
  flatten.attributes = {{AttributeDef::integer, "axis"}};
  flatten.infer = infer_flatten;
  flatten.evaluate = evaluate_flatten;
  ops.push_back(std::move(flatten));

  OpDef identity = view_op("Identity", "y[...] = x[...].");
  identity.infer = infer_identity;
  identity.evaluate = evaluate_identity;
  ops.push_back(std::move(identity));

  OpDef reshape = view_op(
      "Reshape", "The elements of x in order under a new shape; 0 copies an axis, -1 is inferred.");
  reshape.min_inputs = reshape.max_inputs = 2;
  reshape.shape_inputs = 1u << 1;
  reshape.attributes = {{AttributeDef::integer, "allowzero"}};
  reshape.infer = infer_reshape;
  reshape.evaluate = evaluate_reshape;
  ops.push_back(std::move(reshape));

  OpDef squeeze = view_op("Squeeze", "x without the axes of extent 1 that `axes` names, or all.");
  squeeze.max_inputs = 2;
  squeeze.versions = {{"", "Squeeze", kOldestOpset, 12, import_axes},
                      {"", "Squeeze", 13, kLatestOpset, nullptr}};
  squeeze.infer = infer_squeeze;
  squeeze.evaluate = evaluate_squeeze;
  ops.push_back(std::move(squeeze));

  OpDef unsqueeze = view_op("Unsqueeze", "x with new axes of extent 1 at the places `axes`.");
  unsqueeze.min_inputs = unsqueeze.max_inputs = 2;
  unsqueeze.versions = {{"", "Unsqueeze", kOldestOpset, 12, import_axes},
                        {"", "Unsqueeze", 13, kLatestOpset, nullptr}};
  unsqueeze.infer = infer_unsqueeze;
  unsqueeze.evaluate = evaluate_unsqueeze;
  ops.push_back(std::move(unsqueeze));
}

}  // namespace macec
