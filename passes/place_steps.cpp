// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device does which step.
#include "passes/place_steps.h"

#include <algorithm>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

bool fits(const PlaceRule& rule, const std::string& node) {
  std::vector<std::string> stars;
  return rule.pattern == "all" || rule.pattern == node ||
         (!rule.is_exact() && matches_pattern(rule.pattern, node, &stars));
}

}  // namespace

std::optional<Device> wanted_device(const PlaceOptions& options,
                                    const std::vector<std::string>& origins,
                                    const std::string& name) {
  std::optional<Device> device;
  for (const PlaceRule& rule : options.rules)
    if (fits(rule, name) || std::any_of(origins.begin(), origins.end(),
                                        [&](const std::string& o) { return fits(rule, o); }))
      device = rule.device;
  return device;
}

void place_steps(Plan& plan, const Target& target, const PlaceOptions& options,
                 std::vector<std::string>*) {
  if (!target.gpu) return;
  for (Step& step : plan.steps) {
    step.device = Device::cpu;
    if (step.kind != Step::call || !step.kernel.gpu_row) continue;
    if (wanted_device(options, step.origins, step.name) != Device::cpu) step.device = Device::gpu;
  }
  find_borders(plan);
}

}  // namespace macec
