// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running an opened model: checks everything the app gives, runs the level's code, commits the
// states.
//
// Pasted into the unnamed namespace of a generated .cpp, behind open.h.
#pragma once
#include "runtime_stub/open.h"

[[maybe_unused]] Context& context_of(macec_ctx* head) {
  return *reinterpret_cast<Context*>(head);
}
[[maybe_unused]] const Context& context_of(const macec_ctx* head) {
  return *reinterpret_cast<const Context*>(head);
}

[[maybe_unused]] macec_status check_open(const Context& c) {
  // BEGIN GPU
  if (c.life == kOpen && c.gpu && c.gpu->is_pending)
    return fail(c, MACEC_E_STATE, "a submitted run has not ended: wait for it");
  // END GPU
  if (c.life == kOpen || c.life == kRan) return MACEC_OK;
  return MACEC_E_STATE;  // closed, or never opened: even options.error is not to be trusted
}

[[maybe_unused]] macec_status take_dims(Context& c, const int64_t* dims) {
  const Model& m = *c.model;
  if (m.head.n_dim && !dims) return fail(c, MACEC_E_ARG, "the dimensions are NULL");
  for (uint32_t i = 0; i < m.head.n_dim; ++i) {
    const macec_dim& dim = m.head.dim[i];
    const int64_t step = m.dim[i].step;
    int64_t nearest = macec_min(macec_max(dims[i], dim.lo), dim.hi);
    nearest -= (nearest - dim.lo) % step;
    if (dims[i] != nearest) {
      return fail(c, MACEC_E_RANGE, m.dim[i].what, static_cast<int32_t>(i), dims[i], nearest);
    }
    c.dim[i] = dims[i];
  }
  return MACEC_OK;
}

// Extents of tensors that are fixed or a dimension; `compute` fills the others.
[[maybe_unused]] void take_extents(const Context& c, const macec_tensor* tensors, uint32_t n,
                                   int64_t* extents) {
  for (uint32_t i = 0; i < n; ++i) {
    for (uint32_t axis = 0; axis < tensors[i].rank; ++axis, ++extents) {
      const int32_t s = tensors[i].shape[axis];
      if (s != INT32_MIN) *extents = s >= 0 ? int64_t{s} : c.dim[~s];
    }
  }
}

// Bytes of a tensor whose extents start at *extents, which is moved behind them.
[[maybe_unused]] size_t needed_bytes(const macec_tensor& tensor, const TensorRule& rule,
                                     const int64_t** extents) {
  uint64_t elements = 1;
  for (uint32_t axis = 0; axis < tensor.rank; ++axis)
    elements *= static_cast<uint64_t>(*(*extents)++);
  return static_cast<size_t>((elements * rule.bits + 7) / 8);
}

[[maybe_unused]] macec_status check_buffer(const Context& c, const TensorRule& rule,
                                           const void* data, size_t bytes, size_t need,
                                           uint32_t item) {
  const int32_t index = static_cast<int32_t>(item);
  if (!data && need) return fail(c, MACEC_E_ARG, rule.missing, index);
  if (bytes < need) {
    return fail(c, MACEC_E_SMALL, rule.small, index, static_cast<int64_t>(bytes),
                static_cast<int64_t>(need));
  }
  const uintptr_t past = reinterpret_cast<uintptr_t>(data) % rule.alignment;
  if (past) return fail(c, MACEC_E_ALIGN, rule.misaligned, index, static_cast<int64_t>(past), 0);
  return MACEC_OK;
}

[[maybe_unused]] macec_status take_buffers(Context& c, const macec_in* in, const macec_out* out) {
  const Model& m = *c.model;
  if (m.head.n_in && !in) return fail(c, MACEC_E_ARG, "the inputs are NULL");
  if (m.head.n_out && !out) return fail(c, MACEC_E_ARG, "the outputs are NULL");
  const int64_t* extents = c.in_shape;
  for (uint32_t i = 0; i < m.head.n_in; ++i) {
    const size_t need = needed_bytes(m.head.in[i], m.in[i], &extents);
    const macec_status status = check_buffer(c, m.in[i], in[i].data, in[i].bytes, need, i);
    if (status != MACEC_OK) return status;
    c.in[i] = in[i].data;
  }
  extents = c.shape;
  for (uint32_t i = 0; i < m.head.n_out; ++i) {
    const size_t need = needed_bytes(m.head.out[i], m.out[i], &extents);
    c.out[i] = out[i].data;
    if (!out[i].data && m.out[i].may_be_null) continue;
    const macec_status status = check_buffer(c, m.out[i], out[i].data, out[i].bytes, need, i);
    if (status != MACEC_OK) return status;
  }
  return MACEC_OK;
}

[[maybe_unused]] bool overlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const uintptr_t a_first = reinterpret_cast<uintptr_t>(a),
                  b_first = reinterpret_cast<uintptr_t>(b);
  return a && b && a_bytes && b_bytes && a_first < b_first + b_bytes && b_first < a_first + a_bytes;
}

// No output may share bytes with an input or another output.
[[maybe_unused]] macec_status check_overlaps(const Context& c) {
  const Model& m = *c.model;
  const int64_t* out_extents = c.shape;
  for (uint32_t i = 0; i < m.head.n_out; ++i) {
    const size_t bytes = needed_bytes(m.head.out[i], m.out[i], &out_extents);
    bool is_bad = false;
    const int64_t* extents = c.in_shape;
    for (uint32_t k = 0; k < m.head.n_in; ++k) {
      is_bad |= overlap(c.out[i], bytes, c.in[k], needed_bytes(m.head.in[k], m.in[k], &extents));
    }
    extents = c.shape;
    for (uint32_t k = 0; k < i; ++k) {
      is_bad |= overlap(c.out[i], bytes, c.out[k], needed_bytes(m.head.out[k], m.out[k], &extents));
    }
    if (is_bad) {
      return fail(c, MACEC_E_ARG, "an output overlaps another buffer", static_cast<int32_t>(i));
    }
  }
  return MACEC_OK;
}

// A state that grows (a cache) must be read with the extents it was written with.
[[maybe_unused]] macec_status check_states(const Context& c) {
  for (uint32_t i = 0; i < c.model->n_state; ++i) {
    const int64_t have = c.state_bytes[i], need = c.state_need[2 * i];
    if (have >= 0 && have != need) {
      return fail(c, MACEC_E_STATE, c.model->state[i].what, static_cast<int32_t>(i), have, need);
    }
  }
  return MACEC_OK;
}

// Beyond this point the run has succeeded.
[[maybe_unused]] void commit_states(Context& c) {
  for (uint32_t i = 0; i < c.model->n_state; ++i) {
    unsigned char* const old = c.state[i];
    c.state[i] = c.next_state[i];
    c.next_state[i] = old;
    c.state_bytes[i] = c.state_need[2 * i + 1];
  }
}

// BEGIN GPU
macec_status gpu_run(Context& c);
macec_status use_gpu_weights(Context& c);
void close_gpu(Context& c);
// END GPU

[[maybe_unused]] macec_status run_model(macec_ctx* head, const int64_t* dims, const macec_in* in,
                                        const macec_out* out) {
  if (!head) return MACEC_E_ARG;
  Context& c = context_of(head);
  macec_status status = check_open(c);
  if (status != MACEC_OK) return status;
  const Model& m = *c.model;
  c.life = kOpen;
  c.status = MACEC_OK;
  c.bad_worker = 0;
  status = take_dims(c, dims);
  if (status != MACEC_OK) return status;
  take_extents(c, m.head.in, m.head.n_in, c.in_shape);
  take_extents(c, m.head.out, m.head.n_out, c.shape);
  if (m.compute) status = m.compute(c);
  if (status == MACEC_OK) status = take_buffers(c, in, out);
  if (status == MACEC_OK) status = check_overlaps(c);
  if (status == MACEC_OK) status = check_states(c);
  if (status != MACEC_OK) return status;
  // BEGIN GPU
  if (c.gpu) return gpu_run(c);
  // END GPU

  status = m.level[c.level].run[c.plan](c);
  while (status == MACEC_E_DEVICE && c.plan + 1 < m.n_plan) {
    // The device is gone: from now on this context uses the next plan, and this run starts again.
    if (c.options.log)
      c.options.log(c.options.user, 1, "the device failed; the next plan takes over");
    c.status = MACEC_OK;
    status = m.level[c.level].run[++c.plan](c);
  }
  if (status != MACEC_OK) return status;
  if (m.settle) m.settle(c);
  commit_states(c);
  c.life = kRan;
  return MACEC_OK;
}

// Extents of output `out` in the last run.
[[maybe_unused]] macec_status shape_of(const macec_ctx* head, uint32_t out, int64_t* dims) {
  if (!head || !dims) return MACEC_E_ARG;
  const Context& c = context_of(head);
  const macec_status status = check_open(c);
  if (status != MACEC_OK) return status;
  const macec_model& m = c.model->head;
  if (out >= m.n_out) {
    return fail(c, MACEC_E_ARG, "number of the output", -1, int64_t{out}, int64_t{m.n_out} - 1);
  }
  if (c.life != kRan)
    return fail(c, MACEC_E_STATE, "no run has succeeded yet, or the last one failed");
  const int64_t* extents = c.shape;
  for (uint32_t i = 0; i < out; ++i) extents += m.out[i].rank;
  for (uint32_t axis = 0; axis < m.out[out].rank; ++axis) dims[axis] = extents[axis];
  return MACEC_OK;
}

// No memory of ours can be written instead of passing an input.
[[maybe_unused]] void* no_input_memory(macec_ctx*, uint32_t) {
  return nullptr;
}

[[maybe_unused]] macec_status reset_context(macec_ctx* head) {
  if (!head) return MACEC_E_ARG;
  Context& c = context_of(head);
  const macec_status status = check_open(c);
  if (status == MACEC_OK) reset_states(c);
  return status;
}

[[maybe_unused]] macec_status use_weights(macec_ctx* head, const macec_weights* weights) {
  if (!head) return MACEC_E_ARG;
  Context& c = context_of(head);
  const macec_status status = check_open(c);
  // BEGIN GPU
  if (status == MACEC_OK && c.gpu) {
    const macec_status chosen = choose_weights(c, weights);
    return chosen == MACEC_OK ? use_gpu_weights(c) : chosen;
  }
  // END GPU
  return status == MACEC_OK ? choose_weights(c, weights) : status;
}

[[maybe_unused]] void close_context(macec_ctx* head) {
  // BEGIN GPU
  if (head) close_gpu(context_of(head));
  // END GPU
  if (head) context_of(head).life = kClosed;
}

// Functions of later stub layers: none here.
[[maybe_unused]] const void* no_layer(uint32_t) {
  return nullptr;
}
