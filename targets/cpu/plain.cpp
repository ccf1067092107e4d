// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel rows that serve what the vector kernels do not: integers, double, weights that are computed when the model runs.
#include "targets/cpu/rows.h"

namespace macec {
namespace {

bool is_real(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16 ||
         dtype == DType::float64;
}
// Types that C++ itself computes with.
bool is_arithmetic(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 ||
         (info(dtype).is_integer && info(dtype).bits >= 8);
}
bool is_given(const View& view) {
  return view.buffer >= 0 || view.constant;
}
bool all_of_type(const KernelCall& call, DType dtype) {
  for (const View& view : call.inputs) {
    if (is_given(view) && view.dtype != dtype) return false;
  }
  return call.outputs[0].dtype == dtype;
}

// Short numbers, sums in int32: compiler/ops/product.h.
bool is_short_product(const KernelCall& call) {
  return call.inputs[0].dtype == DType::int16 && call.outputs[0].dtype == DType::int32 &&
         (call.inputs[1].dtype == DType::int8 || call.inputs[1].dtype == DType::int16) &&
         !is_given(call.inputs[2]) && call.epilogue.empty();
}
bool accepts_gemm_plain(const KernelCall& call, const Capabilities&) {
  return is_short_product(call) ||
         (is_arithmetic(call.outputs[0].dtype) && all_of_type(call, call.outputs[0].dtype));
}
// One multiplication and one addition an element, waiting for each other.
double plain_product_cycles(const KernelCall& call, const Capabilities&) {
  return call.multiply_adds * 5;
}

bool accepts_any_conv(const KernelCall& call) {
  for (const View& view : call.inputs) {
    if (is_given(view) && !is_real(view.dtype)) return false;
  }
  bool is_double = call.inputs[0].dtype == DType::float64;
  return is_real(call.outputs[0].dtype) &&
         (is_double ? all_of_type(call, DType::float64) && call.epilogue.empty()
                    : call.outputs[0].dtype != DType::float64);
}

bool is_transposed(const KernelCall& call) {
  return call.op == "transposed" || call.op == "transposed_dynamic";
}
bool accepts_conv_plain(const KernelCall& call, const Capabilities&) {
  const bool is_integer = all_of_type(call, DType::int32) && call.epilogue.empty();
  return !is_transposed(call) && (is_integer || is_short_product(call) || accepts_any_conv(call));
}
bool accepts_conv_transposed_plain(const KernelCall& call, const Capabilities&) {
  return is_transposed(call) && accepts_any_conv(call);
}

bool accepts_pool_max_plain(const KernelCall& call, const Capabilities&) {
  return call.op == "Max" && is_arithmetic(call.outputs[0].dtype) &&
         all_of_type(call, call.outputs[0].dtype);
}
bool accepts_pool_average_plain(const KernelCall& call, const Capabilities&) {
  return call.op == "Average" && is_real(call.outputs[0].dtype) &&
         all_of_type(call, call.outputs[0].dtype);
}
bool accepts_pool_max_indices(const KernelCall& call, const Capabilities&) {
  return (call.op == "MaxIndices" || call.op == "MaxIndicesByColumn") &&
         (is_real(call.outputs[0].dtype) || is_arithmetic(call.outputs[0].dtype)) &&
         all_of_type(call, call.outputs[0].dtype);
}
bool accepts_pool_norm_plain(const KernelCall& call, const Capabilities&) {
  return call.op.substr(0, 2) == "Lp" && is_real(call.outputs[0].dtype) &&
         all_of_type(call, call.outputs[0].dtype);
}
std::string norm_power(const KernelCall& call, const Capabilities&) {
  return call.op.substr(2);
}
std::string indices_order(const KernelCall& call, const Capabilities&) {
  return call.op == "MaxIndicesByColumn" ? "1" : "0";
}
bool accepts_softmax_plain(const KernelCall& call, const Capabilities&) {
  return call.op != "log" && all_of_type(call, DType::float64);
}
bool accepts_log_softmax_plain(const KernelCall& call, const Capabilities&) {
  return call.op == "log" && all_of_type(call, DType::float64);
}
double plain_pool_cycles(const KernelCall& call, const Capabilities&) {
  return call.elements * 8;
}

bool accepts_extent(const KernelCall& call, const Capabilities&) {
  return call.op == "extent" && is_arithmetic(call.outputs[0].dtype);
}
double extent_cycles(const KernelCall&, const Capabilities&) {
  return 4;
}

}  // namespace

void append_plain_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"gemm_plain", "matrix product of any type and strides", Family::gemm,
                  "kernels/gemm_plain.h", "gemm_plain", accepts_gemm_plain, plain_product_cycles,
                  nullptr, nullptr, nullptr, false});
  rows.push_back({"conv_plain", "convolution with weights as ONNX has them, one element at a time",
                  Family::conv, "kernels/conv_plain.h", "conv_plain", accepts_conv_plain,
                  plain_product_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"conv_transposed_plain",
                  "transposed convolution with weights as ONNX has them, one element at a time",
                  Family::conv, "kernels/conv_transposed_plain.h", "conv_transposed_plain",
                  accepts_conv_transposed_plain, plain_product_cycles, nullptr, nullptr, nullptr,
                  true});
  rows.push_back({"pool_max_plain", "greatest element of each window, any type", Family::pool,
                  "kernels/pool_plain.h", "pool_max_plain", accepts_pool_max_plain,
                  plain_pool_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"pool_average_plain", "mean of each window, double", Family::pool,
                  "kernels/pool_plain.h", "pool_average_plain", accepts_pool_average_plain,
                  plain_pool_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"pool_norm_plain", "p-norm of each window", Family::pool, "kernels/pool_plain.h",
                  "pool_norm_plain", accepts_pool_norm_plain, plain_pool_cycles, norm_power,
                  nullptr, nullptr, false});
  rows.push_back({"pool_max_indices", "greatest element of each window and its index", Family::pool,
                  "kernels/pool_plain.h", "pool_max_indices", accepts_pool_max_indices,
                  plain_pool_cycles, indices_order, nullptr, nullptr, false});
  rows.push_back({"softmax_plain", "softmax over one axis, double", Family::softmax,
                  "kernels/softmax_plain.h", "softmax_plain", accepts_softmax_plain,
                  plain_pool_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"log_softmax_plain", "logarithm of softmax over one axis, double",
                  Family::softmax, "kernels/softmax_plain.h", "log_softmax_plain",
                  accepts_log_softmax_plain, plain_pool_cycles, nullptr, nullptr, nullptr, false});
  rows.push_back({"extent", "a size that varies, as a number in memory", Family::iota,
                  "kernels/extent.h", "extent", accepts_extent, extent_cycles, nullptr, nullptr,
                  nullptr, false});
}

}  // namespace macec
