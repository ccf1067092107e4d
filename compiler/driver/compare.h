// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Is an output right? Type, shape, places of NaN and infinity are exact; integers and bools, too.
#pragma once
#include <optional>
#include <string>

#include "compiler/ir/tensor.h"

namespace macec {

// Floats: |have - want| <= atol + rtol * |want| where one of the two is given; else <= share * greatest |want| of the output.
struct Tolerance {
  std::optional<double> rtol, atol;
  double share = 1e-4;
};

// "" if `have` is right, else one line that says what differs most. *worst: the greatest difference as a share of the greatest
// expected magnitude (of floats).
std::string difference(const Tensor& have, const Tensor& want, const Tolerance& tolerance,
                       double* worst);

}  // namespace macec
