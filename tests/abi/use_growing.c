/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A state that is longer after each run, as a cache of keys and values is. */
#include "growing.h"
#include "check.h"

int main(void) {
  static unsigned char memory[GROWING_MEMORY_BYTES];
  growing_ctx *m = NULL;
  macec_options options = macec_defaults();
  macec_error error = {0, 0, NULL, NULL, 0, 0};
  char text[200];
  float x[GROWING_X_ELEMS(2)], total[GROWING_TOTAL_ELEMS(2)];
  int i, run;
  options.error = &error;
  CHECK(growing_open(&m, memory, sizeof memory, &options) == MACEC_OK);
  for (run = 1; run <= 15; ++run) { /* the first run reads one row of zeros */
    for (i = 0; i < 16; ++i) x[i] = (float)(run * (i + 1));
    CHECK(growing_run(m, 2, run, x, total) == MACEC_OK);
    for (i = 0; i < 16; ++i) CHECK(total[i] == (float)(run * (run + 1) / 2 * (i + 1)));
  }
  CHECK(growing_run(m, 2, 16, x, total) == MACEC_E_RANGE);
  CHECK(growing_run(m, 2, 3, x, total) == MACEC_E_STATE);
  CHECK_TEXT(macec_error_text(&error, text, sizeof text),
             "growing: bytes of state 'past' that the last run left: have 1024, need 192 (error -2)");
  CHECK(growing_reset(m) == MACEC_OK);
  CHECK(growing_run(m, 1, 3, x, total) == MACEC_OK && total[0] == 15);
  growing_close(m);
  return check_result();
}
