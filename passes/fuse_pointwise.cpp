// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise nodes become chains, and chains become epilogues.
//
//   %a = Conv(%x, %w)                     %b = Conv(%x, %w, _, %skip) | Add(., %skip) | Relu(#0)
//   %b = Relu(Add(%a, %skip))
//
// A node merges with the one before it when all uses of that one's result are in this node and both
// have the same shape, so nothing is computed twice. The merged node stands where the later one
// stood. A chain that vectors can compute never merges with one that they cannot: all of it would
// become scalar. Tests: tests/filetests/fuse-pointwise/
#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

constexpr size_t kMostInputs = 12;  // of one chain: less than kMaxOperands
constexpr size_t kMostSteps = 64;

// Kernels of these operators take an epilogue; columns: the axis that their columns run along.
bool takes_epilogue(const Graph& graph, const Node& node, int* columns) {
  if (node.outputs.size() != 1) return false;
  const int rank = graph.type(node.outputs[0]).rank();
  const bool has_channels = node.op == "Conv" || node.op == "ConvTranspose" ||
                            node.op == "InstanceNormalization" || node.op == "GroupNormalization";
  *columns = has_channels ? 1 : rank - 1;
  return rank >= 1 && (has_channels || node.op == "Gemm" || node.op == "MatMul");
}

bool is_float(DType t) {
  return t == DType::float32 || t == DType::float16 || t == DType::bfloat16;
}

struct Fuser {
  Graph& graph;
  PassContext& context;
  Users users;
  std::vector<int> position;  // node -> place in the order
  bool changed = false;

  // Turns an elementwise node into a Pointwise one.
  void to_pointwise(Node& node) {
    std::vector<PointwiseStep> steps;
    std::vector<int> results;
    if (node.op == "Pointwise" || node.outputs.size() != 1 || !(node.def->traits & kElementwise))
      return;
    if (!node.epilogue.empty() || !elementwise_steps(graph, node, &steps, &results)) return;
    if (steps.empty() || results.size() != 1 || results[0] != static_cast<int>(steps.size()) - 1)
      return;
    node.op = "Pointwise";
    node.def = find_op("Pointwise");
    node.attributes.clear();
    node.epilogue = std::move(steps);
    drop_unused_inputs(node);
    changed = true;
  }

  static void drop_unused_inputs(Node& node) {
    std::vector<ValueId> inputs;
    std::vector<int> moved(node.inputs.size(), -1);
    for (PointwiseStep& step : node.epilogue)
      for (StepArg& arg : step.args) {
        if (arg.kind != StepArg::input) continue;
        int& to = moved[static_cast<size_t>(arg.index)];
        if (to < 0) {
          const ValueId value = node.inputs[static_cast<size_t>(arg.index)];
          const auto at = std::find(inputs.begin(), inputs.end(), value);
          to = static_cast<int>(at - inputs.begin());
          if (at == inputs.end()) inputs.push_back(value);
        }
        arg.index = to;
      }
    node.inputs = std::move(inputs);
  }

  // All uses of the value are in this node.
  bool only_here(ValueId value, NodeId user) const {
    if (users.is_output(value)) return false;
    for (const Use& use : users.of(value))
      if (use.node != user) return false;
    return true;
  }

  std::vector<DType> types(const std::vector<ValueId>& values) const {
    std::vector<DType> result;
    for (ValueId v : values)
      result.push_back(v.is_valid() ? graph.type(v).dtype : DType::undefined);
    return result;
  }

  bool is_vector(const std::vector<PointwiseStep>& steps, const std::vector<ValueId>& inputs,
                 DType main) const {
    return has_vector_form(steps, types(inputs), main, {static_cast<int>(steps.size()) - 1});
  }

  // An operand that a kernel of rows and columns can read: one element, one per column, or the
  // whole shape.
  bool fits(ValueId operand, const Shape& shape, int columns) const {
    const Shape& own = graph.type(operand).shape;
    if (graph.type(operand).count() == Dim(1) || own == shape) return true;
    const size_t skipped = shape.size() - own.size();
    if (own.size() > shape.size()) return false;
    bool whole = true;  // up to leading ones of the shape
    for (size_t a = 0; a < shape.size(); ++a) {
      const Dim extent = a < skipped ? Dim(1) : own[a - skipped];
      whole = whole && extent == shape[a];
    }
    if (whole) return true;
    for (size_t a = 0; a < shape.size(); ++a) {
      const Dim extent = a < skipped ? Dim(1) : own[a - skipped];
      if (extent != Dim(1) && (static_cast<int>(a) != columns || extent != shape[a])) return false;
    }
    return true;
  }

  // Appends the steps of `node`, reading `main` as the main result or as step `main_step`, behind
  // those of `to`.
  void append_steps(const Node& node, ValueId main, StepArg main_arg, Node* to) const {
    const int base = static_cast<int>(to->epilogue.size());
    for (PointwiseStep step : node.epilogue) {
      for (StepArg& arg : step.args) {
        if (arg.kind == StepArg::step) arg.index += base;
        if (arg.kind != StepArg::input) continue;
        const ValueId value = node.inputs[static_cast<size_t>(arg.index)];
        if (value == main) {
          arg = main_arg;
          continue;
        }
        // An own input of a kernel is never shared with the epilogue: the kernel may read it in
        // another form.
        const size_t from = to->op == "Pointwise" ? 0 : static_cast<size_t>(to->def->max_inputs);
        auto at = to->inputs.size() > from
                      ? std::find(to->inputs.begin() + static_cast<std::ptrdiff_t>(from),
                                  to->inputs.end(), value)
                      : to->inputs.end();
        if (at == to->inputs.end()) {
          to->inputs.push_back(value);
          at = to->inputs.end() - 1;
        }
        arg.index = static_cast<int>(at - to->inputs.begin());
      }
      to->epilogue.push_back(std::move(step));
    }
  }

  bool may_join(const Node& before, const Node& node, ValueId main, int columns) const {
    const TensorType &from = graph.type(main), &to = graph.type(node.outputs[0]);
    if (from.shape != to.shape || before.epilogue.size() + node.epilogue.size() > kMostSteps)
      return false;
    if (before.inputs.size() + node.inputs.size() > kMostInputs) return false;
    if (before.op == "Pointwise") return true;
    if (!is_float(from.dtype) || !is_float(to.dtype)) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId v) { return v == main || fits(v, to.shape, columns); });
  }

  // The producer of one of the inputs takes this node over. The merged node keeps this node's id
  // and place.
  bool join_producer(NodeId id) {
    Node& node = graph.node(id);
    std::vector<ValueId> inputs = node.inputs;
    std::sort(inputs.begin(), inputs.end(),
              [&](ValueId a, ValueId b) { return place(a) > place(b); });
    for (ValueId main : inputs) {
      const NodeId before_id = graph.value(main).producer;
      if (!before_id.is_valid() || !only_here(main, id)) continue;
      const Node& before = graph.node(before_id);
      int columns = -1;
      const bool is_chain = before.op == "Pointwise";
      if (!is_chain && !takes_epilogue(graph, before, &columns)) continue;
      if (!may_join(before, node, main, columns)) continue;
      Node merged = before;
      if (!is_chain)
        merged.inputs.resize(static_cast<size_t>(merged.def->max_inputs) > merged.inputs.size() &&
                                     merged.epilogue.empty()
                                 ? static_cast<size_t>(merged.def->max_inputs)
                                 : merged.inputs.size());
      const StepArg main_arg =
          before.epilogue.empty()
              ? StepArg{StepArg::result, 0}
              : StepArg{StepArg::step, static_cast<int>(before.epilogue.size()) - 1};
      append_steps(node, main, main_arg, &merged);
      const DType main_type = before.epilogue_input_type != DType::undefined
                                  ? before.epilogue_input_type
                                  : graph.type(main).dtype;
      const bool vector_after =
          is_vector(merged.epilogue, merged.inputs, is_chain ? DType::undefined : main_type);
      if (!is_chain && !vector_after) continue;
      if (is_chain &&
          vector_after != (is_vector(before.epilogue, before.inputs, DType::undefined) ||
                           is_vector(node.epilogue, node.inputs, DType::undefined)))
        continue;
      if (!is_chain && before.epilogue.empty()) merged.epilogue_input_type = main_type;
      merge_origins(merged, node);
      merged.outputs = node.outputs;
      if (context.explain)
        context.explain->push_back("'" + node.name + "' behind '" + before.name + "'");
      Node& old = graph.node(before_id);
      old.is_dead = true;
      graph.value(main).producer = NodeId{};
      graph.node(id) = std::move(merged);
      for (ValueId v : graph.node(id).inputs)
        if (v.is_valid()) users.replace_user(v, before_id, id);
      return changed = true;
    }
    return false;
  }

  int place(ValueId value) const {
    const NodeId producer = graph.value(value).producer;
    return producer.is_valid() ? position[static_cast<size_t>(producer.index)] : -1;
  }

  void run() {
    for (size_t i = 0; i < graph.order.size(); ++i)
      position[static_cast<size_t>(graph.order[i].index)] = static_cast<int>(i);
    for (NodeId id : graph.order) {
      to_pointwise(graph.node(id));
      if (graph.node(id).op != "Pointwise") continue;
      while (graph.node(id).op == "Pointwise" && join_producer(id)) continue;
    }
    graph.order.erase(std::remove_if(graph.order.begin(), graph.order.end(),
                                     [&](NodeId id) { return graph.node(id).is_dead; }),
                      graph.order.end());
  }
};

}  // namespace

bool fuse_pointwise(Graph& graph, PassContext& context) {
  Fuser fuser{graph, context, Users(graph), std::vector<int>(graph.nodes.size(), -1)};
  fuser.run();
  return fuser.changed;
}

}  // namespace macec
