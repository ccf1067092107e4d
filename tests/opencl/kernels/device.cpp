// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/opencl/kernels/device.h"

#include <cstdlib>

#include "compiler/support/error.h"

namespace macec {
namespace {

std::vector<cl_device_id> all_devices() {
  std::vector<cl_device_id> devices;
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return devices;
  for (cl_device_type type :
       {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
    for (cl_uint p = 0; p < count; ++p) {
      cl_device_id found[16];
      cl_uint n = 0;
      if (clGetDeviceIDs(platforms[p], type, 16, found, &n) != CL_SUCCESS) continue;
      devices.insert(devices.end(), found, found + n);
    }
  return devices;
}

std::string name_of(cl_device_id device) {
  char text[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text - 1, text, nullptr);
  return text;
}

cl_device_id chosen_device() {
  const char* wanted = std::getenv("MACEC_OPENCL_DEVICE");
  for (cl_device_id device : all_devices())
    if (!wanted || name_of(device).find(wanted) != std::string::npos) return device;
  return nullptr;
}

}  // namespace

void check_opencl(cl_int code, const char* what) {
  if (code != CL_SUCCESS) throw InternalError(fmt::format("{} gave OpenCL error {}", what, code));
}

bool OpenclDevice::exists() {
  return chosen_device() != nullptr;
}

OpenclDevice& OpenclDevice::get() {
  static OpenclDevice device;
  return device;
}

OpenclDevice::OpenclDevice() : device_(chosen_device()) {
  MACEC_CHECK(device_, "there is no OpenCL device");
  cl_int code = 0;
  context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &code);
  check_opencl(code, "clCreateContext");
  queue_ = clCreateCommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE, &code);
  check_opencl(code, "clCreateCommandQueue");
}

std::string OpenclDevice::name() const {
  return name_of(device_);
}

std::vector<cl_kernel> OpenclDevice::build(const std::vector<std::string>& sources, int kernels) {
  std::vector<const char*> texts;
  for (const std::string& source : sources) texts.push_back(source.c_str());
  cl_int code = 0;
  cl_program program = clCreateProgramWithSource(context_, static_cast<cl_uint>(texts.size()),
                                                 texts.data(), nullptr, &code);
  check_opencl(code, "clCreateProgramWithSource");
  programs_.push_back(program);
  if (clBuildProgram(program, 1, &device_, "-cl-std=CL1.2", nullptr, nullptr) != CL_SUCCESS) {
    size_t size = 0;
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
    std::string log(size, ' ');
    clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, &log[0], nullptr);
    throw InternalError("the program does not build:\n" + log);
  }
  std::vector<cl_kernel> made;
  for (int i = 0; i < kernels; ++i) {
    made.push_back(clCreateKernel(program, fmt::format("k{}", i).c_str(), &code));
    check_opencl(code, "clCreateKernel");
    kernels_.push_back(made.back());
  }
  return made;
}

cl_mem OpenclDevice::memory(const std::vector<unsigned char>& bytes) {
  cl_int code = 0;
  std::vector<unsigned char> contents = bytes;
  if (contents.empty()) contents.resize(4);
  cl_mem made = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, contents.size(),
                               contents.data(), &code);
  check_opencl(code, "clCreateBuffer");
  memories_.push_back(made);
  return made;
}

cl_mem OpenclDevice::image(int64_t width, int64_t height, DType dtype,
                           const std::vector<unsigned char>& bytes) {
  cl_int code = 0;
  cl_image_format format = {
      CL_RGBA, static_cast<cl_channel_type>(dtype == DType::float16 ? CL_HALF_FLOAT : CL_FLOAT)};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = static_cast<size_t>(width);
  shape.image_height = static_cast<size_t>(height);
  std::vector<unsigned char> contents = bytes;
  contents.resize(shape.image_width * shape.image_height * (dtype == DType::float16 ? 8 : 16));
  cl_mem made = clCreateImage(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format, &shape,
                              contents.data(), &code);
  check_opencl(code, "clCreateImage");
  memories_.push_back(made);
  return made;
}

void OpenclDevice::launch(cl_kernel kernel, const int64_t global[3], const int64_t local[3]) {
  size_t g[3], l[3];
  for (int a = 0; a < 3; ++a) {
    g[a] = static_cast<size_t>(global[a]);
    l[a] = static_cast<size_t>(local[a]);
  }
  cl_event event = nullptr;
  check_opencl(clEnqueueNDRangeKernel(queue_, kernel, 3, nullptr, g, l, 0, nullptr, &event),
               "clEnqueueNDRangeKernel");
  events_.push_back(event);
}

std::vector<unsigned char> OpenclDevice::read_memory(cl_mem memory, size_t bytes) {
  std::vector<unsigned char> contents(bytes);
  if (bytes > 0)
    check_opencl(clEnqueueReadBuffer(queue_, memory, CL_TRUE, 0, bytes, contents.data(), 0, nullptr,
                                     nullptr),
                 "clEnqueueReadBuffer");
  return contents;
}

std::vector<unsigned char> OpenclDevice::read_image(cl_mem image, int64_t width, int64_t height,
                                                    size_t bytes) {
  std::vector<unsigned char> contents(bytes);
  const size_t origin[3] = {0, 0, 0},
               region[3] = {static_cast<size_t>(width), static_cast<size_t>(height), 1};
  check_opencl(clEnqueueReadImage(queue_, image, CL_TRUE, origin, region, 0, 0, contents.data(), 0,
                                  nullptr, nullptr),
               "clEnqueueReadImage");
  return contents;
}

std::vector<double> OpenclDevice::launch_seconds() {
  check_opencl(clFinish(queue_), "clFinish");
  std::vector<double> seconds;
  for (cl_event event : events_) {
    cl_ulong from = 0, to = 0;
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, nullptr);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, nullptr);
    seconds.push_back(static_cast<double>(to - from) * 1e-9);
    clReleaseEvent(event);
  }
  events_.clear();
  return seconds;
}

void OpenclDevice::release_all() {
  launch_seconds();
  for (cl_mem memory : memories_) clReleaseMemObject(memory);
  for (cl_kernel kernel : kernels_) clReleaseKernel(kernel);
  for (cl_program program : programs_) clReleaseProgram(program);
  memories_.clear();
  kernels_.clear();
  programs_.clear();
}

}  // namespace macec
