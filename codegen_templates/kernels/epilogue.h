// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The epilogue of kernels that have nothing fused behind them, and what kernels ask of epilogues.
#pragma once
#include "simd/simd.h"

struct NoEpilogue {
  template <class V, class N>
  MACEC_INLINE V operator()(V v, int64_t, int64_t, N) const {
    return v;
  }
};

// An epilogue with much code (exponentials and the like) says `static constexpr bool kIsLarge = true`:
// kernels then call it in a loop over stored results instead of once for each register.
template <class Epilogue, class = void>
struct EpilogueSize {
  [[maybe_unused]] static constexpr bool kIsLarge = false;
};
template <class Epilogue>
struct EpilogueSize<Epilogue, decltype(static_cast<void>(Epilogue::kIsLarge))> {
  [[maybe_unused]] static constexpr bool kIsLarge = Epilogue::kIsLarge;
};
