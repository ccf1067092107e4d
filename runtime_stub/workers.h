// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the steps of a run: does it go on, and who computes which units.
//
// Pasted into the unnamed namespace of a generated .cpp, behind context.h and before the steps.
#pragma once
#include "runtime_stub/context.h"

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
  int64_t parts = macec_min(units / grain, most);
  if (parts > c.threads) parts -= parts % c.threads;  // as many for each
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
