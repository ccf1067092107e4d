// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which outputs the app may leave out (macec_out.data NULL).
#pragma once
#include <vector>

#include "compiler/ir/plan.h"

namespace macec {

// true: in every plan, nothing reads the output's memory and every step that writes it writes nothing else, so these steps are
// skipped when the app does not want it. The only output of a model is always wanted. plans: of one model with
// `outputs` outputs.
std::vector<bool> optional_outputs(const std::vector<Plan>& plans, size_t outputs);

// The output whose absence lets the call be skipped, or -1.
int only_output(const Plan& plan, const KernelCall& call);

}  // namespace macec
