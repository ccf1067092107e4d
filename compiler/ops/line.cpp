// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/line.h"

#include <algorithm>

#include "compiler/ops/lowering.h"
#include "compiler/support/error.h"

namespace macec {

KernelCall line_call(const char* op, const View& x, const View& y, size_t axis, const View& z) {
  Shape shape = y.shape;
  if (!shape.empty()) shape[axis] = 1;
  const bool has_z = z.buffer >= 0 || z.constant;
  const LoopNest nest = make_nest(
      shape, {x.strides, y.strides, has_z ? z.strides : std::vector<Dim>(shape.size())}, 1);
  LineParamsT<Dim> p{};
  p.rank = static_cast<int>(nest.extent.size());
  std::copy(nest.extent.begin(), nest.extent.end(), p.extent);
  std::copy(nest.strides[0].begin(), nest.strides[0].end(), p.x_stride);
  std::copy(nest.strides[1].begin(), nest.strides[1].end(), p.y_stride);
  std::copy(nest.strides[2].begin(), nest.strides[2].end(), p.z_stride);
  p.n = p.m = p.x_step = p.y_step = 1;
  if (!shape.empty()) {
    p.n = x.shape[axis];
    p.m = y.shape[axis];
    p.x_step = x.strides[axis];
    p.y_step = y.strides[axis];
  }
  KernelCall call = make_call(Family::line, {x}, {y});
  if (has_z) {
    call.inputs.push_back(z);
    call.constant_uses.resize(2);
  }
  call.op = op;
  call.units = product(shape);
  call.elements = static_cast<double>((call.units * p.n).hi());
  call.params = std::move(p);
  return call;
}

LineParamsT<Dim>& line_params(KernelCall* call) {
  return std::get<LineParamsT<Dim>>(call->params);
}

Lines::Lines(const std::vector<int64_t>& shape, size_t axis) {
  for (size_t a = 0; a < shape.size(); ++a) {
    if (a != axis) count *= shape[a];
    if (a > axis) step *= shape[a];
  }
  if (axis < shape.size()) n = shape[axis];
}

void check_line_type(const Node& node, DType dtype, bool only_floats) {
  const DTypeInfo& type = info(dtype);
  const bool is_real = type.is_float && type.bits >= 16;
  if (!is_real && (only_floats || !type.is_integer || type.bits < 8))
    throw user_error("{} of {} is not supported", node.op, type.name);
}

}  // namespace macec
