// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shape and Size: extents as tensors. They read no data; what they say is known when types are, so
// they rarely reach a plan. Where they do (their result is an output of the model), they are
// written number by number.
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"

namespace macec {
namespace {

Shape part_of_shape(const Node& node, const Shape& x) {
  int64_t rank = static_cast<int64_t>(x.size());
  auto clamped = [&](int64_t axis) {
    if (axis < 0) axis += rank;
    return std::min(std::max<int64_t>(axis, 0), rank);
  };
  int64_t start = clamped(node.int_attribute("start", 0));
  int64_t end = clamped(node.int_attribute("end", rank));
  return start < end ? Shape(x.begin() + start, x.begin() + end) : Shape();
}

void infer_shape(InferContext& context) {
  Shape part = part_of_shape(context.node, context.shape(0));
  context.set_type(0, DType::int64, {Dim(static_cast<int64_t>(part.size()))});
  context.set_known(0, part);
}

void evaluate_shape(EvaluateContext& context) {
  Shape part = part_of_shape(context.node, to_shape(context.in(0).shape));
  context.outputs[0] = Tensor::vector_i64(fixed(part));
}

void infer_size(InferContext& context) {
  context.set_type(0, DType::int64, {});
  context.set_known(0, {product(context.shape(0))});
}

void evaluate_size(EvaluateContext& context) {
  context.outputs[0] = Tensor::scalar_i64(context.in(0).count());
}

// One call of the iota family for each number.
Lowered lower_extents(const LowerContext& context) {
  const View& y = context.out(0);
  const std::vector<Dim> extents = *known_elements(context.graph, context.node.outputs[0]);
  Lowered calls;
  for (size_t i = 0; i < extents.size(); ++i) {
    View element = y;
    if (y.rank() == 1) element.offset += Dim(static_cast<int64_t>(i)) * y.strides[0];
    element.shape.clear();
    element.strides.clear();
    KernelCall call = make_call(Family::iota, {}, {element});
    call.op = "extent";
    call.params = IotaParamsT<Dim>{extents[i]};
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace

void append_shape(OpList& ops) {
  OpDef shape;
  shape.name = "Shape";
  shape.doc = "The extents of x from axis start to end as int64[axes].";
  shape.min_inputs = shape.max_inputs = 1;
  shape.min_outputs = shape.max_outputs = 1;
  shape.attributes = {{AttributeDef::integer, "end"}, {AttributeDef::integer, "start"}};
  shape.versions = {{"", "Shape", kOldestOpset, kLatestOpset, nullptr}};
  shape.traits = kShapeOnly;
  shape.infer = infer_shape;
  shape.evaluate = evaluate_shape;
  shape.lower = lower_extents;
  ops.push_back(shape);

  OpDef size = shape;
  size.name = "Size";
  size.doc = "The number of elements of x as an int64 scalar.";
  size.attributes.clear();
  size.versions = {{"", "Size", kOldestOpset, kLatestOpset, nullptr}};
  size.infer = infer_size;
  size.evaluate = evaluate_size;
  ops.push_back(size);
}

}  // namespace macec
