// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that no ONNX file has; passes make them.
//
//   Pointwise   elementwise steps over its inputs, broadcast to the output's shape
//   Relayout    the same tensor in another layout
#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"

namespace macec {
namespace {

void evaluate_pointwise(EvaluateContext& context) {
  const int last = static_cast<int>(context.node.epilogue.size()) - 1;
  context.outputs = evaluate_steps(context.node.epilogue, {last}, nullptr, context.inputs);
}

void infer_pointwise(InferContext& context) {
  std::vector<int> inputs;
  for (int i = 0; i < context.inputs(); ++i) inputs.push_back(i);
  context.set_type(0, context.node.epilogue.back().dtype, broadcast_shapes(context, inputs));
}

void infer_relayout(InferContext& context) { context.set_type(0, context.type(0).dtype, context.shape(0)); }
void evaluate_relayout(EvaluateContext& context) { context.outputs[0] = context.in(0); }
Lowered lower_relayout(const LowerContext& context) { return {copy_call(context.in(0), context.out(0))}; }

}  // namespace

void append_internal(OpList& ops) {
  OpDef pointwise{};
  pointwise.name = "Pointwise";
  pointwise.doc = "Elementwise steps over inputs that broadcast to the shape of the output.";
  pointwise.min_inputs = 0;
  pointwise.max_inputs = -1;
  pointwise.min_outputs = pointwise.max_outputs = 1;
  pointwise.traits = kAnyLayout;
  pointwise.infer = infer_pointwise;
  pointwise.evaluate = evaluate_pointwise;
  pointwise.lower = lower_elementwise;
  ops.push_back(std::move(pointwise));

  OpDef relayout{};
  relayout.name = "Relayout";
  relayout.doc = "The tensor [N, C, spatial...] with its bytes in another order.";
  relayout.min_inputs = relayout.max_inputs = 1;
  relayout.min_outputs = relayout.max_outputs = 1;
  relayout.infer = infer_relayout;
  relayout.evaluate = evaluate_relayout;
  relayout.lower = lower_relayout;
  ops.push_back(std::move(relayout));
}

}  // namespace macec
