// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Picks the vector level that the compiler's flags allow; MACEC_SIMD_PORTABLE forces plain C++.
// Generated code gets the file of each of its levels pasted instead. What the levels define:
// vocabulary.h.
#pragma once

#if defined(MACEC_SIMD_PORTABLE)
#include "portable.h"
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__)
#include "avx512.h"
#elif defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include "avx2.h"
#elif defined(__SSE2__)
#include "sse2.h"
#elif defined(__ARM_NEON)
#include "neon.h"
#else
#include "portable.h"
#endif
