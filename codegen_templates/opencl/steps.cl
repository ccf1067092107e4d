// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vocabulary of pointwise steps.
//
// Arguments are plain names, literals or expressions without effects: each may be evaluated more than once.
//
// op_...: over V, which is float or float4 where they are used. A mask is what a comparison gives, of type VMASK: int (0, 1) for
// float, int4 (0, -1) for float4. A NaN passes through all limits but op_min_fast(nan, b) and op_max_fast(nan, b).
#define op_splat(x) ((V)(x))
#define op_select(mask, a, b) select(b, a, mask)
#define op_mask_and(a, b) ((a) && (b))
#define op_mask_or(a, b) ((a) || (b))
#define op_mask_not(a) (!(a))
#define op_max_fast(a, b) select(b, a, (a) > (b))
#define op_min_fast(a, b) select(b, a, (a) < (b))
#define op_max(a, b) select(b, a, (a) != (a) || (a) > (b))
#define op_min(a, b) select(b, a, (a) != (a) || (a) < (b))
#define op_abs(x) fabs(x)
#define op_neg(x) (-(x))
#define op_sqrt(x) sqrt(x)
#define op_floor(x) floor(x)
#define op_ceil(x) ceil(x)
#define op_round_even(x) rint(x)
#define op_fmod(a, b) fmod(a, b)
#define op_pow(a, b) pow(a, b)
#define op_exp(x) exp(x)
#define op_expm1(x) expm1(x)
#define op_log(x) log(x)
#define op_erf(x) erf(x)
#define op_tanh(x) tanh(x)
#define op_sin(x) sin(x)
#define op_cos(x) cos(x)
#define op_tan(x) tan(x)
#define op_asin(x) asin(x)
#define op_acos(x) acos(x)
#define op_atan(x) atan(x)
#define op_sinh(x) sinh(x)
#define op_cosh(x) cosh(x)
#define op_asinh(x) asinh(x)
#define op_acosh(x) acosh(x)
#define op_atanh(x) atanh(x)
// Division as IEEE 754 has it: the device's own may be off by some units of the last place.
#define op_exact_div(a, b) op_refined_quotient((a) / (b), a, b)
#define op_refined_quotient(q, a, b) \
  op_select(isfinite(fma(-(q), b, a)), (q) + fma(-(q), b, a) / (b), q)
#define op_sigmoid(x) (op_splat(1.0f) / (op_splat(1.0f) + exp(-(x))))
#define op_softplus(x) (op_max_fast(op_splat(0.0f), x) + log1p(exp(-fabs(x))))
// x / 2 * erfc(-x / sqrt 2): no cancellation below 0.
#define op_gelu(x) (op_splat(0.5f) * (x) * erfc((x) * op_splat(-0.70710678f)))
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) = x / (1 + e^(-2 ...))
#define op_gelu_tanh(x) \
  ((x) / (op_splat(1.0f) + exp(-((x) * ((x) * (x) * op_splat(0.0713548163f) + op_splat(1.59576912f))))))

// Sign of the divisor, as Python's %; floats one by one.
static inline float op_mod(float a, float b) {
  const float r = fmod(a, b);
  if (r == 0.0f) return copysign(0.0f, b);
  return (r < 0.0f) != (b < 0.0f) ? r + b : r;
}
// x rounded to half precision.
static inline float op_through_half(float x) {
  ushort bits;
  vstore_half_rte(x, 0, (half*)&bits);
  return vload_half(0, (const half*)&bits);
}

// exact_...: over the integer type T, given as the first argument. Wrap modulo 2^bits; dividing by zero gives 0.
#define exact_is_signed(T) ((T)-1 < (T)0)
#define exact_add(T, a, b) ((T)((ulong)(a) + (ulong)(b)))
#define exact_sub(T, a, b) ((T)((ulong)(a) - (ulong)(b)))
#define exact_mul(T, a, b) ((T)((ulong)(a) * (ulong)(b)))
#define exact_neg(T, v) ((T)(0ul - (ulong)(v)))
#define exact_is_minus_one(T, v) (exact_is_signed(T) && (v) == (T)-1)
// The divisor 1 stands in for those that have no quotient, so that no lane divides by zero.
#define exact_divisor(T, b) ((b) == 0 || exact_is_minus_one(T, b) ? (T)1 : (b))
#define exact_div(T, a, b) \
  ((b) == 0 ? (T)0 : exact_is_minus_one(T, b) ? exact_neg(T, a) : (T)((a) / exact_divisor(T, b)))
#define exact_fmod(T, a, b) ((T)((a) % exact_divisor(T, b)))
#define exact_mod(T, a, b) \
  (exact_fmod(T, a, b) != 0 && (exact_fmod(T, a, b) < 0) != ((b) < 0) ? exact_add(T, exact_fmod(T, a, b), b) \
                                                                      : exact_fmod(T, a, b))
#define exact_max(T, a, b) ((a) > (b) ? (a) : (b))
#define exact_min(T, a, b) ((a) < (b) ? (a) : (b))
#define exact_clip(T, v, lo, hi) exact_min(T, hi, exact_max(T, v, lo))
#define exact_abs(T, v) ((v) < 0 ? exact_neg(T, v) : (v))
#define exact_sign(T, v) ((T)((v) > 0 ? 1 : (v) < 0 ? -1 : 0))
#define exact_relu(T, v) ((v) < 0 ? (T)0 : (v))
#define exact_prelu(T, v, slope) ((v) < 0 ? exact_mul(T, v, slope) : (v))
// A count outside the type shifts everything out; to the right the sign comes in.
#define exact_fits(T, n) ((ulong)(n) < 8 * sizeof(T))
#define exact_shift_left(T, v, n) (exact_fits(T, n) ? (T)((ulong)(v) << ((n) & 63)) : (T)0)
#define exact_shift_right(T, v, n) (exact_fits(T, n) ? (T)((v) >> (n)) : (v) < 0 ? (T)-1 : (T)0)
#define exact_pow(T, a, n) \
  ((n) < 0 ? (T)((a) == 1 ? 1 : exact_is_minus_one(T, a) ? ((n) & 1 ? -1 : 1) : 0) \
           : (T)exact_power((ulong)(a), (ulong)(n)))
static inline ulong exact_power(ulong a, ulong n) {
  ulong result = 1;
  for (; n != 0; n >>= 1, a *= a) {
    if (n & 1) result *= a;
  }
  return result;
}
// v - bias above lambd, v + bias below -lambd, truncated; else 0.
#define exact_shrink(T, v, bias, lambd) ((T)exact_shrunk((long)(v), bias, lambd))
static inline long exact_shrunk(long v, float bias, float lambd) {
  const int is_below = v < convert_long_sat(ceil(-lambd));
  if (!is_below && v <= convert_long_sat(floor(lambd))) return 0;
  const float add = is_below ? bias : -bias;
  const long sum = v + convert_long_sat(floor(add));
  return sum < 0 && floor(add) != add ? sum + 1 : sum;
}

// To the integer type T: floats truncate toward zero and saturate, NaN is 0.
#define exact_from_float(T, x) ((x) == (x) ? convert_##T##_sat_rtz(x) : (T)0)
#define exact_saturate(T, x) convert_##T##_sat(x)
