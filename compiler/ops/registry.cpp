// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of operators, by file, and finding them.
#include "compiler/ops/registry.h"
#include "compiler/ir/edit.h"

#include <algorithm>
#include <map>

#include "compiler/ops/old_opsets.h"

namespace macec {

// One function per file; a new file of operators is a line in each of the two lists.
void append_unary(OpList& ops);
void append_binary(OpList& ops);
void append_cast(OpList& ops);
void append_quantize(OpList& ops);
void append_recurrent(OpList& ops);
void append_reduce(OpList& ops);
void append_softmax(OpList& ops);
void append_normalization(OpList& ops);
void append_batch_norm(OpList& ops);
void append_batch_norm_training(OpList& ops);
void append_extents(OpList& ops);
void append_channel_norm(OpList& ops);
void append_conv(OpList& ops);
void append_conv_transpose(OpList& ops);
void append_concat(OpList& ops);
void append_gather(OpList& ops);
void append_gather_nest(OpList& ops);
void append_gemm(OpList& ops);
void append_if(OpList& ops);
void append_loop(OpList& ops);
void append_matmul(OpList& ops);
void append_pad(OpList& ops);
void append_pool(OpList& ops);
void append_range(OpList& ops);
void append_reshape(OpList& ops);
void append_resize(OpList& ops);
void append_shape(OpList& ops);
void append_slice(OpList& ops);
void append_transpose(OpList& ops);
void append_internal(OpList& ops);
void append_arg(OpList& ops);
void append_line_sums(OpList& ops);
void append_space(OpList& ops);
void append_masks(OpList& ops);
void append_scatter(OpList& ops);
void append_pick(OpList& ops);
void append_integer_products(OpList& ops);
void append_mean_variance(OpList& ops);
void append_einsum(OpList& ops);
void append_grid_sample(OpList& ops);
void append_affine_grid(OpList& ops);
void append_windows(OpList& ops);
void append_losses(OpList& ops);
void append_center_crop_pad(OpList& ops);
void append_boxes(OpList& ops);
void append_rois(OpList& ops);
void append_columns(OpList& ops);
void append_deform_conv(OpList& ops);
void append_dft(OpList& ops);
void append_max_unpool(OpList& ops);
void append_det(OpList& ops);
void append_attention(OpList& ops);
void append_rotary(OpList& ops);
void append_language(OpList& ops);
void append_linear_attention(OpList& ops);
void append_streamed_attention(OpList& ops);

namespace {

constexpr void (*kFiles[])(OpList&) = {append_unary,
                                       append_binary,
                                       append_cast,
                                       append_quantize,
                                       append_batch_norm,
                                       append_batch_norm_training,
                                       append_extents,
                                       append_normalization,
                                       append_softmax,
                                       append_reduce,
                                       append_conv,
                                       append_concat,
                                       append_gather,
                                       append_gemm,
                                       append_if,
                                       append_loop,
                                       append_matmul,
                                       append_pad,
                                       append_pool,
                                       append_range,
                                       append_reshape,
                                       append_shape,
                                       append_slice,
                                       append_transpose,
                                       append_internal,
                                       append_gather_nest,
                                       append_channel_norm,
                                       append_conv_transpose,
                                       append_resize,
                                       append_recurrent,
                                       append_arg,
                                       append_line_sums,
                                       append_space,
                                       append_masks,
                                       append_scatter,
                                       append_pick,
                                       append_integer_products,
                                       append_mean_variance,
                                       append_einsum,
                                       append_grid_sample,
                                       append_affine_grid,
                                       append_windows,
                                       append_losses,
                                       append_center_crop_pad,
                                       append_boxes,
                                       append_rois,
                                       append_columns,
                                       append_deform_conv,
                                       append_dft,
                                       append_max_unpool,
                                       append_det,
                                       append_attention,
                                       append_rotary,
                                       append_language,
                                       append_linear_attention,
                                       append_streamed_attention};

}  // namespace

const std::vector<OpDef>& all_ops() {
  static const OpList list = [] {
    OpList ops;
    for (auto append : kFiles) append(ops);
    std::sort(ops.begin(), ops.end(),
              [](const OpDef& a, const OpDef& b) { return std::string_view(a.name) < b.name; });
    return ops;
  }();
  return list;
}

OpDef one_result(const char* name, const char* doc, int min_inputs, int max_inputs, int first) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = min_inputs;
  def.max_inputs = max_inputs;
  def.min_outputs = def.max_outputs = 1;
  def.versions = {{"", name, first, kLatestOpset, nullptr}};
  return def;
}

const OpDef* find_op(std::string_view canonical_name) {
  const std::vector<OpDef>& ops = all_ops();
  const auto found =
      std::lower_bound(ops.begin(), ops.end(), canonical_name,
                       [](const OpDef& op, std::string_view name) { return op.name < name; });
  return found != ops.end() && found->name == canonical_name ? &*found : nullptr;
}

OpMatch match_op(std::string_view domain, std::string_view type, int opset) {
  using Key = std::pair<std::string_view, std::string_view>;
  static const std::multimap<Key, OpMatch> by_type = [] {
    std::multimap<Key, OpMatch> map;
    for (const OpDef& def : all_ops()) {
      for (const OpVersion& version : def.versions)
        map.insert({{version.domain, version.type}, {&def, &version, nullptr}});
    }
    return map;
  }();
  if (domain == "ai.onnx") domain = "";
  const OldForm* old_form = nullptr;
  if (domain.empty() && opset < kOldestOpset) {
    old_form = find_old_form(type, opset);
    if (!old_form) return {};
    opset = kOldestOpset;
  }
  const auto [begin, end] = by_type.equal_range({domain, type});
  for (auto i = begin; i != end; ++i) {
    const OpVersion& version = *i->second.version;
    if (opset < version.first || version.last < opset) continue;
    OpMatch match = i->second;
    match.old_form = old_form;
    return match;
  }
  return {};
}

// No machine holds more; sizes beyond are nonsense in the file.
constexpr int64_t kMostBytes = int64_t{1} << 50;

void infer_node(Graph& graph, NodeId id) {
  const OpDef* def = graph.node(id).def;
  MACEC_CHECK(def && def->infer, "node {} cannot be inferred", graph.node(id).op);
  const auto given = static_cast<int>(graph.node(id).inputs.size());
  if (given < def->min_inputs ||
      (def->max_inputs >= 0 && given > def->max_inputs && graph.node(id).epilogue.empty())) {
    throw user_error("{} inputs, but {} takes {}", given, def->name,
                     def->max_inputs < 0 ? fmt::format("at least {}", def->min_inputs)
                     : def->min_inputs == def->max_inputs
                         ? fmt::format("{}", def->min_inputs)
                         : fmt::format("{} to {}", def->min_inputs, def->max_inputs));
  }
  const bool needs_first = def->min_outputs > 0 && (def->traits & kControlFlow) == 0;
  if (needs_first && !graph.node(id).outputs.empty() && !graph.node(id).outputs[0].is_valid()) {
    if (def->max_outputs >= 0)
      throw user_error("output 0 of {} has no name, but is not optional", def->name);
    const ValueId unused = add_value(graph, fresh_name(graph, def->name), {});
    graph.value(unused).producer = id;
    graph.node(id).outputs[0] = unused;
  }
  InferContext context{graph, graph.node(id), {}, {}, {}};
  def->infer(context);
  if (def->check) def->check(graph, graph.node(id));
  const Node& node = graph.node(id);  // infer may have added values, not nodes
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (!node.outputs[o].is_valid()) continue;
    Value& value = graph.value(node.outputs[o]);
    if (o < context.results.size()) value.type = context.results[o];
    for (const Dim& extent : value.type.shape)
      if (extent.hi() < 0)
        throw user_error("the result {} has a negative extent", text(value.type));
    if (value.type.dtype != DType::undefined &&
        bytes_of(value.type.dtype, value.type.count().lo()) >= kMostBytes)
      throw user_error("the result {} is larger than any memory", text(value.type));
    if (o == 0 && !node.epilogue.empty()) value.type.dtype = node.epilogue.back().dtype;
    value.known.reset();
    if (o < context.contents.size() && node.epilogue.empty())
      value.known = std::move(context.contents[o]);
  }
}

}  // namespace macec
