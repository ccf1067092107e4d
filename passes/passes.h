// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All passes; pipeline.cpp has their order and what each is for.
#pragma once
#include "passes/pass.h"

namespace macec {

bool expand_operators(Graph& graph, PassContext& context);
bool fold_constants(Graph& graph, PassContext& context);
bool fold_if(Graph& graph, PassContext& context);
bool remove_identity(Graph& graph, PassContext& context);
bool look_up(Graph& graph, PassContext& context);
bool fold_pad(Graph& graph, PassContext& context);
bool fold_batch_norm(Graph& graph, PassContext& context);
bool merge_convs(Graph& graph, PassContext& context);
bool open_batch_norm(Graph& graph, PassContext& context);
bool cut_shapes(Graph& graph, PassContext& context);
bool remove_dead_nodes(Graph& graph, PassContext& context);
bool recognize(Graph& graph, PassContext& context);
bool shuffle_channels(Graph& graph, PassContext& context);
bool cut_concats(Graph& graph, PassContext& context);
bool sink_squeeze(Graph& graph, PassContext& context);
bool merge_products(Graph& graph, PassContext& context);
bool project_inputs(Graph& graph, PassContext& context);
bool move_factors(Graph& graph, PassContext& context);
bool stream_attention(Graph& graph, PassContext& context);
bool fuse_pointwise(Graph& graph, PassContext& context);
bool widen_small(Graph& graph, PassContext& context);
bool assign_layouts(Graph& graph, PassContext& context);

}  // namespace macec
