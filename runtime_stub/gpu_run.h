// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the run function of a GPU plan calls:
//
//   if (!gpu_begin(c)) return c.status;            inputs and states to the device
//   if (!gpu_launch(c, 0, 21)) return c.status;    a segment
//   if (!gpu_map(c, 3)) return c.status;           the CPU gets a value ...
//   run_units(... shared_memory(c, 3) + 64 ...);
//   if (stops(c)) return c.status;
//   if (!gpu_unmap(c, 3)) return c.status;         ... and gives it back
//   return gpu_end(c);                             outputs and next states from the device
//
// False: c.status is MACEC_E_DEVICE. A run may end anywhere: what is mapped or still at work then is
// put in order by gpu_settle.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, before the steps.
#pragma once
#include "runtime_stub/gpu_state.h"

constexpr uint32_t kGpuFlushEvery = 16;  // launches: the device starts while more are queued

// How the CPU uses a mapped object.
constexpr uint32_t kGpuReads = 1, kGpuWrites = 2;

[[maybe_unused]] bool gpu_unmap(Context& c, uint32_t shared) {
  Gpu& gpu = *c.gpu;
  if (!gpu.mapped[shared]) return true;
  const int32_t code = gpu.cl.EnqueueUnmapMemObject(gpu.queue, gpu.shared[shared],
                                                    gpu.mapped[shared], 0, nullptr, nullptr);
  if (code == 0) gpu.mapped[shared] = nullptr;
  return gpu_ok(c, code, "clEnqueueUnmapMemObject failed");
}

// Waits until the kernels before are done, and lets the CPU see what they wrote.
[[maybe_unused]] bool gpu_map(Context& c, uint32_t shared, uint32_t use = kGpuReads | kGpuWrites) {
  Gpu& gpu = *c.gpu;
  if (!gpu.is_ready) return gpu_fails(c, "the GPU has failed", false, 0, 0);
  if (gpu.mapped[shared]) return true;
  const uint64_t flags = (use & kGpuReads ? kClMapRead : 0) | (use & kGpuWrites ? kClMapWrite : 0);
  const size_t bytes = static_cast<size_t>(c.model->gpu->shared[shared].bytes);
  int32_t code = 0;
  void* const memory = gpu.cl.EnqueueMapBuffer(gpu.queue, gpu.shared[shared], 1, flags, 0, bytes, 0,
                                               nullptr, nullptr, &code);
  if (!gpu_ok(c, code, "clEnqueueMapBuffer failed")) return false;
  if (!memory) return gpu_lacks(c, "clEnqueueMapBuffer gave no memory");
  gpu.mapped[shared] = memory;
  gpu.unflushed = 0;
  return true;
}

// Of an object that is mapped.
[[maybe_unused]] unsigned char* shared_memory(const Context& c, uint32_t shared) {
  return static_cast<unsigned char*>(c.gpu->mapped[shared]);
}

// Bytes that change hands between a shared object and the app or a state: the object may have more.
[[maybe_unused]] size_t gpu_copied_bytes(const Context& c, uint32_t shared) {
  const Model& m = *c.model;
  const GpuSharedRow& row = m.gpu->shared[shared];
  size_t bytes = static_cast<size_t>(row.bytes), most = bytes;
  if (row.role == GpuSharedRow::input) most = m.head.in[row.index].max_bytes;
  if (row.role == GpuSharedRow::output) most = m.head.out[row.index].max_bytes;
  if (row.role == GpuSharedRow::state || row.role == GpuSharedRow::next_state)
    most = m.state[row.index].bytes;
  return bytes < most ? bytes : most;
}

[[maybe_unused]] bool gpu_upload(Context& c, uint32_t shared, const void* from) {
  Gpu& gpu = *c.gpu;
  if (!gpu_unmap(c, shared)) return false;
  const size_t bytes = gpu_copied_bytes(c, shared);
  if (gpu.lent[shared] || bytes == 0) return true;
  const int32_t code = gpu.cl.EnqueueWriteBuffer(gpu.queue, gpu.shared[shared], 0, 0, bytes, from,
                                                 0, nullptr, nullptr);
  return gpu_ok(c, code, "clEnqueueWriteBuffer failed");
}

[[maybe_unused]] bool gpu_begin(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    const GpuSharedRow& row = model.shared[i];
    const void* const from = row.role == GpuSharedRow::input ? c.in[row.index] : nullptr;
    gpu.lent[i] = from == gpu.mapped[i] ? from : nullptr;
  }
  if (!gpu.is_ready) return gpu_fails(c, "the GPU has failed", false, 0, 0);
  gpu.unflushed = 0;
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    const GpuSharedRow& row = model.shared[i];
    if (row.role == GpuSharedRow::input && !gpu_upload(c, i, c.in[row.index])) return false;
    if (row.role == GpuSharedRow::state && !gpu_upload(c, i, c.state[row.index])) return false;
  }
  return true;
}

// Enqueues launches [first, last) of the table.
[[maybe_unused]] bool gpu_launch(Context& c, uint32_t first, uint32_t last) {
  Gpu& gpu = *c.gpu;
  if (!gpu.is_ready) return gpu_fails(c, "the GPU has failed", false, 0, 0);
  for (uint32_t i = first; i < last; ++i) {
    const GpuLaunchRow& row = c.model->gpu->launch[i];
    const size_t global[3] = {row.global[0], row.global[1], row.global[2]};
    const size_t local[3] = {row.local[0], row.local[1], row.local[2]};
    const int32_t code =
        gpu.cl.EnqueueNDRangeKernel(gpu.queue, gpu.kernel[i], 3, nullptr, global,
                                    row.local[0] ? local : nullptr, 0, nullptr, nullptr);
    if (!gpu_ok(c, code, "clEnqueueNDRangeKernel failed")) return false;
    if (++gpu.unflushed < kGpuFlushEvery) continue;
    gpu.unflushed = 0;
    if (!gpu_ok(c, gpu.cl.Flush(gpu.queue), "clFlush failed")) return false;
  }
  return true;
}

[[maybe_unused]] bool gpu_download(Context& c, uint32_t shared, void* to) {
  Gpu& gpu = *c.gpu;
  const size_t bytes = gpu_copied_bytes(c, shared);
  if (!gpu_unmap(c, shared)) return false;
  if (!to || bytes == 0) return true;  // an output that the app does not want
  const int32_t code =
      gpu.cl.EnqueueReadBuffer(gpu.queue, gpu.shared[shared], 0, 0, bytes, to, 0, nullptr, nullptr);
  return gpu_ok(c, code, "clEnqueueReadBuffer failed");
}

// For step hooks: what was enqueued is done when it returns, so that the time of one step shows.
[[maybe_unused]] bool gpu_finish_step(Context& c) {
  if (!c.options.on_step) return c.gpu->is_ready;  // nobody takes the step's time
  c.gpu->unflushed = 0;
  return c.gpu->is_ready && gpu_ok(c, c.gpu->cl.Finish(c.gpu->queue), "clFinish failed");
}

// What a finished run is worth: a kernel may have found an index out of range.
[[maybe_unused]] macec_status gpu_verdict(Context& c) {
  const GpuModel& model = *c.model->gpu;
  const int32_t found = c.gpu->found;
  if (c.status != MACEC_OK || found < 1 || static_cast<uint32_t>(found) > model.n_problem)
    return c.status;
  return c.status = fail(c, MACEC_E_RANGE, model.problem[found - 1]);
}

[[maybe_unused]] macec_status gpu_end(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  if (!gpu.is_ready) gpu_fails(c, "the GPU has failed", false, 0, 0);
  for (uint32_t i = 0; i < model.n_shared && c.status == MACEC_OK; ++i) {
    const GpuSharedRow& row = model.shared[i];
    if (row.role == GpuSharedRow::output) gpu_download(c, i, c.out[row.index]);
    if (row.role == GpuSharedRow::next_state) gpu_download(c, i, c.next_state[row.index]);
  }
  if (c.status == MACEC_OK && gpu.problem) {
    const int32_t code = gpu.cl.EnqueueReadBuffer(gpu.queue, gpu.problem, 0, 0, sizeof gpu.found,
                                                  &gpu.found, 0, nullptr, nullptr);
    gpu_ok(c, code, "clEnqueueReadBuffer failed");
  }
  if (c.status != MACEC_OK) return c.status;
  if (!gpu.is_submit) {
    gpu_ok(c, gpu.cl.Finish(gpu.queue), "clFinish failed");
    return gpu_verdict(c);
  }
  const int32_t code = gpu.cl.EnqueueMarkerWithWaitList(gpu.queue, 0, nullptr, &gpu.done);
  if (!gpu_ok(c, code, "clEnqueueMarkerWithWaitList failed")) return c.status;
  gpu.is_pending = gpu_ok(c, gpu.cl.Flush(gpu.queue), "clFlush failed");
  return c.status;
}

// Behind a run that ended early or with a problem: nothing of it is at work or mapped when this
// returns, and the next run starts without a problem. But inputs in place that were not given to the
// device yet stay mapped: nobody else has their values.
[[maybe_unused]] void gpu_settle(Context& c) {
  Gpu& gpu = *c.gpu;
  if (!gpu.queue) return;
  for (uint32_t i = 0; i < c.model->gpu->n_shared; ++i) {
    if (!gpu.mapped[i] || gpu.mapped[i] == gpu.lent[i]) continue;
    gpu.cl.EnqueueUnmapMemObject(gpu.queue, gpu.shared[i], gpu.mapped[i], 0, nullptr, nullptr);
    gpu.mapped[i] = nullptr;
  }
  gpu.cl.Finish(gpu.queue);
  gpu.found = 0;
  if (!gpu.problem || !gpu.is_ready) return;
  const int32_t code = gpu.cl.EnqueueWriteBuffer(gpu.queue, gpu.problem, 1, 0, sizeof gpu.found,
                                                 &gpu.found, 0, nullptr, nullptr);
  gpu_ok(c, code, "clEnqueueWriteBuffer failed");  // then the next run goes to the CPU
}
