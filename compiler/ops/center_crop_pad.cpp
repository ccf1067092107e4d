// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CenterCropPad: y has the extents that `shape` says; the middle of x lies in the middle of y, zeros
// around it. Rests of an odd difference lie behind.
//
//   x 0 1 2 3 4   to 2: 1 2     to 8: . 0 1 2 3 4 . .
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

Shape cropped_shape(const Node& node, const Shape& x, const std::vector<Dim>& wanted) {
  std::vector<int64_t> axes;
  for (size_t a = 0; a < x.size(); ++a) axes.push_back(static_cast<int64_t>(a));
  axes = normal_axes(node.ints_attribute("axes", axes), x.size());
  if (axes.size() != wanted.size())
    throw user_error("{} extents for {} axes", wanted.size(), axes.size());
  Shape y = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (wanted[i].lo() < 0) throw user_error("an extent of {}", wanted[i].text());
    y[static_cast<size_t>(axes[i])] = wanted[i];
  }
  return y;
}

void infer_center(InferContext& context) {
  const TensorType& x = context.type(0);
  if (info(x.dtype).bits < 8)
    throw user_error("CenterCropPad of {} is not supported", name(x.dtype));
  context.set_type(0, x.dtype,
                   cropped_shape(context.node, x.shape, require_known(context, 1, "the shape")));
}

// What x and y share.
void middle_views(const View& x, const View& y, View* from, View* to) {
  std::vector<Dim> starts, places, extents;
  for (size_t a = 0; a < x.shape.size(); ++a) {
    starts.push_back(floor_div(max(x.shape[a] - y.shape[a], 0), 2));
    places.push_back(floor_div(max(y.shape[a] - x.shape[a], 0), 2));
    extents.push_back(min(x.shape[a], y.shape[a]));
  }
  const std::vector<int64_t> steps(extents.size(), 1);
  *from = slice_view(x, starts, extents, steps);
  *to = slice_view(y, places, extents, steps);
}

void evaluate_center(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Shape shape =
      cropped_shape(context.node, to_shape(x.shape), element_extents(context.in(1)));
  Tensor y(x.dtype, fixed(shape));
  View from, to;
  middle_views(dense_view(x), dense_view(y), &from, &to);
  const std::vector<int64_t> extents = fixed(from.shape), a = fixed(from.strides),
                             b = fixed(to.strides);
  const int64_t count = product(from.shape).value();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = from.offset.value(), place = to.offset.value();
    for (size_t k = extents.size(); k-- > 0; rest /= extents[k]) {
      at += rest % extents[k] * a[k];
      place += rest % extents[k] * b[k];
    }
    copy_element(x, at, &y, place);
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_center(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View &x = context.in(0), &y = context.out(0);
  View from, to;
  middle_views(x, y, &from, &to);
  Lowered calls;
  if (from.shape != y.shape) calls.push_back(fill_call(constant_view(Tensor(x.dtype, {})), y));
  calls.push_back(copy_call(from, to));
  return calls;
}

}  // namespace

void append_center_crop_pad(OpList& ops) {
  OpDef def{};
  def.name = "CenterCropPad";
  def.doc = "The middle of x [...] with zeros around it where y is larger; y [...]";
  def.min_inputs = def.max_inputs = 2;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integers, "axes"}};
  def.versions = {{"", "CenterCropPad", 18, kLatestOpset, nullptr}};
  def.traits = kAnyLayout;
  def.shape_inputs = 1u << 1;
  def.infer = infer_center;
  def.evaluate = evaluate_center;
  def.lower = lower_center;
  ops.push_back(std::move(def));
}

}  // namespace macec
