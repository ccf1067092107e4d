// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Extents: integers that shapes depend on and that only a run knows, as extents.
//
//   %k: int64[2] = ...                       --bound k=16
//   %k': int64[2] = Extents(%k) {bound = 16}           contents of %k': [k.1, k.2], each 0..16
//   %y = Expand(%x, %k')                               float32[k.1, k.2]
//
// Import puts it behind values that --bound names (compiler/onnx/extents.cpp). A run reads the
// numbers as soon as they are there, and ends with MACEC_E_RANGE if one is out of bounds.
#include "compiler/ops/bodies.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

void infer_extents(InferContext& context) {
  const TensorType& x = context.type(0);
  MACEC_CHECK(x.dtype == DType::int64 && is_fixed(x.shape), "Extents of {}", text(x));
  context.set_type(0, x.dtype, x.shape);
  const Value& out = context.graph.value(context.node.outputs[0]);
  const auto count = static_cast<size_t>(product(x.shape).value());
  if (out.known && out.known->size() == count) {  // symbols of an earlier inference
    context.set_known(0, *out.known);
    return;
  }
  std::vector<Dim> elements;
  const int64_t bound = context.node.int_attribute("bound", 0);
  for (size_t i = 0; i < count; ++i) elements.push_back(context.computed(out.name, 0, bound));
  context.set_known(0, std::move(elements));
}

void evaluate_extents(EvaluateContext& context) {
  const int64_t bound = context.node.int_attribute("bound", 0);
  for (int64_t i = 0; i < context.in(0).count(); ++i)
    if (context.in(0).i64(i) < 0 || context.in(0).i64(i) > bound)
      throw user_error("element {} is {}, and --bound says 0 to {}", i, context.in(0).i64(i),
                       bound);
  context.outputs[0] = context.in(0);
}

}  // namespace

void append_extents(OpList& ops) {
  OpDef def{};
  def.name = kExtentsOp;
  def.doc = "Integers [...] of a run as extents that shapes may depend on, each 0 to a bound.";
  def.min_inputs = def.max_inputs = def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "bound", true}};
  def.traits = kEndsRun;
  def.infer = infer_extents;
  def.evaluate = evaluate_extents;
  ops.push_back(std::move(def));
}

}  // namespace macec
