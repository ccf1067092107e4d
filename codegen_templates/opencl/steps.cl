// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of pointwise steps, over V = float or V = float4 (V is a macro where they are used).
// Arguments are plain names or literals: each may be evaluated more than once.
// A mask is what a comparison gives: int (0, 1) for float, int4 (0, -1) for float4.
#define op_splat(x) ((V)(x))
#define op_select(mask, a, b) select(b, a, mask)
// The fast limits return their second argument when it is a NaN.
#define op_max_fast(a, b) select(b, a, (a) > (b))
#define op_min_fast(a, b) select(b, a, (a) < (b))
#define op_exp(x) exp(x)
#define op_erf(x) erf(x)
#define op_tanh(x) tanh(x)
#define op_sqrt(x) sqrt(x)
#define op_abs(x) fabs(x)
#define op_neg(x) (-(x))
#define op_sigmoid(x) (op_splat(1.0f) / (op_splat(1.0f) + exp(-(x))))
#define op_gelu(x) (op_splat(0.5f) * (x) * (op_splat(1.0f) + erf((x) * op_splat(0.70710678f))))
