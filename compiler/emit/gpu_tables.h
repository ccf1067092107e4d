// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL half of a model in a generated source: the texts of its program, and the tables of
// runtime_stub/gpu_tables.h.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "compiler/ir/plan.h"

namespace macec {

// The templates that plans with a GPU half use, each as a string constant; once per file.
class GpuTemplates {
 public:
  void add(const Plan& plan);
  bool empty() const { return files_.empty(); }
  std::string text() const;  // for the unnamed namespace
  // The constant that holds a template: "kClConv1x1" for "opencl/conv_1x1.cl".
  static std::string constant(const std::string& file);

 private:
  std::set<std::string> files_;
};

// What the recorded answer of the self-check needs: see GpuCheckInput and GpuCheckOutput.
struct GpuCheck {
  struct Input {
    DType dtype = DType::float32;
    int64_t elements = 0;
    double lo = -1, hi = 1;
  };
  struct Output {
    DType dtype = DType::float32;
    int64_t elements = 0, stride = 1;
    std::vector<float> sample;
    float tolerance = 0, magnitude = 0;
  };
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<int64_t> dims;  // of the run that was recorded
};

// The tables of one model, for its namespace: ends with `constexpr GpuModel kGpu`. weight_offsets:
// of plan.weights in the blob. check: nullptr for none; weights_hash: of the blob that gave its
// answers (hash_of_blob).
std::string gpu_tables(const Plan& plan, const std::vector<int64_t>& weight_offsets,
                       const GpuCheck* check, uint64_t weights_hash);

// Launches of the steps before `step` (by number), in the order of the table.
int first_launch(const Plan& plan, int step);

}  // namespace macec
