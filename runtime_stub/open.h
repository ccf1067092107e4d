// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening a model: checks memory and options, chooses the instruction-set level, lays out the
// context.
//
// Pasted into the unnamed namespace of a generated .cpp, behind blob.h and after the steps.
#pragma once
#include "runtime_stub/blob.h"

// Head of every extension struct that is chained from options.next.
struct Extension {
  uint32_t kind, value;
  const void* next;
};

[[maybe_unused]] macec_status check_options(const Model& model, const macec_options& o) {
  if (o.layer == 0 || o.zero != 0) {
    return fail(model, o.error, MACEC_E_ARG, "the options do not start from macec_defaults()");
  }
  if (o.threads == 0) return fail(model, o.error, MACEC_E_ARG, "options.threads", -1, 0, 1);
  if (o.level > model.n_level) {
    return fail(model, o.error, MACEC_E_ARG, "options.level", -1, int64_t{o.level},
                int64_t{model.n_level});
  }
  for (const void* next = o.next; next;) {
    Extension extension = {};
    memcpy(&extension, next, sizeof extension);
    if (extension.kind >= 0x80000000u) {
      return fail(model, o.error, MACEC_E_ARG,
                  "options.next holds something that this model must not skip", -1,
                  int64_t{extension.kind}, 0);
    }
    next = extension.next;
  }
  return MACEC_OK;
}

// The level to run, counted from 0: the one asked for, or the best of this processor.
[[maybe_unused]] macec_status choose_level(const Model& model, const macec_options& o,
                                           uint32_t* level) {
  const uint32_t first = o.level ? o.level : 1;
  for (uint32_t i = o.level ? o.level : model.n_level; i >= first; --i) {
    if (model.level[i - 1].is_supported()) {
      *level = i - 1;
      return MACEC_OK;
    }
  }
  return fail(model, o.error, MACEC_E_CPU, "this processor lacks instructions that the code needs");
}

// Cuts memory into pieces of whole 64-byte lines.
struct Carver {
  unsigned char* at;
  template <class T>
  T* take(size_t count) {
    unsigned char* const here = at;
    at += (count * sizeof(T) + 7) / 8 * 8;
    return reinterpret_cast<T*>(here);
  }
};

// Bytes of a Context and its arrays: the order of place_arrays.
constexpr size_t context_size(uint32_t n_dim, uint32_t n_value, uint32_t n_in, uint32_t n_out,
                              uint32_t n_in_extent, uint32_t n_out_extent, uint32_t n_state) {
  const size_t words = size_t{n_dim} + n_value + n_in_extent + n_out_extent + size_t{3} * n_state;
  const size_t pointers = size_t{n_in} + n_out + size_t{2} * n_state;
  return aligned_up((sizeof(Context) + 7) / 8 * 8 + 8 * words + 8 * pointers);
}

[[maybe_unused]] void place_arrays(Context& c, unsigned char* behind) {
  const Model& m = *c.model;
  Carver carve = {behind};
  c.dim = carve.take<int64_t>(size_t{m.head.n_dim} + m.n_value);
  c.in_shape = carve.take<int64_t>(m.n_in_extent);
  c.shape = carve.take<int64_t>(m.n_out_extent);
  c.state_bytes = carve.take<int64_t>(m.n_state);
  c.state_need = carve.take<int64_t>(size_t{2} * m.n_state);
  c.in = carve.take<const void*>(m.head.n_in);
  c.out = carve.take<void*>(m.head.n_out);
  c.state = carve.take<unsigned char*>(m.n_state);
  c.next_state = carve.take<unsigned char*>(m.n_state);
}

[[maybe_unused]] unsigned char* align_pointer(void* p) {
  const uintptr_t past = reinterpret_cast<uintptr_t>(p) % kAlign;
  return static_cast<unsigned char*>(p) + (past ? kAlign - past : 0);
}

// A part of the memory that the app may give by itself: there if it is given, else behind the
// arena.
[[maybe_unused]] macec_status own_part(const Model& model, const macec_options& o,
                                       const macec_out& part, size_t need, const char* what,
                                       unsigned char** place) {
  *place = nullptr;
  if (!part.data || !need) return MACEC_OK;
  if (part.bytes < need + kAlign - 1) {
    return fail(model, o.error, MACEC_E_SMALL, what, -1, static_cast<int64_t>(part.bytes),
                static_cast<int64_t>(need + kAlign - 1));
  }
  *place = align_pointer(part.data);
  return MACEC_OK;
}

[[maybe_unused]] void reset_states(Context& c) {
  for (uint32_t i = 0; i < c.model->n_state; ++i) {
    memset(c.state[i], 0, c.model->state[i].bytes);
    c.state_bytes[i] = -1;
  }
}

// BEGIN GPU
macec_status open_gpu(Context& c);
// END GPU

[[maybe_unused]] macec_status open_model(const Model& model, macec_ctx** result, void* memory,
                                         size_t bytes, const macec_options* given) {
  const macec_options o = given ? *given : macec_defaults();
  if (!result) return fail(model, o.error, MACEC_E_ARG, "the pointer to the context is NULL");
  *result = nullptr;
  if (!memory) return fail(model, o.error, MACEC_E_ARG, "the memory is NULL");
  macec_status status = check_options(model, o);
  if (status != MACEC_OK) return status;

  unsigned char *fast = nullptr, *states = nullptr;
  const size_t states_bytes = 2 * model.copy_bytes;
  status = own_part(model, o, o.fast, model.head.fast_bytes, "bytes of options.fast", &fast);
  if (status == MACEC_OK)
    status = own_part(model, o, o.state, states_bytes, "bytes of options.state", &states);
  if (status != MACEC_OK) return status;
  unsigned char* const start = align_pointer(memory);
  const size_t need = static_cast<size_t>(start - static_cast<unsigned char*>(memory)) +
                      model.context_bytes + model.arena_bytes + (fast ? 0 : model.head.fast_bytes) +
                      (states ? 0 : states_bytes);
  if (bytes < need) {
    return fail(model, o.error, MACEC_E_SMALL, "bytes of the memory", -1,
                static_cast<int64_t>(bytes), static_cast<int64_t>(need));
  }
  uint32_t level = 0;
  status = choose_level(model, o, &level);
  if (status != MACEC_OK) return status;

  Context& c = *reinterpret_cast<Context*>(start);
  c = {};
  c.head.model = &model.head;
  c.model = &model;
  c.options = o;
  c.level = level;
  c.threads = o.threads < model.head.max_threads ? o.threads : model.head.max_threads;
  place_arrays(c, start + (sizeof(Context) + 7) / 8 * 8);
  c.arena = start + model.context_bytes;
  c.fast = fast ? fast : c.arena + model.arena_bytes;
  if (!states) states = c.arena + model.arena_bytes + (fast ? 0 : model.head.fast_bytes);
  for (uint32_t i = 0; i < model.n_state; ++i) {
    c.state[i] = states + model.state[i].offset;
    c.next_state[i] = c.state[i] + model.copy_bytes;
  }
  status = choose_weights(c, o.weights);
  if (status != MACEC_OK) return status;
  reset_states(c);
  // BEGIN GPU
  if (model.gpu) {
    c.gpu = reinterpret_cast<Gpu*>(start + model.context_bytes - model.gpu_bytes);
    status = open_gpu(c);
    if (status != MACEC_OK) return status;
  }
  // END GPU
  c.life = kOpen;
  *result = &c.head;
  if (o.log) o.log(o.user, 0, model.level[level].name);
  return MACEC_OK;
}
