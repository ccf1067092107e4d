// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands once in front of all kernels of a program.
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
// A name of its own for each kernel's inline functions.
#define NAME(x) CAT(KERNEL, CAT(_, x))

__constant sampler_t TEXELS = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
