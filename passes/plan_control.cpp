// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If and Loop as steps. Branches write into the buffers of the If's outputs; a loop keeps each
// carried value in a buffer of two halves and writes scan outputs slice by slice.
#include "passes/plan_control.h"

#include <algorithm>

#include "compiler/ops/bodies.h"
#include "compiler/ops/lowering.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// The computed symbol that an extent is, if it is one by itself.
std::shared_ptr<const Symbol> computed_symbol(const Dim& extent) {
  std::shared_ptr<const Symbol> found;
  extent.symbols([&](const std::shared_ptr<const Symbol>& s) {
    if (s->is_computed && Dim::symbol(s) == extent) found = s;
  });
  return found;
}

Step named_step(Step::Kind kind, const Node& node) {
  Step step;
  step.kind = kind;
  step.name = node.name.empty() ? node.op : node.name;
  step.origins = node.origins;
  return step;
}

}  // namespace

void GraphPlanner::plan_control_flow(const Node& node) {
  if (node.op == "If") return plan_if(node);
  if (node.op == "Loop") return plan_loop(node);
  if (node.op == kExtentsOp) return plan_extents(node);
  if (node.op == kFailOp) {
    Step step = named_step(Step::fail, node);
    step.failure = node.string_attribute("text", "");
    steps_->push_back(std::move(step));
    return;
  }
  throw user_error("operator {} is not supported", node.op);
}

View GraphPlanner::in_buffer(ValueId id, const Node& node) {
  const View& have = view(id);
  if (have.buffer >= 0) return have;
  const TensorType& type = graph_.type(id);
  const View copy = dense_view(builder_.new_buffer(graph_.value(id).name + ".value", type.dtype,
                                                   type.count(), Buffer::arena, -1),
                               type);
  add_copy(have, copy, node);
  return copy;
}

void GraphPlanner::plan_extents(const Node& node) {
  const Value& value = graph_.value(node.outputs[0]);
  MACEC_CHECK(value.known, "the extents of '{}' are gone", value.name);
  const View numbers = dense_view(
      builder_.new_buffer(value.name + ".extents", DType::int64, value.type.count(), Buffer::arena,
                          -1),
      value.type);
  add_copy(view(node.inputs[0]), numbers, node);
  steps_->back().name = value.name;
  for (const Dim& extent : *value.known)
    steps_->back().extents.push_back({computed_symbol(extent), {}});
  add_copy(numbers, view(node.outputs[0]), node);
}

void GraphPlanner::plan_if(const Node& node) {
  Step step = named_step(Step::branch, node);
  step.condition = in_buffer(node.inputs[0], node);
  std::vector<View> parameters;
  for (size_t i = 1; i < node.inputs.size(); ++i) parameters.push_back(view(node.inputs[i]));
  for (const Graph& body : node.bodies) {
    std::vector<View> places;
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      if (!node.outputs[o].is_valid()) {
        places.push_back(View{});
        continue;
      }
      // Rows are dense at the branch's own size.
      View place = dense_view(view(node.outputs[o]).buffer, body.type(body.outputs[o]));
      place.offset = view(node.outputs[o]).offset;
      if (is_fixed(place.shape) && view(node.outputs[o]).shape == place.shape)
        place = view(node.outputs[o]);
      places.push_back(place);
    }
    step.bodies.emplace_back();
    GraphPlanner planner(body, builder_, true);
    planner.run(parameters, places, &step.bodies.back());
    step.body_checks.push_back(body.checks);
  }
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (!node.outputs[o].is_valid()) continue;
    const Shape& shape = graph_.type(node.outputs[o]).shape;
    for (size_t a = 0; a < shape.size(); ++a)
      if (const auto symbol = computed_symbol(shape[a])) {
        Step::Extent extent{symbol, {}};
        for (const Graph& body : node.bodies)
          extent.values.push_back(body.type(body.outputs[o]).shape[a]);
        step.extents.push_back(extent);
      }
  }
  steps_->push_back(std::move(step));
}

// The number of the iteration, as an extent's symbol.
static std::shared_ptr<const Symbol> loop_index(int number) {
  Symbol index;
  index.name = fmt::format("loop{}", number);
  index.lo = 0;
  index.hi = (int64_t{1} << 31) - 1;
  index.is_computed = true;
  return std::make_shared<const Symbol>(index);
}

// Where the running iteration of the loop writes its slice of a scan output.
static View scan_place(const View& all, const TensorType& type, Step* loop) {
  const Dim i = Dim::symbol(loop->index);
  const int64_t room = all.shape[0].hi();
  loop->bound = loop->bound < 0 ? room : std::min(loop->bound, room);
  View slice = dense_view(all.buffer, type);
  slice.offset = all.offset + i * product(slice.shape);
  if (const auto symbol = computed_symbol(all.shape[0])) loop->extents.push_back({symbol, {i}});
  return slice;
}

void GraphPlanner::plan_loop(const Node& node) {
  const Graph& body = node.bodies[0];
  const size_t carried = static_cast<size_t>(node.int_attribute("carried", 0));
  Step step = named_step(Step::loop, node);
  step.index = loop_index(builder_.next_loop++);
  const Dim i = Dim::symbol(step.index);
  if (node.inputs[0].is_valid()) step.trip_count = in_buffer(node.inputs[0], node);
  if (node.inputs.size() > 1 && node.inputs[1].is_valid())
    step.condition = in_buffer(node.inputs[1], node);

  std::vector<View> parameters, places, results;
  const auto scalar = [&](const char* what, DType dtype) {
    return dense_view(builder_.new_buffer(step.name + what, dtype, 1, Buffer::arena, -1),
                      TensorType{dtype, {}});
  };
  step.iteration = scalar(".iteration", DType::int64);
  parameters.push_back(step.iteration);
  parameters.push_back(scalar(".condition", DType::boolean));
  step.condition_now = parameters.back();
  step.condition_next =
      dense_view(scalar(".next", DType::boolean).buffer, body.type(body.outputs[0]));
  places.push_back(step.condition_next);

  for (size_t c = 0; c < carried; ++c) {
    const TensorType& type = body.type(body.inputs[2 + c]);
    const Dim half = type.count().hi();
    const ValueId output = node.outputs[c];
    const std::string name = output.is_valid() ? graph_.value(output).name
                                               : body.value(body.inputs[2 + c]).name;
    const int buffer = builder_.new_buffer(name + ".carried",
                                           type.dtype, half * Dim(2), Buffer::arena, -1);
    View now = dense_view(buffer, type), next = now, first = now;
    now.offset = mod(i, 2) * half;
    next.offset = mod(i + Dim(1), 2) * half;
    add_copy(view(node.inputs[2 + c]), first, node);
    parameters.push_back(now);
    places.push_back(next);
    step.carried_buffers.push_back(buffer);
    results.push_back(now);
  }
  for (size_t c = 2 + carried; c < node.inputs.size(); ++c)
    parameters.push_back(view(node.inputs[c]));
  for (size_t s = carried; s < node.outputs.size(); ++s)
    places.push_back(node.outputs[s].is_valid()
                         ? scan_place(view(node.outputs[s]), body.type(body.outputs[1 + s]), &step)
                         : View{});
  step.bodies.emplace_back();
  GraphPlanner planner(body, builder_, true);
  planner.run(parameters, places, &step.bodies.back());
  step.body_checks.push_back(body.checks);
  steps_->push_back(std::move(step));
  for (size_t c = 0; c < carried; ++c)
    if (node.outputs[c].is_valid()) add_copy(results[c], view(node.outputs[c]), node);
}

}  // namespace macec
