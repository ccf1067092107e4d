// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of convolutions.
#include "targets/opencl/window_work.h"

namespace macec {
namespace {

using Params = ConvParamsT<Dim>;

const Params& params_of(const KernelCall& call) {
  return std::get<Params>(call.params);
}

bool is_transposed(const KernelCall& call) {
  return call.op == "transposed";
}

// What there is to cut into work-items; blocks: of channels.
WindowExtents extents_of(const KernelCall& call, const Params& p, int64_t blocks) {
  WindowExtents e;
  e.blocks = blocks;
  e.rows = (p.batch * p.out[0] * p.out[1]).value();
  e.width = p.out[2].value();
  e.phases = is_transposed(call) ? p.stride[2] : 1;
  return e;
}

Packing panels(const KernelCall&, int input, const GpuCapabilities& caps) {
  return input == 1 ? Packing{Packing::panels, caps.weight_panel} : Packing{};
}

std::string refuses_any(const KernelCall& call) {
  const std::string refusal = window_refusal(call);
  if (!refusal.empty()) return refusal;
  if (!call.inputs[1].constant) return "weights that are computed";
  if (call.op.empty() || is_transposed(call)) return "";
  return fmt::format("no OpenCL kernel for convolutions of kind {}", call.op);
}
std::string refuses_conv(const KernelCall& call, const GpuCapabilities&) {
  const std::string refusal = refuses_any(call);
  if (!refusal.empty()) return refusal;
  return call.constant_uses[1].kind == Packing::panels ? "" : "a depthwise convolution";
}

bool is_one_by_one(const Params& p) {
  for (int a = 0; a < 3; ++a)
    if (p.kernel[a] != 1 || p.stride[a] != 1 || p.pad[a] != Dim(0) || p.in[a] != p.out[a])
      return false;
  return true;
}

// A 1x1 convolution sees one long row of pixels where nothing is in an image.
Params merged(const KernelCall& call, const GpuStorage& storage) {
  Params p = params_of(call);
  if (!is_one_by_one(p)) return p;
  for (const auto* views : {&call.inputs, &call.outputs, &call.epilogue_inputs})
    for (const View& view : *views)
      if (&view != &call.inputs[1] && storage.image_row(view.buffer) > 0) return p;
  const Dim all = p.batch * p.in[0] * p.in[1] * p.in[2];
  p.batch = p.in[0] = p.in[1] = p.out[0] = p.out[1] = 1;
  p.in[2] = p.out[2] = all;
  return p;
}

// Patches that lie side by side: all columns of one are the channels of one wide pixel, in the order
// that the weights have anyway.
//
//   x[h][w * 16][3], 16 columns by step 16      is      x[h][w][48], 1 column by step 1
Params with_wide_pixels(const KernelCall& call, Params p) {
  const int columns = p.kernel[2];
  if (is_transposed(call) || columns == 1 || p.stride[2] != columns || p.dilation[2] != 1 ||
      p.group != 1 || p.pad[2] != Dim(0) || p.in[2] != p.out[2] * Dim(columns) ||
      p.x_pixel != Dim(p.in_channels))
    return p;
  p.in_channels *= columns;
  p.x_pixel *= columns;
  p.kernel[2] = p.stride[2] = 1;
  p.in[2] = p.out[2];
  return p;
}

void declare_results(LaunchBuilder& b, const KernelCall& call, const Params& p, bool whole) {
  declare_output(b, call, p, int64_t{p.group} * p.out_channels, whole);
  if (call.inputs[2].buffer >= 0)
    b.read("B", call.inputs[2], whole ? Access::vectors : Access::elements, true);
  b.define("HAS_BIAS", call.inputs[2].buffer >= 0);
}

void specialise_conv(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params p = with_wide_pixels(call, merged(call, list.storage()));
  const int64_t width = caps.weight_panel, k = call.constant_uses[1].k;
  const int64_t group_blocks = (p.out_channels + 3) / 4;
  const int64_t panels_of_group = (p.out_channels + width - 1) / width;
  const bool by_four = p.in_channels % 4 == 0;
  const int64_t step = by_four ? 4 : 1;
  WindowExtents extents = extents_of(call, p, p.group * group_blocks);
  extents.most_pixels = 4;
  extents.most_split = std::max<int64_t>(p.in_channels / (by_four ? 4 : 8), 1);
  LaunchBuilder b(list, "opencl/conv.cl");
  declare_input(b, call, p, int64_t{p.group} * p.in_channels, by_four);
  b.read("W", call.inputs[1], Access::vectors, true);
  b.stride("W_PANEL", k * width, p.group * panels_of_group);
  b.inner("W", k * width);
  b.define("W_WIDTH", width);
  b.define("GROUP_PANELS", panels_of_group);
  b.define("GROUP_BLOCKS", group_blocks);
  b.define("CHANNELS", int64_t{p.in_channels});
  b.define("OUT_CHANNELS", int64_t{p.out_channels});
  b.define("STEP", step);
  define_window(b, p, is_transposed(call));
  define_work(b, cut_window_work(extents, caps));
  declare_results(b, call, p, p.out_channels % 4 == 0);
  b.cost(2 * call.multiply_adds, bytes_of_operands(call));
  b.done();
}

// depthwise

Packing taps(const KernelCall&, int input, const GpuCapabilities&) {
  return input == 1 ? Packing{Packing::taps, 1} : Packing{};
}

std::string refuses_depthwise(const KernelCall& call, const GpuCapabilities&) {
  const std::string refusal = refuses_any(call);
  if (!refusal.empty()) return refusal;
  return call.constant_uses[1].kind == Packing::taps ? "" : "groups of several channels";
}

void specialise_depthwise(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params& p = params_of(call);
  const bool whole = p.group % 4 == 0;
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  WindowExtents extents = extents_of(call, p, whole ? p.group / 4 : p.group);
  extents.most_pixels = 4;
  const WindowWork work = cut_window_work(extents, caps);
  const int64_t span =
      (work.pixels - 1) * p.stride[2] + int64_t{p.kernel[2] - 1} * p.dilation[2] + 1;
  LaunchBuilder b(list, "opencl/depthwise.cl");
  declare_input(b, call, p, int64_t{p.group}, whole);
  b.read("W", call.inputs[1], whole ? Access::vectors : Access::elements, true);
  b.stride("W_TAP", int64_t{p.group}, taps);
  b.inner("W", int64_t{p.group});
  b.define("SPAN", span);
  b.define("SHARES",
           !is_transposed(call) && span <= 16 && p.dilation[2] == 1 && p.stride[2] <= p.kernel[2]);
  define_window(b, p, is_transposed(call));
  define_work(b, work);
  declare_results(b, call, p, whole);
  b.cost(2 * call.multiply_adds, bytes_of_operands(call));
  b.done();
}

// weights that are computed

std::string refuses_dynamic(const KernelCall& call, const GpuCapabilities&) {
  const std::string refusal = window_refusal(call);
  if (!refusal.empty()) return refusal;
  if (call.op != "dynamic" && call.op != "transposed_dynamic") return "constant weights";
  return is_gpu_float(call.inputs[1].dtype) ? "" : "weights that are no floats";
}

void specialise_dynamic(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params& p = params_of(call);
  const bool transposed = call.op == "transposed_dynamic";
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  const int64_t channels = int64_t{p.group} * p.out_channels;
  const int64_t places = (p.batch * p.out[0] * p.out[1] * p.out[2]).value();
  LaunchBuilder b(list, "opencl/conv_dynamic.cl");
  declare_input(b, call, p, int64_t{p.group} * p.in_channels, false);
  b.read("W", call.inputs[1], Access::elements, true);
  b.define("W_GROUP", taps * p.in_channels * p.out_channels);
  b.define("W_M", transposed ? taps : taps * p.in_channels);
  b.define("W_C", transposed ? taps * p.out_channels : taps);
  b.define("CHANNELS", int64_t{p.in_channels});
  b.define("OUT_CHANNELS", int64_t{p.out_channels});
  b.define("BLOCKS", channels);
  b.define("PLACES", places);
  define_window(b, p, transposed);
  const std::array<int64_t, 3> local = group_of(channels, places, caps);
  b.define("LOCAL_X", local[0]);
  b.define("LOCAL_Y", local[1]);
  b.size({channels, places, 1}, local);
  declare_results(b, call, p, false);
  b.cost(2 * call.multiply_adds, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_conv_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gpu_conv", "any convolution: four channels of several pixels a work-item",
                  Family::conv, "opencl/conv.cl", refuses_conv, 0.3, panels, specialise_conv,
                  true});
  rows.push_back({"gpu_depthwise",
                  "depthwise convolution: several pixels of four channels a work-item",
                  Family::conv, "opencl/depthwise.cl", refuses_depthwise, 0.1, taps,
                  specialise_depthwise, true});
  rows.push_back({"gpu_conv_dynamic", "any convolution with weights that are computed",
                  Family::conv, "opencl/conv_dynamic.cl", refuses_dynamic, 0.03, nullptr,
                  specialise_dynamic, true});
}

}  // namespace macec
