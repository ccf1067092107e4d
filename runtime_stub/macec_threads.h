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

enum { MACEC_POOL_MOST = 64, MACEC_POOL_SPINS = 4000 };

struct macec_pool;
typedef struct macec_pool_worker {
  struct macec_pool *pool;
  uint32_t number; /* 1 .. threads - 1; the caller of parallel_for is worker 0 */
} macec_pool_worker;

typedef struct macec_pool {
  macec_mutex mutex;
  macec_condition wake, done;
  macec_atomic generation; /* of the job; changes under the mutex */
  macec_atomic active;     /* workers that have joined the job */
  macec_atomic next;       /* the part to take next */
  uint32_t threads, parts;
  int is_open, stops;      /* under the mutex: the job may be joined; the workers end */
  void (*part)(void *arg, uint32_t i, uint32_t worker);
  void *arg;
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

static inline void macec_pool_take_parts(macec_pool *p, uint32_t worker) {
  for (;;) {
    const uint32_t i = atomic_fetch_add(&p->next, 1u);
    if (i >= p->parts) return;
    p->part(p->arg, i, worker);
  }
}

static inline void *macec_pool_work(void *argument) {
  const macec_pool_worker *self = (const macec_pool_worker *)argument;
  macec_pool *p = self->pool;
  uint32_t seen = 0;
  for (;;) {
    int spins = MACEC_POOL_SPINS;
    while (spins > 0 && atomic_load(&p->generation) == seen) --spins;
    macec_lock(p);
    while (!p->stops && (atomic_load(&p->generation) == seen || !p->is_open)) {
      seen = atomic_load(&p->generation); /* a job that was over before this worker came */
      macec_wait(p, &p->wake);
    }
    seen = atomic_load(&p->generation);
    if (p->stops) {
      macec_unlock(p);
      return NULL;
    }
    atomic_fetch_add(&p->active, 1u);
    macec_unlock(p);
    macec_pool_take_parts(p, self->number);
    macec_lock(p);
    if (atomic_fetch_sub(&p->active, 1u) == 1) macec_wake(&p->done);
    macec_unlock(p);
  }
}

/* Calls part(arg, i, worker) for every i < n, worker < threads; returns when all have returned. user: the pool. */
static inline void macec_pool_parallel_for(void *user, uint32_t n, void (*part)(void *arg, uint32_t i, uint32_t worker),
                                           void *arg) {
  macec_pool *p = (macec_pool *)user;
  int spins = MACEC_POOL_SPINS;
  macec_lock(p);
  p->part = part;
  p->arg = arg;
  p->parts = n;
  atomic_store(&p->next, 0u);
  atomic_fetch_add(&p->generation, 1u);
  p->is_open = 1;
  macec_wake(&p->wake);
  macec_unlock(p);
  macec_pool_take_parts(p, 0);
  macec_lock(p);
  p->is_open = 0; /* nobody joins any more; who has joined is waited for */
  macec_unlock(p);
  while (spins > 0 && atomic_load(&p->active) != 0) --spins;
  macec_lock(p);
  while (atomic_load(&p->active) != 0) macec_wait(p, &p->done);
  macec_unlock(p);
}

/* Starts threads - 1 threads. Returns the number of workers, which is smaller (at least 1) if the system gives no more. */
static inline uint32_t macec_pool_start(macec_pool *p, uint32_t threads) {
#if !defined(_WIN32)
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->wake, NULL);
  pthread_cond_init(&p->done, NULL);
#endif
  atomic_store(&p->generation, 0u);
  atomic_store(&p->active, 0u);
  atomic_store(&p->next, 0u);
  p->parts = 0;
  p->is_open = p->stops = 0;
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
