// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows as columns: Col2Im, and DeformConv, whose windows are displaced tap by tap.
//
//   Col2Im      x [N, C taps, blocks]  ->  y [N, C, image...], the sum of all taps on each element
//   DeformConv  columns [N, group, C / group taps, outputs] (the internal operator DeformColumns),
//               then the product of the weights with them
#include <algorithm>
#include <cmath>

#include "compiler/ops/expand.h"
#include "compiler/ops/line.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Windows over `size` elements along every axis; `starts` of them.
struct Windows {
  std::vector<int64_t> kernel, stride, dilation, pad, pad_end;
  Shape size, starts;
  int64_t taps() const {
    int64_t n = 1;
    for (int64_t k : kernel) n *= k;
    return n;
  }
};

std::vector<int64_t> numbers(const Node& node, const char* name, size_t count, int64_t otherwise,
                             int64_t least) {
  const std::vector<int64_t> v = node.ints_attribute(name, std::vector<int64_t>(count, otherwise));
  if (v.size() != count) throw user_error("{} has {} elements, not {}", name, v.size(), count);
  for (int64_t n : v)
    if (n < least || n > 1 << 30) throw user_error("{} of {}", name, n);
  return v;
}

Windows windows_of(const Node& node, const Shape& size, const std::vector<int64_t>& kernel) {
  const size_t axes = size.size();
  Windows w;
  w.size = size;
  w.kernel = kernel;
  for (int64_t k : kernel)
    if (k < 1 || k > 1 << 20) throw user_error("a window of {} elements", k);
  w.stride = numbers(node, "strides", axes, 1, 1);
  w.dilation = numbers(node, "dilations", axes, 1, 1);
  w.pad = numbers(node, "pads", 2 * axes, 0, 0);
  w.pad_end.assign(w.pad.begin() + static_cast<std::ptrdiff_t>(axes), w.pad.end());
  w.pad.resize(axes);
  for (size_t a = 0; a < axes; ++a) {
    const int64_t span = w.dilation[a] * (kernel[a] - 1) + 1;
    const Dim room = size[a] + (w.pad[a] + w.pad_end[a] - span);
    if (room.lo() < 0)
      throw user_error("a window of {} elements in {} and their pads", span, size[a].text());
    w.starts.push_back(floor_div(room, w.stride[a]) + 1);
  }
  return w;
}

ColumnsParamsT<Dim> columns_params(const Windows& w) {
  ColumnsParamsT<Dim> p{};
  p.axes = static_cast<int>(w.size.size());
  for (size_t a = 0; a < w.size.size(); ++a) {
    p.kernel[a] = w.kernel[a];
    p.stride[a] = w.stride[a];
    p.dilation[a] = w.dilation[a];
    p.pad[a] = w.pad[a];
  }
  return p;
}

// Element (row-major) of a nest as an index of each axis.
std::vector<int64_t> indices_of(int64_t element, const std::vector<int64_t>& extents) {
  std::vector<int64_t> index(extents.size());
  for (size_t a = extents.size(); a-- > 0; element /= extents[a]) index[a] = element % extents[a];
  return index;
}

bool are_dense(const KernelCall& call) {
  const auto fits = [](const View& v) { return (v.buffer < 0 && !v.constant) || v.is_dense(); };
  return std::all_of(call.inputs.begin(), call.inputs.end(), fits) &&
         std::all_of(call.outputs.begin(), call.outputs.end(), fits);
}

// Col2Im -----------------------------------------------------------------------------------------

Windows image_windows(const Node& node, const std::vector<Dim>& image,
                      const std::vector<int64_t>& kernel) {
  if (image.empty() || image.size() != kernel.size() ||
      image.size() > static_cast<size_t>(kMaxRank))
    throw user_error("an image of {} axes in blocks of {}", image.size(), kernel.size());
  return windows_of(node, image, kernel);
}

void infer_col2im(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, false);
  const std::vector<int64_t> kernel = require_numbers(context, 2, "block_shape");
  const Windows w = image_windows(context.node, require_known(context, 1, "image_shape"), kernel);
  if (x.shape.size() != 3) throw user_error("input is {}, not [N, C * taps, blocks]", text(x));
  Dim channels;
  if (!exact_div(x.shape[1], w.taps(), &channels))
    throw user_error("blocks of {} elements in an axis of {}", w.taps(), x.shape[1].text());
  context.require_equal(x.shape[2], product(w.starts), "axis 2 of the input",
                        "the number of blocks in the image");
  Shape y = {x.shape[0], channels};
  y.insert(y.end(), w.size.begin(), w.size.end());
  context.set_type(0, x.dtype, y);
}

void evaluate_col2im(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Windows w =
      image_windows(context.node, element_extents(context.in(1)), to_i64(context.in(2)));
  const std::vector<int64_t> size = fixed(w.size), starts = fixed(w.starts);
  const int64_t taps = w.taps(), blocks = product(w.starts).value(),
                elements = product(w.size).value(), planes = x.shape[0] * x.shape[1] / taps;
  std::vector<int64_t> shape = {x.shape[0], x.shape[1] / taps};
  shape.insert(shape.end(), size.begin(), size.end());
  Tensor y(x.dtype, shape);
  std::vector<double> sums(static_cast<size_t>(y.count()));
  std::vector<uint64_t> totals(sums.size());
  for (int64_t i = 0; i < planes * taps * blocks; ++i) {
    const std::vector<int64_t> tap = indices_of(i / blocks % taps, w.kernel),
                               block = indices_of(i % blocks, starts);
    int64_t to = i / blocks / taps;
    bool is_inside = true;
    for (size_t a = 0; a < size.size(); ++a) {
      const int64_t at = block[a] * w.stride[a] - w.pad[a] + tap[a] * w.dilation[a];
      is_inside = is_inside && at >= 0 && at < size[a];
      to = to * size[a] + at;
    }
    if (!is_inside) continue;
    sums[static_cast<size_t>(to)] += info(x.dtype).is_float ? x.f64(i) : 0;
    totals[static_cast<size_t>(to)] += info(x.dtype).is_float ? 0 : static_cast<uint64_t>(x.i64(i));
  }
  for (int64_t i = 0; i < planes * elements; ++i) {
    if (info(x.dtype).is_float)
      y.set_f64(i, sums[static_cast<size_t>(i)]);
    else
      y.set_i64(i, static_cast<int64_t>(totals[static_cast<size_t>(i)]));
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_col2im(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  const Windows w =
      image_windows(context.node, known_elements(context, 1), fixed(known_elements(context, 2)));
  KernelCall call = make_call(Family::sample, {context.in(0)}, {y});
  if (!are_dense(call)) return {};
  ColumnsParamsT<Dim> p = columns_params(w);
  p.channels = y.shape[1];
  for (size_t a = 0; a < w.size.size(); ++a) {
    p.in[a] = w.starts[a];
    p.out[a] = w.size[a];
  }
  call.op = "Col2Im";
  call.units = y.shape[0] * y.shape[1];
  call.elements = static_cast<double>(product(y.shape).hi()) * static_cast<double>(w.taps()) * 2;
  call.params = std::move(p);
  return {std::move(call)};
}

// DeformColumns ----------------------------------------------------------------------------------

// Inputs x, offset, mask; attribute kernel_shape is always there, `group` splits the channels of y.
void infer_columns(InferContext& context) {
  const Node& node = context.node;
  const Shape &x = context.shape(0), &offset = context.shape(1);
  const Windows w =
      windows_of(node, Shape(x.begin() + 2, x.end()), node.ints_attribute("kernel_shape"));
  const int64_t groups = node.int_attribute("offset_group", 1),
                parts = node.int_attribute("group", 1);
  const auto axes = static_cast<int64_t>(w.size.size());
  Shape want = {x[0], groups * w.taps() * axes};
  want.insert(want.end(), w.starts.begin(), w.starts.end());
  for (size_t a = 0; a < want.size(); ++a)
    context.require_equal(offset[a], want[a], fmt::format("axis {} of the offsets", a),
                          "what the windows need");
  want[1] = groups * w.taps();
  for (size_t a = 0; context.has(2) && a < want.size(); ++a)
    context.require_equal(context.shape(2)[a], want[a], fmt::format("axis {} of the mask", a),
                          "what the windows need");
  context.set_type(0, context.type(0).dtype,
                   {x[0], parts, floor_div(x[1], parts) * w.taps(), product(w.starts)});
}

// x at a position of all axes: the means of neighbours, 0 outside.
double sampled(const Tensor& x, int64_t plane, const std::vector<double>& position) {
  double sum = 0;
  for (int64_t corner = 0; corner < int64_t{1} << position.size(); ++corner) {
    double weight = 1;
    int64_t at = plane;
    bool is_inside = true;
    for (size_t a = 0; a < position.size(); ++a) {
      const double base = std::floor(position[a]), t = position[a] - base;
      const bool is_next = (corner >> a & 1) != 0;
      const double index = base + (is_next ? 1 : 0);
      is_inside = is_inside && index >= 0 && index < static_cast<double>(x.shape[a + 2]);
      if (!is_inside) break;
      weight *= is_next ? t : 1 - t;
      at = at * x.shape[a + 2] + static_cast<int64_t>(index);
    }
    if (is_inside) sum += weight * x.f64(at);
  }
  return sum;
}

void evaluate_columns(EvaluateContext& context) {
  const Tensor &x = context.in(0), &offset = context.in(1);
  const Node& node = context.node;
  const Shape spatial = to_shape({x.shape.begin() + 2, x.shape.end()});
  const Windows w = windows_of(node, spatial, node.ints_attribute("kernel_shape"));
  const std::vector<int64_t> starts = fixed(w.starts);
  const int64_t taps = w.taps(), outputs = product(w.starts).value(), channels = x.shape[1];
  const int64_t groups = node.int_attribute("offset_group", 1),
                parts = node.int_attribute("group", 1);
  const auto axes = static_cast<int64_t>(starts.size());
  Tensor y(x.dtype, {x.shape[0], parts, channels / parts * taps, outputs});
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t o = i % outputs, tap = i / outputs % taps, plane = i / outputs / taps;
    const int64_t slot =
        (plane / channels * groups + plane % channels / (channels / groups)) * taps + tap;
    const std::vector<int64_t> at = indices_of(o, starts), k = indices_of(tap, w.kernel);
    std::vector<double> position;
    for (size_t a = 0; a < at.size(); ++a)
      position.push_back(
          static_cast<double>(at[a] * w.stride[a] - w.pad[a] + k[a] * w.dilation[a]) +
          offset.f64((slot * axes + static_cast<int64_t>(a)) * outputs + o));
    const double by = context.has(2) ? context.in(2).f64(slot * outputs + o) : 1;
    y.set_f64(i, sampled(x, plane, position) * by);
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_columns(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const Node& node = context.node;
  const View &x = context.in(0), &y = context.out(0);
  View mask;
  mask.dtype = x.dtype;
  KernelCall call =
      make_call(Family::sample, {x, context.in(1), context.has(2) ? context.in(2) : mask}, {y});
  if (!are_dense(call)) return {};
  const Windows w = windows_of(node, Shape(x.shape.begin() + 2, x.shape.end()),
                               node.ints_attribute("kernel_shape"));
  ColumnsParamsT<Dim> p = columns_params(w);
  p.channels = x.shape[1];
  p.groups = node.int_attribute("offset_group", 1);
  for (size_t a = 0; a < w.size.size(); ++a) {
    p.in[a] = w.size[a];
    p.out[a] = w.starts[a];
  }
  call.op = "DeformColumns";
  call.units = x.shape[0] * p.groups * w.taps() * w.starts[0];
  call.elements = static_cast<double>(product(y.shape).hi()) * 4;
  call.params = std::move(p);
  return {std::move(call)};
}

}  // namespace

void append_columns(OpList& ops) {
  OpDef image{};
  image.name = "Col2Im";
  image.doc = "Blocks added up to an image: x [N, C taps, blocks], y [N, C, image...]";
  image.min_inputs = image.max_inputs = 3;
  image.min_outputs = image.max_outputs = 1;
  image.attributes = {{AttributeDef::integers, "dilations"},
                      {AttributeDef::integers, "pads"},
                      {AttributeDef::integers, "strides"}};
  image.versions = {{"", "Col2Im", 18, kLatestOpset, nullptr}};
  image.shape_inputs = 6;
  image.infer = infer_col2im;
  image.evaluate = evaluate_col2im;
  image.lower = lower_col2im;
  ops.push_back(std::move(image));

  OpDef columns{};
  columns.name = "DeformColumns";
  columns.doc =
      "Displaced windows of x [N, C, spatial...] as columns; y [N, group, C / group taps, outputs]";
  columns.min_inputs = 2;
  columns.max_inputs = 3;
  columns.min_outputs = columns.max_outputs = 1;
  columns.infer = infer_columns;
  columns.evaluate = evaluate_columns;
  columns.lower = lower_columns;
  ops.push_back(std::move(columns));
}

}  // namespace macec
