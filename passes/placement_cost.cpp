// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/placement_cost.h"

#include <algorithm>
#include <map>

#include "passes/place_steps.h"
#include "targets/opencl/gpu_row.h"

namespace macec {
namespace {

// The base level on one core, as fast as those of phones. Weights come from memory: a run reads
// more than caches hold until a step is reached again.
constexpr double kCyclesPerNanosecond = 2.5, kBytesPerNanosecond = 10;

int64_t nanoseconds(double microseconds) {
  return std::max<int64_t>(1, static_cast<int64_t>(microseconds * 1e3));
}

double weight_bytes(const KernelCall& call) {
  double bytes = 0;
  for (const std::vector<View>* views : {&call.inputs, &call.epilogue_inputs})
    for (const View& v : *views)
      if (v.constant) bytes += static_cast<double>(v.constant->bytes.size());
  return bytes;
}

PlacementCosts::StepCost cost_of(const Step& step, const Target& target) {
  PlacementCosts::StepCost cost;
  if (step.kind != Step::call) {
    cost.cpu = 0;  // nobody else can
    return cost;
  }
  const KernelCall& call = step.kernel;
  if (!call.rows.empty())
    cost.cpu = nanoseconds(
        std::max(call.rows[0]->cycles(call, target.levels[0].capabilities) / kCyclesPerNanosecond,
                 weight_bytes(call) / kBytesPerNanosecond) /
        1e3);
  if (call.gpu_row) cost.gpu = nanoseconds(gpu_microseconds(*target.gpu, call));
  return cost;
}

void add_once(std::vector<int>* list, int step) {
  if (list->empty() || list->back() != step) list->push_back(step);
}

void price(const Buffer& buffer, const GpuCapabilities& caps, Border* border) {
  const double copy = static_cast<double>(buffer.bytes) / (caps.copy_gbytes_per_second * 1e3);
  const bool is_fed = buffer.place == Buffer::input || buffer.place == Buffer::state;
  if (buffer.place != Buffer::arena) border->transfer = nanoseconds(caps.map_us + copy);
  // Inputs lie in the app's memory, too: the CPU reads them there. Others are mapped and unmapped.
  if (!is_fed) border->hand_over = nanoseconds(2 * caps.map_us + copy);
}

}  // namespace

PlacementCosts placement_costs(const Plan& plan, const Target& target) {
  PlacementCosts costs;
  costs.mixed = nanoseconds(target.gpu->mixed_us);
  std::map<int, Border> borders;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const int step = static_cast<int>(s);
    costs.steps.push_back(cost_of(plan.steps[s], target));
    const auto touch = [&](int buffer, bool is_written) {
      if (buffer < 0 || plan.buffers[static_cast<size_t>(buffer)].place == Buffer::weight) return;
      Border& border = borders[buffer];
      border.buffer = buffer;
      add_once(&border.touchers, step);
      if (is_written) add_once(&border.writers, step);
    };
    for_each_operand(plan.steps[s],
                     [&](const View& v, bool is_written) { touch(v.buffer, is_written); });
    for (int b : plan.steps[s].carried_buffers) touch(b, true);
  }
  for (auto& [buffer, border] : borders) {
    price(plan.buffers[static_cast<size_t>(buffer)], *target.gpu, &border);
    const int index = static_cast<int>(costs.borders.size());
    for (int s : border.touchers) costs.steps[static_cast<size_t>(s)].borders.push_back(index);
    costs.borders.push_back(std::move(border));
  }
  return costs;
}

int64_t PlacementCosts::of_border(const Border& border, const std::vector<Device>& devices) const {
  const auto any = [&](const std::vector<int>& some, Device device) {
    return std::any_of(some.begin(), some.end(),
                       [&](int s) { return devices[static_cast<size_t>(s)] == device; });
  };
  int64_t cost = 0;
  if (any(border.touchers, Device::gpu)) cost += border.transfer;
  if (any(border.writers, Device::gpu) && any(border.touchers, Device::cpu))
    cost += border.hand_over;
  if (any(border.writers, Device::cpu) && any(border.touchers, Device::gpu))
    cost += border.hand_over;
  return cost;
}

static bool is_mixed(const std::vector<Device>& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](Device d) { return d != devices[0]; });
}

int64_t PlacementCosts::total(const std::vector<Device>& devices) const {
  int64_t sum = is_mixed(devices) ? mixed : 0;
  for (size_t s = 0; s < steps.size(); ++s) sum += steps[s].on(devices[s]);
  for (const Border& border : borders) sum += of_border(border, devices);
  return sum;
}

int64_t PlacementCosts::alternative(size_t step, std::vector<Device> devices) const {
  const auto around = [&] {
    int64_t sum = is_mixed(devices) ? mixed : 0;
    for (int b : steps[step].borders) sum += of_border(borders[static_cast<size_t>(b)], devices);
    return sum;
  };
  const int64_t now = around();
  devices[step] = devices[step] == Device::cpu ? Device::gpu : Device::cpu;
  return steps[step].on(devices[step]) + around() - now;
}

}  // namespace macec
