// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every generated source knows about itself: the table of a model (Model) and one opened model
// (Context).
//
// Pasted into the unnamed namespace of a generated .cpp, before the steps. What stands between BEGIN
// GPU and END GPU is left out of sources without a GPU plan.
//
// The contract with the steps: a level's run function is `macec_status run(Context& c)`. It reads
// c.in, c.state, c.dim and c.weights; it writes c.out, c.next_state, c.arena and the values behind
// the dimensions in c.dim, from which extents known only then follow. It asks stops(c) between steps
// and returns c.status. It never changes c.in or c.state.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime_stub/layer1.h"

// The memory of the app:
//
//   | 0..63    | Context, its arrays | arena, with the workers' scratch | fast | states, twice |
//     to align

struct Context;
// BEGIN GPU
struct GpuModel;  // gpu_tables.h
struct Gpu;       // gpu_state.h
// END GPU

// Computes units [begin, end) of one step. worker: 0 <= worker < c.threads, selects the scratch.
using Part = void (*)(Context& c, int64_t begin, int64_t end, uint32_t worker);

// One instruction-set level; a model lists its levels from the lowest to the highest.
struct Level {
  const char* name;
  bool (*is_supported)();
  // One function per plan: the next is used when one returns MACEC_E_DEVICE.
  macec_status (*const* run)(Context& c);
};

struct DimRule {
  int64_t step;      // value % step == lo % step
  const char* what;  // "dimension 'frames' must be 1 to 32"
};

struct TensorRule {
  uint32_t bits;                             // of one element
  uint32_t alignment;                        // of the caller's pointer, bytes
  bool may_be_null;                          // an output that the app need not take
  const char *missing, *small, *misaligned;  // texts of the three errors
};

struct StateRule {
  size_t offset, bytes;  // in one copy of the states; 64-byte aligned
  const char* what;      // "bytes of state 'h'"
};

struct Model {
  macec_model head;  // stands first: a macec_model of this file is a Model
  size_t context_bytes, arena_bytes, copy_bytes;  // copy: all states once; all multiples of 64
  uint32_t n_plan, n_level, n_state,
      n_value;                         // value: run-time numbers of the steps behind the dims
  uint32_t n_in_extent, n_out_extent;  // sums of ranks
  const Level* level;
  const DimRule* dim;
  const TensorRule *in, *out;
  const StateRule* state;
  uint64_t weights_bytes;              // of a blob, its head included; 0: the model has no weights
  const unsigned char* (*embedded)();  // the blob in this file; nullptr: there is none
  // Fills the extents that are expressions, compares what must agree at run time. May be nullptr.
  macec_status (*compute)(Context& c);
  // Fills the output extents that follow from values of the run. May be nullptr.
  void (*settle)(Context& c);
  // BEGIN GPU
  const GpuModel* gpu;  // of plan 0; nullptr: every plan runs on the CPU
  size_t gpu_bytes;     // of context_bytes, at the end: gpu_size()
  // END GPU
};

// One opened model. Everything a run needs; nothing else is written outside the app's buffers.
struct Context {
  macec_ctx head;  // stands first: a macec_ctx of this file is a Context
  const Model* model;
  const unsigned char* weights;  // packed weights behind the blob's head; aligned to 4 only
  unsigned char* arena;          // 64-byte aligned
  unsigned char* fast;           // 64-byte aligned; fast_bytes of them
  int64_t* dim;                  // n_dim dimensions, then n_value run-time values of the steps
  int64_t* in_shape;             // extents of all inputs, one after the other
  int64_t* shape;                // the same for the outputs
  const void** in;
  void** out;                  // nullptr: not wanted
  unsigned char** state;       // read by the run
  unsigned char** next_state;  // written by the run; the two change places when it succeeds
  int64_t* state_bytes;        // what each state held after the last run; -1: zeros of any size
  int64_t* state_need;         // per state: bytes read, then bytes written at these dimensions
  uint32_t threads, level, plan;
  uint32_t life;        // kOpen, kRan or kClosed
  macec_status status;  // of the run in progress
  uint32_t bad_worker;  // a worker number out of range that the app's parallel_for gave; 0: none
  macec_options options;
  // BEGIN GPU
  Gpu* gpu;  // nullptr: the model has no GPU plan
  // END GPU
};

constexpr uint32_t kOpen = 0x6f70656e, kRan = 0x72616e21, kClosed = 0x636c6f73;
constexpr size_t kAlign = 64;
constexpr size_t kBlobHead = 64;  // bytes before the first weight

constexpr size_t aligned_up(size_t bytes) {
  return (bytes + (kAlign - 1)) / kAlign * kAlign;
}

// a / b rounded toward minus infinity; b > 0.
[[maybe_unused]] constexpr int64_t macec_floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
[[maybe_unused]] constexpr int64_t macec_min(int64_t a, int64_t b) {
  return a < b ? a : b;
}
[[maybe_unused]] constexpr int64_t macec_max(int64_t a, int64_t b) {
  return a < b ? b : a;
}

// Describes a failure to the app, if it asked for that. what: a text that lives as long as the
// program.
[[maybe_unused]] macec_status fail(const Model& model, macec_error* error, macec_status status,
                                   const char* what, int32_t item = -1, int64_t have = 0,
                                   int64_t need = 0) {
  if (error) *error = {status, item, model.head.name, what, have, need};
  return status;
}
[[maybe_unused]] macec_status fail(const Context& c, macec_status status, const char* what,
                                   int32_t item = -1, int64_t have = 0, int64_t need = 0) {
  return fail(*c.model, c.options.error, status, what, item, have, need);
}
