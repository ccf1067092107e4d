// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of convolutions of one value -> one convolution: branches that networks are trained with.
//
//   %a = Conv(%x, 3x3, pads 1)   %b = Conv(%x, 1x1)
//   %y = %a + %b + BatchNormalization(%x) + %x             %y = Conv(%x, 3x3', pads 1)
//
// Kernels add up where taps read the same place: the smaller one must lie inside the larger one. A
// BatchNormalization of %x, and %x itself, are a tap of the channel's own. What was a sum may now be
// the input of a BatchNormalization that folds: fold-batch-norm runs again. Left alone if a branch
// has another user, if weights are not constant, or not float32: a sum of small weights and 1 would
// lose them. Tests: tests/filetests/merge-convs/
#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/passes.h"

namespace macec {
namespace {

using Ints = std::vector<int64_t>;

// A branch as a convolution of x.
struct Branch {
  NodeId node;  // none: x itself
  ValueId x;
  Tensor weights;                 // [M, C / group, kernel...]
  std::vector<double> bias;       // [M]
  Ints strides, dilations, pads;  // pads: at the begins of the spatial axes
  int64_t group = 1;
  bool is_conv = false;
};

struct ConvMerger {
  Graph& graph;
  Users users;
  PassContext& context;
  bool changed = false;

  const Tensor* constant(const Node& node, size_t i) const {
    if (i >= node.inputs.size() || !node.inputs[i].is_valid()) return nullptr;
    return graph.value(node.inputs[i]).constant.get();
  }

  std::optional<Branch> of_conv(NodeId id) const {
    const Node& node = graph.node(id);
    const Tensor *w = constant(node, 1), *b = constant(node, 2);
    const bool has_bias = node.inputs.size() > 2 && node.inputs[2].is_valid();
    const std::string mode = node.string_attribute("auto_pad", "NOTSET");
    if (!w || w->dtype != DType::float32 || w->rank() < 3 || (has_bias && !b)) return std::nullopt;
    if (mode != "NOTSET" && mode != "VALID" && !mode.empty()) return std::nullopt;
    const size_t axes = w->shape.size() - 2;
    Branch branch{id, node.inputs[0], *w, {}, {}, {}, {}, 1, true};
    branch.strides = node.ints_attribute("strides", Ints(axes, 1));
    branch.dilations = node.ints_attribute("dilations", Ints(axes, 1));
    branch.pads = mode == "VALID" ? Ints(axes, 0) : node.ints_attribute("pads", Ints(2 * axes, 0));
    branch.pads.resize(axes);
    branch.group = node.int_attribute("group", 1);
    for (int64_t m = 0; m < w->shape[0]; ++m) branch.bias.push_back(b ? b->f64(m) : 0);
    return branch;
  }

  // scale * x + shift by channel, as a convolution of one tap that fits beside `like`.
  std::optional<Branch> of_channels(ValueId x, const Branch& like, const std::vector<double>& scale,
                                    std::vector<double> shift) const {
    const auto channels = static_cast<int64_t>(scale.size());
    const int64_t own = like.weights.shape[1];
    if (like.weights.shape[0] != channels || own * like.group != channels) return std::nullopt;
    const size_t axes = like.strides.size();
    Ints shape(axes + 2, 1);
    shape[0] = channels, shape[1] = own;
    Branch branch{{},
                  x,
                  Tensor(DType::float32, shape),
                  std::move(shift),
                  Ints(axes, 1),
                  Ints(axes, 1),
                  Ints(axes, 0),
                  like.group,
                  false};
    for (int64_t m = 0; m < channels; ++m)
      branch.weights.set_f64(m * own + m % own, scale[static_cast<size_t>(m)]);
    return branch;
  }

  std::optional<Branch> of_batch_norm(NodeId id, const Branch& like) const {
    const Node& node = graph.node(id);
    const Tensor *s = constant(node, 1), *t = constant(node, 2), *m = constant(node, 3),
                 *v = constant(node, 4);
    if (!s || !t || !m || !v || node.outputs.size() != 1 ||
        node.int_attribute("training_mode", 0) != 0)
      return std::nullopt;
    const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
    std::vector<double> scale, shift;
    for (int64_t c = 0; c < s->count(); ++c) {
      scale.push_back(s->f64(c) / std::sqrt(v->f64(c) + epsilon));
      shift.push_back(t->f64(c) - m->f64(c) * scale.back());
      if (!(std::fabs(scale.back()) < 1e18) || !(std::fabs(shift.back()) < 1e30))
        return std::nullopt;
    }
    std::optional<Branch> branch = of_channels(node.inputs[0], like, scale, shift);
    if (branch) branch->node = id;
    return branch;
  }

  // A branch whose only user is the sum.
  std::optional<Branch> conv_branch(ValueId value) const {
    const NodeId id = graph.value(value).producer;
    if (!id.is_valid() || !users.single(value)) return std::nullopt;
    const Node& node = graph.node(id);
    if (node.op != "Conv" || !node.epilogue.empty() || node.is_dead) return std::nullopt;
    return of_conv(id);
  }

  // Any branch that adds up with a convolution.
  std::optional<Branch> any_branch(ValueId value, const Branch& like) const {
    if (value == like.x) {
      const int64_t channels = like.weights.shape[0];
      return of_channels(value, like, std::vector<double>(static_cast<size_t>(channels), 1),
                         std::vector<double>(static_cast<size_t>(channels), 0));
    }
    if (std::optional<Branch> branch = conv_branch(value)) return branch;
    const NodeId id = graph.value(value).producer;
    if (!id.is_valid() || !users.single(value)) return std::nullopt;
    const Node& node = graph.node(id);
    if (node.op != "BatchNormalization" || node.is_dead) return std::nullopt;
    return of_batch_norm(id, like);
  }

  // Adds the taps of `small` to those of `large`; false if one of them reads another place.
  static bool add_taps(const Branch& small, Branch* large) {
    const Ints &from = small.weights.shape, &to = large->weights.shape;
    if (from[0] != to[0] || from[1] != to[1] || small.group != large->group ||
        small.strides != large->strides)
      return false;
    int64_t taps = 1, all_taps = 1;
    for (size_t a = 2; a < from.size(); ++a) taps *= from[a], all_taps *= to[a];
    Ints place;  // tap of small -> tap of large
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t rest = tap, at = 0, stride = 1;
      for (size_t a = from.size(); a-- > 2;) {
        const size_t s = a - 2;
        const int64_t offset = rest % from[a] * small.dilations[s] - small.pads[s] + large->pads[s];
        rest /= from[a];
        if (offset % large->dilations[s] != 0) return false;
        const int64_t k = offset / large->dilations[s];
        if (k < 0 || k >= to[a]) return false;
        at += k * stride;
        stride *= to[a];
      }
      place.push_back(at);
    }
    for (int64_t row = 0; row < from[0] * from[1]; ++row)
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t at = row * all_taps + place[static_cast<size_t>(tap)];
        const double sum = large->weights.f64(at) + small.weights.f64(row * taps + tap);
        large->weights.set_f64(at, sum);
      }
    for (size_t m = 0; m < large->bias.size(); ++m) large->bias[m] += small.bias[m];
    return true;
  }

  void sum(NodeId id) {
    const Node& add = graph.node(id);
    if (add.op != "Add" || !add.epilogue.empty()) return;
    for (size_t side : {0, 1}) {
      const ValueId one = add.inputs[side], two = add.inputs[1 - side];
      const Shape& shape = graph.type(add.outputs[0]).shape;
      if (graph.type(one).shape != shape || graph.type(two).shape != shape) continue;
      std::optional<Branch> large = conv_branch(one);
      if (!large) continue;
      const std::optional<Branch> small = any_branch(two, *large);
      if (!small || small->x != large->x || !add_taps(*small, &*large)) continue;
      return merge(id, *large, *small);
    }
  }

  // The convolution `large` takes over the sum.
  void merge(NodeId id, const Branch& large, const Branch& small) {
    Node& add = graph.node(id);
    const std::string name = graph.node(large.node).name;
    Tensor bias(DType::float32, {large.weights.shape[0]});
    for (int64_t m = 0; m < bias.count(); ++m) bias.set_f64(m, large.bias[static_cast<size_t>(m)]);
    const ValueId w = add_constant(graph, name + ".weights", large.weights);
    const ValueId b = add_constant(graph, name + ".bias", std::move(bias));
    Node& conv = graph.node(large.node);
    conv.inputs.resize(3);
    conv.inputs[1] = w, conv.inputs[2] = b;
    const ValueId before = conv.outputs[0];
    conv.outputs[0] = add.outputs[0];
    graph.value(conv.outputs[0]).producer = large.node;
    graph.value(before).producer = NodeId{};
    if (small.node.is_valid()) {
      merge_origins(conv, graph.node(small.node));
      graph.node(small.node).is_dead = true;
      graph.value(graph.node(small.node).outputs[0]).producer = NodeId{};
    }
    merge_origins(conv, add);
    add.is_dead = true;
    if (context.explain)
      context.explain->push_back("'" + add.name + "' and its branches into '" + conv.name + "'");
    changed = true;
  }
};

bool merge_sums(Graph& graph, PassContext& context) {
  ConvMerger merger{graph, Users(graph), context};
  for (NodeId id : graph.order) merger.sum(id);
  graph.order.erase(std::remove_if(graph.order.begin(), graph.order.end(),
                                   [&](NodeId id) { return graph.node(id).is_dead; }),
                    graph.order.end());
  return merger.changed;
}

}  // namespace

bool merge_convs(Graph& graph, PassContext& context) {
  bool changed = false;
  while (merge_sums(graph, context)) {
    changed = true;
    if (!fold_batch_norm(graph, context)) break;
  }
  return changed;
}

}  // namespace macec
