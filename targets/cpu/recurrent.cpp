// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the recurrent family.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

constexpr int kRecurrentWeights = 2;  // the input R

const RecurrentParamsT<Dim>& params_of(const KernelCall& call) {
  return std::get<RecurrentParamsT<Dim>>(call.params);
}

bool accepts_plain(const KernelCall& call, const Capabilities&) {
  const DType dtype = call.inputs[0].dtype;
  return is_vector_float(dtype) || dtype == DType::float64;
}
bool accepts_panels(const KernelCall& call, const Capabilities&) {
  return call.inputs[0].dtype == DType::float32 &&
         call.constant_uses[kRecurrentWeights].kind == Packing::panels;
}

double plain_cycles(const KernelCall& call, const Capabilities&) {
  return call.multiply_adds * 5;
}
double panel_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.multiply_adds / caps.vector_floats;
}

Packing panels(const KernelCall&, int input, const Capabilities& caps) {
  return input == kRecurrentWeights ? Packing{Packing::panels, caps.panel} : Packing{};
}

int64_t plain_scratch(const KernelCall& call, const Capabilities&) {
  const int64_t size = call.inputs[0].dtype == DType::float64 ? 8 : 4;
  return size * recurrent_scratch(params_of(call).kind, params_of(call).hidden);
}
int64_t panel_scratch(const KernelCall& call, const Capabilities& caps) {
  const int64_t panel_count = (params_of(call).hidden + caps.panel - 1) / caps.panel;
  return 4 * recurrent_scratch(params_of(call).kind, panel_count * caps.panel);
}

}  // namespace

void append_recurrent_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"recurrent_plain", "RNN, GRU, LSTM of any float type, weights as ONNX has them",
                  Family::recurrent, "kernels/recurrent_plain.h", "recurrent_plain", accepts_plain,
                  plain_cycles, nullptr, nullptr, plain_scratch, false});
  rows.push_back({"recurrent", "RNN, GRU, LSTM behind the product of their inputs, R in panels",
                  Family::recurrent, "kernels/recurrent.h", "recurrent", accepts_panels,
                  panel_cycles, nullptr, panels, panel_scratch, false});
}

}  // namespace macec
