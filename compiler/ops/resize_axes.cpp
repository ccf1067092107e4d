// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output sizes and coordinates of Resize.
//
// The nominal scale of an axis is out / in where sizes are given and the number itself where scales
// are; as a fraction, so that sizes are exact and may vary. Where a scale is given, the width in the
// formulas of align_corners, half_pixel_symmetric and tf_crop_and_resize is in * scale, not rounded,
// as in ONNX's reference implementation.
#include "compiler/ops/resize_axes.h"

#include <algorithm>
#include <cmath>

#include "compiler/ops/moves.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// 1 / scale = num / (den * factor)
struct Nominal {
  Dim num = 1, den = 1;
  float factor = 1;
  bool is_whole = false;  // in * scale == out
};

double scale_of(const Nominal& n) {
  return static_cast<double>(n.den.value()) * static_cast<double>(n.factor) /
         static_cast<double>(n.num.value());
}

UserError varying(const std::string& what, const ResizeAxis& axis) {
  return user_error("{} of an axis that varies ({} to {}) is not supported", what, axis.in.text(),
                    axis.out.text())
      .hint("give its dimension one size with --dim");
}

// floor(in * scale) as runtimes compute it: in float.
Dim scaled_extent(const Dim& in, float scale) {
  if (in.is_fixed()) {
    return Dim(static_cast<int64_t>(std::floor(static_cast<float>(in.value()) * scale)));
  }
  // scale = numerator / 2^shift
  int64_t denominator = 1;
  while (denominator < 4096 && scale * static_cast<float>(denominator) !=
                                   std::floor(scale * static_cast<float>(denominator))) {
    denominator *= 2;
  }
  const float numerator = scale * static_cast<float>(denominator);
  if (numerator != std::floor(numerator) || numerator > 4096) {
    throw user_error("a scale of {} for an axis that varies ({}) is not supported", scale,
                     in.text())
        .hint("give its dimension one size with --dim");
  }
  return floor_div(in * Dim(static_cast<int64_t>(numerator)), denominator);
}

void set_by_scales(const Tensor& scales, const std::vector<size_t>& axes,
                   std::vector<ResizeAxis>* all, std::vector<Nominal>* nominal) {
  if (scales.count() != static_cast<int64_t>(axes.size())) {
    throw user_error("{} scales for {} axes", scales.count(), axes.size());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const float scale = static_cast<float>(scales.f64(static_cast<int64_t>(i)));
    if (!(scale > 0) || !std::isfinite(scale)) throw user_error("a scale of {}", scale);
    ResizeAxis& axis = (*all)[axes[i]];
    axis.out = scaled_extent(axis.in, scale);
    (*nominal)[axes[i]] = {1, 1, scale, false};
    if (scale == std::floor(scale) && axis.out == axis.in * Dim(static_cast<int64_t>(scale))) {
      (*nominal)[axes[i]].is_whole = true;
    }
    axis.is_resized = scale != 1.0f;
  }
}

// keep_aspect_ratio_policy: one scale for all axes, the smallest or largest of those asked for.
void keep_aspect(bool is_largest, const std::vector<size_t>& axes, std::vector<ResizeAxis>* all,
                 std::vector<Nominal>* nominal) {
  size_t best = axes[0];
  for (size_t a : axes) {
    const ResizeAxis &axis = (*all)[a], &chosen = (*all)[best];
    if (!axis.in.is_fixed() || !axis.out.is_fixed())
      throw varying("keep_aspect_ratio_policy", axis);
    const int64_t left = axis.out.value() * chosen.in.value();
    const int64_t right = chosen.out.value() * axis.in.value();
    if (is_largest ? left > right : left < right) best = a;
  }
  const Dim num = (*all)[best].in, den = (*all)[best].out;
  for (size_t a : axes) {
    ResizeAxis& axis = (*all)[a];
    axis.out = floor_div(axis.in * den * Dim(2) + num, 2 * num.value());
    (*nominal)[a] = {num, den, 1, axis.in * den == axis.out * num};
    axis.is_resized = num != den;
  }
}

void set_by_sizes(const Node& node, const std::vector<Dim>& sizes, const std::vector<size_t>& axes,
                  std::vector<ResizeAxis>* all, std::vector<Nominal>* nominal) {
  if (sizes.size() != axes.size()) {
    throw user_error("{} sizes for {} axes", sizes.size(), axes.size());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = (*all)[axes[i]];
    axis.out = sizes[i];
    if (axis.out.lo() < 0) throw user_error("a size of {}", axis.out.text());
    (*nominal)[axes[i]] = {axis.in, axis.out, 1, true};
    axis.is_resized = axis.in != axis.out;
  }
  const std::string policy = node.string_attribute("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch" || axes.empty()) return;
  if (policy != "not_larger" && policy != "not_smaller") {
    throw user_error("keep_aspect_ratio_policy '{}' is not one of stretch, not_larger, not_smaller",
                     policy);
  }
  keep_aspect(policy == "not_smaller", axes, all, nominal);
}

void use_nominal(const Nominal& n, float pre, float post, ResizeAxis* axis) {
  axis->num = n.num;
  axis->den = n.den;
  axis->scale = n.factor;
  axis->pre = pre;
  axis->post = post;
}

// Everything lies at `at`.
void use_point(float at, ResizeAxis* axis) {
  axis->num = 0;
  axis->den = 1;
  axis->post = at;
}

void use_corners(const Nominal& n, ResizeAxis* axis) {
  axis->num = axis->in - 1;
  if (n.is_whole) {
    axis->den = max(axis->out - 1, 1);
    return;
  }
  if (!axis->in.is_fixed()) throw varying("align_corners", *axis);
  const double width = static_cast<double>(axis->in.value()) * scale_of(n);
  if (width == 1) return use_point(0, axis);
  axis->scale = static_cast<float>(width - 1);
}

void use_symmetric(const Nominal& n, ResizeAxis* axis) {
  use_nominal(n, 0.5f, -0.5f, axis);
  if (n.is_whole) return;
  if (!axis->in.is_fixed() || !axis->out.is_fixed()) throw varying("half_pixel_symmetric", *axis);
  const double in = static_cast<double>(axis->in.value());
  const double adjustment = static_cast<double>(axis->out.value()) / (in * scale_of(n));
  axis->post = static_cast<float>(in / 2 * (1 - adjustment) - 0.5);
}

void use_crop(const Nominal& n, double start, double end, ResizeAxis* axis) {
  if (!axis->is_resized && start == 0 && end == 1) return;
  axis->is_resized = true;
  if (!axis->in.is_fixed() || !axis->out.is_fixed()) throw varying("tf_crop_and_resize", *axis);
  const double last = static_cast<double>(axis->in.value() - 1);
  const double width = static_cast<double>(axis->in.value()) * scale_of(n);
  if (width == 1) return use_point(static_cast<float>((start + end) / 2 * last), axis);
  if (start == end) return use_point(static_cast<float>(start * last), axis);
  axis->num = axis->in - 1;
  axis->scale = static_cast<float>((width - 1) / (end - start));
  axis->post = static_cast<float>(start * last);
}

void use_pytorch(const Nominal& n, ResizeAxis* axis) {
  if (axis->out == Dim(1)) return use_point(0, axis);
  if (axis->out.lo() < 2) throw varying("pytorch_half_pixel", *axis);
  use_nominal(n, 0.5f, -0.5f, axis);
}

void set_coordinates(const std::string& mode, const Nominal& n, ResizeAxis* axis) {
  if (mode == "half_pixel") return use_nominal(n, 0.5f, -0.5f, axis);
  if (mode == "half_pixel_symmetric") return use_symmetric(n, axis);
  if (mode == "pytorch_half_pixel") return use_pytorch(n, axis);
  if (mode == "align_corners") return use_corners(n, axis);
  if (mode == "asymmetric") return use_nominal(n, 0, 0, axis);
  if (mode == "tf_half_pixel_for_nn") return use_nominal(n, 0.5f, 0, axis);
  throw user_error(
      "coordinate_transformation_mode '{}' is not one of half_pixel, "
      "half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, "
      "tf_half_pixel_for_nn, tf_crop_and_resize",
      mode);
}

std::vector<size_t> axes_of(const Node& node, size_t rank) {
  std::vector<size_t> axes;
  if (node.has_attribute("axes") && !node.ints_attribute("axes").empty()) {
    for (int64_t a : normal_axes(node.ints_attribute("axes"), rank)) {
      axes.push_back(static_cast<size_t>(a));
    }
    return axes;
  }
  for (size_t a = 0; a < rank; ++a) axes.push_back(a);
  return axes;
}

}  // namespace

std::vector<ResizeAxis> resize_axes(const Node& node, const Shape& x, const ResizeInputs& inputs) {
  const std::vector<size_t> axes = axes_of(node, x.size());
  std::vector<ResizeAxis> all(x.size());
  std::vector<Nominal> nominal(x.size());
  for (size_t a = 0; a < x.size(); ++a) all[a].in = all[a].out = x[a];
  if (inputs.sizes) {
    set_by_sizes(node, *inputs.sizes, axes, &all, &nominal);
  } else {
    set_by_scales(*inputs.scales, axes, &all, &nominal);
  }
  const std::string mode = node.string_attribute("coordinate_transformation_mode", "half_pixel");
  const bool is_crop = mode == "tf_crop_and_resize";
  const auto count = static_cast<int64_t>(axes.size());
  if (is_crop && (!inputs.roi || inputs.roi->count() != 2 * count)) {
    throw user_error("tf_crop_and_resize needs a start and an end for each of {} axes", count);
  }
  const bool has_filter = node.int_attribute("antialias", 0) != 0;
  for (int64_t i = 0; i < count; ++i) {
    ResizeAxis& axis = all[axes[static_cast<size_t>(i)]];
    const Nominal& n = nominal[axes[static_cast<size_t>(i)]];
    if (is_crop) use_crop(n, inputs.roi->f64(i), inputs.roi->f64(i + count), &axis);
    if (!axis.is_resized) continue;
    if (axis.in.lo() < 1)
      throw user_error("an axis of {} elements cannot be resized", axis.in.text());
    if (!is_crop) set_coordinates(mode, n, &axis);
    if (!has_filter) continue;
    if (!n.num.is_fixed() || !n.den.is_fixed()) throw varying("antialias", axis);
    axis.filter = static_cast<float>(std::min(1.0, scale_of(n)));
  }
  return all;
}

}  // namespace macec
