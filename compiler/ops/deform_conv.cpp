// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeformConv, written as displaced windows and a product:
//
//   columns [N, group, K, outputs] = DeformColumns(x, offset, mask)     K = C / group taps
//   y = w [group, oC / group, K] columns, as [N, oC, outputs...], + bias
#include "compiler/ops/expand.h"
#include "compiler/ops/line.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

int64_t positive(const Node& node, const char* name) {
  const int64_t v = node.int_attribute(name, 1);
  if (v < 1) throw user_error("{} is {}", name, v);
  return v;
}

void infer_deform(InferContext& context) {
  const TensorType &x = context.type(0), &w = context.type(1), &offset = context.type(2);
  check_line_type(context.node, x.dtype, true);
  const size_t rank = x.shape.size();
  if (rank < 3 || rank > 5)
    throw user_error("DeformConv of {} axes is not supported, only [N, C] and 1 to 3 more", rank);
  if (w.shape.size() != rank || offset.shape.size() != rank || w.dtype != x.dtype ||
      offset.dtype != x.dtype)
    throw user_error("input {}, weights {} and offsets {} do not fit", text(x), text(w),
                     text(offset));
  if (!is_fixed(w.shape)) throw user_error("weights of varying sizes ({})", text(w));
  const std::vector<int64_t> weights = fixed(w.shape), kernel(weights.begin() + 2, weights.end());
  if (context.node.ints_attribute("kernel_shape", kernel) != kernel)
    throw user_error("kernel_shape is not that of the weights {}", text(w));
  const int64_t group = positive(context.node, "group"),
                offsets = positive(context.node, "offset_group");
  if (x.shape[1] != Dim(weights[1] * group) || weights[0] % group != 0)
    throw user_error("{} channels, weights {} in {} groups", x.shape[1].text(), text(w), group);
  if (weights[1] * group % offsets != 0)
    throw user_error("{} channels in {} groups of offsets", x.shape[1].text(), offsets);
  if (context.has(3)) {
    context.require_equal(product(context.shape(3)), weights[0], "the number of biases",
                          "the number of output channels");
  }
  if (context.has(4) && (context.shape(4).size() != rank || context.type(4).dtype != x.dtype))
    throw user_error("the mask is {}", text(context.type(4)));
  Shape y = {x.shape[0], weights[0]};
  y.insert(y.end(), offset.shape.begin() + 2, offset.shape.end());
  context.set_type(0, x.dtype, y);
}

void expand_deform(Expander& e) {
  const ValueId x = e.in(0), w = e.in(1), offset = e.in(2);
  const std::vector<int64_t> weights = fixed(e.shape(w));
  const int64_t group = e.node().int_attribute("group", 1);
  const auto vector = [&](const std::vector<int64_t>& v) {
    return e.constant(Tensor::vector_i64(v));
  };
  Attributes attributes = e.node().attributes;
  attributes["kernel_shape"] = std::vector<int64_t>(weights.begin() + 2, weights.end());
  std::vector<ValueId> inputs = {x, offset};
  if (e.has(4)) inputs.push_back(e.in(4));
  const ValueId columns = e.add("DeformColumns", inputs, attributes);
  const ValueId rows = e.add("Reshape", {w, vector({group, weights[0] / group, -1})});
  const ValueId sums = e.add("MatMul", {rows, columns});  // [N, group, oC / group, outputs]
  const ValueId outputs = e.add("Shape", {offset}, {{"start", int64_t{2}}});
  const ValueId shape = e.add("Concat", {vector({0, weights[0]}), outputs}, {{"axis", int64_t{0}}});
  ValueId y = e.add("Reshape", {sums, shape});
  if (e.has(3)) {
    std::vector<int64_t> extents(weights.size() - 1, 1);
    extents[0] = weights[0];
    y = e.add("Add", {y, e.add("Reshape", {e.in(3), vector(extents)})});
  }
  e.result(0, y);
}

}  // namespace

void append_deform_conv(OpList& ops) {
  OpDef def{};
  def.name = "DeformConv";
  def.doc =
      "Convolution whose taps are displaced: x [N, C, spatial...], w [oC, C / group, kernel...], "
      "offset [N, offset_group taps axes, out...], mask [N, offset_group taps, out...]";
  def.min_inputs = 3;
  def.max_inputs = 5;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {
      {AttributeDef::integers, "dilations"},    {AttributeDef::integer, "group"},
      {AttributeDef::integers, "kernel_shape"}, {AttributeDef::integer, "offset_group"},
      {AttributeDef::integers, "pads"},         {AttributeDef::integers, "strides"}};
  def.versions = {{"", "DeformConv", 19, kLatestOpset, nullptr}};
  def.infer = infer_deform;
  def.evaluate = evaluate_expanded;
  def.expand = expand_deform;
  ops.push_back(std::move(def));
}

}  // namespace macec
