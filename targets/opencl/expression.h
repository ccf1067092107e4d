// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise steps as OpenCL C, over the vocabulary of codegen_templates/opencl/steps.cl.
//
// Two forms of code:
//   vectors  V is float4: numbers, masks, and integers of at most 16 bits as floats that hold them
//            (what has_vector_form of ops/elementwise.h accepts)
//   exact    V is float: every value has the type of its elements; bool is int, 0 or 1
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/plan.h"

namespace macec {

// "float", "half", "uchar" for bool; nullptr for types that OpenCL C 1.2 does not have everywhere.
const char* opencl_type(DType type);
// Types that steps can be computed with: float32, float16, integers of 8 to 64 bits, bool.
bool is_opencl_number(DType type);

// How a chain finds an operand.
struct ChainLoad {
  std::string text;        // of the element type: "XA4(...)" or "XA1(...)"
  bool is_vector = false;  // four elements
};

// Whether the operand is one constant number, which stands in the code.
bool is_literal(const View& view);

// The steps of the call as statements "const TYPE v0 = ...;", one a line; the result of step s is
// `v` and its number. operands: what StepArg::input counts; loads of literals are not looked at.
// The main result of an epilogue is called `v`.
std::string chain_code(const KernelCall& call, const std::vector<View>& operands, bool is_vector,
                       const std::vector<ChainLoad>& loads);
// Value `name` of a chain as what the accessors Y4 (vectors) and Y1 (exact) store.
std::string stored_value(DType dtype, bool is_vector, const std::string& name);

// A finite or infinite number or NaN as a constant expression of type float.
std::string opencl_float(double v);
// Element 0 of an integer tensor as a constant expression of its own type.
std::string opencl_integer(const Tensor& tensor);

}  // namespace macec
