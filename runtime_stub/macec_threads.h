/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small pool of threads for generated models. Not part of generated files: copy it beside them if you have no
 * pool of your own. C11 and C++17; POSIX threads, or std::thread where those are missing (C++ only).
 *
 *   static macec_pool pool;                                  keeps still while it runs; no heap
 *   macec_options options = macec_defaults();
 *   options.threads = macec_pool_start(&pool, 4);            4 workers, the calling thread is one of them
 *   options.parallel_for = macec_pool_parallel_for;
 *   options.user = &pool;                                    other hooks get the same `user`
 *   ... open, run, close ...
 *   macec_pool_stop(&pool);
 *
 * One parallel_for at a time: contexts that run at the same time need a pool each. Sleeping workers spin for some
 * microseconds first, since the next step of a model usually follows at once.
 */
#ifndef MACEC_THREADS_H
#define MACEC_THREADS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__cplusplus)
#include <atomic>
typedef std::atomic<uint32_t> macec_atomic;
#else
#include <stdatomic.h>
typedef _Atomic uint32_t macec_atomic;
#endif

#if defined(_WIN32)
#if !defined(__cplusplus)
#error "macec_threads.h needs C++ on Windows"
#endif
#include <condition_variable>
#include <mutex>
#include <thread>
typedef std::mutex macec_mutex;
typedef std::condition_variable_any macec_condition;
typedef std::thread macec_thread;
#else
#include <pthread.h>
typedef pthread_mutex_t macec_mutex;
typedef pthread_cond_t macec_condition;
typedef pthread_t macec_thread;
#endif

/* Waits of some 50 microseconds before a thread sleeps: the next step of a model usually follows sooner. */
enum { MACEC_POOL_MOST = 64, MACEC_POOL_SPINS = 4000 };

/* macec_pool.state: the workers that have joined the job, whether it may be joined, and its number. */
enum { MACEC_POOL_OPEN = 256, MACEC_POOL_JOB_SHIFT = 9 };

struct macec_pool;
typedef struct macec_pool_worker {
  struct macec_pool *pool;
  uint32_t number; /* 1 .. threads - 1; the caller of parallel_for is worker 0 */
} macec_pool_worker;

/* The parts that one worker takes first, on a cache line of its own. */
typedef struct macec_pool_share {
  macec_atomic next; /* the part to take next */
  uint32_t end;
  char space[56];
} macec_pool_share;

typedef struct macec_pool {
  macec_mutex mutex;          /* only for those who sleep */
  macec_condition wake, done;
  macec_atomic state;
  macec_atomic sleepers;      /* workers that wait for `wake`; changes under the mutex */
  macec_atomic is_awaited;    /* the caller waits for `done` */
  uint32_t threads;
  int stops;                  /* under the mutex: the workers end */
  void (*part)(void *arg, uint32_t i, uint32_t worker);
  void *arg;
  macec_pool_share share[MACEC_POOL_MOST];
  macec_pool_worker worker[MACEC_POOL_MOST];
  macec_thread thread[MACEC_POOL_MOST];
} macec_pool;

#if defined(_WIN32)
static inline void macec_lock(macec_pool *p) { p->mutex.lock(); }
static inline void macec_unlock(macec_pool *p) { p->mutex.unlock(); }
static inline void macec_wait(macec_pool *p, macec_condition *c) { c->wait(p->mutex); }
static inline void macec_wake(macec_condition *c) { c->notify_all(); }
#else
static inline void macec_lock(macec_pool *p) { pthread_mutex_lock(&p->mutex); }
static inline void macec_unlock(macec_pool *p) { pthread_mutex_unlock(&p->mutex); }
static inline void macec_wait(macec_pool *p, macec_condition *c) { pthread_cond_wait(c, &p->mutex); }
static inline void macec_wake(macec_condition *c) { pthread_cond_broadcast(c); }
#endif

static inline void macec_pool_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

static inline uint32_t macec_pool_job(uint32_t state) { return state >> MACEC_POOL_JOB_SHIFT; }
static inline uint32_t macec_pool_active(uint32_t state) { return state % MACEC_POOL_OPEN; }

/* Its own parts first, which are neighbours and in every step the same share: what this worker wrote in the step
 * before is in its cache. Then what others have left. */
static inline void macec_pool_take_parts(macec_pool *p, uint32_t worker) {
  uint32_t k;
  for (k = 0; k < p->threads; ++k) {
    macec_pool_share *share = &p->share[(worker + k) % p->threads];
    while (atomic_load(&share->next) < share->end) {
      const uint32_t i = atomic_fetch_add(&share->next, 1u);
      if (i < share->end) p->part(p->arg, i, worker);
    }
  }
}

/* True if a job came since *seen, and this worker takes part in it. */
static inline int macec_pool_join(macec_pool *p, uint32_t *seen) {
  uint32_t state = atomic_load(&p->state);
  if (macec_pool_job(state) == *seen) return 0;
  if (state & MACEC_POOL_OPEN) {
    if (!atomic_compare_exchange_strong(&p->state, &state, state + 1)) return 0;
    *seen = macec_pool_job(state);
    return 1;
  }
  *seen = macec_pool_job(state); /* it was over before this worker came */
  return 0;
}

/* Until there is a job that was not seen. Returns 0 if there will be none. */
static inline int macec_pool_sleep(macec_pool *p, uint32_t seen) {
  int goes_on;
  macec_lock(p);
  atomic_fetch_add(&p->sleepers, 1u);
  while (!p->stops && macec_pool_job(atomic_load(&p->state)) == seen) macec_wait(p, &p->wake);
  atomic_fetch_sub(&p->sleepers, 1u);
  goes_on = !p->stops;
  macec_unlock(p);
  return goes_on;
}

static inline void *macec_pool_work(void *argument) {
  const macec_pool_worker *self = (const macec_pool_worker *)argument;
  macec_pool *p = self->pool;
  uint32_t seen = 0;
  for (;;) {
    int spins = MACEC_POOL_SPINS;
    while (!macec_pool_join(p, &seen)) {
      if (--spins > 0) {
        macec_pool_pause();
      } else {
        if (!macec_pool_sleep(p, seen)) return NULL;
        spins = MACEC_POOL_SPINS;
      }
    }
    macec_pool_take_parts(p, self->number);
    if (macec_pool_active(atomic_fetch_sub(&p->state, 1u)) == 1 && atomic_load(&p->is_awaited)) {
      macec_lock(p);
      macec_wake(&p->done);
      macec_unlock(p);
    }
  }
}

/* Nobody joins any more, and who has joined is waited for. */
static inline void macec_pool_close_job(macec_pool *p) {
  int spins = MACEC_POOL_SPINS;
  atomic_fetch_and(&p->state, ~(uint32_t)MACEC_POOL_OPEN);
  while (macec_pool_active(atomic_load(&p->state)) != 0 && --spins > 0) macec_pool_pause();
  if (spins > 0) return;
  macec_lock(p);
  atomic_store(&p->is_awaited, 1u);
  while (macec_pool_active(atomic_load(&p->state)) != 0) macec_wait(p, &p->done);
  atomic_store(&p->is_awaited, 0u);
  macec_unlock(p);
}

/* Calls part(arg, i, worker) for every i < n, worker < threads; returns when all have returned. user: the pool. */
static inline void macec_pool_parallel_for(void *user, uint32_t n, void (*part)(void *arg, uint32_t i, uint32_t worker),
                                           void *arg) {
  macec_pool *p = (macec_pool *)user;
  uint32_t i, begin = 0;
  p->part = part;
  p->arg = arg;
  for (i = 0; i < p->threads; ++i) {
    atomic_store(&p->share[i].next, begin);
    begin += n / p->threads + (i < n % p->threads ? 1u : 0u);
    p->share[i].end = begin;
  }
  atomic_store(&p->state, ((macec_pool_job(atomic_load(&p->state)) + 1u) << MACEC_POOL_JOB_SHIFT) | MACEC_POOL_OPEN);
  if (atomic_load(&p->sleepers) != 0) {
    macec_lock(p);
    macec_wake(&p->wake);
    macec_unlock(p);
  }
  macec_pool_take_parts(p, 0);
  macec_pool_close_job(p);
}

/* Starts threads - 1 threads. Returns the number of workers, which is smaller (at least 1) if the system gives no more. */
static inline uint32_t macec_pool_start(macec_pool *p, uint32_t threads) {
#if !defined(_WIN32)
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
#endif
  atomic_store(&p->state, 0u);
  atomic_store(&p->sleepers, 0u);
  atomic_store(&p->is_awaited, 0u);
  p->stops = 0;
  if (threads > MACEC_POOL_MOST) threads = MACEC_POOL_MOST;
  p->threads = 1;
  while (p->threads < threads) {
    macec_pool_worker *worker = &p->worker[p->threads];
    worker->pool = p;
    worker->number = p->threads;
#if defined(_WIN32)
    p->thread[p->threads] = std::thread(macec_pool_work, worker);
#else
    if (pthread_create(&p->thread[p->threads], NULL, macec_pool_work, worker) != 0) break;
#endif
    ++p->threads;
  }
  return p->threads;
}

/* Ends the threads; the pool may be started again. */
static inline void macec_pool_stop(macec_pool *p) {
  uint32_t i;
  macec_lock(p);
  p->stops = 1;
  macec_wake(&p->wake);
  macec_unlock(p);
  for (i = 1; i < p->threads; ++i) {
#if defined(_WIN32)
    p->thread[i].join();
#else
    pthread_join(p->thread[i], NULL);
#endif
  }
  p->threads = 1;
#if !defined(_WIN32)
  pthread_cond_destroy(&p->done);
  pthread_cond_destroy(&p->wake);
  pthread_mutex_destroy(&p->mutex);
#endif
}

#endif /* MACEC_THREADS_H */
