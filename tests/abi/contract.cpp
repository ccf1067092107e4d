// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an app is promised: codes and texts of every failure, states, shapes, hooks, workers,
// levels, weights. Runs on the pairs of make_pairs.cpp.
#include "both.h"
#include "kws.h"
#include "many.h"
#include "vad.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check.h"

namespace {

macec_error error;
std::string vad_blob, kws_like_blob;

std::string text() {
  char buffer[200];
  return macec_error_text(&error, buffer, sizeof buffer);
}

// Expects `status` and the text that macec_error_text makes of the failure.
#define FAILS(call, status, message)          \
  do {                                        \
    error = macec_error();                    \
    CHECK((call) == (status));                \
    CHECK_TEXT(text(), std::string(message)); \
  } while (0)

std::string small(const std::string& what, int have, int need) {
  return "vad: bytes of " + what + ": have " + std::to_string(have) + ", need " +
         std::to_string(need) + " (error -4)";
}

std::string read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// An opened vad with its weights.
struct Vad {
  alignas(64) unsigned char memory[VAD_MEMORY_BYTES + 64];
  macec_weights weights;
  macec_options options = macec_defaults();
  vad_ctx* m = nullptr;
  macec_status status;

  explicit Vad(macec_options given = macec_defaults(), size_t offset = 0,
               size_t bytes = VAD_MEMORY_BYTES)
      : options(given) {
    CHECK(vad_model()->bind(&weights, vad_blob.data(), vad_blob.size(), 1, nullptr) == MACEC_OK);
    options.error = &error;
    if (!options.weights) options.weights = &weights;
    memset(memory, 0xcd, sizeof memory);
    status = vad_open(&m, memory + offset, bytes, &options);
  }
  ~Vad() {
    if (m) vad_close(m);
  }
  Vad(const Vad&) = delete;
  Vad& operator=(const Vad&) = delete;
};

float audio[32 * 8 + 8], prob[34];

void fill() {
  for (int i = 0; i < 32 * 8; ++i) audio[i] = static_cast<float>(i % 7);
}

void open_checks_memory_and_options() {
  for (size_t offset = 0; offset < 64; ++offset)
    CHECK(Vad(macec_defaults(), offset).status == MACEC_OK);
  FAILS(Vad(macec_defaults(), 0, 100).status, MACEC_E_SMALL,
        small("the memory", 100, VAD_MEMORY_BYTES - 63));
  FAILS(Vad(macec_defaults(), 1, VAD_MEMORY_BYTES - 1).status, MACEC_E_SMALL,
        small("the memory", VAD_MEMORY_BYTES - 1, VAD_MEMORY_BYTES));
  Vad vad;
  vad_ctx* m = nullptr;
  FAILS(vad_open(&m, nullptr, VAD_MEMORY_BYTES, &vad.options), MACEC_E_ARG,
        "vad: the memory is NULL (error -1)");
  FAILS(vad_model()->open(nullptr, vad.memory, VAD_MEMORY_BYTES, &vad.options), MACEC_E_ARG,
        "vad: the pointer to the context is NULL (error -1)");
  macec_options o = macec_defaults();
  o.threads = 0;
  FAILS(Vad(o).status, MACEC_E_ARG, "vad: options.threads: have 0, need 1 (error -1)");
  o = macec_defaults();
  o.zero = 3;
  FAILS(Vad(o).status, MACEC_E_ARG,
        "vad: the options do not start from macec_defaults() (error -1)");
  o = macec_defaults();
  o.level = 9;
  FAILS(Vad(o).status, MACEC_E_ARG,
        "vad: options.level: have 9, need " + std::to_string(VAD_LEVELS) + " (error -1)");
  struct {
    uint32_t kind, zero;
    const void* next;
  } second = {0x80000001u, 0, nullptr}, first = {5, 0, nullptr};
  o = macec_defaults();
  o.next = &first;
  CHECK(Vad(o).status == MACEC_OK);
  first.next = &second;
  FAILS(Vad(o).status, MACEC_E_ARG,
        "vad: options.next holds something that this model must not skip: have 2147483649, need 0 "
        "(error -1)");
}

void own_memory_for_states() {
  alignas(64) static unsigned char retained[VAD_STATE_BYTES + 64];
  macec_options o = macec_defaults();
  o.state = {retained + 1, VAD_STATE_BYTES - 1};
  FAILS(Vad(o).status, MACEC_E_SMALL, small("options.state", VAD_STATE_BYTES - 1, VAD_STATE_BYTES));
  o.state.bytes = VAD_STATE_BYTES;
  Vad vad(o, 0, VAD_MEMORY_BYTES - (VAD_STATE_BYTES - 63));
  CHECK(vad.status == MACEC_OK);
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK(vad_run(vad.m, 1, 32, 1, audio, prob) == MACEC_OK);
  CHECK(prob[0] == 1 + 0.25f + 21);
}

void run_checks_dimensions() {
  Vad vad;
  FAILS(vad_run(vad.m, 0, 32, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'frames' must be 1 to 32: have 0, need 1 (error -18)");
  FAILS(vad_run(vad.m, -1, 32, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'frames' must be 1 to 32: have -1, need 1 (error -18)");
  FAILS(vad_run(vad.m, VAD_FRAMES_MAX + 1, 32, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'frames' must be 1 to 32: have 33, need 32 (error -18)");
  FAILS(vad_run(vad.m, INT64_MAX, 32, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'frames' must be 1 to 32: have 9223372036854775807, need 32 (error -18)");
  FAILS(vad_run(vad.m, INT64_MIN, 32, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'frames' must be 1 to 32: have -9223372036854775808, need 1 (error -18)");
  CHECK(error.item == VAD_DIM_FRAMES);
  for (int64_t height : {0, -1, 97}) {
    error = macec_error();
    CHECK(vad_run(vad.m, 1, height, 0, audio, prob) == MACEC_E_RANGE);
    CHECK(error.item == VAD_DIM_HEIGHT);
  }
  FAILS(vad_run(vad.m, 1, 95, 0, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'height' must be 32 to 96 in steps of 32: have 95, need 64 (error -18)");
  FAILS(vad_run(vad.m, 1, 32, -1, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'Other Frames' must be 0 to 64: have -1, need 0 (error -18)");
  FAILS(vad_run(vad.m, 1, 32, 65, audio, prob), MACEC_E_RANGE,
        "vad: dimension 'Other Frames' must be 0 to 64: have 65, need 64 (error -18)");
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  FAILS(vad_run(vad.m, 1, 32, 64, audio, prob), MACEC_E_SHAPE,
        "vad: axis 0 of 'audio' and 'x\"y' less 31 must agree: have 1, need 33 (error -16)");
}

void run_checks_buffers() {
  Vad vad;
  const int64_t dims[] = {2, 32, 0};
  macec_in in = {audio, 2 * 8 * 4};
  macec_out out = {prob, 3 * 4};
  const auto run = [&] { return macec_run(vad_base(vad.m), dims, &in, &out); };
  CHECK(run() == MACEC_OK);
  in.bytes = 63;
  FAILS(run(), MACEC_E_SMALL, "vad: bytes of input 'audio': have 63, need 64 (error -4)");
  in = {nullptr, 64};
  FAILS(run(), MACEC_E_ARG, "vad: input 'audio' is NULL (error -1)");
  in = {reinterpret_cast<const unsigned char*>(audio) + 1, 64};
  FAILS(run(), MACEC_E_ALIGN, "vad: address of input 'audio' modulo 4: have 1, need 0 (error -3)");
  in = {audio, 64};
  out.bytes = 11;
  FAILS(run(), MACEC_E_SMALL, "vad: bytes of output 'Prob:0': have 11, need 12 (error -4)");
  out = {nullptr, 0};
  FAILS(run(), MACEC_E_ARG, "vad: output 'Prob:0' is NULL (error -1)");
  CHECK(error.item == VAD_OUT_PROB_0);
  out = {audio + 4, 12};
  FAILS(run(), MACEC_E_ARG, "vad: an output overlaps another buffer (error -1)");
  out = {prob, 12};
  FAILS(macec_run(vad_base(vad.m), nullptr, &in, &out), MACEC_E_ARG,
        "vad: the dimensions are NULL (error -1)");
  FAILS(macec_run(vad_base(vad.m), dims, nullptr, &out), MACEC_E_ARG,
        "vad: the inputs are NULL (error -1)");
  FAILS(macec_run(vad_base(vad.m), dims, &in, nullptr), MACEC_E_ARG,
        "vad: the outputs are NULL (error -1)");
  CHECK(macec_run(nullptr, dims, &in, &out) == MACEC_E_ARG);
}

// h counts the runs that succeeded; the cache grows by one a run.
void states_are_committed_last() {
  Vad vad;
  const auto first = [&](int64_t past) {
    const macec_status status = vad_run(vad.m, 1, 32, past, audio, prob);
    return status == MACEC_OK ? prob[0] - 0.25f - 21 : static_cast<float>(status);
  };
  CHECK(first(3) == 0);
  CHECK(first(4) == 1);
  FAILS(first(4), MACEC_E_STATE,
        "vad: bytes of state 'cache' that the last run left: have 20, need 16 (error -2)");
  CHECK(first(5) == 2);
  CHECK(vad_run(vad.m, 0, 32, 6, audio, prob) == MACEC_E_RANGE);
  CHECK(first(6) == 3);
  CHECK(vad_reset(vad.m) == MACEC_OK);
  CHECK(first(0) == 0);
}

int calls_left;
int cancel(void*) {
  return calls_left-- <= 0;
}

void a_cancelled_run_leaves_the_states() {
  macec_options o = macec_defaults();
  o.cancelled = cancel;
  Vad vad(o);
  calls_left = 0;
  FAILS(vad_run(vad.m, 1, 32, 0, audio, prob), MACEC_E_CANCELLED,
        "vad: the run was cancelled (error -52)");
  calls_left = 1;
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_E_CANCELLED);
  calls_left = 100;
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK(prob[0] == 0.25f + 21);
}

void shape_of_the_last_run() {
  Vad vad;
  int64_t dims[2] = {0, 0};
  const auto shape = [&](uint32_t out) { return vad_model()->shape(vad_base(vad.m), out, dims); };
  FAILS(shape(0), MACEC_E_STATE,
        "vad: no run has succeeded yet, or the last one failed (error -2)");
  CHECK(vad_run(vad.m, 31, 32, 0, audio, prob) == MACEC_OK);
  CHECK(shape(0) == MACEC_OK);
  CHECK(dims[0] == 32 && dims[1] == 1);
  FAILS(shape(1), MACEC_E_ARG, "vad: number of the output: have 1, need 0 (error -1)");
  CHECK(vad_model()->shape(vad_base(vad.m), 0, nullptr) == MACEC_E_ARG);
}

void the_second_plan_takes_over() {
  static int warnings;
  warnings = 0;
  macec_options o = macec_defaults();
  o.log = [](void*, int severity, const char*) { warnings += severity == 1; };
  Vad vad(o);
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK(prob[1] == 0);  // the number of the plan
  audio[0] = 1000;
  CHECK(vad_run(vad.m, 1, 32, 1, audio, prob) == MACEC_OK);
  CHECK(prob[1] == 1);
  CHECK(prob[0] == 1 + 0.25f + 21 + 1000);
  CHECK(warnings == 1);
  fill();
  CHECK(vad_run(vad.m, 1, 32, 2, audio, prob) == MACEC_OK);
  CHECK(prob[1] == 1 && warnings == 1);
}

// Runs the parts backwards and hands out worker numbers in turn.
void backwards(void* user, uint32_t n, void (*part)(void*, uint32_t, uint32_t), void* arg) {
  const uint32_t workers = *static_cast<uint32_t*>(user);
  for (uint32_t i = n; i-- > 0;) part(arg, i, i % workers);
}

void results_do_not_depend_on_workers() {
  float one[33];
  {
    Vad vad;
    CHECK(vad_run(vad.m, 32, 64, 0, audio, one) == MACEC_OK);
  }
  for (uint32_t threads : {2u, 3u, 4u, 9u, 64u}) {
    macec_options o = macec_defaults();
    o.threads = threads;
    o.parallel_for = backwards;
    o.user = &o.threads;
    Vad vad(o);
    CHECK(vad_run(vad.m, 32, 64, 0, audio, prob) == MACEC_OK);
    CHECK(memcmp(one, prob, sizeof one) == 0);
  }
  macec_options o = macec_defaults();
  uint32_t too_many = 3;
  o.threads = 2;
  o.parallel_for = backwards;
  o.user = &too_many;
  Vad vad(o);
  FAILS(vad_run(vad.m, 32, 64, 0, audio, prob), MACEC_E_ARG,
        "vad: worker number that options.parallel_for gave: have 2, need 1 (error -1)");
}

void hooks_see_the_steps() {
  static std::string seen;
  seen.clear();
  macec_options o = macec_defaults();
  o.on_step = [](void*, uint32_t step, const char* name, int begins) {
    seen += std::to_string(step) + name + (begins ? "(" : ")");
  };
  Vad vad(o);
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK_TEXT(seen, "0rows(0rows)");
}

void levels_can_be_forced() {
  for (uint32_t level = 1; level <= VAD_LEVELS; ++level) {
    macec_options o = macec_defaults();
    o.level = level;
    static std::string log;
    log.clear();
    o.log = [](void*, int, const char* name) { log += name; };
    error = macec_error();
    Vad vad(o);
    if (vad.status == MACEC_OK) {
      CHECK(!log.empty());
      CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
    } else {
      CHECK_TEXT(text(), "vad: this processor lacks instructions that the code needs (error -48)");
      CHECK(level > 1);
    }
  }
}

void weights_are_bound_and_exchanged() {
  macec_weights w;
  macec_options o = macec_defaults();
  o.error = &error;
  const auto bind = [&](const std::string& blob, size_t bytes, int verify) {
    return vad_model()->bind(&w, blob.data(), bytes, verify, &o);
  };
  CHECK(bind(vad_blob, vad_blob.size(), 1) == MACEC_OK);
  FAILS(bind(kws_like_blob, kws_like_blob.size(), 0), MACEC_E_WEIGHTS,
        "vad: these weights belong to another model: layout id: have 4, need 1311768467294899695 "
        "(error -33)");
  FAILS(bind(std::string(500, 'x'), 500, 0), MACEC_E_WEIGHTS,
        "vad: these bytes are no weights of macec (error -33)");
  FAILS(bind(vad_blob, 40, 0), MACEC_E_SMALL,
        "vad: bytes of the weights: have 40, need 76 (error -4)");
  FAILS(bind(vad_blob, vad_blob.size() - 1, 0), MACEC_E_SMALL,
        "vad: bytes of the weights: have 75, need 76 (error -4)");
  std::string damaged = vad_blob;
  damaged[70] = static_cast<char>(damaged[70] ^ 1);
  FAILS(bind(damaged, damaged.size(), 1), MACEC_E_HASH,
        "vad: the weights are damaged: their hash differs (error -34)");
  CHECK(bind(damaged, damaged.size(), 0) == MACEC_OK);
  FAILS(vad_model()->bind(&w, nullptr, 100, 0, &o), MACEC_E_ARG,
        "vad: the weights are NULL (error -1)");
  FAILS(vad_model()->bind(&w, vad_blob.data() + 1, 75, 0, &o), MACEC_E_ALIGN,
        "vad: address of the weights modulo 4: have 1, need 0 (error -3)");
  FAILS(many_model()->bind(&w, vad_blob.data(), vad_blob.size(), 0, &o), MACEC_E_WEIGHTS,
        "many: this model has no weights to bind (error -33)");

  vad_ctx* m = nullptr;
  static unsigned char memory[VAD_MEMORY_BYTES];
  FAILS(vad_open(&m, memory, sizeof memory, &o), MACEC_E_WEIGHTS,
        "vad: no weights: bind a weights file and pass it in options.weights (error -33)");
  CHECK(m == nullptr);
  macec_weights unbound = {nullptr, nullptr, 0, nullptr};
  o.weights = &unbound;
  FAILS(vad_open(&m, memory, sizeof memory, &o), MACEC_E_WEIGHTS,
        "vad: these weights are not bound (error -33)");
  macec_weights foreign = {kws_model(), vad_blob.data(), vad_blob.size(), nullptr};
  o.weights = &foreign;
  CHECK(vad_open(&m, memory, sizeof memory, &o) == MACEC_E_WEIGHTS);

  // Other values in the same layout, at an address of alignment 4.
  std::vector<char> other(vad_blob.size() + 64);
  char* const odd = other.data() + (64 - reinterpret_cast<uintptr_t>(other.data()) % 64) % 64 + 4;
  memcpy(odd, vad_blob.data(), vad_blob.size());
  const float ten = 10;
  memcpy(odd + 64, &ten, 4);
  CHECK(vad_model()->bind(&w, odd, vad_blob.size(), 0, nullptr) == MACEC_OK);
  Vad vad;
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK(prob[0] == 21.25f);
  CHECK(vad_model()->use(vad_base(vad.m), &w) == MACEC_OK);
  vad_reset(vad.m);
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_OK);
  CHECK(prob[0] == 31);
  vad_model()->unbind(&w);
  CHECK(!w.data);
}

void a_closed_context_is_refused() {
  Vad vad;
  macec_ctx* const c = vad_base(vad.m);
  vad_close(vad.m);
  int64_t dims[2];
  CHECK(vad_run(vad.m, 1, 32, 0, audio, prob) == MACEC_E_STATE);
  CHECK(vad_model()->reset(c) == MACEC_E_STATE);
  CHECK(vad_model()->shape(c, 0, dims) == MACEC_E_STATE);
  CHECK(vad_model()->use(c, nullptr) == MACEC_E_STATE);
  macec_close(nullptr);
}

void fixed_models_run_once() {
  static unsigned char memory[KWS_MEMORY_BYTES];
  const float in[KWS_AUDIO_ELEMS] = {1, 2, 3, 4};
  float out[KWS_SCORES_ELEMS] = {0, 0};
  CHECK(kws_once(memory, sizeof memory, in, out) == MACEC_OK);
  CHECK(out[0] == 1 + 2 && out[1] == 3 + 8);
  CHECK(kws_once(memory, 10, in, out) == MACEC_E_SMALL);
  static unsigned char memory_of_two[TWO_MEMORY_BYTES];
  CHECK(one_once(memory_of_two, sizeof memory_of_two, in, out) == MACEC_OK);
  CHECK(out[0] == 1 + 4 && out[1] == 3 + 16);
  CHECK(two_once(memory_of_two, sizeof memory_of_two, in, out) == MACEC_OK);
  CHECK(out[0] == 1 + 8 && out[1] == 3 + 32);
}

void many_tensors_of_odd_types() {
  static unsigned char memory[MANY_MEMORY_BYTES];
  many_ctx* m = nullptr;
  macec_options o = macec_defaults();
  o.error = &error;
  CHECK(many_open(&m, memory, sizeof memory, &o) == MACEC_OK);
  const uint8_t mask[7] = {0, 1, 0, 0, 1, 1, 0}, packed[3] = {0, 0, 0}, memory_input[3] = {0, 0, 0};
  const uint16_t halves[15] = {0};
  const int64_t number = 40;
  const float pairs[4] = {0, 0, 0, 0};
  int64_t y = 0, found[7], dims[2];
  double not_wanted[3] = {0, 0, 0};
  many_io io = many_io_empty();
  io.in_input = mask;
  io.input_0 = halves;
  io.input_0_2 = packed;
  io.input_0_3 = &number;
  io.input_4 = pairs;
  io.memory_input = memory_input;
  io.y = &y;
  io.found = found;
  CHECK(many_run(m, 5, &io) == MACEC_OK);
  CHECK(y == 45);
  CHECK(many_model()->shape(many_base(m), MANY_OUT_FOUND, dims) == MACEC_OK && dims[0] == 3);
  CHECK(found[0] == 1 && found[1] == 4 && found[2] == 5);
  CHECK(many_model()->shape(many_base(m), MANY_OUT_NOT_WANTED, dims) == MACEC_OK && dims[0] == 1 &&
        dims[1] == 3);
  CHECK(many_model()->shape(many_base(m), MANY_OUT_NONE, dims) == MACEC_OK && dims[0] == 0 &&
        dims[1] == 3);
  io.not_wanted = not_wanted;
  CHECK(many_run(m, 3, &io) == MACEC_OK);
  CHECK(not_wanted[0] == 0.5 && not_wanted[1] == 0.5 && not_wanted[2] == 0);
  io.not_wanted = reinterpret_cast<double*>(reinterpret_cast<unsigned char*>(not_wanted) + 4);
  FAILS(many_run(m, 3, &io), MACEC_E_ALIGN,
        "many: address of output 'not*/wanted' modulo 8: have 4, need 0 (error -3)");
  io.not_wanted = nullptr;
  io.found = nullptr;
  FAILS(many_run(m, 0, &io), MACEC_E_ARG, "many: output 'found' is NULL (error -1)");
  CHECK(error.item == MANY_OUT_FOUND);
  const macec_tensor& quantized = many_model()->in[2];
  CHECK(quantized.n_scale == 1 && quantized.scale[0] == 0.5f && quantized.zero_point[0] == 3);
  CHECK(many_model()->out[MANY_OUT_NOT_WANTED].flags == MACEC_OPTIONAL);
  CHECK(many_model()->out[MANY_OUT_FOUND].shape[0] == INT32_MIN &&
        many_model()->in[1].shape[0] == ~0);
  CHECK(many_model()->input(many_base(m), 0) == nullptr && many_model()->query(2) == nullptr);
  many_close(m);
}

void error_text_is_cut_to_the_buffer() {
  const macec_error e = {MACEC_E_SMALL, 0, "vad", "bytes of input 'audio'", 784, 1024};
  char small[8], one[1], whole[100];
  CHECK_TEXT(macec_error_text(&e, whole, sizeof whole),
             "vad: bytes of input 'audio': have 784, need 1024 (error -4)");
  CHECK_TEXT(macec_error_text(&e, small, sizeof small), "vad: by");
  CHECK_TEXT(macec_error_text(&e, one, 1), "");
  macec_error_text(&e, one, 0);
  const macec_error least = {MACEC_E_RANGE, -1, nullptr, nullptr, INT64_MIN, INT64_MAX};
  CHECK_TEXT(macec_error_text(&least, whole, sizeof whole),
             "macec: : have -9223372036854775808, need 9223372036854775807 (error -18)");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  vad_blob = read((folder + "/vad.weights.bin").c_str());
  kws_like_blob = read((folder + "/wfile.weights.bin").c_str());
  fill();
  open_checks_memory_and_options();
  own_memory_for_states();
  run_checks_dimensions();
  run_checks_buffers();
  states_are_committed_last();
  a_cancelled_run_leaves_the_states();
  shape_of_the_last_run();
  the_second_plan_takes_over();
  results_do_not_depend_on_workers();
  hooks_see_the_steps();
  levels_can_be_forced();
  weights_are_bound_and_exchanged();
  a_closed_context_is_refused();
  fixed_models_run_once();
  many_tensors_of_odd_types();
  error_text_is_cut_to_the_buffer();
  return check_result();
}
