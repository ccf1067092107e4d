// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares runtime_stub/gpu_api.h with the headers of Khronos; it need only compile.
#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <type_traits>

#include "runtime_stub/gpu_api.h"

// Our two structs for theirs in the type of a function.
template <class T>
struct Theirs {
  using type = T;
};
template <>
struct Theirs<ClImageFormat*> {
  using type = cl_image_format*;
};
template <>
struct Theirs<const ClImageFormat*> {
  using type = const cl_image_format*;
};
template <>
struct Theirs<const ClImageDesc*> {
  using type = const cl_image_desc*;
};
template <class Result, class... Arguments>
struct Theirs<Result (*)(Arguments...)> {
  using type = Result (*)(typename Theirs<Arguments>::type...);
};

#define SAME(name)                                                                             \
  static_assert(std::is_same<Theirs<decltype(ClApi::name)>::type, decltype(&cl##name)>::value, \
                "signature of cl" #name)
SAME(GetPlatformIDs);
SAME(GetPlatformInfo);
SAME(GetDeviceIDs);
SAME(GetDeviceInfo);
SAME(CreateContext);
SAME(RetainContext);
SAME(ReleaseContext);
SAME(GetContextInfo);
SAME(CreateCommandQueue);
SAME(CreateCommandQueueWithProperties);
SAME(RetainCommandQueue);
SAME(ReleaseCommandQueue);
SAME(GetCommandQueueInfo);
SAME(CreateBuffer);
SAME(CreateImage);
SAME(ReleaseMemObject);
SAME(GetSupportedImageFormats);
SAME(CreateProgramWithSource);
SAME(CreateProgramWithBinary);
SAME(BuildProgram);
SAME(ReleaseProgram);
SAME(GetProgramInfo);
SAME(GetProgramBuildInfo);
SAME(CreateKernel);
SAME(ReleaseKernel);
SAME(SetKernelArg);
SAME(GetKernelWorkGroupInfo);
SAME(EnqueueNDRangeKernel);
SAME(EnqueueReadBuffer);
SAME(EnqueueWriteBuffer);
SAME(EnqueueWriteImage);
SAME(EnqueueMapBuffer);
SAME(EnqueueUnmapMemObject);
SAME(EnqueueMarkerWithWaitList);
SAME(Flush);
SAME(Finish);
SAME(WaitForEvents);
SAME(GetEventInfo);
SAME(ReleaseEvent);
static_assert(sizeof(ClApi) == 39 * sizeof(void*), "a function is compared for each member");

#define EQUAL(ours, theirs) static_assert((ours) == (theirs), #theirs)
EQUAL(kClPlatformVersion, CL_PLATFORM_VERSION);
EQUAL(kClPlatformName, CL_PLATFORM_NAME);
EQUAL(kClDeviceGpu, CL_DEVICE_TYPE_GPU);
EQUAL(kClDeviceAll, CL_DEVICE_TYPE_ALL);
EQUAL(kClMaxWorkGroup, CL_DEVICE_MAX_WORK_GROUP_SIZE);
EQUAL(kClMaxWorkItems, CL_DEVICE_MAX_WORK_ITEM_SIZES);
EQUAL(kClMaxAllocation, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
EQUAL(kClImageSupport, CL_DEVICE_IMAGE_SUPPORT);
EQUAL(kClMaxImageWidth, CL_DEVICE_IMAGE2D_MAX_WIDTH);
EQUAL(kClMaxImageHeight, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
EQUAL(kClLocalMemory, CL_DEVICE_LOCAL_MEM_SIZE);
EQUAL(kClDeviceName, CL_DEVICE_NAME);
EQUAL(kClDriverVersion, CL_DRIVER_VERSION);
EQUAL(kClDeviceVersion, CL_DEVICE_VERSION);
EQUAL(kClDeviceExtensions, CL_DEVICE_EXTENSIONS);
EQUAL(kClDevicePlatform, CL_DEVICE_PLATFORM);
EQUAL(kClUnifiedMemory, CL_DEVICE_HOST_UNIFIED_MEMORY);
EQUAL(kClContextDevices, CL_CONTEXT_DEVICES);
EQUAL(kClContextPlatform, CL_CONTEXT_PLATFORM);
EQUAL(kClQueueContext, CL_QUEUE_CONTEXT);
EQUAL(kClQueueDevice, CL_QUEUE_DEVICE);
EQUAL(kClQueueProperties, CL_QUEUE_PROPERTIES);
EQUAL(kClOutOfOrder, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
EQUAL(kClReadWrite, CL_MEM_READ_WRITE);
EQUAL(kClReadOnly, CL_MEM_READ_ONLY);
EQUAL(kClAllocHost, CL_MEM_ALLOC_HOST_PTR);
EQUAL(kClImage2d, CL_MEM_OBJECT_IMAGE2D);
EQUAL(kClRgba, CL_RGBA);
EQUAL(kClFloat, CL_FLOAT);
EQUAL(kClHalfFloat, CL_HALF_FLOAT);
EQUAL(kClMapRead, CL_MAP_READ);
EQUAL(kClMapWrite, CL_MAP_WRITE);
EQUAL(kClProgramDeviceCount, CL_PROGRAM_NUM_DEVICES);
EQUAL(kClProgramDevices, CL_PROGRAM_DEVICES);
EQUAL(kClProgramBinarySizes, CL_PROGRAM_BINARY_SIZES);
EQUAL(kClProgramBinaries, CL_PROGRAM_BINARIES);
EQUAL(kClBuildLog, CL_PROGRAM_BUILD_LOG);
EQUAL(kClKernelWorkGroup, CL_KERNEL_WORK_GROUP_SIZE);
EQUAL(kClEventStatus, CL_EVENT_COMMAND_EXECUTION_STATUS);
EQUAL(kClComplete, CL_COMPLETE);
EQUAL(kClQueuePriority, CL_QUEUE_PRIORITY_KHR);
EQUAL(CL_QUEUE_PRIORITY_HIGH_KHR, 1);
EQUAL(CL_QUEUE_PRIORITY_MED_KHR, 2);
EQUAL(CL_QUEUE_PRIORITY_LOW_KHR, 4);
#if defined(CL_CONTEXT_PERF_HINT_QCOM)
EQUAL(kClPerformanceQcom, CL_CONTEXT_PERF_HINT_QCOM);
EQUAL(kClPerformanceQcom + 1, CL_PERF_HINT_HIGH_QCOM);
EQUAL(kClPerformanceQcom + 3, CL_PERF_HINT_LOW_QCOM);
#endif
#if defined(CL_CONTEXT_PRIORITY_HINT_QCOM)
EQUAL(kClPriorityQcom, CL_CONTEXT_PRIORITY_HINT_QCOM);
EQUAL(kClPriorityQcom + 1, CL_PRIORITY_HINT_HIGH_QCOM);
EQUAL(kClPriorityQcom + 3, CL_PRIORITY_HINT_LOW_QCOM);
#endif

EQUAL(sizeof(ClImageFormat), sizeof(cl_image_format));
EQUAL(offsetof(ClImageFormat, type), offsetof(cl_image_format, image_channel_data_type));
EQUAL(sizeof(ClImageDesc), sizeof(cl_image_desc));
EQUAL(offsetof(ClImageDesc, type), offsetof(cl_image_desc, image_type));
EQUAL(offsetof(ClImageDesc, width), offsetof(cl_image_desc, image_width));
EQUAL(offsetof(ClImageDesc, height), offsetof(cl_image_desc, image_height));
EQUAL(offsetof(ClImageDesc, array_size), offsetof(cl_image_desc, image_array_size));
EQUAL(offsetof(ClImageDesc, row_pitch), offsetof(cl_image_desc, image_row_pitch));
EQUAL(offsetof(ClImageDesc, n_sample), offsetof(cl_image_desc, num_samples));
EQUAL(offsetof(ClImageDesc, buffer), offsetof(cl_image_desc, mem_object));
