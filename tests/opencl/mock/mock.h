// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The controls of the mock OpenCL library. A test opens the library by its path, gets mock_control
// with dlsym, and gives the same path as macec_opencl.library.
#pragma once
#include <stddef.h>

#define MOCK_CALLS(X)                                                                         \
  X(GetPlatformIDs)                                                                           \
  X(GetPlatformInfo) X(GetDeviceIDs) X(GetDeviceInfo) X(CreateContext) X(RetainContext)       \
      X(ReleaseContext) X(GetContextInfo) X(CreateCommandQueue)                               \
          X(CreateCommandQueueWithProperties) X(RetainCommandQueue) X(ReleaseCommandQueue)    \
              X(GetCommandQueueInfo) X(CreateBuffer) X(CreateImage) X(ReleaseMemObject)       \
                  X(GetSupportedImageFormats) X(CreateProgramWithSource)                      \
                      X(CreateProgramWithBinary) X(BuildProgram) X(ReleaseProgram)            \
                          X(GetProgramInfo) X(GetProgramBuildInfo) X(CreateKernel)            \
                              X(ReleaseKernel) X(SetKernelArg) X(GetKernelWorkGroupInfo)      \
                                  X(EnqueueNDRangeKernel) X(EnqueueReadBuffer)                \
                                      X(EnqueueWriteBuffer) X(EnqueueWriteImage)              \
                                          X(EnqueueMapBuffer) X(EnqueueUnmapMemObject)        \
                                              X(EnqueueMarkerWithWaitList) X(Flush) X(Finish) \
                                                  X(WaitForEvents) X(GetEventInfo) X(ReleaseEvent)

enum MockCall {
#define MOCK_NAME(name) kMock##name,
  MOCK_CALLS(MOCK_NAME)
#undef MOCK_NAME
      kMockCalls
};
enum MockObject {
  kMockContexts,
  kMockQueues,
  kMockMemory,
  kMockPrograms,
  kMockKernels,
  kMockEvents,
  kMockObjects
};

struct MockControl {
  // What goes wrong; 0: nothing. Calls are numbered from 1, from the last mock_reset on.
  long fail_at;  // this call fails with fail_code ...
  int fail_code;
  long lost_from;       // from this call on the device is lost
  int fail_build;       // code of every clBuildProgram
  int fail_allocation;  // the n-th clCreateBuffer or clCreateImage and all behind it fail
  int corrupt_read;     // the n-th clEnqueueReadBuffer gets a wrong byte
  int never_done;       // events stay at CL_RUNNING for clGetEventInfo
  // What the device shows; 0: the truth.
  size_t max_image_width, max_image_height, max_allocation, max_work_group;
  int no_image_formats;
  int is_discrete;  // the device has memory of its own: what is mapped is a copy
  const char* extensions;      // instead of the device's
  const char* driver_version;  // the same

  // What was seen.
  long calls, count[kMockCalls];
  unsigned long long bytes_written, bytes_read, bytes_mapped;
  const char* failed;                 // the name of the last call that was made to fail
  unsigned long long queue_priority;  // CL_QUEUE_PRIORITY_KHR of the last queue; 0: none given
  long context_properties;            // numbers in the list of the last context
  // Objects made or retained, less those released; mock_reset leaves them.
  long live[kMockObjects];
};

extern "C" {
typedef MockControl* (*mock_control_function)();
typedef void (*mock_reset_function)();
MockControl* mock_control();
void mock_reset();
}
