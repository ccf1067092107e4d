// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a step is worth a worker of its own.
#pragma once
#include "targets/target.h"

namespace macec {

// The least units of a part of the call on that level, at least 1: fewer take less time than it takes
// to wake a worker and to hand the part over.
double grain_of(const KernelCall& call, size_t level, const Capabilities& caps);

}  // namespace macec
