/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One unit that uses a new pair and one made by an older macec. Compiled as C99, C11 or C++17; a program has two
 * such units, one with -DOLD_FIRST, -DUSE=use_two and without main(). */
#ifdef OLD_FIRST
#include "old.h"
#include "kws.h"
#else
#include "kws.h"
#include "old.h"
#endif
#include "check.h"

#ifndef OLD_FIRST
int use_one(void);
#endif
#ifdef __cplusplus
extern "C" {
#endif
int use_two(void);
#ifdef __cplusplus
}
#endif
#ifndef USE
#define USE use_one
#endif

int USE(void) {
  static unsigned char kws_memory[KWS_MEMORY_BYTES], old_memory[OLD_MEMORY_BYTES];
  const float input[KWS_AUDIO_ELEMS] = {1, 2, 3, 4};
  float scores[KWS_SCORES_ELEMS] = {0, 0};
  float frames[OLD_AUDIO_ELEMS(2)], prob[OLD_PROB_0_ELEMS(2)];
  old_ctx *m = NULL;
  int i;
  CHECK(kws_once(kws_memory, sizeof kws_memory, input, scores) == MACEC_OK);
  CHECK(scores[0] == 3 && scores[1] == 11);

  CHECK(old_open(&m, old_memory, sizeof old_memory, NULL) == MACEC_OK);
  for (i = 0; i < OLD_AUDIO_ELEMS(2); ++i) frames[i] = (float)i;
  CHECK(old_run(m, 2, 64, 0, frames, prob) == MACEC_OK);
  CHECK(prob[0] == 28 + 0.5f && prob[1] == 92 + 0.5f);
  CHECK(old_run(m, 2, 64, 1, frames, prob) == MACEC_OK);
  CHECK(prob[0] == 29 + 0.5f);
  CHECK(old_run(m, 2, 65, 2, frames, prob) == MACEC_E_RANGE);
  old_close(m);

  /* The general functions see both alike. */
  CHECK(kws_model()->n_in == old_model()->n_in);
  CHECK(strcmp(kws_model()->name, "kws") == 0 && strcmp(old_model()->name, "old") == 0);
  return check_result();
}

#ifndef OLD_FIRST
int main(void) {
  int failed = USE();
  failed |= use_two();
  return failed;
}
#endif
