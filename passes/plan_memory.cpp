// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place of every buffer: work that may happen in place first (the output takes over the bytes
// of an input that dies in the step), then offsets in the arena of its home, images, and objects
// that both devices see.
#include <algorithm>

#include "compiler/support/error.h"
#include "passes/arena.h"
#include "passes/plan_control.h"
#include "passes/select_plan.h"

namespace macec {
namespace {

// Numbers the steps and touches every buffer they use.
struct Lifetimes {
  Plan& plan;
  int next = 0;
  std::vector<std::pair<int, int>> loops;  // first and last step, inner ones first

  void touch(const View& view, int step) {
    if (view.buffer < 0) return;
    Buffer& buffer = plan.buffers[static_cast<size_t>(view.buffer)];
    if (buffer.first < 0 || step < buffer.first) buffer.first = step;
    buffer.last = std::max(buffer.last, step);
  }
  void visit_call(const KernelCall& call, int step) {
    for (const View& v : call.inputs) touch(v, step);
    for (const View& v : call.epilogue_inputs) touch(v, step);
    for (const View& v : call.outputs) touch(v, step);
  }
  void visit(StepList& steps) {
    for (Step& step : steps) {
      step.number = next++;
      if (step.kind == Step::call) {
        visit_call(step.kernel, step.number);
        continue;
      }
      const int begin = step.number;
      for (const View* v : {&step.condition, &step.trip_count, &step.iteration, &step.condition_now,
                            &step.condition_next})
        touch(*v, begin);
      for (StepList& body : step.bodies) visit(body);
      if (step.kind == Step::loop) extend_over_loop(step, begin, next - 1);
    }
  }
  // What was alive before the loop and is read in it lives to its end, so do the loop's own values.
  void extend_over_loop(const Step& step, int begin, int end) {
    loops.emplace_back(begin, end);
    for (Buffer& b : plan.buffers)
      if (b.first >= 0 && b.first <= begin && b.last >= begin) b.last = std::max(b.last, end);
    for (const View* v : {&step.iteration, &step.condition_now, &step.condition_next})
      touch(*v, end);
    for (int buffer : step.carried_buffers)
      plan.buffers[static_cast<size_t>(buffer)].last =
          std::max(end, plan.buffers[static_cast<size_t>(buffer)].last);
  }
  // What a loop leaves behind, scan outputs above all, keeps its place from the first iteration on.
  void keep_results_of_loops() {
    for (const auto& [begin, end] : loops)
      for (Buffer& b : plan.buffers)
        if (b.first > begin && b.first <= end && b.last > end) b.first = begin;
  }
};

// The buffer that really holds the bytes.
int root(const Plan& plan, int buffer) {
  while (plan.buffers[static_cast<size_t>(buffer)].inside >= 0)
    buffer = plan.buffers[static_cast<size_t>(buffer)].inside;
  return buffer;
}

bool same_elements(const View& a, const View& b) {
  return info(a.dtype).bits == info(b.dtype).bits && a.offset == b.offset && a.shape == b.shape &&
         a.strides == b.strides;
}

// A step whose output may overwrite an input element by element: pointwise work, and operands of an
// epilogue.
void share_in_place(Plan& plan, StepList& steps) {
  for (Step& step : steps) {
    for (StepList& body : step.bodies) share_in_place(plan, body);
    if (step.kind != Step::call || step.kernel.outputs.size() != 1) continue;
    KernelCall& call = step.kernel;
    const bool is_pointwise = call.family == Family::pointwise;
    const View& out = call.outputs[0];
    Buffer& target = plan.buffers[static_cast<size_t>(out.buffer)];
    if (target.place != Buffer::arena || target.first != step.number || target.inside >= 0)
      continue;
    if (target.home != Buffer::host && target.home != Buffer::device) continue;
    for (const View& in : is_pointwise ? call.inputs : call.epilogue_inputs) {
      if (in.buffer < 0 || in.buffer == out.buffer || !same_elements(in, out)) continue;
      const int holder = root(plan, in.buffer);
      Buffer& source = plan.buffers[static_cast<size_t>(holder)];
      if (source.place != Buffer::arena || source.home != target.home ||
          source.last != step.number || source.first >= step.number)
        continue;
      if (target.bytes > source.bytes) continue;
      const auto reads_otherwise = [&](const View& v) {
        return v.buffer >= 0 && root(plan, v.buffer) == holder && !same_elements(v, out);
      };
      const bool main_reads =
          !is_pointwise && std::any_of(call.inputs.begin(), call.inputs.end(), [&](const View& v) {
            return v.buffer >= 0 && root(plan, v.buffer) == holder;
          });
      if (main_reads || std::any_of(call.inputs.begin(), call.inputs.end(), reads_otherwise) ||
          std::any_of(call.epilogue_inputs.begin(), call.epilogue_inputs.end(), reads_otherwise)) {
        continue;
      }
      target.inside = holder;
      source.last = std::max(source.last, target.last);
      break;
    }
  }
}

// On every level.
bool has_one_unit(const KernelCall& call) {
  return std::all_of(call.rows.begin(), call.rows.end(),
                     [&](const KernelRow* row) { return units_of(call, *row) == Dim(1); });
}

// A scratch buffer for every step that needs one: it lives in that step only.
void add_scratch(Plan& plan, StepList& steps, int workers) {
  for (Step& step : steps) {
    for (StepList& body : step.bodies) add_scratch(plan, body, workers);
    if (step.kind != Step::call || step.kernel.scratch_bytes == 0) continue;
    const bool on_gpu = step.device == Device::gpu;
    if (!on_gpu)
      plan.scratch_bytes = std::max(plan.scratch_bytes, arena_aligned(step.kernel.scratch_bytes));
    Buffer buffer;
    buffer.place = Buffer::scratch;
    buffer.name = step.name + ".scratch";
    buffer.dtype = DType::uint8;
    buffer.home = on_gpu ? Buffer::device : Buffer::host;
    const bool one = on_gpu || has_one_unit(step.kernel);
    buffer.bytes = arena_aligned(step.kernel.scratch_bytes) * (one ? 1 : workers);
    buffer.elements = buffer.bytes;
    buffer.first = buffer.last = step.number;
    step.scratch_buffer = static_cast<int>(plan.buffers.size());
    plan.buffers.push_back(buffer);
  }
}

// Offsets of the buffers of one home. Returns the size of their arena.
int64_t place_home(Plan& plan, Buffer::Home home, int64_t* live_bytes) {
  std::vector<Interval> intervals;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& b = plan.buffers[i];
    const bool is_ours = b.place == Buffer::arena || b.place == Buffer::scratch;
    if (is_ours && b.home == home && b.inside < 0 && b.first >= 0)
      intervals.push_back(
          {static_cast<int>(i), arena_aligned(std::max<int64_t>(b.bytes, 1)), b.first, b.last});
  }
  *live_bytes = peak_bytes(intervals, plan.step_count);
  const Placing placing = place_in_arena(intervals, *live_bytes);
  for (size_t i = 0; i < intervals.size(); ++i)
    plan.buffers[static_cast<size_t>(intervals[i].buffer)].offset = placing.offsets[i];
  return placing.bytes;
}

}  // namespace

void number_steps(Plan& plan) {
  for (Buffer& buffer : plan.buffers) buffer.first = buffer.last = -1;
  Lifetimes lifetimes{plan, 0, {}};
  lifetimes.visit(plan.steps);
  lifetimes.keep_results_of_loops();
  plan.step_count = lifetimes.next;
}

void plan_memory(Plan& plan, int workers) {
  share_in_place(plan, plan.steps);
  add_scratch(plan, plan.steps, workers);
  plan.arena_bytes = place_home(plan, Buffer::host, &plan.plan_live_bytes);
  if (plan.gpu) {
    plan.gpu->device_bytes = place_home(plan, Buffer::device, &plan.gpu->device_live_bytes);
    plan_gpu_objects(plan);
  }
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    Buffer& b = plan.buffers[i];
    if (b.inside >= 0)
      b.offset = plan.buffers[static_cast<size_t>(root(plan, static_cast<int>(i)))].offset;
  }
  if (plan.gpu) finish_arguments(plan);
}

int64_t graph_live_bytes(const Graph& graph) {
  std::vector<int64_t> last(graph.values.size(), -1);
  for (size_t i = 0; i < graph.order.size(); ++i)
    for (ValueId v : graph.node(graph.order[i]).inputs)
      if (v.is_valid()) last[static_cast<size_t>(v.index)] = static_cast<int64_t>(i);
  std::vector<bool> is_output(graph.values.size(), false);
  for (ValueId v : graph.outputs)
    if (v.is_valid()) is_output[static_cast<size_t>(v.index)] = true;
  std::vector<int64_t> change(graph.order.size() + 2, 0);
  int64_t sum = 0, most = 0, inner = 0;
  for (size_t i = 0; i < graph.order.size(); ++i) {
    for (const Graph& body : graph.node(graph.order[i]).bodies)
      inner = std::max(inner, graph_live_bytes(body));
    for (ValueId v : graph.node(graph.order[i]).outputs) {
      if (!v.is_valid() || is_output[static_cast<size_t>(v.index)] || graph.value(v).constant)
        continue;
      const int64_t bytes = arena_aligned(graph.type(v).max_bytes());
      change[i] += bytes;
      change[static_cast<size_t>(
                 std::max<int64_t>(last[static_cast<size_t>(v.index)], static_cast<int64_t>(i))) +
             1] -= bytes;
    }
  }
  for (int64_t c : change) most = std::max(most, sum += c);
  return most + inner;
}

}  // namespace macec
