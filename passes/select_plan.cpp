// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks the graph once. For every node: the views of its outputs, then a lowering that some kernel
// accepts.
//
// Where a value lives, decided before the walk, back to front:
//   graph output                  the caller's memory
//   input of a Concat             its slice of the Concat's buffer
//   input of a final Reshape      the memory of the Reshape's output
// all others get an arena buffer of their own, or are a view of another value.
// A kernel that cannot read or write a view gets a dense copy; one that cannot do the epilogue gets
// it as a step of its own.
#include "passes/select_plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/plan_control.h"
#include "targets/opencl/gpu_row.h"

namespace macec {

int add_buffer(Plan& plan, const std::string& name, DType dtype, const Dim& elements,
               Buffer::Place place, int index) {
  Buffer buffer;
  buffer.place = place;
  buffer.name = name;
  buffer.dtype = dtype;
  buffer.elements = elements;
  buffer.bytes = bytes_of(dtype, std::max<int64_t>(elements.hi(), 0));
  buffer.index = index;
  plan.buffers.push_back(buffer);
  return static_cast<int>(plan.buffers.size()) - 1;
}

const View& GraphPlanner::view(ValueId id) {
  auto at = views_.find(id.index);
  if (at != views_.end()) return at->second;
  const Value& value = graph_.value(id);
  if (value.known && !value.constant && !value.producer.is_valid())
    return views_[id.index] = View{};
  MACEC_CHECK(value.constant, "value '{}' has no place", value.name);
  View constant = dense_view(-1, value.type);
  constant.constant = value.constant;
  return views_[id.index] = constant;
}

View GraphPlanner::place_of(ValueId id) {
  auto at = placed_.find(id.index);
  if (at != placed_.end()) return at->second;
  const Value& value = graph_.value(id);
  const int buffer =
      builder_.new_buffer(value.name, value.type.dtype, value.type.count(), Buffer::arena, -1);
  return placed_[id.index] = dense_view(buffer, value.type);
}

namespace {

bool same_place(const View& a, const View& b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.shape == b.shape && a.lies_like(b);
}

bool moves_nothing(const KernelCall& call) {
  return call.family == Family::copy && call.inputs[0].buffer >= 0 &&
         same_place(call.inputs[0], call.outputs[0]);
}

}  // namespace

// Rows of both halves of the target. False if none of a device that is wanted computes the call.
bool GraphPlanner::choose_rows(KernelCall* call, Wanted wanted) const {
  const bool on_gpu = builder_.target.gpu && choose_gpu_kernel(*builder_.target.gpu, call);
  const bool on_cpu = choose_kernels(builder_.target, call);
  if (wanted == Wanted::any) return on_cpu || on_gpu;
  return wanted == Wanted::gpu ? on_gpu : on_cpu;
}

std::vector<Wanted> GraphPlanner::wanted(const Node& node) const {
  if (is_body_ || !builder_.target.gpu) return {Wanted::cpu};
  if (wanted_device(builder_.placing, node.origins, node.name) == Device::cpu)
    return {Wanted::cpu, Wanted::any};
  return {Wanted::gpu, Wanted::any};
}

void GraphPlanner::add_call(KernelCall call, const Node& node) {
  Step step;
  step.kind = Step::call;
  step.name = node.name.empty() ? node.op : node.name;
  step.origins = node.origins;
  if (call.counts) {
    const int count = builder_.new_buffer(step.name + ".count", DType::int64, 1, Buffer::arena, -1);
    call.outputs.push_back(dense_view(count, TensorType{DType::int64, {}}));
    step.extents.push_back({call.counts, {}});
  }
  step.kernel = std::move(call);
  steps_->push_back(std::move(step));
}

void GraphPlanner::add_copy(const View& from, const View& to, const Node& node) {
  KernelCall call = copy_call(from, to);
  MACEC_CHECK(choose_rows(&call, is_body_ ? Wanted::cpu : Wanted::any),
              "the target has no kernel for a copy of {}", name(from.dtype));
  add_call(std::move(call), node);
}

// Lowers with the views as they are now. Nothing is added unless every call has a kernel.
std::optional<Lowered> GraphPlanner::try_lower(const Node& node,
                                               const std::map<int32_t, View>& replaced,
                                               Wanted wanted) {
  LowerContext context{graph_, node,
                       [&](ValueId id) -> const View& {
                         const auto at = replaced.find(id.index);
                         return at != replaced.end() ? at->second : view(id);
                       },
                       0};
  MACEC_CHECK(node.def->lower, "operator {} reached the plan", node.op);
  Lowered calls = node.def->lower(context);
  if (calls.empty()) return std::nullopt;
  for (KernelCall& call : calls)
    if (!choose_rows(&call, wanted)) return std::nullopt;
  return calls;
}

// A buffer of its own for a value, without gaps; nothing if the value is so already.
std::optional<View> GraphPlanner::dense_copy(ValueId id, bool is_plain) {
  TensorType type = graph_.type(id);
  if (is_plain) type.layout = Layout::plain;
  View dense = dense_view(view(id).buffer, type);
  if (view(id).offset == Dim(0) && same_place(view(id), dense)) return std::nullopt;
  dense.buffer = builder_.new_buffer(graph_.value(id).name + ".dense", type.dtype, type.count(),
                                     Buffer::arena, -1);
  return dense;
}

// Tries views as they are, then dense outputs, dense inputs, both, at last both in plain layout.
bool GraphPlanner::lower_with_copies(const Node& node, Wanted wanted) {
  const size_t buffers = builder_.plan.buffers.size();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const bool is_plain = attempt == 4, copies_outputs = (attempt & 1) || is_plain,
               copies_inputs = (attempt & 2) || is_plain;
    std::map<int32_t, View> replaced;
    std::vector<std::pair<View, View>> before, after;
    for (ValueId out : node.outputs) {
      if (!copies_outputs || !out.is_valid()) continue;
      const std::optional<View> dense = dense_copy(out, is_plain);
      if (!dense) continue;
      replaced[out.index] = *dense;
      after.emplace_back(*dense, view(out));
    }
    for (ValueId in : node.inputs) {
      if (!copies_inputs || !in.is_valid() || graph_.value(in).constant || replaced.count(in.index))
        continue;
      if (view(in).buffer < 0) continue;  // says shapes only
      const std::optional<View> dense = dense_copy(in, is_plain);
      if (!dense) continue;
      replaced[in.index] = *dense;
      before.emplace_back(view(in), *dense);
    }
    std::optional<Lowered> calls = try_lower(node, replaced, wanted);
    if (!calls) {
      builder_.plan.buffers.resize(buffers);
      continue;
    }
    for (const auto& [from, to] : before) add_copy(from, to, node);
    for (KernelCall& call : *calls) {
      if (moves_nothing(call)) continue;  // a part that was written in its place
      add_call(std::move(call), node);
    }
    for (const auto& [from, to] : after) add_copy(from, to, node);
    return true;
  }
  return false;
}

// The main operation into a buffer of its own, then the epilogue as pointwise work, for which rest
// says who must be able to do it.
bool GraphPlanner::lower_in_two(const Node& node, Wanted wanted, Wanted rest) {
  Node main = node;
  main.epilogue.clear();
  const ValueId out = node.outputs[0];
  const DType main_type = node.epilogue_input_type == DType::undefined ? graph_.type(out).dtype
                                                                       : node.epilogue_input_type;
  TensorType type = graph_.type(out);
  type.dtype = main_type;
  const View final_view = view(out);
  const size_t buffers = builder_.plan.buffers.size(), done = steps_->size();
  const int buffer = builder_.new_buffer(graph_.value(out).name + ".main", type.dtype, type.count(),
                                         Buffer::arena, -1);
  views_[out.index] = dense_view(buffer, type);
  const bool has_main = lower_with_copies(main, wanted);
  std::vector<PointwiseStep> steps = node.epilogue;
  std::vector<View> inputs;
  for (ValueId in : node.inputs) inputs.push_back(in.is_valid() ? view(in) : View{});
  for (PointwiseStep& step : steps)
    for (StepArg& arg : step.args)
      if (arg.kind == StepArg::result) arg = {StepArg::input, static_cast<int>(inputs.size())};
  inputs.push_back(views_[out.index]);
  views_[out.index] = final_view;
  KernelCall call =
      pointwise_call(steps, inputs, {final_view}, {static_cast<int>(steps.size()) - 1});
  if (has_main && choose_rows(&call, rest)) {
    add_call(std::move(call), node);
    return true;
  }
  builder_.plan.buffers.resize(buffers);
  steps_->resize(done);
  return false;
}

bool GraphPlanner::lower(const Node& node) {
  for (Wanted device : wanted(node)) {
    if (lower_with_copies(node, device)) return true;
    if (node.op == "Pointwise" || node.epilogue.empty()) continue;  // nothing to cut
    if (lower_in_two(node, device, device)) return true;
    if (device == Wanted::gpu && lower_in_two(node, device, Wanted::any)) return true;
  }
  return false;
}

// Whether no output has an element, whatever the sizes of a run.
static bool makes_nothing(const Graph& graph, const Node& node) {
  return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId output) {
    if (!output.is_valid()) return true;
    const Shape& shape = graph.type(output).shape;
    return std::count(shape.begin(), shape.end(), Dim(0)) != 0 &&
           std::none_of(shape.begin(), shape.end(), [](const Dim& d) { return d.has_computed(); });
  });
}

void GraphPlanner::plan_node(const Node& node) {
  const OpDef& def = *node.def;
  if ((def.traits & kView) && def.view && node.epilogue.empty()) {
    LowerContext context{graph_, node, [&](ValueId id) -> const View& { return view(id); }, 0};
    bool all = true;
    for (size_t o = 0; o < node.outputs.size() && all; ++o) {
      if (!node.outputs[o].is_valid()) continue;
      View out;
      LowerContext of_output{graph_, node, context.view_of, static_cast<int>(o)};
      all = def.view(of_output, view(node.inputs[0]), &out);
      if (!all) break;
      const auto place = placed_.find(node.outputs[o].index);
      if (place == placed_.end()) {
        views_[node.outputs[o].index] = out;
      } else {
        views_[node.outputs[o].index] = place->second;
        if (!same_place(out, place->second)) add_copy(out, place->second, node);
      }
    }
    if (all) return;
  }
  for (ValueId out : node.outputs)
    if (out.is_valid()) views_[out.index] = place_of(out);
  if (def.traits & (kControlFlow | kEndsRun)) return plan_control_flow(node);
  if (lower(node) || makes_nothing(graph_, node)) return;
  throw user_error("operator {} with these types is not supported on target {}", node.op,
                   builder_.target.name)
      .hint("macec list kernels shows what each target can do");
}

// Body results, and outputs that are inputs, constants or views of other values, are copied to
// their place.
void GraphPlanner::finish_outputs(const std::vector<View>& places) {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const View& have = view(graph_.outputs[i]);
    const View& want = places[i];
    if (want.buffer < 0 || same_place(have, want)) continue;
    Node at;
    at.name = graph_.value(graph_.outputs[i]).name;
    at.op = "Identity";
    add_copy(have, want, at);
  }
}

void GraphPlanner::run(const std::vector<View>& parameters, const std::vector<View>& places,
                       StepList* steps) {
  steps_ = steps;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) views_[graph_.inputs[i].index] = parameters[i];
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    const Value& value = graph_.value(graph_.outputs[i]);
    // The first of several equal outputs is written in place; the others are copies.
    if (value.producer.is_valid() && places[i].buffer >= 0)
      placed_.emplace(graph_.outputs[i].index, places[i]);
  }
  place_backward();
  for (NodeId id : graph_.order) {
    try {
      plan_node(graph_.node(id));
    } catch (UserError& error) {
      if (error.places().empty()) {
        const Node& node = graph_.node(id);
        error.at(node.name.empty() ? node.op : fmt::format("{} '{}'", node.op, node.name));
      }
      throw;
    }
  }
  finish_outputs(places);
}

Plan select_plan(const Graph& graph, const Target& target, const std::vector<StatePair>& states,
                 const PlaceOptions& placing) {
  PlanBuilder builder(target, placing);
  builder.plan.name = graph.name;
  builder.plan.checks = graph.checks;
  // States leave the signature: the other inputs and outputs are counted without them.
  const auto views_of = [&](const std::vector<ValueId>& values, Buffer::Place place,
                            Buffer::Place state_place, int StatePair::*side) {
    std::vector<View> views;
    int next = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      const Value& value = graph.value(values[i]);
      const auto state = std::find_if(states.begin(), states.end(), [&](const StatePair& s) {
        return s.*side == static_cast<int>(i);
      });
      const bool is_state = state != states.end();
      const int index = is_state ? static_cast<int>(state - states.begin()) : next++;
      views.push_back(
          dense_view(builder.new_buffer(value.name, value.type.dtype, value.type.count(),
                                        is_state ? state_place : place, index),
                     value.type));
    }
    return views;
  };
  const std::vector<View> inputs =
      views_of(graph.inputs, Buffer::input, Buffer::state, &StatePair::input);
  const std::vector<View> outputs =
      views_of(graph.outputs, Buffer::output, Buffer::next_state, &StatePair::output);
  GraphPlanner planner(graph, builder, false);
  planner.run(inputs, outputs, &builder.plan.steps);
  number_steps(builder.plan);
  return std::move(builder.plan);
}

}  // namespace macec
