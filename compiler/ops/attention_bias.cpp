// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Attention adds to its scores: the mask, and -inf where a query must not see a key.
//
//   position of query i: p = offset + i       key j is seen if
//     causal     j <= p                         lengths   j < nonpad_kv_seqlen[batch]
//     window     p - left <= j <= p + right     mask      bool: true
//
// offset: the keys kept from before; nonpad_kv_seqlen[batch] - queries where that is given. All
// conditions are joined as booleans before they become numbers. A mask that is too short is filled
// up with -inf.
#include <cmath>

#include "compiler/ops/attention.h"

namespace macec {
namespace {

// 0, 1, ... as int64, or start, start + 1, ...; limits are int64 [1].
ValueId counter(Expander& e, ValueId start, ValueId limit) {
  return e.add("Range", {start, limit, e.numbers({1})});
}

// Whether a and b hold; either may be no value: true.
ValueId both(Expander& e, ValueId a, ValueId b) {
  if (!a.is_valid() || !b.is_valid()) return a.is_valid() ? a : b;
  return e.add("And", {a, b});
}

struct Positions {
  ValueId queries;  // int64 [queries, 1] or [batch, 1, queries, 1]
  ValueId keys;     // int64 [total]
};

ValueId total_keys(Expander& e, const AttentionShape& s) {
  const ValueId keys = e.extent(e.in(1), s.has_heads_inside ? 1 : 2);
  return e.has(kPastKeyInput) ? e.add("Add", {e.extent(e.in(kPastKeyInput), 2), keys}) : keys;
}

Positions positions(Expander& e, const AttentionShape& s) {
  const ValueId zero = e.numbers({0});
  const ValueId count = e.extent(e.in(0), s.has_heads_inside ? 1 : 2);
  Positions at;
  at.keys = counter(e, zero, total_keys(e, s));
  if (e.has(kPastKeyInput)) {
    const ValueId past = e.extent(e.in(kPastKeyInput), 2);
    at.queries = e.unsqueeze(counter(e, past, e.add("Add", {past, count})), {1});
    return at;
  }
  at.queries = e.unsqueeze(counter(e, zero, count), {1});
  if (!e.has(kLengthsInput)) return at;
  const ValueId offset = e.add("Sub", {e.in(kLengthsInput), count});
  at.queries = e.add("Add", {e.unsqueeze(offset, {1, 2, 3}), at.queries});
  return at;
}

// What the mask is filled up with: bool false, or -inf.
ValueId filled_up(Expander& e, const AttentionShape& s, ValueId mask) {
  const Dim last = e.shape(mask).back(), missing = s.total - last;
  if (missing == Dim(0) || missing.hi() <= 0) return mask;
  ValueId by = e.numbers({missing.is_fixed() ? missing.value() : 0});
  if (!missing.is_fixed()) {
    const auto axis = static_cast<int64_t>(e.shape(mask).size()) - 1;
    by = e.add("Sub", {total_keys(e, s), e.extent(mask, axis)});
    if (missing.lo() < 0) by = e.add("Max", {by, e.numbers({0})});
  }
  const ValueId pads = e.add("Concat", {e.numbers({0}), by}, {{"axis", int64_t{0}}});
  Tensor fill(e.dtype(mask), {});
  fill.set_f64(0, e.dtype(mask) == DType::boolean ? 0 : -INFINITY);
  return e.add("Pad", {mask, pads, e.constant(std::move(fill)), e.numbers({-1})});
}

// A constant mask whose every row lets a key be seen.
bool is_open(const Tensor& mask) {
  const int64_t columns = mask.shape.back();
  bool all_open = true;
  for (int64_t row = 0; all_open && columns > 0 && row < mask.count() / columns; ++row) {
    all_open = false;
    for (int64_t j = 0; j < columns && !all_open; ++j) {
      const double v = mask.f64(row * columns + j);
      all_open = mask.dtype == DType::boolean ? v != 0 : v > -INFINITY;
    }
  }
  return all_open;
}

// Whether what is seen may be nothing for some query.
bool may_close(const Expander& e, const AttentionShape& s) {
  const Node& node = e.node();
  const bool has_window = node.int_attribute("left_window_size", -1) >= 0 ||
                          node.int_attribute("right_window_size", -1) >= 0;
  const bool is_causal = node.int_attribute("is_causal", 0) != 0;
  if (e.has(kLengthsInput)) return true;
  if (e.has(kMaskInput)) {
    const Tensor* mask = e.graph.value(e.in(kMaskInput)).constant.get();
    return is_causal || has_window || !mask || !is_open(*mask);
  }
  // A query sees itself where there are as many keys as queries, and the first key if there is one.
  return has_window ? s.keys != s.queries : is_causal && s.total.lo() < 1;
}

// The keys that a query may see, but for the mask: bool, or no value.
ValueId seen(Expander& e, const AttentionShape& s) {
  const int64_t left = e.node().int_attribute("left_window_size", -1),
                right = e.node().int_attribute("right_window_size", -1);
  const bool is_causal = e.node().int_attribute("is_causal", 0) != 0;
  ValueId result;
  if (!is_causal && left < 0 && right < 0 && !e.has(kLengthsInput)) return result;
  const Positions at = positions(e, s);
  if (is_causal) result = e.add("LessOrEqual", {at.keys, at.queries});
  if (left >= 0) {
    const ValueId first = e.add("Sub", {at.queries, e.numbers({left})});
    result = both(e, result, e.add("GreaterOrEqual", {at.keys, first}));
  }
  if (right >= 0) {
    const ValueId last = e.add("Add", {at.queries, e.numbers({right})});
    result = both(e, result, e.add("LessOrEqual", {at.keys, last}));
  }
  if (e.has(kLengthsInput)) {
    const ValueId length = e.unsqueeze(e.in(kLengthsInput), {1, 2, 3});
    result = both(e, result, e.add("Less", {at.keys, length}));
  }
  return result;
}

}  // namespace

AttentionBias attention_bias(Expander& e, const AttentionShape& s) {
  const DType type = e.dtype(e.in(0));
  AttentionBias bias;
  ValueId shown = seen(e, s), added;
  if (e.has(kMaskInput)) {
    const bool is_condition = e.dtype(e.in(kMaskInput)) == DType::boolean;
    const ValueId typed = is_condition ? e.in(kMaskInput) : e.cast(e.in(kMaskInput), type);
    const ValueId mask = filled_up(e, s, typed);
    if (is_condition)
      shown = both(e, shown, mask);
    else
      added = mask;
  }
  bias.may_close = may_close(e, s);
  if (!shown.is_valid()) {
    bias.value = added;
    return bias;
  }
  bias.value =
      e.add("Where", {shown, e.cast(e.number(0), type), e.cast(e.number(-INFINITY), type)});
  if (added.is_valid()) bias.value = e.add("Add", {bias.value, added});
  return bias;
}

}  // namespace macec
