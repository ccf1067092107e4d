// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: constant, reflect, edge, wrap; negative pads cut off.
//
// Lowered to copies only. An axis falls into segments, each a walk over the input with one step;
// the output is the product of the segments of its axes:
//   edge     | begin: step 0 | middle: step 1 | end: step 0 |
//   reflect  | begin: -1     | 1              | end: -1     |
//   wrap     | begin: 1 from the far end | 1  | end: 1 from the near end |
// constant: everything is filled, then the middle is copied.
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr size_t kMaxSegments = 4096;

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

// y[y_start + i] = x[x_start + i * step], i < count, along one axis.
struct Segment {
  Dim y_start, count, x_start;
  int64_t step;
};

// The segments of an axis of n elements with pads >= 0.
std::vector<Segment> axis_segments(PadMode mode, const Dim& n, const Dim& begin, const Dim& end) {
  std::vector<Segment> segments;
  bool is_reflect = mode == PadMode::reflect;
  if (mode == PadMode::edge || mode == PadMode::constant) {
    if (mode == PadMode::edge && begin != Dim(0)) segments.push_back({0, begin, 0, 0});
    segments.push_back({begin, n, 0, 1});
    if (mode == PadMode::edge && end != Dim(0)) segments.push_back({begin + n, end, n - 1, 0});
    return segments;
  }
  Dim reach = is_reflect ? n - 1 : n;
  if ((begin - reach).hi() <= 0 && (end - reach).hi() <= 0) {
    if (begin != Dim(0)) {
      segments.push_back({0, begin, is_reflect ? begin : n - begin, is_reflect ? -1 : 1});
    }
    segments.push_back({begin, n, 0, 1});
    if (end != Dim(0))
      segments.push_back(
          {begin + n, end, is_reflect ? n - 2 : Dim(0), is_reflect ? int64_t{-1} : int64_t{1}});
    return segments;
  }
  if (!n.is_fixed() || !begin.is_fixed() || !end.is_fixed()) {
    throw user_error("padding an axis of {} elements by {} and {} is not supported in this mode",
                     n.text(), begin.text(), end.text())
        .hint("the pads may be larger than the axis; raise the lower bound of its dimension");
  }
  // More than one turn: element by element.
  for (int64_t i = -begin.value(); i < n.value() + end.value(); ++i) {
    segments.push_back({i + begin.value(), 1, source_position(mode, i, n.value()), 1});
  }
  return segments;
}

// Copies the product of the segments of all axes.
bool append_copies(const View& x, const View& y, const std::vector<std::vector<Segment>>& axes,
                   Lowered* calls) {
  size_t total = 1;
  for (const std::vector<Segment>& segments : axes) total *= segments.size();
  if (total > kMaxSegments) return false;
  std::vector<size_t> at(axes.size(), 0);
  for (size_t i = 0; i < total; ++i) {
    View from = x, to = y;
    size_t rest = i;
    for (size_t a = 0; a < axes.size(); ++a) {
      const Segment& s = axes[a][rest % axes[a].size()];
      rest /= axes[a].size();
      from.offset += s.x_start * x.strides[a];
      from.shape[a] = s.count;
      from.strides[a] = x.strides[a] * Dim(s.step);
      to.offset += s.y_start * y.strides[a];
      to.shape[a] = s.count;
    }
    // A walk of step 0 is a broadcast; copies know only axes of extent 1 as such.
    for (size_t a = 0; a < axes.size(); ++a) {
      if (from.strides[a] == Dim(0)) from.shape[a] = 1;
    }
    calls->push_back(copy_call(from, to));
  }
  return true;
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

Lowered lower_pad(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  View x = context.in(0);
  std::vector<int64_t> axes;
  if (context.has(3)) axes = fixed(known_elements(context, 3));
  Pads pads =
      spread_pads(x.shape.size(), known_elements(context, 1), context.has(3) ? &axes : nullptr);
  PadMode mode = mode_of(context.node);
  std::vector<std::vector<Segment>> segments;
  for (size_t a = 0; a < x.shape.size(); ++a) {
    Kept kept = kept_part(x.shape[a], pads.begin[a], pads.end[a]);
    x.offset += kept.begin * x.strides[a];
    x.shape[a] = kept.count;
    segments.push_back(axis_segments(mode, kept.count, max(0, pads.begin[a]), max(0, pads.end[a])));
  }
  Lowered calls;
  if (mode == PadMode::constant) calls.push_back(fill_call(fill_view(context, y.dtype), y));
  if (!append_copies(x, y, segments, &calls)) {
    throw user_error("pads that are much larger than the axes are not supported in this mode");
  }
  return calls;
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
  op.shape_inputs = 1u << 1 | 1u << 3;
  op.infer = infer_pad;
  op.evaluate = evaluate_pad;
  op.lower = lower_pad;
  ops.push_back(std::move(op));
}

}  // namespace macec
