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
bool accepts_float_rows(const KernelCall& call, const Capabilities&) {
  return is_vector_float(call.inputs[0].dtype) && is_vector_float(call.outputs[0].dtype);
}

bool accepts_softmax(const KernelCall& call, const Capabilities& caps) {
  return call.op != "log" && accepts_float_rows(call, caps);
}
bool accepts_log_softmax(const KernelCall& call, const Capabilities& caps) {
  return call.op == "log" && accepts_float_rows(call, caps);
}
bool accepts_layer_norm(const KernelCall& call, const Capabilities& caps) {
  return call.op != "rms" && accepts_float_rows(call, caps);
}
bool accepts_rms_norm(const KernelCall& call, const Capabilities& caps) {
  return call.op == "rms" && accepts_float_rows(call, caps);
}
bool accepts_reduce(const KernelCall& call, const Capabilities&) {
  return call.inputs[0].dtype == call.outputs[0].dtype && info(call.inputs[0].dtype).bits >= 8 &&
         call.inputs[0].dtype != DType::boolean;
}
std::string reduce_arguments(const KernelCall& call, const Capabilities&) {
  return "Reduce" + call.op;
}

bool accepts_attention(const KernelCall& call, const Capabilities&) {
  return call.inputs[0].dtype == DType::float32;
}
double attention_cycles(const KernelCall& call, const Capabilities& caps) {
  return (call.multiply_adds + call.elements * 2) / caps.vector_floats;
}
int64_t attention_scratch_bytes(const KernelCall& call, const Capabilities& caps) {
  const auto& p = std::get<AttentionParamsT<Dim>>(call.params);
  return 4 * attention_scratch(p.n.hi(), p.k.hi(), p.e.hi(), caps.panel);
}

}  // namespace

void append_vector_rows(std::vector<KernelRow>& rows) {
  rows.push_back({"pointwise", "elementwise chains with broadcasting and strides",
                  Family::pointwise, "kernels/pointwise.h", "pointwise", accepts_all,
                  element_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"softmax", "softmax over one axis", Family::softmax, "kernels/softmax.h",
                  "softmax", accepts_softmax, element_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"log_softmax", "logarithm of softmax over one axis", Family::softmax,
                  "kernels/softmax.h", "log_softmax", accepts_log_softmax, element_cycles, nullptr,
                  nullptr, nullptr, true});
  rows.push_back({"layer_norm", "layer normalisation of dense rows", Family::norm, "kernels/norm.h",
                  "layer_norm", accepts_layer_norm, element_cycles, nullptr, nullptr, nullptr,
                  true});
  rows.push_back({"rms_norm", "root mean square normalisation of dense rows", Family::norm,
                  "kernels/norm.h", "rms_norm", accepts_rms_norm, element_cycles, nullptr, nullptr,
                  nullptr, true});
  rows.push_back({"attention", "attention in blocks of keys, without its scores",
                  Family::attention, "kernels/attention.h", "attention", accepts_attention,
                  attention_cycles, nullptr, nullptr, attention_scratch_bytes, false});
  rows.push_back({"channel_norm", "normalisation of channels or groups of them, channels-last",
                  Family::channel_norm, "kernels/channel_norm.h", "channel_norm",
                  accepts_float_rows, element_cycles, nullptr, nullptr, nullptr, true});
  rows.push_back({"reduce", "reduction over any axes", Family::reduce, "kernels/reduce.h", "reduce",
                  accepts_reduce, element_cycles, reduce_arguments, nullptr, nullptr, false});
}

}  // namespace macec
