// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor features as C++: how generated code asks at open what the machine can do.
//
// x86: __builtin_cpu_supports, which gcc and clang answer from a variable of their run-time
// library. ARM: the bits that Linux and Android give by getauxval, sysctl names on Apple systems,
// what the code was compiled for elsewhere (bare metal). runtime_stub/levels.h has the function;
// this table has the words.
#include <fmt/format.h>

#include "compiler/emit/interface_parts.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct FeatureRow {
  const char* feature;   // LLVM's name
  const char* x86;       // argument of __builtin_cpu_supports; nullptr: not an x86 feature
  int hwcap, hwcap2;     // bit of AT_HWCAP or AT_HWCAP2 on ARM; -1: not there
  const char* apple;     // sysctl name
  const char* compiled;  // predefined macro, 1 if the whole file is compiled for it
};

constexpr FeatureRow kFeatures[] = {
    {"sse2", "sse2", -1, -1, "", ""},
    {"sse3", "sse3", -1, -1, "", ""},
    {"ssse3", "ssse3", -1, -1, "", ""},
    {"sse4.1", "sse4.1", -1, -1, "", ""},
    {"sse4.2", "sse4.2", -1, -1, "", ""},
    {"popcnt", "popcnt", -1, -1, "", ""},
    {"avx", "avx", -1, -1, "", ""},
    {"avx2", "avx2", -1, -1, "", ""},
    {"fma", "fma", -1, -1, "", ""},
    {"bmi", "bmi", -1, -1, "", ""},
    {"bmi2", "bmi2", -1, -1, "", ""},
    {"avx512f", "avx512f", -1, -1, "", ""},
    {"avx512bw", "avx512bw", -1, -1, "", ""},
    {"avx512dq", "avx512dq", -1, -1, "", ""},
    {"avx512cd", "avx512cd", -1, -1, "", ""},
    {"avx512vl", "avx512vl", -1, -1, "", ""},
    {"avx512vnni", "avx512vnni", -1, -1, "", ""},
    // AArch64. Every ARMv8 processor has neon there.
    {"fullfp16", nullptr, 10, -1, "hw.optional.arm.FEAT_FP16",
     "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC"},
    {"dotprod", nullptr, 20, -1, "hw.optional.arm.FEAT_DotProd", "__ARM_FEATURE_DOTPROD"},
    {"i8mm", nullptr, -1, 13, "hw.optional.arm.FEAT_I8MM", "__ARM_FEATURE_MATMUL_INT8"},
    {"bf16", nullptr, -1, 14, "hw.optional.arm.FEAT_BF16", "__ARM_FEATURE_BF16"},
    {"sve", nullptr, 22, -1, "", "__ARM_FEATURE_SVE"},
};

// Features that f16c, lzcnt and movbe always come with: no compiler of ours has names for all of
// them.
bool is_implied(const std::string& feature, const std::vector<std::string>& all) {
  if (feature != "f16c" && feature != "lzcnt" && feature != "movbe") return false;
  for (const std::string& other : all) {
    if (other == "avx2") return true;
  }
  return false;
}

}  // namespace

std::string features_code(const std::vector<std::string>& features) {
  std::string code;
  for (const std::string& feature : features) {
    if (feature == "neon" || is_implied(feature, features)) continue;
    const FeatureRow* row = nullptr;
    for (const FeatureRow& candidate : kFeatures) {
      if (feature == candidate.feature) row = &candidate;
    }
    MACEC_CHECK(row, "no test for the processor feature '{}'", feature);
    if (!code.empty()) code += " && ";
    if (row->x86) {
      code += fmt::format("__builtin_cpu_supports(\"{}\")", row->x86);
    } else {
      code += fmt::format("MACEC_HAS_FEATURE({}, {}, \"{}\", {})", row->hwcap, row->hwcap2,
                          row->apple, row->compiled);
    }
  }
  return code.empty() ? "true" : code;
}

}  // namespace macec
