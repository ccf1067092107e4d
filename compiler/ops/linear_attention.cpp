// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearAttention, written as products, token by token. The state s [b, h, d, e] takes the place of
// keys and values of the past:
//
//   s = e^g s                  gated rules; g [b, h, d or 1, 1]
//   v = beta (v - k s)         delta rules; k [b, h, 1, d], v [b, h, 1, e]
//   s = s + k^T v              y = scale q s; q [b, h, group, d]: the heads that share a state
//
// Computed in float32. There are as many nodes as tokens, so those of one run are few.
#include <cmath>

#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int kPast = 3, kDecay = 4, kBeta = 5;
constexpr int64_t kMostTokens = 64;

struct Linear {
  int64_t tokens, q_heads, heads, d, e;
  Dim batch;
  bool is_gated, is_delta;
};

int64_t size_of(const Shape& x, int64_t heads, const char* what) {
  if (x.size() != 3) throw user_error("{} has {} axes instead of 3", what, x.size());
  if (!x[2].is_fixed() || x[2].value() % heads != 0)
    throw user_error("{} has rows of {} for {} heads", what, x[2].text(), heads);
  return x[2].value() / heads;
}

Linear linear_of(const Node& node, const Shape& q, const Shape& v) {
  Linear s{};
  s.q_heads = node.int_attribute("q_num_heads", 0);
  s.heads = node.int_attribute("kv_num_heads", 0);
  if (s.heads <= 0 || s.q_heads <= 0 || s.q_heads % s.heads != 0)
    throw user_error("{} heads of the query for {} of the key", s.q_heads, s.heads);
  s.d = size_of(q, s.q_heads, "the query");
  s.e = size_of(v, s.heads, "the value");
  const std::string rule = node.string_attribute("update_rule", "gated_delta");
  s.is_gated = rule == "gated" || rule == "gated_delta";
  s.is_delta = rule == "delta" || rule == "gated_delta";
  if (!s.is_gated && !s.is_delta && rule != "linear")
    throw user_error("update_rule '{}' is not supported", rule);
  if (!q[1].is_fixed() || q[1].value() < 1 || q[1].value() > kMostTokens)
    throw user_error("LinearAttention of {} tokens in one run is not supported", q[1].text())
        .hint("give them in pieces of a fixed size up to 64; the state goes on from run to run");
  s.tokens = q[1].value();
  s.batch = q[0];
  return s;
}

void infer_linear(InferContext& context) {
  for (int i = 0; i < context.inputs(); ++i) {
    if (!context.has(i)) continue;
    const DTypeInfo& type = info(context.type(i).dtype);
    if (!type.is_float || type.bits < 16 || type.bits > 32)
      throw user_error("LinearAttention of {} is not supported", type.name);
  }
  const Linear s = linear_of(context.node, context.shape(0), context.shape(2));
  const Dim &b = s.batch, t = s.tokens;
  context.require_shape(1, {b, t, s.heads * s.d});
  context.require_shape(2, {b, t, s.heads * s.e});
  const Shape state = {b, s.heads, s.d, s.e};
  if (context.has(kPast)) context.require_shape(kPast, state);
  if (context.has(kDecay) != s.is_gated || context.has(kBeta) != s.is_delta)
    throw user_error("the update rule does not go with the inputs decay and beta");
  if (s.is_gated) {
    const Shape& decay = context.shape(kDecay);
    const bool is_scalar = decay.size() == 3 && decay[2] == Dim(s.heads);
    context.require_shape(kDecay, {b, t, is_scalar ? s.heads : s.heads * s.d});
  }
  if (s.is_delta) {
    const Shape& beta = context.shape(kBeta);
    const bool is_shared = beta.size() == 3 && beta[2] == Dim(1);
    context.require_shape(kBeta, {b, t, is_shared ? int64_t{1} : s.heads});
  }
  const DType type = context.type(0).dtype;
  context.set_type(0, type, {b, t, s.q_heads * s.e});
  context.set_type(1, context.has(kPast) ? context.type(kPast).dtype : type, state);
}

// [batch, tokens, ...] as float32 [batch, tokens, extents...].
ValueId by_token(Expander& e, ValueId v, std::vector<int64_t> extents) {
  extents.insert(extents.begin(), {0, 0});
  return e.add("Reshape", {e.cast(v, DType::float32), e.numbers(extents)});
}
// [batch, tokens, ...] at one token: [batch, ...].
ValueId token(Expander& e, ValueId v, int64_t i) {
  const ValueId one = e.numbers({1});
  return e.add("Squeeze", {e.add("Slice", {v, e.numbers({i}), e.numbers({i + 1}), one}), one});
}

void expand_linear(Expander& e) {
  const Linear s = linear_of(e.node(), e.shape(e.in(0)), e.shape(e.in(2)));
  float scale = e.node().float_attribute("scale", 0);
  if (scale == 0) scale = static_cast<float>(1 / std::sqrt(static_cast<double>(s.d)));
  const ValueId queries =
      e.add("Mul", {by_token(e, e.in(0), {s.heads, s.q_heads / s.heads, s.d}), e.number(scale)});
  const ValueId rows = by_token(e, e.in(1), {s.heads, 1, s.d});
  const ValueId columns = by_token(e, e.in(1), {s.heads, s.d, 1});
  const ValueId values = by_token(e, e.in(2), {s.heads, 1, s.e});
  ValueId decays, betas, state;
  if (s.is_gated) {
    const bool is_scalar = e.shape(e.in(kDecay))[2] == Dim(s.heads);
    decays = e.add("Exp", {by_token(e, e.in(kDecay), {s.heads, is_scalar ? 1 : s.d, 1})});
  }
  if (s.is_delta) {
    const int64_t heads = e.shape(e.in(kBeta))[2] == Dim(1) ? 1 : s.heads;
    betas = by_token(e, e.in(kBeta), {heads, 1, 1});
  }
  if (e.has(kPast)) state = e.cast(e.in(kPast), DType::float32);  // else 0

  std::vector<ValueId> results;
  for (int64_t i = 0; i < s.tokens; ++i) {
    ValueId v = token(e, values, i);
    if (state.is_valid() && s.is_gated) state = e.add("Mul", {state, token(e, decays, i)});
    if (state.is_valid() && s.is_delta)
      v = e.add("Sub", {v, e.add("MatMul", {token(e, rows, i), state})});
    if (s.is_delta) v = e.add("Mul", {v, token(e, betas, i)});
    const ValueId added = e.add("Mul", {token(e, columns, i), v});
    state = state.is_valid() ? e.add("Add", {state, added}) : added;
    results.push_back(e.unsqueeze(e.add("MatMul", {token(e, queries, i), state}), {1}));
  }
  const DType past = e.has(kPast) ? e.dtype(e.in(kPast)) : e.dtype(e.in(0));
  ValueId y = results[0];
  if (results.size() > 1) y = e.add("Concat", results, {{"axis", int64_t{1}}});
  y = e.add("Reshape", {y, e.numbers({0, 0, s.q_heads * s.e})});
  e.result(0, e.cast(y, e.dtype(e.in(0))));
  e.result(1, e.cast(state, past));
}

}  // namespace

void append_linear_attention(OpList& ops) {
  OpDef def{};
  def.name = "LinearAttention";
  def.doc =
      "Attention with a state instead of keys, in up to 64 tokens: q [b, t, heads * d], k [b, t, "
      "heads * d], v [b, t, heads * e], y [b, t, heads * e], past and present [b, heads, d, e]";
  def.min_inputs = 3;
  def.max_inputs = 6;
  def.min_outputs = 1;
  def.max_outputs = 2;
  def.attributes = {{AttributeDef::integer, "chunk_size"},
                    {AttributeDef::integer, "kv_num_heads", true},
                    {AttributeDef::integer, "q_num_heads", true},
                    {AttributeDef::real, "scale"},
                    {AttributeDef::text, "update_rule"}};
  def.versions = {{"", "LinearAttention", 27, kLatestOpset, nullptr}};
  def.infer = infer_linear;
  def.evaluate = evaluate_expanded;
  def.expand = expand_linear;
  ops.push_back(std::move(def));
}

}  // namespace macec
