// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of pooling.
#include "targets/opencl/window_work.h"

namespace macec {
namespace {

using Params = PoolParamsT<Dim>;

bool is_max(const KernelCall& call) {
  return call.op.compare(0, 3, "Max") == 0;  // with indices or without
}
bool has_indices(const KernelCall& call) {
  return call.op == "MaxIndices" || call.op == "MaxIndicesByColumn";
}
bool is_byte(DType type) {
  return type == DType::uint8 || type == DType::int8;
}

std::string refuses_pool(const KernelCall& call, const GpuCapabilities&) {
  const DType type = call.inputs[0].dtype;
  if (is_max(call) && is_byte(type) && call.outputs[0].dtype == type && call.epilogue.empty() &&
      product(call.outputs[0].shape) != Dim(0))
    return "";  // floats hold bytes exactly
  if (!is_max(call) && call.op != "Average")
    return fmt::format("no OpenCL kernel for pooling of kind {}", call.op);
  return window_refusal(call);
}

// The greatest element of nothing.
const char* lowest(DType type) {
  return type == DType::int8 ? "(-128.0f)" : type == DType::uint8 ? "0.0f" : "(-INFINITY)";
}

void declare_indices(LaunchBuilder& b, const KernelCall& call, const Params& p) {
  b.write("I", call.outputs[1], Access::elements);
  b.stride("I_LINE", p.out[2] * p.y_pixel, p.batch * p.out[0] * p.out[1]);
  b.stride("I_W", p.y_pixel, p.out[2]);
  b.define("CHANNELS", p.channels);
}

void specialise_pool(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params& p = std::get<Params>(call.params);
  const int64_t channels = p.channels.value();
  const DType type = call.inputs[0].dtype;
  const bool whole = channels % 4 == 0 && !has_indices(call) && !is_byte(type);
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  WindowExtents extents;
  extents.blocks = whole ? channels / 4 : channels;
  extents.rows = (p.batch * p.out[0] * p.out[1]).value();
  extents.width = p.out[2].value();
  extents.most_split = has_indices(call) ? 1 : taps / 4;
  const WindowWork work = cut_window_work(extents, caps);
  LaunchBuilder b(list, "opencl/pool.cl");
  declare_input(b, call, p, channels, whole);
  b.define("IS_MAX", is_max(call));
  b.define_text("LOWEST", lowest(type));
  b.define("HAS_INDICES", has_indices(call));
  b.define("BY_COLUMN", call.op == "MaxIndicesByColumn");
  if (has_indices(call)) declare_indices(b, call, p);
  const char* const axes[3] = {"_D", "_H", "_W"};
  for (size_t a = 0; a < 3 && !is_max(call); ++a) {  // where a tap must lie to be counted
    const bool counts_pads = p.count_include_pad != 0;
    b.define(std::string("LOW") + axes[a], counts_pads ? -p.pad[a] : Dim(0));
    b.define(std::string("HIGH") + axes[a], counts_pads ? p.in[a] + p.pad_end[a] : p.in[a]);
  }
  define_window(b, p);
  define_work(b, work);
  declare_output(b, call, p, channels, whole);
  b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_pool_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gpu_pool", "greatest element or mean of windows", Family::pool, "opencl/pool.cl",
                  refuses_pool, 0.1, nullptr, specialise_pool, true});
}

}  // namespace macec
