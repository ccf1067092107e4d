// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/opencl/kernels/storage.h"

#include <set>

#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_image_type(DType type) {
  return type == DType::float32 || type == DType::float16;
}

// Elements in one row of texels for a buffer seen through this view: channels-last W * C, else the
// innermost axis.
int64_t row_of(const View& view) {
  const size_t rank = view.shape.size();
  if (rank == 0) return 0;
  if (rank >= 3 && view.shape[1].value() > 1 && view.strides[1] == Dim(1)) {
    const Dim& pixel = view.strides[rank - 1];
    return view.shape[rank - 1].value() > 1 ? (pixel * view.shape[rank - 1]).value()
                                            : view.shape[1].value();
  }
  return rank >= 2 && view.shape[rank - 2].value() > 1 ? view.strides[rank - 2].value()
                                                       : view.shape[rank - 1].value();
}

// Elements in one row of a weight: a panel, the channels of a tap, or everything.
int64_t row_of_weight(const KernelCall& call, size_t input, const GpuCapabilities& caps,
                      int64_t elements) {
  if (input >= call.constant_uses.size() || !call.gpu_row->packing) return elements;
  const KernelCall::ConstantUse& use = call.constant_uses[input];
  const Packing packing = call.gpu_row->packing(call, static_cast<int>(input), caps);
  if (packing.kind == Packing::panels) return use.k * packing.width;
  return packing.kind == Packing::taps ? use.n : elements;
}

void consider(const Plan& plan, const GpuCapabilities& caps, int buffer, int64_t row,
              std::vector<int64_t>* rows) {
  if (buffer < 0 || (*rows)[static_cast<size_t>(buffer)] > 0) return;
  const Buffer& b = plan.buffers[static_cast<size_t>(buffer)];
  const int64_t elements = b.elements.value();
  if (!is_image_type(b.dtype) || row <= 0 || row % 4 != 0 || elements % row != 0) return;
  if (row / 4 > caps.max_image_width || elements / row > caps.max_image_height) return;
  (*rows)[static_cast<size_t>(buffer)] = row;
}

void all_images(const Plan& plan, const GpuCapabilities& caps, std::vector<int64_t>* rows) {
  for (const Step& step : plan.steps) {
    const KernelCall& call = step.kernel;
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const View& view = call.inputs[i];
      if (view.buffer < 0) continue;
      const Buffer& b = plan.buffers[static_cast<size_t>(view.buffer)];
      consider(plan, caps, view.buffer,
               b.place == Buffer::weight ? row_of_weight(call, i, caps, b.elements.value())
                                         : row_of(view),
               rows);
    }
    for (const View& view : call.outputs) consider(plan, caps, view.buffer, row_of(view), rows);
    for (const View& view : call.epilogue_inputs)
      if (view.buffer >= 0) consider(plan, caps, view.buffer, row_of(view), rows);
  }
  for (const Step& step : plan.steps)  // an image cannot be read and written at once
    for (const View& out : step.kernel.outputs)
      for (const auto* views : {&step.kernel.inputs, &step.kernel.epilogue_inputs})
        for (const View& in : *views)
          if (in.buffer == out.buffer) (*rows)[static_cast<size_t>(out.buffer)] = 0;
}

}  // namespace

DeviceOnly specialise_for_test(Plan& plan, const GpuCapabilities& caps) {
  DeviceOnly result;
  result.storage.plan = &plan;
  result.storage.image_rows.assign(plan.buffers.size(), 0);
  if (caps.prefers_images) all_images(plan, caps, &result.storage.image_rows);
  for (;;) {
    std::set<int> unsuitable;
    result.scratch_bytes.clear();
    for (Step& step : plan.steps) {
      MACEC_CHECK(step.kind == Step::call, "step '{}' is control flow", step.name);
      MACEC_CHECK(step.kernel.gpu_row, "step '{}' has no OpenCL row: {}", step.name,
                  step.kernel.gpu_refusal);
      LaunchList list(result.storage);
      step.kernel.gpu_row->specialise(step.kernel, list, caps);
      step.kernel.launches = std::move(list.launches);
      unsuitable.insert(list.unsuitable.begin(), list.unsuitable.end());
      result.scratch_bytes.push_back(list.scratch_bytes);
    }
    if (unsuitable.empty()) return result;
    for (int buffer : unsuitable) {
      int64_t& row = result.storage.image_rows[static_cast<size_t>(buffer)];
      MACEC_CHECK(row > 0, "buffer {} is unsuitable as memory", buffer);
      row = 0;
    }
  }
}

}  // namespace macec
