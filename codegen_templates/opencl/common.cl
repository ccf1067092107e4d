// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands once in front of all kernels of a program.
#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
// A name of its own for each kernel's inline functions.
#define NAME(x) CAT(KERNEL, CAT(_, x))

__constant sampler_t TEXELS = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

// Folds the values of `count` items of a work-group, a power of two, that stand `step` apart in
// local memory: part[at] is this item's, `share` its number among them. All items of the group take
// part; afterwards the first of the `count` places has the result.
#define FOLD_IN_GROUP(part, at, share, step, count, fold)                            \
  for (int d_ = (count) / 2; d_ > 0; d_ /= 2) {                                      \
    barrier(CLK_LOCAL_MEM_FENCE);                                                    \
    if ((share) < d_) part[at] = fold(part[at], part[(at) + d_ * (step)]);           \
  }                                                                                  \
  barrier(CLK_LOCAL_MEM_FENCE)
#define FOLD_SUM(a, b) ((a) + (b))
#define FOLD_MAX(a, b) fmax(a, b)
// A NaN stays, whichever side it comes from.
#define FOLD_GREATEST(a, b) select(a, b, ((b) > (a)) | ((b) != (b)))
#define FOLD_LEAST(a, b) select(a, b, ((b) < (a)) | ((b) != (b)))

// The lanes of a float4 in one.
#define SUM_LANES(v) (((v).s0 + (v).s1) + ((v).s2 + (v).s3))
#define MAX_LANES(v) fmax(fmax((v).s0, (v).s1), fmax((v).s2, (v).s3))
