// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Squeeze goes behind elementwise work, which then stands behind the convolution that it belongs to.
//
//   %c: [n, m, w, 1] = Conv(%x)        %c: [n, m, w, 1] = Conv(%x)
//   %s: [n, m, w] = Squeeze(%c, 3)     %a: [n, m, w, 1] = Add(%c, const[1, m, 1, 1])
//   %y = Add(%s, const[1, m, 1])       %y: [n, m, w] = Squeeze(%a, 3)
//
// Exporters write convolutions along one axis so; the next one begins with an Unsqueeze, which meets
// the Squeeze then, and both go. Left alone if an operand is neither constant nor squeezed alike.
// Tests: tests/filetests/sink-squeeze/
#include <algorithm>
#include <map>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

struct Squeezed {
  ValueId whole;              // with the axes
  std::vector<int64_t> axes;  // of whole, sorted
};

struct SqueezeSinker {
  Graph& graph;
  std::map<int32_t, Squeezed> squeezed;  // value -> what it is
  bool changed = false;

  // Constant axes of a Squeeze or Unsqueeze, counted in the larger rank.
  std::optional<std::vector<int64_t>> axes_of(const Node& node, int rank) const {
    if (node.inputs.size() < 2 || !node.inputs[1].is_valid() || !node.epilogue.empty())
      return std::nullopt;
    const Tensor* t = graph.value(node.inputs[1]).constant.get();
    if (!t || t->count() == 0) return std::nullopt;
    std::vector<int64_t> axes = to_i64(*t);
    for (int64_t& axis : axes)
      if (axis < 0) axis += rank;
    std::sort(axes.begin(), axes.end());
    return axes;
  }

  bool is_kernel(ValueId v) const {
    if (!graph.value(v).producer.is_valid()) return false;
    const std::string& op = graph.node(graph.value(v).producer).op;
    return op == "Conv" || op == "ConvTranspose";
  }

  // The shape of rank axes.size() less, with ones at the axes.
  template <class Extent>
  static std::vector<Extent> unsqueezed(const std::vector<Extent>& shape, size_t rank,
                                        const std::vector<int64_t>& axes) {
    std::vector<Extent> result = shape;
    while (result.size() + axes.size() < rank) result.insert(result.begin(), Extent(1));
    for (int64_t axis : axes) result.insert(result.begin() + axis, Extent(1));
    return result;
  }

  // What the operands have in common; none: the node stays.
  const Squeezed* common(const Node& node) const {
    const Squeezed* found = nullptr;
    if (!(node.def->traits & kElementwise) || !node.epilogue.empty() || node.outputs.size() != 1 ||
        node.has_attribute("axis"))
      return nullptr;
    const int rank = graph.type(node.outputs[0]).rank();
    for (ValueId v : node.inputs) {
      if (!v.is_valid()) continue;
      const auto at = squeezed.find(v.index);
      if (at == squeezed.end() && !graph.value(v).constant) return nullptr;
      if (at == squeezed.end()) continue;
      if (graph.type(v).rank() != rank || (found && found->axes != at->second.axes)) return nullptr;
      found = &at->second;
    }
    return found;
  }

  void sink(NodeId id) {
    const Squeezed* like = common(graph.node(id));
    if (!like) return;
    const std::vector<int64_t> axes = like->axes;
    const size_t rank = static_cast<size_t>(graph.type(like->whole).rank());
    NewNode work;
    work.op = graph.node(id).op;
    work.def = graph.node(id).def;
    work.name = graph.node(id).name;
    work.attributes = graph.node(id).attributes;
    for (ValueId v : std::vector<ValueId>(graph.node(id).inputs)) {
      const auto at = v.is_valid() ? squeezed.find(v.index) : squeezed.end();
      if (at != squeezed.end()) {
        v = at->second.whole;
      } else if (v.is_valid() && graph.value(v).constant->count() != 1) {
        Tensor wide = *graph.value(v).constant;
        wide.shape = unsqueezed(wide.shape, rank, axes);
        v = add_constant(graph, graph.value(v).name, std::move(wide));
      }
      work.inputs.push_back(v);
    }
    const ValueId out = graph.node(id).outputs[0];
    const TensorType type = graph.type(out);
    const NodeId made =
        insert_before(graph, id, std::move(work),
                      {{type.dtype, unsqueezed(type.shape, rank, axes), type.layout}}, {id});
    NewNode squeeze;
    squeeze.op = "Squeeze";
    squeeze.def = find_op(squeeze.op);
    squeeze.name = graph.node(id).name;
    squeeze.inputs = {graph.node(made).outputs[0],
                      add_constant(graph, squeeze.name + ".axes", Tensor::vector_i64(axes))};
    const NodeId last = insert_before(graph, id, std::move(squeeze), {type}, {id});
    const ValueId result = graph.node(last).outputs[0];
    replace_all_uses(graph, out, result);
    squeezed[result.index] = {graph.node(made).outputs[0], axes};
    changed = true;
  }

  void visit(NodeId id) {
    const Node& node = graph.node(id);
    if (node.op == "Squeeze") {
      const ValueId whole = node.inputs[0];
      const auto axes = axes_of(node, graph.type(whole).rank());
      if (axes && is_kernel(whole)) squeezed[node.outputs[0].index] = {whole, *axes};
      return;
    }
    const auto at = node.inputs.empty() ? squeezed.end() : squeezed.find(node.inputs[0].index);
    if (node.op == "Unsqueeze" && at != squeezed.end()) {
      const auto axes = axes_of(node, graph.type(node.outputs[0]).rank());
      if (!axes || *axes != at->second.axes) return;
      replace_all_uses(graph, node.outputs[0], at->second.whole);
      changed = true;
      return;
    }
    sink(id);
  }
};

}  // namespace

bool sink_squeeze(Graph& graph, PassContext&) {
  SqueezeSinker sinker{graph, {}};
  for (NodeId id : std::vector<NodeId>(graph.order)) sinker.visit(id);
  if (sinker.changed) remove_dead(graph);
  return sinker.changed;
}

}  // namespace macec
