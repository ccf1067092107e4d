// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that give or read bool. In vector code a bool is a mask of lanes.
#include <cmath>

#include "compiler/ops/steps.h"

namespace macec {
namespace {

bool is_less(int64_t a, int64_t b, DType dtype) {
  return dtype == DType::uint64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

#define REAL(expression) [](const double* a, const float*) -> double { return expression; }
#define INTEGER(expression) \
  [](const int64_t* a, const float*, [[maybe_unused]] DType dtype) -> int64_t { return expression; }

}  // namespace

void append_logic_steps(StepTable& t) {
  const ResultType boolean = ResultType::boolean;
  t.push_back({"Equal", 2, boolean, kAnyType, REAL(a[0] == a[1]), INTEGER(a[0] == a[1]),
               "({0} == {1})", "({0} == {1})", nullptr, 1});
  t.push_back({"Less", 2, boolean, kNumbers, REAL(a[0] < a[1]), INTEGER(is_less(a[0], a[1], dtype)),
               "({0} < {1})", "({0} < {1})", nullptr, 1});
  t.push_back({"LessOrEqual", 2, boolean, kNumbers, REAL(a[0] <= a[1]),
               INTEGER(!is_less(a[1], a[0], dtype)), "({0} <= {1})", "({0} <= {1})", nullptr, 1});
  t.push_back({"Greater", 2, boolean, kNumbers, REAL(a[0] > a[1]),
               INTEGER(is_less(a[1], a[0], dtype)), "({0} > {1})", "({0} > {1})", nullptr, 1});
  t.push_back({"GreaterOrEqual", 2, boolean, kNumbers, REAL(a[0] >= a[1]),
               INTEGER(!is_less(a[0], a[1], dtype)), "({0} >= {1})", "({0} >= {1})", nullptr, 1});
  t.push_back({"And", 2, boolean, kBooleans, nullptr, INTEGER(a[0] & a[1]), "mask_and({0}, {1})",
               "({0} && {1})", nullptr, 1});
  t.push_back({"Or", 2, boolean, kBooleans, nullptr, INTEGER(a[0] | a[1]), "mask_or({0}, {1})",
               "({0} || {1})", nullptr, 1});
  t.push_back({"Xor", 2, boolean, kBooleans, nullptr, INTEGER(a[0] ^ a[1]),
               "mask_or(mask_and({0}, mask_not({1})), mask_and({1}, mask_not({0})))",
               "({0} != {1})", nullptr, 3});
  t.push_back({"Not", 1, boolean, kBooleans, nullptr, INTEGER(!a[0]), "mask_not({0})", "(!{0})",
               nullptr, 1});
  t.push_back({"True", 1, boolean, kAnyType, REAL((static_cast<void>(a), 1)),
               INTEGER((static_cast<void>(a), 1)), nullptr, "(static_cast<void>({0}), true)",
               nullptr, 1});
  t.push_back({"IsNaN", 1, boolean, kFloats, REAL(std::isnan(a[0])), nullptr, "({0} != {0})",
               "({0} != {0})", nullptr, 1});
  t.push_back({"IsInf", 1, boolean, kFloats, REAL(std::isinf(a[0])), nullptr,
               "(abs({0}) == splat<V>(INFINITY))", "scalar_is_inf({0})", nullptr, 2});
  t.push_back({"IsPositiveInf", 1, boolean, kFloats, REAL(std::isinf(a[0]) && a[0] > 0), nullptr,
               "({0} == splat<V>(INFINITY))", "({0} > 0 && scalar_is_inf({0}))", nullptr, 2});
  t.push_back({"IsNegativeInf", 1, boolean, kFloats, REAL(std::isinf(a[0]) && a[0] < 0), nullptr,
               "({0} == splat<V>(-INFINITY))", "({0} < 0 && scalar_is_inf({0}))", nullptr, 2});
  t.push_back({"Where", 3, ResultType::same, kAnyType, REAL(a[0] != 0 ? a[1] : a[2]),
               INTEGER(a[0] != 0 ? a[1] : a[2]), "select({0}, {1}, {2})", "({0} ? {1} : {2})",
               nullptr, 1});
}

}  // namespace macec
