// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fused multiply-adds that one core can do: twelve independent accumulators, nothing else in the
// loop.
//
// double peak_gflops(int vector_bytes): 16 (SSE: a multiply and an add), 32 (AVX2 FMA) or 64
// (AVX-512); 0 where the processor has not got it. Multiplication and addition count as two. On
// ARM, 16 is NEON.
#include <chrono>
#include <cstddef>

namespace {

constexpr int kAccumulators = 12;
constexpr long kRounds = 4000000;

// Prevents that the compiler knows or drops a value. Only outside the loop: it puts the value into
// memory.
template <class Vector>
inline void keep(Vector& v) {
  __asm__ volatile("" : "+m"(v));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

#if defined(__x86_64__)
typedef float Float4 __attribute__((vector_size(16)));
typedef float Float8 __attribute__((vector_size(32)));
typedef float Float16 __attribute__((vector_size(64)));

#define PEAK_LOOP(NAME, VECTOR, TARGET, STEP)                                                   \
  __attribute__((TARGET, noinline)) double NAME() {                                             \
    VECTOR a[kAccumulators], x, y;                                                              \
    for (size_t e = 0; e < sizeof(VECTOR) / sizeof(float); ++e) {                               \
      x[e] = 0.999f;                                                                            \
      y[e] = 0.001f;                                                                            \
    }                                                                                           \
    keep(x);                                                                                    \
    keep(y);                                                                                    \
    _Pragma("GCC unroll 12") for (int j = 0; j < kAccumulators; ++j) a[j] = x;                  \
    const auto start = std::chrono::steady_clock::now();                                        \
    for (long i = 0; i < kRounds; ++i) {                                                        \
      _Pragma("GCC unroll 12") for (int j = 0; j < kAccumulators; ++j) {                        \
        STEP;                                                                                   \
      }                                                                                         \
    }                                                                                           \
    const double seconds = seconds_since(start);                                                \
    VECTOR sum = a[0];                                                                          \
    _Pragma("GCC unroll 12") for (int j = 1; j < kAccumulators; ++j) sum += a[j];               \
    keep(sum);                                                                                  \
    constexpr double kFlops = 2.0 * kRounds * kAccumulators * (sizeof(VECTOR) / sizeof(float)); \
    return kFlops / seconds * 1e-9;                                                             \
  }

PEAK_LOOP(peak_sse, Float4, target("sse2"),
          __asm__ volatile("mulps %1, %0\n\taddps %2, %0"
                           : "+x"(a[j])
                           : "x"(x), "x"(y)))
PEAK_LOOP(peak_avx2, Float8, target("avx2,fma"),
          __asm__ volatile("vfmadd213ps %2, %1, %0"
                           : "+x"(a[j])
                           : "x"(x), "x"(y)))
PEAK_LOOP(peak_avx512, Float16, target("avx512f"),
          __asm__ volatile("vfmadd213ps %2, %1, %0"
                           : "+v"(a[j])
                           : "v"(x), "v"(y)))
#endif

}  // namespace

extern "C" double peak_gflops(int vector_bytes) {
#if defined(__x86_64__)
  if (vector_bytes == 16) return peak_sse();
  if (vector_bytes == 32 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return peak_avx2();
  if (vector_bytes == 64 && __builtin_cpu_supports("avx512f")) return peak_avx512();
#endif
  (void)vector_bytes;
  return 0;
}
