// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceNormalization and GroupNormalization: statistics over positions and the channels of a group.
//
//   x[N, C, spatial...] -> y = (x - mean) / sqrt(variance + epsilon) * scale[c] + bias[c]
//
// GroupNormalization of opset 18 has one scale and bias a group instead of a channel: its importer marks the node, lowering spreads
// the constants.
#include <cmath>

#include "compiler/ops/expand.h"
#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr const char* kByGroup = "per_group";  // set where scale and bias have an element a group

int64_t groups_of(const Node& node, int64_t channels) {
  if (node.op == "InstanceNormalization") return channels;
  const int64_t groups = node.int_attribute("num_groups", 0);
  if (groups < 1 || channels % groups != 0) {
    throw user_error("{} channels cannot be cut into {} groups", channels, groups);
  }
  return groups;
}

void infer_channel_norm(InferContext& context) {
  const TensorType& x = context.type(0);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16) {
    throw user_error("{} of {} is not supported", context.node.op, name(x.dtype));
  }
  if (x.rank() < 2) throw user_error("the input has rank {}; it needs [N, C, ...]", x.rank());
  if (!x.shape[1].is_fixed()) {
    throw user_error("{} channels, a number that varies, are not supported", x.shape[1].text());
  }
  const int64_t groups = groups_of(context.node, x.shape[1].value());
  const Dim expected = context.node.has_attribute(kByGroup) ? Dim(groups) : x.shape[1];
  for (int i = 1; i <= 2; ++i) {
    const Shape& operand = context.shape(i);
    const char* what = i == 1 ? "scale" : "bias";
    if (operand.size() != 1)
      throw user_error("the {} has rank {} instead of 1", what, operand.size());
    context.require_equal(operand[0], expected, fmt::format("the {}", what),
                          "what the input needs");
  }
  context.set_type(0, x.dtype, x.shape);
}

void evaluate_channel_norm(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const double epsilon = static_cast<double>(context.node.float_attribute("epsilon", 1e-5f));
  const int64_t channels = x.shape[1], groups = groups_of(context.node, channels);
  const int64_t positions = x.count() == 0 ? 0 : x.count() / (x.shape[0] * channels);
  const int64_t each = channels / groups * positions;  // elements of a group, one after the other
  const bool by_group = context.node.has_attribute(kByGroup);
  Tensor y(x.dtype, x.shape);
  for (int64_t g = 0; each > 0 && g < x.shape[0] * groups; ++g) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < each; ++i) sum += x.f64(g * each + i);
    const double mean = sum / static_cast<double>(each);
    for (int64_t i = 0; i < each; ++i) {
      const double d = x.f64(g * each + i) - mean;
      squares += d * d;
    }
    const double inverse = 1 / std::sqrt(squares / static_cast<double>(each) + epsilon);
    for (int64_t i = 0; i < each; ++i) {
      const int64_t channel = g % groups * (channels / groups) + i / positions;
      const int64_t at = by_group ? g % groups : channel;
      const double v = (x.f64(g * each + i) - mean) * inverse;
      y.set_f64(g * each + i, v * context.in(1).f64(at) + context.in(2).f64(at));
    }
  }
  context.outputs[0] = std::move(y);
}

// The scale or bias with one element for each channel.
bool channel_view(const LowerContext& context, int input, int64_t channels, View* out) {
  *out = context.in(input);
  if (!context.node.has_attribute(kByGroup)) return out->constant || out->is_dense();
  if (!out->constant) return false;
  const int64_t each = channels / out->constant->count();
  Tensor spread(out->dtype, {channels});
  for (int64_t c = 0; c < channels; ++c) spread.set_f64(c, out->constant->f64(c / each));
  *out = constant_view(std::move(spread));
  return true;
}

Lowered lower_channel_norm(const LowerContext& context) {
  const View &x = context.in(0), &y = context.out(0);
  ChannelNormParamsT<Dim> p{};
  if (!pixel_stride(x, &p.x_pixel) || !pixel_stride(y, &p.y_pixel)) return {};
  const int64_t channels = x.shape[1].value();
  p.groups = static_cast<int>(groups_of(context.node, channels));
  p.channels = static_cast<int>(channels / p.groups);
  p.batch = x.shape[0];
  p.positions = product(Shape(x.shape.begin() + 2, x.shape.end()));
  p.epsilon = context.node.float_attribute("epsilon", 1e-5f);
  View scale, bias;
  if (!channel_view(context, 1, channels, &scale) || !channel_view(context, 2, channels, &bias)) {
    return {};
  }
  KernelCall call = make_call(Family::channel_norm, {x, scale, bias}, {y});
  call.params = p;
  call.units = p.batch * Dim(channel_norm_blocks(p.groups, p.channels));
  call.elements = static_cast<double>(product(x.shape).hi()) * 4;
  if (!attach_epilogue(context, 1, &call)) return {};
  return {std::move(call)};
}

// What the kernels cannot do: double, [N, C], and operands by group that are computed.
bool expands_channel_norm(const Graph& graph, const Node& node) {
  const bool by_group = node.has_attribute(kByGroup);
  for (size_t i = 1; by_group && i < node.inputs.size(); ++i)
    if (!graph.value(node.inputs[i]).constant) return true;
  const TensorType& x = graph.type(node.inputs[0]);
  return x.dtype == DType::float64 || x.rank() < 3;
}

// [C] or [groups] beside [N, C, spatial...] or [N, groups, elements].
ValueId beside(Expander& e, int input, DType type, size_t rank) {
  std::vector<int64_t> axes;
  for (size_t a = 1; a + 1 < rank; ++a) axes.push_back(static_cast<int64_t>(a));
  const ValueId v = e.cast(e.in(input), type);
  return axes.empty() ? v : e.unsqueeze(v, axes);
}

// As [N, groups, elements], and back.
void expand_channel_norm(Expander& e) {
  const Node node = e.node();
  const Shape shape = e.shape(e.in(0));
  const DType x_type = e.dtype(e.in(0));
  const DType type = x_type == DType::float64 ? x_type : DType::float32;
  const int64_t channels = shape[1].value(), groups = groups_of(node, channels);
  std::vector<ValueId> extents;
  for (size_t a = 0; a < shape.size(); ++a)
    extents.push_back(e.extent(e.in(0), static_cast<int64_t>(a)));
  ValueId each = e.numbers({channels / groups});
  for (size_t a = 2; a < shape.size(); ++a) each = e.add("Mul", {each, extents[a]});
  ValueId x = e.reshape(e.cast(e.in(0), type), {extents[0], e.numbers({groups}), each});
  const ValueId over = e.numbers({2});
  x = e.add("Sub", {x, e.add("ReduceMean", {x, over})});
  const ValueId variance = e.add("ReduceMean", {e.add("Mul", {x, x}), over});
  const ValueId epsilon = e.cast(e.number(node.float_attribute("epsilon", 1e-5f)), type);
  ValueId y = e.add("Div", {x, e.add("Sqrt", {e.add("Add", {variance, epsilon})})});
  const bool by_group = node.has_attribute(kByGroup);
  if (!by_group) y = e.reshape(y, extents);
  const size_t rank = by_group ? 3 : shape.size();
  y = e.add("Add", {e.add("Mul", {y, beside(e, 1, type, rank)}), beside(e, 2, type, rank)});
  if (by_group) y = e.reshape(y, extents);
  e.result(0, e.cast(y, x_type));
}

// The mark is declared as an attribute, but no file may set it.
void import_by_channel(ImportContext& context) {
  if (context.node.has_attribute(kByGroup))
    throw user_error("GroupNormalization has no attribute '{}'", kByGroup);
}
void import_by_group(ImportContext& context) {
  import_by_channel(context);
  context.node.attributes[kByGroup] = int64_t{1};
}

OpDef channel_norm_def(const char* name, const char* doc) {
  OpDef op = one_result(name, doc, 3, 3);
  op.attributes = {{AttributeDef::real, "epsilon"}};
  op.traits = kChannelsLast;
  op.infer = infer_channel_norm;
  op.evaluate = evaluate_channel_norm;
  op.lower = lower_channel_norm;
  op.expand = expand_channel_norm;
  op.expands = expands_channel_norm;
  return op;
}

}  // namespace

void append_channel_norm(OpList& ops) {
  OpDef instance =
      channel_norm_def("InstanceNormalization",
                       "x[N, C, spatial...] of mean 0 and variance 1 over the positions of each "
                       "channel of each image, times scale[C], plus bias[C]");
  instance.versions = {{"", "InstanceNormalization", kOldestOpset, kLatestOpset, nullptr}};
  ops.push_back(std::move(instance));
  OpDef group = channel_norm_def(
      "GroupNormalization",
      "x[N, C, spatial...] of mean 0 and variance 1 over the positions and the C / num_groups "
      "channels of each group of each image, times scale[C], plus bias[C]");
  group.attributes.push_back({AttributeDef::integer, "num_groups", true});
  group.attributes.push_back({AttributeDef::integer, "stash_type"});
  group.attributes.push_back({AttributeDef::integer, kByGroup});
  group.versions = {{"", "GroupNormalization", 18, 20, import_by_group},
                    {"", "GroupNormalization", 21, kLatestOpset, import_by_channel}};
  ops.push_back(std::move(group));
}

}  // namespace macec
