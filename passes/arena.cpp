// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem: things with a size and a lifetime in steps; two that live at the same step must not
// overlap; the sum shall be small. Method: greedily, each at the lowest gap that fits, or in the
// object that grows least, in several orders; the smallest result wins. Good enough: on the zoo's
// models an arena equals the largest sum of live bytes or is within 5 % of it.
#include "passes/arena.h"

#include <algorithm>
#include <numeric>

namespace macec {
namespace {

using Order = bool (*)(const Interval&, const Interval&);
const Order kOrders[] = {
    [](const Interval& a, const Interval& b) { return a.bytes > b.bytes; },
    [](const Interval& a, const Interval& b) { return a.first < b.first; },
    [](const Interval& a, const Interval& b) { return a.last > b.last; },
    [](const Interval& a, const Interval& b) {
      return a.bytes * (a.last - a.first + 1) > b.bytes * (b.last - b.first + 1);
    },
    [](const Interval& a, const Interval& b) { return a.last - a.first > b.last - b.first; },
};

// Lowest gaps, in the given order. Returns the arena's size.
int64_t place(const std::vector<Interval>& order, std::vector<int64_t>* offsets) {
  std::vector<std::pair<int64_t, const Interval*>> done;
  int64_t size = 0;
  offsets->assign(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const auto& [offset, other] : done)
      if (other->meets(order[i])) taken.emplace_back(offset, offset + other->bytes);
    std::sort(taken.begin(), taken.end());
    int64_t best = -1, best_gap = INT64_MAX, at = 0;
    for (const auto& [lo, hi] : taken) {
      if (lo - at >= order[i].bytes && lo - at < best_gap) {
        best_gap = lo - at;
        best = at;
      }
      at = std::max(at, hi);
    }
    const int64_t offset = best >= 0 ? best : at;
    (*offsets)[i] = offset;
    done.emplace_back(offset, &order[i]);
    size = std::max(size, offset + order[i].bytes);
  }
  return size;
}

// Tries orders and keeps the smallest arena. Intervals carry their index in `kind` here.
struct ArenaSearch {
  Placing best{INT64_MAX, {}};
  int64_t lower_bound;
  std::vector<int64_t> offsets = {};

  void try_order(const std::vector<Interval>& order) {
    const int64_t size = place(order, &offsets);
    if (size >= best.bytes) return;
    best.bytes = size;
    best.offsets.resize(order.size());
    for (size_t i = 0; i < order.size(); ++i)
      best.offsets[static_cast<size_t>(order[i].kind)] = offsets[i];
  }
  // While the arena is larger than the bound: what stands highest is placed first, and all others
  // again.
  void move_highest_first(std::vector<Interval> order) {
    // Placing takes time in the square of the buffers: large graphs get fewer tries.
    const size_t tries = std::min<size_t>(60, 40000000 / (order.size() * order.size() + 1));
    for (size_t t = 0; t < tries && best.bytes > lower_bound; ++t) {
      size_t highest = 0;
      for (size_t i = 1; i < order.size(); ++i)
        if (offsets[i] + order[i].bytes > offsets[highest] + order[highest].bytes) highest = i;
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(highest),
                  order.begin() + static_cast<std::ptrdiff_t>(highest) + 1);
      try_order(order);
    }
  }
};

// The object that grows least by holding the interval, or a new one (index objects.size()).
size_t best_object(const Interval& interval, const std::vector<std::vector<Interval>>& tenants,
                   const std::vector<ObjectPlacing::Object>& objects) {
  size_t best = objects.size();
  int64_t best_growth = interval.width * interval.height, best_waste = INT64_MAX;
  for (size_t o = 0; o < objects.size(); ++o) {
    const ObjectPlacing::Object& object = objects[o];
    if (object.kind != interval.kind) continue;
    const auto meets = [&](const Interval& t) { return t.meets(interval); };
    if (std::any_of(tenants[o].begin(), tenants[o].end(), meets)) continue;
    const int64_t grown =
        std::max(object.width, interval.width) * std::max(object.height, interval.height);
    const int64_t growth = grown - object.width * object.height;
    const int64_t waste = grown - interval.width * interval.height;
    if (growth < best_growth || (growth == best_growth && waste < best_waste)) {
      best = o;
      best_growth = growth;
      best_waste = waste;
    }
  }
  return best;
}

ObjectPlacing place_in_order(const std::vector<Interval>& intervals,
                             const std::vector<size_t>& order) {
  ObjectPlacing placing;
  placing.object.assign(intervals.size(), -1);
  std::vector<std::vector<Interval>> tenants;
  for (size_t i : order) {
    const Interval& interval = intervals[i];
    const size_t o = best_object(interval, tenants, placing.objects);
    if (o == placing.objects.size()) {
      placing.objects.push_back({0, 0, interval.kind});
      tenants.emplace_back();
    }
    placing.objects[o].width = std::max(placing.objects[o].width, interval.width);
    placing.objects[o].height = std::max(placing.objects[o].height, interval.height);
    tenants[o].push_back(interval);
    placing.object[i] = static_cast<int>(o);
  }
  return placing;
}

}  // namespace

int64_t ObjectPlacing::area() const {
  int64_t sum = 0;
  for (const Object& o : objects) sum += o.width * o.height;
  return sum;
}

int64_t peak_bytes(const std::vector<Interval>& intervals, int steps) {
  std::vector<int64_t> change(static_cast<size_t>(steps) + 2, 0);
  for (const Interval& i : intervals) {
    change[static_cast<size_t>(i.first)] += i.bytes;
    change[static_cast<size_t>(i.last) + 1] -= i.bytes;
  }
  int64_t sum = 0, most = 0;
  for (int64_t c : change) most = std::max(most, sum += c);
  return most;
}

Placing place_in_arena(const std::vector<Interval>& intervals, int64_t lower_bound) {
  if (intervals.empty()) return {};
  std::vector<Interval> order = intervals;
  for (size_t i = 0; i < order.size(); ++i) order[i].kind = static_cast<int>(i);
  ArenaSearch search{{INT64_MAX, {}}, lower_bound};
  for (Order by : kOrders) {
    std::stable_sort(order.begin(), order.end(), by);
    search.try_order(order);
    search.move_highest_first(order);
  }
  return search.best;
}

ObjectPlacing place_in_objects(const std::vector<Interval>& intervals) {
  std::vector<size_t> order(intervals.size()), best_order;
  std::iota(order.begin(), order.end(), size_t{0});
  ObjectPlacing best;
  int64_t best_area = INT64_MAX;
  const auto try_order = [&] {
    ObjectPlacing placing = place_in_order(intervals, order);
    const int64_t area = placing.area();
    if (area > best_area) return;
    best_area = area;
    best = std::move(placing);
    best_order = order;
  };
  for (Order by : kOrders) {
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return by(intervals[a], intervals[b]); });
    try_order();
  }
  // Then a walk over neighbouring orders that never gets worse; the numbers are always the same.
  uint32_t random = 1;
  const auto draw = [&] {
    random = random * 1664525u + 1013904223u;
    return static_cast<size_t>(random >> 8) % order.size();
  };
  const size_t tries =
      std::min<size_t>(2000, 20000000 / (order.size() * order.size() + 1)) * (order.size() > 2);
  for (size_t t = 0; t < tries; ++t) {
    order = best_order;
    const size_t from = draw(), to = draw();
    const size_t moved = order[from];
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(from));
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), moved);
    try_order();
  }
  return best;
}

}  // namespace macec
