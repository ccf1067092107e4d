// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of elementwise work, reductions, softmax and normalisation.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool accepts_all(const KernelCall&, const Capabilities&) {
  return true;
}
double element_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.elements * 2 / caps.vector_floats;
}
bool is_vector_float(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16;
}
bool accepts_float_rows(const KernelCall& call, const Capabilities&) {
  return is_vector_float(call.inputs[0].dtype) && is_vector_float(call.outputs[0].dtype);
}

}  // namespace

void append_vector_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"pointwise", "elementwise chains with broadcasting and strides",
                  Family::pointwise, "kernels/pointwise.h", "pointwise", accepts_all,
                  element_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"softmax", "softmax over one axis", Family::softmax, "kernels/softmax.h",
                  "softmax", accepts_float_rows, element_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"layer_norm", "layer normalisation of dense rows", Family::norm, "kernels/norm.h",
                  "layer_norm", accepts_float_rows, element_cycles, nullptr, nullptr, nullptr,
                  true});
}

}  // namespace macec
