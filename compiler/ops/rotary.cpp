// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RotaryEmbedding, written as slices, products and a concatenation: pairs (a, b) of elements of
// each head are turned by an angle that depends on the position.
//
//   a' = cos a - sin b     b' = sin a + cos b
//
//   halves        a: elements 0 .. r/2 of the head, b: r/2 .. r
//   interleaved   a: elements 0, 2, 4, ..., b: 1, 3, 5, ...     elements from r on stay
#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct Rotary {
  bool has_heads_inside;  // x [batch, sequence, heads * head], else [batch, heads, sequence, head]
  int64_t heads, head, turned;
  Dim batch, sequence;
};

Rotary rotary_of(const Node& node, const Shape& x) {
  if (x.size() != 3 && x.size() != 4) throw user_error("input has {} axes, not 3 or 4", x.size());
  Rotary r{};
  r.has_heads_inside = x.size() == 3;
  if (!x.back().is_fixed())
    throw user_error("a head size that varies ({}) is not supported", x.back().text());
  r.heads = node.int_attribute("num_heads", 0);
  r.head = x.back().value();
  if (r.has_heads_inside) {
    if (r.heads <= 0) throw user_error("an input of 3 axes needs num_heads");
    if (r.head % r.heads != 0)
      throw user_error("the hidden size {} is no multiple of {} heads", r.head, r.heads);
    r.head /= r.heads;
  }
  r.turned = node.int_attribute("rotary_embedding_dim", 0);
  if (r.turned == 0) r.turned = r.head;
  if (r.turned < 0 || r.turned > r.head || r.turned % 2 != 0)
    throw user_error("{} of {} elements of a head cannot be turned in pairs", r.turned, r.head);
  r.batch = x[0];
  r.sequence = x[r.has_heads_inside ? 1 : 2];
  return r;
}

// cos or sin: [positions, turned / 2], or [batch, sequence, turned / 2] without positions.
void check_cache(InferContext& context, int input, const Rotary& r) {
  const Shape& cache = context.shape(input);
  const bool is_table = context.has(3);
  if (cache.size() != (is_table ? 2 : 3))
    throw user_error("input {} has {} axes instead of {}", input, cache.size(), is_table ? 2 : 3);
  context.require_equal(cache.back(), r.turned / 2, fmt::format("the last axis of input {}", input),
                        "half of what is turned");
  if (is_table) return;
  if (cache[0] != Dim(1))
    context.require_equal(cache[0], r.batch, fmt::format("axis 0 of input {}", input), "the batch");
  if (cache[1] != Dim(1))
    context.require_equal(cache[1], r.sequence, fmt::format("axis 1 of input {}", input),
                          "the sequence");
}

void infer_rotary(InferContext& context) {
  const TensorType& x = context.type(0);
  const Rotary r = rotary_of(context.node, x.shape);
  if (!info(x.dtype).is_float || info(x.dtype).bits < 16)
    throw user_error("RotaryEmbedding of {} is not supported", name(x.dtype));
  for (int i = 1; i < 3; ++i) {
    check_cache(context, i, r);
    if (context.type(i).dtype != x.dtype)
      throw user_error("input {} is {}, but the input {}", i, name(context.type(i).dtype),
                       name(x.dtype));
  }
  if (context.has(3)) {
    const Shape& positions = context.shape(3);
    if (positions.size() != 2)
      throw user_error("position_ids has {} axes instead of 2", positions.size());
    if (positions[0] != Dim(1))
      context.require_equal(positions[0], r.batch, "axis 0 of position_ids", "the batch");
    context.require_equal(positions[1], r.sequence, "axis 1 of position_ids", "the sequence");
  }
  context.set_type(0, x.dtype, x.shape);
}

// Every step-th element of the last axis from start to end.
ValueId part(Expander& e, ValueId v, int64_t start, int64_t end, int64_t step = 1) {
  return e.add("Slice",
               {v, e.numbers({start}), e.numbers({end}), e.numbers({-1}), e.numbers({step})});
}

// cos or sin along x: [batch, 1, sequence, turned / 2], or the axes of heads behind the sequence.
ValueId factor(Expander& e, int input, const Rotary& r) {
  ValueId v = e.in(input);
  if (e.has(3)) v = e.add("Gather", {v, e.in(3)}, {{"axis", int64_t{0}}});
  return e.unsqueeze(v, {r.has_heads_inside ? 2 : 1});
}

void expand_rotary(Expander& e) {
  const Rotary r = rotary_of(e.node(), e.shape(e.in(0)));
  const bool is_interleaved = e.node().int_attribute("interleaved", 0) != 0;
  ValueId x = e.in(0);
  if (r.has_heads_inside) x = e.add("Reshape", {x, e.numbers({0, 0, r.heads, r.head})});
  const ValueId cos = factor(e, 1, r), sin = factor(e, 2, r);
  const int64_t half = r.turned / 2;
  const ValueId a = is_interleaved ? part(e, x, 0, r.turned, 2) : part(e, x, 0, half);
  const ValueId b = is_interleaved ? part(e, x, 1, r.turned, 2) : part(e, x, half, r.turned);
  ValueId turned_a = e.add("Sub", {e.add("Mul", {cos, a}), e.add("Mul", {sin, b})});
  ValueId turned_b = e.add("Add", {e.add("Mul", {sin, a}), e.add("Mul", {cos, b})});
  std::vector<ValueId> parts = {turned_a, turned_b};
  if (is_interleaved) {
    const ValueId pairs = e.add("Concat", {e.unsqueeze(turned_a, {4}), e.unsqueeze(turned_b, {4})},
                                {{"axis", int64_t{4}}});
    parts = {
        e.reshape(pairs, {e.extent(x, 0), e.extent(x, 1), e.extent(x, 2), e.numbers({r.turned})})};
  }
  if (r.turned < r.head) parts.push_back(part(e, x, r.turned, r.head));
  ValueId y = parts[0];
  if (parts.size() > 1) y = e.add("Concat", parts, {{"axis", int64_t{3}}});
  if (r.has_heads_inside) y = e.add("Reshape", {y, e.numbers({0, 0, r.heads * r.head})});
  e.result(0, y);
}

}  // namespace

void append_rotary(OpList& ops) {
  OpDef def{};
  def.name = "RotaryEmbedding";
  def.doc =
      "Pairs of elements of each head turned by angles: x, y [b, heads, n, d] or [b, n, heads * "
      "d], cosines and sines [positions, d / 2] with position_ids [b, n], or [b, n, d / 2]";
  def.min_inputs = 3;
  def.max_inputs = 4;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "interleaved"},
                    {AttributeDef::integer, "num_heads"},
                    {AttributeDef::integer, "rotary_embedding_dim"}};
  def.versions = {{"", "RotaryEmbedding", 23, kLatestOpset, nullptr}};
  def.infer = infer_rotary;
  def.evaluate = evaluate_expanded;
  def.expand = expand_rotary;
  ops.push_back(std::move(def));
}

}  // namespace macec
