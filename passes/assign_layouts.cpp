// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which activations are channels-last.
//
//   %y = Conv(%x)        %x.cl = Relayout(%x)     %y: float32[1,8,6,6]@cl = Conv(%x.cl)
//
// Problem: window kernels read pixels of dense channels; models are plain (NCHW) at their borders, and operators such as Reshape
// see plain order. Method: walk forward; window operators produce channels-last, elementwise work and other layout-blind
// operators keep what they get (but a Pad in front of window operators changes the layout itself), everything else reads
// through strides and produces plain. A change is made once per value, where a window operator meets a plain input, and where
// two operands of elementwise work differ. The model's own inputs and outputs stay plain.
// Good enough: on classifiers this leaves one change at the input, of 1 % of the bytes moved.
// Tests: tests/filetests/assign-layouts/
#include <algorithm>
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

struct Layouts {
  Graph& graph;
  Users users;
  std::map<int32_t, ValueId> changed;  // value -> the same value in channels-last
  bool any = false;

  static bool has_channels(const TensorType& type) { return type.rank() >= 3; }

  // Row-major and channels-last are the same bytes.
  static bool is_both(const TensorType& type) {
    if (!has_channels(type)) return false;
    Dim inner = 1;
    for (size_t a = 2; a < type.shape.size(); ++a) inner *= type.shape[a];
    return inner == Dim(1) || type.shape[1] == Dim(1);
  }

  ValueId channels_last(ValueId id, NodeId before) {
    if (graph.type(id).layout == Layout::channels_last) return id;
    const auto at = changed.find(id.index);
    if (at != changed.end()) return at->second;
    TensorType type = graph.type(id);
    type.layout = Layout::channels_last;
    const std::string name = graph.value(id).name;
    std::vector<NodeId> from;
    if (graph.value(id).producer.is_valid()) from.push_back(graph.value(id).producer);
    NewNode relayout;
    relayout.op = "Relayout";
    relayout.def = find_op("Relayout");
    relayout.name = name;
    relayout.inputs = {id};
    const NodeId node = insert_before(graph, before, relayout, {type}, from);
    any = true;
    return changed[id.index] = graph.node(node).outputs[0];
  }

  void set(ValueId id, Layout layout) {
    if (!id.is_valid() || !has_channels(graph.type(id))) return;
    if (users.is_output(id))
      return;  // the caller's memory is plain; the kernel writes through strides or a copy follows
    any = any || graph.value(id).type.layout != layout;
    graph.value(id).type.layout = layout;
  }

  // A window kernel's result that is a graph output: computed channels-last, then changed.
  void output_of_window(NodeId id) {
    Node& node = graph.node(id);
    const ValueId out = node.outputs[0];
    if (!users.is_output(out) || is_both(graph.type(out))) return set(out, Layout::channels_last);
    TensorType type = graph.type(out);
    type.layout = Layout::channels_last;
    const ValueId inner = add_value(graph, fresh_name(graph, graph.value(out).name), type);
    graph.value(inner).producer = id;
    node.outputs[0] = inner;
    NewNode relayout;
    relayout.op = "Relayout";
    relayout.def = find_op("Relayout");
    relayout.name = graph.value(out).name;
    relayout.inputs = {inner};
    const auto place = std::find(graph.order.begin(), graph.order.end(), id);
    const NodeId next = place + 1 == graph.order.end() ? NodeId{} : *(place + 1);
    const NodeId copy = insert_before(graph, next, relayout, {}, {id});
    graph.node(copy).outputs = {out};
    graph.value(out).producer = copy;
    for (const Use& use : users.of(out))
      if (use.node != copy) graph.node(use.node).inputs[static_cast<size_t>(use.input)] = inner;
    any = true;
  }

  // Every reader is a window operator that has the value as its activations.
  bool only_windows_read(ValueId id) const {
    if (users.is_output(id) || users.of(id).empty() || is_both(graph.type(id))) return false;
    return std::all_of(users.of(id).begin(), users.of(id).end(), [&](const Use& use) {
      return use.input == 0 && (graph.node(use.node).def->traits & kChannelsLast) != 0;
    });
  }

  void visit(NodeId id) {
    const unsigned traits = graph.node(id).def->traits;
    if (graph.node(id).outputs.empty() || !graph.node(id).outputs[0].is_valid()) return;
    if (traits & kChannelsLast) {
      const ValueId in = graph.node(id).inputs[0];
      if (has_channels(graph.type(in)) && !is_both(graph.type(in)))
        graph.node(id).inputs[0] = channels_last(in, id);
      for (size_t o = 1; o < graph.node(id).outputs.size(); ++o)
        set(graph.node(id).outputs[o], Layout::plain);
      relayout_operands(id, true);
      return output_of_window(id);
    }
    if (!(traits & kAnyLayout)) return;
    const TensorType out = graph.type(graph.node(id).outputs[0]);
    if (!has_channels(out)) return;
    bool wants = false;
    for (ValueId in : graph.node(id).inputs) {
      if (in.is_valid())
        wants = wants || (graph.type(in).layout == Layout::channels_last &&
                          graph.type(in).rank() == out.rank());
    }
    const ValueId result = graph.node(id).outputs[0];
    if (!wants && (traits & kChangesLayout) && only_windows_read(result))
      return set(result, Layout::channels_last);
    if (!wants) return;
    relayout_operands(id, false);
    if (traits & kSameLayout) return output_of_window(id);
    for (ValueId v : std::vector<ValueId>(graph.node(id).outputs)) set(v, Layout::channels_last);
  }

  static bool reads(const std::vector<PointwiseStep>& epilogue, size_t input) {
    const StepArg arg{StepArg::input, static_cast<int>(input)};
    return std::any_of(epilogue.begin(), epilogue.end(), [&](const PointwiseStep& step) {
      return std::find(step.args.begin(), step.args.end(), arg) != step.args.end();
    });
  }

  // Operands of the whole shape that are plain would be read across their strides. Weights of that shape
  // are no such operands: only what the epilogue reads is.
  void relayout_operands(NodeId id, bool of_epilogue) {
    const Shape shape = graph.type(graph.node(id).outputs[0]).shape;
    for (size_t i = 0; i < graph.node(id).inputs.size(); ++i) {
      if (of_epilogue && (i == 0 || !reads(graph.node(id).epilogue, i))) continue;
      const ValueId in = graph.node(id).inputs[i];
      if (!in.is_valid() || graph.value(in).constant || graph.type(in).shape != shape ||
          is_both(graph.type(in)))
        continue;
      graph.node(id).inputs[i] = channels_last(in, id);
    }
  }
};

}  // namespace

bool assign_layouts(Graph& graph, PassContext&) {
  Layouts layouts{graph, Users(graph), {}, false};
  for (NodeId id : std::vector<NodeId>(graph.order)) layouts.visit(id);
  return layouts.any;
}

}  // namespace macec
