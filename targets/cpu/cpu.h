// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU targets: x86-64, ARMv8, ARMv7, portable C++. They share one table of kernels, which are
// written over the vectors of a level; levels differ in the vector header and in capabilities.
#pragma once
#include "targets/target.h"

namespace macec {

std::vector<Target> cpu_targets();
const std::vector<KernelRow>& cpu_kernels();  // from general to special

}  // namespace macec
