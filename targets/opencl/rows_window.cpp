// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the window families.
#include "targets/opencl/window_work.h"

namespace macec {

void append_gpu_window_rows(std::vector<GpuRow>& rows) {
  append_gpu_conv_rows(rows);
  append_gpu_pool_rows(rows);
  append_gpu_resize_rows(rows);
}

}  // namespace macec
