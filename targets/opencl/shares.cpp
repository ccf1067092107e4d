// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/shares.h"

#include <algorithm>

namespace macec {
namespace {

constexpr int64_t kMostEach = 8;     // elements of one item, where there are lines enough
constexpr int64_t kSmallGroup = 64;  // items below which a group gets more lines
constexpr int64_t kHeldFloats = 32;  // registers of one item for its elements

}  // namespace

Shares shares_of(int64_t count, int64_t lines, int width, const GpuCapabilities& caps,
                 int64_t neighbours) {
  Shares s{1, 1, 0};
  while (s.lines < neighbours && s.lines < lines) s.lines *= 2;
  const int64_t most = std::min<int64_t>(caps.max_work_group, 256) / s.lines;
  const auto each = [&] { return (count + s.shares - 1) / s.shares; };
  while (s.shares < most && each() > 1 &&
         (each() > kMostEach || lines * s.shares < caps.work_items))
    s.shares *= 2;
  while (s.lines * s.shares < kSmallGroup && s.lines < lines) s.lines *= 2;
  if (each() * width <= kHeldFloats) s.held = each();
  return s;
}

}  // namespace macec
