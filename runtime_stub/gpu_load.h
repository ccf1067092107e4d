// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the OpenCL library and its functions.
//
// The library stays loaded when a context is closed: drivers start threads and register handlers,
// and few survive being unloaded. Loading it again gives the same library.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_system.h.
#pragma once
#include "runtime_stub/gpu_state.h"
#include "runtime_stub/gpu_system.h"

#if defined(_WIN32)
constexpr const char* kGpuLibraries[] = {"OpenCL.dll"};
#elif defined(__APPLE__)
constexpr const char* kGpuLibraries[] = {"/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#elif defined(__ANDROID__) && defined(__LP64__)
// The plain name first: the linker knows what the app may open. Then where vendors put it.
constexpr const char* kGpuLibraries[] = {"libOpenCL.so",
                                         "/vendor/lib64/libOpenCL.so",
                                         "/system/vendor/lib64/libOpenCL.so",
                                         "/system/lib64/libOpenCL.so",
                                         "/vendor/lib64/egl/libGLES_mali.so",
                                         "/system/vendor/lib64/egl/libGLES_mali.so",
                                         "/system/lib64/egl/libGLES_mali.so",
                                         "/vendor/lib64/libPVROCL.so",
                                         "/system/vendor/lib64/libPVROCL.so"};
#elif defined(__ANDROID__)
constexpr const char* kGpuLibraries[] = {"libOpenCL.so",
                                         "/vendor/lib/libOpenCL.so",
                                         "/system/vendor/lib/libOpenCL.so",
                                         "/system/lib/libOpenCL.so",
                                         "/vendor/lib/egl/libGLES_mali.so",
                                         "/system/vendor/lib/egl/libGLES_mali.so",
                                         "/system/lib/egl/libGLES_mali.so",
                                         "/vendor/lib/libPVROCL.so",
                                         "/system/vendor/lib/libPVROCL.so"};
#else
constexpr const char* kGpuLibraries[] = {"libOpenCL.so.1", "libOpenCL.so", "libmali.so.1",
                                         "libmali.so"};
#endif

// A function by name, and where its pointer stands in ClApi.
struct GpuEntry {
  const char* name;
  size_t offset;
};
constexpr GpuEntry kGpuEntries[] = {
    {"clGetPlatformIDs", offsetof(ClApi, GetPlatformIDs)},
    {"clGetPlatformInfo", offsetof(ClApi, GetPlatformInfo)},
    {"clGetDeviceIDs", offsetof(ClApi, GetDeviceIDs)},
    {"clGetDeviceInfo", offsetof(ClApi, GetDeviceInfo)},
    {"clCreateContext", offsetof(ClApi, CreateContext)},
    {"clRetainContext", offsetof(ClApi, RetainContext)},
    {"clReleaseContext", offsetof(ClApi, ReleaseContext)},
    {"clGetContextInfo", offsetof(ClApi, GetContextInfo)},
    {"clCreateCommandQueue", offsetof(ClApi, CreateCommandQueue)},
    {"clRetainCommandQueue", offsetof(ClApi, RetainCommandQueue)},
    {"clReleaseCommandQueue", offsetof(ClApi, ReleaseCommandQueue)},
    {"clGetCommandQueueInfo", offsetof(ClApi, GetCommandQueueInfo)},
    {"clCreateBuffer", offsetof(ClApi, CreateBuffer)},
    {"clCreateImage", offsetof(ClApi, CreateImage)},
    {"clReleaseMemObject", offsetof(ClApi, ReleaseMemObject)},
    {"clGetSupportedImageFormats", offsetof(ClApi, GetSupportedImageFormats)},
    {"clCreateProgramWithSource", offsetof(ClApi, CreateProgramWithSource)},
    {"clCreateProgramWithBinary", offsetof(ClApi, CreateProgramWithBinary)},
    {"clBuildProgram", offsetof(ClApi, BuildProgram)},
    {"clReleaseProgram", offsetof(ClApi, ReleaseProgram)},
    {"clGetProgramInfo", offsetof(ClApi, GetProgramInfo)},
    {"clGetProgramBuildInfo", offsetof(ClApi, GetProgramBuildInfo)},
    {"clCreateKernel", offsetof(ClApi, CreateKernel)},
    {"clReleaseKernel", offsetof(ClApi, ReleaseKernel)},
    {"clSetKernelArg", offsetof(ClApi, SetKernelArg)},
    {"clGetKernelWorkGroupInfo", offsetof(ClApi, GetKernelWorkGroupInfo)},
    {"clEnqueueNDRangeKernel", offsetof(ClApi, EnqueueNDRangeKernel)},
    {"clEnqueueReadBuffer", offsetof(ClApi, EnqueueReadBuffer)},
    {"clEnqueueWriteBuffer", offsetof(ClApi, EnqueueWriteBuffer)},
    {"clEnqueueWriteImage", offsetof(ClApi, EnqueueWriteImage)},
    {"clEnqueueMapBuffer", offsetof(ClApi, EnqueueMapBuffer)},
    {"clEnqueueUnmapMemObject", offsetof(ClApi, EnqueueUnmapMemObject)},
    {"clEnqueueMarkerWithWaitList", offsetof(ClApi, EnqueueMarkerWithWaitList)},
    {"clFlush", offsetof(ClApi, Flush)},
    {"clFinish", offsetof(ClApi, Finish)},
    {"clWaitForEvents", offsetof(ClApi, WaitForEvents)},
    {"clGetEventInfo", offsetof(ClApi, GetEventInfo)},
    {"clReleaseEvent", offsetof(ClApi, ReleaseEvent)},
};

// Sets one pointer; false: the library has no such function.
[[maybe_unused]] bool gpu_find(void* library, const char* name, ClApi& cl, size_t offset) {
  void* const symbol = system_symbol(library, name);
  memcpy(reinterpret_cast<unsigned char*>(&cl) + offset, &symbol, sizeof symbol);
  return symbol != nullptr;
}

// path: what the app names; nullptr: the usual names.
[[maybe_unused]] bool gpu_load(Context& c, const char* path) {
  static_assert(sizeof(ClApi::Finish) == sizeof(void*), "a function pointer is a pointer");
  void* library = path ? system_open_library(path) : nullptr;
  if (path && !library) return gpu_lacks(c, "macec_opencl.library cannot be loaded");
  for (const char* name : kGpuLibraries) {
    if (!library) library = system_open_library(name);
  }
  if (!library) return gpu_lacks(c, "no OpenCL library found");
  ClApi& cl = c.gpu->cl;
  for (const GpuEntry& entry : kGpuEntries) {
    if (gpu_find(library, entry.name, cl, entry.offset)) continue;
    GpuText text = {c.gpu->text, sizeof c.gpu->text, 0};
    gpu_lacks(c, "the OpenCL library lacks a function of OpenCL 1.2");
    text.add("the OpenCL library has no ").add(entry.name);
    return false;
  }
  const size_t newer = offsetof(ClApi, CreateCommandQueueWithProperties);
  if (!gpu_find(library, "clCreateCommandQueueWithProperties", cl, newer)) {
    gpu_find(library, "clCreateCommandQueueWithPropertiesKHR", cl, newer);
  }
  return true;
}
