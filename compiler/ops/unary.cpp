// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operators of one input: mathematics, activations, tests.
#include "compiler/ops/groups.h"

namespace macec {
namespace {

constexpr AttributeDef::Kind kReal = AttributeDef::real;

void gelu_steps(StepBuilder& b) {
  const std::string form = b.node.string_attribute("approximate", "none");
  if (form != "none" && form != "tanh")
    throw user_error("attribute approximate is '{}', not none or tanh", form);
  b.result(b.add(form == "tanh" ? "GeluTanh" : "Gelu", {b.in(0)}));
}

void is_inf_steps(StepBuilder& b) {
  const bool negative = b.node.int_attribute("detect_negative", 1) != 0;
  const bool positive = b.node.int_attribute("detect_positive", 1) != 0;
  if (negative && positive) return b.result(b.add("IsInf", {b.in(0)}));
  if (negative) return b.result(b.add("IsNegativeInf", {b.in(0)}));
  if (positive) return b.result(b.add("IsPositiveInf", {b.in(0)}));
  b.result(b.add("Not", {b.add("True", {b.in(0)})}));
}

void append_math(OpList& ops) {
  auto add = [&](const char* name, const char* doc, int first) {
    ops.push_back(elementwise_def(name, doc, 1, 1, first, same_step));
  };
  add("Abs", "y = |x| for x, y of any shape [...]", 6);
  add("Acos", "y = acos(x) for x, y of any shape [...]", 7);
  add("Acosh", "y = acosh(x) for x, y of any shape [...]", 9);
  add("Asin", "y = asin(x) for x, y of any shape [...]", 7);
  add("Asinh", "y = asinh(x) for x, y of any shape [...]", 9);
  add("Atan", "y = atan(x) for x, y of any shape [...]", 7);
  add("Atanh", "y = atanh(x) for x, y of any shape [...]", 9);
  add("BitwiseNot", "every bit of x turned, for x, y of any shape [...]", 18);
  add("Ceil", "y = the least whole number >= x, for x, y of any shape [...]", 6);
  add("Cos", "y = cos(x) for x, y of any shape [...]", 7);
  add("Cosh", "y = cosh(x) for x, y of any shape [...]", 9);
  add("Erf", "y = the error function of x, for x, y of any shape [...]", 9);
  add("Exp", "y = e^x for x, y of any shape [...]", 6);
  add("Floor", "y = the greatest whole number <= x, for x, y of any shape [...]", 6);
  add("IsNaN", "y = whether x is not a number, for x, y of any shape [...]", 9);
  add("Log", "y = the natural logarithm of x, for x, y of any shape [...]", 6);
  add("Neg", "y = -x for x, y of any shape [...]", 6);
  add("Not", "y = not x for bool x, y of any shape [...]", 1);
  add("Reciprocal", "y = 1 / x for x, y of any shape [...]", 6);
  add("Round", "y = x rounded to whole numbers, halves to even, for x, y of any shape [...]", 11);
  add("Sign", "y = -1, 0 or 1 as x is negative, zero or positive, for x, y of any shape [...]", 9);
  add("Sin", "y = sin(x) for x, y of any shape [...]", 7);
  add("Sinh", "y = sinh(x) for x, y of any shape [...]", 9);
  add("Sqrt", "y = the square root of x, for x, y of any shape [...]", 6);
  add("Tan", "y = tan(x) for x, y of any shape [...]", 7);
  ops.push_back(elementwise_def(
      "IsInf", "y = whether x is infinite (of the signs asked for), for x, y of any shape [...]", 1,
      1, 10, is_inf_steps,
      {{AttributeDef::integer, "detect_negative"}, {AttributeDef::integer, "detect_positive"}}));
}

void append_activation(OpList& ops) {
  auto add = [&](const char* name, const char* doc, int first,
                 std::vector<AttributeDef> attributes) {
    ops.push_back(elementwise_def(name, doc, 1, 1, first, same_step, std::move(attributes)));
  };
  add("Celu", "y = max(0, x) + min(0, alpha * (e^(x / alpha) - 1)) for x, y of any shape [...]", 12,
      {{kReal, "alpha"}});
  add("Elu", "y = x, or alpha * (e^x - 1) for x < 0; x, y of any shape [...]", 6,
      {{kReal, "alpha"}});
  add("HardSigmoid", "y = alpha * x + beta, limited to 0..1; x, y of any shape [...]", 6,
      {{kReal, "alpha"}, {kReal, "beta"}});
  add("HardSwish", "y = x * (x / 6 + 1/2 limited to 0..1) for x, y of any shape [...]", 14, {});
  add("LeakyRelu", "y = x, or alpha * x for x < 0; x, y of any shape [...]", 6, {{kReal, "alpha"}});
  add("Mish", "y = x * tanh(log(1 + e^x)) for x, y of any shape [...]", 18, {});
  add("Relu", "y = max(0, x) for x, y of any shape [...]", 6, {});
  add("Selu", "y = gamma * (x, or alpha * (e^x - 1) for x < 0); x, y of any shape [...]", 6,
      {{kReal, "alpha"}, {kReal, "gamma"}});
  add("Shrink",
      "y = x + bias below -lambd, x - bias above lambd, 0 between; x, y of any shape [...]", 9,
      {{kReal, "bias"}, {kReal, "lambd"}});
  add("Sigmoid", "y = 1 / (1 + e^-x) for x, y of any shape [...]", 6, {});
  add("Softplus", "y = log(1 + e^x) for x, y of any shape [...]", 1, {});
  add("Softsign", "y = x / (1 + |x|) for x, y of any shape [...]", 1, {});
  add("Swish", "y = x / (1 + e^(-alpha * x)) for x, y of any shape [...]", 24, {{kReal, "alpha"}});
  add("Tanh", "y = tanh(x) for x, y of any shape [...]", 6, {});
  add("ThresholdedRelu", "y = x above alpha, else 0; x, y of any shape [...]", 10,
      {{kReal, "alpha"}});
  ops.push_back(elementwise_def(
      "Gelu",
      "y = x * (the normal distribution up to x), exactly or by tanh; x, y of any shape [...]", 1,
      1, 20, gelu_steps, {{AttributeDef::text, "approximate"}}));
}

}  // namespace

void append_unary(OpList& ops) {
  append_math(ops);
  append_activation(ops);
}

}  // namespace macec
