// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from Graph to Plan, private to select_plan.cpp, plan_control.cpp and pack_weights.cpp.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "targets/target.h"

namespace macec {

// What all graphs of one plan (bodies too) add to.
struct PlanBuilder {
  explicit PlanBuilder(const Target& target_) : target(target_) {}
  const Target& target;
  Plan plan;
  std::map<std::string, int> weight_keys;  // contents and packing -> index of weight
  std::map<int, int> weight_buffers;       // weight -> buffer
  int next_loop = 0;

  int new_buffer(const std::string& name, DType dtype, const Dim& elements, Buffer::Place place,
                 int index);
  // Constants among the operands become packed weights and buffers; one-element constants of
  // pointwise work stay as they are.
  void pack_constants(KernelCall* call);
};

class GraphPlanner {
 public:
  GraphPlanner(const Graph& graph, PlanBuilder& builder) : graph_(graph), builder_(builder) {}
  // Appends the steps of the graph. parameters: views of graph.inputs; places: where each output
  // goes (buffer -1: anywhere).
  void run(const std::vector<View>& parameters, const std::vector<View>& places, StepList* steps);
  const View& view(ValueId id);  // of a value already planned, or of a constant

 private:
  View place_of(ValueId id);  // its place, or a new arena buffer
  bool can_be_placed(ValueId id, const Users& users) const;
  bool gathers_axes(const Node& node, const Users& users) const;
  void place_backward();
  void plan_node(const Node& node);
  void plan_control_flow(const Node& node);
  void plan_if(const Node& node);
  void plan_loop(const Node& node);
  std::optional<Lowered> try_lower(const Node& node, const std::map<int32_t, View>& replaced);
  bool lower_with_copies(const Node& node);
  bool lower_in_two(const Node& node);
  void add_call(KernelCall call, const Node& node);
  void add_copy(const View& from, const View& to, const Node& node);
  View in_buffer(ValueId id,
                 const Node& node);  // the value as bytes in memory: constants are copied there
  void finish_outputs(const std::vector<View>& places);

  const Graph& graph_;
  PlanBuilder& builder_;
  StepList* steps_ = nullptr;
  std::map<int32_t, View> views_;   // value -> where it is
  std::map<int32_t, View> placed_;  // value -> where it shall be
};

// Depth-first numbers and the lifetimes of all buffers.
void number_steps(Plan& plan);

}  // namespace macec
