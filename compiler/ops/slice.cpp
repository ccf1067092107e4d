// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice and Split: parts of a tensor, as views.
//
// Starts and ends of a Slice may be extents that vary. They are clamped as ONNX says:
//   step > 0   start, end to [0, n]                 ceil((end - start) / step) elements
//   step < 0   start to [0, n-1], end to [-1, n-1]  ceil((start - end) / -step) elements
#include <algorithm>

#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Ends such as the smallest and largest int64 mean "as far as it goes"; this much is beyond every
// extent.
constexpr int64_t kFar = int64_t{1} << 40;

struct SliceParts {
  std::vector<Dim> starts, extents;  // per axis of the input
  std::vector<int64_t> steps;
};

// v, counted from the end where it is negative, clamped to [lo, hi].
Dim clamped(const Dim& v, const Dim& extent, const Dim& lo, const Dim& hi, const char* what) {
  Dim position = v;
  if (v.is_fixed()) {
    position = std::min(std::max(v.value(), -kFar), kFar);
    if (position.value() < 0) position += extent;
  } else if (v.hi() < 0) {
    position += extent;
  } else if (v.lo() < 0) {
    throw user_error("{} of a slice is {}, whose sign varies; this is not supported", what,
                     v.text());
  }
  return max(lo, min(position, hi));
}

SliceParts slice_parts(const Shape& x, const std::vector<Dim>& starts, const std::vector<Dim>& ends,
                       const std::vector<int64_t>& axes, const std::vector<int64_t>& steps) {
  if (starts.size() != ends.size() || starts.size() != axes.size() ||
      starts.size() != steps.size()) {
    throw user_error("{} starts, {} ends, {} axes, {} steps", starts.size(), ends.size(),
                     axes.size(), steps.size());
  }
  SliceParts parts{std::vector<Dim>(x.size(), 0), x, std::vector<int64_t>(x.size(), 1)};
  std::vector<int64_t> normal = normal_axes(axes, x.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    size_t a = static_cast<size_t>(normal[i]);
    const Dim& n = x[a];
    int64_t step = std::min(std::max(steps[i], -kFar), kFar);
    if (step == 0) throw user_error("a slice with step 0");
    Dim lo = step > 0 ? 0 : -1, hi = step > 0 ? n : n - 1;
    Dim start = clamped(starts[i], n, 0, hi, "the start");
    Dim end = clamped(ends[i], n, lo, hi, "the end");
    parts.starts[a] = start;
    parts.steps[a] = step;
    Dim count = step > 0 ? ceil_div(end - start, step) : ceil_div(start - end, -step);
    // An empty axis has no element n - 1 to start from.
    if (step < 0 && n.lo() <= 0) count = min(count, n);
    parts.extents[a] = max(0, count);
  }
  return parts;
}

std::vector<int64_t> first_axes(size_t count) {
  std::vector<int64_t> axes;
  for (size_t i = 0; i < count; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

void infer_slice(InferContext& context) {
  const Shape& x = context.shape(0);
  const std::vector<Dim> starts = require_known(context, 1, "the start of a slice");
  const std::vector<Dim> ends = require_known(context, 2, "the end of a slice");
  std::vector<int64_t> axes =
      context.has(3) ? require_numbers(context, 3, "the list of axes") : first_axes(starts.size());
  std::vector<int64_t> steps = context.has(4) ? require_numbers(context, 4, "the list of steps")
                                              : std::vector<int64_t>(starts.size(), 1);
  SliceParts parts = slice_parts(x, starts, ends, axes, steps);
  context.set_type(0, context.type(0).dtype, parts.extents);

  const std::vector<Dim>* known = context.known(0);
  if (!known || x.size() != 1 || !parts.starts[0].is_fixed() || !parts.extents[0].is_fixed()) {
    return;
  }
  std::vector<Dim> elements;
  int64_t at = parts.starts[0].value();
  for (int64_t i = 0; i < parts.extents[0].value(); ++i, at += parts.steps[0]) {
    elements.push_back((*known)[static_cast<size_t>(at)]);
  }
  context.set_known(0, elements);
}

bool view_sliced(const LowerContext& context, const View& in, View* out) {
  std::vector<Dim> starts = known_elements(context, 1), ends = known_elements(context, 2);
  std::vector<int64_t> axes =
      context.has(3) ? fixed(known_elements(context, 3)) : first_axes(starts.size());
  std::vector<int64_t> steps =
      context.has(4) ? fixed(known_elements(context, 4)) : std::vector<int64_t>(starts.size(), 1);
  SliceParts parts = slice_parts(in.shape, starts, ends, axes, steps);
  *out = slice_view(in, parts.starts, parts.extents, parts.steps);
  return true;
}

void evaluate_slice(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  std::vector<Dim> starts = element_extents(context.in(1)), ends = element_extents(context.in(2));
  std::vector<int64_t> axes = context.has(3) ? to_i64(context.in(3)) : first_axes(starts.size());
  std::vector<int64_t> steps =
      context.has(4) ? to_i64(context.in(4)) : std::vector<int64_t>(starts.size(), 1);
  SliceParts parts = slice_parts(to_shape(x.shape), starts, ends, axes, steps);
  context.outputs[0] =
      materialize(x, slice_view(dense_view(x), parts.starts, parts.extents, parts.steps));
}

void import_slice(ImportContext& context) {
  attribute_to_input(context, "starts", 1);
  attribute_to_input(context, "ends", 2);
  attribute_to_input(context, "axes", 3);
}

// Extents of the parts along the axis.
std::vector<Dim> split_sizes(const Node& node, const Dim& extent, const std::vector<Dim>* sizes) {
  size_t parts = node.outputs.size();
  if (sizes) {
    if (sizes->size() != parts) {
      throw user_error("{} sizes for {} outputs", sizes->size(), parts);
    }
    for (const Dim& size : *sizes) {
      if (size.lo() < 0) throw user_error("a part of {} elements", size.text());
    }
    return *sizes;
  }
  int64_t count = node.int_attribute("num_outputs", static_cast<int64_t>(parts));
  if (count != static_cast<int64_t>(parts)) {
    throw user_error("num_outputs is {}, but the node has {} outputs", count, parts);
  }
  // All parts but the last have the same size. Before opset 18 the last one must too.
  Dim size = ceil_div(extent, count);
  std::vector<Dim> result(parts, size);
  result.back() = extent - size * Dim(count - 1);
  if (result.back().lo() < 0) {
    throw user_error("{} elements cannot be split into {} parts", extent.text(), parts);
  }
  return result;
}

void infer_split(InferContext& context) {
  const Shape& x = context.shape(0);
  size_t axis = static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), x.size()));
  const std::vector<Dim>* given =
      context.has(1) ? &require_known(context, 1, "the sizes of the parts") : nullptr;
  std::vector<Dim> sizes = split_sizes(context.node, x[axis], given);
  Dim sum = 0;
  for (const Dim& size : sizes) sum += size;
  context.require_equal(sum, x[axis], "the sum of the parts", fmt::format("axis {}", axis));
  const std::vector<Dim>* known = x.size() == 1 ? context.known(0) : nullptr;
  Dim at = 0;
  for (size_t o = 0; o < sizes.size(); ++o) {
    Shape y = x;
    y[axis] = sizes[o];
    context.set_type(static_cast<int>(o), context.type(0).dtype, y);
    if (known && at.is_fixed() && sizes[o].is_fixed()) {
      auto first = known->begin() + at.value();
      context.set_known(static_cast<int>(o), {first, first + sizes[o].value()});
    }
    at += sizes[o];
  }
}

View part_view(const Node& node, const View& in, const std::vector<Dim>* given, size_t output) {
  size_t axis = static_cast<size_t>(normal_axis(node.int_attribute("axis", 0), in.shape.size()));
  std::vector<Dim> sizes = split_sizes(node, in.shape[axis], given);
  std::vector<Dim> starts(in.shape.size(), 0), extents = in.shape;
  for (size_t o = 0; o < output; ++o) starts[axis] += sizes[o];
  extents[axis] = sizes[output];
  return slice_view(in, starts, extents, std::vector<int64_t>(in.shape.size(), 1));
}

bool view_split(const LowerContext& context, const View& in, View* out) {
  std::vector<Dim> sizes;
  if (context.has(1)) sizes = known_elements(context, 1);
  *out = part_view(context.node, in, context.has(1) ? &sizes : nullptr,
                   static_cast<size_t>(context.output));
  return true;
}

void evaluate_split(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  std::vector<Dim> sizes;
  if (context.has(1)) sizes = element_extents(context.in(1));
  for (size_t o = 0; o < context.outputs.size(); ++o) {
    View part = part_view(context.node, dense_view(x), context.has(1) ? &sizes : nullptr, o);
    context.outputs[o] = materialize(x, part);
  }
}

void import_split(ImportContext& context) {
  attribute_to_input(context, "split", 1);
}

}  // namespace

void append_slice(OpList& ops) {
  OpDef slice;
  slice.name = "Slice";
  slice.doc = "Part of x: elements start, start + step, ... before end along the given axes.";
  slice.min_inputs = 3;
  slice.max_inputs = 5;
  slice.min_outputs = slice.max_outputs = 1;
  slice.versions = {{"", "Slice", kOldestOpset, 9, import_slice},
                    {"", "Slice", 10, kLatestOpset, nullptr}};
  slice.traits = kView;
  slice.shape_inputs = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4;
  slice.infer = infer_slice;
  slice.evaluate = evaluate_slice;
  slice.lower = lower_as_copies;
  slice.view = view_sliced;
  ops.push_back(std::move(slice));

  OpDef split;
  split.name = "Split";
  split.doc =
      "x cut along one axis into the given sizes, or into equal parts, the last one smaller.";
  split.min_inputs = 1;
  split.max_inputs = 2;
  split.min_outputs = 1;
  split.max_outputs = -1;
  split.attributes = {{AttributeDef::integer, "axis"}, {AttributeDef::integer, "num_outputs"}};
  split.versions = {{"", "Split", kOldestOpset, 12, import_split},
                    {"", "Split", 13, kLatestOpset, nullptr}};
  split.traits = kView;
  split.shape_inputs = 1u << 1;
  split.infer = infer_split;
  split.evaluate = evaluate_split;
  split.lower = lower_as_copies;
  split.view = view_split;
  ops.push_back(std::move(split));
}

}  // namespace macec
