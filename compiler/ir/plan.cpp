// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/plan.h"

namespace macec {

bool View::is_dense() const {
  const std::vector<Dim> dense = dense_strides(shape, Layout::plain);
  for (size_t a = 0; a < shape.size(); ++a)
    if (shape[a] != Dim(1) && strides[a] != dense[a]) return false;
  return true;
}

bool View::lies_like(const View& other) const {
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != Dim(1) && strides[i] != other.strides[i]) return false;
  return true;
}

bool View::is_dense_channels_last() const {
  if (shape.size() < 3) return false;
  const std::vector<Dim> dense = dense_strides(shape, Layout::channels_last);
  for (size_t a = 0; a < shape.size(); ++a)
    if (shape[a] != Dim(1) && strides[a] != dense[a]) return false;
  return true;
}

View dense_view(int buffer, const TensorType& type) {
  View view;
  view.buffer = buffer;
  view.dtype = type.dtype;
  view.shape = type.shape;
  view.strides = dense_strides(type.shape, type.layout);
  return view;
}

std::string_view name(Family family) {
  switch (family) {
    case Family::conv:
      return "conv";
    case Family::gemm:
      return "gemm";
    case Family::pool:
      return "pool";
    case Family::pointwise:
      return "pointwise";
    case Family::copy:
      return "copy";
    case Family::fill:
      return "fill";
    case Family::reduce:
      return "reduce";
    case Family::pad:
      return "pad";
    case Family::resize:
      return "resize";
    case Family::recurrent:
      return "recurrent";
    case Family::channel_norm:
      return "channel_norm";
    case Family::softmax:
      return "softmax";
    case Family::norm:
      return "norm";
    case Family::gather:
      return "gather";
    case Family::iota:
      return "iota";
    case Family::line:
      return "line";
    case Family::pick:
      return "pick";
    case Family::sample:
      return "sample";
    case Family::attention:
      return "attention";
    case Family::dft:
      return "dft";
  }
  return "?";
}

namespace {

std::string text(const Plan& plan, const View& view) {
  if (view.buffer < 0) return view.constant ? "const" : "_";
  const Buffer& buffer = plan.buffers[static_cast<size_t>(view.buffer)];
  std::string s = fmt::format("{}{}", buffer.name, text(view.shape));
  if (!view.is_dense() || view.offset != Dim(0)) {
    s += fmt::format("+{}:{}", view.offset.text(), text(Shape(view.strides)));
  }
  return s;
}

// "image 3 in rows of 384", "device at 4096", "shared 0"; empty: the app's memory.
std::string home_text(const Buffer& b) {
  switch (b.home) {
    case Buffer::host:
      return b.image_row > 0 ? fmt::format(" weight image {} in rows of {}", b.object, b.image_row)
                             : "";
    case Buffer::device:
      return " device";
    case Buffer::shared:
      return fmt::format(" shared {}", b.object);
    case Buffer::image:
      return fmt::format(" image {} in rows of {}", b.object, b.image_row);
  }
  return "";
}

std::string text(const GpuPlan& gpu) {
  static const char* const kinds[] = {"upload", "download", "map", "unmap"};
  std::string s = fmt::format("  gpu device {} live {} images {} live {} shared {} live {}\n",
                              gpu.device_bytes, gpu.device_live_bytes, gpu.image_bytes,
                              gpu.image_live_bytes, gpu.shared_bytes, gpu.shared_live_bytes);
  for (const GpuImage& i : gpu.images)
    s += fmt::format("  image {} x {} {}\n", i.width, i.height, name(i.dtype));
  for (size_t i = 0; i < gpu.segments.size(); ++i)
    s += fmt::format("  segment {} {} [{}..{}]\n", i,
                     gpu.segments[i].device == Device::gpu ? "gpu" : "cpu", gpu.segments[i].first,
                     gpu.segments[i].last);
  for (const Transfer& t : gpu.transfers)
    s += fmt::format("  {} buffer {} segment {} bytes {}\n", kinds[t.kind], t.buffer, t.segment,
                     t.bytes);
  return s;
}

void append(const Plan& plan, const StepList& steps, const std::string& indent, std::string* out) {
  for (const Step& step : steps) {
    *out += fmt::format("{}{:3} ", indent, step.number);
    if (step.kind == Step::call) {
      const KernelCall& call = step.kernel;
      *out += fmt::format("{}{}{}", name(call.family), call.op.empty() ? "" : ".", call.op);
      for (const View& v : call.inputs) *out += " " + text(plan, v);
      *out += " ->";
      for (const View& v : call.outputs) *out += " " + text(plan, v);
      for (const PointwiseStep& s : call.epilogue) *out += " | " + s.op;
      for (const GpuLaunch& l : call.launches)
        *out += fmt::format(" <{} {}x{}x{} by {}x{}x{}>", l.file, l.global[0], l.global[1],
                            l.global[2], l.local[0], l.local[1], l.local[2]);
      *out += "   // " + step.name + "\n";
      continue;
    }
    const std::string what = step.kind == Step::branch ? "if " + text(plan, step.condition)
                             : step.kind == Step::loop ? "loop"
                                                       : "fail";
    *out += fmt::format("{}   // {}\n", what, step.name);
    for (const StepList& body : step.bodies) {
      append(plan, body, indent + "  ", out);
      *out += indent + "  --\n";
    }
  }
}

}  // namespace

std::string text(const Plan& plan) {
  std::string s =
      fmt::format("plan \"{}\" arena {} scratch {} live {} graph {}\n", plan.name, plan.arena_bytes,
                  plan.scratch_bytes, plan.plan_live_bytes, plan.graph_live_bytes);
  if (plan.gpu) s += text(*plan.gpu);
  for (const Buffer& b : plan.buffers)
    s += fmt::format("  buffer {} {} x {} [{}..{}] at {}{}\n", b.name, name(b.dtype),
                     b.elements.text(), b.first, b.last, b.offset, home_text(b));
  append(plan, plan.steps, "  ", &s);
  return s;
}

}  // namespace macec
