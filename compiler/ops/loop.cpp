// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop: a body run for iteration = 0, 1, ... while there are iterations left and the condition
// holds.
//
//   inputs   trip count or none, condition or none, carried..., captured...
//   body     (iteration, condition, carried..., captured...) -> (condition, carried..., scan
//   outputs...) outputs  carried..., scan outputs stacked along a new first axis
//
// Carried values keep their type. The number of iterations is exact where the trip count is known
// and nothing can end the loop before; else it is a run-time extent up to the known trip count.
// Without any bound there may be no scan outputs.
#include <algorithm>

#include "compiler/ops/bodies.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// evaluate gives up after so many, rather than never: a model is not trusted.
constexpr int64_t kMaxIterations = 1000000;

size_t carried_count(const Node& node) {
  return static_cast<size_t>(node.int_attribute("carried", 0));
}

void set_parameters(InferContext& context, Graph* body) {
  size_t parameters = context.node.inputs.size();
  size_t scans = context.node.outputs.size() - carried_count(context.node);
  if (body->inputs.size() != parameters ||
      body->outputs.size() != 1 + carried_count(context.node) + scans) {
    throw user_error("a body with {} parameters and {} results for {} inputs and {} outputs",
                     body->inputs.size(), body->outputs.size(), parameters,
                     context.node.outputs.size());
  }
  set_parameter(body, 0, {DType::int64, {}, Layout::plain});
  set_parameter(body, 1, {DType::boolean, {}, Layout::plain});
  // A body that runs sees a condition that holds.
  if (context.has(1)) body->value(body->inputs[1]).known = std::vector<Dim>{1};
  for (size_t i = 2; i < parameters; ++i) {
    if (i < 2 + carried_count(context.node)) {
      set_parameter(body, i, context.type(static_cast<int>(i)));
    } else {
      pass_input(context, static_cast<int>(i), body, i);
    }
  }
}

void check_results(const Graph& body, size_t carried, bool has_known_trips) {
  const TensorType& goes = body.type(body.outputs[0]);
  if (goes.dtype != DType::boolean || product(goes.shape) != Dim(1))
    throw user_error("the body's condition is {} instead of one bool", text(goes));
  for (size_t c = 0; c < carried; ++c) {
    const TensorType& before = body.type(body.inputs[2 + c]);
    const TensorType& after = body.type(body.outputs[1 + c]);
    if (before.dtype == after.dtype && before.shape == after.shape) continue;
    throw user_error("a carried value that changes from {} to {} is not supported{}", text(before),
                     text(after),
                     has_known_trips ? "" : " where the trip count is computed when the model runs")
        .hint(fmt::format("it is parameter '{}' of the loop's body",
                          body.value(body.inputs[2 + c]).name));
  }
}

bool is_known_true(const Graph& body, ValueId id) {
  const Value& value = body.value(id);
  if (value.constant) return value.constant->count() == 1 && value.constant->i64(0) != 0;
  return value.known && value.known->size() == 1 && (*value.known)[0] == Dim(1);
}

// Whether only the trip count ends the loop.
bool runs_to_the_end(const InferContext& context, const Graph& body) {
  if (!context.has(1)) return true;
  const std::vector<Dim>* condition = context.known(1);
  return condition && (*condition)[0] == Dim(1) && is_known_true(body, body.outputs[0]);
}

// A trip count that only says "until the condition ends it".
constexpr int64_t kNoTripCount = int64_t{1} << 31;

Dim iterations(InferContext& context, const Graph& body, int output) {
  const std::vector<Dim>* trips = context.known(0);
  const std::string& name =
      context.graph.value(context.node.outputs[static_cast<size_t>(output)]).name;
  if (trips && runs_to_the_end(context, body)) return max(0, (*trips)[0]);
  int64_t most = trips ? max(0, (*trips)[0]).hi() : kNoTripCount;
  const auto bound = context.graph.bounds.find(name);
  if (bound != context.graph.bounds.end()) most = std::min(most, bound->second);
  if (most < kNoTripCount) return computed_extent(context, output, 0, 0, most);
  const Value* value = context.has(0) ? &context.graph.value(context.node.inputs[0]) : nullptr;
  std::string count =
      trips   ? fmt::format("its trip count is {}", (*trips)[0].text())
      : value ? fmt::format("its trip count '{}' is computed when the model runs", value->name)
              : "it has no trip count";
  throw user_error(
      "a loop with scan outputs is not supported where the number of iterations "
      "has no bound: {}",
      count)
      .hint(fmt::format("say how many at most: --bound {}=N", name))
      .hint(value && !trips
                ? fmt::format("if '{}' is an input of the model, give it a value: --set {}=N",
                              value->name, value->name)
                : std::string("give the loop a trip count"));
}

void check_head(const InferContext& context) {
  const auto check = [&](int input, DType dtype, const char* what) {
    if (!context.has(input)) return;
    const TensorType& type = context.type(input);
    if (type.dtype != dtype || product(type.shape) != Dim(1))
      throw user_error("{} is {} instead of one {}", what, text(type), name(dtype));
  };
  check(0, DType::int64, "the trip count");
  check(1, DType::boolean, "the condition");
}

void infer_loop(InferContext& context) {
  check_head(context);
  Node& node = node_with_bodies(context);
  MACEC_CHECK(node.bodies.size() == 1, "a Loop with {} bodies", node.bodies.size());
  Graph& body = node.bodies[0];
  size_t carried = carried_count(node);
  set_parameters(context, &body);
  infer_body(context, &body);
  check_results(body, carried, context.known(0) != nullptr);
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    const TensorType& type = body.type(body.outputs[1 + o]);
    Shape shape = type.shape;
    if (o >= carried) {
      if (!node.outputs[o].is_valid()) continue;
      shape.insert(shape.begin(), iterations(context, body, static_cast<int>(o)));
    }
    context.set_type(static_cast<int>(o), type.dtype, shape);
  }
}

// Slices of equal shape along a new first axis; the type says the shape when there are none.
Tensor stack(const std::vector<Tensor>& slices, const TensorType& type) {
  std::vector<int64_t> shape = {static_cast<int64_t>(slices.size())};
  for (const Dim& d : type.shape) shape.push_back(d.is_fixed() ? d.value() : 0);
  if (!slices.empty()) {
    shape.resize(1);
    shape.insert(shape.end(), slices[0].shape.begin(), slices[0].shape.end());
  }
  Tensor result(type.dtype, shape);
  size_t at = 0;
  for (const Tensor& slice : slices) {
    if (slice.shape != slices[0].shape) throw user_error("a scan output that changes its shape");
    std::copy(slice.bytes.begin(), slice.bytes.end(),
              result.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    at += slice.bytes.size();
  }
  return result;
}

void evaluate_loop(EvaluateContext& context) {
  const Graph& body = context.node.bodies[0];
  size_t carried = carried_count(context.node);
  int64_t trips = context.has(0) ? context.in(0).i64(0) : INT64_MAX;
  bool holds = !context.has(1) || context.in(1).i64(0) != 0;
  std::vector<Tensor> parameters(2);
  for (size_t i = 2; i < context.inputs.size(); ++i) parameters.push_back(*context.inputs[i]);
  std::vector<std::vector<Tensor>> scans(context.outputs.size() - carried);

  for (int64_t i = 0; i < trips && holds; ++i) {
    if (i == kMaxIterations) throw user_error("a loop of more than {} iterations", kMaxIterations);
    parameters[0] = Tensor::scalar_i64(i);
    parameters[1] = Tensor(DType::boolean, {});
    parameters[1].set_i64(0, 1);
    std::vector<Tensor> results = context.run_body(body, parameters);
    // Without a condition input the body's condition is not looked at.
    if (context.has(1)) holds = results[0].i64(0) != 0;
    for (size_t c = 0; c < carried; ++c) parameters[2 + c] = std::move(results[1 + c]);
    for (size_t s = 0; s < scans.size(); ++s) {
      scans[s].push_back(std::move(results[1 + carried + s]));
    }
  }
  for (size_t c = 0; c < carried; ++c) context.outputs[c] = std::move(parameters[2 + c]);
  for (size_t s = 0; s < scans.size(); ++s) {
    context.outputs[carried + s] = stack(scans[s], body.type(body.outputs[1 + carried + s]));
  }
}

// Scan: import writes it as a Loop over the slices (compiler/onnx/scan.cpp).
void infer_scan(InferContext&) {
  MACEC_CHECK(false, "a Scan is in a graph");
}
void evaluate_scan(EvaluateContext&) {
  MACEC_CHECK(false, "a Scan is in a graph");
}

// Opset 8 has lengths in front of the inputs.
void import_scan(ImportContext& context) {
  std::vector<ValueId>& inputs = context.node.inputs;
  if (!inputs.empty() && inputs[0].is_valid())
    throw user_error("a Scan with sequence lengths is not supported");
  if (!inputs.empty()) inputs.erase(inputs.begin());
  const auto directions = context.node.attributes.find("directions");
  if (directions == context.node.attributes.end()) return;
  context.node.attributes["scan_input_directions"] = directions->second;
  context.node.attributes.erase("directions");
}

OpDef scan_def() {
  OpDef op;
  op.name = "Scan";
  op.doc =
      "A body for each slice of the scan inputs along an axis: states [...], and scan outputs "
      "[slices, ...].";
  op.min_inputs = 1;
  op.max_inputs = -1;
  op.min_outputs = 1;
  op.max_outputs = -1;
  op.attributes = {{AttributeDef::graph, "body", true},
                   {AttributeDef::integer, "num_scan_inputs", true},
                   {AttributeDef::integers, "scan_input_axes"},
                   {AttributeDef::integers, "scan_input_directions"},
                   {AttributeDef::integers, "scan_output_axes"},
                   {AttributeDef::integers, "scan_output_directions"}};
  op.versions = {{"", "Scan", 8, 8, import_scan}, {"", "Scan", 9, kLatestOpset, nullptr}};
  op.traits = kControlFlow;
  op.infer = infer_scan;
  op.evaluate = evaluate_scan;
  return op;
}

}  // namespace

void append_loop(OpList& ops) {
  ops.push_back(scan_def());

  OpDef op;
  op.name = "Loop";
  op.doc =
      "A body repeated up to a trip count while its condition holds: carried values [...], and "
      "scan outputs [iterations, ...].";
  op.min_inputs = 2;
  op.max_inputs = -1;
  op.min_outputs = 1;
  op.max_outputs = -1;
  op.attributes = {{AttributeDef::graph, "body", true}, {AttributeDef::integer, "carried"}};
  op.versions = {{"", "Loop", kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kControlFlow;
  op.infer = infer_loop;
  op.evaluate = evaluate_loop;
  ops.push_back(std::move(op));
}

}  // namespace macec
