// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the CPU kernel table, one function per file.
#pragma once
#include "targets/target.h"

namespace macec {

// Floats and 16-bit floats that the vectors load and store.
inline bool is_vector_float(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16;
}

void append_window_rows(std::vector<KernelRow>& rows);     // conv, pool, gemm
void append_vector_rows(std::vector<KernelRow>& rows);     // pointwise, reduce, softmax, norm
void append_move_rows(std::vector<KernelRow>& rows);       // copy, fill, gather, iota
void append_recurrent_rows(std::vector<KernelRow>& rows);  // recurrent
void append_resize_rows(std::vector<KernelRow>& rows);     // resize
void append_line_rows(std::vector<KernelRow>& rows);       // line
void append_pick_rows(std::vector<KernelRow>& rows);       // pick
void append_sample_rows(std::vector<KernelRow>& rows);     // sample
void append_integer_rows(std::vector<KernelRow>& rows);    // exact products of 8-bit integers
void append_plain_rows(std::vector<KernelRow>& rows);      // what the vector kernels do not serve

}  // namespace macec
