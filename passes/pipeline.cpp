// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes in order, and the runner. The comment above a row says why it stands there.
#include "passes/pass.h"

#include <algorithm>

#include "compiler/ir/edit.h"
#include "compiler/ir/text.h"
#include "compiler/support/error.h"
#include "passes/passes.h"

namespace macec {

namespace {

// What constants decide goes first: fewer nodes, and the weights are final.
std::vector<Pass> simplifying_passes() {
  return {
      // First: every later pass sees what they are made of, constant operands of them fold.
      {"expand", "operators that are written as others -> those", "no such operator is left",
       expand_operators},
      // Early: constants decide conditions and shapes, and every later pass sees fewer nodes.
      {"fold-constants", "nodes of constants, and values with known contents -> constants",
       "no node has only constant inputs", fold_constants},
      // Needs folded conditions.
      {"fold-if", "If of a constant condition -> the nodes of its branch",
       "no If has a constant condition", fold_if},
      {"remove-identity", "Identity, Dropout, x + 0, x * 1, slices and pads of nothing -> x", "",
       remove_identity},
      // Needs folded constants: what indices are compared with.
      {"look-up",
       "products with one-hot rows, arithmetic on rows of a table -> rows of a new table", "",
       look_up},
      // Needs folded constants: what a Pad adds.
      {"fold-pad", "Pad of zeros in front of Conv -> its pads", "", fold_pad},
      // Before epilogues: what is folded into weights costs nothing.
      {"fold-batch-norm",
       "BatchNormalization, Mul and Add by channel behind Conv, ConvTranspose or Gemm -> its "
       "weights",
       "", fold_batch_norm},
      // Needs batch norms in the weights of the branches.
      {"merge-convs", "sums of convolutions of one value -> one convolution", "", merge_convs},
      // Needs to know which have gone into weights.
      {"open-batch-norm", "BatchNormalization of constants -> Mul and Add by channel", "",
       open_batch_norm},
      // Shapes that follow from extents are computed where they are used.
      {"cut-shapes", "inputs that say shapes and are known -> contents without a producer", "",
       cut_shapes},
      // Folding into weights leaves constant arithmetic behind, cutting leaves shape arithmetic.
      {"remove-dead", "nodes whose results nobody needs -> gone", "every node is needed",
       remove_dead_nodes},
  };
}

// Then larger nodes, in forms that kernels take.
std::vector<Pass> forming_passes() {
  return {
      // Needs the pieces as single nodes, before chains join them.
      {"recognize", "norms, Gelu, HardSwish and Softmax written in pieces -> one node", "",
       recognize},
      // Before layouts: it keeps them where its pieces cannot.
      {"shuffle-channels", "Reshape, Transpose and Reshape of channels -> ChannelShuffle", "",
       shuffle_channels},
      {"cut-concats", "slices of joined slices -> joined slices of slices", "", cut_concats},
      // Before chains: what is left of them stands behind their kernel.
      {"sink-squeeze", "Squeeze in front of elementwise work -> behind it", "", sink_squeeze},
      // Needs biases as nodes of their own, before they become fused steps.
      {"merge-products", "products of one value with several constant matrices -> one, and slices",
       "", merge_products},
      // Before factors move and chains form: the new products are like all others.
      {"project-inputs",
       "LSTM, GRU and RNN with constant weights -> MatMul of all steps, the layer", "",
       project_inputs},
      // Before chains: what stands behind a kernel is fused, what stands in front of it is not.
      {"move-factors", "numbers that multiply operands of MatMul -> multiply its result", "",
       move_factors},
      // Needs the scale of the scores as one factor behind them, and it as a node of its own.
      {"stream-attention", "products, softmax and products of large attention -> one step", "",
       stream_attention},
      // Chains first among themselves, then behind kernels: a chain that starts with one kernel's
      // result belongs to it.
      {"fuse-pointwise", "elementwise nodes -> chains -> epilogues of the kernel before",
       "elementwise nodes are Pointwise", fuse_pointwise},
      // Needs to know which values are left between kernels.
      {"widen-small", "small float16 values between kernels -> float32", "", widen_small},
      // Last on the graph: layouts are for kernels, no other pass asks where bytes are.
      {"assign-layouts",
       "window operators get channels-last activations, layout changes where regions meet",
       "every input of a window kernel is channels-last", assign_layouts},
  };
}

bool run_on(Graph& graph, const Pass& pass, PassContext& context) {
  bool changed = false;
  for (NodeId id : std::vector<NodeId>(graph.order))
    for (Graph& body : graph.node(id).bodies) changed = run_on(body, pass, context) || changed;
  return pass.run(graph, context) || changed;
}

}  // namespace

const std::vector<Pass>& pipeline() {
  static const std::vector<Pass> passes = [] {
    std::vector<Pass> all = simplifying_passes();
    for (const Pass& pass : forming_passes()) all.push_back(pass);
    return all;
  }();
  return passes;
}

bool run_pass(Graph& graph, const std::string& name, PassContext& context) {
  for (const Pass& pass : pipeline()) {
    if (name != pass.name) continue;
    const bool changed = run_on(graph, pass, context);
    verify(graph, name);
    return changed;
  }
  throw user_error("no pass is called '{}'", name).hint("'macec list passes' shows all");
}

void run_pipeline(Graph& graph, PassContext& context, const PipelineOptions& options,
                  void (*dump)(const std::string& pass, const std::string& text)) {
  verify(graph, "import");
  for (const Pass& pass : pipeline()) {
    run_on(graph, pass, context);
    verify(graph, pass.name);
    if (dump && (options.dump_after == "all" || options.dump_after == pass.name))
      dump(pass.name, text(graph));
    if (options.stop_after == pass.name) return;
  }
}

}  // namespace macec
