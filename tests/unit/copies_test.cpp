// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which copies a plan has: graphs in text form through all passes and the planner.
#include "compiler/ir/text.h"
#include "compiler/ops/registry.h"
#include "passes/pass.h"
#include "passes/select_plan.h"
#include "targets/target.h"
#include "tests/catch.h"

using namespace macec;

namespace {

// Steps of the family in the plan for an x86-64 CPU.
int64_t steps_of(Family family, const std::string& source) {
  Graph graph = parse_graph(source, find_op);
  for (NodeId id : std::vector<NodeId>(graph.order)) infer_node(graph, id);
  const Target target = find_target("x86-64");
  PassContext context;
  context.target = &target;
  run_pipeline(graph, context, {}, nullptr);
  const Plan plan = select_plan(graph, target);
  int64_t count = 0;
  for (const Step& step : plan.steps) count += step.kernel.family == family;
  return count;
}

}  // namespace

TEST_CASE("layers of a dense block lie side by side") {
  // One copy: the image into channels-last. Each layer reads all before it.
  CHECK(steps_of(Family::copy, R"(graph "t" (%x: float32[1,8,4,4]) -> (%y) {
  %v = constant float32[8,8,1,1] {seed 1}
  %w = constant float32[4,8,3,3] {seed 2}
  %u = constant float32[4,12,3,3] {seed 3}
  %z = constant float32[2,16,1,1] {seed 4}
  %f: float32[1,8,4,4] = Conv(%x, %v)
  %a: float32[1,8,4,4] = Concat(%f) {axis = 1}
  %g: float32[1,4,4,4] = Conv(%f, %w) {pads = [1, 1, 1, 1]}
  %b: float32[1,12,4,4] = Concat(%f, %g) {axis = 1}
  %p: float32[1,12,4,4] = Relu(%b)
  %h: float32[1,4,4,4] = Conv(%p, %u) {pads = [1, 1, 1, 1]}
  %c: float32[1,16,4,4] = Concat(%f, %g, %h) {axis = 1}
  %q: float32[1,16,4,4] = Relu(%c)
  %r: float32[1,2,4,4] = Conv(%q, %z)
  %y: float32[1,2,1,1] = GlobalAveragePool(%r)
})") == 1);
}

TEST_CASE("a transposition into the order that a convolution wants moves nothing") {
  CHECK(steps_of(Family::copy, R"(graph "t" (%x: float32[1,4,5,8]) -> (%y) {
  %scale = constant float32[8] {fill 1}
  %w = constant float32[2,8,1,1] {seed 4}
  %n: float32[1,4,5,8] = LayerNormalization(%x, %scale)
  %t: float32[1,8,4,5] = Transpose(%n) {perm = [0, 3, 1, 2]}
  %c: float32[1,2,4,5] = Conv(%t, %w)
  %y: float32[1,2,1,1] = GlobalAveragePool(%c)
})") == 0);
}

TEST_CASE("halves of shuffled channels are copied once each") {
  CHECK(steps_of(Family::copy, R"(graph "t" (%x: float32[1,8,4,4]) -> (%y) {
  %five = constant int64[5] {1, 2, 4, 4, 4}
  %four = constant int64[4] {1, 8, 4, 4}
  %v = constant float32[8,8,1,1] {seed 1}
  %w = constant float32[4,4,1,1] {seed 2}
  %z = constant float32[2,8,1,1] {seed 3}
  %f: float32[1,8,4,4] = Conv(%x, %v)
  %r: float32[1,2,4,4,4] = Reshape(%f, %five)
  %t: float32[1,4,2,4,4] = Transpose(%r) {perm = [0, 2, 1, 3, 4]}
  %s: float32[1,8,4,4] = Reshape(%t, %four)
  %a: float32[1,4,4,4], %b: float32[1,4,4,4] = Split(%s) {axis = 1}
  %g: float32[1,4,4,4] = Conv(%b, %w)
  %c: float32[1,8,4,4] = Concat(%a, %g) {axis = 1}
  %h: float32[1,2,4,4] = Conv(%c, %z)
  %y: float32[1,2,1,1] = GlobalAveragePool(%h)
})") == 3);
}

TEST_CASE("bias and activation behind a squeezed convolution belong to it") {
  CHECK(steps_of(Family::pointwise, R"(graph "t" (%x: float32[1,4,9,1]) -> (%y) {
  %w = constant float32[8,4,3,1] {seed 1}
  %axis = constant int64[1] {3}
  %bias = constant float32[8,1] {seed 2}
  %c: float32[1,8,7,1] = Conv(%x, %w)
  %s: float32[1,8,7] = Squeeze(%c, %axis)
  %a: float32[1,8,7] = Add(%s, %bias)
  %r: float32[1,8,7] = Relu(%a)
  %y: float32[1,8,1] = GlobalMaxPool(%r)
})") == 0);
}
