// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cast, CastLike, and Dropout (which does nothing at inference).
#include "compiler/ops/groups.h"

namespace macec {
namespace {

void cast_to(StepBuilder& b, DType to) {
  const DTypeInfo& type = info(to);
  if (!type.is_float && !type.is_integer && to != DType::boolean)
    throw user_error("{} to {} is not supported", b.node.op, type.name);
  const StepArg x = b.in(0);
  if (b.type(x) == to) return b.result(x);
  Attributes attributes;
  if (b.node.has_attribute("saturate"))
    attributes["saturate"] = b.node.int_attribute("saturate", 1);
  const std::string rounding = b.node.string_attribute("round_mode", "up");
  if (rounding != "up" && rounding != "down" && rounding != "nearest") {
    throw user_error("attribute round_mode is '{}', not up, down or nearest", rounding);
  }
  attributes["rounding"] = int64_t{rounding == "nearest" ? 0 : rounding == "up" ? 1 : 2};
  const StepArg y = b.add("Cast", {x}, std::move(attributes));
  b.steps.back().dtype = to;
  b.result(y);
}

void cast_steps(StepBuilder& b) {
  const int64_t to = b.node.int_attribute("to", 0);
  const DTypeInfo* type = to > 0 && to < 1000 ? find_dtype(static_cast<int>(to)) : nullptr;
  if (!type) throw user_error("attribute to is {}, which is no element type", to);
  cast_to(b, type->dtype);
}

void cast_like_steps(StepBuilder& b) {
  cast_to(b, b.type(b.in(1)));
}

// --- Dropout
// ------------------------------------------------------------------------------------------------------------

constexpr const char* kNumberMask = "mask_of_numbers";  // set where the mask has the type of x

void dropout_steps(StepBuilder& b) {
  b.result(b.in(0));
  if (b.node.outputs.size() < 2) return;
  StepArg mask = b.add("True", {b.in(0)});
  if (b.node.has_attribute(kNumberMask)) {
    mask = b.add("Cast", {mask});
    b.steps.back().dtype = b.type(b.in(0));
  }
  b.result(mask);
}

// Training is refused, unless it drops nothing.
void check_dropout(const Graph& graph, const Node& node) {
  auto constant = [&](size_t i) {
    return i < node.inputs.size() && node.inputs[i].is_valid()
               ? graph.value(node.inputs[i]).constant.get()
               : nullptr;
  };
  if (node.inputs.size() < 3 || !node.inputs[2].is_valid()) return;
  const Tensor* training = constant(2);
  if (!training) throw user_error("Dropout whose training_mode is not constant is not supported");
  if (training->count() == 1 && training->i64(0) == 0) return;
  const Tensor* ratio = constant(1);
  if (ratio && ratio->count() == 1 && ratio->f64(0) == 0) return;
  throw user_error("Dropout in training mode is not supported")
      .hint("export the model for inference (model.eval() in PyTorch)");
}

// The mark is declared as an attribute, but no file may set it.
void import_dropout(ImportContext& c) {
  if (c.node.has_attribute(kNumberMask))
    throw user_error("Dropout has no attribute '{}'", kNumberMask);
}
// Opsets 7 to 11: the ratio is an attribute, and there is no training.
void import_old_dropout(ImportContext& c) {
  import_dropout(c);
  c.node.attributes.erase("ratio");
  if (c.opset < 10) c.node.attributes[kNumberMask] = int64_t{1};
}

OpDef dropout_def() {
  OpDef def = elementwise_def(
      "Dropout", "y = x at inference, mask all true; x, y, mask of any shape [...]", 1, 3, 7,
      dropout_steps, {{AttributeDef::integer, "seed"}, {AttributeDef::integer, kNumberMask}});
  def.max_outputs = 2;
  def.versions = {{"", "Dropout", 7, 11, import_old_dropout},
                  {"", "Dropout", 12, kLatestOpset, import_dropout}};
  def.check = check_dropout;
  return def;
}

}  // namespace

void append_cast(OpList& ops) {
  const AttributeDef saturate = {AttributeDef::integer, "saturate"},
                     round = {AttributeDef::text, "round_mode"};
  ops.push_back(elementwise_def("Cast", "y = x in element type `to`, for x, y of any shape [...]",
                                1, 1, 6, cast_steps,
                                {{AttributeDef::integer, "to", true}, saturate, round}));
  ops.push_back(elementwise_def(
      "CastLike", "y = x in the element type of the second input, for x, y of any shape [...]", 2,
      2, 15, cast_like_steps, {saturate, round}));
  ops.push_back(dropout_def());
}

}  // namespace macec
