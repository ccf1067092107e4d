// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where windows stand. Pads are [begin of every axis..., end of every axis...], not pairs: ONNX
// since opset 1.
#include "compiler/ops/window.h"

#include <limits>
#include <string>

#include "compiler/support/error.h"

namespace macec {
namespace {

// One positive int for each spatial axis; 1 when the attribute is absent.
std::vector<int64_t> axis_attribute(const Node& node, const char* name, size_t axes) {
  std::vector<int64_t> values = node.ints_attribute(name, std::vector<int64_t>(axes, 1));
  if (values.empty()) values.assign(axes, 1);
  if (values.size() != axes) {
    throw user_error("attribute {} has {} entries, but the input has {} spatial axes", name,
                     values.size(), axes);
  }
  for (int64_t v : values) {
    if (v < 1 || v > std::numeric_limits<int>::max()) {
      throw user_error("attribute {} holds {}, and must be at least 1", name, v);
    }
  }
  return values;
}

std::vector<int64_t> pads_attribute(const Node& node, size_t axes) {
  std::vector<int64_t> pads = node.ints_attribute("pads", std::vector<int64_t>(2 * axes, 0));
  if (pads.empty()) pads.assign(2 * axes, 0);
  if (pads.size() != 2 * axes) {
    throw user_error("attribute pads has {} entries, but the input has {} spatial axes",
                     pads.size(), axes)
        .hint("pads has two entries for each axis: the begins of all axes, then the ends");
  }
  for (int64_t p : pads) {
    if (p < 0) throw user_error("a negative pad ({}) of a window is not supported", p);
    if (p > std::numeric_limits<int>::max()) throw user_error("a pad of {} elements", p);
  }
  return pads;
}

enum class AutoPad { none, valid, same_upper, same_lower };

AutoPad auto_pad_attribute(const Node& node) {
  std::string text = node.string_attribute("auto_pad", "NOTSET");
  if (text == "NOTSET" || text.empty()) return AutoPad::none;
  if (text == "VALID") return AutoPad::valid;
  if (text == "SAME_UPPER") return AutoPad::same_upper;
  if (text == "SAME_LOWER") return AutoPad::same_lower;
  throw user_error("auto_pad '{}' is not one of NOTSET, VALID, SAME_UPPER, SAME_LOWER", text);
}

// out = ceil(in / stride); what is missing is padded on both sides, the odd one at the end (upper)
// or the begin (lower).
void set_same_padding(Window* w, int a, int64_t span, bool is_lower) {
  w->out[a] = ceil_div(w->in[a], w->stride[a]);
  Dim total = max((w->out[a] - 1) * w->stride[a] + span - w->in[a], 0);
  Dim half = floor_div(total, 2);
  w->pad[a] = is_lower ? total - half : half;
  w->pad_end[a] = total - w->pad[a];
}

void check_fits(const Window& w, int a, int64_t span) {
  if (w.out[a].lo() >= 1 || w.in[a] == Dim(0)) return;
  Dim padded = w.in[a] + w.pad[a] + w.pad_end[a];
  UserError error =
      user_error("a window of {} elements does not fit into {} elements", span, padded.text());
  if (!padded.is_fixed()) {
    error.hint(fmt::format("give its dimension a lower bound at which {} is at least {}",
                           padded.text(), span));
  }
  throw error;
}

}  // namespace

Dim window_extent(const Dim& in, int64_t window_span, int64_t stride, bool ceil_mode,
                  const Dim& starts) {
  if (!ceil_mode) return floor_div(in - window_span, stride) + 1;
  return min(ceil_div(in - window_span, stride) + 1, ceil_div(starts, stride));
}

namespace {

// Kernel, stride, dilation and input extents; nothing of the output.
Window make_window_form(const Node& node, const Shape& input, const std::vector<int64_t>& kernel) {
  if (input.size() < 3) {
    throw user_error("the input has rank {}; a window operator needs [N, C, spatial...]",
                     input.size());
  }
  size_t axes = input.size() - 2;
  if (axes > 3) {
    throw user_error("a window over {} spatial axes is not supported, at most 3", axes);
  }
  if (kernel.size() != axes) {
    throw user_error("the window has {} axes, but the input has {} spatial axes", kernel.size(),
                     axes);
  }
  std::vector<int64_t> strides = axis_attribute(node, "strides", axes);
  std::vector<int64_t> dilations = axis_attribute(node, "dilations", axes);
  Window w;
  for (size_t i = 0; i < axes; ++i) {
    int a = static_cast<int>(3 - axes + i);
    if (kernel[i] < 1 || kernel[i] > std::numeric_limits<int>::max()) {
      throw user_error("the window has an extent of {}", kernel[i]);
    }
    w.kernel[a] = static_cast<int>(kernel[i]);
    w.stride[a] = static_cast<int>(strides[i]);
    w.dilation[a] = static_cast<int>(dilations[i]);
    w.in[a] = input[i + 2];
  }
  return w;
}

}  // namespace

Window make_window(const Node& node, const Shape& input, const std::vector<int64_t>& kernel) {
  Window w = make_window_form(node, input, kernel);
  size_t axes = kernel.size();
  std::vector<int64_t> pads = pads_attribute(node, axes);
  AutoPad auto_pad = auto_pad_attribute(node);
  bool ceil_mode = node.int_attribute("ceil_mode", 0) != 0;
  for (size_t i = 0; i < axes; ++i) {
    int a = static_cast<int>(3 - axes + i);
    int64_t span = (kernel[i] - 1) * w.dilation[a] + 1;
    if (auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower) {
      set_same_padding(&w, a, span, auto_pad == AutoPad::same_lower);
      continue;
    }
    if (auto_pad == AutoPad::none) {
      w.pad[a] = pads[i];
      w.pad_end[a] = pads[i + axes];
    }
    Dim starts = w.in[a] + w.pad[a];
    w.out[a] = window_extent(starts + w.pad_end[a], span, w.stride[a],
                             ceil_mode && auto_pad == AutoPad::none, starts);
    check_fits(w, a, span);
  }
  return w;
}

namespace {

// Cuts `total` elements off both sides; of an odd number the larger half at the begin unless SAME_UPPER.
void cut_from_sides(Window* w, int a, const Dim& total, AutoPad auto_pad) {
  const Dim half = floor_div(total, 2);
  w->pad[a] = auto_pad == AutoPad::same_upper ? half : total - half;
  w->pad_end[a] = total - w->pad[a];
}

std::vector<int64_t> output_padding_of(const Node& node, size_t axes) {
  std::vector<int64_t> padding = node.ints_attribute("output_padding", {});
  if (padding.empty()) padding.assign(axes, 0);
  if (padding.size() != axes) {
    throw user_error("attribute output_padding has {} entries, but the input has {} spatial axes",
                     padding.size(), axes);
  }
  for (int64_t p : padding) {
    if (p < 0 || p > std::numeric_limits<int>::max())
      throw user_error("an output_padding of {}", p);
  }
  return padding;
}

// Empty: not given. Some exporters write all axes, [N, C, spatial...].
std::vector<int64_t> output_shape_of(const Node& node, size_t axes) {
  std::vector<int64_t> shape = node.ints_attribute("output_shape", {});
  if (shape.size() == axes + 2) shape.erase(shape.begin(), shape.begin() + 2);
  if (!shape.empty() && shape.size() != axes) {
    throw user_error("attribute output_shape has {} entries, but the input has {} spatial axes",
                     shape.size(), axes);
  }
  for (int64_t s : shape) {
    if (s < 1 || s > std::numeric_limits<int>::max()) throw user_error("an output_shape of {}", s);
  }
  return shape;
}

}  // namespace

Window make_transposed_window(const Node& node, const Shape& input,
                              const std::vector<int64_t>& kernel) {
  Window w = make_window_form(node, input, kernel);
  const size_t axes = kernel.size();
  const std::vector<int64_t> pads = pads_attribute(node, axes);
  const std::vector<int64_t> extra = output_padding_of(node, axes);
  const std::vector<int64_t> wanted = output_shape_of(node, axes);
  const AutoPad auto_pad = auto_pad_attribute(node);
  for (size_t i = 0; i < axes; ++i) {
    const int a = static_cast<int>(3 - axes + i);
    const int64_t span = (kernel[i] - 1) * w.dilation[a] + 1;
    const Dim full = (w.in[a] - 1) * w.stride[a] + span + extra[i];
    const bool is_same = auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower;
    if (is_same || !wanted.empty()) {
      w.out[a] = wanted.empty() ? w.in[a] * w.stride[a] : Dim(wanted[i]);
      cut_from_sides(&w, a, max(full - w.out[a], 0), auto_pad);
      continue;
    }
    if (auto_pad == AutoPad::none) {
      w.pad[a] = pads[i];
      w.pad_end[a] = pads[i + axes];
    }
    w.out[a] = full - w.pad[a] - w.pad_end[a];
    if (w.out[a].lo() < 1 && w.in[a] != Dim(0)) {
      throw user_error("pads of {} and {} leave nothing of {} elements", w.pad[a].text(),
                       w.pad_end[a].text(), full.text());
    }
  }
  return w;
}

Shape window_shape(const Window& window, const Shape& input, const Dim& channels) {
  Shape shape = {input[0], channels};
  size_t axes = input.size() - 2;
  for (size_t i = 0; i < axes; ++i) shape.push_back(window.out[3 - axes + i]);
  return shape;
}

}  // namespace macec
