// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/gpu_row.h"
#include "targets/opencl/launch_builder.h"

namespace macec {

void append_gpu_element_rows(std::vector<GpuRow>&) {}

}  // namespace macec
