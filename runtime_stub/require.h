// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generated code relies on. Pasted below its includes.
#pragma once
#if defined(__FAST_MATH__)
#error \
    "compile this file without -ffast-math: the code relies on IEEE rules (infinities, NaN, order of sums)"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the weights in this file are little-endian"
#endif
