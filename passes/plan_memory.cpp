// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Offsets of the arena.
//
// Problem: buffers with a size and a lifetime in steps; two that live at the same step must not
// overlap; the arena shall be small. Method: work that may happen in place first (the output takes
// over the bytes of an input that dies in the step), then offsets greedily, each at the lowest gap
// that fits, in several orders; the smallest arena wins. Good enough: on the zoo's models the
// result equals the largest sum of live bytes or is within 5 % of it.
#include <algorithm>
#include <numeric>

#include "compiler/support/error.h"
#include "passes/plan_control.h"
#include "passes/select_plan.h"

namespace macec {
namespace {

constexpr int64_t kAlignment = 64;
int64_t aligned(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Numbers the steps and touches every buffer they use.
struct Lifetimes {
  Plan& plan;
  int next = 0;

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
    for (Buffer& b : plan.buffers)
      if (b.first >= 0 && b.first <= begin && b.last >= begin) b.last = std::max(b.last, end);
    for (const View* v : {&step.iteration, &step.condition_now, &step.condition_next})
      touch(*v, end);
    for (int buffer : step.carried_buffers)
      plan.buffers[static_cast<size_t>(buffer)].last =
          std::max(end, plan.buffers[static_cast<size_t>(buffer)].last);
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
    for (const View& in : is_pointwise ? call.inputs : call.epilogue_inputs) {
      if (in.buffer < 0 || in.buffer == out.buffer || !same_elements(in, out)) continue;
      const int holder = root(plan, in.buffer);
      Buffer& source = plan.buffers[static_cast<size_t>(holder)];
      if (source.place != Buffer::arena || source.last != step.number ||
          source.first >= step.number)
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

struct Interval {
  int buffer;
  int64_t bytes;
  int first, last;
};

// Lowest gaps, in the given order. Returns the arena's size.
int64_t place(const std::vector<Interval>& order, std::vector<int64_t>* offsets) {
  std::vector<std::pair<int64_t, const Interval*>> done;
  int64_t size = 0;
  offsets->assign(order.size(), 0);
  for (size_t i = 0; i < order.size(); ++i) {
    std::vector<std::pair<int64_t, int64_t>> taken;
    for (const auto& [offset, other] : done)
      if (other->first <= order[i].last && order[i].first <= other->last)
        taken.emplace_back(offset, offset + other->bytes);
    std::sort(taken.begin(), taken.end());
    int64_t best = -1, best_gap = INT64_MAX, at = 0;
    for (const auto& [lo, hi] : taken) {
      if (lo - at >= order[i].bytes && lo - at < best_gap) {
        best_gap = lo - at;
        best = at;
      }
      at = std::max(at, hi);
    }
    const int64_t offset = best >= 0 ? best : at;
    (*offsets)[i] = offset;
    done.emplace_back(offset, &order[i]);
    size = std::max(size, offset + order[i].bytes);
  }
  return size;
}

int64_t peak(const std::vector<Interval>& intervals, int steps) {
  std::vector<int64_t> change(static_cast<size_t>(steps) + 2, 0);
  for (const Interval& i : intervals) {
    change[static_cast<size_t>(i.first)] += i.bytes;
    change[static_cast<size_t>(i.last) + 1] -= i.bytes;
  }
  int64_t sum = 0, most = 0;
  for (int64_t c : change) most = std::max(most, sum += c);
  return most;
}

// While the arena is larger than the live bytes: what stands highest is placed first, and all others again.
template <class TryOrder>
void move_highest_first(std::vector<Interval> order, const Plan& plan, TryOrder try_order,
                        const std::vector<int64_t>& offsets) {
  // Placing takes time in the square of the buffers: large graphs get fewer tries.
  const size_t tries = std::min<size_t>(60, 40000000 / (order.size() * order.size() + 1));
  for (size_t t = 0; t < tries && plan.arena_bytes > plan.plan_live_bytes; ++t) {
    size_t highest = 0;
    for (size_t i = 1; i < order.size(); ++i)
      if (offsets[i] + order[i].bytes > offsets[highest] + order[highest].bytes) highest = i;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(highest),
                order.begin() + static_cast<std::ptrdiff_t>(highest) + 1);
    try_order(order);
  }
}

// A scratch buffer for every step that needs one: it lives in that step only.
void add_scratch(Plan& plan, StepList& steps, int workers) {
  for (Step& step : steps) {
    for (StepList& body : step.bodies) add_scratch(plan, body, workers);
    if (step.kind != Step::call || step.kernel.scratch_bytes == 0) continue;
    plan.scratch_bytes = std::max(plan.scratch_bytes, aligned(step.kernel.scratch_bytes));
    Buffer buffer;
    buffer.place = Buffer::scratch;
    buffer.name = step.name + ".scratch";
    buffer.dtype = DType::uint8;
    const bool one = step.kernel.units == Dim(1);
    buffer.bytes = aligned(step.kernel.scratch_bytes) * (one ? 1 : workers);
    buffer.elements = buffer.bytes;
    buffer.first = buffer.last = step.number;
    step.scratch_buffer = static_cast<int>(plan.buffers.size());
    plan.buffers.push_back(buffer);
  }
}

}  // namespace

void number_steps(Plan& plan) {
  Lifetimes lifetimes{plan};
  lifetimes.visit(plan.steps);
  plan.step_count = lifetimes.next;
}

void plan_memory(Plan& plan, int workers) {
  share_in_place(plan, plan.steps);
  add_scratch(plan, plan.steps, workers);
  std::vector<Interval> intervals;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& b = plan.buffers[i];
    const bool is_ours =
        (b.place == Buffer::arena || b.place == Buffer::scratch) && b.inside < 0 && b.first >= 0;
    if (is_ours)
      intervals.push_back(
          {static_cast<int>(i), aligned(std::max<int64_t>(b.bytes, 1)), b.first, b.last});
  }
  plan.plan_live_bytes = peak(intervals, plan.step_count);
  using Order = bool (*)(const Interval&, const Interval&);
  const Order orders[] = {
      [](const Interval& a, const Interval& b) { return a.bytes > b.bytes; },
      [](const Interval& a, const Interval& b) { return a.first < b.first; },
      [](const Interval& a, const Interval& b) { return a.last > b.last; },
      [](const Interval& a, const Interval& b) {
        return a.bytes * (a.last - a.first + 1) > b.bytes * (b.last - b.first + 1);
      },
      [](const Interval& a, const Interval& b) { return a.last - a.first > b.last - b.first; },
  };
  plan.arena_bytes = INT64_MAX;
  std::vector<int64_t> offsets;
  const auto try_order = [&](const std::vector<Interval>& order) {
    const int64_t size = place(order, &offsets);
    if (size >= plan.arena_bytes) return;
    plan.arena_bytes = size;
    for (size_t i = 0; i < order.size(); ++i)
      plan.buffers[static_cast<size_t>(order[i].buffer)].offset = offsets[i];
  };
  for (Order order : orders) {
    std::stable_sort(intervals.begin(), intervals.end(), order);
    try_order(intervals);
    move_highest_first(intervals, plan, try_order, offsets);
  }
  if (intervals.empty()) plan.arena_bytes = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    Buffer& b = plan.buffers[i];
    if (b.inside >= 0)
      b.offset = plan.buffers[static_cast<size_t>(root(plan, static_cast<int>(i)))].offset;
  }
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
      const int64_t bytes = aligned(graph.type(v).max_bytes());
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
