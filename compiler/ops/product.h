// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What MatMul and Gemm share: products of (batches of) matrices as calls of the gemm family.
#pragma once
#include <vector>

#include "compiler/ops/lowering.h"

namespace macec {

// y[batch..., m, n] = steps(sum over k of x[batch..., m, k] * w[batch..., k, n] + bias[n]). Batch
// axes broadcast to those of y.
struct Product {
  View x, w, bias, y;                // bias: buffer -1 and no constant: none
  std::vector<PointwiseStep> steps;  // StepArg::input indexes operands
  std::vector<View> operands;        // each of the rank of y or lower, broadcast to y
};

// One call of the gemm family; several where more than two batch axes remain. Steps that do not fit
// behind the kernel become a pointwise call on y. Empty: columns of y are not dense.
Lowered lower_product(const Product& product);

// The type of sums of products. ONNX has no products of 16-bit integers; they are what the integer
// operators become, with x int16, w int8 or int16, and sums in int32.
DType product_type(DType x);

// Whether gemm kernels compute epilogues on this element type.
bool has_vector_epilogue(DType dtype);

// sum over k of x[m][k] * w[k][n], into y[m][n]; all dense. Floats in double, integers modulo 2^64.
//   x_row, x_k, w_k, w_n   strides in elements
struct MatrixStrides {
  int64_t m, n, k;
  int64_t x_row, x_k, w_k, w_n;
};
void multiply(const MatrixStrides& s, const double* x, const double* w, double* y);
void multiply(const MatrixStrides& s, const int64_t* x, const int64_t* w, int64_t* y);

}  // namespace macec
