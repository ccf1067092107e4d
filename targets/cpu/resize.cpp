// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the resize family.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

const ResizeParamsT<Dim>& params_of(const KernelCall& call) {
  return std::get<ResizeParamsT<Dim>>(call.params);
}

bool accepts_resize_plain(const KernelCall& call, const Capabilities&) {
  return is_vector_float(call.outputs[0].dtype) || call.outputs[0].dtype == DType::float64;
}
bool accepts_resize(const KernelCall& call, const Capabilities&) {
  const ResizeParamsT<Dim>& p = params_of(call);
  if (!is_vector_float(call.outputs[0].dtype) || p.rank == 0) return false;
  const int last = p.rank - 1;
  return p.resized[last] != 0 || (p.x_stride[last] == Dim(1) && p.y_stride[last] == Dim(1));
}
bool accepts_resize_nearest(const KernelCall& call, const Capabilities&) {
  const ResizeParamsT<Dim>& p = params_of(call);
  return p.mode == kResizeNearest && p.extrapolates == 0 && info(call.outputs[0].dtype).bits >= 8;
}

// call.elements counts the taps of every element of y.
double plain_cycles(const KernelCall& call, const Capabilities&) {
  return call.elements * 8;
}
double resize_cycles(const KernelCall& call, const Capabilities& caps) {
  const ResizeParamsT<Dim>& p = params_of(call);
  const bool is_gathered = p.rank > 0 && p.resized[p.rank - 1] != 0;
  return call.elements * 2 / (is_gathered ? 2 : caps.vector_floats);
}
double nearest_cycles(const KernelCall& call, const Capabilities& caps) {
  return resize_cycles(call, caps) / 2;
}

void upper_extents(const ResizeParamsT<Dim>& p, int64_t (&out)[kMaxRank]) {
  for (int a = 0; a < p.rank; ++a) out[a] = p.out[a].hi();
}
int64_t table_scratch(const KernelCall& call, const Capabilities&) {
  int64_t out[kMaxRank] = {};
  upper_extents(params_of(call), out);
  return resize_scratch(params_of(call), out);
}
int64_t run_scratch(const KernelCall& call, const Capabilities&) {
  const ResizeParamsT<Dim>& p = params_of(call);
  int64_t out[kMaxRank] = {};
  upper_extents(p, out);
  return resize_run_scratch(p, out, p.in[p.rank - 1].hi());
}

}  // namespace

void append_resize_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"resize_plain", "resize in every mode along any axes, one element at a time",
                  Family::resize, "kernels/resize_plain.h", "resize_plain", accepts_resize_plain,
                  plain_cycles, nullptr, nullptr, table_scratch, false});
  rows.push_back({"resize", "weighted sums of runs of the innermost axis", Family::resize,
                  "kernels/resize.h", "resize", accepts_resize, resize_cycles, nullptr, nullptr,
                  run_scratch, false});
  rows.push_back({"resize_nearest", "nearest elements of any type along any axes", Family::resize,
                  "kernels/resize_nearest.h", "resize_nearest", accepts_resize_nearest,
                  nearest_cycles, nullptr, nullptr, table_scratch, false});
}

}  // namespace macec
