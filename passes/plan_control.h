// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk from Graph to Plan, private to select_plan.cpp and plan_control.cpp.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/select_plan.h"
#include "targets/target.h"

namespace macec {

// What all graphs of one plan (bodies too) add to.
struct PlanBuilder {
  PlanBuilder(const Target& target_, const PlaceOptions& placing_)
      : target(target_), placing(placing_) {}
  const Target& target;
  const PlaceOptions& placing;
  Plan plan;
  int next_loop = 0;

  int new_buffer(const std::string& name, DType dtype, const Dim& elements, Buffer::Place place,
                 int index) {
    return add_buffer(plan, name, dtype, elements, place, index);
  }
};

// Which devices must be able to do every call of a node.
enum class Wanted { gpu, cpu, any };

class GraphPlanner {
 public:
  // is_body: of control flow, which only the CPU does.
  GraphPlanner(const Graph& graph, PlanBuilder& builder, bool is_body)
      : graph_(graph), builder_(builder), is_body_(is_body) {}
  // Appends the steps of the graph. parameters: views of graph.inputs; places: where each output
  // goes (buffer -1: anywhere).
  void run(const std::vector<View>& parameters, const std::vector<View>& places, StepList* steps);
  const View& view(ValueId id);  // of a value already planned, or of a constant

 private:
  View place_of(ValueId id);  // its place, or a new arena buffer
  // may_share: also a value that several nodes read.
  bool can_be_placed(ValueId id, const Users& users, bool may_share = false) const;
  bool has_patient_users(ValueId id, const Users& users) const;
  bool comes_from_kernel(ValueId id, const Users& users) const;
  bool gathers_axes(const Node& node, const Users& users) const;
  bool joins_neighbours(const Node& node, size_t axis, const Users& users);
  void place_backward();
  void plan_node(const Node& node);
  void plan_control_flow(const Node& node);
  void plan_if(const Node& node);
  void plan_loop(const Node& node);
  void plan_extents(const Node& node);
  std::vector<Wanted> wanted(const Node& node) const;  // in the order to try
  bool choose_rows(KernelCall* call, Wanted wanted) const;
  std::optional<Lowered> try_lower(const Node& node, const std::map<int32_t, View>& replaced,
                                   Wanted wanted);
  std::optional<View> dense_copy(ValueId id, bool is_plain);
  bool lower_with_copies(const Node& node, Wanted wanted);
  bool lower_in_two(const Node& node, Wanted wanted, Wanted rest);
  bool lower(const Node& node);
  void add_call(KernelCall call, const Node& node);
  void add_copy(const View& from, const View& to, const Node& node);
  View in_buffer(ValueId id,
                 const Node& node);  // the value as bytes in memory: constants are copied there
  void finish_outputs(const std::vector<View>& places);

  const Graph& graph_;
  PlanBuilder& builder_;
  const bool is_body_;
  StepList* steps_ = nullptr;
  std::map<int32_t, View> views_;   // value -> where it is
  std::map<int32_t, View> placed_;  // value -> where it shall be
};

// Depth-first numbers and the lifetimes of all buffers.
void number_steps(Plan& plan);

// Of plan_memory: images and shared objects; then the arguments of all launches (gpu_memory.cpp).
void plan_gpu_objects(Plan& plan);
void finish_arguments(Plan& plan);

}  // namespace macec
