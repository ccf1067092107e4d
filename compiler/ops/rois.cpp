// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RoiAlign and MaxRoiPool: windows of images, each as a small image of its own.
//
//   x [N, C, H, W], regions [R, ...]  ->  y [R, C, h, w]
//
// kernels/roi.h says what a bin of a region is. An image that does not exist ends the run.
#include <algorithm>
#include <cmath>

#include "compiler/ops/line.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_align(const Node& node) {
  return node.op == "RoiAlign";
}
bool is_max(const Node& node) {
  const std::string mode = node.string_attribute("mode", "avg");
  if (mode != "avg" && mode != "max") throw user_error("mode '{}' is neither avg nor max", mode);
  return mode == "max";
}
bool is_half_pixel(const Node& node) {
  const std::string mode = node.string_attribute("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "output_half_pixel")
    throw user_error(
        "coordinate_transformation_mode '{}' is neither half_pixel nor output_half_pixel", mode);
  return mode == "half_pixel";
}
std::vector<int64_t> bins_of(const Node& node) {
  std::vector<int64_t> bins = {node.int_attribute("output_height", 1),
                               node.int_attribute("output_width", 1)};
  if (!is_align(node)) bins = node.ints_attribute("pooled_shape");
  if (bins.size() != 2 || bins[0] < 1 || bins[1] < 1)
    throw user_error("an output of {} extents, {} bins", bins.size(), bins.empty() ? 0 : bins[0]);
  return bins;
}

void infer_roi(InferContext& context) {
  const TensorType &x = context.type(0), &rois = context.type(1);
  check_line_type(context.node, x.dtype, true);
  if (x.shape.size() != 4) throw user_error("input is {}, not [N, C, H, W]", text(x));
  if (x.shape[2].lo() < 1 || x.shape[3].lo() < 1)
    throw user_error("images of {} by {} pixels", x.shape[2].text(), x.shape[3].text());
  const int64_t columns = is_align(context.node) ? 4 : 5;
  if (rois.dtype != x.dtype || rois.shape.size() != 2 || rois.shape[1] != Dim(columns))
    throw user_error("regions are {}, not {}[R, {}]", text(rois), name(x.dtype), columns);
  if (is_align(context.node)) {
    const TensorType& images = context.type(2);
    if (images.dtype != DType::int64 || images.shape.size() != 1)
      throw user_error("batch_indices are {}, not int64[R]", text(images));
    context.require_equal(images.shape[0], rois.shape[0], "the number of batch_indices",
                          "the number of regions");
    is_max(context.node);
    is_half_pixel(context.node);
    if (context.node.int_attribute("sampling_ratio", 0) < 0)
      throw user_error("a sampling_ratio below 0");
  }
  const std::vector<int64_t> bins = bins_of(context.node);
  context.set_type(0, x.dtype, {rois.shape[0], x.shape[1], bins[0], bins[1]});
}

// --- evaluate: one plane of x, [height, width]

struct Plane {
  const Tensor& x;
  int64_t first, height, width;
  double at(int64_t r, int64_t c) const { return x.f64(first + r * width + c); }
};

struct Axis {
  double first, step;
  int64_t count;
};
Axis samples(const Node& node, double from, double to, int64_t bins, int64_t bin) {
  const auto scale = static_cast<double>(node.float_attribute("spatial_scale", 1));
  const double shift = is_half_pixel(node) ? 0.5 : 0, start = from * scale - shift;
  double size = to * scale - shift - start;
  if (!is_half_pixel(node)) size = std::max(size, 1.0);
  const double each = size / static_cast<double>(bins);
  int64_t count = node.int_attribute("sampling_ratio", 0);
  if (count == 0 && each > 0) count = static_cast<int64_t>(std::ceil(std::min(each, 16777216.0)));
  const double step = count > 0 ? each / static_cast<double>(count) : 0;
  return {start + static_cast<double>(bin) * each + step / 2, step, count};
}

// The four weighted neighbours of a position; false: it lies outside.
bool neighbours(const Plane& plane, double y, double x, double* v) {
  const auto height = static_cast<double>(plane.height), width = static_cast<double>(plane.width);
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return false;
  y = std::clamp(y, 0.0, height - 1);
  x = std::clamp(x, 0.0, width - 1);
  const auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min(y0 + 1, plane.height - 1), x1 = std::min(x0 + 1, plane.width - 1);
  const double ly = y - static_cast<double>(y0), lx = x - static_cast<double>(x0);
  v[0] = (1 - ly) * (1 - lx) * plane.at(y0, x0);
  v[1] = (1 - ly) * lx * plane.at(y0, x1);
  v[2] = ly * (1 - lx) * plane.at(y1, x0);
  v[3] = ly * lx * plane.at(y1, x1);
  return true;
}

double aligned_bin(const Node& node, const Plane& plane, const Axis& rows, const Axis& columns) {
  double sum = 0, best = -INFINITY;
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t c = 0; c < columns.count; ++c) {
      double v[4] = {0, 0, 0, 0};
      neighbours(plane, rows.first + static_cast<double>(r) * rows.step,
                 columns.first + static_cast<double>(c) * columns.step, v);
      sum += v[0] + v[1] + v[2] + v[3];
      best = std::max(best, *std::max_element(v, v + 4));
    }
  }
  const int64_t count = rows.count * columns.count;
  if (rows.count < 1 || columns.count < 1) return 0;
  return is_max(node) ? best : sum / static_cast<double>(count);
}

void pixels(double from, double to, int64_t bins, int64_t bin, int64_t n, int64_t* range) {
  const auto start = static_cast<int64_t>(std::round(from)),
             last = static_cast<int64_t>(std::round(to));
  const int64_t size = std::max<int64_t>(last - start + 1, 1);
  range[0] = std::clamp<int64_t>(start + bin * size / bins, 0, n);
  range[1] = std::clamp<int64_t>(start + ((bin + 1) * size + bins - 1) / bins, 0, n);
}

double pooled_bin(const Plane& plane, const int64_t* rows, const int64_t* columns) {
  double best = 0;
  bool is_first = true;
  for (int64_t r = rows[0]; r < rows[1]; ++r) {
    for (int64_t c = columns[0]; c < columns[1]; ++c) {
      const double v = plane.at(r, c);
      if (is_first || v > best || std::isnan(v)) best = v;
      is_first = false;
      if (std::isnan(best)) return best;
    }
  }
  return best;
}

void evaluate_roi(EvaluateContext& context) {
  const Tensor &x = context.in(0), &rois = context.in(1);
  const Node& node = context.node;
  const std::vector<int64_t> bins = bins_of(node);
  const int64_t regions = rois.shape[0], channels = x.shape[1], size = bins[0] * bins[1];
  const auto scale = static_cast<double>(node.float_attribute("spatial_scale", 1));
  Tensor y(x.dtype, {regions, channels, bins[0], bins[1]});
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t region = i / size / channels, row = i % size / bins[1], column = i % bins[1];
    const int64_t stride = is_align(node) ? 4 : 5, corner = region * stride + stride - 4;
    const int64_t image = is_align(node)
                              ? context.in(2).i64(region)
                              : static_cast<int64_t>(std::round(rois.f64(region * stride)));
    if (image < 0 || image >= x.shape[0])
      throw user_error("region {} is of image {} of {}", region, image, x.shape[0]);
    const Plane plane{x, (image * channels + i / size % channels) * x.shape[2] * x.shape[3],
                      x.shape[2], x.shape[3]};
    const double x0 = rois.f64(corner), y0 = rois.f64(corner + 1), x1 = rois.f64(corner + 2),
                 y1 = rois.f64(corner + 3);
    if (is_align(node)) {
      y.set_f64(i, aligned_bin(node, plane, samples(node, y0, y1, bins[0], row),
                               samples(node, x0, x1, bins[1], column)));
      continue;
    }
    int64_t rows[2], columns[2];
    pixels(y0 * scale, y1 * scale, bins[0], row, plane.height, rows);
    pixels(x0 * scale, x1 * scale, bins[1], column, plane.width, columns);
    y.set_f64(i, pooled_bin(plane, rows, columns));
  }
  context.outputs[0] = std::move(y);
}

// --- lower

Lowered lower_roi(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const Node& node = context.node;
  const View &x = context.in(0), &y = context.out(0);
  KernelCall call = make_call(Family::sample, input_views(context), {y});
  for (size_t i = 1; i < call.inputs.size(); ++i)
    if (!call.inputs[i].is_dense()) return {};
  RoiParamsT<Dim> p{};
  p.half_pixel = is_align(node) && is_half_pixel(node) ? 1 : 0;
  p.ratio = static_cast<int>(std::min<int64_t>(node.int_attribute("sampling_ratio", 0), 1 << 20));
  p.scale = node.float_attribute("spatial_scale", 1);
  p.images = x.shape[0], p.channels = x.shape[1], p.height = x.shape[2], p.width = x.shape[3];
  p.out_height = y.shape[2], p.out_width = y.shape[3];
  p.x_image = x.strides[0], p.x_channel = x.strides[1], p.x_row = x.strides[2];
  p.x_column = x.strides[3];
  p.y_region = y.strides[0], p.y_channel = y.strides[1], p.y_row = y.strides[2];
  p.y_column = y.strides[3];
  call.op = !is_align(node) ? "MaxRoiPool" : is_max(node) ? "RoiAlignMax" : "RoiAlign";
  call.units = y.shape[0] * y.shape[2] * y.shape[3];
  call.elements = static_cast<double>(product(y.shape).hi()) * 16;
  call.params = std::move(p);
  return {std::move(call)};
}

// Before opset 16 nothing is moved by half a pixel.
void import_whole_pixels(ImportContext& context) {
  context.node.attributes["coordinate_transformation_mode"] = std::string("output_half_pixel");
}

OpDef roi_def(const char* name, const char* doc) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::real, "spatial_scale"}};
  def.traits = kAnyLayout;
  def.infer = infer_roi;
  def.evaluate = evaluate_roi;
  def.lower = lower_roi;
  return def;
}

}  // namespace

void append_rois(OpList& ops) {
  OpDef align =
      roi_def("RoiAlign",
              "Bins of regions of x [N, C, H, W], sampled between pixels: regions [R, 4], "
              "batch_indices [R], y [R, C, h, w]");
  align.min_inputs = align.max_inputs = 3;
  align.attributes.insert(align.attributes.end(),
                          {{AttributeDef::text, "coordinate_transformation_mode"},
                           {AttributeDef::text, "mode"},
                           {AttributeDef::integer, "output_height"},
                           {AttributeDef::integer, "output_width"},
                           {AttributeDef::integer, "sampling_ratio"}});
  align.versions = {{"", "RoiAlign", 10, 15, import_whole_pixels},
                    {"", "RoiAlign", 16, kLatestOpset, nullptr}};
  ops.push_back(std::move(align));

  OpDef pool =
      roi_def("MaxRoiPool",
              "The greatest pixel of each bin of regions of x [N, C, H, W]: regions [R, 5] "
              "(image, x, y, x, y), y [R, C, h, w]");
  pool.min_inputs = pool.max_inputs = 2;
  pool.attributes.push_back({AttributeDef::integers, "pooled_shape", true});
  pool.versions = {{"", "MaxRoiPool", kOldestOpset, kLatestOpset, nullptr}};
  ops.push_back(std::move(pool));
}

}  // namespace macec
