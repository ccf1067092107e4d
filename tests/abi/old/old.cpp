#include "old.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__)
#error \
    "compile this file without -ffast-math: the code relies on IEEE rules (infinities, NaN, order of sums)"
#endif
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the weights in this file are little-endian"
#endif

namespace {

// The memory of the app:
//
//   | 0..63    | Context, its arrays | arena, with the workers' scratch | fast | states, twice |
//     to align

struct Context;

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

// True if the run must end now: a step failed or the app cancels. c.status says why.
[[maybe_unused]] bool stops(Context& c) {
  if (c.status == MACEC_OK && c.options.cancelled && c.options.cancelled(c.options.user)) {
    c.status = fail(c, MACEC_E_CANCELLED, "the run was cancelled");
  }
  return c.status != MACEC_OK;
}

// The units of one step, cut into parts for the app's parallel_for.
struct Job {
  Context* context;
  Part part;
  int64_t units, parts;
};

// Units before part i: as even as possible, and independent of who runs what.
[[maybe_unused]] constexpr int64_t first_unit(const Job& job, int64_t i) {
  return job.units / job.parts * i + macec_min(i, job.units % job.parts);
}

// More workers than the model has scratch for: then a part uses the scratch of its own number, and
// there are no more parts than that.
[[maybe_unused]] bool has_spare_workers(const Context& c) {
  return c.options.threads > c.threads;
}

[[maybe_unused]] void run_part(void* arg, uint32_t i, uint32_t worker) {
  const Job& job = *static_cast<const Job*>(arg);
  Context& c = *job.context;
  const uint32_t slot = has_spare_workers(c) ? i : worker;
  if (slot >= c.threads) {
    c.bad_worker = worker;  // only a parallel_for that breaks its contract gets here
    return;
  }
  job.part(c, first_unit(job, i), first_unit(job, int64_t{i} + 1), slot);
}

// Computes `units` units of one step, by several workers if that pays.
//   grain   units that are worth waking a worker for, >= 1; parts are not smaller
// Results do not depend on the number of workers. Ask stops(c) afterwards.
[[maybe_unused]] void run_units(Context& c, int64_t units, int64_t grain, Part part) {
  const int64_t most = has_spare_workers(c) ? int64_t{c.threads} : int64_t{c.threads} * 4;
  const int64_t parts = macec_min(units / grain, most);
  if (c.threads < 2 || parts < 2 || !c.options.parallel_for) {
    if (units > 0) part(c, 0, units, 0);
    return;
  }
  Job job = {&c, part, units, parts};
  c.options.parallel_for(c.options.user, static_cast<uint32_t>(parts), run_part, &job);
  if (c.bad_worker) {
    c.status = fail(c, MACEC_E_ARG, "worker number that options.parallel_for gave", -1,
                    int64_t{c.bad_worker}, int64_t{c.threads} - 1);
  }
}

// step: its number in the plan; name: of its main ONNX node.
[[maybe_unused]] void step_begins(const Context& c, uint32_t step, const char* name) {
  if (c.options.on_step) c.options.on_step(c.options.user, step, name, 1);
}
[[maybe_unused]] void step_ends(const Context& c, uint32_t step, const char* name) {
  if (c.options.on_step) c.options.on_step(c.options.user, step, name, 0);
}

}  // namespace

namespace {
namespace old {

void rows(Context& c, int64_t begin, int64_t end, uint32_t worker) {
  float* const scratch = reinterpret_cast<float*>(c.arena + 64 * worker);
  const float* const audio = static_cast<const float*>(c.in[0]);
  float* const prob = static_cast<float*>(c.out[0]);
  float weight = 0;
  memcpy(&weight, c.weights + 4 * (c.dim[1] / 32 - 1), 4);
  const float h = *reinterpret_cast<const float*>(c.state[0]);
  for (int64_t row = begin; row < end; ++row) {
    scratch[0] = h + weight;
    for (int i = 0; i < 8; ++i) scratch[0] += audio[8 * row + i];
    prob[row] = scratch[0];
  }
}
macec_status run_cpu(Context& c) {
  step_begins(c, 0, "rows");
  run_units(c, c.dim[0], 1, rows);
  step_ends(c, 0, "rows");
  if (stops(c)) return c.status;
  static_cast<float*>(c.out[0])[c.dim[0]] = static_cast<float>(c.plan);
  for (int i = 0; i < 6; ++i) {
    reinterpret_cast<float*>(c.next_state[0])[i] = reinterpret_cast<const float*>(c.state[0])[i] + 1;
  }
  for (int64_t i = 0; i <= c.dim[2]; ++i) reinterpret_cast<float*>(c.next_state[1])[i] = 1;
  c.dim[3] = 7;
  return stops(c) ? c.status : static_cast<macec_status>(MACEC_OK);
}
macec_status run_device(Context& c) {
  if (static_cast<const float*>(c.in[0])[0] == 1000) return MACEC_E_DEVICE;
  return run_cpu(c);
}
}  // namespace
}  // namespace

namespace {

// A block of weights:
//
//   byte  0  magic "macec\0w1"    8  layout id    16  bytes, head included    24  hash of bytes 64..
//        32  zero                64  the packed weights
//
// Numbers are little-endian. A block needs alignment 4 only (an asset of an app has no more), so
// its head is read by memcpy. The layout id says that the code fits, not which values there are.
struct BlobHead {
  unsigned char magic[8];
  uint64_t layout, bytes, hash, zero[4];
};
static_assert(sizeof(BlobHead) == kBlobHead, "the head of a blob has a fixed size");

// Word by word; the last word is filled up with zeros. compiler/emit/weights.cpp computes the same.
[[maybe_unused]] uint64_t blob_hash(const unsigned char* data, uint64_t bytes) {
  uint64_t hash = 0x9e3779b97f4a7c15u ^ bytes;
  for (uint64_t i = 0; i < bytes; i += 8) {
    uint64_t word = 0;
    memcpy(&word, data + i, static_cast<size_t>(bytes - i < 8 ? bytes - i : 8));
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

[[maybe_unused]] macec_status check_blob(const Model& model, const void* blob, size_t bytes,
                                         bool verify, macec_error* error) {
  const macec_status foreign = MACEC_E_WEIGHTS;
  if (!blob) return fail(model, error, MACEC_E_ARG, "the weights are NULL");
  const int64_t past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(blob) % 4);
  if (past)
    return fail(model, error, MACEC_E_ALIGN, "address of the weights modulo 4", -1, past, 0);
  if (!model.weights_bytes) return fail(model, error, foreign, "this model has no weights to bind");
  BlobHead head = {};
  if (bytes < sizeof head) {
    return fail(model, error, MACEC_E_SMALL, "bytes of the weights", -1,
                static_cast<int64_t>(bytes), static_cast<int64_t>(model.weights_bytes));
  }
  memcpy(&head, blob, sizeof head);
  if (memcmp(head.magic, "macec\0w1", 8) != 0) {
    return fail(model, error, foreign, "these bytes are no weights of macec");
  }
  if (head.layout != model.head.weights_layout || head.bytes != model.weights_bytes) {
    return fail(model, error, foreign, "these weights belong to another model: layout id", -1,
                static_cast<int64_t>(head.layout), static_cast<int64_t>(model.head.weights_layout));
  }
  if (bytes < head.bytes) {
    return fail(model, error, MACEC_E_SMALL, "bytes of the weights", -1,
                static_cast<int64_t>(bytes), static_cast<int64_t>(head.bytes));
  }
  const unsigned char* first = static_cast<const unsigned char*>(blob) + kBlobHead;
  if (verify && blob_hash(first, head.bytes - kBlobHead) != head.hash) {
    return fail(model, error, MACEC_E_HASH, "the weights are damaged: their hash differs");
  }
  return MACEC_OK;
}

[[maybe_unused]] macec_status bind_weights(const Model& model, macec_weights* weights,
                                           const void* blob, size_t bytes, int verify,
                                           const macec_options* options) {
  macec_error* const error = options ? options->error : nullptr;
  if (!weights) return fail(model, error, MACEC_E_ARG, "the macec_weights to fill is NULL");
  *weights = {nullptr, nullptr, 0, nullptr};
  const macec_status status = check_blob(model, blob, bytes, verify != 0, error);
  if (status == MACEC_OK) *weights = {&model.head, blob, bytes, nullptr};
  return status;
}

[[maybe_unused]] void unbind_weights(macec_weights* weights) {
  if (weights) *weights = {nullptr, nullptr, 0, nullptr};
}

// Lets a context read `weights`, or, if NULL, the ones in this file.
[[maybe_unused]] macec_status choose_weights(Context& c, const macec_weights* weights) {
  const Model& model = *c.model;
  if (!model.weights_bytes) {
    if (weights) return fail(c, MACEC_E_WEIGHTS, "this model has no weights to bind");
    return MACEC_OK;
  }
  if (!weights) {
    const unsigned char* embedded = model.embedded ? model.embedded() : nullptr;
    if (!embedded)
      return fail(c, MACEC_E_WEIGHTS,
                  "no weights: bind a weights file and pass it in options.weights");
    c.weights = embedded + kBlobHead;
    return MACEC_OK;
  }
  if (!weights->model || !weights->data)
    return fail(c, MACEC_E_WEIGHTS, "these weights are not bound");
  if (weights->model->weights_layout != model.head.weights_layout ||
      weights->bytes < model.weights_bytes) {
    return fail(c, MACEC_E_WEIGHTS, "these weights belong to another model: layout id", -1,
                static_cast<int64_t>(weights->model->weights_layout),
                static_cast<int64_t>(model.head.weights_layout));
  }
  c.weights = static_cast<const unsigned char*>(weights->data) + kBlobHead;
  return MACEC_OK;
}

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
  c.life = kOpen;
  *result = &c.head;
  if (o.log) o.log(o.user, 0, model.level[level].name);
  return MACEC_OK;
}

[[maybe_unused]] Context& context_of(macec_ctx* head) {
  return *reinterpret_cast<Context*>(head);
}
[[maybe_unused]] const Context& context_of(const macec_ctx* head) {
  return *reinterpret_cast<const Context*>(head);
}

[[maybe_unused]] macec_status check_open(const Context& c) {
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

  status = m.level[c.level].run[c.plan](c);
  while (status == MACEC_E_DEVICE && c.plan + 1 < m.n_plan) {
    // The device is gone: from now on this context uses the next plan, and this run starts again.
    if (c.options.log)
      c.options.log(c.options.user, 1, "the device failed; the next plan takes over");
    c.status = MACEC_OK;
    status = m.level[c.level].run[++c.plan](c);
  }
  if (status != MACEC_OK) return status;
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
  return status == MACEC_OK ? choose_weights(c, weights) : status;
}

[[maybe_unused]] void close_context(macec_ctx* head) {
  if (head) context_of(head).life = kClosed;
}

// Functions of later stub layers: none here.
[[maybe_unused]] const void* no_layer(uint32_t) {
  return nullptr;
}

}  // namespace

#if OLD_BUILD != 0x01d01d01u
#error "old.h is not the header that was generated with this file"
#endif
namespace {
namespace old {

constexpr macec_dim kDims[] = {
    {"frames", 1, 32},
    {"height", 32, 96},
    {"Other Frames", 0, 64},
};
constexpr DimRule kDimRules[] = {
    {1, "dimension 'frames' must be 1 to 32"},
    {32, "dimension 'height' must be 32 to 96 in steps of 32"},
    {1, "dimension 'Other Frames' must be 0 to 64"},
};
constexpr int32_t kInputShape0[] = {~0, 8};
constexpr macec_tensor kInputs[] = {
    {"audio", kInputShape0, 1, 2, 0, 1024, nullptr, nullptr, 0, -1},  // float32[frames,8]
};
constexpr TensorRule kInputRules[] = {
    {32, 4, false, "input 'audio' is NULL", "bytes of input 'audio'", "address of input 'audio' modulo 4"},
};
constexpr int32_t kOutputShape0[] = {INT32_MIN, 1};
constexpr macec_tensor kOutputs[] = {
    {"Prob:0", kOutputShape0, 1, 2, 0, 132, nullptr, nullptr, 0, -1},  // float32[frames+1,1]
};
constexpr TensorRule kOutputRules[] = {
    {32, 4, false, "output 'Prob:0' is NULL", "bytes of output 'Prob:0'", "address of output 'Prob:0' modulo 4"},
};
constexpr StateRule kStates[] = {
    {0, 24, "bytes of state 'h' that the last run left"},  // float32[6]
    {64, 260, "bytes of state 'cache' that the last run left"},  // float32[Other Frames]
};
constexpr macec_status (*kRun0[])(Context&) = {old::run_device, old::run_cpu};
bool supports_0() { return true; }  // portable
constexpr Level kLevels[] = {
    {"portable", supports_0, kRun0},
};
macec_status compute_extents(Context& c) {
  const int64_t frames = c.dim[0];
  const int64_t height = c.dim[1];
  const int64_t other_frames = c.dim[2];
  c.shape[0] = frames + 1;  // Prob:0
  c.state_need[0] = (6 * 32 + 7) / 8;
  c.state_need[1] = (6 * 32 + 7) / 8;
  c.state_need[2] = (other_frames * 32 + 7) / 8;
  c.state_need[3] = ((other_frames + 1) * 32 + 7) / 8;
  if ((height * 0 + frames) != (macec_max(frames, other_frames - 31))) return fail(c, MACEC_E_SHAPE, "axis 0 of 'audio' and 'x\"y' less 31 must agree", -1, height * 0 + frames, macec_max(frames, other_frames - 31));
  return MACEC_OK;
}
macec_status open_this(macec_ctx** c, void* memory, size_t bytes, const macec_options* options);
macec_status bind_this(macec_weights* w, const void* blob, size_t bytes, int verify, const macec_options* options);
const unsigned char* embedded_weights();  // at the end of this file
constexpr Model kModel = {
    {1, 0x01d01d01u, 0x1234567890abcdefu,
     "old", "macec test", "portable", "",
     {0xab, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00},
     1599, 0, 831,  // bytes of memory, fast memory, states
     4, 3, 1, 1,  // workers, dims, inputs, outputs
     kDims, kInputs, kOutputs,
     open_this, run_model, shape_of, no_input_memory, reset_context, use_weights, close_context,
     bind_this, unbind_weights, no_layer},
    448, 320, 384,  // bytes of context, arena, one copy of the states
    2, 1, 2, 1,  // plans, levels, states, run-time values
    2, 2,  // extents of the inputs, outputs
    kLevels, kDimRules, kInputRules, kOutputRules, kStates,
    kBlobHead + 12, embedded_weights, compute_extents};
static_assert(context_size(3, 1, 1, 1, 2, 2, 2) <= kModel.context_bytes, "room for the context");

macec_status open_this(macec_ctx** c, void* memory, size_t bytes, const macec_options* options) {
  return open_model(kModel, c, memory, bytes, options);
}
macec_status bind_this(macec_weights* w, const void* blob, size_t bytes, int verify, const macec_options* options) {
  return bind_weights(kModel, w, blob, bytes, verify, options);
}

}  // namespace old
}  // namespace

extern "C" const macec_model* old_model(void) { return &old::kModel.head; }

namespace {
namespace old {

struct Weights {
  uint64_t part_0[10];
};
alignas(64) const Weights old_weights = {
    {
     0x317700636563616d,0x1234567890abcdef,0x000000000000004c,0x75c10df70d70a313,
     0x0000000000000000,0x0000000000000000,0x0000000000000000,0x0000000000000000,
     0x3f0000003e800000,0x000000003f400000,
    },
};

const unsigned char* embedded_weights() { return reinterpret_cast<const unsigned char*>(&old_weights); }

}  // namespace old
}  // namespace
