// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds BatchNormalization, and Mul or Add by channel, into the Conv, ConvTranspose or Gemm before it.
//
//   %c = Conv(%x, %w, %b)                      %y = Conv(%x, %w', %b')
//   %y = BatchNormalization(%c, s, t, m, v)    w' = w * s / sqrt(v + eps),  b' = (b - m) * s /
//   sqrt(v + eps) + t
//
// Left alone if %c has another user, or weights or parameters are not constant. Computed in double,
// rounded once. Tests: tests/filetests/fold-batch-norm/
#include <cmath>
#include <optional>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/passes.h"

namespace macec {
namespace {

// y = scale[c] * x + shift[c]
struct Affine {
  std::vector<double> scale, shift;
};

const Tensor* constant(const Graph& graph, const Node& node, size_t i) {
  if (i >= node.inputs.size() || !node.inputs[i].is_valid()) return nullptr;
  return graph.value(node.inputs[i]).constant.get();
}

std::optional<Affine> of_batch_norm(const Graph& graph, const Node& node) {
  const Tensor *s = constant(graph, node, 1), *t = constant(graph, node, 2),
               *m = constant(graph, node, 3), *v = constant(graph, node, 4);
  if (!s || !t || !m || !v || node.outputs.size() != 1 ||
      node.int_attribute("training_mode", 0) != 0)
    return std::nullopt;
  const double epsilon = static_cast<double>(node.float_attribute("epsilon", 1e-5f));
  Affine affine;
  for (int64_t c = 0; c < s->count(); ++c) {
    const double scale = s->f64(c) / std::sqrt(v->f64(c) + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(t->f64(c) - m->f64(c) * scale);
  }
  return affine;
}

// The values of a constant by channel (axis `axis` of `rank`), one for each of `channels`; nothing
// if it varies elsewhere.
std::optional<std::vector<double>> by_channel(const Tensor& tensor, int rank, int axis,
                                              int64_t channels) {
  const int skipped = rank - tensor.rank();
  if (skipped < 0) return std::nullopt;
  for (int a = 0; a < tensor.rank(); ++a) {
    const int64_t extent = tensor.shape[static_cast<size_t>(a)];
    if (extent != 1 && (a + skipped != axis || extent != channels)) return std::nullopt;
  }
  std::vector<double> values;
  for (int64_t c = 0; c < channels; ++c) values.push_back(tensor.f64(tensor.count() == 1 ? 0 : c));
  return values;
}

std::optional<Affine> of_arithmetic(const Graph& graph, const Node& node, ValueId main,
                                    int64_t channels) {
  if (node.inputs.size() != 2) return std::nullopt;
  const size_t side = node.inputs[0] == main ? 1 : 0;
  const Tensor* other = constant(graph, node, side);
  const TensorType& type = graph.type(main);
  if (!other || graph.type(node.outputs[0]).shape != type.shape) return std::nullopt;
  const auto values = by_channel(*other, type.rank(), 1, channels);
  if (!values) return std::nullopt;
  Affine affine{std::vector<double>(static_cast<size_t>(channels), 1),
                std::vector<double>(static_cast<size_t>(channels), 0)};
  for (size_t c = 0; c < affine.scale.size(); ++c) {
    const double v = (*values)[c];
    if (node.op == "Mul") affine.scale[c] = v;
    if (node.op == "Div" && side == 1) affine.scale[c] = 1 / v;
    if (node.op == "Add") affine.shift[c] = v;
    if (node.op == "Sub" && side == 1) affine.shift[c] = -v;
    if ((node.op == "Div" || node.op == "Sub") && side == 0) return std::nullopt;
  }
  return affine;
}

// Which output channel an element of the weights belongs to:
//   Conv [M, C / group, kernel...]; ConvTranspose [C, M / group, kernel...]; Gemm [K, M] or [M, K]
struct WeightChannels {
  int64_t channels, inner, group_rows;  // inner: elements from one channel to the next

  WeightChannels(const Node& node, const Tensor& w) {
    const bool is_gemm = node.op == "Gemm" && node.int_attribute("transB", 0) == 0;
    const bool is_transposed = node.op == "ConvTranspose";
    const int64_t group = is_transposed ? node.int_attribute("group", 1) : 1;
    const int axis = is_gemm || is_transposed ? 1 : 0;
    inner = 1;
    for (size_t a = static_cast<size_t>(axis) + 1; a < w.shape.size(); ++a) inner *= w.shape[a];
    own = w.shape[static_cast<size_t>(axis)];
    channels = own * group;
    group_rows = axis == 1 ? w.shape[0] / group : 1;
  }
  int64_t of(int64_t i) const {
    const int64_t row = i / inner / own;
    return row / group_rows * own % channels + i / inner % own;
  }

 private:
  int64_t own;  // channels of one group
};

struct Folder {
  Graph& graph;

  // New weights and bias of `conv`.
  bool apply(Node& conv, const Affine& affine) {
    const Tensor* w = constant(graph, conv, 1);
    const bool has_bias = conv.inputs.size() > 2 && conv.inputs[2].is_valid();
    const Tensor* b = has_bias ? constant(graph, conv, 2) : nullptr;
    const int64_t channels = static_cast<int64_t>(affine.scale.size());
    if (!w || (has_bias && !b) || !info(w->dtype).is_float) return false;
    if (conv.op == "Gemm" &&
        (conv.float_attribute("alpha", 1) != 1.0f || conv.float_attribute("beta", 1) != 1.0f))
      return false;
    if (w->rank() < 2 || w->count() == 0) return false;
    const WeightChannels of_weights(conv, *w);
    if (of_weights.channels != channels) return false;
    if (b && b->count() != channels) return false;
    Tensor weights(w->dtype, w->shape), bias(w->dtype, {channels});
    for (int64_t i = 0; i < w->count(); ++i) {
      weights.set_f64(i, w->f64(i) * affine.scale[static_cast<size_t>(of_weights.of(i))]);
    }
    for (int64_t c = 0; c < channels; ++c) {
      bias.set_f64(c, (b ? b->f64(c) : 0) * affine.scale[static_cast<size_t>(c)] +
                          affine.shift[static_cast<size_t>(c)]);
    }
    conv.inputs.resize(3);
    conv.inputs[1] = add_constant(graph, conv.name + ".weights", std::move(weights));
    conv.inputs[2] = add_constant(graph, conv.name + ".bias", std::move(bias));
    return true;
  }
};

// Weights of 1e38 would overflow where the separate nodes do not.
bool is_tame(const Affine& affine) {
  for (size_t c = 0; c < affine.scale.size(); ++c)
    if (!(std::fabs(affine.scale[c]) < 1e18) || !(std::fabs(affine.shift[c]) < 1e30)) return false;
  return true;
}

}  // namespace

bool fold_batch_norm(Graph& graph, PassContext& context) {
  bool changed = false;
  const Users users(graph);
  std::vector<NodeId> kept;
  for (NodeId id : graph.order) {
    Node& node = graph.node(id);
    kept.push_back(id);
    const bool is_norm = node.op == "BatchNormalization";
    const bool is_arithmetic =
        node.op == "Mul" || node.op == "Add" || node.op == "Sub" || node.op == "Div";
    if ((!is_norm && !is_arithmetic) || !node.epilogue.empty()) continue;
    ValueId main = node.inputs[0];
    if (is_arithmetic && constant(graph, node, 0)) main = node.inputs[1];
    const NodeId before = graph.value(main).producer;
    if (!before.is_valid() || !users.single(main)) continue;
    Node& conv = graph.node(before);
    if ((conv.op != "Conv" && conv.op != "ConvTranspose" && conv.op != "Gemm") || !conv.epilogue.empty() ||
        graph.type(main).rank() < 2)
      continue;
    if (!graph.type(main).shape[1].is_fixed()) continue;
    const auto affine = is_norm
                            ? of_batch_norm(graph, node)
                            : of_arithmetic(graph, node, main, graph.type(main).shape[1].value());
    if (!affine || !is_tame(*affine) || !Folder{graph}.apply(conv, *affine)) continue;
    if (context.explain)
      context.explain->push_back(node.op + " '" + node.name + "' into the weights of '" +
                                 conv.name + "'");
    // The Conv takes over the output.
    merge_origins(conv, node);
    conv.outputs[0] = node.outputs[0];
    graph.value(node.outputs[0]).producer = before;
    graph.value(main).producer = NodeId{};
    node.is_dead = true;
    kept.pop_back();
    changed = true;
  }
  graph.order = std::move(kept);
  return changed;
}

}  // namespace macec
