// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that no ONNX file has; passes make them.
//
//   Pointwise   elementwise steps over its inputs, broadcast to the output's shape
//   Relayout    the same tensor in another layout
//   ChannelShuffle   channels of `groups` groups in turns: with 2 groups of 3, 0 3 1 4 2 5
//   Fail        ends the run; the whole body of a branch that no run can finish
#include <algorithm>

#include "compiler/ops/bodies.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

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

void infer_relayout(InferContext& context) {
  context.set_type(0, context.type(0).dtype, context.shape(0));
}
void evaluate_relayout(EvaluateContext& context) {
  context.outputs[0] = context.in(0);
}

// The bytes are in that order already, as behind a Transpose; pixels may lie apart, as in a part of
// the channels. A kernel that wants them close gets a copy.
bool view_relayout(const LowerContext& context, const View& in, View* out) {
  *out = in;
  const TensorType& type = context.graph.type(context.node.outputs[0]);
  if (type.layout != Layout::channels_last || in.is_dense_channels_last())
    return type.layout == Layout::channels_last || in.is_dense();
  const size_t rank = in.shape.size();
  if (rank < 3 || in.strides[1] != Dim(1) || in.shape[1] == Dim(1) || in.shape[rank - 1] == Dim(1))
    return false;
  Dim next = in.strides[rank - 1];  // from one pixel to the next
  if (next.lo() < in.shape[1].hi()) return false;
  for (size_t a = rank; a-- > 0;) {
    if (a == 1) continue;
    if (in.shape[a] != Dim(1) && in.strides[a] != next) return false;
    next *= in.shape[a];
  }
  return true;
}

Lowered lower_relayout(const LowerContext& context) {
  return {copy_call(context.in(0), context.out(0))};
}

// Channels start .. start + count of the shuffled ones; both are multiples of groups.
struct Shuffle {
  int64_t groups, start, count;
  explicit Shuffle(const Node& node)
      : groups(node.int_attribute("groups", 1)),
        start(node.int_attribute("start", 0)),
        count(node.int_attribute("count", 0)) {}
};

void infer_shuffle(InferContext& context) {
  Shape shape = context.shape(0);
  shape[1] = Shuffle(context.node).count;
  context.set_type(0, context.type(0).dtype, shape);
}

void evaluate_shuffle(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Shuffle shuffle(context.node);
  std::vector<int64_t> shape = x.shape;
  shape[1] = shuffle.count;
  Tensor y(x.dtype, shape);
  const int64_t channels = x.shape[1], per_group = channels / shuffle.groups;
  const int64_t inner = y.count() / std::max<int64_t>(shape[0] * shape[1], 1);
  for (int64_t i = 0; i < y.count(); ++i) {
    const int64_t n = i / inner / shuffle.count, c = i / inner % shuffle.count + shuffle.start;
    const int64_t from = c % shuffle.groups * per_group + c / shuffle.groups;
    copy_element(x, (n * channels + from) * inner + i % inner, &y, i);
  }
  context.outputs[0] = std::move(y);
}

// The channel axis as [channel in group][group].
View by_group(const View& v, const Dim& rows, int64_t groups, const Dim& row_stride,
              const Dim& group_stride) {
  View out = v;
  out.shape[1] = rows;
  out.strides[1] = row_stride;
  out.shape.insert(out.shape.begin() + 2, Dim(groups));
  out.strides.insert(out.strides.begin() + 2, group_stride);
  return out;
}

Lowered lower_shuffle(const LowerContext& context) {
  const Shuffle shuffle(context.node);
  const View &x = context.in(0), &y = context.out(0);
  const Dim rows = shuffle.count / shuffle.groups, own = x.strides[1], to = y.strides[1];
  const Dim per_group = x.shape[1].value() / shuffle.groups;
  View from = by_group(x, rows, shuffle.groups, own, own * per_group);
  from.offset += own * Dim(shuffle.start / shuffle.groups);
  return {copy_call(from, by_group(y, rows, shuffle.groups, to * Dim(shuffle.groups), to))};
}

// The results are never made: the If gives them the types of the other branch's.
void infer_fail(InferContext& context) {
  for (size_t o = 0; o < context.node.outputs.size(); ++o) {
    const TensorType& type = context.graph.type(context.node.outputs[o]);
    context.set_type(static_cast<int>(o), type.dtype, type.shape);
  }
}
void evaluate_fail(EvaluateContext& context) {
  throw user_error("the run takes a branch that cannot run: {}",
                   context.node.string_attribute("text", ""));
}

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
  relayout.traits = kView;
  relayout.view = view_relayout;
  relayout.lower = lower_relayout;
  ops.push_back(std::move(relayout));

  OpDef shuffle{};
  shuffle.name = "ChannelShuffle";
  shuffle.doc =
      "Channels of several groups in turns, or some of them: [N, C, spatial...] -> [N, count, "
      "spatial...].";
  shuffle.min_inputs = shuffle.max_inputs = 1;
  shuffle.min_outputs = shuffle.max_outputs = 1;
  shuffle.attributes = {{AttributeDef::integer, "groups", true},
                        {AttributeDef::integer, "start", true},
                        {AttributeDef::integer, "count", true}};
  shuffle.traits = kAnyLayout;
  shuffle.infer = infer_shuffle;
  shuffle.evaluate = evaluate_shuffle;
  shuffle.lower = lower_shuffle;
  ops.push_back(std::move(shuffle));

  OpDef fail{};
  fail.name = kFailOp;
  fail.doc = "Ends the run with a text; a branch with a node that cannot run is nothing else.";
  fail.min_inputs = fail.max_inputs = 0;
  fail.min_outputs = 1;
  fail.max_outputs = -1;
  fail.attributes = {{AttributeDef::text, "text", true}};
  fail.traits = kEndsRun;
  fail.infer = infer_fail;
  fail.evaluate = evaluate_fail;
  ops.push_back(std::move(fail));
}

}  // namespace macec
