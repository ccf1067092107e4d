/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* macec_threads.h, and several contexts at once that share weights. C11 and C++17. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "vad.h"
#include "macec_threads.h"
#include "check.h"
#include <time.h>

enum { THREADS = 4, PARTS = 1000 };

static unsigned int blob[64];
static macec_weights weights;
static unsigned char hits[PARTS];
static uint32_t running[THREADS];
static int clashes; /* one worker number in two calls at once; only its own worker looks at an entry */

static void part(void *arg, uint32_t i, uint32_t worker) {
  if (worker >= THREADS || running[worker]++) clashes = 1;
  ((unsigned char *)arg)[i]++;
  running[worker]--;
}

static void the_pool_calls_each_part_once(void) {
  static macec_pool pool;
  const struct timespec pause = {0, 2000000};
  int round;
  uint32_t i;
  CHECK(macec_pool_start(&pool, THREADS) == THREADS);
  for (round = 0; round < 200; ++round) {
    const uint32_t n = (uint32_t)(round * 5);
    int wrong = 0;
    if (round % 20 == 19) nanosleep(&pause, NULL); /* the workers sleep */
    memset(hits, 0, sizeof hits);
    macec_pool_parallel_for(&pool, n, part, hits);
    for (i = 0; i < PARTS; ++i) wrong += hits[i] != (i < n);
    CHECK(wrong == 0 && clashes == 0);
  }
  macec_pool_stop(&pool);
  CHECK(macec_pool_start(&pool, 1) == 1);
  memset(hits, 0, sizeof hits);
  macec_pool_parallel_for(&pool, 3, part, hits);
  CHECK(hits[0] == 1 && hits[2] == 1);
  macec_pool_stop(&pool);
}

/* One context with workers of its own; its results are those of one worker. */
static void *run_one_context(void *failed) {
  unsigned char memory[VAD_MEMORY_BYTES];
  float audio[VAD_AUDIO_ELEMS(32)], prob[VAD_PROB_0_ELEMS(32)];
  static macec_pool pools[THREADS];
  static macec_atomic pools_used;
  macec_pool *pool = &pools[atomic_fetch_add(&pools_used, 1u) % THREADS];
  macec_options options = macec_defaults();
  vad_ctx *m = NULL;
  int i, run;
  for (i = 0; i < 256; ++i) audio[i] = (float)(i % 8);
  options.threads = macec_pool_start(pool, 3);
  options.parallel_for = macec_pool_parallel_for;
  options.user = pool;
  options.weights = &weights;
  if (vad_open(&m, memory, sizeof memory, &options) != MACEC_OK) *(int *)failed = 1;
  for (run = 0; run < 40 && m; ++run) {
    if (vad_run(m, 32, 32, run, audio, prob) != MACEC_OK) *(int *)failed = 1;
    for (i = 0; i < 32; ++i) {
      if (prob[i] != 28.25f + (float)run) *(int *)failed = 1;
    }
  }
  if (m) vad_close(m);
  macec_pool_stop(pool);
  return NULL;
}

static void contexts_run_at_once(void) {
  pthread_t threads[THREADS];
  int failed[THREADS] = {0, 0, 0, 0}, i;
  for (i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, run_one_context, &failed[i]) == 0);
  for (i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(failed[i] == 0);
  }
}

int main(int argc, char **argv) {
  FILE *file = fopen(argc > 1 ? argv[1] : "vad.weights.bin", "rb");
  const size_t bytes = file ? fread(blob, 1, sizeof blob, file) : 0;
  if (file) fclose(file);
  CHECK(vad_model()->bind(&weights, blob, bytes, 1, NULL) == MACEC_OK);
  the_pool_calls_each_part_once();
  contexts_run_at_once();
  return check_result();
}
