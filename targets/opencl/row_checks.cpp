// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/row_checks.h"

#include "compiler/ops/elementwise.h"

namespace macec {

bool is_gpu_float(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float16;
}

bool has_place(const View& view) {
  return view.buffer >= 0 || view.constant;
}

std::string epilogue_refusal(const KernelCall& call) {
  if (call.epilogue.empty()) return {};
  std::vector<DType> types;
  for (const View& view : call.epilogue_inputs) {
    if (!is_gpu_float(view.dtype)) return fmt::format("a fused operand of {}", name(view.dtype));
    types.push_back(view.dtype);
  }
  const int last = static_cast<int>(call.epilogue.size()) - 1;
  if (!has_vector_form(call.epilogue, types, call.inputs[0].dtype, {last}))
    return "a fused step without a form for vectors";
  return {};
}

double bytes_of_operands(const KernelCall& call) {
  double bytes = 0;
  for (const std::vector<View>* views : {&call.inputs, &call.outputs, &call.epilogue_inputs})
    for (const View& view : *views) {
      if (!has_place(view)) continue;
      double count = 1;
      for (size_t a = 0; a < view.shape.size(); ++a)
        if (view.strides[a] != Dim(0)) count *= static_cast<double>(view.shape[a].value());
      bytes += count * info(view.dtype).bits / 8;
    }
  return bytes;
}

}  // namespace macec
