// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan, written as a Loop over the extent of the scanned axis.
//
//   %s', %ys = Scan(%s, %xs) body (%s, %x) -> (%s', %y)
//     %s', %ys = Loop(extent of %xs, none, %s, %xs)
//       body (%i, %go, %s, %xs) -> (%go, %s', %y) { %x = Gather(%xs, %i) {axis}; ... }
//
// Backwards, slices are those of -1 - %i. Scan outputs along another axis are transposed behind the loop, those in
// reverse order are turned round. Opset 8 has a batch: a Loop over samples around that of each one.
#include <algorithm>

#include "compiler/onnx/attributes.h"
#include "compiler/onnx/builder.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int kBackward = 1;  // of scan_input_directions and scan_output_directions

// How one scan input or output lies in its tensor.
struct Slices {
  int64_t axis = 0;
  bool is_backward = false;
  bool is_stacked() const { return axis == 0 && !is_backward; }  // as a Loop leaves it
};

// One entry for each of `count`, from attributes that may be left out.
std::vector<Slices> read_slices(const Node& node, const std::string& kind, size_t count) {
  const std::vector<int64_t> axes = node.ints_attribute(fmt::format("scan_{}_axes", kind)),
                             directions =
                                 node.ints_attribute(fmt::format("scan_{}_directions", kind));
  for (const std::vector<int64_t>* list : {&axes, &directions})
    if (!list->empty() && list->size() != count)
      throw user_error("{} axes or directions are given for {}", list->size(),
                       plural(static_cast<int64_t>(count), "scan " + kind));
  std::vector<Slices> all(count);
  for (size_t i = 0; i < count; ++i) {
    if (!axes.empty()) all[i].axis = axes[i];
    if (directions.empty()) continue;
    if (directions[i] != 0 && directions[i] != kBackward)
      throw user_error("direction {} of a scan {} is neither 0 nor 1", directions[i], kind);
    all[i].is_backward = directions[i] == kBackward;
  }
  return all;
}

int64_t axis_in(int64_t axis, size_t rank) {
  const int64_t n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n)
    throw user_error("axis {} of a tensor with {} axes", axis, n);
  return axis < 0 ? axis + n : axis;
}

// What the attributes of a Scan say.
struct Scanned {
  size_t states = 0;
  std::vector<ValueId> xs;  // scan inputs, in the node's graph
  std::vector<Slices> in, out;

  std::vector<int64_t> axes_of(const Graph& graph) const {
    std::vector<int64_t> axes;
    for (size_t k = 0; k < xs.size(); ++k)
      axes.push_back(axis_in(in[k].axis, graph.type(xs[k]).shape.size()));
    return axes;
  }
};

Scanned read_scan(const Node& node, const onnx::GraphProto& body, size_t outputs) {
  const int64_t scans = node.int_attribute("num_scan_inputs", 0);
  const auto inputs = static_cast<int64_t>(node.inputs.size());
  if (scans < 1 || scans > inputs)
    throw user_error("{} scan inputs among {}", scans, plural(inputs, "input"));
  Scanned scanned;
  scanned.states = static_cast<size_t>(inputs - scans);
  if (body.input_size() != inputs || static_cast<size_t>(body.output_size()) != outputs ||
      outputs < scanned.states)
    throw user_error("the body has {} and {} for {} and {} of the node, {} of them states",
                     plural(body.input_size(), "input"), plural(body.output_size(), "output"),
                     plural(inputs, "input"), plural(static_cast<int64_t>(outputs), "output"),
                     scanned.states);
  scanned.xs = {node.inputs.end() - scans, node.inputs.end()};
  scanned.in = read_slices(node, "input", static_cast<size_t>(scans));
  scanned.out = read_slices(node, "output", outputs - scanned.states);
  return scanned;
}

// All must be scanned over equally many slices.
void require_equal_extents(Graph& graph, const std::vector<ValueId>& xs,
                           const std::vector<int64_t>& axes) {
  const auto extent = [&](size_t k) {
    return graph.type(xs[k]).shape[static_cast<size_t>(axes[k])];
  };
  const auto name = [&](size_t k) {
    return fmt::format("axis {} of '{}'", axes[k], graph.value(xs[k]).name);
  };
  for (size_t k = 1; k < xs.size(); ++k) {
    const Dim a = extent(0), b = extent(k);
    if (a == b) continue;
    if (a.lo() > b.hi() || b.lo() > a.hi())
      throw user_error("{} is {} but {} is {}", name(0), a.text(), name(k), b.text());
    graph.checks.push_back({a, b, name(0), name(k)});
  }
}

}  // namespace

std::string Builder::unused_name(Scope& scope, const std::string& stem) {
  std::string name = stem;
  for (int i = 1; find(scope, name).is_valid(); ++i) name = fmt::format("{}.{}", stem, i);
  return name;
}

// The extent of an axis, as a number that a Loop takes for its trip count.
ValueId Builder::add_extent(Scope& scope, ValueId x, int64_t axis, const std::string& stem) {
  const ValueId shape = add_node(scope, "Shape", {x}, {}, unused_name(scope, stem + ".shape"));
  const ValueId index = define_constant(
      scope, unused_name(scope, stem + ".axis"),
      std::make_shared<const Tensor>(Tensor::scalar_i64(axis)));
  return add_node(scope, "Gather", {shape, index}, {{"axis", int64_t{0}}},
                  unused_name(scope, stem + ".slices"));
}

void Builder::begin_loop(const Scope& outer, const std::string& name, Target* target,
                         Scope* scope) {
  if (outer.target->depth >= kDeepestBodies)
    throw user_error("graphs in graphs more than {} levels deep are not supported", kDeepestBodies);
  target->graph.name = name;
  target->graph.bounds = outer.target->graph.bounds;
  target->depth = outer.target->depth + 1;
  target->is_branch = outer.target->is_branch;
  scope->target = target;
  add_parameter(*scope, name + ".iteration", {DType::int64, {}, Layout::plain});
  add_parameter(*scope, name + ".goes", {DType::boolean, {}, Layout::plain});
}

// The value in a body of that loop, which gets it as a further input.
ValueId Builder::hand_in_value(const Scope& outer, ValueId x, Scope& scope, Node* loop) {
  const Value& value = outer.target->graph.value(x);
  const std::string name = unused_name(scope, value.name);
  if (value.constant) return define_constant(scope, name, value.constant);
  loop->inputs.push_back(x);
  return add_parameter(scope, name, value.type);
}

// Appends the loop; outputs without a name are not wanted.
void Builder::end_loop(Scope& scope, const Node& scan, Target target, Node loop,
                       const std::vector<std::string>& outputs) {
  if (target.failure) throw IllTyped(*target.failure);
  // The body's condition: it goes on.
  target.graph.outputs.insert(target.graph.outputs.begin(), target.graph.inputs[1]);
  loop.op = "Loop";
  loop.def = find_op(loop.op);
  loop.name = scan.name;
  loop.onnx_index = scan.onnx_index;
  loop.origins = scan.origins;
  loop.bodies.push_back(std::move(target.graph));
  NameList names;
  for (const std::string& output : outputs) *names.Add() = output;
  append(scope, std::move(loop), names);
}

// Slices of the loop's output to where the model wants them.
void Builder::place_scan_output(Scope& scope, ValueId stacked, int64_t axis, bool is_backward,
                                const std::string& name) {
  const auto constant = [&](std::vector<int64_t> v) {
    return define_constant(scope, unused_name(scope, name + ".places"),
                           std::make_shared<const Tensor>(Tensor::vector_i64(v)));
  };
  if (is_backward) {
    const ValueId starts = constant({-1}), ends = constant({INT64_MIN}), axes = constant({0}),
                  steps = constant({-1});
    stacked = add_node(scope, "Slice", {stacked, starts, ends, axes, steps}, {},
                       axis == 0 ? name : unused_name(scope, name + ".turned"));
  }
  if (axis == 0) return;
  std::vector<int64_t> order(scope.target->graph.type(stacked).shape.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i) + (static_cast<int64_t>(i) < axis ? 1 : 0);
  order[static_cast<size_t>(axis)] = 0;
  add_node(scope, "Transpose", {stacked}, {{"perm", order}}, name);
}

// One slice in the body: that of the iteration, or as far from the end.
void Builder::add_slice(Scope& scope, ValueId all, int64_t axis, bool is_backward,
                        const std::string& name) {
  ValueId index = scope.target->graph.inputs[0];
  if (is_backward) {
    const ValueId last = define_constant(scope, unused_name(scope, name + ".last"),
                                         std::make_shared<const Tensor>(Tensor::scalar_i64(-1)));
    index = add_node(scope, "Sub", {last, index}, {}, unused_name(scope, name + ".index"));
  }
  add_node(scope, "Gather", {all, index}, {{"axis", axis}}, name);
}

void Builder::add_scan_of_sample(Scope& scope, const SourceNode& source_node, const Node& node,
                                 const std::vector<std::string>& outputs) {
  const onnx::GraphProto& body = *read_bodies(*source_node.proto, *node.def)[0];
  const Scanned scanned = read_scan(node, body, outputs.size());
  const size_t states = scanned.states;
  std::vector<std::string> captured;
  if (!capture(scope, {&body}, &captured)) return poison(scope, *source_node.proto);
  const std::vector<int64_t> axes = scanned.axes_of(scope.target->graph);
  require_equal_extents(scope.target->graph, scanned.xs, axes);

  const int problems = diag_.count() + static_cast<int>(unsupported.size());
  const SourceGraph source_graph = source.read(body, *source_node.opsets, Cut());
  Target target;
  Scope inner;
  inner.source = &source_graph;
  begin_loop(scope, body.name(), &target, &inner);
  Node loop;
  loop.attributes["carried"] = static_cast<int64_t>(states);
  loop.inputs = {add_extent(scope, scanned.xs[0], axes[0], node.op), ValueId()};
  for (size_t i = 0; i < states; ++i) {
    loop.inputs.push_back(node.inputs[i]);
    add_parameter(inner, body.input(static_cast<int>(i)).name(),
                  scope.target->graph.type(node.inputs[i]));
  }
  for (const std::string& name : captured) {
    const ValueId id = get(scope, name);
    if (!scope.target->graph.value(id).constant) loop.inputs.push_back(id);
  }
  hand_in(scope, inner, captured);
  for (size_t k = 0; k < axes.size(); ++k) {
    const ValueId all = hand_in_value(scope, scanned.xs[k], inner, &loop);
    add_slice(inner, all, axes[k], scanned.in[k].is_backward,
              body.input(static_cast<int>(states + k)).name());
  }
  build_results(inner);
  if (diag_.count() + static_cast<int>(unsupported.size()) != problems)
    return poison(scope, *source_node.proto);

  std::vector<std::string> names = outputs;
  for (size_t o = states; o < names.size(); ++o)
    if (!names[o].empty() && !scanned.out[o - states].is_stacked())
      names[o] = unused_name(scope, names[o] + ".stacked");
  end_loop(scope, node, std::move(target), std::move(loop), names);
  for (size_t o = states; o < names.size(); ++o) {
    if (names[o] == outputs[o]) continue;
    const ValueId stacked = scope.values.at(names[o]);
    const size_t rank = scope.target->graph.type(stacked).shape.size();
    const Slices& slices = scanned.out[o - states];
    place_scan_output(scope, stacked, axis_in(slices.axis, rank), slices.is_backward, outputs[o]);
  }
}

void Builder::add_scan_of_batch(Scope& scope, const SourceNode& source_node, const Node& node,
                                const std::vector<std::string>& outputs) {
  const onnx::GraphProto& body = *read_bodies(*source_node.proto, *node.def)[0];
  if (node.inputs.empty() || scope.target->graph.type(node.inputs[0]).shape.empty())
    throw user_error("a Scan of opset 8 needs inputs with a batch axis");
  std::vector<std::string> captured;
  if (!capture(scope, {&body}, &captured)) return poison(scope, *source_node.proto);
  require_equal_extents(scope.target->graph, node.inputs,
                        std::vector<int64_t>(node.inputs.size(), 0));
  const int problems = diag_.count() + static_cast<int>(unsupported.size());
  const SourceGraph nothing;
  Target target;
  Scope inner;
  inner.source = &nothing;
  begin_loop(scope, body.name() + ".batch", &target, &inner);
  Node loop, sample = node;
  loop.inputs = {add_extent(scope, node.inputs[0], 0, node.op), ValueId()};
  for (const std::string& name : captured) {
    const ValueId id = get(scope, name);
    if (!scope.target->graph.value(id).constant) loop.inputs.push_back(id);
  }
  hand_in(scope, inner, captured);
  for (ValueId& input : sample.inputs) {
    const ValueId all = hand_in_value(scope, input, inner, &loop);
    input = add_node(inner, "Gather", {all, target.graph.inputs[0]}, {{"axis", int64_t{0}}},
                     unused_name(inner, target.graph.value(all).name + ".sample"));
  }
  std::vector<std::string> names;
  for (size_t o = 0; o < outputs.size(); ++o)
    names.push_back(unused_name(inner, fmt::format("{}.result{}", body.name(), o)));
  add_scan_of_sample(inner, source_node, sample, names);
  if (diag_.count() + static_cast<int>(unsupported.size()) != problems)
    return poison(scope, *source_node.proto);
  for (const std::string& name : names) target.graph.outputs.push_back(get(inner, name));
  end_loop(scope, node, std::move(target), std::move(loop), outputs);
}

}  // namespace macec
