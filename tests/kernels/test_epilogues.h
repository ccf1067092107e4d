// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Epilogues of the tests; included inside the namespace of the kernels.
#pragma once
#include "codegen_templates/kernels/epilogue.h"

// max(v + skip[row][col], 0)
struct AddRelu {
  const float* skip;
  int64_t skip_row;
  template <class V, class N>
  MACEC_INLINE V operator()(V v, int64_t row, int64_t col, N n) const {
    return max_fast(v + load<V>(skip + row * skip_row + col, n), splat<V>(0));
  }
};

// The same for the way of large epilogues.
struct LargeAddRelu : AddRelu {
  static constexpr bool kIsLarge = true;
};
