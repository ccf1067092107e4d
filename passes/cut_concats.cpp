// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices of joined slices -> joined slices of slices: a roll along two axes moves every element once.
//
//   %c = Concat(%a, %b, axis 1)            %p = Concat(Slice(%a, 3.., axis 2), Slice(%b, 3.., axis 2), axis 1)
//   %p = Slice(%c, 3.., axis 2)            %q = Concat(Slice(%a, ..3, axis 2), Slice(%b, ..3, axis 2), axis 1)
//   %q = Slice(%c, ..3, axis 2)            %y = Concat(%p, %q, axis 2)
//   %y = Concat(%p, %q, axis 2)
//
// The inner Concats are written straight into the outer one. Only where %a and %b are slices
// themselves, which have to be moved anyhow, and the slices of %c do not overlap.
// Tests: tests/filetests/cut-concats/
#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

struct ConcatCutter {
  Graph& graph;
  Users users;
  bool changed = false;

  static int64_t axis_of(int64_t axis, const Shape& shape) {
    return axis < 0 ? axis + static_cast<int64_t>(shape.size()) : axis;
  }

  bool is_made_by(ValueId v, const char* op) const {
    return graph.value(v).producer.is_valid() && graph.node(graph.value(v).producer).op == op;
  }

  // The only axis that a Slice cuts; -1: several, or not known.
  int64_t sliced_axis(const Node& slice) const {
    if (slice.op != "Slice" || !slice.epilogue.empty() || slice.inputs.size() < 4 ||
        !slice.inputs[3].is_valid())
      return -1;
    const Tensor* axes = graph.value(slice.inputs[3]).constant.get();
    if (!axes || axes->count() != 1) return -1;
    return axis_of(axes->i64(0), graph.type(slice.inputs[0]).shape);
  }

  bool fits(const Node& concat) const {
    const ValueId out = concat.outputs[0];
    if (concat.op != "Concat" || !concat.epilogue.empty() || users.is_output(out) ||
        users.of(out).size() < 2 || !is_fixed(graph.type(out).shape))
      return false;
    for (ValueId part : concat.inputs)
      if (!is_made_by(part, "Slice") && !is_made_by(part, "Split")) return false;
    const int64_t joined = axis_of(concat.int_attribute("axis", 0), graph.type(out).shape);
    int64_t axis = -1, total = 0;
    for (const Use& use : users.of(out)) {
      const Node& slice = graph.node(use.node);
      const int64_t own = use.input == 0 ? sliced_axis(slice) : -1;
      if (own < 0 || own == joined || (axis >= 0 && own != axis)) return false;
      const ValueId part = slice.outputs[0];
      if (!users.single(part) || graph.node(users.of(part)[0].node).op != "Concat") return false;
      axis = own;
      total += graph.type(part).shape[static_cast<size_t>(axis)].value();
    }
    return total <= graph.type(out).shape[static_cast<size_t>(axis)].value();
  }

  void cut(NodeId id) {
    if (!fits(graph.node(id))) return;
    for (const Use& use : users.of(graph.node(id).outputs[0])) {
      const size_t axis = static_cast<size_t>(sliced_axis(graph.node(use.node)));
      const TensorType type = graph.type(graph.node(use.node).outputs[0]);
      NewNode join;
      join.op = "Concat";
      join.def = graph.node(id).def;
      join.name = graph.node(id).name;
      join.attributes = graph.node(id).attributes;
      for (ValueId part : std::vector<ValueId>(graph.node(id).inputs)) {
        NewNode slice;
        slice.op = "Slice";
        slice.def = graph.node(use.node).def;
        slice.name = graph.node(use.node).name;
        slice.attributes = graph.node(use.node).attributes;
        slice.inputs = graph.node(use.node).inputs;
        slice.inputs[0] = part;
        TensorType own = graph.type(part);
        own.shape[axis] = type.shape[axis];
        const NodeId made = insert_before(graph, use.node, std::move(slice), {own}, {use.node});
        join.inputs.push_back(graph.node(made).outputs[0]);
      }
      const NodeId made = insert_before(graph, use.node, std::move(join), {type}, {id, use.node});
      replace_all_uses(graph, graph.node(use.node).outputs[0], graph.node(made).outputs[0]);
    }
    changed = true;
  }
};

}  // namespace

bool cut_concats(Graph& graph, PassContext&) {
  ConcatCutter cutter{graph, Users(graph)};
  for (NodeId id : std::vector<NodeId>(graph.order)) cutter.cut(id);
  if (cutter.changed) remove_dead(graph);
  return cutter.changed;
}

}  // namespace macec
