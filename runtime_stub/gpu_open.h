// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens and closes the GPU half of a context, and lets the CPU plan take over.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_check.h.
#pragma once
#include "runtime_stub/gpu_check.h"

// The app's macec_opencl, if it chained one.
[[maybe_unused]] macec_opencl gpu_options(const macec_options& o) {
  for (const void* next = o.next; next;) {
    Extension extension = {};
    memcpy(&extension, next, sizeof extension);
    if (extension.kind == MACEC_KIND_OPENCL) {
      macec_opencl opencl = {};
      memcpy(&opencl, next, sizeof opencl);
      return opencl;
    }
    next = extension.next;
  }
  return macec_opencl_defaults();
}

template <class Object>
void gpu_drop(Object* object, int32_t(MACEC_CL_CALL* release)(Object)) {
  if (*object) release(*object);
  *object = nullptr;
}

// Gives every object back; what fails here is abandoned: the device may be lost.
[[maybe_unused]] void gpu_release(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  gpu.is_ready = gpu.is_pending = false;
  for (uint32_t i = 0; i < model.n_shared; ++i) gpu.lent[i] = nullptr;
  gpu_settle(c);
  gpu_drop(&gpu.done, gpu.cl.ReleaseEvent);
  for (uint32_t i = 0; i < model.n_launch; ++i) gpu_drop(&gpu.kernel[i], gpu.cl.ReleaseKernel);
  gpu_drop(&gpu.program, gpu.cl.ReleaseProgram);
  for (uint32_t i = 0; i < model.n_shared; ++i) gpu_drop(&gpu.shared[i], gpu.cl.ReleaseMemObject);
  for (uint32_t i = 0; i < model.n_image; ++i) gpu_drop(&gpu.image[i], gpu.cl.ReleaseMemObject);
  for (uint32_t i = 0; i < model.n_weight_image; ++i)
    gpu_drop(&gpu.weight_image[i], gpu.cl.ReleaseMemObject);
  gpu_drop(&gpu.weights, gpu.cl.ReleaseMemObject);
  gpu_drop(&gpu.problem, gpu.cl.ReleaseMemObject);
  gpu_drop(&gpu.arena, gpu.cl.ReleaseMemObject);
  gpu_drop(&gpu.queue, gpu.cl.ReleaseCommandQueue);
  gpu_drop(&gpu.context, gpu.cl.ReleaseContext);
  gpu.platform = nullptr;
  gpu.device = nullptr;
}

// Tells the app why the GPU cannot be used, as a failure.
[[maybe_unused]] macec_status gpu_error(const Context& c) {
  const Gpu& gpu = *c.gpu;
  return fail(c, MACEC_E_DEVICE, gpu.what ? gpu.what : "the GPU has failed", gpu.item, gpu.have,
              gpu.need);
}

// Makes the next plan the context's plan, if there is one and the app allows it. The objects of the
// GPU are still there.
[[maybe_unused]] bool gpu_turns_to_cpu(Context& c) {
  Gpu& gpu = *c.gpu;
  gpu.is_ready = gpu.is_pending = false;
  const bool has_plan = c.plan + 1 < c.model->n_plan && !gpu.need_gpu;
  if (c.options.log && !gpu.is_told) {
    char line[sizeof gpu.text + 96];
    GpuText text = {line, sizeof line, 0};
    text.add(c.model->head.name).add(has_plan ? ": runs on the CPU: " : ": the GPU fails: ");
    text.add(gpu.text);
    c.options.log(c.options.user, has_plan ? 1 : 2, line);
    gpu.is_told = true;
  }
  if (!has_plan) return false;
  ++c.plan;
  c.status = MACEC_OK;
  return true;
}

// The arrays of a Gpu, behind it.
[[maybe_unused]] void gpu_place_arrays(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  Carver carve = {reinterpret_cast<unsigned char*>(&gpu) + (sizeof(Gpu) + 7) / 8 * 8};
  gpu.kernel = carve.take<cl_kernel>(model.n_launch);
  gpu.shared = carve.take<cl_mem>(model.n_shared);
  gpu.mapped = carve.take<void*>(model.n_shared);
  gpu.lent = carve.take<const void*>(model.n_shared);
  gpu.image = carve.take<cl_mem>(model.n_image);
  gpu.weight_image = carve.take<cl_mem>(model.n_weight_image);
}

[[maybe_unused]] bool gpu_open_all(Context& c, const macec_opencl& o) {
  Gpu& gpu = *c.gpu;
  GpuCache cache = {};
  bool is_open = gpu_load(c, o.library) && gpu_open_context(c, o) &&
                 gpu_open_program(c, o.cache_dir, &cache) && gpu_open_memory(c) &&
                 gpu_open_kernels(c);
  if (is_open) {
    gpu.is_ready = true;
    const bool needs_check = !cache.is_checked && gpu_can_check(c);
    is_open = !needs_check || gpu_check(c);
    if (is_open && (needs_check || !cache.is_from_file)) gpu_write_cache(c, &cache, needs_check);
  }
  free_pages(&cache.file);
  return is_open;
}

// The last part of open: MACEC_OK, with the GPU or without, or a failure.
[[maybe_unused]] macec_status open_gpu(Context& c) {
  const GpuModel& model = *c.model->gpu;
  const macec_opencl o = gpu_options(c.options);
  Gpu& gpu = *c.gpu;
  memset(&gpu, 0, gpu_size(model.n_launch, model.n_shared, model.n_image, model.n_weight_image));
  gpu.need_gpu = o.need_gpu != 0;
  gpu_place_arrays(c);
  if (gpu_open_all(c, o)) {
    Pages name = gpu_device_text(c, kClDeviceName);
    if (name.data) {
      GpuText text = {gpu.text, sizeof gpu.text, 0};
      text.add(reinterpret_cast<const char*>(name.data));
      free_pages(&name);
      c.status = MACEC_OK;
      return MACEC_OK;
    }
  }
  gpu_release(c);
  return gpu_turns_to_cpu(c) ? static_cast<macec_status>(MACEC_OK) : gpu_error(c);
}

// Between runs: the GPU half has failed.
[[maybe_unused]] macec_status gpu_gives_up(Context& c) {
  gpu_release(c);
  return gpu_turns_to_cpu(c) ? static_cast<macec_status>(MACEC_OK) : gpu_error(c);
}

// Other weights to the device.
[[maybe_unused]] macec_status use_gpu_weights(Context& c) {
  if (!c.gpu || !c.gpu->is_ready || gpu_load_weights(c)) return MACEC_OK;
  return gpu_gives_up(c);
}

[[maybe_unused]] void close_gpu(Context& c) {
  if (c.gpu && (c.life == kOpen || c.life == kRan)) gpu_release(c);
}
