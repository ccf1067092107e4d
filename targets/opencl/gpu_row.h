// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL half of a target: what the device can do, and the kernels it has.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/plan.h"

namespace macec {

struct GpuCapabilities {
  bool prefers_images;  // activations and weights go into images where a kernel can read them so
  int64_t max_image_width, max_image_height;  // texels
  int64_t max_work_group;                     // work-items
  int64_t local_bytes;
  bool has_local_memory;  // faster than other memory; else only good for exchanging results
  int work_items;         // that keep the device busy: kernels cut their work into about so many
  int weight_panel;       // columns of a packed panel: the CPU half's, so that both read one copy
  // The model of cost, in microseconds.
  double launch_us, map_us;          // of one launch; of one map or unmap
  double gflops, gbytes_per_second;  // reached by a good kernel; of memory
  double copy_gbytes_per_second;     // between the two devices
  double mixed_us;  // once if both take part: the queue runs dry, a sleeping processor wakes
};

// One kernel template. Rows stand from general to special; the cheapest accepting row is chosen.
struct GpuRow {
  const char* name;  // "conv_1x1"
  const char* doc;   // one line
  Family family;
  const char* file;  // "opencl/conv.cl"
  // Empty: it computes this call. Else why not: "more than 8 axes". All extents and offsets of the
  // call are fixed.
  std::string (*refuses)(const KernelCall&, const GpuCapabilities&);
  double efficiency;  // share of the device's peak that it reaches, 0 to 1
  // Packing of input i; nullptr: plain.
  Packing (*packing)(const KernelCall&, int input, const GpuCapabilities&);
  // The launches of the call, in order. See launch_builder.h.
  void (*specialise)(const KernelCall&, class LaunchList&, const GpuCapabilities&);
  bool takes_epilogue;
};

const std::vector<GpuRow>& gpu_kernels();  // all rows of all families

// Sets call->gpu_row, or call->gpu_refusal. False: no row computes it.
bool choose_gpu_kernel(const GpuCapabilities& caps, KernelCall* call);

// Microseconds on the device, launches included, borders not.
double gpu_microseconds(const GpuCapabilities& caps, const KernelCall& call);

// Of one run: two FLOPs for a multiply-add; bytes that operands have, each touched once.
double gpu_flops(const KernelCall& call);
double gpu_bytes(const KernelCall& call);

// The parts of gpu_kernels(), one file each.
void append_gpu_window_rows(std::vector<GpuRow>& rows);  // conv, pool, resize
void append_gpu_matrix_rows(std::vector<GpuRow>& rows);  // gemm
void append_gpu_line_rows(std::vector<GpuRow>& rows);    // softmax, norm
void append_gpu_channel_norm_rows(std::vector<GpuRow>& rows);
void append_gpu_reduce_rows(std::vector<GpuRow>& rows);   // reduce
void append_gpu_element_rows(std::vector<GpuRow>& rows);  // pointwise
void append_gpu_move_rows(std::vector<GpuRow>& rows);     // copy, fill
void append_gpu_gather_rows(std::vector<GpuRow>& rows);   // gather
void append_gpu_pad_rows(std::vector<GpuRow>& rows);      // pad, iota

}  // namespace macec
