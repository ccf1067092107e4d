// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: constant, reflect, edge, wrap; negative pads cut off.
//
// Lowered to one call. What negative pads cut off is left out of the view of x, so that the kernel
// only adds.
//
//   x[1, c, h, w], channels-last, pads of h and w      nest [h][w][c]; constant: [h][w * c]
#include <algorithm>

#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

enum class PadMode { constant, reflect, edge, wrap };

PadMode mode_of(const Node& node) {
  std::string mode = node.string_attribute("mode", "constant");
  if (mode == "constant") return PadMode::constant;
  if (mode == "reflect") return PadMode::reflect;
  if (mode == "edge") return PadMode::edge;
  if (mode == "wrap") return PadMode::wrap;
  throw user_error("mode '{}' is not one of constant, reflect, edge, wrap", mode);
}

struct Pads {
  std::vector<Dim> begin, end;  // per axis of the input
};

Pads spread_pads(size_t rank, const std::vector<Dim>& pads, const std::vector<int64_t>* axes) {
  std::vector<int64_t> named;
  for (size_t a = 0; !axes && a < rank; ++a) named.push_back(static_cast<int64_t>(a));
  if (axes) named = normal_axes(*axes, rank);
  if (pads.size() != 2 * named.size()) {
    throw user_error("{} pads for {} axes", pads.size(), named.size())
        .hint("pads has two entries for each axis: the begins of all axes, then the ends");
  }
  Pads result{std::vector<Dim>(rank, 0), std::vector<Dim>(rank, 0)};
  for (size_t i = 0; i < named.size(); ++i) {
    result.begin[static_cast<size_t>(named[i])] = pads[i];
    result.end[static_cast<size_t>(named[i])] = pads[i + named.size()];
  }
  return result;
}

Shape padded(const Shape& x, const Pads& pads) {
  Shape y;
  for (size_t a = 0; a < x.size(); ++a) {
    y.push_back(x[a] + pads.begin[a] + pads.end[a]);
    if (y[a].lo() < 0) throw user_error("axis {} would have {} elements", a, y[a].text());
  }
  return y;
}

void infer_pad(InferContext& context) {
  const Shape& x = context.shape(0);
  std::vector<int64_t> axes;
  if (context.has(3)) axes = require_numbers(context, 3, "the list of axes");
  Pads pads = spread_pads(x.size(), require_known(context, 1, "the amount of padding"),
                          context.has(3) ? &axes : nullptr);
  Shape y = padded(x, pads);
  PadMode mode = mode_of(context.node);
  for (size_t a = 0; a < x.size(); ++a) {
    if (mode != PadMode::constant && x[a].lo() < 1 && y[a] != x[a]) {
      throw user_error("axis {} has {} elements, and nothing to pad it with", a, x[a].text());
    }
  }
  context.set_type(0, context.type(0).dtype, y);
}

// The position in an axis of n elements that output position i - begin shows; -1: the fill value.
int64_t source_position(PadMode mode, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  switch (mode) {
    case PadMode::constant:
      return -1;
    case PadMode::edge:
      return i < 0 ? 0 : n - 1;
    case PadMode::wrap:
      return (i % n + n) % n;
    case PadMode::reflect: {
      if (n == 1) return 0;
      int64_t period = 2 * (n - 1), at = (i % period + period) % period;
      return at < n ? at : period - at;
    }
  }
  return -1;
}

// What negative pads leave of an axis: [begin, begin + count).
struct Kept {
  Dim begin, count;
};
Kept kept_part(const Dim& extent, const Dim& begin, const Dim& end) {
  Dim cut = max(0, -begin);
  return {cut, extent - cut - max(0, -end)};
}

void evaluate_pad(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  std::vector<int64_t> axes;
  if (context.has(3)) axes = to_i64(context.in(3));
  Pads pads =
      spread_pads(x.shape.size(), element_extents(context.in(1)), context.has(3) ? &axes : nullptr);
  PadMode mode = mode_of(context.node);
  Tensor y(x.dtype, fixed(padded(to_shape(x.shape), pads))), value(x.dtype, {});
  if (context.has(2)) value.set_f64(0, context.in(2).f64(0));
  if (context.has(2) && info(x.dtype).is_integer) value.set_i64(0, context.in(2).i64(0));
  for (int64_t i = 0; i < y.count(); ++i) {
    int64_t rest = i, from = 0, step = 1;
    bool is_fill = false;
    for (size_t a = y.shape.size(); a-- > 0;) {
      Kept kept = kept_part(x.shape[a], pads.begin[a], pads.end[a]);
      int64_t at = rest % y.shape[a] - std::max<int64_t>(pads.begin[a].value(), 0);
      int64_t source = source_position(mode, at, kept.count.value());
      rest /= y.shape[a];
      is_fill = is_fill || source < 0;
      from += (source + kept.begin.value()) * step;
      step *= x.shape[a];
    }
    if (is_fill) {
      copy_element(value, 0, &y, i);
    } else {
      copy_element(x, from, &y, i);
    }
  }
  context.outputs[0] = std::move(y);
}

View fill_view(const LowerContext& context, DType dtype) {
  Tensor value(dtype, {});
  if (!context.has(2)) return constant_view(std::move(value));
  if (const Tensor* given = context.constant(2)) {
    value.set_f64(0, given->f64(0));
    if (info(dtype).is_integer) value.set_i64(0, given->i64(0));
    return constant_view(std::move(value));
  }
  return context.in(2);
}

// One axis of the nest of a Pad.
struct PadAxis {
  Dim in, out, begin, x_stride, y_stride;
  bool is_padded() const { return in != out || begin != Dim(0); }
};

// `inner` becomes part of the axis around it where both walk on without a gap. An axis that is
// padded by moving whole rows may take its rows in; one that is padded by their contents may not.
bool merge_into(PadAxis* outer, const PadAxis& inner, bool keeps_order) {
  if (inner.is_padded() || (outer->is_padded() && !keeps_order)) return false;
  if (outer->x_stride != inner.x_stride * inner.in) return false;
  if (outer->y_stride != inner.y_stride * inner.out) return false;
  *outer = {outer->in * inner.in, outer->out * inner.out, outer->begin * inner.in, inner.x_stride,
            inner.y_stride};
  return true;
}

// The axes by the strides of y, the largest first; single elements are no axis.
std::vector<PadAxis> pad_axes(const View& x, const View& y, const std::vector<Dim>& begin,
                              bool keeps_order) {
  std::vector<size_t> order;
  for (size_t a = 0; a < x.shape.size(); ++a) {
    if (x.shape[a] != Dim(1) || y.shape[a] != Dim(1)) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return y.strides[a].hi() > y.strides[b].hi(); });
  std::vector<PadAxis> axes;
  for (size_t a : order) {
    const PadAxis axis = {x.shape[a], y.shape[a], begin[a], x.strides[a], y.strides[a]};
    if (axes.empty() || !merge_into(&axes.back(), axis, keeps_order)) axes.push_back(axis);
  }
  return axes;
}

PadParamsT<Dim> pad_params(PadMode mode, const std::vector<PadAxis>& axes) {
  if (axes.size() > static_cast<size_t>(kMaxRank)) {
    throw user_error("padding over {} axes is not supported, at most {}", axes.size(),
                     static_cast<int>(kMaxRank));
  }
  PadParamsT<Dim> params{};
  params.rank = static_cast<int>(axes.size());
  params.mode = mode == PadMode::constant  ? kPadConstant
                : mode == PadMode::reflect ? kPadReflect
                : mode == PadMode::edge    ? kPadEdge
                                           : kPadWrap;
  for (size_t a = 0; a < axes.size(); ++a) {
    params.in[a] = axes[a].in;
    params.out[a] = axes[a].out;
    params.begin[a] = axes[a].begin;
    params.x_stride[a] = axes[a].x_stride;
    params.y_stride[a] = axes[a].y_stride;
  }
  return params;
}

Lowered lower_pad(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  View x = context.in(0);
  std::vector<int64_t> axes;
  if (context.has(3)) axes = fixed(known_elements(context, 3));
  Pads pads =
      spread_pads(x.shape.size(), known_elements(context, 1), context.has(3) ? &axes : nullptr);
  PadMode mode = mode_of(context.node);
  for (size_t a = 0; a < x.shape.size(); ++a) {
    Kept kept = kept_part(x.shape[a], pads.begin[a], pads.end[a]);
    x.offset += kept.begin * x.strides[a];
    x.shape[a] = kept.count;
    pads.begin[a] = max(0, pads.begin[a]);
  }
  const bool keeps_order = mode == PadMode::constant || mode == PadMode::wrap;
  const std::vector<PadAxis> nest = pad_axes(x, y, pads.begin, keeps_order);
  KernelCall call = make_call(
      Family::pad, {x, mode == PadMode::constant ? fill_view(context, y.dtype) : View{}}, {y});
  call.params = pad_params(mode, nest);
  for (size_t a = 0; a + 1 < nest.size(); ++a) call.units = call.units * nest[a].out;
  call.elements = static_cast<double>(product(y.shape).hi());
  return {std::move(call)};
}

void import_pad(ImportContext& context) {
  Node& node = context.node;
  attribute_to_input(context, "pads", 1);
  if (!node.has_attribute("value")) return;
  node.inputs.resize(3);
  node.inputs[2] = context.constant("value", Tensor::scalar_f32(node.float_attribute("value", 0)));
  node.attributes.erase("value");
}

}  // namespace

void append_pad(OpList& ops) {
  OpDef op;
  op.name = "Pad";
  op.doc =
      "x with pads[begins..., ends...] elements before and behind each axis, negative ones cut "
      "off; the mode says what they hold.";
  op.min_inputs = 2;
  op.max_inputs = 4;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::text, "mode"}};
  op.versions = {{"", "Pad", kOldestOpset, 10, import_pad}, {"", "Pad", 11, kLatestOpset, nullptr}};
  op.traits = kAnyLayout | kChangesLayout;
  op.shape_inputs = 1u << 1 | 1u << 3;
  op.infer = infer_pad;
  op.evaluate = evaluate_pad;
  op.lower = lower_pad;
  ops.push_back(std::move(op));
}

}  // namespace macec
