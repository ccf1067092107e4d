// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kernel rows compute a call: the cheapest sum over the levels among combinations that read
// the same packings.
#include <limits>
#include <map>

#include "compiler/support/error.h"
#include "targets/cpu/cpu.h"
#include "targets/target.h"

namespace macec {
namespace {

std::string packing_key(const KernelRow& row, const KernelCall& call, const Capabilities& caps) {
  std::string key;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (!call.inputs[i].constant || !row.packing) continue;
    const Packing packing = row.packing(call, static_cast<int>(i), caps);
    key += fmt::format("{}:{}:{};", static_cast<int>(packing.kind), packing.width, packing.depth);
  }
  return key;
}

struct Choice {
  double cycles = std::numeric_limits<double>::infinity();
  const KernelRow* row = nullptr;
};

}  // namespace

Dim units_of(const KernelCall& call, const KernelRow& row) {
  return row.splits_columns && call.column_units > 0 ? Dim(call.column_units) : call.units;
}

bool choose_kernels(const Target& target, KernelCall* call) {
  std::vector<std::map<std::string, Choice>> choices(target.levels.size());
  for (size_t l = 0; l < target.levels.size(); ++l) {
    const Capabilities& caps = target.levels[l].capabilities;
    for (const KernelRow& row : cpu_kernels()) {
      if (row.family != call->family || !row.accepts(*call, caps)) continue;
      if (!call->epilogue.empty() && call->family != Family::pointwise && !row.takes_epilogue)
        continue;
      Choice& choice = choices[l][packing_key(row, *call, caps)];
      const double cycles = row.cycles(*call, caps);
      if (cycles < choice.cycles) choice = {cycles, &row};
    }
  }
  double best = std::numeric_limits<double>::infinity();
  std::string best_key;
  for (const auto& [key, first] : choices[0]) {
    double sum = 0;
    for (const auto& level : choices) {
      const auto at = level.find(key);
      sum += at == level.end() ? std::numeric_limits<double>::infinity() : at->second.cycles;
    }
    if (sum < best) {
      best = sum;
      best_key = key;
    }
  }
  if (best == std::numeric_limits<double>::infinity()) return false;
  call->rows.clear();
  call->scratch_bytes = 0;
  for (size_t l = 0; l < target.levels.size(); ++l) {
    const KernelRow* row = choices[l].at(best_key).row;
    call->rows.push_back(row);
    if (row->scratch)
      call->scratch_bytes =
          std::max(call->scratch_bytes, row->scratch(*call, target.levels[l].capabilities));
  }
  return true;
}

}  // namespace macec
