// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest flow, level by level (E. A. Dinic, 1970); without recursion, since plans are deep.
#include "passes/min_cut.h"

#include <algorithm>

namespace macec {

void MinCut::add_arc(int from, int to, int64_t cost) {
  from_[static_cast<size_t>(from)].push_back(static_cast<int>(arcs_.size()));
  arcs_.push_back({to, cost});
  from_[static_cast<size_t>(to)].push_back(static_cast<int>(arcs_.size()));
  arcs_.push_back({from, 0});
}

int MinCut::add(int64_t first, int64_t second) {
  const int thing = static_cast<int>(from_.size());
  from_.emplace_back();
  if (second > 0) add_arc(kSource, thing, second);
  if (first > 0) add_arc(thing, kSink, first);
  return thing;
}

void MinCut::add_pair(int a, int b, int64_t cost) {
  if (cost > 0) add_arc(a, b, cost);
}

bool MinCut::find_levels() {
  reached_.assign(from_.size(), -1);
  std::vector<int> queue = {kSource};
  reached_[kSource] = 0;
  for (size_t q = 0; q < queue.size(); ++q)
    for (int a : from_[static_cast<size_t>(queue[q])]) {
      const Arc& arc = arcs_[static_cast<size_t>(a)];
      if (arc.room <= 0 || reached_[static_cast<size_t>(arc.to)] >= 0) continue;
      reached_[static_cast<size_t>(arc.to)] = reached_[static_cast<size_t>(queue[q])] + 1;
      queue.push_back(arc.to);
    }
  next_.assign(from_.size(), 0);
  return reached_[kSink] >= 0;
}

// Walks forward over arcs with room, and back where there is none. Returns what was pushed; 0: no
// path is left in these levels.
int64_t MinCut::push_along_one_path() {
  std::vector<int> path;
  int at = kSource;
  while (at != kSink) {
    const std::vector<int>& out = from_[static_cast<size_t>(at)];
    size_t& next = next_[static_cast<size_t>(at)];
    const auto leads_on = [&](int a) {
      const Arc& arc = arcs_[static_cast<size_t>(a)];
      return arc.room > 0 &&
             reached_[static_cast<size_t>(arc.to)] == reached_[static_cast<size_t>(at)] + 1;
    };
    while (next < out.size() && !leads_on(out[next])) ++next;
    if (next < out.size()) {
      path.push_back(out[next]);
      at = arcs_[static_cast<size_t>(out[next])].to;
    } else {
      if (path.empty()) return 0;
      at = arcs_[static_cast<size_t>(path.back() ^ 1)].to;
      path.pop_back();
      ++next_[static_cast<size_t>(at)];
    }
  }
  int64_t least = kNever;
  for (int a : path) least = std::min(least, arcs_[static_cast<size_t>(a)].room);
  for (int a : path) {
    arcs_[static_cast<size_t>(a)].room -= least;
    arcs_[static_cast<size_t>(a ^ 1)].room += least;
  }
  return least;
}

int64_t MinCut::solve() {
  int64_t sum = 0;
  while (sum < kNever && find_levels())
    while (sum < kNever) {
      const int64_t pushed = push_along_one_path();
      if (pushed == 0) break;
      sum += pushed;
    }
  find_levels();
  return sum;
}

}  // namespace macec
