// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that neural networks put between layers. All pass a NaN on, and none overflows on the way
// to a finite result.
#include <algorithm>
#include <cmath>

#include "compiler/ops/steps.h"

namespace macec {
namespace {

#define REAL(expression) \
  [](const double* a, [[maybe_unused]] const float* k) -> double { return expression; }
#define INTEGER(expression)                                                                        \
  [](const int64_t* a, [[maybe_unused]] const float* k, [[maybe_unused]] DType dtype) -> int64_t { \
    return expression;                                                                             \
  }

double k_of(const float* k, int i) {
  return static_cast<double>(k[i]);
}
double clip(double v, double lo, double hi) {
  return v > hi ? hi : v < lo ? std::min(lo, hi) : v;  // lo > hi: hi
}
int64_t clip(int64_t v, int64_t lo, int64_t hi, DType dtype) {
  auto less = [dtype](int64_t a, int64_t b) {
    return dtype == DType::uint64 ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
  };
  const int64_t raised = less(v, lo) ? lo : v;
  return less(hi, raised) ? hi : raised;
}
double sigmoid(double v) {
  return 1 / (1 + std::exp(-v));
}
double softplus(double v) {
  return std::isnan(v) ? v : std::max(v, 0.0) + std::log1p(std::exp(-std::fabs(v)));
}
double gelu(double v) {
  return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0)));
}
double gelu_tanh(double v) {
  const double inner = std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v);
  return 0.5 * v * (1 + std::tanh(inner));
}
double celu(double v, double alpha) {
  return v > 0 ? v : alpha * std::expm1(v / alpha);
}
double elu(double v, double alpha) {
  return v < 0 ? alpha * std::expm1(v) : v;
}
double mish(double v) {
  return v * std::tanh(softplus(v));
}
double shrink(double v, double bias, double lambd) {
  return v < -lambd ? v + bias : v > lambd ? v - bias : 0;
}

constexpr ResultType kSame = ResultType::same;
constexpr const char* kMathHeader = "kernels/math.h";

void append_limiting_steps(StepTable& t) {
  // The fast limits return their second argument when it is a NaN.
  t.push_back({"Relu", 1, kSame, kNumbers, REAL(a[0] < 0 ? 0 : a[0]),
               INTEGER(dtype != DType::uint64 && a[0] < 0 ? 0 : a[0]),
               "max_fast(splat<V>(0.0f), {0})", "scalar_relu({0})", nullptr, 1});
  t.push_back({"Clip", 3, kSame, kNumbers, REAL(clip(a[0], a[1], a[2])),
               INTEGER(clip(a[0], a[1], a[2], dtype)), "min_fast({2}, max_fast({1}, {0}))",
               "scalar_clip({0}, {1}, {2})", nullptr, 2});
  t.push_back({"LeakyRelu",
               1,
               kSame,
               kFloats,
               REAL(a[0] < 0 ? k_of(k, 0) * a[0] : a[0]),
               nullptr,
               "select({0} < splat<V>(0.0f), splat<V>({k0}) * {0}, {0})",
               "({0} < 0 ? T({k0}) * {0} : {0})",
               nullptr,
               3,
               {{"alpha", 0.01f}}});
  t.push_back({"ThresholdedRelu",
               1,
               kSame,
               kFloats,
               REAL(a[0] > k_of(k, 0) ? a[0] : 0),
               nullptr,
               "select({0} > splat<V>({k0}), {0}, splat<V>(0.0f))",
               "({0} > T({k0}) ? {0} : T(0))",
               nullptr,
               2,
               {{"alpha", 1.0f}}});
  t.push_back({"Sigmoid", 1, kSame, kFloats, REAL(sigmoid(a[0])), nullptr, "sigmoid({0})",
               "scalar_sigmoid({0})", kMathHeader, 15});
  t.push_back(
      {"HardSigmoid",
       1,
       kSame,
       kFloats,
       REAL(clip(k_of(k, 0) * a[0] + k_of(k, 1), 0, 1)),
       nullptr,
       "min_fast(splat<V>(1.0f), max_fast(splat<V>(0.0f), splat<V>({k0}) * {0} + splat<V>({k1})))",
       "scalar_clip(T({k0}) * {0} + T({k1}), T(0), T(1))",
       nullptr,
       4,
       {{"alpha", 0.2f}, {"beta", 0.5f}}});
  t.push_back({"HardSwish", 1, kSame, kFloats, REAL(a[0] * clip(a[0] / 6 + 0.5, 0, 1)), nullptr,
               "({0} * min_fast(splat<V>(1.0f), max_fast(splat<V>(0.0f), {0} * "
               "splat<V>(0.166666667f) + splat<V>(0.5f))))",
               "({0} * scalar_clip({0} / 6 + T(0.5), T(0), T(1)))", nullptr, 5});
}

void append_smooth_steps(StepTable& t) {
  t.push_back({"Softplus", 1, kSame, kFloats, REAL(softplus(a[0])), nullptr, "softplus({0})",
               "scalar_softplus({0})", kMathHeader, 25});
  t.push_back({"Softsign", 1, kSame, kFloats, REAL(a[0] / (1 + std::fabs(a[0]))), nullptr,
               "({0} / (splat<V>(1.0f) + abs({0})))", "({0} / (1 + scalar_abs({0})))", nullptr, 6});
  t.push_back({"Mish", 1, kSame, kFloats, REAL(mish(a[0])), nullptr, "({0} * tanh(softplus({0})))",
               "({0} * scalar_tanh(scalar_softplus({0})))", kMathHeader, 30});
  t.push_back({"Gelu", 1, kSame, kFloats, REAL(gelu(a[0])), nullptr, "gelu({0})",
               "scalar_gelu({0})", kMathHeader, 18});
  t.push_back({"GeluTanh", 1, kSame, kFloats, REAL(gelu_tanh(a[0])), nullptr, "gelu_tanh({0})",
               "scalar_gelu_tanh({0})", kMathHeader, 20});
  t.push_back({"Swish",
               1,
               kSame,
               kFloats,
               REAL(a[0] * sigmoid(k_of(k, 0) * a[0])),
               nullptr,
               "({0} * sigmoid(splat<V>({k0}) * {0}))",
               "({0} * scalar_sigmoid(T({k0}) * {0}))",
               kMathHeader,
               17,
               {{"alpha", 1.0f}}});
}

void append_two_sided_steps(StepTable& t) {
  t.push_back({"Elu",
               1,
               kSame,
               kFloats,
               REAL(elu(a[0], k_of(k, 0))),
               nullptr,
               "select({0} < splat<V>(0.0f), splat<V>({k0}) * expm1({0}), {0})",
               "({0} < 0 ? T({k0}) * scalar_expm1({0}) : {0})",
               kMathHeader,
               14,
               {{"alpha", 1.0f}}});
  t.push_back({"Celu",
               1,
               kSame,
               kFloats,
               REAL(celu(a[0], k_of(k, 0))),
               nullptr,
               "select({0} > splat<V>(0.0f), {0}, splat<V>({k0}) * expm1({0} / splat<V>({k0})))",
               "({0} > 0 ? {0} : T({k0}) * scalar_expm1({0} / T({k0})))",
               kMathHeader,
               18,
               {{"alpha", 1.0f}}});
  t.push_back({"Selu",
               1,
               kSame,
               kFloats,
               REAL(k_of(k, 1) * elu(a[0], k_of(k, 0))),
               nullptr,
               "(splat<V>({k1}) * select({0} < splat<V>(0.0f), splat<V>({k0}) * expm1({0}), {0}))",
               "(T({k1}) * ({0} < 0 ? T({k0}) * scalar_expm1({0}) : {0}))",
               kMathHeader,
               15,
               {{"alpha", 1.67326319217681884765625f}, {"gamma", 1.05070102214813232421875f}}});
  t.push_back(
      {"Shrink",
       1,
       kSame,
       kNumbers,
       REAL(shrink(a[0], k_of(k, 0), k_of(k, 1))),
       INTEGER(static_cast<int64_t>(shrink(static_cast<double>(a[0]), k_of(k, 0), k_of(k, 1)))),
       "select({0} < splat<V>(-{k1}), {0} + splat<V>({k0}), select({0} > splat<V>({k1}), {0} - "
       "splat<V>({k0}), splat<V>(0.0f)))",
       "scalar_shrink({0}, {k0}, {k1})",
       nullptr,
       4,
       {{"bias", 0.0f}, {"lambd", 0.5f}}});
}

}  // namespace

void append_activation_steps(StepTable& t) {
  append_limiting_steps(t);
  append_smooth_steps(t);
  append_two_sided_steps(t);
}

}  // namespace macec
