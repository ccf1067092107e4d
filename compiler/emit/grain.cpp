// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/grain.h"

#include <algorithm>
#include <cmath>

namespace macec {
namespace {

constexpr double kGrainCycles = 20000;

// Of reading the weights, some 8 bytes a cycle when they come from a cache that cores share.
double weight_cycles(const KernelCall& call) {
  double bytes = 0;
  for (const KernelCall::ConstantUse& use : call.constant_uses)
    bytes += 4.0 * static_cast<double>(use.groups * use.n) * static_cast<double>(use.k);
  return bytes / 8;
}

}  // namespace

double grain_of(const KernelCall& call, size_t level, const Capabilities& caps) {
  const KernelRow* row = call.rows[level];
  if (row->can_fail || call.is_in_order)
    return 1e15;  // one worker: it writes the status, or bytes that units share
  const double cycles = row->cycles(call, caps) + weight_cycles(call);
  const double units = static_cast<double>(std::max<int64_t>(units_of(call, *row).hi(), 1));
  return std::max(1.0, std::ceil(kGrainCycles * units / std::max(cycles, 1.0)));
}

}  // namespace macec
