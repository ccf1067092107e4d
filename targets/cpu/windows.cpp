// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows of the window families and of gemm.
#include <cmath>

#include "targets/cpu/rows.h"

namespace macec {
namespace {

const ConvParamsT<Dim>& conv_params(const KernelCall& call) {
  return std::get<ConvParamsT<Dim>>(call.params);
}
const GemmParamsT<Dim>& gemm_params(const KernelCall& call) {
  return std::get<GemmParamsT<Dim>>(call.params);
}

bool has_packed_weights(const KernelCall& call) {
  return is_vector_float(call.inputs[0].dtype) && is_vector_float(call.outputs[0].dtype) &&
         call.inputs[1].constant &&
         (call.inputs[2].buffer < 0 || call.inputs[2].dtype == DType::float32 ||
          call.inputs[2].constant);
}

double peak(const Capabilities& caps) {
  return caps.vector_floats * (caps.has_fma ? 2.0 : 1.0);
}  // multiply-adds a cycle

bool is_one_by_one(const ConvParamsT<Dim>& p) {
  for (int a = 0; a < 3; ++a)
    if (p.kernel[a] != 1 || p.stride[a] != 1 || p.pad[a] != Dim(0) || p.in[a] != p.out[a])
      return false;
  return true;
}
bool is_depthwise(const ConvParamsT<Dim>& p) {
  return p.group > 1 && p.in_channels == 1 && p.out_channels == 1;
}

// conv
// -----------------------------------------------------------------------------------------------------------------

bool accepts_conv_igemm(const KernelCall& call, const Capabilities&) {
  return call.op.empty() && has_packed_weights(call);
}
bool accepts_panels(const KernelCall& call, const Capabilities& caps) {
  return accepts_conv_igemm(call, caps) && call.constant_uses[1].kind == Packing::panels;
}
bool accepts_conv_pointwise(const KernelCall& call, const Capabilities& caps) {
  return accepts_panels(call, caps) && is_one_by_one(conv_params(call));
}
bool accepts_depthwise_any(const KernelCall& call, const Capabilities& caps) {
  return accepts_conv_igemm(call, caps) && call.constant_uses[1].kind == Packing::taps &&
         is_depthwise(conv_params(call));
}
bool accepts_depthwise_many(const KernelCall& call, const Capabilities& caps) {
  if (!accepts_panels(call, caps)) return false;
  const ConvParamsT<Dim>& p = conv_params(call);
  return p.group > 1 && p.in_channels == 1 && p.out_channels >= 2 && p.out_channels <= 4;
}
std::string channels_of_group(const KernelCall& call, const Capabilities&) {
  return std::to_string(conv_params(call).out_channels);
}
Packing conv_groups(const KernelCall&, int input, const Capabilities&) {
  return input == 1 ? Packing{Packing::groups, 1} : Packing{};
}
// Weights of larger kernels do not fit registers.
bool accepts_depthwise(const KernelCall& call, const Capabilities& caps) {
  if (!accepts_depthwise_any(call, caps)) return false;
  const ConvParamsT<Dim>& p = conv_params(call);
  const bool is_dense = p.dilation[0] == 1 && p.dilation[1] == 1 && p.dilation[2] == 1;
  return is_dense && p.kernel[0] == 1 && p.kernel[1] <= 5 && p.kernel[2] <= 5 && p.stride[2] <= 2;
}
// Panels of few columns waste the rest of the panel.
double conv_igemm_cycles(const KernelCall& call, const Capabilities& caps) {
  const ConvParamsT<Dim>& p = conv_params(call);
  const double columns = (p.out_channels + caps.panel - 1) / caps.panel * caps.panel;
  // Of all groups; each is a pointer, read once a panel.
  const double rows = call.multiply_adds / (static_cast<double>(p.in_channels) * p.out_channels);
  return call.multiply_adds * columns / p.out_channels / peak(caps) * 1.15 + rows * 2;
}
double conv_pointwise_cycles(const KernelCall& call, const Capabilities& caps) {
  return conv_igemm_cycles(call, caps) * 0.9;
}
double depthwise_any_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.multiply_adds / caps.vector_floats * 2.0;
}
double depthwise_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.multiply_adds / caps.vector_floats * 0.8;
}
Packing conv_taps(const KernelCall&, int input, const Capabilities&) {
  return input == 1 ? Packing{Packing::taps, 1} : Packing{};
}
Packing conv_panels(const KernelCall&, int input, const Capabilities& caps) {
  return input == 1 ? Packing{Packing::panels, caps.panel} : Packing{};
}
int64_t conv_scratch(const KernelCall& call, const Capabilities&) {
  return conv_igemm_scratch(conv_params(call), info(call.inputs[0].dtype).bits / 8);
}

// few output channels

bool accepts_conv_dots(const KernelCall& call, const Capabilities& caps) {
  const ConvParamsT<Dim>& p = conv_params(call);
  return accepts_panels(call, caps) && p.group == 1 && p.out_channels <= 4;
}
// Runs are filled up to whole vectors; every result is a sum over the lanes.
double conv_dots_cycles(const KernelCall& call, const Capabilities& caps) {
  const ConvParamsT<Dim>& p = conv_params(call);
  const double run = p.in_channels * (conv_dots_runs(p) ? p.kernel[2] : 1);
  const double filled = std::ceil(run / caps.vector_floats) * caps.vector_floats / run;
  const double results = call.multiply_adds / (run * (conv_dots_runs(p) ? 1 : p.kernel[2])) /
                         (p.kernel[0] * p.kernel[1]);
  return call.multiply_adds * filled / peak(caps) * 2 + results * 10;
}
Packing conv_rows_of_weights(const KernelCall&, int input, const Capabilities&) {
  return input == 1 ? Packing{Packing::panels, 1} : Packing{};
}
int64_t conv_dots_scratch_bytes(const KernelCall& call, const Capabilities&) {
  return conv_dots_scratch(conv_params(call), info(call.inputs[0].dtype).bits / 8);
}

// transposed conv

bool accepts_conv_transposed(const KernelCall& call, const Capabilities&) {
  return call.op == "transposed" && has_packed_weights(call) &&
         call.constant_uses[1].kind == Packing::panels;
}
bool accepts_conv_transposed_depthwise(const KernelCall& call, const Capabilities&) {
  return call.op == "transposed" && has_packed_weights(call) &&
         call.constant_uses[1].kind == Packing::taps;
}
Packing conv_phases(const KernelCall&, int input, const Capabilities& caps) {
  return input == 1 ? Packing{Packing::phases, caps.panel} : Packing{};
}
int64_t conv_transposed_scratch_bytes(const KernelCall& call, const Capabilities&) {
  return conv_transposed_scratch(conv_params(call), info(call.inputs[0].dtype).bits / 8);
}
std::string depthwise_arguments(const KernelCall& call, const Capabilities&) {
  const ConvParamsT<Dim>& p = conv_params(call);
  return fmt::format("{}, {}, {}", p.kernel[1], p.kernel[2], p.stride[2]);
}

// gemm
// -----------------------------------------------------------------------------------------------------------------

// pool

bool is_float_pool(const KernelCall& call) {
  return is_vector_float(call.inputs[0].dtype) && is_vector_float(call.outputs[0].dtype);
}
bool accepts_pool_max(const KernelCall& call, const Capabilities&) {
  return call.op == "Max" && is_float_pool(call);
}
bool accepts_pool_average(const KernelCall& call, const Capabilities&) {
  return call.op == "Average" && is_float_pool(call);
}
double pool_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.elements / caps.vector_floats * 2;
}

bool x_is_dense(const GemmParamsT<Dim>& p) {
  return p.x_k == Dim(1) || p.k == Dim(1);
}

// A batch of constant matrices is none: panels hold one.
bool accepts_gemm_packed(const KernelCall& call, const Capabilities&) {
  return call.op.empty() && has_packed_weights(call) && gemm_params(call).k.is_fixed() &&
         call.constant_uses[1].kind == Packing::panels;
}
bool accepts_gemm_dynamic(const KernelCall& call, const Capabilities&) {
  return call.op.empty() && is_vector_float(call.inputs[0].dtype) &&
         is_vector_float(call.inputs[1].dtype) && is_vector_float(call.outputs[0].dtype) &&
         (call.inputs[2].buffer < 0 || call.inputs[2].dtype == DType::float32) &&
         !(call.inputs[2].constant && call.inputs[2].dtype != DType::float32);
}
double gemm_packed_cycles(const KernelCall& call, const Capabilities& caps) {
  return call.multiply_adds / peak(caps) * 1.1;
}
double gemm_dynamic_cycles(const KernelCall& call, const Capabilities& caps) {
  const GemmParamsT<Dim>& p = gemm_params(call);
  const double packs = static_cast<double>((p.batch[0] * p.batch[1] * p.k * p.n).hi());
  return gemm_packed_cycles(call, caps) + packs * 2;
}
int64_t gemm_packed_scratch_bytes(const KernelCall& call, const Capabilities&) {
  const GemmParamsT<Dim>& p = gemm_params(call);
  return gemm_packed_scratch(p.k.hi(), x_is_dense(p));
}
int64_t gemm_dynamic_scratch_bytes(const KernelCall& call, const Capabilities& caps) {
  const GemmParamsT<Dim>& p = gemm_params(call);
  return gemm_dynamic_scratch(p.n.hi(), p.k.hi(), caps.panel, x_is_dense(p));
}

}  // namespace

void append_window_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"conv_igemm", "any convolution: gemm over row pointers, no patch matrix",
                  Family::conv, "kernels/conv_igemm.h", "conv_igemm", accepts_panels,
                  conv_igemm_cycles, nullptr, conv_panels, conv_scratch, true, false, true});
  rows.push_back({"conv_pointwise", "1x1 convolution, stride 1, no padding", Family::conv,
                  "kernels/conv_pointwise.h", "conv_pointwise", accepts_conv_pointwise,
                  conv_pointwise_cycles, nullptr, conv_panels, nullptr, true, false, true});
  rows.push_back({"conv_dots", "convolution to few channels: dot products along the depth",
                  Family::conv, "kernels/conv_dots.h", "conv_dots", accepts_conv_dots,
                  conv_dots_cycles, nullptr, conv_rows_of_weights, conv_dots_scratch_bytes, true});
  rows.push_back({"conv_transposed", "transposed convolution: a gemm for each output phase",
                  Family::conv, "kernels/conv_transposed.h", "conv_transposed",
                  accepts_conv_transposed, conv_igemm_cycles, nullptr, conv_phases,
                  conv_transposed_scratch_bytes, true});
  rows.push_back({"conv_transposed_depthwise", "depthwise transposed convolution", Family::conv,
                  "kernels/conv_transposed.h", "conv_transposed_depthwise",
                  accepts_conv_transposed_depthwise, depthwise_any_cycles, nullptr, conv_taps,
                  nullptr, true});
  rows.push_back({"gemm_packed", "matrix product with constant weights in panels", Family::gemm,
                  "kernels/gemm.h", "gemm_packed", accepts_gemm_packed, gemm_packed_cycles, nullptr,
                  conv_panels, gemm_packed_scratch_bytes, true, false, true});
  rows.push_back({"gemm_dynamic", "matrix product of two run-time matrices", Family::gemm,
                  "kernels/gemm.h", "gemm_dynamic", accepts_gemm_dynamic, gemm_dynamic_cycles,
                  nullptr, nullptr, gemm_dynamic_scratch_bytes, true});
  rows.push_back({"conv_depthwise_any", "depthwise convolution of any form", Family::conv,
                  "kernels/depthwise.h", "conv_depthwise_any", accepts_depthwise_any,
                  depthwise_any_cycles, nullptr, conv_taps, nullptr, true});
  rows.push_back({"conv_depthwise_many", "depthwise convolution to some channels for each",
                  Family::conv, "kernels/depthwise_many.h", "conv_depthwise_many",
                  accepts_depthwise_many, depthwise_any_cycles, channels_of_group, conv_groups,
                  nullptr, true});
  rows.push_back({"conv_depthwise", "depthwise convolution, weights in registers", Family::conv,
                  "kernels/depthwise.h", "conv_depthwise", accepts_depthwise, depthwise_cycles,
                  depthwise_arguments, conv_taps, nullptr, true});
  rows.push_back({"pool_max", "greatest element of windows", Family::pool, "kernels/pool.h",
                  "pool_max", accepts_pool_max, pool_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"pool_average", "mean of windows", Family::pool, "kernels/pool.h", "pool_average",
                  accepts_pool_average, pool_cycles, nullptr, nullptr, nullptr, true});
}

}  // namespace macec
