// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NonMaxSuppression: of overlapping boxes of one image and class those with the highest scores.
//
//   boxes [N, n, 4], scores [N, C, n]  ->  y int64 [count, 3]: (image, class, box)
//
// count is a computed extent: at most N C min(n, max_output_boxes_per_class), or what --bound says.
#include <algorithm>
#include <cmath>

#include "compiler/ops/bodies.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/pick.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_center(const Node& node) {
  const int64_t form = node.int_attribute("center_point_box", 0);
  if (form != 0 && form != 1) throw user_error("center_point_box is {}, not 0 or 1", form);
  return form == 1;
}

// An empty tensor says as much as none.
bool is_given(const Graph& graph, const Node& node, size_t i) {
  return i < node.inputs.size() && node.inputs[i].is_valid() &&
         graph.type(node.inputs[i]).count() != Dim(0);
}

void check_limit(InferContext& context, int i, DType dtype) {
  if (!is_given(context.graph, context.node, static_cast<size_t>(i))) return;
  const TensorType& type = context.type(i);
  if (type.dtype != dtype || type.count() != Dim(1))
    throw user_error("input {} is {}, but must be one {}", i, text(type), name(dtype));
}

void infer_nms(InferContext& context) {
  const TensorType &boxes = context.type(0), &scores = context.type(1);
  if (boxes.dtype != DType::float32 || boxes.shape.size() != 3 || boxes.shape[2] != Dim(4))
    throw user_error("boxes are {}, not float32[N, n, 4]", text(boxes));
  if (scores.dtype != DType::float32 || scores.shape.size() != 3)
    throw user_error("scores are {}, not float32[N, C, n]", text(scores));
  context.require_equal(boxes.shape[0], scores.shape[0], "axis 0 of the boxes",
                        "axis 0 of the scores");
  context.require_equal(boxes.shape[1], scores.shape[2], "the number of boxes",
                        "axis 2 of the scores");
  is_center(context.node);
  check_limit(context, 2, DType::int64);
  check_limit(context, 3, DType::float32);
  check_limit(context, 4, DType::float32);
  int64_t each = boxes.shape[1].hi();
  if (!is_given(context.graph, context.node, 2)) {
    each = 0;
  } else if (const Tensor* most = context.constant(2)) {
    each = std::clamp<int64_t>(most->i64(0), 0, each);
  }
  int64_t most = (scores.shape[0] * scores.shape[1]).hi() * each;
  const auto bound = context.graph.bounds.find(context.graph.value(context.node.outputs[0]).name);
  if (bound != context.graph.bounds.end()) most = std::min(most, bound->second);
  context.set_type(0, DType::int64, {computed_extent(context, 0, 0, 0, most), 3});
}

struct Box {
  float low[2], high[2];
  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

Box box_at(const Tensor& boxes, int64_t i, bool center) {
  float b[4];
  for (int64_t k = 0; k < 4; ++k) b[k] = static_cast<float>(boxes.f64(4 * i + k));
  Box box{};
  for (int a = 0; a < 2; ++a) {
    const float u = center ? b[a] - b[2 + a] / 2 : b[a],
                v = center ? b[a] + b[2 + a] / 2 : b[2 + a];
    box.low[a] = center ? u : std::min(u, v);
    box.high[a] = center ? v : std::max(u, v);
  }
  return box;
}

// Intersection over union, in float as kernels have it.
float overlap(const Box& a, const Box& b) {
  Box shared{};
  for (int k = 0; k < 2; ++k) {
    shared.low[k] = std::max(a.low[k], b.low[k]);
    shared.high[k] = std::min(a.high[k], b.high[k]);
    if (!(shared.high[k] > shared.low[k])) return 0;
  }
  const float area = shared.area(), both = a.area() + b.area() - area;
  return area > 0 && a.area() > 0 && b.area() > 0 && both > 0 ? area / both : 0;
}

void evaluate_nms(EvaluateContext& context) {
  const Tensor &boxes = context.in(0), &scores = context.in(1);
  const auto limit = [&](int i) { return context.has(i) && context.in(i).count() > 0; };
  const int64_t most = limit(2) ? context.in(2).i64(0) : 0;
  const auto threshold = static_cast<float>(limit(3) ? context.in(3).f64(0) : 0);
  const bool center = is_center(context.node);
  const int64_t n = boxes.shape[1], classes = scores.shape[1];
  std::vector<int64_t> rows;
  for (int64_t line = 0; line < scores.shape[0] * classes; ++line) {
    std::vector<int64_t> order, kept;
    for (int64_t i = 0; i < n; ++i)
      if (!limit(4) || scores.f64(line * n + i) > context.in(4).f64(0)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const double u = scores.f64(line * n + a), v = scores.f64(line * n + b);
      return u > v || (std::isnan(v) && !std::isnan(u));
    });
    const int64_t first = line / classes * n;
    for (int64_t i : order) {
      if (static_cast<int64_t>(kept.size()) >= most) break;
      const Box next = box_at(boxes, first + i, center);
      const bool is_kept = std::none_of(kept.begin(), kept.end(), [&](int64_t k) {
        return overlap(next, box_at(boxes, first + k, center)) > threshold;
      });
      if (is_kept) kept.push_back(i);
    }
    for (int64_t i : kept) rows.insert(rows.end(), {line / classes, line % classes, i});
  }
  Tensor y(DType::int64, {static_cast<int64_t>(rows.size()) / 3, 3});
  for (size_t i = 0; i < rows.size(); ++i) y.set_i64(static_cast<int64_t>(i), rows[i]);
  context.outputs[0] = std::move(y);
}

Lowered lower_nms(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &boxes = context.in(0), &scores = context.in(1), &y = context.out(0);
  std::vector<View> inputs = {boxes, scores};
  for (size_t i = 2; i < 5; ++i) {
    View limit;
    limit.dtype = i == 2 ? DType::int64 : DType::float32;
    const bool given = is_given(context.graph, context.node, i);
    inputs.push_back(given ? context.in(static_cast<int>(i)) : limit);
  }
  PickParamsT<Dim> p{};
  p.outer = boxes.shape[0];
  p.n = boxes.shape[1];
  p.m = scores.shape[1];
  p.room = y.shape[0].hi();
  Lowered calls = counted_call(make_call(Family::pick, std::move(inputs), {y}), p,
                               is_center(context.node) ? "nms_center" : "nms", y.shape[0]);
  if (!calls.empty()) calls[0].elements = static_cast<double>(product(scores.shape).hi()) * 8;
  return calls;
}

}  // namespace

void append_boxes(OpList& ops) {
  OpDef nms{};
  nms.name = "NonMaxSuppression";
  nms.doc =
      "Of overlapping boxes [N, n, 4] those with the highest scores [N, C, n]; y int64 [count, 3] "
      "of (image, class, box)";
  nms.min_inputs = 2;
  nms.max_inputs = 5;
  nms.min_outputs = nms.max_outputs = 1;
  nms.attributes = {{AttributeDef::integer, "center_point_box"}};
  nms.versions = {{"", "NonMaxSuppression", 10, kLatestOpset, nullptr}};
  nms.infer = infer_nms;
  nms.evaluate = evaluate_nms;
  nms.lower = lower_nms;
  ops.push_back(std::move(nms));
}

}  // namespace macec
