// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Loop as one copy of its body for each iteration, where it cannot stay a loop: it carries or reads sequences, which
// exist at compile time only, or a value changes its shape from one iteration to the next.
//
//   y, all = Loop(3, "", x) { a = Concat(a, w); r = ReduceSum(a) }      a1 = Concat(x, w)  a2 = Concat(a1, w) ...
//                                                                        all = Concat(r1, r2, r3), y = a3
//
// The trap: the number of iterations must be known now, and so must be whether the body's condition holds.
// Tests: tests/ops/beyond_sequences.py, tests/ops/beyond_structure.py
#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/onnx/attributes.h"
#include "compiler/onnx/builder.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int kLoopHead = 2;  // iteration, condition
constexpr int64_t kMostIterations = 4096;

const onnx::GraphProto& body_of(const onnx::NodeProto& proto) {
  for (const auto& attribute : proto.attribute())
    if (attribute.name() == "body" && attribute.has_g()) return attribute.g();
  throw user_error("the attribute 'body' is missing");
}

}  // namespace

// The only element of an integer or bool value that is known at compile time.
std::optional<int64_t> Builder::known_number(const Graph& graph, ValueId id) const {
  const Value& value = graph.value(id);
  if (value.constant) {
    if (value.constant->count() != 1 || info(value.constant->dtype).is_float) return {};
    return value.constant->i64(0);
  }
  if (value.known && value.known->size() == 1 && (*value.known)[0].is_fixed())
    return (*value.known)[0].value();
  return {};
}

// What a name stands for, tensor or sequence.
Builder::Meaning Builder::meaning(Scope& scope, const std::string& name) {
  if (const Composite* list = find_composite(scope, name)) return {ValueId(), *list};
  return {get(scope, name), {}};
}

void Builder::give(Scope& scope, const std::string& name, Meaning meaning) {
  if (name.empty()) return;
  if (meaning.list)
    scope.composites[name] = std::move(*meaning.list);
  else
    scope.values[name] = meaning.value;
}

// Iterations that are left at most; throws if that is not known.
int64_t Builder::trip_count(Scope& scope, const onnx::NodeProto& proto) {
  const auto number = [&](int i, int64_t otherwise, const char* what) {
    if (i >= proto.input_size() || proto.input(i).empty()) return otherwise;
    const std::optional<int64_t> known =
        known_number(scope.target->graph, get(scope, proto.input(i)));
    if (known) return *known;
    throw user_error("{} '{}' is computed when the model runs, which is not supported", what,
                     printable(proto.input(i)))
        .hint(
            "a loop that carries or reads sequences is unrolled, so its iterations must be "
            "constant");
  };
  const int64_t trips = number(0, INT64_MAX, "the trip count");
  return number(1, 1, "the condition") ? std::max<int64_t>(trips, 0) : 0;
}

bool Builder::can_unroll(Scope& scope, const onnx::NodeProto& proto) {
  try {
    return trip_count(scope, proto) <= kMostIterations;
  } catch (const UserError&) {
    return false;
  }
}

// The parameters of the body in iteration i.
void Builder::enter(Scope& scope, const onnx::GraphProto& body, int64_t i,
                    const std::vector<Meaning>& state, Scope* inner) {
  inner->target = scope.target;
  inner->outer = &scope;
  Graph& graph = scope.target->graph;
  Tensor holds(DType::boolean, {});
  holds.set_i64(0, 1);
  inner->values[body.input(0).name()] = add_constant(graph, "iteration", Tensor::scalar_i64(i));
  inner->values[body.input(1).name()] = add_constant(graph, "condition", std::move(holds));
  for (size_t c = 0; c < state.size(); ++c)
    give(*inner, body.input(kLoopHead + static_cast<int>(c)).name(), state[c]);
}

void Builder::unroll(Scope& scope, const SourceNode& node) {
  const onnx::NodeProto& proto = *node.proto;
  const onnx::GraphProto& body = body_of(proto);
  const int carried = std::max(proto.input_size() - kLoopHead, 0);
  const int scans = body.output_size() - 1 - carried;
  if (body.input_size() != kLoopHead + carried || scans < 0 ||
      proto.output_size() > carried + scans)
    throw user_error("the body has {} and {} for {} of the loop",
                     plural(body.input_size(), "input"), plural(body.output_size(), "output"),
                     plural(carried, "carried value"));
  int depth = scope.target->depth;
  for (const Scope* at = &scope; at; at = at->outer) ++depth;
  if (depth > kDeepestBodies)
    throw user_error("graphs in graphs more than {} levels deep are not supported", kDeepestBodies);
  const bool has_condition = proto.input_size() > 1 && !proto.input(1).empty();
  const SourceGraph source_graph = source.read(body, *node.opsets, Cut());
  Graph& graph = scope.target->graph;
  std::vector<Meaning> state;
  for (int c = 0; c < carried; ++c) state.push_back(meaning(scope, proto.input(kLoopHead + c)));
  std::vector<std::vector<ValueId>> stacks(static_cast<size_t>(scans));
  const int64_t trips = trip_count(scope, proto);
  bool goes = true;
  for (int64_t i = 0; i < trips && goes; ++i) {
    mapped_nodes_ += 1 + static_cast<int64_t>(source_graph.nodes.size());
    if (i >= kMostIterations || mapped_nodes_ > kMostExpandedNodes)
      throw user_error("a loop that is unrolled has at most {} iterations and {} nodes",
                       kMostIterations, kMostExpandedNodes);
    Scope inner;
    inner.source = &source_graph;
    enter(scope, body, i, state, &inner);
    build(inner);
    for (int k = 0; k < body.output_size(); ++k) {
      const Meaning made = meaning(inner, body.output(k).name());
      if (!made.list && graph.type(made.value).dtype == DType::undefined)
        return poison(scope, proto);  // its error is reported
      if (k > 0 && k <= carried) state[static_cast<size_t>(k - 1)] = made;
      if (k > 0 && k <= carried) continue;
      if (made.list)
        throw user_error(
            "the body's output '{}' is a sequence, and only a carried value may be one",
            printable(body.output(k).name()));
      if (k > 0) stacks[static_cast<size_t>(k - 1 - carried)].push_back(made.value);
      if (k > 0 || !has_condition) continue;
      const std::optional<int64_t> known = known_number(graph, made.value);
      if (!known)
        throw user_error(
            "the body's condition '{}' is computed when the model runs, which is not supported",
            printable(body.output(0).name()))
            .hint(
                "a loop that carries or reads sequences is unrolled, so its iterations must be "
                "constant");
      goes = *known != 0;
    }
  }
  for (int k = 0; k < proto.output_size(); ++k)
    give(scope, proto.output(k),
         k < carried ? state[static_cast<size_t>(k)]
                     : Meaning{stacked(scope, node, stacks[static_cast<size_t>(k - carried)]), {}});
}

// The slices along a new first axis.
ValueId Builder::stacked(Scope& scope, const SourceNode& node, std::vector<ValueId> slices) {
  if (slices.empty())
    throw user_error("scan outputs of no iteration are not supported where the loop is unrolled");
  const ValueId axes = add_constant(scope.target->graph, "axes", Tensor::vector_i64({0}));
  for (ValueId& slice : slices) slice = add_unnamed(scope, node, "Unsqueeze", {slice, axes}, {})[0];
  return add_unnamed(scope, node, "Concat", slices, {{"axis", int64_t{0}}})[0];
}

// Whether a value that the loop carries has another shape after an iteration.
bool Builder::changes_shapes(const Node& loop) {
  const Graph& body = loop.bodies[0];
  const size_t carried = static_cast<size_t>(loop.int_attribute("carried", 0));
  for (size_t c = 0; c < carried && 1 + c < body.outputs.size(); ++c) {
    const TensorType& before = body.type(body.inputs[static_cast<size_t>(kLoopHead) + c]);
    const TensorType& after = body.type(body.outputs[1 + c]);
    if (before.dtype == after.dtype && before.shape != after.shape) return true;
  }
  return false;
}

// Whether a Loop must be unrolled because of sequences.
bool Builder::has_sequences(Scope& scope, const onnx::NodeProto& proto) {
  for (const std::string& input : proto.input())
    if (!input.empty() && find_composite(scope, input)) return true;
  const std::vector<std::string>& free = source.free_names(body_of(proto));
  return std::any_of(
             free.begin(), free.end(),
             [&](const std::string& name) { return find_composite(scope, name) != nullptr; }) &&
         can_unroll(scope, proto);
}

}  // namespace macec
