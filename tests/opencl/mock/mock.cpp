// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mock OpenCL library: every call goes on to libOpenCL.so.1, is counted, and can be made to fail.
//
// Also told by the environment, for programs that do not know it: MACEC_MOCK_FAIL_AT,
// MACEC_MOCK_FAIL_CODE, MACEC_MOCK_LOST_FROM, MACEC_MOCK_IMAGE (largest side of images) and
// MACEC_MOCK_LOG (a file for the counts, written at exit).
//
// A call that fails is not forwarded, but for releases: a driver that says no frees its memory all
// the same. When the device is lost its work ends first: a dead device writes nothing.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <vector>

#include "mock.h"

namespace {

MockControl control;
std::vector<cl_command_queue> queues;
long creations, reads;
struct Copy {  // of what is mapped, when the device is discrete
  cl_mem object;
  cl_map_flags flags;
  size_t offset;
  std::vector<unsigned char> bytes;
};
std::list<Copy> copies;
bool is_lost;

const char* const kNames[] = {
#define MOCK_NAME(name) "cl" #name,
    MOCK_CALLS(MOCK_NAME)
#undef MOCK_NAME
};

void* real_library() {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) abort();
  return library;
}

template <class Function>
Function find(const char* name) {
  void* const symbol = dlsym(real_library(), name);
  if (!symbol) abort();
  Function function;
  memcpy(&function, &symbol, sizeof symbol);
  return function;
}

void read_environment() {
  const auto number = [](const char* name) {
    const char* const text = getenv(name);
    return text ? atol(text) : 0;
  };
  control.fail_at = number("MACEC_MOCK_FAIL_AT");
  control.fail_code = static_cast<int>(number("MACEC_MOCK_FAIL_CODE"));
  control.lost_from = number("MACEC_MOCK_LOST_FROM");
  control.max_image_width = control.max_image_height =
      static_cast<size_t>(number("MACEC_MOCK_IMAGE"));
}

struct Log {
  Log() { read_environment(); }
  ~Log() {
    const char* const path = getenv("MACEC_MOCK_LOG");
    FILE* const file = path ? fopen(path, "w") : nullptr;
    if (!file) return;
    for (int i = 0; i < kMockCalls; ++i)
      if (control.count[i]) fprintf(file, "%s %ld\n", kNames[i], control.count[i]);
    fprintf(file, "bytes written %llu read %llu mapped %llu\n", control.bytes_written,
            control.bytes_read, control.bytes_mapped);
    fclose(file);
  }
} log;

// Counts a call; not 0: the code it shall fail with.
cl_int enter(MockCall call) {
  ++control.calls;
  ++control.count[call];
  if (control.lost_from && control.calls >= control.lost_from) {
    if (!is_lost) {
      static const auto finish = find<decltype(&clFinish)>("clFinish");
      for (cl_command_queue queue : queues) finish(queue);
    }
    is_lost = true;
    control.failed = kNames[call];
    return CL_DEVICE_NOT_AVAILABLE;
  }
  if (control.calls != control.fail_at) return CL_SUCCESS;
  control.failed = kNames[call];
  return control.fail_code ? control.fail_code : CL_OUT_OF_RESOURCES;
}

cl_int allocation_fails() {
  ++creations;
  return control.fail_allocation && creations >= control.fail_allocation
             ? CL_MEM_OBJECT_ALLOCATION_FAILURE
             : CL_SUCCESS;
}

// The common end of calls that make an object.
template <class Handle>
Handle made(MockObject kind, Handle handle) {
  if (handle) ++control.live[kind];
  return handle;
}
template <class Handle>
Handle refused(cl_int code, cl_int* result) {
  if (result) *result = code;
  return nullptr;
}

cl_int answer(const char* text, size_t bytes, void* value, size_t* need) {
  const size_t length = strlen(text) + 1;
  if (need) *need = length;
  if (value && bytes < length) return CL_INVALID_VALUE;
  if (value) memcpy(value, text, length);
  return CL_SUCCESS;
}
cl_int limit(cl_int code, size_t most, size_t bytes, void* value) {
  if (code != CL_SUCCESS || !most || !value) return code;
  if (bytes == sizeof(cl_ulong)) {
    cl_ulong have;
    memcpy(&have, value, sizeof have);
    have = std::min<cl_ulong>(have, most);
    memcpy(value, &have, sizeof have);
  }
  return code;
}

}  // namespace

extern "C" MockControl* mock_control() {
  return &control;
}
extern "C" void mock_reset() {
  long live[kMockObjects];
  memcpy(live, control.live, sizeof live);
  control = MockControl();
  memcpy(control.live, live, sizeof live);
  creations = reads = 0;
  is_lost = false;
}

#define BEGIN(name)                                               \
  static const auto real = find<decltype(&cl##name)>("cl" #name); \
  const cl_int code = enter(kMock##name)
#define STATUS(name, parameters, arguments) \
  cl_int CL_API_CALL cl##name parameters {  \
    BEGIN(name);                            \
    return code ? code : real arguments;    \
  }
#define RETAIN(name, type, kind)             \
  cl_int CL_API_CALL cl##name(type object) { \
    BEGIN(name);                             \
    if (code) return code;                   \
    ++control.live[kind];                    \
    return real(object);                     \
  }
#define RELEASE(name, type, kind)            \
  cl_int CL_API_CALL cl##name(type object) { \
    BEGIN(name);                             \
    --control.live[kind];                    \
    const cl_int result = real(object);      \
    return code ? code : result;             \
  }

extern "C" {

STATUS(GetPlatformIDs, (cl_uint n, cl_platform_id* ids, cl_uint* count), (n, ids, count))
STATUS(GetPlatformInfo,
       (cl_platform_id id, cl_platform_info what, size_t n, void* value, size_t* need),
       (id, what, n, value, need))
STATUS(GetDeviceIDs,
       (cl_platform_id id, cl_device_type type, cl_uint n, cl_device_id* ids, cl_uint* count),
       (id, type, n, ids, count))
STATUS(GetContextInfo, (cl_context c, cl_context_info what, size_t n, void* value, size_t* need),
       (c, what, n, value, need))
STATUS(GetCommandQueueInfo,
       (cl_command_queue q, cl_command_queue_info what, size_t n, void* value, size_t* need),
       (q, what, n, value, need))
STATUS(GetProgramInfo, (cl_program p, cl_program_info what, size_t n, void* value, size_t* need),
       (p, what, n, value, need))
STATUS(GetProgramBuildInfo,
       (cl_program p, cl_device_id d, cl_program_build_info what, size_t n, void* value,
        size_t* need),
       (p, d, what, n, value, need))
STATUS(SetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void* value), (k, i, n, value))
STATUS(GetKernelWorkGroupInfo,
       (cl_kernel k, cl_device_id d, cl_kernel_work_group_info what, size_t n, void* value,
        size_t* need),
       (k, d, what, n, value, need))
STATUS(Flush, (cl_command_queue q), (q))
STATUS(Finish, (cl_command_queue q), (q))
STATUS(WaitForEvents, (cl_uint n, const cl_event* events), (n, events))
RETAIN(RetainContext, cl_context, kMockContexts)
RELEASE(ReleaseContext, cl_context, kMockContexts)
RETAIN(RetainCommandQueue, cl_command_queue, kMockQueues)
RELEASE(ReleaseMemObject, cl_mem, kMockMemory)
RELEASE(ReleaseProgram, cl_program, kMockPrograms)
RELEASE(ReleaseKernel, cl_kernel, kMockKernels)
RELEASE(ReleaseEvent, cl_event, kMockEvents)

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  BEGIN(ReleaseCommandQueue);
  --control.live[kMockQueues];
  queues.erase(std::remove(queues.begin(), queues.end(), queue), queues.end());
  const cl_int result = real(queue);
  return code ? code : result;
}

cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void* value,
                                   size_t* need) {
  BEGIN(GetDeviceInfo);
  if (code) return code;
  if (what == CL_DEVICE_EXTENSIONS && control.extensions)
    return answer(control.extensions, n, value, need);
  if (what == CL_DRIVER_VERSION && control.driver_version)
    return answer(control.driver_version, n, value, need);
  const cl_int result = real(d, what, n, value, need);
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && control.is_discrete && value)
    memset(value, 0, sizeof(cl_bool));
  if (what == CL_DEVICE_IMAGE2D_MAX_WIDTH) return limit(result, control.max_image_width, n, value);
  if (what == CL_DEVICE_IMAGE2D_MAX_HEIGHT)
    return limit(result, control.max_image_height, n, value);
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE) return limit(result, control.max_allocation, n, value);
  if (what == CL_DEVICE_MAX_WORK_GROUP_SIZE) return limit(result, control.max_work_group, n, value);
  return result;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties* properties, cl_uint n,
                                       const cl_device_id* devices,
                                       void(CL_CALLBACK* notify)(const char*, const void*, size_t,
                                                                 void*),
                                       void* user, cl_int* result) {
  BEGIN(CreateContext);
  if (code) return refused<cl_context>(code, result);
  control.context_properties = 0;
  while (properties && properties[control.context_properties]) ++control.context_properties;
  // The real library knows no vendor's hints.
  cl_context_properties plain[3] = {0, 0, 0};
  if (properties && properties[0] == CL_CONTEXT_PLATFORM)
    memcpy(plain, properties, 2 * sizeof plain[0]);
  return made(kMockContexts, real(plain, n, devices, notify, user, result));
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context c, cl_device_id d,
                                                  cl_command_queue_properties p, cl_int* result) {
  BEGIN(CreateCommandQueue);
  if (code) return refused<cl_command_queue>(code, result);
  const cl_command_queue queue = made(kMockQueues, real(c, d, p, result));
  if (queue) queues.push_back(queue);
  return queue;
}
cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context c, cl_device_id d,
                                                                const cl_queue_properties* p,
                                                                cl_int* result) {
  BEGIN(CreateCommandQueueWithProperties);
  if (code) return refused<cl_command_queue>(code, result);
  if (p && p[0] == 0x1096) control.queue_priority = p[1];
  const cl_queue_properties none = 0;
  const cl_command_queue queue = made(kMockQueues, real(c, d, &none, result));
  if (queue) queues.push_back(queue);
  return queue;
}

cl_mem CL_API_CALL clCreateBuffer(cl_context c, cl_mem_flags flags, size_t n, void* host,
                                  cl_int* result) {
  BEGIN(CreateBuffer);
  const cl_int failure = code ? code : allocation_fails();
  if (failure) return refused<cl_mem>(failure, result);
  return made(kMockMemory, real(c, flags, n, host, result));
}
cl_mem CL_API_CALL clCreateImage(cl_context c, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* shape, void* host, cl_int* result) {
  BEGIN(CreateImage);
  const cl_int failure = code ? code : allocation_fails();
  if (failure) return refused<cl_mem>(failure, result);
  return made(kMockMemory, real(c, flags, format, shape, host, result));
}
cl_int CL_API_CALL clGetSupportedImageFormats(cl_context c, cl_mem_flags flags,
                                              cl_mem_object_type type, cl_uint n,
                                              cl_image_format* formats, cl_uint* count) {
  BEGIN(GetSupportedImageFormats);
  if (code) return code;
  if (!control.no_image_formats) return real(c, flags, type, n, formats, count);
  if (count) *count = 0;
  return CL_SUCCESS;
}

cl_program CL_API_CALL clCreateProgramWithSource(cl_context c, cl_uint n, const char** texts,
                                                 const size_t* lengths, cl_int* result) {
  BEGIN(CreateProgramWithSource);
  if (code) return refused<cl_program>(code, result);
  return made(kMockPrograms, real(c, n, texts, lengths, result));
}
cl_program CL_API_CALL clCreateProgramWithBinary(cl_context c, cl_uint n,
                                                 const cl_device_id* devices, const size_t* lengths,
                                                 const unsigned char** binaries, cl_int* status,
                                                 cl_int* result) {
  BEGIN(CreateProgramWithBinary);
  if (code) return refused<cl_program>(code, result);
  return made(kMockPrograms, real(c, n, devices, lengths, binaries, status, result));
}
cl_int CL_API_CALL clBuildProgram(cl_program p, cl_uint n, const cl_device_id* devices,
                                  const char* options, void(CL_CALLBACK* notify)(cl_program, void*),
                                  void* user) {
  BEGIN(BuildProgram);
  if (code) return code;
  return control.fail_build ? control.fail_build : real(p, n, devices, options, notify, user);
}
cl_kernel CL_API_CALL clCreateKernel(cl_program p, const char* name, cl_int* result) {
  BEGIN(CreateKernel);
  if (code) return refused<cl_kernel>(code, result);
  return made(kMockKernels, real(p, name, result));
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims,
                                          const size_t* offset, const size_t* global,
                                          const size_t* local, cl_uint n, const cl_event* after,
                                          cl_event* event) {
  BEGIN(EnqueueNDRangeKernel);
  return code ? code : real(q, k, dims, offset, global, local, n, after, event);
}
cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                       size_t offset, size_t bytes, void* to, cl_uint n,
                                       const cl_event* after, cl_event* event) {
  BEGIN(EnqueueReadBuffer);
  if (code) return code;
  control.bytes_read += bytes;
  const bool is_wrong = ++reads == control.corrupt_read;
  const cl_int result =
      real(q, m, is_wrong ? CL_TRUE : blocking, offset, bytes, to, n, after, event);
  if (is_wrong && bytes >= 4) static_cast<unsigned char*>(to)[3] ^= 0x41;  // sign and exponent
  return result;
}
cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                        size_t offset, size_t bytes, const void* from, cl_uint n,
                                        const cl_event* after, cl_event* event) {
  BEGIN(EnqueueWriteBuffer);
  if (code) return code;
  control.bytes_written += bytes;
  return real(q, m, blocking, offset, bytes, from, n, after, event);
}
cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool blocking,
                                       const size_t* origin, const size_t* region, size_t row,
                                       size_t slice, const void* from, cl_uint n,
                                       const cl_event* after, cl_event* event) {
  BEGIN(EnqueueWriteImage);
  return code ? code : real(q, m, blocking, origin, region, row, slice, from, n, after, event);
}
void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint n,
                                     const cl_event* after, cl_event* event, cl_int* result) {
  BEGIN(EnqueueMapBuffer);
  if (code) return refused<void*>(code, result);
  control.bytes_mapped += bytes;
  if (!control.is_discrete)
    return real(q, m, blocking, flags, offset, bytes, n, after, event, result);
  static const auto read = find<decltype(&clEnqueueReadBuffer)>("clEnqueueReadBuffer");
  Copy copy = {m, flags, offset, std::vector<unsigned char>(bytes, 0xcd)};
  cl_int failure = CL_SUCCESS;
  if (flags & CL_MAP_READ) {
    failure = read(q, m, CL_TRUE, offset, bytes, copy.bytes.data(), n, after, event);
  }
  if (failure) return refused<void*>(failure, result);
  if (result) *result = CL_SUCCESS;
  copies.push_back(std::move(copy));
  return copies.back().bytes.data();
}
cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void* memory, cl_uint n,
                                           const cl_event* after, cl_event* event) {
  BEGIN(EnqueueUnmapMemObject);
  const auto copy = std::find_if(copies.begin(), copies.end(), [&](const Copy& c) {
    return c.object == m && c.bytes.data() == memory;
  });
  if (!code && copy != copies.end()) {
    static const auto write = find<decltype(&clEnqueueWriteBuffer)>("clEnqueueWriteBuffer");
    cl_int result = CL_SUCCESS;
    if (copy->flags & CL_MAP_WRITE) {
      result = write(q, m, CL_TRUE, copy->offset, copy->bytes.size(), copy->bytes.data(), n, after,
                     event);
    }
    copies.erase(copy);
    return result;
  }
  return code ? code : real(q, m, memory, n, after, event);
}
cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n, const cl_event* after,
                                               cl_event* event) {
  BEGIN(EnqueueMarkerWithWaitList);
  if (code) return code;
  const cl_int result = real(q, n, after, event);
  if (result == CL_SUCCESS && event) ++control.live[kMockEvents];
  return result;
}
cl_int CL_API_CALL clGetEventInfo(cl_event e, cl_event_info what, size_t n, void* value,
                                  size_t* need) {
  BEGIN(GetEventInfo);
  if (code) return code;
  const cl_int running = CL_RUNNING;
  if (!control.never_done || what != CL_EVENT_COMMAND_EXECUTION_STATUS)
    return real(e, what, n, value, need);
  memcpy(value, &running, sizeof running);
  return CL_SUCCESS;
}

}  // extern "C"
