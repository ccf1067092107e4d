// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which OpenCL kernel computes a call, and what it costs.
#include <algorithm>

#include "compiler/support/error.h"
#include "targets/opencl/gpu_row.h"

namespace macec {
namespace {

bool is_fixed(const View& view) {
  if (!view.offset.is_fixed()) return false;
  for (const Dim& d : view.shape)
    if (!d.is_fixed()) return false;
  for (const Dim& d : view.strides)
    if (!d.is_fixed()) return false;
  return true;
}

bool is_fixed(const KernelCall& call) {
  for (const std::vector<View>* views : {&call.inputs, &call.outputs, &call.epilogue_inputs})
    for (const View& v : *views)
      if (!is_fixed(v)) return false;
  return true;
}

double view_bytes(const View& view) {
  if (view.buffer < 0 && !view.constant) return 0;
  double count = 1;
  for (size_t a = 0; a < view.shape.size(); ++a)
    if (a >= view.strides.size() || view.strides[a] != Dim(0))
      count *= static_cast<double>(view.shape[a].hi());
  return count * info(view.dtype).bits / 8;
}

}  // namespace

const std::vector<GpuRow>& gpu_kernels() {
  static const std::vector<GpuRow> rows = [] {
    std::vector<GpuRow> all;
    append_gpu_element_rows(all);
    append_gpu_move_rows(all);
    append_gpu_gather_rows(all);
    append_gpu_pad_rows(all);
    append_gpu_line_rows(all);
    append_gpu_matrix_rows(all);
    append_gpu_reduce_rows(all);
    append_gpu_channel_norm_rows(all);
    append_gpu_window_rows(all);
    return all;
  }();
  return rows;
}

bool choose_gpu_kernel(const GpuCapabilities& caps, KernelCall* call) {
  call->gpu_row = nullptr;
  call->gpu_refusal = fmt::format("no OpenCL kernel for {}", name(call->family));
  if (!is_fixed(*call)) {
    call->gpu_refusal = "extents known only at run time";
    return false;
  }
  for (const GpuRow& row : gpu_kernels()) {
    if (row.family != call->family) continue;
    if (!call->epilogue.empty() && call->family != Family::pointwise && !row.takes_epilogue)
      continue;
    const std::string refusal = row.refuses(*call, caps);
    if (!refusal.empty()) {
      if (!call->gpu_row) call->gpu_refusal = refusal;
      continue;
    }
    if (!call->gpu_row || row.efficiency > call->gpu_row->efficiency) call->gpu_row = &row;
  }
  if (call->gpu_row) call->gpu_refusal.clear();
  return call->gpu_row != nullptr;
}

double gpu_flops(const KernelCall& call) {
  return 2 * call.multiply_adds + call.elements;
}

double gpu_bytes(const KernelCall& call) {
  double bytes = 0;
  for (const std::vector<View>* views : {&call.inputs, &call.outputs, &call.epilogue_inputs})
    for (const View& v : *views) bytes += view_bytes(v);
  return bytes;
}

double gpu_microseconds(const GpuCapabilities& caps, const KernelCall& call) {
  MACEC_CHECK(call.gpu_row, "no OpenCL kernel was chosen");
  const double flops = gpu_flops(call), bytes = gpu_bytes(call);
  return caps.launch_us + std::max(flops / (caps.gflops * 1e3 * call.gpu_row->efficiency),
                                   bytes / (caps.gbytes_per_second * 1e3));
}

}  // namespace macec
