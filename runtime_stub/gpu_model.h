// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of a model with a GPU plan, and the functions of stub layer 2.
//
// A run whose GPU half fails starts again from its inputs on the CPU plan: states are read from where
// they were, and what was written is unspecified until the run succeeds.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_open.h.
#pragma once
#include "runtime_stub/gpu_open.h"

[[maybe_unused]] macec_status gpu_commit(Context& c, macec_status status) {
  if (status != MACEC_OK) return status;
  if (c.model->settle) c.model->settle(c);
  commit_states(c);
  c.life = kRan;
  return MACEC_OK;
}

// Inputs that the app wrote into our memory went to the device; the CPU plan needs them here.
[[maybe_unused]] bool gpu_takes_inputs_back(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    if (!gpu.lent[i]) continue;
    int32_t code = 0;
    const size_t bytes = static_cast<size_t>(model.shared[i].bytes);
    if (!gpu.mapped[i]) {
      gpu.mapped[i] = gpu.cl.EnqueueMapBuffer(gpu.queue, gpu.shared[i], 1, kClMapRead, 0, bytes, 0,
                                              nullptr, nullptr, &code);
    }
    if (code != 0) gpu.mapped[i] = nullptr;
    if (!gpu.mapped[i]) return false;
    c.in[model.shared[i].index] = gpu.mapped[i];
  }
  return true;
}

// The device has failed in a run: nothing of it stays, and the run starts again on the next plan.
[[maybe_unused]] macec_status gpu_starts_again(Context& c) {
  gpu_settle(c);
  const bool has_inputs = gpu_takes_inputs_back(c);
  macec_status status = MACEC_E_DEVICE;
  if (!gpu_turns_to_cpu(c)) {
    status = gpu_error(c);
  } else if (has_inputs) {
    status = c.model->level[c.level].run[c.plan](c);
  } else {
    // Only of a run whose input was model->input(); the next run goes on without the GPU.
    status = fail(c, MACEC_E_DEVICE, "the input was in the memory of the device, and is lost");
  }
  gpu_release(c);
  return status;
}

// Everything has been checked; MACEC_PENDING: submitted.
[[maybe_unused]] macec_status gpu_run(Context& c) {
  Gpu& gpu = *c.gpu;
  macec_status status = c.model->level[c.level].run[c.plan](c);
  if (c.plan == 0) {
    if (status == MACEC_OK && gpu.is_pending) return MACEC_PENDING;
    if (status == MACEC_E_DEVICE) {
      status = gpu_starts_again(c);
    } else if (status != MACEC_OK) {
      gpu_settle(c);
    }
  }
  return gpu_commit(c, status);
}

[[maybe_unused]] macec_status submit_model(macec_ctx* head, const int64_t* dims, const macec_in* in,
                                           const macec_out* out) {
  if (!head) return MACEC_E_ARG;
  Context& c = context_of(head);
  const macec_status status = check_open(c);
  if (status != MACEC_OK) return status;
  c.gpu->is_submit = true;
  const macec_status result = run_model(head, dims, in, out);
  c.gpu->is_submit = false;
  return result;
}

// MACEC_OK: the device is done; MACEC_PENDING: not yet; MACEC_E_DEVICE: it has failed.
[[maybe_unused]] macec_status gpu_wait(Context& c, uint32_t milliseconds) {
  Gpu& gpu = *c.gpu;
  if (milliseconds == UINT32_MAX) {
    gpu_ok(c, gpu.cl.WaitForEvents(1, &gpu.done), "clWaitForEvents failed");
    return c.status;
  }
  const uint64_t begin = system_milliseconds();
  for (uint32_t pause = 50;; pause = pause < 1000 ? pause * 2 : pause) {
    int32_t state = 0;
    const int32_t code =
        gpu.cl.GetEventInfo(gpu.done, kClEventStatus, sizeof state, &state, nullptr);
    if (!gpu_ok(c, code, "clGetEventInfo failed")) return c.status;
    if (state == kClComplete) return MACEC_OK;
    if (state < 0) {
      gpu_ok(c, state, "the run failed on the device");
      return c.status;
    }
    if (system_milliseconds() - begin >= milliseconds) return MACEC_PENDING;
    system_sleep(pause < 1000 ? pause : 999);
  }
}

[[maybe_unused]] macec_status wait_model(macec_ctx* head, uint32_t milliseconds) {
  if (!head) return MACEC_E_ARG;
  Context& c = context_of(head);
  if (c.life != kOpen && c.life != kRan) return MACEC_E_STATE;
  Gpu& gpu = *c.gpu;
  if (!gpu.is_pending) return MACEC_OK;
  macec_status status = gpu_wait(c, milliseconds);
  if (status == MACEC_PENDING) return status;
  gpu.is_pending = false;
  gpu_drop(&gpu.done, gpu.cl.ReleaseEvent);
  if (status == MACEC_OK) status = gpu_verdict(c);
  if (status == MACEC_E_DEVICE) {
    status = gpu_starts_again(c);
  } else if (status != MACEC_OK) {
    gpu_settle(c);
  }
  return gpu_commit(c, status);
}

[[maybe_unused]] macec_status report_model(const macec_ctx* head, macec_report* report) {
  if (!head || !report) return MACEC_E_ARG;
  const Context& c = context_of(head);
  if (c.life != kOpen && c.life != kRan) return MACEC_E_STATE;
  const Gpu& gpu = *c.gpu;
  const bool is_gpu = gpu.is_ready && c.plan == 0;
  *report = {
      is_gpu ? uint32_t{MACEC_ON_GPU} : uint32_t{MACEC_ON_CPU},
      is_gpu ? static_cast<macec_status>(MACEC_OK) : static_cast<macec_status>(MACEC_E_DEVICE),
      c.model->level[c.level].name,
      gpu.text,
      is_gpu ? gpu.platform : nullptr,
      is_gpu ? gpu.device : nullptr,
      is_gpu ? gpu.context : nullptr,
      is_gpu ? gpu.queue : nullptr};
  return MACEC_OK;
}

// The memory of an input that only kernels read, mapped; valid until the next run.
[[maybe_unused]] void* gpu_input_memory(macec_ctx* head, uint32_t in) {
  if (!head) return nullptr;
  Context& c = context_of(head);
  if (check_open(c) != MACEC_OK || !c.gpu->is_ready || c.plan != 0) return nullptr;
  const GpuModel& model = *c.model->gpu;
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    const GpuSharedRow& row = model.shared[i];
    if (row.role != GpuSharedRow::input || row.index != in || row.is_host_input) continue;
    if (gpu_map(c, i, kGpuWrites)) return c.gpu->mapped[i];
    gpu_gives_up(c);
  }
  return nullptr;
}

constexpr macec_layer2 kLayer2 = {report_model, submit_model, wait_model};

[[maybe_unused]] const void* gpu_layer(uint32_t layer) {
  return layer == 2 ? &kLayer2 : nullptr;
}
