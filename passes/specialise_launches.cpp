// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From calls to launches: images where the target prefers them and every kernel can work so.
//
// Which buffers can be images is known only once all their kernels are specialised, and kernels are
// specialised for the storage of their operands. So: every candidate starts as an image in its best
// form; where a launch finds that unsuitable, the buffer takes its next form, at last memory, and
// the steps that touch it are specialised again. Forms are only given up, so this ends.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/support/error.h"
#include "passes/place_steps.h"
#include "targets/opencl/gpu_row.h"
#include "targets/opencl/launch_builder.h"

namespace macec {
namespace {

bool is_float(DType type) {
  return type == DType::float32 || type == DType::float16;
}

// Row lengths that an image of a buffer may have, best first.
struct Forms {
  std::vector<int64_t> rows;
  void add(int64_t row, int64_t elements, const GpuCapabilities& caps) {
    if (row <= 0 || row % 4 != 0 || elements % row != 0) return;
    if (row / 4 > caps.max_image_width || elements / row > caps.max_image_height) return;
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
};

// Channels-last: rows of the picture. Else the last axis. Behind those every other axis.
void add_forms_of_view(const View& view, int64_t elements, const GpuCapabilities& caps,
                       Forms* forms) {
  std::vector<int64_t> strides;
  for (size_t a = 0; a < view.shape.size(); ++a)
    if (view.shape[a] != Dim(1) && view.strides[a].is_fixed())
      strides.push_back(view.strides[a].value());
  std::sort(strides.begin(), strides.end());
  const bool is_channels_last =
      view.rank() == 4 && view.shape[1] != Dim(1) && view.strides[1] == Dim(1);
  if (is_channels_last && view.strides[2].is_fixed())
    forms->add(view.strides[2].value(), elements, caps);
  for (int64_t stride : strides) forms->add(stride, elements, caps);
  forms->add(elements, elements, caps);
}

// Packed weights: a panel a row; or one tap's part of a panel.
void add_forms_of_weight(const KernelCall& call, size_t input, int64_t elements,
                         const GpuCapabilities& caps, Forms* forms) {
  const View& view = call.inputs[input];
  const Packing packing = call.gpu_row->packing
                              ? call.gpu_row->packing(call, static_cast<int>(input), caps)
                              : Packing{};
  if (packing.kind == Packing::plain) return add_forms_of_view(view, elements, caps, forms);
  const KernelCall::ConstantUse& use = call.constant_uses[input];
  if (packing.kind == Packing::taps) return forms->add(use.n, elements, caps);
  forms->add(use.k * packing.width, elements, caps);
  if (view.rank() > 2) forms->add(view.shape[1].value() * packing.width, elements, caps);
  forms->add(packing.width, elements, caps);
}

class Specialiser {
 public:
  Specialiser(Plan& plan, const GpuCapabilities& caps) : plan_(plan), caps_(caps) {
    storage_.plan = &plan;
    storage_.image_rows.assign(plan.buffers.size(), 0);
    for (Step& step : plan.steps)
      if (step.device == Device::gpu) steps_.push_back(&step);
  }

  void run() {
    if (caps_.prefers_images) collect_forms();
    std::set<int> changed;
    specialise_all();
    while (give_up(&changed))
      for (Step* step : steps_)
        if (touches(*step, changed)) specialise(step);
    finish();
  }

 private:
  void collect_forms() {
    std::set<int> refused;  // read and written by one step
    for (const Step* step : steps_) {
      const KernelCall& call = step->kernel;
      for (size_t i = 0; i < call.inputs.size(); ++i) collect(call, call.inputs[i], i);
      for (const View& v : call.epilogue_inputs) collect(call, v, call.inputs.size());
      for (const View& v : call.outputs) collect(call, v, call.inputs.size());
      for (const View& out : call.outputs)
        for (const std::vector<View>* views : {&call.inputs, &call.epilogue_inputs})
          for (const View& v : *views)
            if (v.buffer == out.buffer) refused.insert(v.buffer);
    }
    for (int buffer : refused) forms_.erase(buffer);
    for (const auto& [buffer, forms] : forms_)
      if (!forms.rows.empty())
        storage_.image_rows[static_cast<size_t>(buffer)] = forms.rows.front();
  }

  void collect(const KernelCall& call, const View& view, size_t input) {
    if (view.buffer < 0) return;
    const Buffer& buffer = plan_.buffers[static_cast<size_t>(view.buffer)];
    const bool is_weight = buffer.place == Buffer::weight;
    if (!is_float(buffer.dtype) || view.dtype != buffer.dtype || !buffer.elements.is_fixed())
      return;
    if (!is_weight && (buffer.place != Buffer::arena || buffer.home != Buffer::device)) return;
    const int64_t elements = buffer.elements.value();
    if (is_weight && input < call.inputs.size())
      add_forms_of_weight(call, input, elements, caps_, &forms_[view.buffer]);
    else
      add_forms_of_view(view, elements, caps_, &forms_[view.buffer]);
  }

  void specialise(Step* step) {
    LaunchList list(storage_);
    step->kernel.gpu_row->specialise(step->kernel, list, caps_);
    MACEC_CHECK(!list.launches.empty(), "step '{}' has no launch", step->name);
    double bytes = 0;
    for (const GpuLaunch& launch : list.launches) bytes += launch.bytes;
    if (bytes == 0) list.launches[0].bytes = gpu_bytes(step->kernel);
    step->kernel.launches = std::move(list.launches);
    step->kernel.scratch_bytes = list.scratch_bytes;
    unsuitable_.insert(list.unsuitable.begin(), list.unsuitable.end());
  }
  void specialise_all() {
    for (Step* step : steps_) specialise(step);
  }

  // The next form of every buffer that did not suit; false if all did.
  bool give_up(std::set<int>* changed) {
    changed->clear();
    changed->swap(unsuitable_);
    for (int buffer : *changed) {
      int64_t& row = storage_.image_rows[static_cast<size_t>(buffer)];
      MACEC_CHECK(row > 0, "memory does not suit a kernel of buffer {}",
                  plan_.buffers[static_cast<size_t>(buffer)].name);
      const std::vector<int64_t>& rows = forms_.at(buffer).rows;
      const auto next = std::find(rows.begin(), rows.end(), row) + 1;
      row = next == rows.end() ? 0 : *next;
    }
    return !changed->empty();
  }

  static bool touches(const Step& step, const std::set<int>& buffers) {
    bool found = false;
    for_each_operand(step,
                     [&](const View& v, bool) { found = found || buffers.count(v.buffer) > 0; });
    return found;
  }

  void finish() {
    GpuPlan& gpu = *plan_.gpu;
    gpu.weight_images.clear();
    gpu.launches = 0;
    for (const Step* step : steps_) gpu.launches += static_cast<int>(step->kernel.launches.size());
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      Buffer& buffer = plan_.buffers[b];
      buffer.image_row = storage_.image_rows[b];
      if (buffer.image_row == 0) continue;
      if (buffer.place != Buffer::weight) {
        buffer.home = Buffer::image;
        continue;
      }
      buffer.object = static_cast<int>(gpu.weight_images.size());
      gpu.weight_images.push_back(
          {static_cast<int>(b), buffer.image_row / 4, buffer.elements.value() / buffer.image_row});
    }
  }

  Plan& plan_;
  const GpuCapabilities& caps_;
  GpuStorage storage_;
  std::vector<Step*> steps_;
  std::map<int, Forms> forms_;
  std::set<int> unsuitable_;
};

}  // namespace

void specialise_launches(Plan& plan, const Target& target) {
  if (!plan.gpu) return;
  Specialiser(plan, *target.gpu).run();
}

}  // namespace macec
