// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which chains of steps can be computed on vectors of float.
//
// In such code every value has one of these forms:
//   number   a vector of float: float32, float16, bfloat16
//   mask     bool; from a comparison or from loaded bytes
//   whole    integers of at most 16 bits as floats that hold them: loaded, stored or converted,
//   never computed with wide     32- and 64-bit integers, only loaded and converted to float32
#include "compiler/ops/elementwise.h"

namespace macec {
namespace {

bool is_number(DType t) {
  return t == DType::float32 || t == DType::float16 || t == DType::bfloat16;
}
bool is_whole(DType t) {
  return info(t).is_integer && (info(t).bits == 8 || info(t).bits == 16);
}
bool is_wide(DType t) {
  return t == DType::int32 || t == DType::int64;
}

bool converts(DType from, DType to, bool is_last) {
  if (is_number(to)) {
    // Rounding to 16 bits happens when the value is stored.
    if (to != DType::float32 && !is_last) return false;
    return is_number(from) || is_whole(from) || (is_wide(from) && to == DType::float32);
  }
  return is_number(from) && is_whole(to) && is_last;
}

}  // namespace

bool has_vector_form(const std::vector<PointwiseStep>& steps, const std::vector<DType>& inputs,
                     DType main, const std::vector<int>& results) {
  std::vector<int> uses(steps.size());
  for (const PointwiseStep& step : steps) {
    for (const StepArg& arg : step.args) {
      if (arg.kind == StepArg::step) ++uses[static_cast<size_t>(arg.index)];
    }
  }
  auto type_of = [&](const StepArg& arg) {
    const auto i = static_cast<size_t>(arg.index);
    return arg.kind == StepArg::result ? main
           : arg.kind == StepArg::step ? steps[i].dtype
                                       : inputs[i];
  };
  for (size_t s = 0; s < steps.size(); ++s) {
    const PointwiseStep& step = steps[s];
    const ElementwiseOp* op = find_elementwise(step.op);
    if (!op) return false;
    const DType last = type_of(step.args.back());
    if (step.op == "Cast" || step.op == "Saturate") {
      if (!converts(last, step.dtype, uses[s] == 0)) return false;
      continue;
    }
    if (!op->vector_code) return false;
    const bool is_logic =
        last == DType::boolean && (op->types == kBooleans || step.op == "Identity");
    if (!is_number(last) && !is_logic) return false;
    for (const StepArg& arg : step.args) {
      const DType t = type_of(arg);
      if (!is_number(t) && t != DType::boolean) return false;
    }
  }
  for (int r : results) {
    const DType t = steps[static_cast<size_t>(r)].dtype;
    if (!is_number(t) && !is_whole(t) && t != DType::boolean) return false;
  }
  return true;
}

}  // namespace macec
