// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of OpenCL 1.2 a generated source uses: handles, constants, and a table of its functions.
//
// Own declarations, so that an app needs no OpenCL headers, and pointers found at run time, so that
// it links no OpenCL library (gpu_load.h). tests/opencl/stub compares all of it with the headers of
// Khronos. Integers stand for the typedefs of OpenCL: cl_int is int32_t, cl_uint and cl_bool are
// uint32_t, cl_bitfield and cl_ulong uint64_t.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan.
#pragma once
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MACEC_CL_CALL __stdcall
#else
#define MACEC_CL_CALL
#endif

using cl_platform_id = struct _cl_platform_id*;
using cl_device_id = struct _cl_device_id*;
using cl_context = struct _cl_context*;
using cl_command_queue = struct _cl_command_queue*;
using cl_mem = struct _cl_mem*;
using cl_program = struct _cl_program*;
using cl_kernel = struct _cl_kernel*;
using cl_event = struct _cl_event*;

struct ClImageFormat {
  uint32_t order, type;
};
struct ClImageDesc {
  uint32_t type;
  size_t width, height, depth, array_size, row_pitch, slice_pitch;
  uint32_t n_mip_level, n_sample;
  cl_mem buffer;
};

constexpr uint32_t kClPlatformVersion = 0x0901, kClPlatformName = 0x0902;
constexpr uint64_t kClDeviceGpu = 1 << 2, kClDeviceAll = 0xffffffff;
constexpr uint32_t kClMaxWorkGroup = 0x1004, kClMaxWorkItems = 0x1005, kClMaxAllocation = 0x1010,
                   kClImageSupport = 0x1016, kClMaxImageWidth = 0x1011, kClMaxImageHeight = 0x1012,
                   kClLocalMemory = 0x1023, kClDeviceName = 0x102b, kClDriverVersion = 0x102d,
                   kClDeviceVersion = 0x102f, kClDeviceExtensions = 0x1030,
                   kClDevicePlatform = 0x1031, kClUnifiedMemory = 0x1035;
constexpr uint32_t kClContextDevices = 0x1081, kClContextPlatform = 0x1084;
constexpr uint32_t kClQueueContext = 0x1090, kClQueueDevice = 0x1091, kClQueueProperties = 0x1093;
constexpr uint64_t kClOutOfOrder = 1 << 0;
constexpr uint64_t kClReadWrite = 1 << 0, kClReadOnly = 1 << 2, kClAllocHost = 1 << 4;
constexpr uint32_t kClImage2d = 0x10f1, kClRgba = 0x10b5, kClFloat = 0x10de, kClHalfFloat = 0x10dd;
constexpr uint64_t kClMapRead = 1 << 0, kClMapWrite = 1 << 1;
constexpr uint32_t kClProgramDeviceCount = 0x1162, kClProgramDevices = 0x1163,
                   kClProgramBinarySizes = 0x1165, kClProgramBinaries = 0x1166,
                   kClBuildLog = 0x1183;
constexpr uint32_t kClKernelWorkGroup = 0x11b0;
constexpr uint32_t kClEventStatus = 0x11d3;
constexpr int32_t kClComplete = 0;
// Extensions: cl_khr_priority_hints, cl_qcom_perf_hint, cl_qcom_priority_hint.
constexpr uint64_t kClQueuePriority = 0x1096;  // then 1: high, 2: medium, 4: low
constexpr intptr_t kClPerformanceQcom = 0x40c2,
                   kClPriorityQcom = 0x40c9;  // high is the next number

struct ClApi {
  int32_t(MACEC_CL_CALL* GetPlatformIDs)(uint32_t, cl_platform_id*, uint32_t*);
  int32_t(MACEC_CL_CALL* GetPlatformInfo)(cl_platform_id, uint32_t, size_t, void*, size_t*);
  int32_t(MACEC_CL_CALL* GetDeviceIDs)(cl_platform_id, uint64_t, uint32_t, cl_device_id*,
                                       uint32_t*);
  int32_t(MACEC_CL_CALL* GetDeviceInfo)(cl_device_id, uint32_t, size_t, void*, size_t*);
  cl_context(MACEC_CL_CALL* CreateContext)(const intptr_t*, uint32_t, const cl_device_id*,
                                           void(MACEC_CL_CALL*)(const char*, const void*, size_t,
                                                                void*),
                                           void*, int32_t*);
  int32_t(MACEC_CL_CALL* RetainContext)(cl_context);
  int32_t(MACEC_CL_CALL* ReleaseContext)(cl_context);
  int32_t(MACEC_CL_CALL* GetContextInfo)(cl_context, uint32_t, size_t, void*, size_t*);
  cl_command_queue(MACEC_CL_CALL* CreateCommandQueue)(cl_context, cl_device_id, uint64_t, int32_t*);
  // OpenCL 2.0 or cl_khr_create_command_queue; may be nullptr.
  cl_command_queue(MACEC_CL_CALL* CreateCommandQueueWithProperties)(cl_context, cl_device_id,
                                                                    const uint64_t*, int32_t*);
  int32_t(MACEC_CL_CALL* RetainCommandQueue)(cl_command_queue);
  int32_t(MACEC_CL_CALL* ReleaseCommandQueue)(cl_command_queue);
  int32_t(MACEC_CL_CALL* GetCommandQueueInfo)(cl_command_queue, uint32_t, size_t, void*, size_t*);
  cl_mem(MACEC_CL_CALL* CreateBuffer)(cl_context, uint64_t, size_t, void*, int32_t*);
  cl_mem(MACEC_CL_CALL* CreateImage)(cl_context, uint64_t, const ClImageFormat*, const ClImageDesc*,
                                     void*, int32_t*);
  int32_t(MACEC_CL_CALL* ReleaseMemObject)(cl_mem);
  int32_t(MACEC_CL_CALL* GetSupportedImageFormats)(cl_context, uint64_t, uint32_t, uint32_t,
                                                   ClImageFormat*, uint32_t*);
  cl_program(MACEC_CL_CALL* CreateProgramWithSource)(cl_context, uint32_t, const char**,
                                                     const size_t*, int32_t*);
  cl_program(MACEC_CL_CALL* CreateProgramWithBinary)(cl_context, uint32_t, const cl_device_id*,
                                                     const size_t*, const unsigned char**, int32_t*,
                                                     int32_t*);
  int32_t(MACEC_CL_CALL* BuildProgram)(cl_program, uint32_t, const cl_device_id*, const char*,
                                       void(MACEC_CL_CALL*)(cl_program, void*), void*);
  int32_t(MACEC_CL_CALL* ReleaseProgram)(cl_program);
  int32_t(MACEC_CL_CALL* GetProgramInfo)(cl_program, uint32_t, size_t, void*, size_t*);
  int32_t(MACEC_CL_CALL* GetProgramBuildInfo)(cl_program, cl_device_id, uint32_t, size_t, void*,
                                              size_t*);
  cl_kernel(MACEC_CL_CALL* CreateKernel)(cl_program, const char*, int32_t*);
  int32_t(MACEC_CL_CALL* ReleaseKernel)(cl_kernel);
  int32_t(MACEC_CL_CALL* SetKernelArg)(cl_kernel, uint32_t, size_t, const void*);
  int32_t(MACEC_CL_CALL* GetKernelWorkGroupInfo)(cl_kernel, cl_device_id, uint32_t, size_t, void*,
                                                 size_t*);
  int32_t(MACEC_CL_CALL* EnqueueNDRangeKernel)(cl_command_queue, cl_kernel, uint32_t, const size_t*,
                                               const size_t*, const size_t*, uint32_t,
                                               const cl_event*, cl_event*);
  int32_t(MACEC_CL_CALL* EnqueueReadBuffer)(cl_command_queue, cl_mem, uint32_t, size_t, size_t,
                                            void*, uint32_t, const cl_event*, cl_event*);
  int32_t(MACEC_CL_CALL* EnqueueWriteBuffer)(cl_command_queue, cl_mem, uint32_t, size_t, size_t,
                                             const void*, uint32_t, const cl_event*, cl_event*);
  int32_t(MACEC_CL_CALL* EnqueueWriteImage)(cl_command_queue, cl_mem, uint32_t, const size_t*,
                                            const size_t*, size_t, size_t, const void*, uint32_t,
                                            const cl_event*, cl_event*);
  void*(MACEC_CL_CALL* EnqueueMapBuffer)(cl_command_queue, cl_mem, uint32_t, uint64_t, size_t,
                                         size_t, uint32_t, const cl_event*, cl_event*, int32_t*);
  int32_t(MACEC_CL_CALL* EnqueueUnmapMemObject)(cl_command_queue, cl_mem, void*, uint32_t,
                                                const cl_event*, cl_event*);
  int32_t(MACEC_CL_CALL* EnqueueMarkerWithWaitList)(cl_command_queue, uint32_t, const cl_event*,
                                                    cl_event*);
  int32_t(MACEC_CL_CALL* Flush)(cl_command_queue);
  int32_t(MACEC_CL_CALL* Finish)(cl_command_queue);
  int32_t(MACEC_CL_CALL* WaitForEvents)(uint32_t, const cl_event*);
  int32_t(MACEC_CL_CALL* GetEventInfo)(cl_event, uint32_t, size_t, void*, size_t*);
  int32_t(MACEC_CL_CALL* ReleaseEvent)(cl_event);
};
