// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that change the element type. evaluate_steps and emit/expression.cpp know them: they read
// one type and give another.
//
//   Cast      floats truncate toward zero and saturate, NaN is 0
//             wide integers drop high bits; nonzero and NaN are true
//             saturate: of float8 formats; rounding: of float8e8m0, 0 nearest, 1 up, 2 down
//   Saturate  an integer from a float that is whole already, or from a wider integer,
//             limited to the type's range
#include "compiler/ops/steps.h"

namespace macec {

void append_conversion_steps(StepTable& t) {
  const auto same_real = [](const double* a, const float*) { return a[0]; };
  const auto same_integer = [](const int64_t* a, const float*, DType) { return a[0]; };
  t.push_back({"Identity", 1, ResultType::same, kAnyType, same_real, same_integer, "{0}", "{0}",
               nullptr, 0});
  t.push_back({"Cast",
               1,
               ResultType::attribute_to,
               kAnyType,
               nullptr,
               nullptr,
               nullptr,
               "scalar_cast<T>({0})",
               nullptr,
               1,
               {{"saturate", 1.0f}, {"rounding", 1.0f}}});
  t.push_back({"Saturate", 1, ResultType::attribute_to, kAnyType, nullptr, nullptr, nullptr,
               "scalar_saturate<T>({0})", nullptr, 2});
}

}  // namespace macec
