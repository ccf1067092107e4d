// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values change hands between the devices.
//
//   step     0    1    2    3    4
//   device   gpu  gpu  cpu  cpu  gpu      three segments: 0..1, 2..3, 4..4
//   a        w    r    r                  map before segment 1, unmap before segment 2
//   b             w    .    .    r        stays on the device
//
// A shared buffer belongs to the GPU until a CPU segment maps it, and the segment that comes behind
// its last use on the CPU at the latest has it unmapped.
#include <algorithm>
#include <map>

#include "compiler/support/error.h"
#include "passes/place_steps.h"

namespace macec {
namespace {

int last_number(const Step& step) {
  int last = step.number;
  for (const StepList& body : step.bodies)
    for (const Step& inner : body) last = std::max(last, last_number(inner));
  return last;
}

std::vector<Segment> segments_of(const Plan& plan) {
  std::vector<Segment> segments;
  for (const Step& step : plan.steps) {
    if (segments.empty() || segments.back().device != step.device)
      segments.push_back({step.device, step.number, step.number});
    segments.back().last = last_number(step);
  }
  return segments;
}

bool is_fed(const Buffer& b) {  // the app or the context writes it
  return b.place == Buffer::input || b.place == Buffer::state;
}
bool is_result(const Buffer& b) {
  return b.place == Buffer::output || b.place == Buffer::next_state;
}

Buffer::Home home_of(const Buffer& buffer, bool on_cpu, bool on_gpu) {
  if (!on_gpu || buffer.place == Buffer::weight) return Buffer::host;
  return on_cpu || is_fed(buffer) || is_result(buffer) ? Buffer::shared : Buffer::device;
}

struct Use {
  bool is_read = false, is_written = false;
};
using Uses = std::map<int, Use>;  // by segment

// The transfers of one shared buffer.
void add_transfers(const Plan& plan, int index, const Uses& uses, GpuPlan* gpu) {
  const Buffer& buffer = plan.buffers[static_cast<size_t>(index)];
  const auto add = [&](Transfer::Kind kind, int segment) {
    gpu->transfers.push_back({kind, index, segment, buffer.bytes, false, false});
  };
  if (is_fed(buffer)) return add(Transfer::upload, 0);  // the CPU reads what the app gave
  size_t map = 0;                                       // of the transfers
  bool is_mapped = false;
  for (const auto& [s, use] : uses) {
    const bool on_cpu = gpu->segments[static_cast<size_t>(s)].device == Device::cpu;
    if (on_cpu && !is_mapped) map = gpu->transfers.size();
    if (on_cpu != is_mapped) add(on_cpu ? Transfer::map : Transfer::unmap, s);
    is_mapped = on_cpu;
    if (!on_cpu) continue;
    gpu->transfers[map].is_read |= use.is_read;
    gpu->transfers[map].is_written |= use.is_written;
  }
  if (is_mapped) add(Transfer::unmap, uses.rbegin()->first + 1);
  if (is_result(buffer)) add(Transfer::download, static_cast<int>(gpu->segments.size()));
}

// Of one segment: what the CPU gives back comes before what it gets.
int rank(Transfer::Kind kind) {
  switch (kind) {
    case Transfer::unmap:
      return 0;
    case Transfer::upload:
      return 1;
    case Transfer::map:
      return 2;
    case Transfer::download:
      return 3;
  }
  return 4;
}

}  // namespace

void find_borders(Plan& plan) {
  plan.gpu.reset();
  GpuPlan gpu;
  gpu.segments = segments_of(plan);
  std::vector<Uses> uses(plan.buffers.size());
  int segment = 0;
  for (const Step& step : plan.steps) {
    while (gpu.segments[static_cast<size_t>(segment)].last < step.number) ++segment;
    const bool is_control = step.kind != Step::call;
    for_each_operand(step, [&](const View& v, bool is_written) {
      if (v.buffer < 0) return;
      Use& use = uses[static_cast<size_t>(v.buffer)][segment];
      use.is_written |= is_written;
      use.is_read |= !is_written || is_control;
    });
    for (int b : step.carried_buffers) uses[static_cast<size_t>(b)][segment] = {true, true};
  }
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    bool on_cpu = false, on_gpu = false;
    for (const auto& [s, use] : uses[b])
      (gpu.segments[static_cast<size_t>(s)].device == Device::cpu ? on_cpu : on_gpu) = true;
    plan.buffers[b].home = home_of(plan.buffers[b], on_cpu, on_gpu);
    if (plan.buffers[b].home == Buffer::shared)
      add_transfers(plan, static_cast<int>(b), uses[b], &gpu);
  }
  const bool has_gpu = std::any_of(gpu.segments.begin(), gpu.segments.end(),
                                   [](const Segment& s) { return s.device == Device::gpu; });
  if (!has_gpu) return;
  std::stable_sort(
      gpu.transfers.begin(), gpu.transfers.end(), [](const Transfer& a, const Transfer& b) {
        return a.segment != b.segment ? a.segment < b.segment : rank(a.kind) < rank(b.kind);
      });
  plan.gpu = std::move(gpu);
}

}  // namespace macec
