// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Range: y[i] = start + i * delta, i < n. Units: blocks of kPointwiseBlock elements.
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct IotaParamsT {
  Int n;

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("n", p.n);
  }
};
using IotaParams = IotaParamsT<int64_t>;
