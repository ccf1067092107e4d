// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Template files as they stand in generated code.
#pragma once
#include <set>
#include <string>
#include <vector>

namespace macec {

// Collects template files with everything they include, each once, in the order of need.
class Paster {
 public:
  // simd_header: stands for "kernels/simd/simd.h", e.g. "kernels/simd/avx2.h".
  explicit Paster(std::string simd_header) : simd_header_(std::move(simd_header)) {}
  // path: from codegen_templates/, "kernels/gemm.h".
  void add(const std::string& path);
  // Text of all kernels; parameter structs stand outside the levels and are collected apart.
  const std::string& text() const { return text_; }
  const std::vector<std::string>& params() const { return params_; }               // paths
  const std::set<std::string>& system_headers() const { return system_headers_; }  // "<math.h>"

 private:
  std::string simd_header_;
  std::string text_;
  std::set<std::string> done_;
  std::vector<std::string> params_;
  std::set<std::string> system_headers_;
};

// The text of one parameter file without includes and without what only the compiler needs.
std::string pasted_params(const std::string& path);

}  // namespace macec
