// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of one number from mathematics. What has no vector form of its own runs libm lane by lane.
#include <cmath>

#include "compiler/ops/steps.h"

namespace macec {
namespace {

#define REAL(expression) [](const double* a, const float*) -> double { return expression; }
#define INTEGER(expression) \
  [](const int64_t* a, const float*, [[maybe_unused]] DType dtype) -> int64_t { return expression; }

double sign_of(double v) {
  return v > 0 ? 1 : v < 0 ? -1 : v;  // a NaN stays
}
int64_t sign_of(int64_t v, DType dtype) {
  if (dtype == DType::uint64) return v != 0;
  return (v > 0) - (v < 0);
}
int64_t negated(int64_t v) {
  return static_cast<int64_t>(0 - static_cast<uint64_t>(v));
}

}  // namespace

void append_math_steps(StepTable& t) {
  const ResultType same = ResultType::same;
  const char* math = "kernels/math.h";
  const char* libm = "kernels/libm.h";
  t.push_back({"Abs", 1, same, kNumbers, REAL(std::fabs(a[0])),
               INTEGER(dtype != DType::uint64 && a[0] < 0 ? negated(a[0]) : a[0]), "abs({0})",
               "scalar_abs({0})", nullptr, 1});
  t.push_back({"Neg", 1, same, kNumbers, REAL(-a[0]), INTEGER(negated(a[0])), "neg({0})",
               "scalar_neg({0})", nullptr, 1});
  t.push_back({"Sign", 1, same, kNumbers, REAL(sign_of(a[0])), INTEGER(sign_of(a[0], dtype)),
               "select({0} > splat<V>(0.0f), splat<V>(1.0f), select({0} < splat<V>(0.0f), "
               "splat<V>(-1.0f), {0}))",
               "scalar_sign({0})", nullptr, 3});
  t.push_back({"Reciprocal", 1, same, kFloats, REAL(1 / a[0]), nullptr, "(splat<V>(1.0f) / {0})",
               "(1 / {0})", nullptr, 5});
  t.push_back({"Sqrt", 1, same, kFloats, REAL(std::sqrt(a[0])), nullptr, "sqrt({0})",
               "scalar_sqrt({0})", nullptr, 5});
  t.push_back({"Floor", 1, same, kFloats, REAL(std::floor(a[0])), nullptr, "floor({0})",
               "scalar_floor({0})", nullptr, 2});
  t.push_back({"Ceil", 1, same, kFloats, REAL(std::ceil(a[0])), nullptr, "ceil({0})",
               "scalar_ceil({0})", nullptr, 2});
  t.push_back({"Round", 1, same, kFloats, REAL(std::nearbyint(a[0])), nullptr, "round_even({0})",
               "scalar_rint({0})", nullptr, 2});
  t.push_back({"Exp", 1, same, kFloats, REAL(std::exp(a[0])), nullptr, "exp({0})",
               "scalar_exp({0})", math, 10});
  t.push_back({"Log", 1, same, kFloats, REAL(std::log(a[0])), nullptr, "log({0})",
               "scalar_log({0})", math, 12});
  t.push_back({"Erf", 1, same, kFloats, REAL(std::erf(a[0])), nullptr, "erf({0})",
               "scalar_erf({0})", math, 14});
  t.push_back({"Tanh", 1, same, kFloats, REAL(std::tanh(a[0])), nullptr, "tanh({0})",
               "scalar_tanh({0})", math, 14});
  t.push_back({"Sin", 1, same, kFloats, REAL(std::sin(a[0])), nullptr, "sin({0})",
               "scalar_sin({0})", math, 14});
  t.push_back({"Cos", 1, same, kFloats, REAL(std::cos(a[0])), nullptr, "cos({0})",
               "scalar_cos({0})", math, 14});
#define LIBM(Name, function)                                                                  \
  t.push_back({Name, 1, same, kFloats, REAL(std::function(a[0])), nullptr, #function "({0})", \
               "scalar_" #function "({0})", libm, 40})
  LIBM("Tan", tan);
  LIBM("Asin", asin);
  LIBM("Acos", acos);
  LIBM("Atan", atan);
  LIBM("Sinh", sinh);
  LIBM("Cosh", cosh);
  LIBM("Asinh", asinh);
  LIBM("Acosh", acosh);
  LIBM("Atanh", atanh);
}

}  // namespace macec
