// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a generated source says about the OpenCL half of a model: its program, kernels, memory
// objects, and the launches of a run.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind context.h.
#pragma once
#include "runtime_stub/context.h"

enum GpuArgKind : uint32_t {
  kGpuDevice,       // the device arena
  kGpuShared,       // the shared memory object of number `value`
  kGpuWeights,      // all weights, as packed
  kGpuImage,        // image `value`
  kGpuWeightImage,  // weight image `value`
  kGpuInteger,      // `value`, an int
  kGpuLocal,        // `value` bytes of local memory
  kGpuProblem,      // an int, 0: a kernel that finds a problem writes its number there
};
struct GpuArg {
  uint32_t kind;
  int32_t value;
};
struct GpuLaunchRow {
  uint32_t kernel;  // index into GpuModel::kernel
  uint32_t first_arg, n_arg;
  uint32_t global[3], local[3];  // in work-items; local[0] == 0: the driver chooses
};
struct GpuImageRow {
  uint32_t width, height;  // texels of four
  uint32_t is_half;
};
// Made at open from a packed weight, row by row; texels behind its last element are zero.
struct GpuWeightImageRow {
  uint32_t width, height, is_half;
  uint64_t offset;  // bytes behind the blob's head
  uint64_t bytes;   // of the weight
};
// A value that both devices see, in a memory object of its own. Inputs and states are copied into
// theirs before the first launch, outputs and next states out of theirs behind the last one.
struct GpuSharedRow {
  uint64_t bytes;  // at least those of the input, output or state
  enum Role : uint32_t { border, input, output, state, next_state } role;
  uint32_t index;      // of the input, output or state
  bool is_host_input;  // input: CPU steps read it too, from the app's memory
};
// What the self-check feeds to input i (states are zero), and the recorded answer.
struct GpuCheckInput {
  double lo, hi;   // gpu_draw.h draws from lo to hi
  uint32_t dtype;  // ONNX's number
  uint64_t elements;
};
struct GpuCheckOutput {
  uint32_t dtype;
  uint64_t elements;
  const float* sample;  // values of elements 0, stride, 2 * stride...
  uint32_t n_sample;
  uint64_t stride;
  float tolerance;  // of the largest magnitude of this output
  float magnitude;
};
struct GpuModel {
  const char* const* source;  // texts of the program, in order
  uint32_t n_source;
  const char* build_options;
  const char* const* kernel;  // names
  uint32_t n_kernel;
  const GpuLaunchRow* launch;
  uint32_t n_launch;
  const GpuArg* arg;
  const GpuImageRow* image;
  uint32_t n_image;
  const GpuWeightImageRow* weight_image;
  uint32_t n_weight_image;
  const GpuSharedRow* shared;
  uint32_t n_shared;
  uint64_t device_bytes;       // of the device arena; 0: none
  bool reads_weights;          // some kernel reads the weights as memory: kGpuWeights
  const char* const* problem;  // what kernels may find, from number 1 on: MACEC_E_RANGE
  uint32_t n_problem;
  const GpuCheckInput* check_input;    // one per input of the model; nullptr: no self-check
  const GpuCheckOutput* check_output;  // one per output
  const int64_t* check_dim;            // dimensions of the check; nullptr: the model has none
  // Hash (in the blob's head) of the weights that gave the recorded answers; with other weights the
  // check is left out.
  uint64_t check_hash;
};
