// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The targets with an OpenCL half.
#pragma once
#include <vector>

#include "targets/target.h"

namespace macec {

// Made from CPU targets: the CPU half is one of `cpu`, found by name.
std::vector<Target> opencl_targets(const std::vector<Target>& cpu);

}  // namespace macec
