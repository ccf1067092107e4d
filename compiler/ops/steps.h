// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files that make up the table of pointwise steps (elementwise.h). Private to ops/.
#pragma once
#include <vector>

#include "compiler/ops/elementwise.h"

namespace macec {

using StepTable = std::vector<ElementwiseOp>;
void append_arithmetic_steps(StepTable& table);  // Add, Div, Max, Pow, Mod, shifts, bits
void append_logic_steps(StepTable& table);       // comparisons, And, Not, Where, IsNaN
void append_math_steps(StepTable& table);        // Exp, Erf, Sin, Floor, Sqrt
void append_activation_steps(StepTable& table);  // Relu, Clip, Gelu, HardSwish
void append_conversion_steps(StepTable& table);  // Cast, Saturate, Identity

}  // namespace macec
