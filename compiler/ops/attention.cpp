// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, written as products, a softmax and what stands between them.
//
//   q [b, h, n, d]   k [b, h, t, d]   v [b, h, t, e]
//   p = softmax(softcap(q scale k^T) + bias) [b, h, n, t]      y = p v [b, h, n, e]
//
// Several heads of q may share one of k and v: then all have an axis more,
// q [b, kv heads, group, n, d] and k [b, kv heads, 1, t, d], so that k and v are never copied.
// A row whose bias is -inf everywhere has no key to attend to: it gives 0, not NaN.
#include <cmath>

#include "compiler/ops/attention.h"

#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int64_t kRaw = 0, kCapped = 1, kBiased = 2, kSoftmax = 3;  // qk_matmul_output_mode

int64_t fixed_extent(const Dim& extent, const char* what) {
  if (!extent.is_fixed())
    throw user_error("{} that varies ({}) is not supported", what, extent.text());
  return extent.value();
}

// heads * size elements in `hidden`: the size of one.
int64_t head_size(const Dim& hidden, int64_t heads, const char* what) {
  const int64_t all = fixed_extent(hidden, what);
  if (all % heads != 0) throw user_error("{} is {}, no multiple of {} heads", what, all, heads);
  return all / heads;
}

int64_t heads_attribute(const Node& node, const char* name) {
  const int64_t heads = node.int_attribute(name, 0);
  if (heads <= 0) throw user_error("inputs of 3 axes need {}", name);
  return heads;
}

AttentionShape shape_of(const Node& node, const Shape& q, const Shape& k, const Shape& v,
                        const Shape* past) {
  if ((q.size() != 3 && q.size() != 4) || k.size() != q.size() || v.size() != q.size())
    throw user_error("query, key and value have {}, {} and {} axes, not 3 or 4 all", q.size(),
                     k.size(), v.size());
  AttentionShape s{};
  s.has_heads_inside = q.size() == 3;
  const size_t row = q.size() - 2;
  s.batch = q[0];
  s.queries = q[row];
  s.keys = k[row];
  if (s.has_heads_inside) {
    s.q_heads = heads_attribute(node, "q_num_heads");
    s.kv_heads = heads_attribute(node, "kv_num_heads");
    s.head = head_size(q[2], s.q_heads, "the hidden size of the query");
    s.v_head = head_size(v[2], s.kv_heads, "the hidden size of the value");
  } else {
    s.q_heads = fixed_extent(q[1], "a number of heads");
    s.kv_heads = fixed_extent(k[1], "a number of heads");
    s.head = fixed_extent(q[3], "a head size");
    s.v_head = fixed_extent(v[3], "a head size");
  }
  if (s.kv_heads == 0 || s.q_heads % s.kv_heads != 0)
    throw user_error("{} heads of the query for {} of the key", s.q_heads, s.kv_heads);
  s.past = past && past->size() == 4 ? (*past)[2] : Dim(0);
  s.total = s.past + s.keys;
  return s;
}

AttentionShape shape_of(const Expander& e) {
  const Shape past = e.has(kPastKeyInput) ? e.shape(e.in(kPastKeyInput)) : Shape{};
  return shape_of(e.node(), e.shape(e.in(0)), e.shape(e.in(1)), e.shape(e.in(2)), &past);
}

// Checks -----------------------------------------------------------------------------------------

void require_shape(InferContext& context, int input, const char* what, const Shape& wanted) {
  const Shape& given = context.shape(input);
  if (given.size() != wanted.size())
    throw user_error("{} has {} axes instead of {}", what, given.size(), wanted.size());
  for (size_t a = 0; a < given.size(); ++a)
    context.require_equal(given[a], wanted[a], fmt::format("axis {} of {}", a, what),
                          "that of the others");
}

// The last axis may be shorter than the scores' (the expansion fills it up).
void check_mask(InferContext& context, const AttentionShape& s) {
  const Shape& mask = context.shape(kMaskInput);
  const Shape scores = {s.batch, s.q_heads, s.queries, s.total};
  if (mask.empty() || mask.size() > 4)
    throw user_error("the mask has {} axes instead of 1 to 4", mask.size());
  for (size_t a = 0; a + 1 < mask.size(); ++a) {
    if (mask[a] != Dim(1))
      context.require_equal(mask[a], scores[4 - mask.size() + a],
                            fmt::format("axis {} of the mask", a), "that of the scores");
  }
  if (mask.back().lo() > s.total.hi())
    throw user_error("the mask has rows of {} for {} keys", mask.back().text(), s.total.text());
}

void check_attributes(const Node& node, const AttentionShape& s) {
  const int64_t mode = node.int_attribute("qk_matmul_output_mode", kRaw);
  if (mode < kRaw || mode > kSoftmax) throw user_error("qk_matmul_output_mode is {}", mode);
  for (const char* window : {"left_window_size", "right_window_size"})
    if (node.int_attribute(window, -1) < -1)
      throw user_error("{} is {}", window, node.int_attribute(window, -1));
  if (node.int_attribute("q_num_heads", s.q_heads) != s.q_heads ||
      node.int_attribute("kv_num_heads", s.kv_heads) != s.kv_heads)
    throw user_error("the numbers of heads are not those of the inputs ({} and {})", s.q_heads,
                     s.kv_heads);
  const int64_t precision = node.int_attribute("softmax_precision", 1);
  const DTypeInfo* type =
      precision > 0 && precision < 1000 ? find_dtype(static_cast<int>(precision)) : nullptr;
  if (!type || !type->is_float || type->bits < 16)
    throw user_error("a softmax_precision of {} is not supported", precision);
}

void check_types(const InferContext& context) {
  const DType type = context.type(0).dtype;
  if (context.type(1).dtype != type)
    throw user_error("a query of {} and a key of {}", name(type), name(context.type(1).dtype));
  for (int i = 0; i < 3; ++i) {
    const DTypeInfo& input = info(context.type(i).dtype);
    if (!input.is_float || input.bits < 16)
      throw user_error("Attention of {} is not supported", input.name);
  }
  if (context.has(kPastKeyInput) != context.has(kPastValueInput))
    throw user_error("a past key and a past value need each other");
  if (context.has(kLengthsInput) && context.has(kPastKeyInput))
    throw user_error("nonpad_kv_seqlen does not go with a past key");
}

void infer_attention(InferContext& context) {
  check_types(context);
  const Shape past = context.has(kPastKeyInput) ? context.shape(kPastKeyInput) : Shape{};
  const AttentionShape s =
      shape_of(context.node, context.shape(0), context.shape(1), context.shape(2), &past);
  check_attributes(context.node, s);
  const Shape key = {s.batch, s.kv_heads, s.keys, s.head};
  const Shape value = {s.batch, s.kv_heads, s.keys, s.v_head};
  if (s.has_heads_inside) {
    require_shape(context, 1, "the key", {s.batch, s.keys, s.kv_heads * s.head});
    require_shape(context, 2, "the value", {s.batch, s.keys, s.kv_heads * s.v_head});
  } else {
    require_shape(context, 1, "the key", key);
    require_shape(context, 2, "the value", value);
  }
  if (context.has(kPastKeyInput)) {
    require_shape(context, kPastKeyInput, "the past key", {s.batch, s.kv_heads, s.past, s.head});
    require_shape(context, kPastValueInput, "the past value",
                  {s.batch, s.kv_heads, s.past, s.v_head});
  }
  if (context.has(kLengthsInput))
    require_shape(context, kLengthsInput, "nonpad_kv_seqlen", {s.batch});
  if (context.has(kMaskInput)) check_mask(context, s);
  const DType type = context.type(0).dtype;
  const Shape y = {s.batch, s.q_heads, s.queries, s.v_head};
  const Shape flat = {s.batch, s.queries, s.q_heads * s.v_head};
  context.set_type(0, type, s.has_heads_inside ? flat : y);
  context.set_type(1, type, {s.batch, s.kv_heads, s.total, s.head});
  context.set_type(2, context.type(2).dtype, {s.batch, s.kv_heads, s.total, s.v_head});
  context.set_type(3, type, {s.batch, s.q_heads, s.queries, s.total});
}

// Expansion --------------------------------------------------------------------------------------

// [batch, sequence, heads * size] as [batch, heads, sequence, size].
ValueId heads_apart(Expander& e, const AttentionShape& s, ValueId v, int64_t heads, int64_t size) {
  if (!s.has_heads_inside) return v;
  v = e.add("Reshape", {v, e.numbers({0, 0, heads, size})});
  return e.add("Transpose", {v}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
}
ValueId heads_inside(Expander& e, const AttentionShape& s, ValueId y) {
  if (!s.has_heads_inside) return y;
  y = e.add("Transpose", {y}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  return e.add("Reshape", {y, e.numbers({0, 0, s.q_heads * s.v_head})});
}

// [..., heads, rows, columns] with heads as [kv heads, group], where a key serves a group.
ValueId grouped(Expander& e, const AttentionShape& s, ValueId v) {
  const auto rank = static_cast<int64_t>(e.shape(v).size());
  if (s.q_heads == s.kv_heads || rank < 3) return v;
  const int64_t axis = rank - 3;
  if (e.shape(v)[static_cast<size_t>(axis)] == Dim(1)) return e.unsqueeze(v, {axis});
  std::vector<ValueId> extents;
  for (int64_t a = 0; a < rank; ++a)
    extents.push_back(a == axis ? e.numbers({s.kv_heads, s.q_heads / s.kv_heads}) : e.extent(v, a));
  return e.reshape(v, extents);
}
ValueId ungrouped(Expander& e, const AttentionShape& s, ValueId v) {
  if (s.q_heads == s.kv_heads) return v;
  return e.reshape(v, {e.extent(v, 0), e.numbers({s.q_heads}), e.extent(v, 3), e.extent(v, 4)});
}

// q scale k^T. Types of 16 bits get the root of the scale on both sides, as ONNX has it, so that
// nothing overflows; others have it on the smaller side only.
ValueId scaled_product(Expander& e, const AttentionShape& s, ValueId q, ValueId k) {
  const DType type = e.dtype(q);
  double scale = 1 / std::sqrt(static_cast<double>(s.head));
  if (e.node().has_attribute("scale")) scale = e.node().float_attribute("scale", 0);
  const bool is_split = info(type).bits == 16 && scale > 0;
  Tensor factor(type, {});
  factor.set_f64(0, is_split ? std::sqrt(scale) : scale);
  const ValueId by = e.constant(std::move(factor));
  q = grouped(e, s, e.add("Mul", {q, by}));
  if (is_split) k = e.add("Mul", {k, by});
  k = e.add("Transpose", {k}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
  if (s.q_heads != s.kv_heads) k = e.unsqueeze(k, {2});
  return e.add("MatMul", {q, k});
}

ValueId capped(Expander& e, ValueId scores) {
  const float cap = e.node().float_attribute("softcap", 0);
  if (!(cap > 0)) return scores;
  const ValueId by = e.cast(e.number(cap), e.dtype(scores));
  return e.add("Mul", {e.add("Tanh", {e.add("Div", {scores, by})}), by});
}

ValueId softmax(Expander& e, ValueId scores) {
  const DType type = e.dtype(scores);
  const auto to =
      static_cast<DType>(e.node().int_attribute("softmax_precision", static_cast<int64_t>(type)));
  return e.cast(e.add("Softmax", {e.cast(scores, to)}, {{"axis", int64_t{-1}}}), type);
}

void expand_attention(Expander& e) {
  const AttentionShape s = shape_of(e);
  const ValueId q = heads_apart(e, s, e.in(0), s.q_heads, s.head);
  ValueId k = heads_apart(e, s, e.in(1), s.kv_heads, s.head);
  ValueId v = heads_apart(e, s, e.in(2), s.kv_heads, s.v_head);
  if (e.has(kPastKeyInput)) {
    k = e.add("Concat", {e.in(kPastKeyInput), k}, {{"axis", int64_t{2}}});
    v = e.add("Concat", {e.in(kPastValueInput), v}, {{"axis", int64_t{2}}});
  }
  const AttentionBias bias = attention_bias(e, s);
  const ValueId raw = scaled_product(e, s, q, k), cap = capped(e, raw);
  ValueId biased = cap;
  if (bias.value.is_valid()) biased = e.add("Add", {cap, grouped(e, s, bias.value)});
  const ValueId p = softmax(e, biased);
  const ValueId values = e.cast(s.q_heads == s.kv_heads ? v : e.unsqueeze(v, {2}), e.dtype(p));
  ValueId y = ungrouped(e, s, e.add("MatMul", {p, values}));

  const ValueId shown[] = {raw, cap, biased, p};
  const int64_t mode = e.node().int_attribute("qk_matmul_output_mode", kRaw);
  const bool shows = e.node().outputs.size() > 3 && e.node().outputs[3].is_valid();
  ValueId scores = shows ? ungrouped(e, s, shown[mode]) : ValueId{};
  if (bias.may_close) {
    const ValueId closed = e.cast(e.number(-INFINITY), e.dtype(y)),
                  zero = e.cast(e.number(0), e.dtype(y));
    const ValueId most = e.add("ReduceMax", {bias.value, e.numbers({-1})});
    const ValueId is_closed = e.add("Equal", {most, closed});
    y = e.add("Where", {is_closed, zero, y});
    if (shows && mode == kSoftmax) scores = e.add("Where", {is_closed, zero, scores});
  }
  y = heads_inside(e, s, y);
  e.result(0, y);
  e.result(1, k);
  e.result(2, v);
  if (shows) e.result(3, scores);
}

}  // namespace

void append_attention(OpList& ops) {
  OpDef def{};
  def.name = "Attention";
  def.doc =
      "softmax(q k^T scale + mask) v by heads: q [b, n, heads * d] or [b, heads, n, d], k and v "
      "alike with t keys, y as q; a mask of bool or numbers [..., n, t], past and present keys and "
      "values [b, heads, t, d]";
  def.min_inputs = 3;
  def.max_inputs = 7;
  def.min_outputs = 1;
  def.max_outputs = 4;
  def.attributes = {{AttributeDef::integer, "is_causal"},
                    {AttributeDef::integer, "kv_num_heads"},
                    {AttributeDef::integer, "left_window_size"},
                    {AttributeDef::integer, "q_num_heads"},
                    {AttributeDef::integer, "qk_matmul_output_mode"},
                    {AttributeDef::integer, "right_window_size"},
                    {AttributeDef::real, "scale"},
                    {AttributeDef::real, "softcap"},
                    {AttributeDef::integer, "softmax_precision"}};
  def.versions = {{"", "Attention", 23, kLatestOpset, nullptr}};
  def.infer = infer_attention;
  def.evaluate = evaluate_expanded;
  def.expand = expand_attention;
  ops.push_back(std::move(def));
}

}  // namespace macec
