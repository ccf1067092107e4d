// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which device does which step.
//
// Every step has a cost on each device, every buffer a price for changing hands; the cheapest
// assignment is a minimum cut, with the CPU as the first side. A buffer is paid for once, however
// many steps touch it, so it has nodes of its own: of those that write and those that touch it,
//
//   toucher on the CPU -> a --price--> b -> writer on the GPU
//
// where arcs without a price cannot be cut: a is with the first side as soon as one toucher is, b
// with the second as soon as one writer is. Likewise the other way round, for inputs and outputs
// (touched by the GPU or not), and for the one cost of a plan that has steps on both devices.
#include "passes/place_steps.h"

#include <algorithm>

#include "compiler/support/error.h"
#include "compiler/support/text.h"
#include "passes/min_cut.h"
#include "passes/placement_cost.h"
#include "passes/plan_control.h"

namespace macec {
namespace {

using Costs = PlacementCosts;
constexpr const char* kPlaced = "placed by --place";

bool fits(const PlaceRule& rule, const std::string& node) {
  std::vector<std::string> stars;
  return rule.pattern == "all" || rule.pattern == node ||
         (!rule.is_exact() && matches_pattern(rule.pattern, node, &stars));
}

const PlaceRule* rule_of(const PlaceOptions& options, const std::vector<std::string>& origins,
                         const std::string& name) {
  const PlaceRule* last = nullptr;
  for (const PlaceRule& rule : options.rules) {
    const auto fits_origin = [&](const std::string& o) { return fits(rule, node_of_origin(o)); };
    if (fits(rule, name) || std::any_of(origins.begin(), origins.end(), fits_origin)) last = &rule;
  }
  return last;
}

// Why the GPU cannot do it; empty: it can.
std::string refusal(const Step& step, bool is_in_body) {
  if (step.kind != Step::call) return "control flow runs on the CPU";
  if (is_in_body) return "it is in the body of control flow, which runs on the CPU";
  return step.kernel.gpu_row ? "" : step.kernel.gpu_refusal;
}

// "Conv '/a'", "Conv '/a' and 2 more".
std::string title(const Step& step) {
  if (step.origins.empty()) return fmt::format("'{}'", printable(step.name));
  if (step.origins.size() == 1) return step.origins[0];
  return fmt::format("{} and {} more", step.origins[0], step.origins.size() - 1);
}

// Steps that the user's words put where they cannot run; --no-fallback: all that the GPU cannot do.
struct Objections {
  const PlaceOptions& options;
  std::vector<std::string> on_gpu = {}, on_cpu = {};

  void visit(const StepList& steps, bool is_in_body) {
    for (const Step& step : steps) {
      const PlaceRule* rule = rule_of(options, step.origins, step.name);
      const bool wants_cpu = rule && rule->device == Device::cpu;
      const bool wants_gpu = options.no_fallback || (rule && rule->is_exact());
      const std::string why = refusal(step, is_in_body);
      if (!wants_cpu && wants_gpu && !why.empty())
        on_gpu.push_back(fmt::format("{}: {}", title(step), why));
      if (wants_cpu && step.kind == Step::call && step.kernel.rows.empty())
        on_cpu.push_back(title(step));
      if (options.no_fallback) continue;  // the whole step was named
      for (const StepList& body : step.bodies) visit(body, true);
    }
  }
  static void refuse(const std::string& what, const std::vector<std::string>& steps) {
    if (steps.empty()) return;
    UserError error(what);
    for (const std::string& step : steps) error.at(step);
    throw error;
  }
};

// Costs of devices that may not be chosen become impossible, as long as one is left.
void pin(const Plan& plan, const PlaceOptions& options, Costs* costs) {
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const PlaceRule* rule = rule_of(options, plan.steps[s].origins, plan.steps[s].name);
    Costs::StepCost& cost = costs->steps[s];
    if (cost.cpu == Costs::kImpossible || cost.gpu == Costs::kImpossible) continue;
    if (rule)
      (rule->device == Device::cpu ? cost.gpu : cost.cpu) = Costs::kImpossible;
    else if (options.no_fallback)
      cost.cpu = Costs::kImpossible;
  }
}

int64_t or_never(int64_t cost) {
  return cost == Costs::kImpossible ? MinCut::kNever : cost;
}

// `price` if any of `first` is on the CPU and any of `second` on the GPU.
void add_meeting(MinCut* cut, const std::vector<int>& first, const std::vector<int>& second,
                 int64_t price) {
  const int a = cut->add(0, 0), b = cut->add(0, 0);
  for (int thing : first) cut->add_pair(thing, a, MinCut::kNever);
  cut->add_pair(a, b, price);
  for (int thing : second) cut->add_pair(b, thing, MinCut::kNever);
}

std::vector<Device> cheapest(const Costs& costs) {
  MinCut cut;
  std::vector<int> things;
  for (const Costs::StepCost& cost : costs.steps)
    things.push_back(cut.add(or_never(cost.cpu), or_never(cost.gpu)));
  const auto things_of = [&](const std::vector<int>& steps) {
    std::vector<int> out;
    for (int s : steps) out.push_back(things[static_cast<size_t>(s)]);
    return out;
  };
  for (const Border& border : costs.borders) {
    const std::vector<int> writers = things_of(border.writers),
                           touchers = things_of(border.touchers);
    if (border.transfer > 0) {
      const int a = cut.add(0, border.transfer);
      for (int t : touchers) cut.add_pair(a, t, MinCut::kNever);
    }
    if (border.hand_over > 0 && touchers.size() > 1 && !writers.empty()) {
      add_meeting(&cut, touchers, writers, border.hand_over);
      add_meeting(&cut, writers, touchers, border.hand_over);
    }
  }
  const int has_cpu_step = cut.add(costs.mixed, 0);
  for (int t : things) cut.add_pair(t, has_cpu_step, MinCut::kNever);
  const int64_t least = cut.solve();
  MACEC_CHECK(least < MinCut::kNever, "a step can run nowhere");

  std::vector<Device> devices;
  for (int t : things) devices.push_back(cut.is_on_first(t) ? Device::cpu : Device::gpu);
  // All steps on the CPU: the cut pays `mixed` for that, too.
  const std::vector<Device> all_cpu(devices.size(), Device::cpu);
  const bool is_possible =
      std::all_of(costs.steps.begin(), costs.steps.end(),
                  [](const Costs::StepCost& c) { return c.cpu != Costs::kImpossible; });
  if (is_possible && costs.total(all_cpu) < costs.total(devices)) return all_cpu;
  return devices;
}

std::string microseconds(int64_t nanoseconds) {
  const double us = static_cast<double>(nanoseconds) / 1e3;
  return us < 10 ? fmt::format("{:.1f} us", us) : fmt::format("{:.0f} us", us);
}

// full: what the step costs before anything was pinned.
std::string reason(const Step& step, size_t s, const PlaceRule* rule, const Costs& full,
                   const std::vector<Device>& devices) {
  const Costs::StepCost& cost = full.steps[s];
  if (step.device == Device::cpu) {
    if (const std::string why = refusal(step, false); !why.empty()) return why;
    if (rule) return kPlaced;
    return fmt::format("cheaper: {} on the CPU, {} on the GPU with copies", microseconds(cost.cpu),
                       microseconds(full.alternative(s, devices)));
  }
  if (rule) return kPlaced;
  if (cost.cpu == Costs::kImpossible) return "no kernel on the CPU";
  return fmt::format("{} on the GPU, {} on the CPU with copies", microseconds(cost.gpu),
                     microseconds(full.alternative(s, devices)));
}

// What the plan costs, and what it would cost on each device alone.
std::string estimate(const Costs& costs, const std::vector<Device>& devices) {
  std::string text = microseconds(costs.total(devices)) + " as placed";
  for (Device device : {Device::cpu, Device::gpu}) {
    const std::vector<Device> alone(devices.size(), device);
    const bool is_possible =
        std::all_of(costs.steps.begin(), costs.steps.end(),
                    [&](const Costs::StepCost& c) { return c.on(device) != Costs::kImpossible; });
    if (is_possible && alone != devices)
      text += fmt::format(", {} on the {} alone", microseconds(costs.total(alone)),
                          device == Device::cpu ? "CPU" : "GPU");
  }
  return text;
}

void explain_bodies(StepList& steps) {
  for (Step& step : steps) {
    step.reason = refusal(step, true);
    for (StepList& body : step.bodies) explain_bodies(body);
  }
}

}  // namespace

std::string node_of_origin(const std::string& origin) {
  const size_t quote = origin.find(" '");
  if (quote == std::string::npos || origin.back() != '\'') return "";
  return origin.substr(quote + 2, origin.size() - quote - 3);
}

std::optional<Device> wanted_device(const PlaceOptions& options,
                                    const std::vector<std::string>& origins,
                                    const std::string& name) {
  const PlaceRule* rule = rule_of(options, origins, name);
  return rule ? std::optional<Device>(rule->device) : std::nullopt;
}

void place_steps(Plan& plan, const Target& target, const PlaceOptions& options) {
  if (!target.gpu || plan.steps.empty()) return;
  Objections objections{options};
  objections.visit(plan.steps, false);
  Objections::refuse(fmt::format("the GPU cannot do {}",
                                 plural(static_cast<int64_t>(objections.on_gpu.size()), "step") +
                                     (options.no_fallback ? "" : " that --place puts there")),
                     objections.on_gpu);
  Objections::refuse("the CPU has no kernel for what --place puts there", objections.on_cpu);

  const Costs full = placement_costs(plan, target);
  Costs costs = full;
  pin(plan, options, &costs);
  const std::vector<Device> devices = cheapest(costs);
  plan.estimate = estimate(full, devices);
  for (size_t s = 0; s < plan.steps.size(); ++s) plan.steps[s].device = devices[s];
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    Step& step = plan.steps[s];
    step.reason = reason(step, s, rule_of(options, step.origins, step.name), full, devices);
    for (StepList& body : step.bodies) explain_bodies(body);
  }
  merge_segments(plan);
  number_steps(plan);
  find_borders(plan);
}

}  // namespace macec
