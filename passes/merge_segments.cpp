// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fewer changes of device: steps of both keep their own order, and the two orders are merged so that
// a device goes on as long as nothing it needs is missing.
//
//   before   cpu a   gpu b   cpu c   gpu d(a, b, c)         four segments
//   after    cpu a   cpu c   gpu b   gpu d                  two
#include <algorithm>
#include <map>
#include <set>

#include "passes/place_steps.h"

namespace macec {
namespace {

// For every step, the steps before it that must stay so: one of the two writes what both touch.
std::vector<std::set<size_t>> dependencies(const Plan& plan) {
  struct Uses {
    std::vector<size_t> writers, readers;  // readers: since the last write
  };
  std::map<int, Uses> uses;
  std::vector<std::set<size_t>> needs(plan.steps.size());
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    std::map<int, bool> touched;  // buffer -> written
    for_each_operand(plan.steps[s], [&](const View& v, bool is_written) {
      if (v.buffer >= 0) touched[v.buffer] = touched[v.buffer] || is_written;
    });
    for (int b : plan.steps[s].carried_buffers) touched[b] = true;
    for (const auto& [buffer, is_written] : touched) {
      Uses& u = uses[buffer];
      needs[s].insert(u.writers.begin(), u.writers.end());
      if (is_written) needs[s].insert(u.readers.begin(), u.readers.end());
      (is_written ? u.writers : u.readers).push_back(s);
    }
  }
  return needs;
}

// The order of all steps that begins with one device.
std::vector<size_t> merged(const Plan& plan, const std::vector<std::set<size_t>>& needs,
                           Device device) {
  std::vector<size_t> waiting[2], order;
  for (size_t s = 0; s < plan.steps.size(); ++s)
    waiting[plan.steps[s].device == Device::gpu].push_back(s);
  std::vector<bool> done(plan.steps.size(), false);
  size_t next[2] = {0, 0};
  bool is_gpu = device == Device::gpu;
  while (order.size() < plan.steps.size()) {
    const auto is_ready = [&](size_t s) {
      return std::all_of(needs[s].begin(), needs[s].end(), [&](size_t n) { return done[n]; });
    };
    size_t& at = next[is_gpu];
    for (; at < waiting[is_gpu].size() && is_ready(waiting[is_gpu][at]); ++at) {
      order.push_back(waiting[is_gpu][at]);
      done[waiting[is_gpu][at]] = true;
    }
    is_gpu = !is_gpu;
  }
  return order;
}

int changes(const Plan& plan, const std::vector<size_t>& order) {
  int n = 0;
  for (size_t i = 1; i < order.size(); ++i)
    n += plan.steps[order[i]].device != plan.steps[order[i - 1]].device;
  return n;
}

}  // namespace

void merge_segments(Plan& plan) {
  std::vector<size_t> best(plan.steps.size());
  for (size_t s = 0; s < best.size(); ++s) best[s] = s;
  if (changes(plan, best) < 2) return;
  const std::vector<std::set<size_t>> needs = dependencies(plan);
  bool is_better = false;
  for (Device device : {Device::cpu, Device::gpu}) {
    std::vector<size_t> order = merged(plan, needs, device);
    if (changes(plan, order) >= changes(plan, best)) continue;
    best = std::move(order);
    is_better = true;
  }
  if (!is_better) return;
  StepList steps;
  for (size_t s : best) steps.push_back(std::move(plan.steps[s]));
  plan.steps = std::move(steps);
}

}  // namespace macec
