// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Things with a lifetime in memory: offsets in one arena, or objects that hold one at a time.
#pragma once
#include <cstdint>
#include <vector>

namespace macec {

constexpr int64_t kArenaAlignment = 64;
inline int64_t arena_aligned(int64_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

struct Interval {
  int buffer;
  int64_t bytes;
  int first, last;                // steps between which it is needed, both included
  int64_t width = 0, height = 0;  // images
  int kind = 0;                   // objects: only equal kinds share one
  bool meets(const Interval& o) const { return first <= o.last && o.first <= last; }
};

// The largest sum of bytes needed at one step: no placing needs less.
int64_t peak_bytes(const std::vector<Interval>& intervals, int steps);

struct Placing {
  int64_t bytes = 0;
  std::vector<int64_t> offsets;  // of the intervals as given
};
Placing place_in_arena(const std::vector<Interval>& intervals, int64_t lower_bound);

// Each object holds one interval at a time and is as wide and as high as the largest it ever holds
// (bytes of a linear object: its width).
struct ObjectPlacing {
  struct Object {
    int64_t width, height;
    int kind;
  };
  std::vector<Object> objects;
  std::vector<int> object;  // of the intervals as given
  int64_t area() const;
};
ObjectPlacing place_in_objects(const std::vector<Interval>& intervals);

}  // namespace macec
