// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds a Pad of zeros into the convolution behind it.
//
//   %p = Pad(%x, [0, 0, 0, 0, 0, 0, 1, 1])      %y = Conv(%x, %w) {pads = [0, 0, 1, 1]}
//   %y = Conv(%p, %w) {strides = [2, 2]}                           {strides = [2, 2]}
//
// Exporters from TensorFlow write this for windows that are padded on one side only. Left alone if
// anything but spatial axes is padded, if something is cut off, where the Conv pads automatically, or
// if %p has another user. Tests: tests/filetests/fold-pad/
#include <algorithm>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/passes.h"

namespace macec {
namespace {

const Tensor* constant(const Graph& graph, const Node& node, size_t i) {
  if (i >= node.inputs.size() || !node.inputs[i].is_valid()) return nullptr;
  return graph.value(node.inputs[i]).constant.get();
}

bool is_given(const Node& node, size_t i) {
  return i < node.inputs.size() && node.inputs[i].is_valid();
}

// Pads of the spatial axes of a Pad, begins then ends, if they are zeros and nothing else is padded.
std::optional<std::vector<int64_t>> spatial_zeros(const Graph& graph, const Node& pad) {
  if (pad.op != "Pad" || pad.string_attribute("mode", "constant") != "constant")
    return std::nullopt;
  const Tensor *amounts = constant(graph, pad, 1), *value = constant(graph, pad, 2),
               *axes = constant(graph, pad, 3);
  const auto rank = static_cast<int64_t>(graph.type(pad.inputs[0]).shape.size());
  if (!amounts || (is_given(pad, 2) && (!value || value->f64(0) != 0))) return std::nullopt;
  if (rank < 3 || (is_given(pad, 3) && !axes)) return std::nullopt;
  const int64_t count = axes ? axes->count() : rank;
  if (amounts->count() != 2 * count) return std::nullopt;
  std::vector<int64_t> result(static_cast<size_t>(2 * (rank - 2)), 0);
  for (int64_t i = 0; i < 2 * count; ++i) {
    const int64_t amount = amounts->i64(i);
    int64_t axis = axes ? axes->i64(i % count) : i % count;
    if (axis < 0) axis += rank;
    if (amount == 0) continue;
    if (amount < 0 || axis < 2) return std::nullopt;
    result[static_cast<size_t>(axis - 2 + (i < count ? 0 : rank - 2))] = amount;
  }
  return result;
}

bool pads_by_numbers(const Node& conv) {
  const std::string mode = conv.string_attribute("auto_pad", "NOTSET");
  return mode.empty() || mode == "NOTSET" || mode == "VALID";
}

}  // namespace

bool fold_pad(Graph& graph, PassContext& context) {
  const Users users(graph);
  bool changed = false;
  for (NodeId id : graph.order) {
    Node& conv = graph.node(id);
    if (conv.op != "Conv" || !pads_by_numbers(conv)) continue;
    const ValueId padded = conv.inputs[0];
    const NodeId before = graph.value(padded).producer;
    if (!before.is_valid() || !users.single(padded)) continue;
    Node& pad = graph.node(before);
    std::optional<std::vector<int64_t>> pads = spatial_zeros(graph, pad);
    if (!pads) continue;
    std::vector<int64_t> own = conv.ints_attribute("pads");
    if (conv.string_attribute("auto_pad", "") == "VALID") own.clear();
    own.resize(pads->size(), 0);
    for (size_t i = 0; i < own.size(); ++i) own[i] += (*pads)[i];
    conv.attributes.erase("auto_pad");
    conv.attributes["pads"] = own;
    conv.inputs[0] = pad.inputs[0];
    merge_origins(conv, pad);
    if (context.explain) {
      context.explain->push_back("Pad '" + pad.name + "' into '" + conv.name + "'");
    }
    pad.is_dead = true;
    graph.value(padded).producer = NodeId{};
    changed = true;
  }
  graph.order.erase(std::remove_if(graph.order.begin(), graph.order.end(),
                                   [&](NodeId id) { return graph.node(id).is_dead; }),
                    graph.order.end());
  return changed;
}

}  // namespace macec
