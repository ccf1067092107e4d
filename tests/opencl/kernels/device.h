// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A little OpenCL for tests: one device, its queue, programs, memory. Every error ends the test.
#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <string>
#include <vector>

#include "compiler/ir/tensor.h"

namespace macec {

// The first GPU there is, else the first device. MACEC_OPENCL_DEVICE, a part of a device's name,
// picks another one.
class OpenclDevice {
 public:
  static OpenclDevice& get();
  static bool exists();
  std::string name() const;

  // Kernels k0, k1, ... of a program. The build log is part of the error.
  std::vector<cl_kernel> build(const std::vector<std::string>& sources, int kernels);
  // Device memory with these contents, or that many NaNs as bytes.
  cl_mem memory(const std::vector<unsigned char>& bytes);
  // width, height: texels of four elements, float32 or float16.
  cl_mem image(int64_t width, int64_t height, DType dtype, const std::vector<unsigned char>& bytes);
  void launch(cl_kernel kernel, const int64_t global[3], const int64_t local[3]);
  std::vector<unsigned char> read_memory(cl_mem memory, size_t bytes);
  std::vector<unsigned char> read_image(cl_mem image, int64_t width, int64_t height, size_t bytes);
  void release_all();  // memory, kernels and programs made so far
  // Seconds that the launches since the last call took, each by the device's clock.
  std::vector<double> launch_seconds();

 private:
  OpenclDevice();
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::vector<cl_mem> memories_;
  std::vector<cl_kernel> kernels_;
  std::vector<cl_program> programs_;
  std::vector<cl_event> events_;
};

// Ends the test unless code is CL_SUCCESS.
void check_opencl(cl_int code, const char* what);

}  // namespace macec
