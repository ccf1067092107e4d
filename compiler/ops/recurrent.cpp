// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU and LSTM: one call of the recurrent family.
//
//   x [S, B, I] -> y [S, D, B, H], last h [D, B, H], last c [D, B, H]    (LSTM: c)
//   layout 1: x [B, S, I] -> y [B, S, D, H], states [B, D, H]
//
// Where the weights are constant the pass project-inputs has made x * W a product of its own.
#include "compiler/ops/recurrent.h"

#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr const char* kInputNames[] = {"X",         "W",         "R", "B", "sequence_lens",
                                       "initial_h", "initial_c", "P"};

void require_shape(InferContext& context, int input, const Shape& wanted) {
  if (!context.has(input)) return;
  const Shape& have = context.shape(input);
  if (have.size() != wanted.size()) {
    throw user_error("{} has rank {} instead of {}", kInputNames[input], have.size(),
                     wanted.size());
  }
  for (size_t a = 0; a < have.size(); ++a) {
    context.require_equal(have[a], wanted[a], fmt::format("axis {} of {}", a, kInputNames[input]),
                          fmt::format("the {} that other inputs give", wanted[a].text()));
  }
}

void check_types(const InferContext& context) {
  const DType dtype = context.type(kInputX).dtype;
  if (!info(dtype).is_float || info(dtype).bits < 16) {
    throw user_error("{} of {} is not supported", context.node.op, name(dtype));
  }
  for (int i = 0; i < context.inputs(); ++i) {
    const DType wanted = i == kInputLengths ? DType::int32 : dtype;
    if (context.has(i) && context.type(i).dtype != wanted) {
      throw user_error("{} is {} instead of {}", kInputNames[i], name(context.type(i).dtype),
                       name(wanted));
    }
  }
}

Shape state_shape(const Recurrent& r, const Dim& batch, const Dim& hidden) {
  return r.has_batch_first ? Shape{batch, r.directions, hidden}
                           : Shape{r.directions, batch, hidden};
}

void infer_recurrent(InferContext& context) {
  const Recurrent r = recurrent_of(context.node);
  check_types(context);
  const Shape &x = context.shape(kInputX), &weights = context.shape(kInputR);
  if (x.size() != 3) throw user_error("X has rank {} instead of 3", x.size());
  if (weights.size() != 3) throw user_error("R has rank {} instead of 3", weights.size());
  if (!weights[2].is_fixed() || weights[2].value() < 1) {
    throw user_error("hidden size {} is not supported", weights[2].text());
  }
  if (!r.is_projected && !x[2].is_fixed()) {
    throw user_error("input size {} that varies is not supported", x[2].text());
  }
  const int64_t hidden = weights[2].value();
  if (context.node.int_attribute("hidden_size", hidden) != hidden) {
    throw user_error("attribute hidden_size is {}, but R is {}",
                     context.node.int_attribute("hidden_size", hidden), text(weights));
  }
  const RecurrentAxes axes = axes_of(r);
  const Dim all = Dim(r.gates * hidden), directions = r.directions;
  const Dim steps = x[axes.steps], batch = x[axes.batch];
  const Shape states = state_shape(r, batch, hidden);
  if (r.is_projected) {
    context.require_equal(x[2], all * directions, "axis 2 of X", "the gates");
  } else {
    context.type(kInputW);  // not optional
    require_shape(context, kInputW, {directions, all, x[2]});
  }
  require_shape(context, kInputR, {directions, all, hidden});
  require_shape(context, kInputBias, {directions, all * Dim(2)});
  require_shape(context, kInputLengths, {batch});
  require_shape(context, kInputH, states);
  require_shape(context, kInputC, states);
  require_shape(context, kInputPeephole, {directions, 3 * hidden});

  const DType dtype = context.type(kInputX).dtype;
  const Shape y = r.has_batch_first ? Shape{batch, steps, directions, hidden}
                                    : Shape{steps, directions, batch, hidden};
  for (size_t o = 0; o < context.node.outputs.size(); ++o) {
    context.set_type(static_cast<int>(o), dtype, o == 0 ? y : states);
  }
}

// A view that is not given has a type all the same, so that the kernel's arguments do.
View operand(const LowerContext& context, int input) {
  if (context.has(input)) return context.in(input);
  View none;
  none.dtype = input == kInputLengths ? DType::int32 : context.in(kInputX).dtype;
  return none;
}
View result(const LowerContext& context, size_t output) {
  const std::vector<ValueId>& outputs = context.node.outputs;
  if (output < outputs.size() && outputs[output].is_valid()) {
    return context.out(static_cast<int>(output));
  }
  View none;
  none.dtype = context.in(kInputX).dtype;
  return none;
}
bool is_given(const View& view) {
  return view.buffer >= 0 || view.constant;
}

// Rows along the last axis lie dense.
bool has_dense_rows(const View& view) {
  return !is_given(view) || view.shape.back() == Dim(1) || view.strides.back() == Dim(1);
}
void set_state_strides(const RecurrentAxes& axes, const View& view, Dim (&strides)[2]) {
  if (!is_given(view)) return;
  strides[0] = view.strides[axes.state_directions];
  strides[1] = view.strides[axes.state_batch];
}

RecurrentParamsT<Dim> form_of(const Recurrent& r) {
  RecurrentParamsT<Dim> p{};
  p.kind = r.kind;
  p.directions = r.directions;
  p.is_reverse = r.is_reverse;
  p.is_reset_late = r.kind == kRecurrentGru && r.is_reset_late;
  p.is_coupled = r.is_coupled;
  p.clip = r.clip;
  for (int d = 0; d < r.directions; ++d) {
    for (int i = 0; i < r.functions; ++i) {
      const RecurrentFunctionUse& use = r.used[static_cast<size_t>(d * r.functions + i)];
      p.function[d * 3 + i] = use.function;
      p.alpha[d * 3 + i] = use.alpha;
      p.beta[d * 3 + i] = use.beta;
    }
  }
  return p;
}

double multiply_adds(const RecurrentParamsT<Dim>& p) {
  const double rows = static_cast<double>((p.steps * p.batch * Dim(p.directions)).hi());
  return rows * recurrent_gates(p.kind) * p.hidden * (p.hidden + p.inputs);
}

KernelCall::ConstantUse panels_of(const Recurrent& r, int64_t hidden) {
  KernelCall::ConstantUse use;
  use.kind = Packing::panels;
  use.groups = r.directions * r.gates;
  use.n = use.k = use.stride_n = hidden;
  use.stride_k = 1;
  use.stride_group = hidden * hidden;
  return use;
}

Lowered lower_recurrent(const LowerContext& context) {
  const Recurrent r = recurrent_of(context.node);
  const RecurrentAxes axes = axes_of(r);
  std::vector<View> inputs, outputs;
  for (int i = 0; i < kRecurrentInputs; ++i) inputs.push_back(operand(context, i));
  for (size_t o = 0; o < 3; ++o) outputs.push_back(result(context, o));
  for (int i : {kInputW, kInputR, kInputBias, kInputLengths, kInputPeephole}) {
    const View& view = inputs[static_cast<size_t>(i)];
    if (is_given(view) && !view.is_dense()) return {};
  }
  const View &x = inputs[kInputX], &y = outputs[0];
  for (int i : {kInputX, kInputH, kInputC}) {
    if (!has_dense_rows(inputs[static_cast<size_t>(i)])) return {};
  }
  for (const View& view : outputs) {
    if (!has_dense_rows(view)) return {};
  }

  RecurrentParamsT<Dim> p = form_of(r);
  p.hidden = static_cast<int>(inputs[kInputR].shape[2].value());
  p.inputs = r.is_projected ? 0 : static_cast<int>(x.shape[2].value());
  p.steps = x.shape[axes.steps];
  p.batch = x.shape[axes.batch];
  p.x_step = x.strides[axes.steps];
  p.x_row = x.strides[axes.batch];
  if (is_given(y)) {
    p.y_step = y.strides[axes.steps];
    p.y_direction = y.strides[axes.y_directions];
    p.y_row = y.strides[axes.y_batch];
  }
  set_state_strides(axes, inputs[kInputH], p.initial_h);
  set_state_strides(axes, inputs[kInputC], p.initial_c);
  set_state_strides(axes, outputs[1], p.last_h);
  set_state_strides(axes, outputs[2], p.last_c);

  KernelCall call = make_call(Family::recurrent, std::move(inputs), std::move(outputs));
  call.op = context.node.op;
  call.params = p;
  call.units = Dim(p.directions) * ceil_div(p.batch, kRecurrentRows);
  call.multiply_adds = multiply_adds(p);
  if (r.is_projected && call.inputs[kInputR].constant) {
    call.constant_uses[kInputR] = panels_of(r, p.hidden);
  }
  return {std::move(call)};
}

Cost cost_recurrent(const Graph& graph, const Node& node) {
  const Recurrent r = recurrent_of(node);
  const Shape& x = graph.type(node.inputs[kInputX]).shape;
  RecurrentParamsT<Dim> p = form_of(r);
  p.hidden = static_cast<int>(graph.type(node.inputs[kInputR]).shape[2].value());
  p.inputs = r.is_projected ? 0 : static_cast<int>(x[2].value());
  p.steps = x[0];
  p.batch = x[1];
  Cost cost;
  cost.multiply_adds = multiply_adds(p);
  return cost;
}

OpDef recurrent_op(const char* name, const char* doc, int inputs, int outputs) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.min_inputs = 3;
  op.max_inputs = inputs;
  op.min_outputs = 0;
  op.max_outputs = outputs;
  op.attributes = {
      {AttributeDef::reals, "activation_alpha"}, {AttributeDef::reals, "activation_beta"},
      {AttributeDef::texts, "activations"},      {AttributeDef::real, "clip"},
      {AttributeDef::text, "direction"},         {AttributeDef::integer, "hidden_size"},
      {AttributeDef::integer, "layout"}};
  op.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  op.infer = infer_recurrent;
  op.evaluate = evaluate_recurrent;
  op.lower = lower_recurrent;
  op.cost = cost_recurrent;
  return op;
}

}  // namespace

void append_recurrent(OpList& ops) {
  ops.push_back(recurrent_op(
      "RNN",
      "h = f(x * W + h * R + b) step by step; x [S, B, I], W [D, H, I], R [D, H, H], y [S, "
      "D, B, H], last h [D, B, H].",
      6, 2));
  OpDef gru = recurrent_op(
      "GRU",
      "h = (1 - z) * n + z * h step by step, gates z, r and n of x * W and h * R; x [S, B, "
      "I], W [D, 3H, I], R [D, 3H, H], y [S, D, B, H], last h [D, B, H].",
      6, 2);
  gru.attributes.push_back({AttributeDef::integer, "linear_before_reset"});
  ops.push_back(std::move(gru));
  OpDef lstm = recurrent_op(
      "LSTM",
      "c = f * c + i * g, h = o * tanh(c) step by step, gates i, o, f and g of x * W and h "
      "* R; x [S, B, I], W [D, 4H, I], R [D, 4H, H], y [S, D, B, H], last h and c [D, B, H].",
      8, 3);
  lstm.attributes.push_back({AttributeDef::integer, "input_forget"});
  ops.push_back(std::move(lstm));
}

}  // namespace macec
