// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements picked by indices of a run. Gather is the nest [outer][index][inner] with one part; so one
// template serves all three operators.
#include "targets/opencl/expression.h"
#include "targets/opencl/nest.h"

namespace macec {
namespace {

// Operands of the nest: x without the picked axes, indices, y.
struct Picks {
  GpuNest nest;
  std::vector<Dim> extent, stride;  // of x along the picked axes
  Dim part;                         // from one index of a tuple to the next
};

Picks picks_of(const KernelCall& call) {
  if (const auto* p = std::get_if<GatherParamsT<Dim>>(&call.params)) {
    const Dim extents[] = {p->outer, p->indices, p->inner};
    const Dim x[] = {p->x_outer, 0, 1}, i[] = {0, 1, 0}, y[] = {p->y_outer, p->y_index, 1};
    Picks picks{GpuNest(3, extents), {p->extent}, {p->x_axis}, 0};
    for (const Dim* strides : {x, i, y}) picks.nest.add(strides);
    return picks;
  }
  const auto& p = std::get<GatherNestParamsT<Dim>>(call.params);
  Picks picks{GpuNest(p.rank, p.extent),
              {p.part_extent, p.part_extent + p.parts},
              {p.part_stride, p.part_stride + p.parts},
              p.i_part};
  for (const Dim* strides : {p.x_stride, p.i_stride, p.y_stride}) picks.nest.add(strides);
  return picks;
}

std::string refuses_gather(const KernelCall& call, const GpuCapabilities&) {
  const int bits = info(call.outputs[0].dtype).bits;
  if (call.op.substr(0, 7) == "scatter") return "results that depend on an order";
  if (bits < 8 || bits > 64) return fmt::format("elements of {}", name(call.outputs[0].dtype));
  return refuses_nest(call);
}

void specialise_gather(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  Picks picks = picks_of(call);
  GpuNest& nest = picks.nest;
  View x = call.inputs[0], y = call.outputs[0];
  const View& indices = call.inputs[1];
  const int64_t x_row = list.storage().image_row(x.buffer),
                y_row = list.storage().image_row(y.buffer);
  if (x_row > 0) nest.split_at_rows(0, x_row);
  if (y_row > 0) nest.split_at_rows(2, y_row);
  if (x_row == 0 && y_row == 0) x.dtype = y.dtype = moved_type(y.dtype);
  const bool is_vector = nest.rank() > 0 && nest.inner_extent() % 4 == 0 && nest.inner(0) == 1 &&
                         nest.inner(1) == 0 && nest.inner(2) == 1;
  const Access access = is_vector ? Access::vectors : Access::elements;
  LaunchBuilder b(list, "opencl/gather.cl");
  b.read("X", x, access);
  b.read("I", indices, Access::elements);
  b.write("Y", y, access);
  if (is_vector) b.inner("X", 4), b.inner("Y", 4);
  define_nest(b, nest, {"X", "I", "Y"}, is_vector ? 4 : 1);
  b.stride("I_PART", picks.part, static_cast<int64_t>(picks.extent.size()));
  std::string parts;
  for (size_t p = 0; p < picks.extent.size(); ++p) {
    const std::string part = fmt::format("X_PART{}", p);
    b.define(part + "_EXTENT", picks.extent[p]);
    b.stride(part, picks.stride[p], picks.extent[p]);
    parts += fmt::format("{}PICK({})", p ? " " : "", p);
  }
  b.define_text("PICKS", parts);
  b.define_text("INDEX", opencl_type(indices.dtype));
  b.define("WIDTH", is_vector ? 4 : 1);
  b.problems();
  b.cost(0, touched_bytes({y, y, indices}));
  b.done();
}

}  // namespace

void append_gpu_gather_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gather", "slices or elements by run-time indices", Family::gather,
                  "opencl/gather.cl", refuses_gather, 0.3, nullptr, specialise_gather, false});
}

}  // namespace macec
