// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls whose outputs are as long as the data says. Private to ops/.
#pragma once
#include "compiler/ops/op_def.h"

namespace macec {

// Finishes a call of the family `pick`: op, params, and the computed extent `length` that its
// kernel counts. No call if an operand is not dense at a fixed place.
Lowered counted_call(KernelCall call, PickParamsT<Dim> params, const char* op, const Dim& length);

}  // namespace macec
