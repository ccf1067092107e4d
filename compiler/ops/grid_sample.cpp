// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample: y[n, c, o...] = x at the position that grid[n, o..., :] says, for every channel.
//
// params/grid_sample.h says where a coordinate lies, kernels/grid_sample.h what lies outside.
#include <algorithm>
#include <cmath>

#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

int mode_of(const Node& node) {
  const std::string mode = node.string_attribute("mode", "linear");
  if (mode == "nearest") return kSampleNearest;
  if (mode == "linear" || mode == "bilinear") return kSampleLinear;
  if (mode == "cubic" || mode == "bicubic") return kSampleCubic;
  throw user_error("mode '{}' is not one of nearest, linear, cubic", mode);
}
int padding_of(const Node& node) {
  const std::string padding = node.string_attribute("padding_mode", "zeros");
  if (padding == "zeros") return kSampleZeros;
  if (padding == "border") return kSampleBorder;
  if (padding == "reflection") return kSampleReflection;
  throw user_error("padding_mode '{}' is not one of zeros, border, reflection", padding);
}
bool is_aligned(const Node& node) {
  return node.int_attribute("align_corners", 0) != 0;
}

void infer_grid_sample(InferContext& context) {
  const TensorType &x = context.type(0), &grid = context.type(1);
  const auto axes = static_cast<int64_t>(x.shape.size()) - 2;
  if (axes < 1 || axes > kMaxSampleAxes)
    throw user_error("GridSample of {} axes is not supported, only [N, C] and 1 to {} more",
                     x.shape.size(), static_cast<int>(kMaxSampleAxes));
  if (!info(grid.dtype).is_float || info(grid.dtype).bits < 16)
    throw user_error("the grid is {}, but must be of floats", name(grid.dtype));
  const DTypeInfo& type = info(x.dtype);
  const bool is_number =
      type.bits >= (type.is_float ? 16 : 8) && (type.is_float || type.is_integer);
  const bool only_moves = mode_of(context.node) == kSampleNearest && type.bits >= 8;
  if (!is_number && !only_moves)
    throw user_error("GridSample of {} in mode '{}' is not supported", type.name,
                     context.node.string_attribute("mode", "linear"));
  padding_of(context.node);
  if (grid.shape.size() != x.shape.size() || grid.shape.back() != Dim(axes))
    throw user_error("the grid is {}, but x {} needs [N, {} axes, {}]", text(grid), text(x), axes,
                     axes);
  context.require_equal(grid.shape[0], x.shape[0], "axis 0 of the grid", "axis 0 of x");
  for (size_t a = 2; a < x.shape.size(); ++a)
    if (x.shape[a].lo() == 0) throw user_error("axis {} of x may be empty", a);
  Shape y = {x.shape[0], x.shape[1]};
  y.insert(y.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  context.set_type(0, x.dtype, y);
}

// --- evaluate

struct Tap {
  int64_t index;
  double weight;
};

double reflected(double at, double low, double high) {
  if (high <= low || !std::isfinite(at)) return low;
  while (at < low || at > high) {
    const double range = high - low, beyond = at < low ? low - at : at - high;
    if (beyond > 4 * range) {  // whole periods away
      at += (at < low ? 2 : -2) * range * std::floor(beyond / (2 * range));
      continue;
    }
    at = at < low ? 2 * low - at : 2 * high - at;
  }
  return at;
}

// The taps along an axis of n elements. Positions are rounded to the type that kernels have them in.
template <class At>
std::vector<Tap> taps_of(const Node& node, double coordinate, int64_t n) {
  const int mode = mode_of(node), padding = padding_of(node);
  const At g = static_cast<At>(coordinate), size = static_cast<At>(n);
  const At place = is_aligned(node) ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
  const double low = is_aligned(node) ? 0 : -0.5,
               high = static_cast<double>(n) - (is_aligned(node) ? 1 : 0.5);
  double at = static_cast<double>(place);
  if (mode == kSampleNearest) at = std::nearbyint(at);
  if (padding == kSampleReflection) at = reflected(at, low, high);
  if (padding == kSampleBorder && at < low) at = 0;
  if (padding == kSampleBorder && at > high) at = static_cast<double>(n - 1);
  at = at >= -4 ? std::min(at, static_cast<double>(n + 4)) : -4;
  const double base = std::floor(at), t = at - base;
  const auto first = static_cast<int64_t>(base);
  std::vector<Tap> taps;
  if (mode == kSampleNearest) taps = {{first, 1}};
  if (mode == kSampleLinear) taps = {{first, 1 - t}, {first + 1, t}};
  for (int64_t i = -1; mode == kSampleCubic && i <= 2; ++i) {
    const double d = std::fabs(static_cast<double>(i) - t), a = -0.75;
    taps.push_back({first + i, d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                                      : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a});
  }
  std::vector<Tap> kept;
  for (Tap tap : taps) {
    const auto index = static_cast<double>(tap.index);
    if (padding == kSampleZeros && (tap.index < 0 || tap.index >= n)) continue;
    if (padding == kSampleReflection) tap.index = static_cast<int64_t>(reflected(index, low, high));
    tap.index = std::clamp<int64_t>(tap.index, 0, n - 1);
    kept.push_back(tap);
  }
  return kept;
}

double summed(const Tensor& x, const std::vector<std::vector<Tap>>& taps, size_t axis,
              int64_t offset) {
  if (axis == taps.size()) return x.f64(offset);
  double sum = 0;
  for (const Tap& tap : taps[axis])
    sum += tap.weight * summed(x, taps, axis + 1, offset * x.shape[axis + 2] + tap.index);
  return sum;
}

void evaluate_grid_sample(EvaluateContext& context) {
  const Tensor &x = context.in(0), &grid = context.in(1);
  const auto axes = static_cast<int64_t>(x.shape.size()) - 2;
  std::vector<int64_t> shape = {x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  Tensor y(x.dtype, shape);
  const int64_t channels = x.shape[1], planes = x.shape[0] * channels,
                positions = planes == 0 ? 0 : y.count() / planes;
  for (int64_t plane = 0; plane < planes; ++plane) {
    for (int64_t i = 0; i < positions; ++i) {
      std::vector<std::vector<Tap>> taps;
      for (int64_t a = 0; a < axes; ++a) {
        const double g = grid.f64((plane / channels * positions + i) * axes + axes - 1 - a);
        const int64_t n = x.shape[static_cast<size_t>(a) + 2];
        taps.push_back(grid.dtype == DType::float64 ? taps_of<double>(context.node, g, n)
                                                    : taps_of<float>(context.node, g, n));
      }
      int64_t nearest = plane;
      bool is_inside = true;
      for (size_t a = 0; a < taps.size() && is_inside; ++a) {
        is_inside = !taps[a].empty();
        if (is_inside) nearest = nearest * x.shape[a + 2] + taps[a][0].index;
      }
      const int64_t to = plane * positions + i;
      const double sum = mode_of(context.node) == kSampleNearest ? 0 : summed(x, taps, 0, plane);
      if (mode_of(context.node) == kSampleNearest) {
        if (is_inside) copy_element(x, nearest, &y, to);
      } else if (info(y.dtype).is_float) {
        y.set_f64(to, sum);
      } else {
        y.set_i64(to, static_cast<int64_t>(sum));
      }
    }
  }
  context.outputs[0] = std::move(y);
}

// --- lower

Lowered lower_grid_sample(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &grid = context.in(1), &y = context.out(0);
  const size_t axes = x.shape.size() - 2;
  GridSampleParamsT<Dim> p{};
  p.axes = static_cast<int>(axes);
  p.mode = mode_of(context.node);
  p.padding = padding_of(context.node);
  p.align = is_aligned(context.node) ? 1 : 0;
  p.channels = x.shape[1];
  p.x_channel = x.strides[1];
  p.y_channel = y.strides[1];
  p.grid_coordinate = grid.strides.back();
  p.extent[0] = y.shape[0];
  p.x_stride[0] = x.strides[0];
  p.grid_stride[0] = grid.strides[0];
  p.y_stride[0] = y.strides[0];
  for (size_t a = 0; a < axes; ++a) {
    p.in[a] = x.shape[a + 2];
    p.in_stride[a] = x.strides[a + 2];
    p.extent[a + 1] = y.shape[a + 2];
    p.grid_stride[a + 1] = grid.strides[a + 1];
    p.y_stride[a + 1] = y.strides[a + 2];
  }
  KernelCall call = make_call(Family::sample, {x, grid}, {y});
  call.op = p.mode == kSampleNearest ? "GridSampleNearest" : "GridSample";
  call.units = y.shape[0];
  for (size_t a = 0; a < axes; ++a) call.units = call.units * y.shape[a + 2];
  const int each = p.mode == kSampleNearest ? 1 : p.mode == kSampleLinear ? 2 : 4;
  call.elements =
      static_cast<double>(product(y.shape).hi()) * std::pow(each, static_cast<double>(axes)) +
      static_cast<double>(call.units.hi()) * 16;
  call.params = std::move(p);
  return {std::move(call)};
}

}  // namespace

void append_grid_sample(OpList& ops) {
  OpDef def{};
  def.name = "GridSample";
  def.doc =
      "y = x at run-time positions: x [N, C, D1, ...], grid [N, O1, ..., axes] of coordinates in "
      "[-1, 1], y [N, C, O1, ...]";
  def.min_inputs = def.max_inputs = 2;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "align_corners"},
                    {AttributeDef::text, "mode"},
                    {AttributeDef::text, "padding_mode"}};
  def.versions = {{"", "GridSample", 16, kLatestOpset, nullptr}};
  def.traits = kAnyLayout;
  def.infer = infer_grid_sample;
  def.evaluate = evaluate_grid_sample;
  def.lower = lower_grid_sample;
  ops.push_back(std::move(def));
}

}  // namespace macec
