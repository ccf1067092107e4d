// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of pooling.
#include "targets/opencl/window_work.h"

namespace macec {
namespace {

using Params = PoolParamsT<Dim>;

std::string refuses_pool(const KernelCall& call, const GpuCapabilities&) {
  const std::string refusal = window_refusal(call);
  if (!refusal.empty()) return refusal;
  if (call.op != "Max" && call.op != "Average")
    return fmt::format("no OpenCL kernel for pooling of kind {}", call.op);
  return "";
}

void specialise_pool(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params& p = std::get<Params>(call.params);
  const int64_t channels = p.channels.value();
  const bool whole = channels % 4 == 0, is_max = call.op == "Max";
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  WindowExtents extents;
  extents.blocks = whole ? channels / 4 : channels;
  extents.rows = (p.batch * p.out[0] * p.out[1]).value();
  extents.width = p.out[2].value();
  extents.most_split = taps / 4;
  const WindowWork work = cut_window_work(extents, caps);
  LaunchBuilder b(list, "opencl/pool.cl");
  declare_input(b, call, p, channels, whole);
  b.define("IS_MAX", is_max);
  const char* const axes[3] = {"_D", "_H", "_W"};
  for (size_t a = 0; a < 3 && !is_max; ++a) {  // where a tap must lie to be counted
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
