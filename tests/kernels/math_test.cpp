// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementary functions against those of the C library in double: a scan over all floats (every
// kStride-th bit pattern), the special values, and lanes against scalars bit by bit.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/libm.h"
}  // namespace kernels

namespace {

using kernels::Vf;

#if defined(__arm__)
constexpr bool kFlushesDenormals = true;
#else
constexpr bool kFlushesDenormals = false;
#endif
#if defined(__SSE2__)
constexpr uint32_t kStride = 4099;
#else
constexpr uint32_t kStride = 40009;  // runs in an emulator
#endif
constexpr double kSmallest = 1.1754943508222875e-38;  // normal float

// |got - want| in units of the last place of want; 0 if both are NaN or the same infinity.
double ulps(float got, double want) {
  if (isnan(want)) return isnan(got) ? 0 : 1e9;
  const float nearest = static_cast<float>(want);
  if (isinf(nearest)) {  // beyond the largest float: it and infinity are both near
    if (got == nearest) return 0;
    return isinf(want) ? 1e9 : fabs((static_cast<double>(got) - want) / ldexp(1.0, 104));
  }
  // Where denormals are flushed so are small intermediate products.
  if (kFlushesDenormals && fabs(want) < ldexp(1.0, -120)) {
    return fabs(static_cast<double>(got) - want) <= 2 * kSmallest ? 0 : 1e9;
  }
  int exponent;
  frexp(want, &exponent);
  const double place = ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
  return fabs(static_cast<double>(got) - want) / place;
}

struct Function {
  const char* name;
  Vf (*vector)(Vf);
  float (*scalar)(float);
  double (*reference)(double);
  double ulps;
  double absolute;  // accepted as well, however many places it is
  double lo, hi;    // where it is scanned
};

double ref_sigmoid(double x) {
  return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
double ref_softplus(double x) {
  return fmax(x, 0) + log1p(exp(-fabs(x)));
}
double ref_gelu(double x) {
  return 0.5 * x * erfc(-x * sqrt(0.5));
}
double ref_gelu_tanh(double x) {
  return x / (1 + exp(-2 * sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}
double ref_nonpositive(double x) {
  return x < -87.33 ? 0 : exp(x);
}

#define MACEC_FUNCTION(f) #f, kernels::f < Vf>, kernels::f < float>
const Function kFunctions[] = {
    {MACEC_FUNCTION(exp), exp, 1.1, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(exp_nonpositive), ref_nonpositive, 1.1, kSmallest, -HUGE_VAL, 0},
    {MACEC_FUNCTION(expm1), expm1, 3, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(log), log, 2, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(sigmoid), ref_sigmoid, 3, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(tanh), tanh, 2, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(softplus), ref_softplus, 3, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(erf), erf, 2, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(gelu), ref_gelu, 4, 3e-7, -HUGE_VAL, -1},
    {MACEC_FUNCTION(gelu), ref_gelu, 4, 0, -1, HUGE_VAL},
    {MACEC_FUNCTION(gelu_tanh), ref_gelu_tanh, 4, 3e-7, -HUGE_VAL, -1},
    {MACEC_FUNCTION(gelu_tanh), ref_gelu_tanh, 4, 0, -1, HUGE_VAL},
    {MACEC_FUNCTION(sin), sin, 2.5, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(cos), cos, 2.5, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(tan), tan, 2, 0, -HUGE_VAL, HUGE_VAL},
    {MACEC_FUNCTION(asinh), asinh, 2, 0, -HUGE_VAL, HUGE_VAL},
};

float float_of(uint32_t bits) {
  float v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
uint32_t bits_of(float v) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

struct Worst {
  double ulps = 0;
  float at = 0;
};

void examine(const Function& f, const float* x, Worst* worst) {
  float y[kernels::kLanes];
  kernels::store(y, f.vector(kernels::load<Vf>(x, kernels::Full{})), kernels::Full{});
  for (int i = 0; i < kernels::kLanes; ++i) {
    const double v = static_cast<double>(x[i]);
    if (v < f.lo || v > f.hi) continue;
    const double want = f.reference(v);
    double error = ulps(y[i], want);
    if (fabs(static_cast<double>(y[i]) - want) <= f.absolute) error = 0;
    if (kFlushesDenormals && fabs(v) < kSmallest)
      error = fmin(error, ulps(y[i], f.reference(v * 0)));
    if (error > worst->ulps) worst->ulps = error, worst->at = x[i];
    const float scalar = f.scalar(x[i]);
    const bool same = bits_of(scalar) == bits_of(y[i]) || (isnan(scalar) && isnan(y[i]));
    if (!same && !kFlushesDenormals)
      check_close(y[i], scalar, 0, std::string(f.name) + " lane and scalar");
  }
}

void scan(const Function& f) {
  Worst worst;
  float x[kernels::kLanes];
  int filled = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += kStride) {
    x[filled++] = float_of(static_cast<uint32_t>(bits));
    if (filled == kernels::kLanes) examine(f, x, &worst), filled = 0;
  }
  const float special[] = {0.0f,     -0.0f,    HUGE_VALF, -HUGE_VALF, NAN,
                           1.0f,     -1.0f,    88.72284f, 88.72283f,  -87.33655f,
                           -103.97f, -104.0f,  1e-45f,    -1e-45f,    1.17549435e-38f,
                           3.4e38f,  -3.4e38f, 0.625f,    1.3435f,    8192.0f};
  for (const float v : special) {
    for (int i = 0; i < kernels::kLanes; ++i) x[i] = v;
    examine(f, x, &worst);
  }
  for (int i = 0; i < 200000; i += kernels::kLanes) {  // dense where the functions bend
    for (int j = 0; j < kernels::kLanes; ++j) x[j] = static_cast<float>(i + j - 100000) * 1e-4f;
    examine(f, x, &worst);
  }
  printf("  %-16s %6.2f ulp at %.9g\n", f.name, worst.ulps, static_cast<double>(worst.at));
  check(worst.ulps <= f.ulps, std::string(f.name) + " is off by too much");
}

}  // namespace

int main() {
  for (const Function& f : kFunctions) scan(f);
  check(bits_of(kernels::tanh(-0.0f)) == 0x80000000u, "tanh(-0) is -0");
  check(bits_of(kernels::erf(-0.0f)) == 0x80000000u, "erf(-0) is -0");
  check(bits_of(kernels::sin(-0.0f)) == 0x80000000u, "sin(-0) is -0");
  check(std::isnan(kernels::gelu(-HUGE_VALF)), "gelu(-inf) is NaN, as its formula has it");
  check(std::isinf(kernels::gelu(HUGE_VALF)), "gelu(inf) is infinite");
  return report("math_test");
}
