// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an assignment of steps to devices costs, in nanoseconds.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/plan.h"
#include "targets/target.h"

namespace macec {

// One buffer between steps. writers, touchers: indices of Plan::steps; touchers has the writers,
// too.
struct Border {
  int buffer = -1;
  std::vector<int> writers, touchers;
  int64_t transfer = 0;   // once if any toucher is on the GPU: an input or output of the model
  int64_t hand_over = 0;  // if something one device writes is touched by the other; each way
};

struct PlacementCosts {
  static constexpr int64_t kImpossible = -1;
  struct StepCost {
    int64_t cpu = kImpossible, gpu = kImpossible;
    std::vector<int> borders;  // that it touches
    int64_t on(Device device) const { return device == Device::cpu ? cpu : gpu; }
  };
  std::vector<StepCost> steps;  // of Plan::steps
  std::vector<Border> borders;
  int64_t mixed = 0;  // if both devices take part

  int64_t of_border(const Border& border, const std::vector<Device>& devices) const;
  int64_t total(const std::vector<Device>& devices) const;
  // What the step costs on its device, and on the other one with the transfers that then are added
  // (or saved).
  int64_t alternative(size_t step, std::vector<Device> devices) const;
};
PlacementCosts placement_costs(const Plan& plan, const Target& target);

}  // namespace macec
