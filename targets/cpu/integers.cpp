// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of exact integer products: int16 by packed int8 or int16, sums in int32.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool accepts_short_product(const KernelCall& call) {
  const DType w = call.inputs[1].dtype;
  return call.op.empty() && call.inputs[0].dtype == DType::int16 &&
         (w == DType::int8 || w == DType::int16) && call.inputs[1].constant &&
         call.constant_uses[1].kind == Packing::panels && call.inputs[2].buffer < 0 &&
         !call.inputs[2].constant && call.outputs[0].dtype == DType::int32;
}
bool accepts_gemm_integer(const KernelCall& call, const Capabilities&) {
  const GemmParamsT<Dim>& p = std::get<GemmParamsT<Dim>>(call.params);
  return accepts_short_product(call) && p.k.is_fixed() && p.x_k == Dim(1) &&
         call.constant_uses[1].groups == 1;
}
bool accepts_conv_integer(const KernelCall& call, const Capabilities&) {
  return accepts_short_product(call);
}
double short_product_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.multiply_adds / caps.vector_floats;
}
Packing short_panels(const KernelCall&, int input, const Capabilities& caps) {
  return input == 1 ? Packing{Packing::panels, caps.panel, caps.integer_depth} : Packing{};
}
int64_t conv_integer_scratch(const KernelCall& call, const Capabilities&) {
  return conv_table_scratch(std::get<ConvParamsT<Dim>>(call.params), sizeof(int16_t), false);
}

}  // namespace

void append_integer_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"gemm_integer", "matrix product of short integers with constant weights",
                  Family::gemm, "kernels/gemm_integer.h", "gemm_integer", accepts_gemm_integer,
                  short_product_cycles, nullptr, short_panels, nullptr, false});
  rows.push_back({"conv_integer", "convolution of short integers with constant weights",
                  Family::conv, "kernels/conv_integer.h", "conv_integer", accepts_conv_integer,
                  short_product_cycles, nullptr, short_panels, conv_integer_scratch, false});
}

}  // namespace macec
