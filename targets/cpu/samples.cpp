// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the families sample (elements at positions that run-time data or windows say) and
// dft.
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

bool accepts_align(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 8) == "RoiAlign" && is_real(call.inputs[0].dtype);
}
std::string align_max(const KernelCall& call, const Capabilities&) {
  return call.op == "RoiAlignMax" ? "1" : "0";
}
bool accepts_roi_pool(const KernelCall& call, const Capabilities&) {
  return call.op == "MaxRoiPool" && is_real(call.inputs[0].dtype);
}
bool accepts_image(const KernelCall& call, const Capabilities&) {
  return call.op == "Col2Im" && is_number(call.inputs[0].dtype);
}
bool accepts_columns(const KernelCall& call, const Capabilities&) {
  return call.op == "DeformColumns" && is_real(call.inputs[0].dtype);
}
bool accepts_dft(const KernelCall& call, const Capabilities&) {
  return is_real(call.inputs[0].dtype);
}
int64_t dft_bytes(const KernelCall& call, const Capabilities&) {
  return std::get<DftParamsT<Dim>>(call.params).n.hi() * 6 * 8;  // dft_scratch
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
  const char* roi = "kernels/roi.h";
  rows.push_back({"roi_align", "bins of regions, sampled between pixels", Family::sample, roi,
                  "roi_align", accepts_align, sample_cycles, align_max, nullptr, nullptr, false,
                  true});
  rows.push_back({"max_roi_pool", "the greatest pixels of bins of regions", Family::sample, roi,
                  "max_roi_pool", accepts_roi_pool, sample_cycles, nullptr, nullptr, nullptr, false,
                  true});
  const char* columns = "kernels/columns.h";
  rows.push_back({"col2im", "columns added up to an image", Family::sample, columns, "col2im",
                  accepts_image, sample_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"deform_columns", "displaced windows as columns", Family::sample, columns,
                  "deform_columns", accepts_columns, sample_cycles, nullptr, nullptr, nullptr,
                  false});
  rows.push_back({"dft", "Fourier transforms of lines of any length", Family::dft, "kernels/dft.h",
                  "dft", accepts_dft, sample_cycles, nullptr, nullptr, dft_bytes, false});
}

}  // namespace macec
