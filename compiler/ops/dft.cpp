// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DFT and STFT: Fourier transforms of lines, whose last axis holds (real) or (real, imaginary).
//
//   DFT   x [..., d, ..., 1 or 2]  ->  y [..., n or n / 2 + 1, ..., 2]; onesided and inverse: [..., n, ..., 1]
//   STFT  the transforms of overlapping frames of x [N, L, 1 or 2], y [N, frames, bins, 2]; the frames
//         are read where they lie
#include <algorithm>
#include <cmath>

#include "compiler/ops/line.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_set(const Node& node, const char* name, int64_t otherwise = 0) {
  return node.int_attribute(name, otherwise) != 0;
}
bool is_short(const Node& node) {
  return node.op == "STFT";
}
bool is_onesided(const Node& node) {
  return is_set(node, "onesided", is_short(node) ? 1 : 0);
}
bool is_inverse(const Node& node) {
  return is_set(node, "inverse");
}

// What inference and evaluation know of the sizes.
struct Sizes {
  size_t axis = 0;
  Dim n, given, bins;
  int64_t step = 0;  // STFT: between frames
  Dim frames;
};

int64_t parts_of(const Shape& x) {
  if (x.size() < 2 || !x.back().is_fixed() || x.back().value() < 1 || x.back().value() > 2)
    throw user_error("a signal has the last axis 1 (real) or 2 (complex), not {}",
                     x.empty() ? "nothing" : x.back().text());
  return x.back().value();
}

// length, axis: of the inputs, nullptr where not given.
Sizes dft_sizes(const Node& node, const Shape& x, const Dim* length, int64_t axis) {
  const int64_t parts = parts_of(x);
  Sizes s;
  s.axis = static_cast<size_t>(normal_axis(axis, x.size()));
  if (s.axis + 1 == x.size())
    throw user_error("the axis is the last one, which holds numbers' parts");
  const bool onesided = is_onesided(node), inverse = is_inverse(node);
  if (onesided && !inverse && parts == 2)
    throw user_error("a complex signal has no onesided transform");
  const Dim& d = x[s.axis];
  s.n = length ? *length : onesided && inverse ? (d - 1) * 2 : d;
  if (s.n.lo() < 1) throw user_error("a transform of {} elements", s.n.text());
  const Dim half = floor_div(s.n, 2) + 1;
  s.given = min(d, onesided && inverse ? half : s.n);
  s.bins = onesided && !inverse ? half : s.n;
  return s;
}

Sizes stft_sizes(const Node& node, const Shape& x, int64_t step, const Dim* window,
                 const Dim* length) {
  if (x.size() != 3) throw user_error("the signal has {} axes, but needs [N, L, 1 or 2]", x.size());
  if (parts_of(x) == 2 && is_onesided(node))
    throw user_error("a complex signal has no onesided transform").hint("set onesided to 0");
  if (step < 1) throw user_error("a frame_step of {}", step);
  Sizes s;
  s.axis = 1;
  s.step = step;
  s.n = length ? *length : window ? *window : x[1];
  if (length && window && *length != *window)
    throw user_error("a window of {} elements for frames of {}", window->text(), length->text());
  if (s.n.lo() < 1) throw user_error("frames of {} elements", s.n.text());
  s.given = s.n;
  s.bins = is_onesided(node) ? floor_div(s.n, 2) + 1 : s.n;
  s.frames = max(floor_div(x[1] - s.n, step) + 1, 0);
  return s;
}

Dim one_extent(const InferContext& context, int i, const char* what) {
  const std::vector<Dim>& known = require_known(context, i, what);
  if (known.size() != 1) throw user_error("{} has {} elements, not one", what, known.size());
  return known[0];
}

Shape result_shape(const Node& node, const Shape& x, const Sizes& s) {
  if (is_short(node)) return {x[0], s.frames, s.bins, 2};
  Shape y = x;
  y[s.axis] = s.bins;
  y.back() = is_onesided(node) && is_inverse(node) ? 1 : 2;
  return y;
}

void infer_dft(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  Dim length;
  if (context.has(1)) length = one_extent(context, 1, "dft_length");
  int64_t axis = -2;
  if (context.has(2)) {
    const std::vector<int64_t> given = require_numbers(context, 2, "the axis");
    if (given.size() != 1) throw user_error("{} axes, but DFT takes one", given.size());
    axis = given[0];
  }
  const Sizes s = dft_sizes(context.node, x.shape, context.has(1) ? &length : nullptr, axis);
  context.set_type(0, x.dtype, result_shape(context.node, x.shape, s));
}

void infer_stft(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  const std::vector<int64_t> step = require_numbers(context, 1, "frame_step");
  if (step.size() != 1) throw user_error("frame_step has {} elements, not one", step.size());
  Dim window, length;
  if (context.has(2)) {
    const TensorType& type = context.type(2);
    if (type.dtype != x.dtype || type.shape.size() != 1)
      throw user_error("the window is {}, not {}[n]", text(type), name(x.dtype));
    window = type.shape[0];
  }
  if (context.has(3)) length = one_extent(context, 3, "frame_length");
  const Sizes s = stft_sizes(context.node, x.shape, step[0], context.has(2) ? &window : nullptr,
                             context.has(3) ? &length : nullptr);
  context.set_type(0, x.dtype, result_shape(context.node, x.shape, s));
}

// --- evaluate: sums as they are written

struct Line {
  std::vector<double> re, im;
};

Line transformed(const Node& node, Line x, int64_t n) {
  x.re.resize(static_cast<size_t>(n));
  x.im.resize(static_cast<size_t>(n));
  const bool inverse = is_inverse(node);
  if (inverse && is_onesided(node)) {
    x.im[0] = 0;
    if (n % 2 == 0) x.im[static_cast<size_t>(n / 2)] = 0;
    for (size_t i = 1; 2 * i < x.re.size(); ++i) {
      x.re[x.re.size() - i] = x.re[i];
      x.im[x.re.size() - i] = -x.im[i];
    }
  }
  Line y{std::vector<double>(x.re.size()), std::vector<double>(x.re.size())};
  const double turn = (inverse ? 2 : -2) * std::acos(-1.0) / static_cast<double>(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t i = 0; i < n; ++i) {
      const double angle = turn * static_cast<double>(k * i % n);
      const auto to = static_cast<size_t>(k), from = static_cast<size_t>(i);
      y.re[to] += x.re[from] * std::cos(angle) - x.im[from] * std::sin(angle);
      y.im[to] += x.re[from] * std::sin(angle) + x.im[from] * std::cos(angle);
    }
  }
  for (size_t k = 0; inverse && k < y.re.size(); ++k) {
    y.re[k] /= static_cast<double>(n);
    y.im[k] /= static_cast<double>(n);
  }
  return y;
}

// One line of y from elements of x that begin at `from`, `apart` numbers apart.
void evaluate_line(EvaluateContext& context, const Sizes& s, int64_t from, int64_t apart,
                   const Tensor* window, Tensor* y, int64_t to, int64_t y_apart) {
  const Tensor& x = context.in(0);
  const int64_t parts = x.shape.back(), y_parts = y->shape.back();
  Line line;
  for (int64_t i = 0; i < s.given.value(); ++i) {
    const double w = window ? window->f64(i) : 1;
    const int64_t at = from + i * apart;
    line.re.push_back(x.f64(at) * w);
    line.im.push_back(parts == 2 ? x.f64(at + 1) * w : 0);
  }
  line = transformed(context.node, std::move(line), s.n.value());
  for (int64_t k = 0; k < s.bins.value(); ++k) {
    y->set_f64(to + k * y_apart, line.re[static_cast<size_t>(k)]);
    if (y_parts == 2) y->set_f64(to + k * y_apart + 1, line.im[static_cast<size_t>(k)]);
  }
}

void evaluate_dft(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Dim length;
  if (context.has(1)) length = context.in(1).i64(0);
  const Sizes s = dft_sizes(context.node, to_shape(x.shape), context.has(1) ? &length : nullptr,
                            context.has(2) ? context.in(2).i64(0) : -2);
  Tensor y(x.dtype, fixed(result_shape(context.node, to_shape(x.shape), s)));
  int64_t outer = 1, inner = 1;
  for (size_t a = 0; a + 1 < x.shape.size(); ++a)
    if (a != s.axis) (a < s.axis ? outer : inner) *= x.shape[a];
  const int64_t apart = inner * x.shape.back(), y_apart = inner * y.shape.back();
  for (int64_t line = 0; line < outer * inner; ++line) {
    const int64_t o = line / inner, i = line % inner;
    evaluate_line(context, s, o * x.shape[s.axis] * apart + i * x.shape.back(), apart, nullptr, &y,
                  o * s.bins.value() * y_apart + i * y.shape.back(), y_apart);
  }
  context.outputs[0] = std::move(y);
}

void evaluate_stft(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor* window = context.has(2) ? &context.in(2) : nullptr;
  Dim width, length;
  if (window) width = window->shape[0];
  if (context.has(3)) length = context.in(3).i64(0);
  const Sizes s = stft_sizes(context.node, to_shape(x.shape), context.in(1).i64(0),
                             window ? &width : nullptr, context.has(3) ? &length : nullptr);
  Tensor y(x.dtype, fixed(result_shape(context.node, to_shape(x.shape), s)));
  const int64_t frames = s.frames.value(), parts = x.shape[2];
  for (int64_t line = 0; line < x.shape[0] * frames; ++line) {
    const int64_t from = (line / frames * x.shape[1] + line % frames * s.step) * parts;
    evaluate_line(context, s, from, parts, window, &y, line * s.bins.value() * 2, 2);
  }
  context.outputs[0] = std::move(y);
}

// --- lower

// lines: the shape of y with 1 for the axis of bins and the last one; strides for all of its axes.
Lowered dft_call(const LowerContext& context, const Sizes& s, const Shape& lines,
                 const std::vector<Dim>& x_strides, size_t bins_axis) {
  const View &x = context.in(0), &y = context.out(0);
  View window;
  window.dtype = x.dtype;
  if (is_short(context.node) && context.has(2)) window = context.in(2);
  const bool is_window_dense = window.shape.empty() || window.is_dense();
  if (!x.strides.back().is_fixed() || !y.strides.back().is_fixed() || !is_window_dense) return {};
  const LoopNest nest = make_nest(lines, {x_strides, y.strides}, 1);
  DftParamsT<Dim> p{};
  p.rank = static_cast<int>(nest.extent.size());
  p.inverse = is_inverse(context.node) ? 1 : 0;
  p.mirrors = p.inverse != 0 && is_onesided(context.node) ? 1 : 0;
  if (x.shape.back() == Dim(2)) p.x_part = static_cast<int>(x.strides.back().value());
  if (y.shape.back() == Dim(2)) p.y_part = static_cast<int>(y.strides.back().value());
  p.n = s.n;
  p.given = s.given;
  p.bins = s.bins;
  p.x_step = x.strides[s.axis];
  p.y_step = y.strides[bins_axis];
  std::copy(nest.extent.begin(), nest.extent.end(), p.extent);
  std::copy(nest.strides[0].begin(), nest.strides[0].end(), p.x_stride);
  std::copy(nest.strides[1].begin(), nest.strides[1].end(), p.y_stride);
  KernelCall call = make_call(Family::dft, {x, window}, {y});
  call.units = product(lines);
  const double n = static_cast<double>(std::max<int64_t>(s.n.hi(), 2));
  call.elements = static_cast<double>(call.units.hi()) * n * std::log2(n) * 2;
  call.params = std::move(p);
  return {std::move(call)};
}

Lowered lower_dft(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  Dim length;
  if (context.has(1)) length = known_elements(context, 1)[0];
  const Sizes s = dft_sizes(context.node, x.shape, context.has(1) ? &length : nullptr,
                            context.has(2) ? known_elements(context, 2)[0].value() : -2);
  Shape lines = context.out(0).shape;
  lines[s.axis] = lines.back() = 1;
  return dft_call(context, s, lines, x.strides, s.axis);
}

Lowered lower_stft(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& x = context.in(0);
  Dim window, length;
  if (context.has(2)) window = context.in(2).shape[0];
  if (context.has(3)) length = known_elements(context, 3)[0];
  const Sizes s =
      stft_sizes(context.node, x.shape, known_elements(context, 1)[0].value(),
                 context.has(2) ? &window : nullptr, context.has(3) ? &length : nullptr);
  const Shape lines = {x.shape[0], s.frames, 1, 1};
  return dft_call(context, s, lines, {x.strides[0], x.strides[1] * s.step, 0, 0}, 2);
}

// Before opset 20 the axis is an attribute.
void import_axis(ImportContext& context) {
  Node& node = context.node;
  node.inputs.resize(3);
  node.inputs[2] = context.constant("axis", Tensor::scalar_i64(node.int_attribute("axis", 1)));
  node.attributes.erase("axis");
}

}  // namespace

void append_dft(OpList& ops) {
  OpDef dft{};
  dft.name = "DFT";
  dft.doc =
      "Fourier transforms along an axis: x [..., d, ..., 1 or 2], y [..., n, ..., 2]; onesided: n "
      "/ 2 "
      "+ 1 of them";
  dft.min_inputs = 1;
  dft.max_inputs = 3;
  dft.min_outputs = dft.max_outputs = 1;
  dft.attributes = {{AttributeDef::integer, "axis"},
                    {AttributeDef::integer, "inverse"},
                    {AttributeDef::integer, "onesided"}};
  dft.versions = {{"", "DFT", 17, 19, import_axis}, {"", "DFT", 20, kLatestOpset, nullptr}};
  dft.shape_inputs = 6;
  dft.infer = infer_dft;
  dft.evaluate = evaluate_dft;
  dft.lower = lower_dft;
  ops.push_back(std::move(dft));

  OpDef stft{};
  stft.name = "STFT";
  stft.doc =
      "Fourier transforms of windowed frames: x [N, L, 1 or 2], window [n], y [N, frames, bins, 2]";
  stft.min_inputs = 2;
  stft.max_inputs = 4;
  stft.min_outputs = stft.max_outputs = 1;
  stft.attributes = {{AttributeDef::integer, "onesided"}};
  stft.versions = {{"", "STFT", 17, kLatestOpset, nullptr}};
  stft.shape_inputs = 1u << 1 | 1u << 3;
  stft.infer = infer_stft;
  stft.evaluate = evaluate_stft;
  stft.lower = lower_stft;
  ops.push_back(std::move(stft));
}

}  // namespace macec
