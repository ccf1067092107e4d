// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device, context and queue; whether the device can run the model's kernels.
//
// Handles of the app are used as far as they go, and retained: a queue has a context and a device, a
// context has devices. Without any: the first GPU of any platform, else the first device of any.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_load.h.
#pragma once
#include "runtime_stub/gpu_load.h"

constexpr uint32_t kGpuMostPlatforms = 16, kGpuMostFormats = 256;

template <class T>
bool gpu_device_number(Context& c, uint32_t what, T* value) {
  *value = 0;
  const int32_t code = c.gpu->cl.GetDeviceInfo(c.gpu->device, what, sizeof *value, value, nullptr);
  return gpu_ok(c, code, "clGetDeviceInfo failed");
}

// One text of the device in pages; free_pages them. data nullptr: there is none.
[[maybe_unused]] Pages gpu_device_text(Context& c, uint32_t what) {
  const ClApi& cl = c.gpu->cl;
  Pages none = {nullptr, 0};
  size_t bytes = 0;
  if (!gpu_ok(c, cl.GetDeviceInfo(c.gpu->device, what, 0, nullptr, &bytes),
              "clGetDeviceInfo failed"))
    return none;
  Pages pages = take_pages(bytes + 1);
  if (!pages.data) {
    gpu_lacks(c, "no memory to open the device");
    return none;
  }
  const int32_t code = cl.GetDeviceInfo(c.gpu->device, what, bytes, pages.data, nullptr);
  if (!gpu_ok(c, code, "clGetDeviceInfo failed")) free_pages(&pages);
  return pages;
}

// Whether `word` is one of the words of text.
[[maybe_unused]] bool gpu_has_word(const char* text, const char* word) {
  const size_t length = strlen(word);
  for (const char* at = text; (at = strstr(at, word)) != nullptr; at += length) {
    const bool begins = at == text || at[-1] == ' ', ends = at[length] == ' ' || !at[length];
    if (begins && ends) return true;
  }
  return false;
}

// The first device of the given types; false: none, or a failure is noted.
[[maybe_unused]] bool gpu_first_device(Context& c, const cl_platform_id* platforms, uint32_t n,
                                       uint64_t types) {
  Gpu& gpu = *c.gpu;
  for (uint32_t i = 0; i < n; ++i) {
    uint32_t found = 0;
    if (gpu.cl.GetDeviceIDs(platforms[i], types, 1, &gpu.device, &found) == 0 && found > 0) {
      gpu.platform = platforms[i];
      return true;
    }
  }
  gpu.device = nullptr;
  return false;
}

[[maybe_unused]] bool gpu_choose_device(Context& c, const macec_opencl& o) {
  Gpu& gpu = *c.gpu;
  const ClApi& cl = gpu.cl;
  gpu.device = static_cast<cl_device_id>(o.device);
  const size_t one = sizeof gpu.device;
  if (!gpu.device && o.queue) {
    const cl_command_queue queue = static_cast<cl_command_queue>(o.queue);
    const int32_t code = cl.GetCommandQueueInfo(queue, kClQueueDevice, one, &gpu.device, nullptr);
    if (!gpu_ok(c, code, "clGetCommandQueueInfo failed")) return false;
  } else if (!gpu.device && o.context) {
    cl_device_id devices[kGpuMostPlatforms] = {};
    const cl_context context = static_cast<cl_context>(o.context);
    const int32_t code =
        cl.GetContextInfo(context, kClContextDevices, sizeof devices, devices, nullptr);
    if (!gpu_ok(c, code, "clGetContextInfo failed")) return false;
    gpu.device = devices[0];
  }
  if (gpu.device) {
    const int32_t code = cl.GetDeviceInfo(gpu.device, kClDevicePlatform, sizeof gpu.platform,
                                          &gpu.platform, nullptr);
    return gpu_ok(c, code, "clGetDeviceInfo failed");
  }
  cl_platform_id platforms[kGpuMostPlatforms] = {static_cast<cl_platform_id>(o.platform)};
  uint32_t n = 1;
  if (!o.platform) {
    // The loader says that there are no platforms by an error code: -1001.
    const int32_t code = cl.GetPlatformIDs(kGpuMostPlatforms, platforms, &n);
    if (code != 0 && code != -1001) return gpu_ok(c, code, "clGetPlatformIDs failed");
    if (code == -1001) n = 0;
    if (n > kGpuMostPlatforms) n = kGpuMostPlatforms;
  }
  if (gpu_first_device(c, platforms, n, kClDeviceGpu)) return true;
  if (gpu_first_device(c, platforms, n, kClDeviceAll)) return true;
  return gpu_lacks(c, "no OpenCL device found");
}

// Hints of the options that this device's extensions know, as context properties; returns how many
// numbers it wrote: at most 6.
[[maybe_unused]] uint32_t gpu_hints(const macec_opencl& o, const char* extensions, intptr_t* to) {
  uint32_t n = 0;
  // The constants of both extensions: high, normal, low follow the name of the property.
  if (o.performance >= 1 && o.performance <= 3 && gpu_has_word(extensions, "cl_qcom_perf_hint")) {
    to[n++] = kClPerformanceQcom;
    to[n++] = kClPerformanceQcom + 4 - static_cast<intptr_t>(o.performance);
  }
  if (o.priority >= 1 && o.priority <= 3 && gpu_has_word(extensions, "cl_qcom_priority_hint")) {
    to[n++] = kClPriorityQcom;
    to[n++] = kClPriorityQcom + 4 - static_cast<intptr_t>(o.priority);
  }
  return n;
}

[[maybe_unused]] bool gpu_create_context(Context& c, const macec_opencl& o,
                                         const char* extensions) {
  Gpu& gpu = *c.gpu;
  cl_context given = static_cast<cl_context>(o.context);
  if (!given && o.queue) {
    const cl_command_queue queue = static_cast<cl_command_queue>(o.queue);
    const int32_t code =
        gpu.cl.GetCommandQueueInfo(queue, kClQueueContext, sizeof given, &given, nullptr);
    if (!gpu_ok(c, code, "clGetCommandQueueInfo failed")) return false;
  }
  if (given) {
    if (!gpu_ok(c, gpu.cl.RetainContext(given), "clRetainContext failed")) return false;
    gpu.context = given;
    return true;
  }
  intptr_t properties[8] = {kClContextPlatform, reinterpret_cast<intptr_t>(gpu.platform)};
  const uint32_t n = 2 + gpu_hints(o, extensions, properties + 2);
  properties[n] = 0;
  int32_t code = 0;
  gpu.context = gpu.cl.CreateContext(properties, 1, &gpu.device, nullptr, nullptr, &code);
  return gpu_made(c, &gpu.context, code, "clCreateContext failed");
}

[[maybe_unused]] bool gpu_create_queue(Context& c, const macec_opencl& o, const char* extensions) {
  Gpu& gpu = *c.gpu;
  if (o.queue) {
    const cl_command_queue given = static_cast<cl_command_queue>(o.queue);
    uint64_t properties = 0;
    int32_t code = gpu.cl.GetCommandQueueInfo(given, kClQueueProperties, sizeof properties,
                                              &properties, nullptr);
    if (!gpu_ok(c, code, "clGetCommandQueueInfo failed")) return false;
    if (properties & kClOutOfOrder) return gpu_lacks(c, "macec_opencl.queue is out of order");
    if (!gpu_ok(c, gpu.cl.RetainCommandQueue(given), "clRetainCommandQueue failed")) return false;
    gpu.queue = given;
    return true;
  }
  int32_t code = 0;
  const bool has_hint = o.priority >= 1 && o.priority <= 3 &&
                        gpu.cl.CreateCommandQueueWithProperties &&
                        gpu_has_word(extensions, "cl_khr_priority_hints");
  if (has_hint) {
    const uint64_t priority = o.priority == 3 ? 1 : o.priority == 2 ? 2 : 4;
    const uint64_t properties[3] = {kClQueuePriority, priority, 0};
    gpu.queue = gpu.cl.CreateCommandQueueWithProperties(gpu.context, gpu.device, properties, &code);
    if (code == 0 && gpu.queue) return true;
    gpu.queue = nullptr;  // a driver that names the extension and refuses it: no hint then
  }
  gpu.queue = gpu.cl.CreateCommandQueue(gpu.context, gpu.device, 0, &code);
  return gpu_made(c, &gpu.queue, code, "clCreateCommandQueue failed");
}

// True if `have` is enough.
[[maybe_unused]] bool gpu_enough(Context& c, uint64_t have, uint64_t need, const char* what) {
  return have >= need || gpu_lacks(c, what, static_cast<int64_t>(have), static_cast<int64_t>(need));
}

[[maybe_unused]] bool gpu_has_format(Context& c, uint32_t type) {
  Gpu& gpu = *c.gpu;
  ClImageFormat formats[kGpuMostFormats] = {};
  uint32_t n = 0;
  const int32_t code = gpu.cl.GetSupportedImageFormats(gpu.context, kClReadWrite, kClImage2d,
                                                       kGpuMostFormats, formats, &n);
  if (!gpu_ok(c, code, "clGetSupportedImageFormats failed")) return false;
  for (uint32_t i = 0; i < n && i < kGpuMostFormats; ++i) {
    if (formats[i].order == kClRgba && formats[i].type == type) return true;
  }
  return gpu_lacks(c, type == kClFloat ? "the device has no images of float texels"
                                       : "the device has no images of half texels");
}

// Images of the plan against the limits of the device.
[[maybe_unused]] bool gpu_check_images(Context& c) {
  const GpuModel& model = *c.model->gpu;
  uint32_t width = 0, height = 0, is_supported = 0;
  bool uses[2] = {false, false};  // float, half
  for (uint32_t i = 0; i < model.n_image; ++i) {
    const GpuImageRow& row = model.image[i];
    width = row.width > width ? row.width : width;
    height = row.height > height ? row.height : height;
    uses[row.is_half ? 1 : 0] = true;
  }
  for (uint32_t i = 0; i < model.n_weight_image; ++i) {
    const GpuWeightImageRow& row = model.weight_image[i];
    width = row.width > width ? row.width : width;
    height = row.height > height ? row.height : height;
    uses[row.is_half ? 1 : 0] = true;
  }
  if (!width) return true;
  size_t most_width = 0, most_height = 0;
  if (!gpu_device_number(c, kClImageSupport, &is_supported)) return false;
  if (!is_supported) return gpu_lacks(c, "the device has no images");
  return gpu_device_number(c, kClMaxImageWidth, &most_width) &&
         gpu_device_number(c, kClMaxImageHeight, &most_height) &&
         gpu_enough(c, most_width, width, "width of an image in texels") &&
         gpu_enough(c, most_height, height, "height of an image in texels") &&
         (!uses[0] || gpu_has_format(c, kClFloat)) && (!uses[1] || gpu_has_format(c, kClHalfFloat));
}

// Work-groups of the plan against the limits of the device.
[[maybe_unused]] bool gpu_check_groups(Context& c) {
  const GpuModel& model = *c.model->gpu;
  size_t group = 0, most[8] = {};  // most: along each axis
  const int32_t code =
      c.gpu->cl.GetDeviceInfo(c.gpu->device, kClMaxWorkItems, sizeof most, most, nullptr);
  if (!gpu_ok(c, code, "clGetDeviceInfo failed") ||
      !gpu_device_number(c, kClMaxWorkGroup, &group)) {
    return false;
  }
  for (uint32_t i = 0; i < model.n_launch; ++i) {
    const uint32_t* const local = model.launch[i].local;
    const uint64_t items = uint64_t{local[0]} * local[1] * local[2];
    if (!gpu_enough(c, group, items, "work-items in a work-group")) return false;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      if (!gpu_enough(c, most[axis], local[axis], "work-items in a work-group along one axis"))
        return false;
    }
  }
  return true;
}

// Buffers and local memory of the plan against the limits of the device.
[[maybe_unused]] bool gpu_check_limits(Context& c) {
  const GpuModel& model = *c.model->gpu;
  uint64_t allocation = 0, local_memory = 0, bytes = model.device_bytes;
  if (model.reads_weights && c.model->weights_bytes > bytes) bytes = c.model->weights_bytes;
  for (uint32_t i = 0; i < model.n_shared; ++i) {
    if (model.shared[i].bytes > bytes) bytes = model.shared[i].bytes;
  }
  uint64_t local_bytes = 0;
  for (uint32_t i = 0; i < model.n_launch; ++i) {
    const GpuLaunchRow& row = model.launch[i];
    uint64_t own = 0;
    for (uint32_t k = 0; k < row.n_arg; ++k) {
      const GpuArg& arg = model.arg[row.first_arg + k];
      if (arg.kind == kGpuLocal) own += static_cast<uint64_t>(arg.value);
    }
    local_bytes = own > local_bytes ? own : local_bytes;
  }
  return gpu_device_number(c, kClMaxAllocation, &allocation) &&
         gpu_device_number(c, kClLocalMemory, &local_memory) &&
         gpu_enough(c, allocation, bytes, "bytes of one buffer of the device") &&
         gpu_enough(c, local_memory, local_bytes, "bytes of local memory");
}

[[maybe_unused]] bool gpu_open_context(Context& c, const macec_opencl& o) {
  if (!gpu_choose_device(c, o)) return false;
  Pages extensions = gpu_device_text(c, kClDeviceExtensions);
  if (!extensions.data) return false;
  const char* const words = reinterpret_cast<const char*>(extensions.data);
  const bool is_open = gpu_create_context(c, o, words) && gpu_create_queue(c, o, words);
  free_pages(&extensions);
  return is_open && gpu_check_groups(c) && gpu_check_limits(c) && gpu_check_images(c);
}
