// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of attention: y[b][m][e] = sum over n of p[b][m][n] * v[b][n][e], where row m of p is
// the softmax of scale * (sum over k of q[b][m][k] * w[b][k][n]) + bias[b][m][n]. w holds the keys
// as columns.
//
// Up to two batch axes with a stride each (0: broadcast). Rows of q, v and y are dense, and rows of
// bias, if there is one.
// A unit is one block of kGemmRowsPerUnit rows of one batch entry.
#pragma once
#include "common.h"
#include "gemm.h"

template <class Int>
struct AttentionParamsT {
  Int batch[2];  // outer, inner
  Int m, n, k, e;
  Int q_batch[2], q_row;  // strides in elements
  Int w_batch[2], w_k, w_n;
  Int v_batch[2], v_row;
  Int bias_batch[2], bias_row;  // unused without a bias
  Int y_batch[2], y_row;
  float scale;  // above 0

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("batch", p.batch), f("m", p.m), f("n", p.n), f("k", p.k), f("e", p.e);
    f("q_batch", p.q_batch), f("q_row", p.q_row);
    f("w_batch", p.w_batch), f("w_k", p.w_k), f("w_n", p.w_n);
    f("v_batch", p.v_batch), f("v_row", p.v_row);
    f("bias_batch", p.bias_batch), f("bias_row", p.bias_row);
    f("y_batch", p.y_batch), f("y_row", p.y_row), f("scale", p.scale);
  }
};
using AttentionParams = AttentionParamsT<int64_t>;

// Keys of one block: a multiple of every level's pair of panels.
[[maybe_unused]] constexpr int64_t kAttentionKeys = 256;
// Rows that go by while one block of keys is packed; a multiple of kGemmRowsPerUnit.
[[maybe_unused]] constexpr int64_t kAttentionRows = 32 * kGemmRowsPerUnit;

// Floats of scratch: packed keys and values, a block of scores, a block of results, the greatest
// score and the sum of each row.
[[maybe_unused]] constexpr int64_t attention_keys(int64_t n, int64_t panel) {
  const int64_t all = (n + 2 * panel - 1) / (2 * panel) * (2 * panel);
  return all < kAttentionKeys ? all : kAttentionKeys;
}
[[maybe_unused]] constexpr int64_t attention_scratch(int64_t n, int64_t k, int64_t e,
                                                     int64_t panel) {
  const int64_t keys = attention_keys(n, panel), columns = (e + panel - 1) / panel * panel;
  return keys * (k + columns) + kGemmRowsPerUnit * (keys + columns) + 2 * kAttentionRows;
}
