// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize, and Upsample as an older form of it.
//
//   y[o0, o1, ...] = the element or weighted mean of elements of x around the position of each o
//
// Every axis is resized by itself: resize_axes.h says where its positions lie, params/resize.h what
// the modes make of them.
#include <algorithm>
#include <cmath>

#include "codegen_templates/params/resize.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/ops/resize_axes.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

int mode_of(const Node& node) {
  const std::string mode = node.string_attribute("mode", "nearest");
  if (mode == "nearest") return kResizeNearest;
  if (mode == "linear") return kResizeLinear;
  if (mode == "cubic") return kResizeCubic;
  throw user_error("mode '{}' is not one of nearest, linear, cubic", mode);
}

// nearest_mode of opset 10, which names none: the element before on axes that grow, and the one
// behind on axes that shrink. No file may set it.
constexpr const char* kByDirection = "by_direction";

bool shrinks(const ResizeAxis& axis) {
  return axis.is_resized && axis.out.lo() < axis.in.lo();
}

int rounding_of(const Node& node, const std::vector<ResizeAxis>& axes) {
  const std::string rounding = node.string_attribute("nearest_mode", "round_prefer_floor");
  if (rounding == kByDirection) {
    const auto kept = [](const ResizeAxis& axis) { return !axis.is_resized; };
    const bool all = std::all_of(axes.begin(), axes.end(),
                                 [&](const ResizeAxis& a) { return kept(a) || shrinks(a); });
    if (!all && std::any_of(axes.begin(), axes.end(), shrinks)) {
      throw user_error(
          "a nearest Resize of opset 10 with axes that grow and axes that shrink is "
          "not supported")
          .hint("convert the model to opset 11 or later");
    }
    return all ? kRoundCeil : kRoundFloor;
  }
  if (rounding == "round_prefer_floor") return kRoundHalfDown;
  if (rounding == "round_prefer_ceil") return kRoundHalfUp;
  if (rounding == "floor") return kRoundFloor;
  if (rounding == "ceil") return kRoundCeil;
  throw user_error(
      "nearest_mode '{}' is not one of round_prefer_floor, round_prefer_ceil, floor, ceil",
      rounding);
}

bool is_crop(const Node& node) {
  return node.string_attribute("coordinate_transformation_mode", "") == "tf_crop_and_resize";
}

// An input that is given and has elements: exporters write empty ones for "none".
bool has_elements(InferContext& context, int i) {
  return context.has(i) && context.type(i).count() != Dim(0);
}

// Numbers that shape the kernel must be known at compile time.
void require_constants(InferContext& context, const std::vector<int>& inputs) {
  std::string unknown, first;
  for (int i : inputs) {
    if (context.constant(i)) continue;
    const Value& value = context.graph.value(context.node.inputs[static_cast<size_t>(i)]);
    unknown += fmt::format("{}{} ('{}' {})", unknown.empty() ? "" : " and ",
                           i == 1 ? "the roi" : "the scales", value.name, text(value.type));
    if (first.empty()) first = value.name;
  }
  if (unknown.empty()) return;
  throw user_error("{} computed when the model runs, which is not supported", unknown)
      .hint(fmt::format("give an input a value: --set {}=...", first));
}

void infer_resize(InferContext& context) {
  const TensorType& x = context.type(0);
  ResizeInputs inputs;
  const bool has_scales = has_elements(context, 2), has_sizes = has_elements(context, 3);
  if (has_scales == has_sizes) {
    throw user_error(has_scales ? "scales and sizes are both given" : "neither scales nor sizes");
  }
  std::vector<int> needed;
  if (is_crop(context.node) && context.has(1)) needed.push_back(1);
  if (has_scales) needed.push_back(2);
  require_constants(context, needed);
  if (is_crop(context.node)) inputs.roi = context.constant(1);
  if (has_scales) inputs.scales = context.constant(2);
  if (has_sizes) inputs.sizes = &require_known(context, 3, "the sizes");
  Shape y;
  const std::vector<ResizeAxis> axes = resize_axes(context.node, x.shape, inputs);
  for (const ResizeAxis& axis : axes) y.push_back(axis.out);
  if (mode_of(context.node) != kResizeNearest &&
      (!info(x.dtype).is_float || info(x.dtype).bits < 16)) {
    throw user_error("Resize of {} in mode '{}' is not supported", name(x.dtype),
                     context.node.string_attribute("mode", ""));
  }
  rounding_of(context.node, axes);
  context.set_type(0, x.dtype, y);
}

// --- evaluate

struct Tap {
  int64_t index;
  double weight;
};

float position(const ResizeAxis& axis, int64_t o) {
  return (static_cast<float>(o) + axis.pre) * static_cast<float>(axis.num.value()) /
             (static_cast<float>(axis.den.value()) * axis.scale) +
         axis.post;
}

int64_t rounded(int rounding, float at) {
  switch (rounding) {
    case kRoundHalfDown:
      return static_cast<int64_t>(std::ceil(at - 0.5f));
    case kRoundHalfUp:
      return static_cast<int64_t>(std::floor(at + 0.5f));
    case kRoundFloor:
      return static_cast<int64_t>(std::floor(at));
    default:
      return static_cast<int64_t>(std::ceil(at));
  }
}

double tap_weight(int mode, double t, double a) {
  t = std::fabs(t);
  if (mode == kResizeLinear) return std::max(0.0, 1 - t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

// The taps of one output position; none: it lies outside and extrapolates.
std::vector<Tap> taps_at(const Node& node, const ResizeAxis& axis, int64_t o) {
  if (!axis.is_resized) return {{o, 1}};
  const int mode = mode_of(node);
  const int64_t n = axis.in.value();
  const float at = position(axis, o);
  if (is_crop(node) && !(at >= 0 && at <= static_cast<float>(n - 1))) return {};
  const auto clamped = [&](int64_t i) { return std::clamp<int64_t>(i, 0, n - 1); };
  if (mode == kResizeNearest) return {{clamped(rounded(rounding_of(node, {axis}), at)), 1}};
  const auto base = static_cast<int64_t>(std::ceil(at)) - 1;
  const double ratio = static_cast<double>(at) - static_cast<double>(base);
  const double cubic_a = static_cast<double>(node.float_attribute("cubic_coeff_a", -0.75f));
  const bool excludes = node.int_attribute("exclude_outside", 0) != 0;
  std::vector<Tap> taps;
  double sum = 0;
  const int first = resize_first_tap(mode, axis.filter);
  for (int i = first; i < first + resize_taps(mode, axis.filter); ++i) {
    const bool is_outside = base + i < 0 || base + i >= n;
    const double t = (i - ratio) * static_cast<double>(axis.filter);
    const double weight = excludes && is_outside ? 0 : tap_weight(mode, t, cubic_a);
    taps.push_back({clamped(base + i), weight});
    sum += weight;
  }
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

// Weighted sum over the taps of axes from `axis` on, at the element `offset` of those before.
double weighted(const Tensor& x, const std::vector<const std::vector<Tap>*>& taps, size_t axis,
                int64_t offset) {
  if (axis == taps.size()) return x.f64(offset);
  double sum = 0;
  for (const Tap& tap : *taps[axis]) {
    if (tap.weight == 0) continue;
    sum += tap.weight * weighted(x, taps, axis + 1, offset * x.shape[axis] + tap.index);
  }
  return sum;
}

void evaluate_resize(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Node& node = context.node;
  ResizeInputs inputs;
  std::vector<Dim> sizes;
  if (context.has(1)) inputs.roi = &context.in(1);
  if (context.has(2) && context.in(2).count() > 0) inputs.scales = &context.in(2);
  if (context.has(3) && context.in(3).count() > 0) {
    sizes = element_extents(context.in(3));
    inputs.sizes = &sizes;
  }
  std::vector<std::vector<std::vector<Tap>>> tables;
  std::vector<int64_t> shape;
  for (const ResizeAxis& axis : resize_axes(node, to_shape(x.shape), inputs)) {
    shape.push_back(axis.out.value());
    tables.emplace_back();
    for (int64_t o = 0; o < shape.back(); ++o) tables.back().push_back(taps_at(node, axis, o));
  }
  Tensor y(x.dtype, shape);
  const double outside = static_cast<double>(node.float_attribute("extrapolation_value", 0));
  const bool is_nearest = mode_of(node) == kResizeNearest;
  for (int64_t i = 0; i < y.count(); ++i) {
    std::vector<const std::vector<Tap>*> taps(shape.size());
    bool is_outside = false;
    int64_t rest = i, nearest = 0;
    for (size_t a = shape.size(); a-- > 0; rest /= shape[a]) {
      taps[a] = &tables[a][static_cast<size_t>(rest % shape[a])];
      is_outside = is_outside || taps[a]->empty();
    }
    for (size_t a = 0; a < shape.size() && !is_outside; ++a) {
      nearest = nearest * x.shape[a] + (*taps[a])[0].index;
    }
    if (is_outside) {
      y.set_f64(i, outside);
    } else if (is_nearest) {
      copy_element(x, nearest, &y, i);
    } else {
      y.set_f64(i, weighted(x, taps, 0, 0));
    }
  }
  context.outputs[0] = std::move(y);
}

// --- lower

struct NestAxis {
  ResizeAxis axis;
  Dim x_stride, y_stride;
};

// Axes by the strides of y, the largest first; neighbours that keep their size are one.
std::vector<NestAxis> nest_axes(const std::vector<ResizeAxis>& axes, const View& x, const View& y) {
  std::vector<size_t> order;
  for (size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].is_resized || axes[a].in != Dim(1)) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return y.strides[a].hi() > y.strides[b].hi(); });
  std::vector<NestAxis> nest;
  for (size_t a : order) {
    const NestAxis next = {axes[a], x.strides[a], y.strides[a]};
    const bool merges = !nest.empty() && !nest.back().axis.is_resized && !next.axis.is_resized &&
                        nest.back().x_stride == next.x_stride * next.axis.in &&
                        nest.back().y_stride == next.y_stride * next.axis.in;
    if (!merges) {
      nest.push_back(next);
      continue;
    }
    const Dim extent = nest.back().axis.in * next.axis.in;
    nest.back() = next;
    nest.back().axis.in = nest.back().axis.out = extent;
  }
  return nest;
}

ResizeParamsT<Dim> resize_params(const Node& node, const std::vector<ResizeAxis>& axes,
                                 const std::vector<NestAxis>& nest) {
  if (nest.size() > static_cast<size_t>(kMaxRank)) {
    throw user_error("Resize of {} axes is not supported, at most {}", nest.size(),
                     static_cast<int>(kMaxRank));
  }
  ResizeParamsT<Dim> p{};
  p.rank = static_cast<int>(nest.size());
  p.mode = mode_of(node);
  p.rounding = rounding_of(node, axes);
  p.extrapolates = is_crop(node) ? 1 : 0;
  p.exclude_outside = node.int_attribute("exclude_outside", 0) != 0 ? 1 : 0;
  p.extrapolation = node.float_attribute("extrapolation_value", 0);
  p.cubic_a = node.float_attribute("cubic_coeff_a", -0.75f);
  for (size_t a = 0; a < nest.size(); ++a) {
    const ResizeAxis& axis = nest[a].axis;
    p.resized[a] = axis.is_resized ? 1 : 0;
    p.in[a] = axis.in;
    p.out[a] = axis.out;
    p.x_stride[a] = nest[a].x_stride;
    p.y_stride[a] = nest[a].y_stride;
    p.num[a] = axis.num;
    p.den[a] = axis.den;
    p.scale[a] = axis.scale;
    p.pre[a] = axis.pre;
    p.post[a] = axis.post;
    p.filter[a] = axis.filter;
  }
  return p;
}

Lowered lower_resize(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  ResizeInputs inputs;
  std::vector<Dim> sizes;
  inputs.roi = context.constant(1);
  if (context.has(3) && context.graph.type(context.node.inputs[3]).count() != Dim(0)) {
    sizes = known_elements(context, 3);
    inputs.sizes = &sizes;
  } else {
    inputs.scales = context.constant(2);
    MACEC_CHECK(inputs.scales, "scales are not constant any more");
  }
  const std::vector<ResizeAxis> axes = resize_axes(context.node, x.shape, inputs);
  const std::vector<NestAxis> nest = nest_axes(axes, x, y);
  KernelCall call = make_call(Family::resize, {x}, {y});
  call.params = resize_params(context.node, axes, nest);
  for (size_t a = 0; a + 1 < nest.size(); ++a) call.units = call.units * nest[a].axis.out;
  double taps = 1;
  for (const NestAxis& a : nest) {
    if (a.axis.is_resized) taps *= resize_taps(mode_of(context.node), a.axis.filter);
  }
  call.elements = static_cast<double>(product(y.shape).hi()) * taps;
  return {std::move(call)};
}

// --- import

// Older forms have positions o / scale and take the element before.
void import_asymmetric(ImportContext& context) {
  Node& node = context.node;
  const bool shrinks_too = node.inputs.size() > 1 && context.opset == 10;
  node.attributes["coordinate_transformation_mode"] = std::string("asymmetric");
  node.attributes["nearest_mode"] = std::string(shrinks_too ? kByDirection : "floor");
  if (node.has_attribute("scales")) {  // Upsample 7
    const std::vector<float> scales = node.floats_attribute("scales");
    node.inputs.resize(2);
    node.inputs[1] = context.constant(
        "scales", Tensor::vector_f32(scales, {static_cast<int64_t>(scales.size())}));
    node.attributes.erase("scales");
  }
  node.inputs.resize(3);
  std::swap(node.inputs[1], node.inputs[2]);
}

void import_resize(ImportContext& context) {
  const std::string mode = context.node.string_attribute("nearest_mode", "");
  if (mode == kByDirection) throw user_error("nearest_mode '{}' is none of Resize", mode);
}

}  // namespace

void append_resize(OpList& ops) {
  OpDef op;
  op.name = "Resize";
  op.doc =
      "x with every axis at another size, given by scales or sizes: the nearest elements, or "
      "linear "
      "or cubic means of neighbours.";
  op.min_inputs = 1;
  op.max_inputs = 4;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::integer, "antialias"},
                   {AttributeDef::integers, "axes"},
                   {AttributeDef::text, "coordinate_transformation_mode"},
                   {AttributeDef::real, "cubic_coeff_a"},
                   {AttributeDef::integer, "exclude_outside"},
                   {AttributeDef::real, "extrapolation_value"},
                   {AttributeDef::text, "keep_aspect_ratio_policy"},
                   {AttributeDef::text, "mode"},
                   {AttributeDef::text, "nearest_mode"},
                   {AttributeDef::reals, "scales"}};
  op.versions = {{"", "Resize", 10, 10, import_asymmetric},
                 {"", "Resize", 11, kLatestOpset, import_resize},
                 {"", "Upsample", kOldestOpset, 9, import_asymmetric}};
  op.traits = kAnyLayout | kSameLayout;
  op.shape_inputs = 1u << 3;
  op.infer = infer_resize;
  op.evaluate = evaluate_resize;
  op.lower = lower_resize;
  ops.push_back(std::move(op));
}

}  // namespace macec
