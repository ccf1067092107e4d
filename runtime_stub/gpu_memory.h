// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory objects of a model: device arena, shared objects, images, weights.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_program.h.
#pragma once
#include "runtime_stub/gpu_program.h"

[[maybe_unused]] bool gpu_create_buffer(Context& c, cl_mem* buffer, uint64_t flags,
                                        uint64_t bytes) {
  int32_t code = 0;
  const size_t size = static_cast<size_t>(bytes ? bytes : 1);
  *buffer = c.gpu->cl.CreateBuffer(c.gpu->context, flags, size, nullptr, &code);
  return gpu_made(c, buffer, code, "clCreateBuffer failed");
}

[[maybe_unused]] bool gpu_create_image(Context& c, cl_mem* image, uint64_t flags, uint32_t width,
                                       uint32_t height, uint32_t is_half) {
  const ClImageFormat format = {kClRgba, is_half ? kClHalfFloat : kClFloat};
  ClImageDesc shape = {};
  shape.type = kClImage2d;
  shape.width = width;
  shape.height = height;
  int32_t code = 0;
  *image = c.gpu->cl.CreateImage(c.gpu->context, flags, &format, &shape, nullptr, &code);
  return gpu_made(c, image, code, "clCreateImage failed");
}

// Copies rows [first, first + n) of an image from memory, and waits.
[[maybe_unused]] bool gpu_write_rows(Context& c, cl_mem image, size_t width, size_t first, size_t n,
                                     const void* from) {
  if (n == 0) return true;
  const size_t origin[3] = {0, first, 0}, region[3] = {width, n, 1};
  const int32_t code = c.gpu->cl.EnqueueWriteImage(c.gpu->queue, image, 1, origin, region, 0, 0,
                                                   from, 0, nullptr, nullptr);
  return gpu_ok(c, code, "clEnqueueWriteImage failed");
}

// Whole rows straight from the weights; the last ones, filled up with zeros, through own pages.
[[maybe_unused]] bool gpu_fill_weight_image(Context& c, cl_mem image,
                                            const GpuWeightImageRow& row) {
  const size_t row_bytes = size_t{row.width} * (row.is_half ? 8 : 16);
  const size_t bytes = static_cast<size_t>(row.bytes);
  const unsigned char* const first = c.weights + static_cast<size_t>(row.offset);
  size_t whole = bytes / row_bytes;
  if (whole > row.height) whole = row.height;
  if (!gpu_write_rows(c, image, row.width, 0, whole, first)) return false;
  const size_t left = row.height - whole;
  if (left == 0) return true;
  Pages pages = take_pages(left * row_bytes);
  if (!pages.data) return gpu_lacks(c, "no memory to open the device");
  if (bytes > whole * row_bytes)
    memcpy(pages.data, first + whole * row_bytes, bytes - whole * row_bytes);
  const bool is_written = gpu_write_rows(c, image, row.width, whole, left, pages.data);
  free_pages(&pages);
  return is_written;
}

// Copies the context's weights to the device.
[[maybe_unused]] bool gpu_load_weights(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  if (model.reads_weights && c.model->weights_bytes > kBlobHead) {
    const size_t bytes = static_cast<size_t>(c.model->weights_bytes) - kBlobHead;
    const int32_t code = gpu.cl.EnqueueWriteBuffer(gpu.queue, gpu.weights, 1, 0, bytes, c.weights,
                                                   0, nullptr, nullptr);
    if (!gpu_ok(c, code, "clEnqueueWriteBuffer failed")) return false;
  }
  for (uint32_t i = 0; i < model.n_weight_image; ++i) {
    if (!gpu_fill_weight_image(c, gpu.weight_image[i], model.weight_image[i])) return false;
  }
  return true;
}

[[maybe_unused]] bool gpu_open_memory(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  uint32_t is_unified = 0;
  if (!gpu_device_number(c, kClUnifiedMemory, &is_unified)) return false;
  // Where both devices share memory, the driver must be asked for pages that the CPU can map.
  const uint64_t flags = kClReadWrite | (is_unified ? kClAllocHost : 0);
  if (model.device_bytes && !gpu_create_buffer(c, &gpu.arena, kClReadWrite, model.device_bytes))
    return false;
  if (model.n_problem) {
    if (!gpu_create_buffer(c, &gpu.problem, kClReadWrite, sizeof gpu.found)) return false;
    const int32_t code = gpu.cl.EnqueueWriteBuffer(gpu.queue, gpu.problem, 1, 0, sizeof gpu.found,
                                                   &gpu.found, 0, nullptr, nullptr);
    if (!gpu_ok(c, code, "clEnqueueWriteBuffer failed")) return false;
  }
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    if (!gpu_create_buffer(c, &gpu.shared[i], flags, model.shared[i].bytes)) return false;
  }
  for (uint32_t i = 0; i < model.n_image; ++i) {
    const GpuImageRow& row = model.image[i];
    if (!gpu_create_image(c, &gpu.image[i], kClReadWrite, row.width, row.height, row.is_half))
      return false;
  }
  for (uint32_t i = 0; i < model.n_weight_image; ++i) {
    const GpuWeightImageRow& row = model.weight_image[i];
    if (!gpu_create_image(c, &gpu.weight_image[i], kClReadOnly, row.width, row.height, row.is_half))
      return false;
  }
  if (model.reads_weights &&
      !gpu_create_buffer(c, &gpu.weights, kClReadOnly, c.model->weights_bytes)) {
    return false;
  }
  return gpu_load_weights(c);
}
