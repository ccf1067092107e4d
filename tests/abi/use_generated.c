/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Pairs that macec itself made from models/, beside the one of an older macec, in one program. Compiled as C99, C11 or
 * C++17; -DOLD_FIRST includes the headers the other way round, and leaves out main(). -DNAME=scorer: another name of
 * the fixed model. Arguments: a weights file, if NAME wants one, and a foreign one. */
#ifndef NAME
#define NAME scorer
#endif
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
#ifdef OLD_FIRST
#include "old.h"
#include "meter.h"
#include TEXT(NAME.h)
#else
#include TEXT(NAME.h)
#include "meter.h"
#include "old.h"
#endif
#include "check.h"

#define OF(function) PASTE(NAME, function)

static macec_error error;
static char error_text[200];

#define FAILS(call, status_needed, text_needed)                                    \
  do {                                                                             \
    error.status = 0;                                                              \
    CHECK((call) == (status_needed));                                              \
    CHECK(error.status == (status_needed));                                        \
    CHECK_TEXT(macec_error_text(&error, error_text, sizeof error_text), text_needed); \
  } while (0)

static int steps_begun, steps_ended;
static void on_step(void *user, uint32_t step, const char *name, int begins) {
  (void)user;
  (void)step;
  CHECK(name[0] != '\0');
  if (begins) {
    ++steps_begun;
  } else {
    ++steps_ended;
  }
}

static void the_fixed_model_runs(const void *weights_file, size_t bytes) {
  static unsigned char memory[2048];
  OF(_ctx) *m = NULL;
  macec_weights weights = {NULL, NULL, 0, NULL};
  macec_options options = macec_defaults();
  float audio[16], scores[8];
  uint32_t level;
  int i, runs = 0;
  for (i = 0; i < 16; ++i) audio[i] = i < 8 ? 1.0f : -1.0f;
  CHECK(OF(_model)()->memory_bytes <= sizeof memory);
  options.error = &error;
  if (weights_file) {
    CHECK(OF(_open)(&m, memory, sizeof memory, &options) == MACEC_E_WEIGHTS);
    CHECK(OF(_model)()->bind(&weights, weights_file, bytes, 1, &options) == MACEC_OK);
    options.weights = &weights;
  }
  for (level = 0; level < 9; ++level) { /* those that the model or this processor lacks are refused */
    macec_status status;
    options.level = level;
    status = OF(_open)(&m, memory, sizeof memory, &options);
    if (status != MACEC_OK) {
      CHECK(level > 1 && (status == MACEC_E_ARG || status == MACEC_E_CPU));
      continue;
    }
    ++runs;
    CHECK(OF(_run)(m, audio, scores) == MACEC_OK);
    for (i = 0; i < 4; ++i) CHECK(scores[i] == (float)(28 - 8 * i < 0 ? 0 : 28 - 8 * i));
    for (i = 4; i < 8; ++i) CHECK(scores[i] == (float)(8 * (i - 4) - 28 < 0 ? 0 : 8 * (i - 4) - 28));
    OF(_close)(m);
  }
  CHECK(runs >= 2);
  CHECK(OF(_open)(&m, memory, 20, &options) == MACEC_E_ARG || error.status == MACEC_E_ARG); /* level 8 */
  options.level = 0;
  CHECK(OF(_open)(&m, memory, 20, &options) == MACEC_E_SMALL);
}

static void foreign_weights_are_refused(const void *blob, size_t bytes) {
  macec_weights weights;
  macec_options options = macec_defaults();
  options.error = &error;
  CHECK(OF(_model)()->bind(&weights, blob, bytes, 1, &options) == MACEC_E_WEIGHTS);
  CHECK(strcmp(error.what, "these weights belong to another model: layout id") == 0);
  CHECK(weights.data == NULL);
}

static float audio[METER_AUDIO_ELEMS(METER_FRAMES_MAX, METER_K_MAX)], table[METER_TABLE_ELEMS(METER_ROWS_MAX)];
static float pad[METER_PAD_ELEMS(METER_HEIGHT_MAX)], y[METER_Y_ELEMS(METER_FRAMES_MAX)], peak[1];

static void the_model_with_dimensions_keeps_its_state(void) {
  static unsigned char memory[METER_MEMORY_BYTES];
  meter_ctx *m = NULL;
  macec_options options = macec_defaults();
  int64_t shape[2];
  int i, run;
  options.error = &error;
  options.on_step = on_step;
  steps_begun = steps_ended = 0;
  CHECK(meter_open(&m, memory, sizeof memory, &options) == MACEC_OK);
  for (i = 0; i < METER_AUDIO_ELEMS(32, 8); ++i) audio[i] = (float)(i % 5);
  for (i = 0; i < METER_TABLE_ELEMS(8); ++i) table[i] = 1;
  for (i = 0; i < 96; ++i) pad[i] = (float)i;
  for (run = 0; run < 3; ++run) {
    CHECK(meter_run(m, 2, 5, 5, 64, audio, table, pad, y, peak) == MACEC_OK);
    for (i = 0; i < 8; ++i) CHECK(y[i] == (float)(10 + run));
    CHECK(peak[0] == 63);
    CHECK(meter_run(m, 2, 5, 4, 64, audio, table, pad, y, peak) == MACEC_E_SHAPE); /* leaves the state */
  }
  CHECK(steps_begun > 0 && steps_begun == steps_ended);
  CHECK(meter_model()->shape(meter_base(m), METER_OUT_Y, shape) == MACEC_E_STATE);
  CHECK(meter_run(m, 32, 8, 8, 96, audio, table, pad, y, peak) == MACEC_OK);
  CHECK(meter_model()->shape(meter_base(m), METER_OUT_Y, shape) == MACEC_OK && shape[0] == 32 && shape[1] == 4);
  CHECK(meter_reset(m) == MACEC_OK);
  CHECK(meter_run(m, 1, 5, 5, 32, audio, table, pad, y, peak) == MACEC_OK && y[0] == 10 && peak[0] == 31);
  meter_close(m);
}

static void wrong_calls_are_named(void) {
  static unsigned char memory[METER_MEMORY_BYTES];
  meter_ctx *m = NULL;
  macec_options options = macec_defaults();
  const int64_t dims[4] = {2, 5, 5, 64};
  macec_in in[3];
  macec_out out[2];
  options.error = &error;
  CHECK(meter_open(&m, memory, sizeof memory, &options) == MACEC_OK);
#define DIMS_FAIL(frames, k, rows, height, text) \
  FAILS(meter_run(m, frames, k, rows, height, audio, table, pad, y, peak), MACEC_E_RANGE, text)
  DIMS_FAIL(0, 5, 5, 64, "meter: dimension 'frames' must be 1 to 32: have 0, need 1 (error -18)");
  DIMS_FAIL(-1, 5, 5, 64, "meter: dimension 'frames' must be 1 to 32: have -1, need 1 (error -18)");
  DIMS_FAIL(33, 5, 5, 64, "meter: dimension 'frames' must be 1 to 32: have 33, need 32 (error -18)");
  DIMS_FAIL(2, 0, 5, 64, "meter: dimension 'k' must be 2 to 8: have 0, need 2 (error -18)");
  DIMS_FAIL(2, -1, 5, 64, "meter: dimension 'k' must be 2 to 8: have -1, need 2 (error -18)");
  DIMS_FAIL(2, 9, 5, 64, "meter: dimension 'k' must be 2 to 8: have 9, need 8 (error -18)");
  DIMS_FAIL(2, 5, 0, 64, "meter: dimension 'rows' must be 2 to 8: have 0, need 2 (error -18)");
  DIMS_FAIL(2, 5, -1, 64, "meter: dimension 'rows' must be 2 to 8: have -1, need 2 (error -18)");
  DIMS_FAIL(2, 5, 9, 64, "meter: dimension 'rows' must be 2 to 8: have 9, need 8 (error -18)");
  DIMS_FAIL(2, 5, 5, 0, "meter: dimension 'height' must be 32 to 96 in steps of 32: have 0, need 32 (error -18)");
  DIMS_FAIL(2, 5, 5, -1, "meter: dimension 'height' must be 32 to 96 in steps of 32: have -1, need 32 (error -18)");
  DIMS_FAIL(2, 5, 5, 97, "meter: dimension 'height' must be 32 to 96 in steps of 32: have 97, need 96 (error -18)");
  DIMS_FAIL(2, 5, 5, 65, "meter: dimension 'height' must be 32 to 96 in steps of 32: have 65, need 64 (error -18)");
  CHECK(meter_run(m, 2, 5, 6, 64, audio, table, pad, y, peak) == MACEC_E_SHAPE);
  CHECK((error.have == 5 && error.need == 6) || (error.have == 6 && error.need == 5));

  in[0].data = audio, in[0].bytes = 2 * 5 * 4;
  in[1].data = table, in[1].bytes = 5 * 4 * 4;
  in[2].data = pad, in[2].bytes = 64 * 4;
  out[0].data = y, out[0].bytes = 2 * 4 * 4;
  out[1].data = peak, out[1].bytes = 4;
  CHECK(macec_run(meter_base(m), dims, in, out) == MACEC_OK);
  in[1].bytes -= 4;
  FAILS(macec_run(meter_base(m), dims, in, out), MACEC_E_SMALL, "meter: bytes of input 'table': have 76, need 80 (error -4)");
  in[1].data = NULL;
  FAILS(macec_run(meter_base(m), dims, in, out), MACEC_E_ARG, "meter: input 'table' is NULL (error -1)");
  in[1].data = table, in[1].bytes = 5 * 4 * 4;
  out[0].bytes -= 1;
  FAILS(macec_run(meter_base(m), dims, in, out), MACEC_E_SMALL, "meter: bytes of output 'y': have 31, need 32 (error -4)");
  out[0].bytes += 1;
  CHECK(macec_run(meter_base(m), dims, in, out) == MACEC_OK);
  meter_close(m);
  CHECK(meter_open(&m, memory, 100, &options) == MACEC_E_SMALL);
  CHECK(error.have == 100 && error.need > METER_MEMORY_BYTES - 64 && error.need <= METER_MEMORY_BYTES);
}

static void the_old_model_runs_beside_them(void) {
  static unsigned char memory[OLD_MEMORY_BYTES];
  old_ctx *m = NULL;
  float frames[OLD_AUDIO_ELEMS(1)], prob[OLD_PROB_0_ELEMS(1)];
  int i;
  for (i = 0; i < 8; ++i) frames[i] = 1;
  CHECK(old_open(&m, memory, sizeof memory, NULL) == MACEC_OK);
  CHECK(old_run(m, 1, 32, 0, frames, prob) == MACEC_OK && prob[0] == 8.25f);
  old_close(m);
}

static size_t read_file(const char *path, void *data, size_t most) {
  FILE *file = fopen(path, "rb");
  size_t bytes = 0;
  if (file) {
    bytes = fread(data, 1, most, file);
    fclose(file);
  }
  CHECK(bytes > 0);
  return bytes;
}

#ifdef __cplusplus
extern "C" {
#endif
int use_two(int argc, char **argv);
int use_one(int argc, char **argv);
#ifdef __cplusplus
}
#endif
#ifdef OLD_FIRST
#define USE use_two
#else
#define USE use_one
#endif

int USE(int argc, char **argv) {
  static uint64_t blob[1024], foreign[1024];
  const size_t bytes = argc > 2 ? read_file(argv[1], blob, sizeof blob) : 0;
  the_fixed_model_runs(bytes ? blob : NULL, bytes);
  if (argc > 2) foreign_weights_are_refused(foreign, read_file(argv[2], foreign, sizeof foreign));
  the_model_with_dimensions_keeps_its_state();
  wrong_calls_are_named();
  the_old_model_runs_beside_them();
  return check_result();
}

#ifndef OLD_FIRST
int main(int argc, char **argv) {
  const int failed = use_one(argc, argv);
  return failed | use_two(argc, argv);
}
#endif
