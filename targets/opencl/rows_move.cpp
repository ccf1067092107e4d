// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills: elements of 1, 2, 4 or 8 bytes move unchanged.
//
// Elements in memory go as integers of their size, so every type will do; only what is in an image,
// and what float32 there is, goes as floats.
#include "targets/opencl/expression.h"
#include "targets/opencl/nest.h"

namespace macec {
namespace {

std::string refuses_move(const KernelCall& call, const GpuCapabilities&) {
  const int bits = info(call.outputs[0].dtype).bits;
  if (bits < 8 || bits > 64) return fmt::format("elements of {}", name(call.outputs[0].dtype));
  return refuses_nest(call);
}

// The nest of a copy: operand 0 is x, 1 is y. Axes end at rows of images.
GpuNest copy_nest(const KernelCall& call, const GpuStorage& storage) {
  const auto& p = std::get<CopyParamsT<Dim>>(call.params);
  GpuNest nest(p.rank, p.extent);
  nest.add(p.x_stride);
  nest.add(p.y_stride);
  const View* views[] = {&call.inputs[0], &call.outputs[0]};
  for (size_t o = 0; o < 2; ++o) {
    const int64_t row = storage.image_row(views[o]->buffer);
    if (row > 0) nest.split_at_rows(o, row);
  }
  return nest;
}

bool is_image(const GpuStorage& storage, const View& view) {
  return storage.image_row(view.buffer) > 0;
}

// The axis other than the last that is dense in x, for a transposition; -1: none.
int dense_axis(const GpuNest& nest) {
  if (nest.rank() < 2 || nest.inner(1) != 1 || nest.inner(0) == 1 || nest.inner(0) == 0) return -1;
  if (nest.inner_extent() % 4 != 0) return -1;
  for (size_t a = 0; a + 1 < nest.rank(); ++a)
    if (nest.stride[0][a] == 1 && nest.extent[a] % 4 == 0) return static_cast<int>(a);
  return -1;
}

void specialise_transpose(const GpuNest& nest, size_t dense, const View& x, const View& y,
                          LaunchList& list) {
  LaunchBuilder b(list, "opencl/transpose.cl");
  b.read("X", x, Access::vectors);
  b.write("Y", y, Access::vectors);
  b.inner("X", 4);
  b.inner("Y", 4);
  std::vector<int64_t> steps(nest.rank(), 1);
  steps[dense] = steps.back() = 4;
  define_nest(b, nest, {"X", "Y"}, steps);
  b.stride("X_ACROSS", nest.inner(0), 4);
  b.stride("Y_ACROSS", nest.stride[1][dense], 4);
  b.define_text("TYPE4",
                x.dtype == DType::float16 ? "float4" : fmt::format("{}4", opencl_type(x.dtype)));
  b.cost(0, touched_bytes({x, y}));
  b.done();
}

void specialise_copy(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  const GpuNest nest = copy_nest(call, list.storage());
  View x = call.inputs[0], y = call.outputs[0];
  if (!is_image(list.storage(), x) && !is_image(list.storage(), y))
    x.dtype = y.dtype = moved_type(y.dtype);
  const int dense = dense_axis(nest);
  if (dense >= 0) return specialise_transpose(nest, static_cast<size_t>(dense), x, y, list);
  const bool is_vector = nest.inner_extent() % 4 == 0 && nest.inner(1) == 1 && nest.inner(0) <= 1 &&
                         nest.inner(0) >= 0;
  const bool is_splat = nest.inner(0) == 0;
  LaunchBuilder b(list, "opencl/copy.cl");
  b.read("X", x, is_vector && !is_splat ? Access::vectors : Access::elements);
  b.write("Y", y, is_vector ? Access::vectors : Access::elements);
  if (is_vector && !is_splat) b.inner("X", 4);
  if (is_vector) b.inner("Y", 4);
  define_nest(b, nest, {"X", "Y"}, is_vector ? 4 : 1);
  b.define("WIDTH", is_vector ? 4 : 1);
  const std::string type = x.dtype == DType::float16 ? "float" : opencl_type(x.dtype);
  b.define_text("VALUE", !is_vector ? "X1(X_ROW, X_AT)"
                         : is_splat ? fmt::format("(({}4)(X1(X_ROW, X_AT)))", type)
                                    : "X4(X_ROW, X_AT)");
  b.cost(0, touched_bytes({x, y}));
  b.done();
}

void specialise_fill(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  const auto& p = std::get<FillParamsT<Dim>>(call.params);
  GpuNest nest(p.rank, p.extent);
  nest.add(p.y_stride);
  View x = call.inputs[0], y = call.outputs[0];
  const int64_t row = list.storage().image_row(y.buffer);
  if (row > 0) nest.split_at_rows(0, row);
  if (row == 0 && !is_image(list.storage(), x)) x.dtype = y.dtype = moved_type(y.dtype);
  const bool is_vector = nest.inner_extent() % 4 == 0 && nest.inner(0) == 1;
  LaunchBuilder b(list, "opencl/copy.cl");
  const bool is_number = x.constant != nullptr;
  if (!is_number) b.read("X", x, Access::elements);
  b.write("Y", y, is_vector ? Access::vectors : Access::elements);
  if (is_vector) b.inner("Y", 4);
  define_nest(b, nest, {"Y"}, is_vector ? 4 : 1);
  b.define("WIDTH", is_vector ? 4 : 1);
  const std::string one = is_number ? literal_of(*x.constant, y.dtype) : "X1(0, 0)";
  const std::string type = y.dtype == DType::float16 ? "float" : opencl_type(y.dtype);
  b.define_text("VALUE", is_vector ? fmt::format("(({}4)({}))", type, one) : one);
  b.cost(0, touched_bytes({y}));
  b.done();
}

}  // namespace

void append_gpu_move_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"copy", "strided copy: transpose, slice, concat, expand", Family::copy,
                  "opencl/copy.cl", refuses_move, 0.3, nullptr, specialise_copy, false});
  rows.push_back({"fill", "one value everywhere", Family::fill, "opencl/copy.cl", refuses_move, 0.3,
                  nullptr, specialise_fill, false});
}

}  // namespace macec
