// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The OpenCL half of one opened model, and how its failures are kept.
//
// Pasted into the unnamed namespace of a generated .cpp that has a GPU plan, behind gpu_tables.h and
// gpu_api.h.
//
// A failure anywhere in the GPU half is noted once (gpu_fails), in static texts and numbers; then
// everything returns false up to the one place that decides: the CPU plan, or an error (gpu_model.h).
#pragma once
#include "runtime_stub/gpu_api.h"
#include "runtime_stub/gpu_tables.h"

struct Gpu {
  ClApi cl;
  bool is_ready;    // all objects are there, and no call has failed
  bool is_pending;  // a submitted run has not ended
  bool is_submit;   // the run that is in progress need not wait for its end
  bool need_gpu;
  bool is_told;  // the log has the reason why the GPU is not used
  cl_platform_id platform;
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_mem arena, weights;
  cl_mem problem;  // an int: the number of what a kernel of this run has found wrong, or 0
  int32_t found;   // the same, read at the end of a run
  cl_mem *shared, *image, *weight_image;
  cl_kernel* kernel;  // one per launch: its arguments are set at open
  void** mapped;      // per shared object: its memory while the CPU has it
  const void** lent;  // per shared object: the app's input of this run that was its memory
  cl_event done;      // of the pending run
  uint32_t unflushed;

  // The first failure: "clFinish failed" and its code, or a limit and the two numbers.
  const char* what;  // nullptr: none
  bool is_call;
  int32_t item;  // the output that is wrong; -1 none
  int64_t have, need;
  char text[224];  // the same for people, or the name of the device
};

// Bytes of a Gpu and its arrays; 64-bit pointers are counted everywhere.
constexpr size_t gpu_size(size_t n_launch, size_t n_shared, size_t n_image, size_t n_weight_image) {
  return aligned_up((sizeof(Gpu) + 7) / 8 * 8 +
                    8 * (n_launch + 3 * n_shared + n_image + n_weight_image));
}

// Writes text in pieces, cut at the end of the buffer.
struct GpuText {
  char* to;
  size_t bytes, used;
  GpuText& add(const char* s) {
    used = macec_put(to, bytes, used, s);
    return *this;
  }
  GpuText& add(int64_t v) {
    used = macec_put_int(to, bytes, used, v);
    return *this;
  }
};

// Notes why the GPU is of no use from now on; the first reason counts. Returns false.
[[maybe_unused]] bool gpu_fails(Context& c, const char* what, bool is_call, int64_t have,
                                int64_t need) {
  Gpu& gpu = *c.gpu;
  gpu.is_ready = false;
  c.status = MACEC_E_DEVICE;
  if (gpu.what) return false;
  gpu.what = what;
  gpu.is_call = is_call;
  gpu.item = -1;
  gpu.have = have;
  gpu.need = need;
  GpuText text = {gpu.text, sizeof gpu.text, 0};
  text.add(what);
  if (is_call) text.add(": ").add(have);
  if (!is_call && have != need) text.add(": have ").add(have).add(", need ").add(need);
  return false;
}
[[maybe_unused]] bool gpu_lacks(Context& c, const char* what, int64_t have = 0, int64_t need = 0) {
  return gpu_fails(c, what, false, have, need);
}
// True if an OpenCL call succeeded. what: "clFinish failed".
[[maybe_unused]] bool gpu_ok(Context& c, int32_t code, const char* what) {
  return code == 0 || gpu_fails(c, what, true, code, 0);
}
// The same for a call that makes an object; *object is nullptr if it failed.
template <class Object>
bool gpu_made(Context& c, Object* object, int32_t code, const char* what) {
  if (code == 0 && *object) return true;
  *object = nullptr;
  return gpu_fails(c, what, true, code, 0);
}
