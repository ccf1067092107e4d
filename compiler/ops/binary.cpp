// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise operators of several inputs, with numpy broadcasting: arithmetic, comparisons, logic,
// Where, Clip.
#include "compiler/ops/groups.h"

namespace macec {
namespace {

// x^2 and x^3 as products; an exponent of another type is converted: the result has the base's
// type.
void pow_steps(StepBuilder& b) {
  const StepArg x = b.in(0), n = b.in(1);
  const DType base = b.type(x), exponent = b.type(n);
  const Tensor* constant = b.constants[1];
  if (constant && constant->count() == 1 && constant->rank() == 0) {
    const double value = constant->f64(0);
    if (value == 1) return b.result(x);
    if (value == 2) return b.result(b.add("Mul", {x, x}));
    if (value == 3) return b.result(b.add("Mul", {b.add("Mul", {x, x}), x}));
  }
  if (info(base).is_float) return b.result(b.add("Pow", {x, b.cast(n, base)}));
  if (!info(base).is_integer) throw user_error("Pow of {} is not supported", name(base));
  const DType wide = info(exponent).is_float ? DType::float64 : DType::int64;
  if (base == exponent) return b.result(b.add("Pow", {x, n}));
  const StepArg wide_x = b.cast(x, wide), wide_n = b.cast(n, wide);
  b.result(b.cast(b.add("Pow", {wide_x, wide_n}), base));
}

void mod_steps(StepBuilder& b) {
  const bool is_fmod = b.node.int_attribute("fmod", 0) != 0;
  b.result(b.add(is_fmod ? "Fmod" : "Mod", {b.in(0), b.in(1)}));
}

void shift_steps(StepBuilder& b) {
  const std::string direction = b.node.string_attribute("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    throw user_error("attribute direction is '{}', not LEFT or RIGHT", direction);
  b.result(b.add(direction == "LEFT" ? "ShiftLeft" : "ShiftRight", {b.in(0), b.in(1)}));
}

StepArg folded(StepBuilder& b, const char* step) {
  StepArg total = b.in(0);
  for (int i = 1; i < static_cast<int>(b.types.size()); ++i) total = b.add(step, {total, b.in(i)});
  return total;
}
void sum_steps(StepBuilder& b) {
  b.result(folded(b, "Add"));
}
void min_max_steps(StepBuilder& b) {
  b.result(folded(b, b.node.op.c_str()));
}
void mean_steps(StepBuilder& b) {
  const StepArg total = folded(b, "Add");
  if (b.types.size() == 1) return b.result(total);
  b.result(b.add("DivideBy", {total}, {{"divisor", static_cast<float>(b.types.size())}}));
}

void clip_steps(StepBuilder& b) {
  const bool has_lo = b.has(1), has_hi = b.has(2);
  if (has_lo && has_hi) return b.result(b.add("Clip", {b.in(0), b.in(1), b.in(2)}));
  if (has_lo) return b.result(b.add("Max", {b.in(0), b.in(1)}));
  if (has_hi) return b.result(b.add("Min", {b.in(0), b.in(2)}));
  b.result(b.in(0));
}

// More inputs than a kernel takes: Sum(a, b, c, d, ...) = Sum(Sum(a, b), Sum(c, d), ...), and so Max and Min.
void import_many(ImportContext& c) {
  constexpr size_t kMostInputs = 8;
  Node& node = c.node;
  std::vector<ValueId>& inputs = node.inputs;
  const size_t count = inputs.size();
  if (count <= kMostInputs) return;
  const bool is_mean = node.op == "Mean";
  const std::string op = is_mean ? "Sum" : node.op;
  const DType dtype = c.graph.type(inputs[0]).dtype;
  while (inputs.size() > kMostInputs) {
    std::vector<ValueId> parts;
    for (size_t i = 0; i < inputs.size(); i += kMostInputs) {
      const size_t end = std::min(i + kMostInputs, inputs.size());
      const std::vector<ValueId> part(inputs.begin() + static_cast<std::ptrdiff_t>(i),
                                      inputs.begin() + static_cast<std::ptrdiff_t>(end));
      parts.push_back(part.size() == 1 ? part[0] : c.add(op.c_str(), part));
    }
    inputs = std::move(parts);
  }
  if (!is_mean) return;
  Tensor divisor(dtype, {});
  divisor.set_f64(0, static_cast<double>(count));
  node.op = "Div";
  node.def = find_op("Div");
  node.inputs = {c.add("Sum", inputs), c.constant("count", std::move(divisor))};
}

// Opsets 6 to 10: limits are attributes.
void import_clip(ImportContext& c) {
  c.node.inputs.resize(3);
  const char* names[] = {"min", "max"};
  const DType dtype = c.graph.type(c.node.inputs[0]).dtype;
  for (int i = 0; i < 2; ++i) {
    if (!c.node.has_attribute(names[i])) continue;
    Tensor limit(dtype == DType::undefined ? DType::float32 : dtype, {});
    limit.set_f64(0, static_cast<double>(c.node.float_attribute(names[i], 0)));
    c.node.inputs[static_cast<size_t>(i) + 1] = c.constant(names[i], std::move(limit));
    c.node.attributes.erase(names[i]);
  }
}

OpDef clip_def() {
  OpDef def = elementwise_def(
      "Clip", "y = x limited to min..max (max wins where they cross); x, y [...], min, max []", 1,
      3, 11, clip_steps);
  def.versions = {{"", "Clip", 7, 10, import_clip}, {"", "Clip", 11, kLatestOpset, nullptr}};
  return def;
}

void append_arithmetic(OpList& ops) {
  auto add = [&](const char* name, const char* doc, int first, void (*steps)(StepBuilder&),
                 std::vector<AttributeDef> attributes) {
    ops.push_back(elementwise_def(name, doc, 2, 2, first, steps, std::move(attributes)));
  };
  add("Add", "c = a + b for a, b of shapes that broadcast to c [...]", 7, same_step, {});
  add("Sub", "c = a - b for a, b of shapes that broadcast to c [...]", 7, same_step, {});
  add("Mul", "c = a * b for a, b of shapes that broadcast to c [...]", 7, same_step, {});
  add("Div",
      "c = a / b for a, b of shapes that broadcast to c [...]; integers truncate toward zero", 7,
      same_step, {});
  add("Mod", "c = a modulo b with the sign of b (fmod: of a), for a, b that broadcast to c [...]",
      10, mod_steps, {{AttributeDef::integer, "fmod"}});
  add("Pow", "c = a^b in a's type, for a, b of shapes that broadcast to c [...]", 7, pow_steps, {});
  add("PRelu", "y = x, or slope * x for x < 0; slope broadcasts to x, y [...]", 7, same_step, {});
  add("BitShift", "c = a shifted by b bits, for a, b of shapes that broadcast to c [...]", 11,
      shift_steps, {{AttributeDef::text, "direction", true}});
  add("BitwiseAnd", "c = the bits set in a and b, for shapes that broadcast to c [...]", 18,
      same_step, {});
  add("BitwiseOr", "c = the bits set in a or b, for shapes that broadcast to c [...]", 18,
      same_step, {});
  add("BitwiseXor", "c = the bits set in one of a and b, for shapes that broadcast to c [...]", 18,
      same_step, {});
  auto any = [&](const char* name, const char* doc, void (*steps)(StepBuilder&)) {
    ops.push_back(elementwise_def(name, doc, 1, -1, 8, steps));
    ops.back().versions[0].first = kOldestOpset;
    ops.back().versions[0].importer = import_many;
  };
  any("Max", "y = the greatest of all inputs, whose shapes broadcast to y [...]; a NaN wins",
      min_max_steps);
  any("Min", "y = the least of all inputs, whose shapes broadcast to y [...]; a NaN wins",
      min_max_steps);
  any("Sum", "y = the sum of all inputs, whose shapes broadcast to y [...]", sum_steps);
  any("Mean", "y = the mean of all inputs, whose shapes broadcast to y [...]", mean_steps);
  ops.push_back(clip_def());
}

void append_logic(OpList& ops) {
  auto add = [&](const char* name, const char* doc, int first) {
    ops.push_back(elementwise_def(name, doc, 2, 2, first, same_step));
  };
  add("And", "c = a and b for bool a, b of shapes that broadcast to c [...]", 7);
  add("Or", "c = a or b for bool a, b of shapes that broadcast to c [...]", 7);
  add("Xor", "c = whether bool a and b differ, for shapes that broadcast to c [...]", 7);
  add("Equal", "c = whether a == b, for a, b of shapes that broadcast to bool c [...]", 7);
  add("Less", "c = whether a < b, for a, b of shapes that broadcast to bool c [...]", 7);
  add("LessOrEqual", "c = whether a <= b, for a, b of shapes that broadcast to bool c [...]", 12);
  add("Greater", "c = whether a > b, for a, b of shapes that broadcast to bool c [...]", 7);
  add("GreaterOrEqual", "c = whether a >= b, for a, b of shapes that broadcast to bool c [...]",
      12);
  ops.push_back(elementwise_def(
      "Where", "y = a where the bool condition holds, else b; all broadcast to y [...]", 3, 3, 9,
      same_step));
}

}  // namespace

void append_binary(OpList& ops) {
  append_arithmetic(ops);
  append_logic(ops);
}

}  // namespace macec
