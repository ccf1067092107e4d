// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of a model: from the cache's file, or compiled from its texts.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_cache.h.
#pragma once
#include "runtime_stub/gpu_cache.h"

// Shows the app what the driver says about a program that does not compile.
[[maybe_unused]] void gpu_log_build(const Context& c) {
  const Gpu& gpu = *c.gpu;
  if (!c.options.log) return;
  size_t bytes = 0;
  gpu.cl.GetProgramBuildInfo(gpu.program, gpu.device, kClBuildLog, 0, nullptr, &bytes);
  Pages text = take_pages(bytes + 1);
  if (!text.data) return;
  if (bytes && gpu.cl.GetProgramBuildInfo(gpu.program, gpu.device, kClBuildLog, bytes, text.data,
                                          nullptr) == 0) {
    c.options.log(c.options.user, 2, reinterpret_cast<const char*>(text.data));
  }
  free_pages(&text);
}

// From the file. False: not possible, which is no failure: the texts are there.
[[maybe_unused]] bool gpu_program_from_cache(Context& c, GpuCache* cache) {
  Gpu& gpu = *c.gpu;
  gpu_read_cache(cache);
  if (!cache->file.data) return false;
  const unsigned char* const data = cache->file.data + sizeof(GpuFileHead);
  const size_t bytes = cache->file.bytes - sizeof(GpuFileHead);
  int32_t code = 0, status = 0;
  gpu.program =
      gpu.cl.CreateProgramWithBinary(gpu.context, 1, &gpu.device, &bytes,
                                     const_cast<const unsigned char**>(&data), &status, &code);
  if (code != 0) gpu.program = nullptr;
  if (gpu.program && status == 0 &&
      gpu.cl.BuildProgram(gpu.program, 1, &gpu.device, c.model->gpu->build_options, nullptr,
                          nullptr) == 0) {
    cache->is_from_file = true;
    return true;
  }
  if (gpu.program) gpu.cl.ReleaseProgram(gpu.program);
  gpu.program = nullptr;
  cache->is_checked = false;
  free_pages(&cache->file);
  return false;
}

// Keeps the compiled program for gpu_write_cache, if the driver gives it.
[[maybe_unused]] void gpu_take_binary(const Context& c, GpuCache* cache) {
  const Gpu& gpu = *c.gpu;
  constexpr uint32_t most = kGpuMostPlatforms;
  cl_device_id devices[most] = {};
  size_t sizes[most] = {};
  unsigned char* places[most] = {};
  uint32_t n = 0;
  if (!cache->path[0] ||
      gpu.cl.GetProgramInfo(gpu.program, kClProgramDeviceCount, sizeof n, &n, nullptr) != 0 ||
      n > most ||
      gpu.cl.GetProgramInfo(gpu.program, kClProgramDevices, sizeof devices, devices, nullptr) !=
          0 ||
      gpu.cl.GetProgramInfo(gpu.program, kClProgramBinarySizes, sizeof sizes, sizes, nullptr) !=
          0) {
    return;
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (devices[i] != gpu.device || sizes[i] == 0 || sizes[i] > kGpuMostFile) continue;
    cache->file = take_pages(sizeof(GpuFileHead) + sizes[i]);
    if (!cache->file.data) return;
    places[i] = cache->file.data + sizeof(GpuFileHead);
    if (gpu.cl.GetProgramInfo(gpu.program, kClProgramBinaries, n * sizeof places[0], places,
                              nullptr) != 0) {
      free_pages(&cache->file);
    }
    return;
  }
}

[[maybe_unused]] bool gpu_program_from_source(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  int32_t code = 0;
  gpu.program = gpu.cl.CreateProgramWithSource(
      gpu.context, model.n_source, const_cast<const char**>(model.source), nullptr, &code);
  if (!gpu_made(c, &gpu.program, code, "clCreateProgramWithSource failed")) return false;
  code = gpu.cl.BuildProgram(gpu.program, 1, &gpu.device, model.build_options, nullptr, nullptr);
  if (code == 0) return true;
  gpu_log_build(c);
  return gpu_ok(c, code, "clBuildProgram failed");
}

[[maybe_unused]] bool gpu_open_program(Context& c, const char* folder, GpuCache* cache) {
  if (!gpu_find_cache(c, folder, cache)) return false;
  if (gpu_program_from_cache(c, cache)) return true;
  if (!gpu_program_from_source(c)) return false;
  gpu_take_binary(c, cache);
  return true;
}

// A kernel object per launch, its arguments set once and for all.
[[maybe_unused]] bool gpu_set_argument(Context& c, cl_kernel kernel, uint32_t index,
                                       const GpuArg& arg) {
  Gpu& gpu = *c.gpu;
  const int32_t number = arg.value;
  const void* value = &number;
  size_t bytes = sizeof(cl_mem);
  switch (arg.kind) {
    case kGpuDevice:
      value = &gpu.arena;
      break;
    case kGpuShared:
      value = &gpu.shared[number];
      break;
    case kGpuWeights:
      value = &gpu.weights;
      break;
    case kGpuImage:
      value = &gpu.image[number];
      break;
    case kGpuWeightImage:
      value = &gpu.weight_image[number];
      break;
    case kGpuProblem:
      value = &gpu.problem;
      break;
    case kGpuLocal:
      value = nullptr;
      bytes = static_cast<size_t>(number);
      break;
    default:
      bytes = sizeof number;
  }
  return gpu_ok(c, gpu.cl.SetKernelArg(kernel, index, bytes, value), "clSetKernelArg failed");
}

[[maybe_unused]] bool gpu_open_kernels(Context& c) {
  Gpu& gpu = *c.gpu;
  const GpuModel& model = *c.model->gpu;
  for (uint32_t i = 0; i < model.n_launch; ++i) {
    const GpuLaunchRow& row = model.launch[i];
    int32_t code = 0;
    gpu.kernel[i] = gpu.cl.CreateKernel(gpu.program, model.kernel[row.kernel], &code);
    if (!gpu_made(c, &gpu.kernel[i], code, "clCreateKernel failed")) return false;
    for (uint32_t k = 0; k < row.n_arg; ++k) {
      if (!gpu_set_argument(c, gpu.kernel[i], k, model.arg[row.first_arg + k])) return false;
    }
    size_t group = 0;
    code = gpu.cl.GetKernelWorkGroupInfo(gpu.kernel[i], gpu.device, kClKernelWorkGroup,
                                         sizeof group, &group, nullptr);
    if (!gpu_ok(c, code, "clGetKernelWorkGroupInfo failed")) return false;
    const uint64_t need = uint64_t{row.local[0]} * row.local[1] * row.local[2];
    if (!gpu_enough(c, group, need, "work-items in a work-group of a kernel")) return false;
  }
  return true;
}
