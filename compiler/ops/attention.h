// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the files of Attention share. Private to ops/.
#pragma once
#include "compiler/ops/expand.h"

namespace macec {

// Extents of one Attention node. Heads and their sizes are numbers, everything else may vary.
struct AttentionShape {
  Dim batch, queries, keys;  // keys: given to this node
  Dim past, total;           // keys kept from before, and all of them
  int64_t q_heads, kv_heads, head, v_head;
  bool has_heads_inside;  // inputs are [batch, sequence, heads * head size]
};
constexpr int kMaskInput = 3, kPastKeyInput = 4, kPastValueInput = 5, kLengthsInput = 6;

// What is added to the scores: [..., queries or 1, total], of rank 1 to 4, of the type of the
// scores; no value: nothing.
struct AttentionBias {
  ValueId value;
  bool may_close = false;  // a row may be -inf as a whole
};
AttentionBias attention_bias(Expander& e, const AttentionShape& s);

}  // namespace macec
