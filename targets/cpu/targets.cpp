// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Levels and tools of the CPU targets.
#include "targets/cpu/cpu.h"

namespace macec {
namespace {

Level x86_v1() {
  return {"x86-64", "level_v1",        "kernels/simd/sse2.h",
          {},       {"<emmintrin.h>"}, {4, 16, 16, false, 32 << 10, 256 << 10, 2}};
}
Level x86_v3() {
  return {"x86-64-v3",           "level_v3",
          "kernels/simd/avx2.h", {"avx2", "fma", "f16c", "bmi", "bmi2"},
          {"<immintrin.h>"},     {8, 16, 16, true, 32 << 10, 512 << 10, 2}};
}
Level x86_v4() {
  return {"x86-64-v4",
          "level_v4",
          "kernels/simd/avx512.h",
          {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma", "f16c", "bmi", "bmi2"},
          {"<immintrin.h>"},
          {16, 32, 16, true, 32 << 10, 1 << 20, 2}};
}
Level armv8_base() {
  return {"armv8", "level_armv8",    "kernels/simd/neon.h",
          {},      {"<arm_neon.h>"}, {4, 32, 8, true, 32 << 10, 256 << 10}};
}
Level armv7_base() {
  return {"armv7", "level_armv7",    "kernels/simd/neon.h",
          {},      {"<arm_neon.h>"}, {4, 16, 8, false, 32 << 10, 256 << 10}};
}
Level portable() {
  return {"portable",
          "level_portable",
          "kernels/simd/portable.h",
          {},
          {},
          {4, 0, 8, false, 32 << 10, 256 << 10}};
}

Target x86(const char* name, const char* doc, std::vector<Level> levels) {
  return {name, doc, std::move(levels), "g++", {}, "g++", {}, "", "x86"};
}

}  // namespace

std::vector<Target> cpu_targets() {
  return {
      x86("x86-64", "64-bit x86; three levels in one file: SSE2, AVX2, AVX-512",
          {x86_v1(), x86_v3(), x86_v4()}),
      x86("x86-64-sse2-avx2", "64-bit x86; two levels in one file: SSE2, AVX2; less code",
          {x86_v1(), x86_v3()}),
      x86("x86-64-v1", "64-bit x86, SSE2 only", {x86_v1()}),
      x86("x86-64-v3", "64-bit x86 with AVX2 and FMA", {x86_v3()}),
      x86("x86-64-v4", "64-bit x86 with AVX-512", {x86_v4()}),
      {"armv8",
       "64-bit ARM with NEON",
       {armv8_base()},
       "aarch64-linux-gnu-g++",
       {},
       "g++-aarch64-linux-gnu",
       {"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"},
       "qemu-user",
       "arm"},
      {"armv7",
       "32-bit ARM with NEON",
       {armv7_base()},
       "arm-linux-gnueabihf-g++",
       {"-mfpu=neon"},
       "g++-arm-linux-gnueabihf",
       {"qemu-arm", "-L", "/usr/arm-linux-gnueabihf"},
       "qemu-user",
       "arm"},
      {"portable",
       "plain C++17, any processor and compiler",
       {portable()},
       "g++",
       {},
       "g++",
       {},
       "",
       ""},
  };
}

}  // namespace macec
