// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>

#include "compiler/ir/text.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct Verifier {
  const Graph& graph;
  std::string_view after;
  std::vector<bool> defined;

  void require(bool condition, const std::string& what) const {
    if (!condition)
      throw InternalError(fmt::format("after {}: {} (graph '{}')", after, what, graph.name));
  }
  void define(ValueId id) {
    require(id.is_valid() && static_cast<size_t>(id.index) < graph.values.size(),
            "a value id out of range");
    require(!defined[static_cast<size_t>(id.index)],
            "value '" + graph.value(id).name + "' is defined twice");
    defined[static_cast<size_t>(id.index)] = true;
  }
  bool is_available(ValueId id) const {
    if (static_cast<size_t>(id.index) >= graph.values.size()) return false;
    if (defined[static_cast<size_t>(id.index)]) return true;
    // Known contents without a producer say shapes and have no bytes: passes/cut_shapes.cpp.
    const Value& value = graph.value(id);
    return value.constant || (value.known && !value.producer.is_valid());
  }

  void check_steps(const Node& node) const {
    for (size_t s = 0; s < node.epilogue.size(); ++s)
      for (const StepArg& arg : node.epilogue[s].args) {
        if (arg.kind == StepArg::step)
          require(arg.index >= 0 && arg.index < static_cast<int>(s), "a step reads a later step");
        if (arg.kind == StepArg::input) {
          require(arg.index >= 0 && arg.index < static_cast<int>(node.inputs.size()),
                  "a step reads no input");
        }
        if (arg.kind == StepArg::result)
          require(node.op != "Pointwise", "a Pointwise node has no main result");
      }
  }

  void check_node(NodeId id) {
    const Node& node = graph.node(id);
    require(!node.is_dead, "a dead node '" + node.name + "' is in the order");
    for (ValueId input : node.inputs) {
      if (input.is_valid())
        require(is_available(input), "node '" + node.name + "' reads a value before it is defined");
    }
    for (ValueId output : node.outputs) {
      if (!output.is_valid()) continue;
      require(graph.value(output).producer == id,
              "producer of '" + graph.value(output).name + "' is wrong");
      define(output);
    }
    check_steps(node);
    for (const Graph& body : node.bodies) verify(body, after);
  }

  void run() {
    for (ValueId input : graph.inputs) define(input);
    for (NodeId id : graph.order) check_node(id);
    for (ValueId output : graph.outputs)
      require(output.is_valid() && is_available(output), "an output is not defined");
    for (const Value& value : graph.values) {
      if (!value.constant) continue;
      require(value.constant->dtype == value.type.dtype,
              "constant '" + value.name + "' has another type than declared");
      require(to_shape(value.constant->shape) == value.type.shape,
              "constant '" + value.name + "' has another shape");
    }
  }
};

}  // namespace

void verify(const Graph& graph, std::string_view after) {
  Verifier verifier{graph, after, std::vector<bool>(graph.values.size(), false)};
  verifier.run();
}

}  // namespace macec
