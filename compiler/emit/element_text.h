// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, numbers and the C++ of pointwise steps (ops/elementwise.h) as text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/tensor.h"

namespace macec {

bool is_half(DType t);    // float16, bfloat16
bool is_number(DType t);  // float32 and what vectors widen to it
bool is_packed(DType t);  // integers of 2 or 4 bits
// The struct of kernels/float8.h; nullptr for other types.
const char* float8_format(DType t);

// The type of an element in memory: "float", "half_t", "uint8_t" for packed integers and float8. UserError for types that C++
// does not have.
std::string storage_type(DType t);
// The type that generated code computes elements of this type in: float for the 16-bit floats, bool
// for bool.
std::string compute_type(DType dtype);

// "0.5f", "-INFINITY"; a double without the f.
std::string float_literal(double v, bool is_double);
// Element i of a tensor as a C++ literal of the type that computes with it: 0.5f, INFINITY,
// INT64_MIN, true.
std::string literal(const Tensor& tensor, int64_t i);

// The C++ of a step: {0}, {1}, ... become args, {k0}, ... attributes, and the word T type.
std::string expand_step(std::string_view code, const std::vector<std::string>& args,
                        const std::vector<std::string>& attributes, const std::string& type);

}  // namespace macec
