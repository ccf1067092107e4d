// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxUnpool, written as ScatterElements into zeros: every element of x goes where its index says, in
// the tensor that MaxPool had, seen as one axis. A larger output_shape adds zeros behind it.
#include <algorithm>

#include "compiler/ops/expand.h"
#include "compiler/ops/line.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// The shape of what was pooled.
std::vector<int64_t> unpooled(const Node& node, const Shape& x) {
  if (!is_fixed(x))
    throw user_error("MaxUnpool of varying sizes ({}) is not supported", text(x))
        .hint("give the dimensions one size: --dim NAME=N");
  std::vector<int64_t> y = fixed(x);
  const std::vector<int64_t> kernel = node.ints_attribute("kernel_shape");
  const size_t axes = kernel.size();
  if (x.size() < 3 || axes != x.size() - 2)
    throw user_error("a window of {} axes for an input {}", axes, text(x));
  const std::vector<int64_t> strides =
      node.ints_attribute("strides", std::vector<int64_t>(axes, 1));
  const std::vector<int64_t> pads = node.ints_attribute("pads", std::vector<int64_t>(2 * axes, 0));
  if (strides.size() != axes || pads.size() != 2 * axes)
    throw user_error("{} strides and {} pads for {} axes", strides.size(), pads.size(), axes);
  for (size_t a = 0; a < axes; ++a) {
    y[a + 2] = (y[a + 2] - 1) * strides[a] - pads[a] - pads[a + axes] + kernel[a];
    if (y[a + 2] < 0) throw user_error("axis {} of the output has {} elements", a + 2, y[a + 2]);
  }
  return y;
}

void infer_unpool(InferContext& context) {
  const TensorType &x = context.type(0), &indices = context.type(1);
  check_line_type(context.node, x.dtype, true);
  if (indices.dtype != DType::int64 || indices.shape != x.shape)
    throw user_error("indices are {}, not int64{}", text(indices), text(x.shape));
  std::vector<int64_t> y = unpooled(context.node, x.shape);
  if (context.has(2)) {
    const std::vector<int64_t> wanted = require_numbers(context, 2, "output_shape");
    bool fits = wanted.size() == y.size();
    for (size_t a = 0; fits && a < y.size(); ++a) fits = wanted[a] >= y[a];
    if (!fits)
      throw user_error("output_shape {} is not as large as what was pooled, {}",
                       text(to_shape(wanted)), text(to_shape(y)));
    y = wanted;
  }
  context.set_type(0, x.dtype, to_shape(y));
}

void expand_unpool(Expander& e) {
  const std::vector<int64_t> shape = unpooled(e.node(), e.shape(e.in(0)));
  const std::vector<int64_t> wanted = fixed(e.shape(e.node().outputs[0]));
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  const auto vector = [&](const std::vector<int64_t>& v) {
    return e.constant(Tensor::vector_i64(v));
  };
  const auto flat = [&](ValueId v) { return e.add("Reshape", {v, vector({-1})}); };
  const ValueId zero = e.constant(Tensor(e.dtype(e.in(0)), {1}));
  const ValueId zeros = e.add("Expand", {zero, vector({count})});
  const ValueId all =
      e.add("ScatterElements", {zeros, flat(e.in(1)), flat(e.in(0))}, {{"axis", int64_t{0}}});
  ValueId y = e.add("Reshape", {all, vector(shape)});
  if (wanted != shape) {
    std::vector<int64_t> pads(2 * shape.size(), 0);
    for (size_t a = 0; a < shape.size(); ++a) pads[shape.size() + a] = wanted[a] - shape[a];
    y = e.add("Pad", {y, vector(pads)});
  }
  e.result(0, y);
}

}  // namespace

void append_max_unpool(OpList& ops) {
  OpDef def{};
  def.name = "MaxUnpool";
  def.doc =
      "The elements of x [N, C, spatial...] where MaxPool found them, zeros elsewhere; indices "
      "int64 of the shape of x";
  def.min_inputs = 2;
  def.max_inputs = 3;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integers, "kernel_shape", true},
                    {AttributeDef::integers, "pads"},
                    {AttributeDef::integers, "strides"}};
  def.versions = {{"", "MaxUnpool", 9, kLatestOpset, nullptr}};
  def.shape_inputs = 1u << 2;
  def.infer = infer_unpool;
  def.evaluate = evaluate_expanded;
  def.expand = expand_unpool;
  ops.push_back(std::move(def));
}

}  // namespace macec
