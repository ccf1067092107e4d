// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the CPU kernel table, one function per file.
#pragma once
#include "targets/target.h"

namespace macec {

void append_window_rows(std::vector<KernelRow>& rows);  // conv, pool, gemm
void append_vector_rows(std::vector<KernelRow>& rows);  // pointwise, reduce, softmax, norm
void append_move_rows(std::vector<KernelRow>& rows);    // copy, fill, gather, iota
void append_plain_rows(std::vector<KernelRow>& rows);   // what the vector kernels do not serve

}  // namespace macec
