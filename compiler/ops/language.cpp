// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SwiGLU, TensorScatter and CausalConvWithState: pieces of language models, written as other
// operators.
//
//   SwiGLU               y = Swish(a) b
//   TensorScatter        y = past, then y[b, ..., write[b] + s, ...] = update[b, ..., s, ...]
//   CausalConvWithState  p = [past, x] along the sequence; y = depthwise Conv(p); present = its end
#include "compiler/ops/expand.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

void require_float(const InferContext& context, int input) {
  const DTypeInfo& type = info(context.type(input).dtype);
  if (!type.is_float || type.bits < 16)
    throw user_error("{} of {} is not supported", context.node.op, type.name);
  if (type.dtype != context.type(0).dtype)
    throw user_error("input {} is {}, but the first is {}", input, type.name,
                     name(context.type(0).dtype));
}

// SwiGLU -----------------------------------------------------------------------------------------

void infer_swiglu(InferContext& context) {
  require_float(context, 0);
  require_float(context, 1);
  context.require_shape(1, context.shape(0));
  context.set_type(0, context.type(0).dtype, context.shape(0));
}
void expand_swiglu(Expander& e) {
  const float alpha = e.node().float_attribute("alpha", 1);
  e.result(0, e.add("Mul", {e.add("Swish", {e.in(0)}, {{"alpha", alpha}}), e.in(1)}));
}

// TensorScatter ----------------------------------------------------------------------------------

size_t sequence_axis(const Node& node, size_t rank) {
  const int64_t axis = normal_axis(node.int_attribute("axis", -2), rank);
  if (axis == 0) throw user_error("the sequence cannot be axis 0, which is the batch");
  return static_cast<size_t>(axis);
}

void infer_tensor_scatter(InferContext& context) {
  const TensorType &past = context.type(0), &update = context.type(1);
  if (past.dtype != update.dtype)
    throw user_error("a cache of {} and an update of {}", name(past.dtype), name(update.dtype));
  if (past.shape.size() < 2) throw user_error("a cache of {} axes", past.shape.size());
  const std::string mode = context.node.string_attribute("mode", "linear");
  if (mode != "linear" && mode != "circular") throw user_error("mode '{}' is not supported", mode);
  const size_t axis = sequence_axis(context.node, past.shape.size());
  Shape wanted = past.shape;
  if (update.shape.size() == wanted.size()) wanted[axis] = update.shape[axis];
  context.require_shape(1, wanted);
  if (wanted[axis].lo() > past.shape[axis].hi())
    throw user_error("an update of {} elements for a cache of {}", wanted[axis].text(),
                     past.shape[axis].text());
  if (context.has(2)) context.require_shape(2, {past.shape[0]});
  context.set_type(0, past.dtype, past.shape);
}

void expand_tensor_scatter(Expander& e) {
  const ValueId past = e.in(0), update = e.in(1);
  const auto rank = static_cast<int64_t>(e.shape(past).size());
  const auto axis = static_cast<int64_t>(sequence_axis(e.node(), e.shape(past).size()));
  const auto all_but = [&](int64_t kept) {
    std::vector<int64_t> axes;
    for (int64_t a = 0; a < rank; ++a)
      if (a != kept) axes.push_back(a);
    return axes;
  };
  const ValueId s = e.add("Range", {e.numbers({0}), e.extent(update, axis), e.numbers({1})});
  ValueId at = e.unsqueeze(s, all_but(axis));
  if (e.has(2)) at = e.add("Add", {at, e.unsqueeze(e.cast(e.in(2), DType::int64), all_but(0))});
  if (e.node().string_attribute("mode", "linear") == "circular")
    at = e.add("Mod", {at, e.extent(past, axis)});
  at = e.add("Expand", {at, e.add("Shape", {update})});
  e.result(0, e.add("ScatterElements", {past, at, update}, {{"axis", axis}}));
}

// CausalConvWithState ----------------------------------------------------------------------------

void infer_causal_conv(InferContext& context) {
  const TensorType& x = context.type(0);
  for (int i = 0; i < context.inputs(); ++i)
    if (context.has(i)) require_float(context, i);
  if (x.shape.size() != 3) throw user_error("input has {} axes instead of 3", x.shape.size());
  const Shape& w = context.shape(1);
  if (w.size() != 3 || !w[2].is_fixed() || w[2].value() < 1)
    throw user_error("a kernel of shape {} is not supported", text(w));
  if (!x.shape[1].is_fixed())
    throw user_error("channels that vary ({}) are not supported", x.shape[1].text());
  context.require_shape(1, {x.shape[1], 1, w[2]});
  if (context.has(2)) context.require_shape(2, {x.shape[1]});
  const Shape state = {x.shape[0], x.shape[1], w[2] - 1};
  if (context.has(3)) context.require_shape(3, state);
  const std::string activation = context.node.string_attribute("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    throw user_error("activation '{}' is not supported", activation);
  context.set_type(0, x.dtype, x.shape);
  context.set_type(1, x.dtype, state);
}

void expand_causal_conv(Expander& e) {
  const int64_t kept = e.shape(e.in(1))[2].value() - 1;
  ValueId padded = e.in(0);
  if (e.has(3))
    padded = e.add("Concat", {e.in(3), padded}, {{"axis", int64_t{2}}});
  else if (kept > 0)
    padded = e.add("Pad", {padded, e.numbers({0, 0, kept, 0, 0, 0})});
  std::vector<ValueId> inputs = {padded, e.in(1)};
  if (e.has(2)) inputs.push_back(e.in(2));
  ValueId y = e.add("Conv", inputs, {{"group", e.shape(e.in(0))[1].value()}});
  if (e.node().string_attribute("activation", "none") != "none") y = e.add("Swish", {y});
  e.result(0, y);
  const int64_t from = kept > 0 ? -kept : 0, to = kept > 0 ? INT64_MAX : 0;
  e.result(1, e.add("Slice", {padded, e.numbers({from}), e.numbers({to}), e.numbers({2})}));
}

OpDef expanded_def(const char* name, const char* doc, int min_inputs, int max_inputs, int outputs,
                   int first) {
  OpDef def = one_result(name, doc, min_inputs, max_inputs, first);
  def.max_outputs = outputs;
  def.evaluate = evaluate_expanded;
  return def;
}

}  // namespace

void append_language(OpList& ops) {
  OpDef swiglu = expanded_def(
      "SwiGLU", "y = a / (1 + e^(-alpha * a)) * b for a, b, y of any shape [...]", 2, 2, 1, 28);
  swiglu.attributes = {{AttributeDef::real, "alpha"}};
  swiglu.infer = infer_swiglu;
  swiglu.expand = expand_swiglu;
  ops.push_back(std::move(swiglu));

  OpDef scatter = expanded_def(
      "TensorScatter",
      "A cache [b, ..., t, ...] with an update [b, ..., s, ...] written from write_indices [b] on",
      2, 3, 1, 24);
  scatter.attributes = {{AttributeDef::integer, "axis"}, {AttributeDef::text, "mode"}};
  scatter.infer = infer_tensor_scatter;
  scatter.expand = expand_tensor_scatter;
  ops.push_back(std::move(scatter));

  OpDef conv = expanded_def(
      "CausalConvWithState",
      "Depthwise convolution of [past, x] along the last axis: x, y [b, c, n], weights [c, 1, k], "
      "past and present [b, c, k - 1]",
      2, 4, 2, 27);
  conv.attributes = {{AttributeDef::text, "activation"}};
  conv.infer = infer_causal_conv;
  conv.expand = expand_causal_conv;
  ops.push_back(std::move(conv));
}

}  // namespace macec
