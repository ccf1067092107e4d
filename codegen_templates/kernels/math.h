// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions over Vf and float: exp, expm1, log, sigmoid, tanh, softplus, erf, gelu,
// gelu_tanh, sin, cos.
//
// Errors in units of the last place, largest seen over a scan of all finite arguments
// (tests/kernels/math_test.cpp):
//   exp 1, log 1, tanh, erf and expm1 1.6, sigmoid 2.2, sin and cos 2.2, softplus 3
//   gelu, gelu_tanh: 4 for x > -1; below, where the result fades away, 3e-7 absolute
// NaN gives NaN, infinities their limits (but gelu of minus infinity is NaN), denormal results are
// rounded right (ARMv7 flushes them, so results below 2^-120 are only good to 2^-125 there). The
// coefficients are printed by tests/kernels/fit_coefficients.py, which says how they are found.
#pragma once
#include "simd/simd.h"

// c0 + c1 x + c2 x^2 + ...
template <class V>
MACEC_INLINE V polynomial(V, float c) {
  return splat<V>(c);
}
template <class V, class... Floats>
MACEC_INLINE V polynomial(V x, float c, Floats... higher) {
  return fma(polynomial(x, higher...), x, splat<V>(c));
}

// The same in two chains, of the even and of the odd powers: half the latency for one more multiplication.
template <class V>
MACEC_INLINE V even_powers(V, float c) {
  return splat<V>(c);
}
template <class V>
MACEC_INLINE V even_powers(V, float c, float) {
  return splat<V>(c);
}
template <class V, class... Floats>
MACEC_INLINE V even_powers(V square, float c, float, Floats... higher) {
  return fma(even_powers(square, higher...), square, splat<V>(c));
}
template <class V, class... Floats>
MACEC_INLINE V long_polynomial(V x, float c, Floats... higher) {
  const V square = x * x;
  return fma(even_powers(square, higher...), x, even_powers(square, c, higher...));
}

// ---- exponential family

// e^x = (1 + q) * 2^n for |x| < 2^21 or so. Adding 1.5 * 2^23 rounds to an integer and leaves it in
// the low bits.
template <class V>
struct ExpParts {
  V q;
  typename Lanes<V>::Int n;
};
template <class V>
MACEC_INLINE ExpParts<V> exp_parts(V x) {
  const V shift = splat<V>(12582912.0f);
  const V shifted = fma(x, splat<V>(1.44269504f), shift);
  const V n = shifted - shift;
  V r = fnma(n, splat<V>(0.693359375f), x);  // ln 2 in two parts: n times the first is exact
  r = fnma(n, splat<V>(-2.12194440e-4f), r);
  const V p = polynomial(r, 0.49999994f, 0.166665211f, 0.041668281f, 0.0083686905f, 0.00138194906f);
  return {fma(r * r, p, r), to_bits(shifted) - to_bits(shift)};
}
// 2^n, -127 <= n <= 127; -127 gives 0.
template <class V>
MACEC_INLINE V power_of_two(typename Lanes<V>::Int n) {
  return from_bits(shift_left<23>(n + splat_int<V>(127)));
}

template <class V>
MACEC_INLINE V exp(V x) {
  x = max_fast(splat<V>(-104.0f), min_fast(splat<V>(89.0f), x));  // in this order a NaN passes
  const ExpParts<V> e = exp_parts(x);
  const typename Lanes<V>::Int half = shift_right<1>(e.n);  // 2^n may lie outside float: two steps
  return (splat<V>(1.0f) + e.q) * power_of_two<V>(half) * power_of_two<V>(e.n - half);
}

// e^x for x <= 0 or NaN; results below 2^-126 become 0.
template <class V>
MACEC_INLINE V exp_nonpositive(V x) {
  const ExpParts<V> e = exp_parts(max_fast(splat<V>(-88.0f), x));
  return (splat<V>(1.0f) + e.q) * power_of_two<V>(e.n);
}

template <class V>
MACEC_INLINE V expm1(V x) {
  const V clamped = max_fast(splat<V>(-20.0f), min_fast(splat<V>(89.0f), x));
  const ExpParts<V> e = exp_parts(clamped);
  const V half = power_of_two<V>(e.n - splat_int<V>(1));  // halved: 2^128 is not a float
  const V y = splat<V>(2.0f) * fma(half, e.q, half - splat<V>(0.5f));
  return select(x == splat<V>(0.0f), x, y);  // keeps -0
}

template <class V>
MACEC_INLINE V sigmoid(V x) {
  const V e = exp(neg(abs(x)));
  return select(x < splat<V>(0.0f), e, splat<V>(1.0f)) / (splat<V>(1.0f) + e);
}

template <class V>
MACEC_INLINE V tanh(V x) {
  const V size = abs(x), square = x * x, one = splat<V>(1.0f), two = splat<V>(2.0f);
  const V p = polynomial(square, -0.333332807f, 0.133314058f, -0.0537365153f, 0.0206281673f,
                         -0.00569229666f);
  const V near_zero = fma(size * square, p, size);
  const V far = one - two / (exp(size + size) + one);
  return copy_sign(select(size < splat<V>(0.625f), near_zero, far), x);
}

// log(1 + e^x)
template <class V>
MACEC_INLINE V softplus(V x) {
  const V u = exp(neg(abs(x)));
  const V p = polynomial(u, 1.0f, -0.499999881f, 0.333327144f, -0.249888644f, 0.198996231f,
                         -0.161351711f, 0.124795295f, -0.0832389519f, 0.0421148241f, -0.0136916712f,
                         0.00208454439f);  // log(1 + u) / u on [0, 1]
  return fma(u, p, max_fast(splat<V>(0.0f), x));
}

// ---- logarithm

template <class V>
MACEC_INLINE V log(V x) {
  using I = typename Lanes<V>::Int;
  const V zero = splat<V>(0.0f);
  const typename Lanes<V>::Mask is_tiny =
      x < splat<V>(1.17549435e-38f);  // denormals (and what is sorted out below)
  const I bits = to_bits(select(is_tiny, x * splat<V>(33554432.0f), x));
  const I n =
      shift_right<23>(bits - splat_int<V>(0x3f3504f3u));  // x = m * 2^n, sqrt(1/2) <= m < sqrt(2)
  const V f = from_bits(bits - shift_left<23>(n)) - splat<V>(1.0f);
  const V exponent = to_float(n) - select(is_tiny, splat<V>(25.0f), zero);
  const V square = f * f;
  const V p = long_polynomial(f, 0.333333313f, -0.250008374f, 0.200012848f, -0.166227743f,
                              0.141998336f, -0.131642312f, 0.127783373f, -0.0764511004f);
  V y = fma(exponent, splat<V>(-2.12194440e-4f), f * square * p);
  y = fnma(splat<V>(0.5f), square, y) + f;
  y = fma(exponent, splat<V>(0.693359375f), y);
  y = select(x == splat<V>(INFINITY), x, y);
  y = select(x == zero, splat<V>(-INFINITY), y);
  return select(x >= zero, y, splat<V>(NAN));
}

// ---- error function

// erf(z) for 0 <= z < 0.95
template <class V>
MACEC_INLINE V erf_near_zero(V z) {
  const V p = polynomial(z * z, 0.128379166f, -0.376126289f, 0.112836257f, -0.0268557407f,
                         0.00519246096f, -0.000805081858f, 8.00288472e-05f);
  return fma(z, p, z);
}
// 1 - erf(z) = e^(-z G(z)) for z >= 0.95, G fitted up to 6.3 and constant from there on
template <class V>
MACEC_INLINE V erfc_far(V z) {
  const V g = long_polynomial(min_fast(splat<V>(6.3f), z), 1.12861598f, 0.63542968f, 0.105393052f,
                              -0.0224533044f, 0.00245516119f, 0.000344340398f, -0.000225876269f,
                              5.33885905e-05f, -7.57829048e-06f, 6.72134831e-07f, -3.44820066e-08f,
                              7.84150356e-10f);
  return exp(neg(z * g));
}

template <class V>
MACEC_INLINE V erf(V x) {
  const V z = abs(x);
  const V y = select(z < splat<V>(0.95f), erf_near_zero(z), splat<V>(1.0f) - erfc_far(z));
  return copy_sign(y, x);
}

// x / 2 * (1 + erf(x / sqrt 2)), without the cancellation of that form for x < 0.
template <class V>
MACEC_INLINE V gelu(V x) {
  const V half = splat<V>(0.5f) * x;
  const V z = abs(x) * splat<V>(0.707106781f);
  const V near_zero = fma(abs(half), erf_near_zero(z), half);
  // Infinity times 0 must not happen above, but below: ONNX's formula has NaN at minus infinity.
  const V weight = abs(min_fast(splat<V>(1000.0f), half));
  const V far = fnma(weight, erfc_far(z), max_fast(splat<V>(0.0f), x));
  return select(z < splat<V>(0.95f), near_zero, far);
}

// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) = x / (1 + e^(-2 ...))
template <class V>
MACEC_INLINE V gelu_tanh(V x) {
  const V u = neg(x * fma(x * x, splat<V>(0.0713548163f), splat<V>(1.59576912f)));
  return x / (splat<V>(1.0f) + exp(u));
}

// ---- sine and cosine

// Applies a libm function to the lanes one by one.
template <class V>
MACEC_NOINLINE V each_lane(float (*f)(float), V x) {
  float lanes[Lanes<V>::kCount];
  store(lanes, x, Full{});
  for (int i = 0; i < Lanes<V>::kCount; ++i) lanes[i] = f(lanes[i]);
  return load<V>(static_cast<const float*>(lanes), Full{});
}

// sin(x + turn * pi / 2), |x| <= 8192. x - n * pi / 2 in four steps: the first three products are
// exact.
template <class V>
MACEC_INLINE V sine_wave(V x, uint32_t turn) {
  using I = typename Lanes<V>::Int;
  const V shift = splat<V>(12582912.0f);
  const V shifted = fma(x, splat<V>(0.636619772f), shift);
  const V n = shifted - shift;
  const I quarter = to_bits(shifted) + splat_int<V>(turn);
  V r = fnma(n, splat<V>(1.5703125f), x);
  r = fnma(n, splat<V>(4.837512969970703125e-4f), r);
  r = fnma(n, splat<V>(7.549533620476723e-08f), r);
  r = fnma(n, splat<V>(2.5633440682570896e-12f), r);
  const V square = r * r;
  const V s = polynomial(square, -0.166666672f, 0.0083333794f, -0.000198530688f, 2.83262943e-06f);
  const V c = polynomial(square, 0.0416666456f, -0.00138873095f, 2.44323273e-05f);
  const V sine = fma(r * square, s, r);
  const V cosine = fma(square * square, c, fnma(splat<V>(0.5f), square, splat<V>(1.0f)));
  const I odd = quarter & splat_int<V>(1);
  const V y = select(equal_int(odd, splat_int<V>(0)), sine, cosine);
  return from_bits(to_bits(y) ^ shift_left<30>(quarter & splat_int<V>(2)));
}

template <class V>
MACEC_INLINE V sin(V x) {
  const typename Lanes<V>::Mask is_huge = abs(x) > splat<V>(8192.0f);
  const V y = select(x == splat<V>(0.0f), x, sine_wave(x, 0));
  return any(is_huge) ? select(is_huge, each_lane(sinf, x), y) : y;
}
template <class V>
MACEC_INLINE V cos(V x) {
  const typename Lanes<V>::Mask is_huge = abs(x) > splat<V>(8192.0f);
  const V y = sine_wave(x, 1);
  return any(is_huge) ? select(is_huge, each_lane(cosf, x), y) : y;
}
