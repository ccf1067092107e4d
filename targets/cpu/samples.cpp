// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the family sample: elements at positions that run-time data says.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool is_bytes(DType dtype) {
  return info(dtype).bits >= 8;
}
bool is_real(DType dtype) {
  return is_vector_float(dtype) || dtype == DType::float64;
}
bool is_number(DType dtype) {
  return is_real(dtype) || (info(dtype).is_integer && is_bytes(dtype));
}
double sample_cycles(const KernelCall& call, const Capabilities&) {
  return call.elements * 4;
}

bool accepts_grid(const KernelCall& call, const Capabilities&) {
  return call.op == "GridSample" && is_real(call.inputs[1].dtype) &&
         is_number(call.inputs[0].dtype);
}
bool accepts_nearest(const KernelCall& call, const Capabilities&) {
  return call.op == "GridSampleNearest" && is_real(call.inputs[1].dtype) &&
         is_bytes(call.inputs[0].dtype);
}
std::string linear_or_cubic(const KernelCall&, const Capabilities&) {
  return "kSampleLinear";
}
std::string nearest(const KernelCall&, const Capabilities&) {
  return "kSampleNearest";
}

}  // namespace

void append_sample_rows(std::vector<KernelRow>& rows) {
  const char* grid = "kernels/grid_sample.h";
  rows.push_back({"grid_sample", "means of neighbours of positions in a grid", Family::sample, grid,
                  "grid_sample", accepts_grid, sample_cycles, linear_or_cubic, nullptr, nullptr,
                  false});
  rows.push_back({"grid_sample_nearest", "the nearest elements to positions in a grid",
                  Family::sample, grid, "grid_sample", accepts_nearest, sample_cycles, nearest,
                  nullptr, nullptr, false});
}

}  // namespace macec
