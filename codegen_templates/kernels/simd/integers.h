// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of 16-bit integers for exact products, in the level that simd.h picks; generated code gets
// the file of each of its levels pasted instead. A level defines
//
//   kIntegerDepth    how many elements of depth stand beside each other in packed weights
//   kIntegerByLane   whether multiply_add_lane exists: four elements of depth of x are one load
//   Vs               kLanes * kIntegerDepth numbers of 16 bits
//   load_shorts(const int8_t* or const int16_t*)     weights of kLanes columns, widened
//   splat_shorts(const int16_t* x, int n)            n <= kIntegerDepth elements of depth for every
//                                                    column, 0 behind them
//   Vi multiply_add(Vs x, Vs w, Vi sums)             sums[c] += sum over d of x[d] * w[c][d]
//   load_four_shorts(x), multiply_add_lane(Lane<L>{}, w, x, sums)      by lane only
//
// A number may be -32768 only on one side of a product. Sums wrap modulo 2^32.
#pragma once
#include "simd.h"

#if defined(MACEC_SIMD_PORTABLE)
#include "portable_integers.h"
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#include "avx512_integers.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "avx2_integers.h"
#elif defined(__SSE2__)
#include "sse2_integers.h"
#elif defined(__ARM_NEON)
#include "neon_integers.h"
#else
#include "portable_integers.h"
#endif
