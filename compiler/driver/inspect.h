// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about a plan that inspect and bench print.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/driver/compile.h"

namespace macec {

// Steps of all bodies, depth first, in the order of their numbers.
void for_each_step(const StepList& steps, const std::function<void(const Step&, int depth)>& f);
// "gemm_f32" where all levels have the same kernel, else "gemm_f32, gemm_f32, gemm_avx512"; "if", "loop".
std::string kernel_text(const Step& step);
std::string step_title(const Step& step);  // name and the ONNX nodes in it
double multiply_adds(const Plan& plan);
// Bytes that hold something needed, at every step number: of the arena, and of the GPU's memory.
std::vector<int64_t> live_bytes(const Plan& plan);
std::map<std::string, int> operators(const Graph& graph);  // with those in bodies

}  // namespace macec
