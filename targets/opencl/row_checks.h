// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions that several kernel rows ask about a call.
#pragma once
#include <string>

#include "targets/opencl/gpu_row.h"

namespace macec {

// Stored as float32 or float16: X4 and X1 give floats.
bool is_gpu_float(DType dtype);
// The argument is given.
bool has_place(const View& view);
// Why the fused steps cannot be written as OpenCL C over floats. Empty: they can.
std::string epilogue_refusal(const KernelCall& call);
// Of all elements that the call's views can name, each once.
double bytes_of_operands(const KernelCall& call);

}  // namespace macec
