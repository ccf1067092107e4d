// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/min_cut.h"

#include <algorithm>

#include "tests/catch.h"

using namespace macec;

namespace {

struct Pair {
  size_t a, b;
  int64_t cost;
};
struct Problem {
  std::vector<int64_t> first, second;
  std::vector<Pair> pairs;

  int64_t cost(unsigned on_first) const {
    const auto is_first = [&](size_t i) { return (on_first >> i & 1) != 0; };
    int64_t sum = 0;
    for (size_t i = 0; i < first.size(); ++i) sum += is_first(i) ? first[i] : second[i];
    for (const Pair& p : pairs)
      if (is_first(p.a) && !is_first(p.b)) sum += p.cost;
    return sum;
  }
  int64_t least() const {
    int64_t best = MinCut::kNever;
    for (unsigned s = 0; s < 1u << first.size(); ++s) best = std::min(best, cost(s));
    return best;
  }
};

struct Draw {
  uint32_t state;
  int64_t below(int64_t n) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int64_t>(state >> 8) % n;
  }
};

Problem drawn(uint32_t seed) {
  Draw draw{seed};
  Problem p;
  const size_t n = 10;
  for (size_t i = 0; i < n; ++i) {
    p.first.push_back(draw.below(20));
    p.second.push_back(draw.below(20));
  }
  for (size_t i = 0; i < 25; ++i) {
    const size_t a = static_cast<size_t>(draw.below(n)), b = static_cast<size_t>(draw.below(n));
    if (a != b) p.pairs.push_back({a, b, draw.below(12)});
  }
  return p;
}

// The cut's cost of a problem, and that of the sides it reports.
std::pair<int64_t, int64_t> solved(const Problem& p) {
  MinCut cut;
  std::vector<int> things;
  for (size_t i = 0; i < p.first.size(); ++i) things.push_back(cut.add(p.first[i], p.second[i]));
  for (const Pair& pair : p.pairs) cut.add_pair(things[pair.a], things[pair.b], pair.cost);
  const int64_t least = cut.solve();
  unsigned on_first = 0;
  for (size_t i = 0; i < things.size(); ++i)
    on_first |= static_cast<unsigned>(cut.is_on_first(things[i])) << i;
  return {least, p.cost(on_first)};
}

}  // namespace

TEST_CASE("a thing alone goes where it costs less") {
  MinCut cut;
  const int cheap_first = cut.add(1, 5), cheap_second = cut.add(5, 1);
  CHECK(cut.solve() == 2);
  CHECK(cut.is_on_first(cheap_first));
  CHECK_FALSE(cut.is_on_first(cheap_second));
}

TEST_CASE("a dear pair stays together on the cheaper side") {
  MinCut cut;
  const int a = cut.add(1, 5), b = cut.add(7, 1);
  cut.add_pair(a, b, 100);
  CHECK(cut.solve() == 6);
  CHECK_FALSE(cut.is_on_first(a));
  CHECK_FALSE(cut.is_on_first(b));
}

TEST_CASE("a pair costs in one direction only") {
  MinCut cut;
  const int a = cut.add(5, 1), b = cut.add(1, 5);
  cut.add_pair(a, b, 100);
  CHECK(cut.solve() == 2);
  CHECK(cut.is_on_first(b));
}

TEST_CASE("equal costs are settled on the second side") {
  MinCut cut;
  const int a = cut.add(3, 3);
  CHECK(cut.solve() == 3);
  CHECK_FALSE(cut.is_on_first(a));
}

TEST_CASE("what must not be cannot be paid for") {
  MinCut cut;
  const int a = cut.add(0, MinCut::kNever), b = cut.add(MinCut::kNever, 0);
  cut.add_pair(a, b, MinCut::kNever);
  CHECK(cut.solve() >= MinCut::kNever);
}

TEST_CASE("a long chain is no deeper than memory") {
  MinCut cut;
  int before = cut.add(0, MinCut::kNever);
  for (int i = 0; i < 200000; ++i) {
    const int next = cut.add(0, 0);
    cut.add_pair(before, next, 2 + i % 7);
    before = next;
  }
  const int last = cut.add(MinCut::kNever, 0);
  cut.add_pair(before, last, 3);
  CHECK(cut.solve() == 2);
}

TEST_CASE("drawn problems have the least cost of all assignments") {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    const Problem p = drawn(seed);
    const auto [least, reported] = solved(p);
    REQUIRE(least == p.least());
    REQUIRE(reported == least);
  }
}
