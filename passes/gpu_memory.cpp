// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of a GPU plan: images, each as large as its largest tenant; memory that both devices see;
// and the numbers that launches get once all places are known.
#include <algorithm>
#include <limits>

#include "compiler/support/error.h"
#include "passes/arena.h"
#include "passes/plan_control.h"
#include "targets/opencl/launch_builder.h"

namespace macec {
namespace {

void plan_images(Plan& plan) {
  GpuPlan& gpu = *plan.gpu;
  std::vector<Interval> intervals;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& b = plan.buffers[i];
    if (b.home != Buffer::image || b.first < 0) continue;
    const GpuImage image{b.image_row / 4, b.elements.value() / b.image_row, b.dtype};
    Interval interval{static_cast<int>(i), image.bytes(), b.first, b.last};
    interval.width = image.width;
    interval.height = image.height;
    interval.kind = static_cast<int>(b.dtype);
    intervals.push_back(interval);
  }
  gpu.image_live_bytes = peak_bytes(intervals, plan.step_count);
  const ObjectPlacing placing = place_in_objects(intervals);
  gpu.images.clear();
  gpu.image_bytes = 0;
  for (const ObjectPlacing::Object& object : placing.objects) {
    gpu.images.push_back({object.width, object.height, static_cast<DType>(object.kind)});
    gpu.image_bytes += gpu.images.back().bytes();
  }
  for (size_t i = 0; i < intervals.size(); ++i)
    plan.buffers[static_cast<size_t>(intervals[i].buffer)].object = placing.object[i];
}

// A buffer holds its object for whole segments: it is mapped and unmapped between them.
Interval over_segments(const Plan& plan, int buffer) {
  const Buffer& b = plan.buffers[static_cast<size_t>(buffer)];
  Interval interval{buffer, arena_aligned(std::max<int64_t>(b.bytes, 1)), b.first, b.last};
  for (const Segment& s : plan.gpu->segments) {
    if (s.first <= b.first && b.first <= s.last) interval.first = s.first;
    if (s.first <= b.last && b.last <= s.last) interval.last = s.last;
  }
  interval.width = interval.bytes;
  interval.height = 1;
  return interval;
}

void plan_shared(Plan& plan) {
  GpuPlan& gpu = *plan.gpu;
  gpu.shared.clear();
  gpu.shared_bytes = 0;
  std::vector<Interval> borders;
  int64_t own_bytes = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    Buffer& b = plan.buffers[i];
    if (b.home != Buffer::shared || b.first < 0) continue;
    if (b.place == Buffer::arena) {
      borders.push_back(over_segments(plan, static_cast<int>(i)));
      continue;
    }
    b.object = static_cast<int>(gpu.shared.size());
    gpu.shared.push_back({std::max<int64_t>(b.bytes, 1), b.place, b.index});
    own_bytes += arena_aligned(gpu.shared.back().bytes);
  }
  gpu.shared_live_bytes = own_bytes + peak_bytes(borders, plan.step_count);
  gpu.shared_bytes = own_bytes;
  const ObjectPlacing placing = place_in_objects(borders);
  for (size_t i = 0; i < borders.size(); ++i)
    plan.buffers[static_cast<size_t>(borders[i].buffer)].object =
        static_cast<int>(gpu.shared.size()) + placing.object[i];
  for (const ObjectPlacing::Object& object : placing.objects) {
    gpu.shared.push_back({object.width, Buffer::arena, -1});
    gpu.shared_bytes += object.width;
  }
}

}  // namespace

void plan_gpu_objects(Plan& plan) {
  plan_images(plan);
  plan_shared(plan);
}

void finish_arguments(Plan& plan) {
  for (Step& step : plan.steps)
    for (GpuLaunch& launch : step.kernel.launches)
      for (GpuArgument& argument : launch.arguments) {
        if (argument.buffer == kGpuScratch) argument.buffer = step.scratch_buffer;
        if (argument.kind != GpuArgument::offset) continue;
        const Buffer& b = plan.buffers[static_cast<size_t>(argument.buffer)];
        if (b.home != Buffer::device) continue;  // others start at the head of their object
        const int64_t size = b.place == Buffer::scratch ? 4 : info(b.dtype).bits / 8;
        argument.value += b.offset / size;
        if (argument.value > std::numeric_limits<int32_t>::max())
          throw user_error("the GPU would need an arena of {} bytes, more than its offsets reach",
                           plan.gpu->device_bytes)
              .hint("--place puts nodes on the CPU, or all of them");
      }
}

}  // namespace macec
