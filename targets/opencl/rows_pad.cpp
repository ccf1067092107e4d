// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad, and sequences of numbers.
#include "targets/opencl/expression.h"
#include "targets/opencl/nest.h"

namespace macec {
namespace {

std::string refuses_pad(const KernelCall& call, const GpuCapabilities&) {
  const int bits = info(call.outputs[0].dtype).bits;
  if (bits < 8 || bits > 64) return fmt::format("elements of {}", name(call.outputs[0].dtype));
  return refuses_nest(call);
}

// Statements that set s<axis>, an index into x, from i<axis>, one into y.
std::string source_of(int mode, size_t axis, int64_t begin, int64_t in) {
  const std::string i = fmt::format("i{} - {}", axis, begin);
  switch (mode) {
    case kPadConstant:
      return fmt::format("const int s{0} = {1}; is_inside = is_inside && s{0} >= 0 && s{0} < {2}; ",
                         axis, i, in);
    case kPadEdge:
      return fmt::format("const int s{} = clamp({}, 0, {}); ", axis, i, in - 1);
    case kPadWrap:
      return fmt::format("const int s{0} = (({1}) % {2} + {2}) % {2}; ", axis, i, in);
    default:
      break;
  }
  const int64_t period = in > 1 ? 2 * (in - 1) : 1;  // mirrored at 0, then at in - 1
  return fmt::format(
      "const int t{0} = (int)abs({1}) % {2}, s{0} = t{0} < {3} ? t{0} : {2} - t{0}; ", axis, i,
      period, in);
}

struct PadAxis {
  int64_t in, out, begin, x_stride, y_stride;
  bool is_padded() const { return in != out || begin != 0; }
};

// Cuts axes at rows of `row` elements of an image, where the padding is whole rows.
void split_at_rows(std::vector<PadAxis>& axes, int64_t PadAxis::*stride, int64_t row) {
  for (size_t a = 0; a < axes.size(); ++a) {
    const PadAxis whole = axes[a];
    if (whole.*stride <= 0 || row % (whole.*stride) != 0) continue;
    const int64_t n = row / (whole.*stride);
    if (n <= 1 || whole.out <= n || whole.out % n || whole.in % n || whole.begin % n) continue;
    axes[a] = {n, n, 0, whole.x_stride, whole.y_stride};
    axes.insert(
        axes.begin() + static_cast<std::ptrdiff_t>(a),
        {whole.in / n, whole.out / n, whole.begin / n, whole.x_stride * n, whole.y_stride * n});
    ++a;
  }
}

std::vector<PadAxis> pad_axes(const KernelCall& call, const GpuStorage& storage) {
  const auto& p = std::get<PadParamsT<Dim>>(call.params);
  std::vector<PadAxis> axes;
  for (int a = 0; a < p.rank; ++a)
    axes.push_back({p.in[a].value(), p.out[a].value(), p.begin[a].value(), p.x_stride[a].value(),
                    p.y_stride[a].value()});
  const int64_t x_row = storage.image_row(call.inputs[0].buffer),
                y_row = storage.image_row(call.outputs[0].buffer);
  if (x_row > 0) split_at_rows(axes, &PadAxis::x_stride, x_row);
  if (y_row > 0) split_at_rows(axes, &PadAxis::y_stride, y_row);
  return axes;
}

// Whether four elements side by side in y are so in x, or all outside. The last axis may be one of
// pixels of several channels.
bool is_vector_pad(int mode, const std::vector<PadAxis>& axes) {
  if (axes.empty()) return false;
  const PadAxis& last = axes.back();
  if (last.x_stride != 1 || last.y_stride != 1 || last.out % 4 != 0) return false;
  const bool moves_whole = mode == kPadConstant || mode == kPadWrap;
  return !last.is_padded() || (moves_whole && last.in % 4 == 0 && last.begin % 4 == 0);
}

void define_sources(LaunchBuilder& b, int mode, const std::vector<PadAxis>& axes, int width) {
  std::string sources, row, at;
  for (size_t a = 0; a < axes.size(); ++a) {
    const int64_t step = a + 1 == axes.size() ? width : 1;
    const bool is_padded = axes[a].is_padded();
    if (is_padded) sources += source_of(mode, a, axes[a].begin / step, axes[a].in / step);
    const std::string index = fmt::format("{}{}", is_padded ? "s" : "i", a);
    const auto stride = b.stride_of("X", axes[a].x_stride * step, axes[a].in / step);
    add_term(&row, index, stride.rows);
    add_term(&at, index, stride.elements);
  }
  b.define_text("SOURCES", sources);
  b.define_text("X_ROW", row.empty() ? "0" : "(" + row + ")");
  b.define_text("X_AT", at.empty() ? "0" : "(" + at + ")");
}

void specialise_pad(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  const int mode = std::get<PadParamsT<Dim>>(call.params).mode;
  const std::vector<PadAxis> axes = pad_axes(call, list.storage());
  GpuNest nest;
  nest.stride.emplace_back();
  for (const PadAxis& axis : axes)
    nest.extent.push_back(axis.out), nest.stride[0].push_back(axis.y_stride);
  View x = call.inputs[0], y = call.outputs[0], value = call.inputs[1];
  const bool is_memory =
      list.storage().image_row(x.buffer) == 0 && list.storage().image_row(y.buffer) == 0;
  if (is_memory) x.dtype = y.dtype = value.dtype = moved_type(y.dtype);
  const bool is_vector = is_vector_pad(mode, axes);
  const Access access = is_vector ? Access::vectors : Access::elements;
  LaunchBuilder b(list, "opencl/pad.cl");
  b.read("X", x, access);
  b.write("Y", y, access);
  std::string one = "0";
  if (value.constant) {
    one = literal_of(*value.constant, y.dtype);
  } else if (value.buffer >= 0) {
    b.read("F", value, Access::elements);
    one = "F1(0, 0)";
  }
  if (is_vector) b.inner("X", 4), b.inner("Y", 4);
  define_nest(b, nest, {"Y"}, is_vector ? 4 : 1);
  define_sources(b, mode, axes, is_vector ? 4 : 1);
  const std::string type = y.dtype == DType::float16 ? "float" : opencl_type(y.dtype);
  b.define_text("VALUE", fmt::format("(({}{})({}))", type, is_vector ? "4" : "", one));
  b.define_text("X", is_vector ? "X4" : "X1");
  b.define_text("Y", is_vector ? "Y4" : "Y1");
  b.cost(0, touched_bytes({x, y}));
  b.done();
}

std::string refuses_iota(const KernelCall& call, const GpuCapabilities&) {
  if (!call.op.empty()) return "a size that is a number";
  if (!is_opencl_number(call.outputs[0].dtype))
    return fmt::format("elements of {}", name(call.outputs[0].dtype));
  return refuses_nest(call);
}

// y[at] = start + at * delta: a fill whose value depends on the place.
void specialise_iota(const KernelCall& call, LaunchList& list, const GpuCapabilities&) {
  const View& y = call.outputs[0];
  const bool is_real = info(y.dtype).is_float;
  LaunchBuilder b(list, "opencl/copy.cl");
  std::string number[2];
  for (size_t i = 0; i < 2; ++i) {
    const View& view = call.inputs[i];
    const char* name = i == 0 ? "A" : "B";
    number[i] = fmt::format("{}1(0, 0)", name);
    if (!is_literal(view))
      b.read(name, view, Access::elements);
    else
      number[i] = is_real ? opencl_float(view.constant->f64(0)) : opencl_integer(*view.constant);
  }
  b.write("Y", y, Access::elements);
  const Dim one = 1;
  GpuNest nest(1, &y.shape[0]);
  nest.add(&one);
  define_nest(b, nest, {"Y"}, 1);
  b.define("WIDTH", 1);
  b.define_text("VALUE", is_real ? fmt::format("({} + (float)at * {})", number[0], number[1])
                                 : fmt::format("exact_add({0}, {1}, (ulong)at * (ulong){2})",
                                               opencl_type(y.dtype), number[0], number[1]));
  b.cost(0, touched_bytes({y}));
  b.done();
}

}  // namespace

void append_gpu_pad_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"pad", "elements around a tensor: constant, reflected, repeated, wrapped",
                  Family::pad, "opencl/pad.cl", refuses_pad, 0.3, nullptr, specialise_pad, false});
  rows.push_back({"iota", "start + i * delta", Family::iota, "opencl/copy.cl", refuses_iota, 0.3,
                  nullptr, specialise_iota, false});
}

}  // namespace macec
