// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which buffers of a plan are images, and the launches that follow, for plans that run on the
// device only.
#pragma once
#include "compiler/ir/plan.h"
#include "targets/opencl/launch_builder.h"
#include "targets/target.h"

namespace macec {

struct DeviceOnly {
  GpuStorage storage;
  std::vector<int64_t> scratch_bytes;  // per step
};
// Fills the launches of every step. Every step must be a call with a gpu_row.
DeviceOnly specialise_for_test(Plan& plan, const GpuCapabilities& caps);

}  // namespace macec
