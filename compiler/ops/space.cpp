// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DepthToSpace and SpaceToDepth: blocks of pixels to channels and back, each one strided copy.
//
//   SpaceToDepth  x [n, c, h, b1, w, b2]  ->  y [n, b1, b2, c, h, w]   mode DCR
//                                             y [n, c, b1, b2, h, w]   mode CRD
// DepthToSpace is the same the other way round.
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_crd(const Node& node) {
  const std::string mode = node.string_attribute("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") throw user_error("mode '{}' is neither DCR nor CRD", mode);
  return mode == "CRD";
}

Dim exact(const Dim& a, int64_t b, const char* what) {
  Dim quotient;
  if (!exact_div(a, Dim(b), &quotient))
    throw user_error("{} is {}, which {} does not divide", what, a.text(), b);
  return quotient;
}

// The shape with fewer channels (the output of DepthToSpace, the input of SpaceToDepth).
Shape wide_shape(const Node& node, const Shape& x, Shape* deep) {
  const int64_t block = node.int_attribute("blocksize", 0);
  if (block < 1 || block > 1 << 15) throw user_error("blocks of {} pixels", block);
  if (x.size() != 4) throw user_error("input has {} axes, but needs [N, C, H, W]", x.size());
  if (node.op == "DepthToSpace") {
    *deep = x;
    return {x[0], exact(x[1], block * block, "the number of channels"), x[2] * block, x[3] * block};
  }
  *deep = {x[0], x[1] * (block * block), exact(x[2], block, "the height"),
           exact(x[3], block, "the width")};
  return x;
}

// [n, c, h, b1, w, b2] as six axes of the wide tensor, whatever its strides are.
View wide_blocks(const View& wide, const Shape& deep, int64_t block) {
  View view = wide;
  view.shape = {wide.shape[0], wide.shape[1], deep[2], block, deep[3], block};
  view.strides = {wide.strides[0], wide.strides[1],         wide.strides[2] * block,
                  wide.strides[2], wide.strides[3] * block, wide.strides[3]};
  return view;
}
// The same six axes of the deep tensor.
View deep_blocks(const View& deep, const Shape& wide, int64_t block, bool crd) {
  View view = deep;
  const Dim &c = deep.strides[1], &channels = wide[1];
  view.shape = {wide[0], wide[1], deep.shape[2], block, deep.shape[3], block};
  view.strides = {deep.strides[0], crd ? c * (block * block) : c,
                  deep.strides[2], crd ? c * block : c * channels * block,
                  deep.strides[3], crd ? c : c * channels};
  return view;
}

void infer_space(InferContext& context) {
  Shape deep;
  const Shape wide = wide_shape(context.node, context.shape(0), &deep);
  is_crd(context.node);
  context.set_type(0, context.type(0).dtype, context.node.op == "DepthToSpace" ? wide : deep);
}

void views_of(const Node& node, const View& x, const View& y, View* from, View* to) {
  Shape deep;
  const Shape wide = wide_shape(node, x.shape, &deep);
  const int64_t block = node.int_attribute("blocksize", 0);
  const bool to_space = node.op == "DepthToSpace";
  const View w = wide_blocks(to_space ? y : x, deep, block);
  const View d = deep_blocks(to_space ? x : y, wide, block, is_crd(node));
  *from = to_space ? d : w;
  *to = to_space ? w : d;
}

void evaluate_space(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape deep;
  const Shape wide = wide_shape(context.node, to_shape(x.shape), &deep);
  Tensor y(x.dtype, fixed(context.node.op == "DepthToSpace" ? wide : deep));
  View from, to;
  views_of(context.node, dense_view(x), dense_view(y), &from, &to);
  const std::vector<int64_t> shape = fixed(from.shape), a = fixed(from.strides),
                             b = fixed(to.strides);
  for (int64_t i = 0; i < y.count(); ++i) {
    int64_t rest = i, at = 0, place = 0;
    for (size_t k = shape.size(); k-- > 0;) {
      at += rest % shape[k] * a[k];
      place += rest % shape[k] * b[k];
      rest /= shape[k];
    }
    copy_element(x, at, &y, place);
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_space(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  View from, to;
  views_of(context.node, context.in(0), context.out(0), &from, &to);
  return {copy_call(from, to)};
}

OpDef space_def(const char* name, const char* doc) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = def.max_inputs = def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "blocksize", true}, {AttributeDef::text, "mode"}};
  def.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  def.traits = kAnyLayout;
  def.infer = infer_space;
  def.evaluate = evaluate_space;
  def.lower = lower_space;
  return def;
}

}  // namespace

void append_space(OpList& ops) {
  ops.push_back(
      space_def("DepthToSpace",
                "Channels to blocks of b x b pixels: x [N, C b b, H, W], y [N, C, H b, W b]"));
  ops.push_back(
      space_def("SpaceToDepth",
                "Blocks of b x b pixels to channels: x [N, C, H b, W b], y [N, C b b, H, W]"));
}

}  // namespace macec
