// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Concat: inputs one behind the other along an axis. The planner lets producers write into their
// part of the output where it can, and drops the copies of those.
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

void infer_concat(InferContext& context) {
  Shape y = context.shape(0);
  size_t axis = static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), y.size()));
  for (int i = 1; i < context.inputs(); ++i) {
    const Shape& x = context.shape(i);
    if (x.size() != y.size()) {
      throw user_error("input 0 has rank {}, input {} has rank {}", y.size(), i, x.size());
    }
    for (size_t a = 0; a < y.size(); ++a) {
      if (a == axis) continue;
      context.require_equal(y[a], x[a], fmt::format("axis {} of input 0", a),
                            fmt::format("that of input {}", i));
    }
    y[axis] += x[axis];
  }
  context.set_type(0, context.type(0).dtype, y);

  if (y.size() != 1) return;
  std::vector<Dim> elements;
  for (int i = 0; i < context.inputs(); ++i) {
    const std::vector<Dim>* known = context.known(i);
    if (!known) return;
    elements.insert(elements.end(), known->begin(), known->end());
  }
  context.set_known(0, elements);
}

void evaluate_concat(EvaluateContext& context) {
  std::vector<int64_t> shape = context.in(0).shape;
  size_t axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), shape.size()));
  shape[axis] = 0;
  int64_t outer = 1, inner = 1;
  for (size_t a = 0; a < axis; ++a) outer *= shape[a];
  for (size_t a = axis + 1; a < shape.size(); ++a) inner *= shape[a];
  for (const Tensor* input : context.inputs) shape[axis] += input->shape[axis];
  Tensor y(context.in(0).dtype, shape);
  int64_t to = 0;
  for (int64_t o = 0; o < outer; ++o) {
    for (const Tensor* input : context.inputs) {
      int64_t row = input->shape[axis] * inner;
      for (int64_t i = 0; i < row; ++i) copy_element(*input, o * row + i, &y, to++);
    }
  }
  context.outputs[0] = std::move(y);
}

Lowered lower_concat(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  const View& y = context.out(0);
  size_t axis =
      static_cast<size_t>(normal_axis(context.node.int_attribute("axis", 0), y.shape.size()));
  std::vector<Dim> starts(y.shape.size(), 0);
  std::vector<int64_t> steps(y.shape.size(), 1);
  Lowered calls;
  for (size_t i = 0; i < context.node.inputs.size(); ++i) {
    const View& x = context.in(static_cast<int>(i));
    View part = slice_view(y, starts, x.shape, steps);
    starts[axis] += x.shape[axis];
    calls.push_back(copy_call(x, part));
  }
  return calls;
}

}  // namespace

void append_concat(OpList& ops) {
  OpDef op;
  op.name = "Concat";
  op.doc = "Tensors that agree in all axes but one, put behind each other along that axis.";
  op.min_inputs = 1;
  op.max_inputs = -1;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::integer, "axis", true}};
  op.versions = {{"", "Concat", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kAnyLayout;
  op.infer = infer_concat;
  op.evaluate = evaluate_concat;
  op.lower = lower_concat;
  ops.push_back(std::move(op));
}

}  // namespace macec
