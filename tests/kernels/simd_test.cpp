// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vector vocabulary: storage conversions over all 16-bit patterns, rounding, comparisons, NaN
// rules, part loads and stores.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/simd/simd.h"
#include "codegen_templates/kernels/transpose.h"
}  // namespace kernels

namespace {

using kernels::Full;
using kernels::half_t;
using kernels::kLanes;
using kernels::Part;
using kernels::Vf;
using bf16 = kernels::bfloat16_t;

#if defined(__arm__)
constexpr bool kFlushesDenormals = true;
#else
constexpr bool kFlushesDenormals = false;
#endif

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
bool same(float a, float b) {
  return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

// The value of 16 bits, by the definition of the format.
double value_of_half(uint32_t h) {
  const int exponent = static_cast<int>(h >> 10 & 31), mantissa = static_cast<int>(h & 1023);
  const double sign = (h & 0x8000u) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa == 0 ? sign * HUGE_VAL : static_cast<double>(NAN);
  if (exponent == 0) return sign * ldexp(mantissa, -24);
  return sign * ldexp(1024 + mantissa, exponent - 25);
}

template <class T>
void load_lanes_and_scalars_agree(const char* what, float (*expected)(uint32_t)) {
  T stored[kLanes];
  float lane[kLanes];
  for (uint32_t h = 0; h < 65536; h += kLanes) {
    for (uint32_t i = 0; i < kLanes; ++i) stored[i].bits = static_cast<uint16_t>(h + i);
    kernels::store(lane, kernels::load<Vf>(stored, Full{}), Full{});
    for (uint32_t i = 0; i < kLanes; ++i) {
      const float want = expected(h + i);
      if (kFlushesDenormals && fabsf(want) < 1.17549435e-38f) continue;
      check(same(lane[i], want), std::string(what) + text("bits", h + i));
      check(same(kernels::load<float>(stored + i, Full{}), want),
            std::string(what) + " scalar" + text("bits", h + i));
    }
  }
}

// Stores v as lanes and as a scalar; both must be `want` (any NaN for a NaN).
template <class T>
void stores_as(float v, uint32_t want, uint32_t infinity, const char* what) {
  T stored[kLanes], scalar;
  kernels::store(stored, kernels::splat<Vf>(v), Full{});
  kernels::store(&scalar, v, Full{});
  const bool is_nan = (want & 0x7fffu) > infinity;
  for (int i = 0; i < kLanes; ++i) {
    const bool ok = is_nan ? (stored[i].bits & 0x7fffu) > infinity : stored[i].bits == want;
    check(ok, std::string(what) + text("float bits", bits_of(v)) + text("got", stored[i].bits) +
                  text("want", want));
  }
  check(is_nan ? (scalar.bits & 0x7fffu) > infinity : scalar.bits == want,
        std::string(what) + " scalar" + text("bits", bits_of(v)));
}

// For each finite float16 h and its successor: h itself, just below, at and just above the middle.
void half_rounds_to_nearest_even() {
  for (uint32_t h = 0; h < 0x7c00u; ++h) {
    const double low = value_of_half(h), high = h == 0x7bffu ? 65536.0 : value_of_half(h + 1);
    const float middle = static_cast<float>((low + high) / 2);
    const uint32_t even = (h & 1) == 0 ? h : h + 1;
    for (uint32_t sign = 0; sign <= 0x8000u; sign += 0x8000u) {
      const float s = sign == 0 ? 1.0f : -1.0f;
      stores_as<half_t>(s * static_cast<float>(low), sign | h, 0x7c00u, "half");
      stores_as<half_t>(s * nextafterf(middle, 0.0f), sign | h, 0x7c00u, "half below");
      stores_as<half_t>(s * middle, sign | even, 0x7c00u, "half middle");
      stores_as<half_t>(s * nextafterf(middle, HUGE_VALF), sign | (h + 1), 0x7c00u, "half above");
    }
  }
  stores_as<half_t>(HUGE_VALF, 0x7c00u, 0x7c00u, "half infinity");
  stores_as<half_t>(1e30f, 0x7c00u, 0x7c00u, "half overflow");
  stores_as<half_t>(NAN, 0x7e00u, 0x7c00u, "half NaN");
  stores_as<half_t>(1e-40f, 0, 0x7c00u, "half of a denormal");
}

void bfloat16_rounds_to_nearest_even() {
  for (uint32_t b = 0x80; b < 0x7f80u; ++b) {
    const uint32_t even = (b & 1) == 0 ? b : b + 1;
    stores_as<bf16>(float_of(b << 16), b, 0x7f80u, "bfloat16");
    stores_as<bf16>(float_of((b << 16) + 0x7fffu), b, 0x7f80u, "bfloat16 below");
    stores_as<bf16>(float_of((b << 16) + 0x8000u), even, 0x7f80u, "bfloat16 middle");
    stores_as<bf16>(float_of((b << 16) + 0x8001u), b + 1, 0x7f80u, "bfloat16 above");
  }
  stores_as<bf16>(HUGE_VALF, 0x7f80u, 0x7f80u, "bfloat16 infinity");
  stores_as<bf16>(float_of(0x7f800001u), 0x7fc0u, 0x7f80u, "bfloat16 NaN");
}

// Every function of one argument at interesting places.
void rounding_equals_the_c_library() {
  const float at[] = {0.0f,       -0.0f,      0.5f,        -0.5f,         1.5f,       2.5f,
                      -1.5f,      -2.5f,      0.49999997f, -0.3f,         8388607.5f, -8388607.5f,
                      8388608.0f, 4194303.5f, -4194304.5f, 16777217.0f,   1e30f,      -1e30f,
                      HUGE_VALF,  -HUGE_VALF, NAN,         2147483648.0f, 1.0f,       -1.0f,
                      3.7f,       -3.7f};
  for (const float v : at) {
    const Vf x = kernels::splat<Vf>(v);
    const struct {
      const char* name;
      Vf lanes;
      float want;
    } cases[] = {
        {"floor", kernels::floor(x), floorf(v)},
        {"ceil", kernels::ceil(x), ceilf(v)},
        {"trunc", kernels::trunc(x), truncf(v)},
        {"round_even", kernels::round_even(x), rintf(v)},
        {"abs", kernels::abs(x), fabsf(v)},
        {"neg", kernels::neg(x), -v},
        {"sqrt", kernels::sqrt(x), sqrtf(v)},
        {"divide", kernels::splat<Vf>(3.0f) / x, 3.0f / v},
        {"copy_sign", kernels::copy_sign(kernels::splat<Vf>(2.0f), x), copysignf(2.0f, v)}};
    for (const auto& c : cases) {
      float lane[kLanes];
      kernels::store(lane, c.lanes, Full{});
      for (int i = 0; i < kLanes; ++i) {
        if (!same(lane[i], c.want))
          check_close(lane[i], c.want, -1, std::string(c.name) + text("bits", bits_of(v)));
      }
    }
  }
}

void nan_wins_in_min_and_max() {
  const float values[] = {NAN, -1.0f, 2.0f, HUGE_VALF, -HUGE_VALF};
  for (const float a : values) {
    for (const float b : values) {
      const float least = isnan(a) || isnan(b) ? NAN : fminf(a, b),
                  most = isnan(a) || isnan(b) ? NAN : fmaxf(a, b);
      float lane[kLanes];
      kernels::store(lane, kernels::min(kernels::splat<Vf>(a), kernels::splat<Vf>(b)), Full{});
      check(same(lane[0], least) && same(kernels::min(a, b), least), "min");
      kernels::store(lane, kernels::max(kernels::splat<Vf>(a), kernels::splat<Vf>(b)), Full{});
      check(same(lane[0], most) && same(kernels::max(a, b), most), "max");
    }
  }
  for (int at = 0; at < kLanes; ++at) {
    float lane[kLanes];
    for (int i = 0; i < kLanes; ++i) lane[i] = static_cast<float>(i);
    lane[at] = 100.0f;
    const float* p = lane;
    check(same(kernels::max_lane(kernels::load<Vf>(p, Full{})), 100.0f), text("max_lane", at));
    lane[at] = -100.0f;
    check(same(kernels::min_lane(kernels::load<Vf>(p, Full{})), -100.0f), text("min_lane", at));
    lane[at] = NAN;
    check(isnan(kernels::max_lane(kernels::load<Vf>(p, Full{}))), text("max_lane NaN", at));
    lane[at] = static_cast<float>(at);
    check(same(kernels::sum(kernels::load<Vf>(p, Full{})),
               static_cast<float>(kLanes * (kLanes - 1) / 2)),
          "sum");
  }
}

void masks_follow_ieee() {
  const float values[] = {NAN, -1.0f, 0.0f, -0.0f, 2.0f, HUGE_VALF};
  const Vf one = kernels::splat<Vf>(1.0f), zero = kernels::splat<Vf>(0.0f);
  for (const float a : values) {
    for (const float b : values) {
      const Vf x = kernels::splat<Vf>(a), y = kernels::splat<Vf>(b);
      const kernels::Vm masks[] = {x<y, x <= y, x> y,
                                   x >= y,
                                   x == y,
                                   x != y,
                                   kernels::mask_not(x < y),
                                   kernels::mask_and(x < y, x == x),
                                   kernels::mask_or(x < y, x == y)};
      const bool want[] = {a<b, a <= b, a> b,  a >= b,         a == b, a != b, !(a < b),
                           a < b && !isnan(a), a < b || a == b};
      for (int m = 0; m < 9; ++m) {
        const float total = kernels::sum(kernels::select(masks[m], one, zero));
        check(same(total, want[m] ? static_cast<float>(kLanes) : 0.0f), text("comparison", m));
        check(kernels::any(masks[m]) == want[m], text("any", m));
      }
    }
  }
}

// A part reads and writes its own elements only; the other lanes are 0.
template <class T>
void parts_stay_inside(const char* what) {
  for (int n = 1; n < kLanes; ++n) {
    Guarded<T> x(n), y(n);
    for (int i = 0; i < n; ++i) kernels::store(&x[i], static_cast<float>(i + 1), Full{});
    const T* from = x.data();
    const Vf v = kernels::load<Vf>(from, Part{n});
    check(same(kernels::sum(v), static_cast<float>(n * (n + 1) / 2)),
          std::string(what) + text("sum of part", n));
    kernels::store(y.data(), v, Part{n});
    check(memcmp(x.data(), y.data(), sizeof(T) * static_cast<size_t>(n)) == 0 && y.intact(),
          std::string(what) + text("part", n));
    Guarded<T> wide(3 * (n - 1) + 1);
    kernels::store_strided(wide.data(), 3, v, Part{n});
    const T* strided = wide.data();
    const Vf back = kernels::load_strided<Vf>(strided, 3, Part{n});
    check(same(kernels::sum(back), static_cast<float>(n * (n + 1) / 2)),
          std::string(what) + text("strided", n));
  }
  T all[kLanes];
  float lane[kLanes];
  for (int i = 0; i < kLanes; ++i) lane[i] = static_cast<float>(i * 7);
  const float* p = lane;
  kernels::store(all, kernels::load<Vf>(p, Full{}), Full{});
  const T* q = all;
  kernels::store(lane, kernels::load<Vf>(q, Full{}), Full{});
  for (int i = 0; i < kLanes; ++i)
    check(same(lane[i], static_cast<float>(i * 7)), std::string(what) + text("lane", i));
}

// Values at the ends of each type come back unchanged, in every lane.
template <class T>
void integers_come_back(const char* what, double lo, double hi) {
  T x[kLanes], y[kLanes];
  for (int turn = 0; turn < kLanes; ++turn) {
    for (int i = 0; i < kLanes; ++i) {
      const double value = (i + turn) % 3 == 0 ? lo : (i + turn) % 3 == 1 ? hi : (i + turn) % 5;
      x[i] = static_cast<T>(value);
    }
    const T* from = x;
    const Vf v = kernels::load<Vf>(from, Full{});
    float lane[kLanes];
    kernels::store(lane, v, Full{});
    kernels::store(y, v + kernels::copy_sign(kernels::splat<Vf>(0.5f), v), Full{});  // truncates
    for (int i = 0; i < kLanes; ++i) {
      check(same(lane[i], static_cast<float>(x[i])), std::string(what) + text("load lane", i));
      check(y[i] == x[i], std::string(what) + text("store lane", i));
    }
  }
}

void planes_transpose() {
  for (const int64_t rows : {1, 3, 4, 7, 8, 16, 17, 35}) {
    for (const int64_t columns : {1, 3, 8, 9, 64, 70}) {
      std::vector<float> x(static_cast<size_t>(columns * (rows + 1)));
      Guarded<float> y((rows - 1) * (columns + 2) + columns);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      kernels::transpose_plane<4>(reinterpret_cast<const char*>(x.data()), rows + 1,
                                  reinterpret_cast<char*>(y.data()), columns + 2, rows, columns);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          check(same(y[r * (columns + 2) + c], static_cast<float>(c * (rows + 1) + r)),
                text("transpose", rows) + text("by", columns));
        }
      }
      check(y.intact(), "transpose canary");
    }
  }
}

}  // namespace

int main() {
  load_lanes_and_scalars_agree<half_t>(
      "load half", [](uint32_t h) { return static_cast<float>(value_of_half(h)); });
  load_lanes_and_scalars_agree<bf16>("load bfloat16", [](uint32_t b) { return float_of(b << 16); });
  half_rounds_to_nearest_even();
  bfloat16_rounds_to_nearest_even();
  rounding_equals_the_c_library();
  nan_wins_in_min_and_max();
  masks_follow_ieee();
  parts_stay_inside<float>("float");
  parts_stay_inside<half_t>("half");
  parts_stay_inside<bf16>("bfloat16");
  parts_stay_inside<int32_t>("int32");
  parts_stay_inside<int64_t>("int64");
  parts_stay_inside<int8_t>("int8");
  parts_stay_inside<uint8_t>("uint8");
  integers_come_back<int8_t>("int8", -128, 127);
  integers_come_back<uint8_t>("uint8", 0, 255);
  integers_come_back<int16_t>("int16", -32768, 32767);
  integers_come_back<uint16_t>("uint16", 0, 65535);
  integers_come_back<int32_t>("int32", -8388607, 8388607);
  integers_come_back<int64_t>("int64", -8388607, 8388607);
  integers_come_back<bool>("bool", 0, 1);
  planes_transpose();
  return report("simd_test");
}
