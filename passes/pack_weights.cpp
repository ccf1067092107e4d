// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants in the order their kernel reads them. Equal contents in equal packing stand once.
#include <map>

#include "compiler/ir/plan.h"
#include "compiler/support/error.h"
#include "passes/plan_control.h"
#include "passes/select_plan.h"
#include "targets/opencl/gpu_row.h"

namespace macec {
namespace {

// Copies element `from` of a constant to element `to` of the packed bytes (whole-byte types).
void move_element(const Tensor& tensor, int64_t from, std::vector<unsigned char>& packed,
                  int64_t to) {
  const size_t size = static_cast<size_t>(info(tensor.dtype).bits / 8);
  MACEC_CHECK((static_cast<size_t>(from) + 1) * size <= tensor.bytes.size(),
              "packing reads behind a constant");
  std::memcpy(packed.data() + static_cast<size_t>(to) * size,
              tensor.bytes.data() + static_cast<size_t>(from) * size, size);
}

// panels: [group][ceil(n / width)][k][width], zeros behind the last column; plan.h says what a depth
// changes. phases: the same with the depth in another order.
std::vector<unsigned char> pack_panels(const Tensor& tensor, int64_t offset,
                                       const KernelCall::ConstantUse& use, Packing packing) {
  const int width = packing.width;
  const std::vector<int64_t>& order =
      packing.kind == Packing::phases ? use.phase_order : use.k_order;
  const int64_t panels = (use.n + width - 1) / width;
  const int64_t d = packing.depth, tap_k = use.tap_k > 0 ? use.tap_k : std::max<int64_t>(use.k, 1);
  const int64_t padded_k = (tap_k + d - 1) / d * d, all_k = use.k / tap_k * padded_k;
  std::vector<unsigned char> packed(
      static_cast<size_t>(bytes_of(tensor.dtype, use.groups * panels * all_k * width)));
  for (int64_t g = 0; g < use.groups; ++g)
    for (int64_t n = 0; n < use.n; ++n)
      for (int64_t k = 0; k < use.k; ++k) {
        const int64_t depth = order.empty() ? k * use.stride_k : order[static_cast<size_t>(k)];
        const int64_t row = (g * panels + n / width) * all_k + k / tap_k * padded_k + k % tap_k;
        move_element(tensor, offset + g * use.stride_group + n * use.stride_n + depth, packed,
                     row / d * d * width + n % width * d + row % d);
      }
  return packed;
}

// groups: [k][n][group].
std::vector<unsigned char> pack_groups(const Tensor& tensor, int64_t offset,
                                       const KernelCall::ConstantUse& use) {
  std::vector<unsigned char> packed(
      static_cast<size_t>(bytes_of(tensor.dtype, use.groups * use.n * use.k)));
  for (int64_t g = 0; g < use.groups; ++g)
    for (int64_t n = 0; n < use.n; ++n)
      for (int64_t k = 0; k < use.k; ++k) {
        const int64_t depth =
            use.k_order.empty() ? k * use.stride_k : use.k_order[static_cast<size_t>(k)];
        move_element(tensor, offset + g * use.stride_group + n * use.stride_n + depth, packed,
                     (k * use.n + n) * use.groups + g);
      }
  return packed;
}

// taps: [tap][channel]; k counts the taps, n the channels.
std::vector<unsigned char> pack_taps(const Tensor& tensor, int64_t offset,
                                     const KernelCall::ConstantUse& use) {
  std::vector<unsigned char> packed(static_cast<size_t>(bytes_of(tensor.dtype, use.k * use.n)));
  for (int64_t k = 0; k < use.k; ++k)
    for (int64_t n = 0; n < use.n; ++n) {
      const int64_t depth =
          use.k_order.empty() ? k * use.stride_k : use.k_order[static_cast<size_t>(k)];
      move_element(tensor, offset + n * use.stride_n + depth, packed, k * use.n + n);
    }
  return packed;
}

// Kernels with packed weights compute in float32 and take weights and bias so.
TensorPtr as_float32(const TensorPtr& tensor) {
  if (tensor->dtype != DType::float16 && tensor->dtype != DType::bfloat16) return tensor;
  Tensor wide(DType::float32, tensor->shape);
  for (int64_t i = 0; i < tensor->count(); ++i) wide.set_f64(i, tensor->f64(i));
  return std::make_shared<const Tensor>(std::move(wide));
}

Packing packing_of(const Target& target, const Step& step, int input) {
  const KernelCall& call = step.kernel;
  if (step.device == Device::gpu)
    return call.gpu_row->packing ? call.gpu_row->packing(call, input, *target.gpu) : Packing{};
  const KernelRow* row = call.rows[0];
  return row->packing ? row->packing(call, input, target.levels[0].capabilities) : Packing{};
}

struct Packer {
  Plan& plan;
  const Target& target;
  std::map<std::string, int> keys = {};  // type and contents -> index of weight
  std::map<int, int> buffers = {};       // weight -> buffer

  // The view becomes one of the packed weight. Returns the weight's index.
  int add(View& view, const KernelCall::ConstantUse& use, Packing packing) {
    Weight weight;
    weight.name = fmt::format("w{}", plan.weights.size());
    weight.dtype = view.dtype;
    const Tensor& tensor = *view.constant;
    weight.shape_text = text(tensor.type());
    if (packing.kind == Packing::plain) {
      weight.bytes = tensor.bytes;
    } else {
      const int64_t offset = view.offset.value();
      weight.bytes = packing.kind == Packing::taps     ? pack_taps(tensor, offset, use)
                     : packing.kind == Packing::groups ? pack_groups(tensor, offset, use)
                                                       : pack_panels(tensor, offset, use, packing);
      weight.shape_text += packing.kind == Packing::taps ? " tap by tap"
                           : packing.kind == Packing::groups
                               ? " by groups"
                               : fmt::format(" in panels of {}", packing.width);
      if (packing.depth > 1) weight.shape_text += fmt::format(" by {}", packing.depth);
      view.offset = 0;
    }
    std::string key = fmt::format("{}:", static_cast<int>(weight.dtype));
    key.append(weight.bytes.begin(), weight.bytes.end());
    const auto [at, is_new] = keys.emplace(std::move(key), static_cast<int>(plan.weights.size()));
    if (is_new) {
      const int64_t count = static_cast<int64_t>(weight.bytes.size()) * 8 / info(weight.dtype).bits;
      buffers[at->second] =
          add_buffer(plan, weight.name, weight.dtype, count, Buffer::weight, at->second);
      plan.weights.push_back(std::move(weight));
    }
    view.buffer = buffers[at->second];
    return at->second;
  }

  void pack(Step& step) {
    KernelCall& call = step.kernel;
    call.weights.assign(call.inputs.size(), -1);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      View& view = call.inputs[i];
      if (!view.constant || view.buffer >= 0) continue;
      if (call.family == Family::pointwise && view.constant->count() == 1) continue;
      const Packing packing = packing_of(target, step, static_cast<int>(i));
      const bool is_product = call.family == Family::conv || call.family == Family::gemm;
      if (is_product && (packing.kind != Packing::plain || i == 2)) {
        view.constant = as_float32(view.constant);
        view.dtype = view.constant->dtype;
      }
      const KernelCall::ConstantUse use =
          i < call.constant_uses.size() ? call.constant_uses[i] : KernelCall::ConstantUse{};
      call.weights[i] = add(view, use, packing);
    }
    for (View& view : call.epilogue_inputs) {
      if (!view.constant || view.buffer >= 0 || view.constant->count() == 1) continue;
      add(view, {}, {});
    }
  }

  void visit(StepList& steps) {
    for (Step& step : steps) {
      if (step.kind == Step::call) pack(step);
      for (StepList& body : step.bodies) visit(body);
    }
  }
};

}  // namespace

void pack_weights(Plan& plan, const Target& target) {
  Packer{plan, target}.visit(plan.steps);
  number_steps(plan);  // once more: the weights' buffers are new
}

}  // namespace macec
