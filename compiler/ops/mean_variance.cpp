// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MeanVarianceNormalization, written as reductions and elementwise operators:
//
//   d = x - mean(x)     y = d / (sqrt(mean(d d)) + 1e-9)     means over the axes, by default N, H, W
#include "compiler/ops/expand.h"
#include "compiler/ops/line.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"

namespace macec {
namespace {

std::vector<int64_t> axes_of(const Node& node) {
  return node.ints_attribute("axes", {0, 2, 3});
}

void infer_mean_variance(InferContext& context) {
  const TensorType& x = context.type(0);
  check_line_type(context.node, x.dtype, true);
  normal_axes(axes_of(context.node), x.shape.size());
  context.set_type(0, x.dtype, x.shape);
}

void expand_mean_variance(Expander& e) {
  const ValueId axes = e.constant(Tensor::vector_i64(axes_of(e.node())));
  const DType type = e.dtype(e.in(0));
  const ValueId d = e.add("Sub", {e.in(0), e.add("ReduceMean", {e.in(0), axes})});
  const ValueId variance = e.add("ReduceMean", {e.add("Mul", {d, d}), axes});
  const ValueId divisor = e.add("Add", {e.add("Sqrt", {variance}), e.cast(e.number(1e-9f), type)});
  e.result(0, e.add("Div", {d, divisor}));
}

}  // namespace

void append_mean_variance(OpList& ops) {
  OpDef def{};
  def.name = "MeanVarianceNormalization";
  def.doc = "y = (x - mean) / (standard deviation + 1e-9) over the axes; x, y of any shape [...]";
  def.min_inputs = def.max_inputs = def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integers, "axes"}};
  def.versions = {{"", "MeanVarianceNormalization", 9, kLatestOpset, nullptr}};
  def.infer = infer_mean_variance;
  def.evaluate = evaluate_expanded;
  def.expand = expand_mean_variance;
  ops.push_back(std::move(def));
}

}  // namespace macec
