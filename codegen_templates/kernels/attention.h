// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention without its matrix of scores: keys and values go by in blocks, and every row of the
// result is corrected when a greater score turns up. (Online softmax: Milakov and Gimelshein,
// arXiv 1805.02867; over blocks: Dao et al., FlashAttention, arXiv 2205.14135.)
//
//   for each block of keys:   s = q w            scores, 48 rows at a time
//                             m' = max(m, max(s)),  p = e^(s - m')
//                             y = y e^(m - m') + p v,   sum = sum e^(m - m') + sum of p
//   at the last block:        y = y / sum
//
// q, w, v, bias, y: float, aligned to their element; bias may be nullptr; y overlaps nothing. A row
// whose scores are all -inf, or with a NaN, becomes NaN. Results below 2^-126 of the greatest count
// as 0. Scratch: attention_scratch() floats. Nothing depends on how units are split.
#pragma once
#include "../params/attention.h"
#include "gemm.h"
#include "softmax.h"

// Places in scratch.
struct AttentionScratch {
  float *keys, *values;     // panels
  float *scores, *results;  // kGemmRowsPerUnit rows
  float *most, *total;      // of each row
  int64_t columns;          // from one row of results to the next
};

[[maybe_unused]] inline AttentionScratch attention_parts(const AttentionParams& p, void* scratch) {
  const int64_t keys = attention_keys(p.n, kPanel);
  AttentionScratch s;
  s.columns = (p.e + kPanel - 1) / kPanel * kPanel;
  s.keys = static_cast<float*>(scratch);
  s.values = s.keys + keys * p.k;
  s.scores = s.values + keys * s.columns;
  s.results = s.scores + kGemmRowsPerUnit * keys;
  s.most = s.results + kGemmRowsPerUnit * s.columns;
  s.total = s.most + kAttentionRows;
  return s;
}

// y[rows][columns] = x[rows][k] * panels.
[[maybe_unused]] inline void attention_product(const float* x, int64_t x_row, int64_t k,
                                               const float* panels, int64_t columns, float* y,
                                               int64_t y_row, int64_t rows) {
  TileArgs<float, float> t;
  t.rows = nullptr;
  t.x = x;
  t.x_row = x_row;
  t.x_offset = 0;
  t.taps = 1;
  t.k = k;
  t.w = panels;
  t.w_panel = k * kPanel;
  t.bias = nullptr;
  t.y = y;
  t.y_row = y_row;
  t.columns = columns;
  t.row = t.col = 0;
  gemm_columns(t, rows, NoEpilogue{});
}

// s = scale * s + bias; returns the greatest.
template <class B>
MACEC_NOINLINE float attention_bias(float* s, const B* bias, float scale, int64_t n) {
  const Vf by = splat<Vf>(scale);
  Vf most = splat<Vf>(-INFINITY);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vf v = fma(load<Vf>(s + i, Full{}), by, load<Vf>(bias + i, Full{}));
    store(s + i, v, Full{});
    most = max_fast(v, most);
  }
  if (i < n) {
    const Part rest = {static_cast<int>(n - i)};
    const Vf v = fma(load<Vf>(s + i, rest), by, load<Vf>(bias + i, rest));
    store(s + i, v, rest);
    most = first_lanes(max_fast(v, most), most, rest);
  }
  return max_lane(most);
}

// s becomes e^(scale * s - m); returns their sum.
template <class T>
MACEC_NOINLINE float attention_exp(T* s, int64_t n, float scale, float m) {
  const Vf by = splat<Vf>(scale), shift = splat<Vf>(-m);
  Vf total = splat<Vf>(0.0f);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vf e = exp_nonpositive(fma(load<Vf>(s + i, Full{}), by, shift));
    store(s + i, e, Full{});
    total = total + e;
  }
  if (i < n) {
    const Part rest = {static_cast<int>(n - i)};
    const Vf e = exp_nonpositive(fma(load<Vf>(s + i, rest), by, shift));
    store(s + i, e, rest);
    total = first_lanes(total + e, total, rest);
  }
  return sum(total);
}

// y = before * y + by * x; before == 0: y is not read, and may be x.
template <class T>
MACEC_NOINLINE void attention_merge(const T* x, T* y, int64_t n, float before, float by) {
  const Vf b = splat<Vf>(before), f = splat<Vf>(by);
  int64_t i = 0;
  if (!(before != 0)) {
    for (; i + kLanes <= n; i += kLanes) store(y + i, load<Vf>(x + i, Full{}) * f, Full{});
    const Part rest = {static_cast<int>(n - i)};
    if (i < n) store(y + i, load<Vf>(x + i, rest) * f, rest);
    return;
  }
  for (; i + kLanes <= n; i += kLanes)
    store(y + i, fma(load<Vf>(y + i, Full{}), b, load<Vf>(x + i, Full{}) * f), Full{});
  if (i == n) return;
  const Part rest = {static_cast<int>(n - i)};
  store(y + i, fma(load<Vf>(y + i, rest), b, load<Vf>(x + i, rest) * f), rest);
}

// The rows that go by while a block of keys is there.
struct AttentionRows {
  const float *q, *bias;  // bias at the block's first key; may be nullptr
  float* y;
  int64_t count;
};

// One block of scores becomes weights, and the weighted values are added to y. first: row among
// those that go by.
[[maybe_unused]] inline void attention_step(const AttentionParams& p, const AttentionScratch& s,
                                            const AttentionRows& r, int64_t first, int64_t rows,
                                            int64_t keys, bool is_first, bool is_last) {
  const int64_t row_of_scores = attention_keys(p.n, kPanel);
  attention_product(r.q + first * p.q_row, p.q_row, p.k, s.keys, keys, s.scores, row_of_scores,
                    rows);
  float before[kGemmRowsPerUnit], by[kGemmRowsPerUnit];
  for (int64_t i = 0; i < rows; ++i) {
    float* const scores = s.scores + i * row_of_scores;
    const int64_t at = first + i;
    const float old = is_first ? -INFINITY : s.most[at];
    float scale = p.scale, here;
    if (r.bias != nullptr) {
      here = attention_bias(scores, r.bias + at * p.bias_row, scale, keys);
      scale = 1.0f;
    } else {
      here = scale * row_max(scores, keys);
    }
    const float most = here > old ? here : old;
    // Where nothing is seen yet, e^-inf is 0, not a NaN of -inf less -inf.
    const bool is_closed = !(most > -INFINITY);
    before[i] = old > -INFINITY ? exp_nonpositive(old - most) : 0.0f;
    const float here_sum = attention_exp(scores, keys, scale, is_closed ? 0.0f : most);
    s.most[at] = most;
    s.total[at] = is_first ? here_sum : s.total[at] * before[i] + here_sum;
    by[i] = is_last ? 1.0f / s.total[at] : 1.0f;
    before[i] *= by[i];
  }
  // The first block goes where the results belong; others are added there.
  float* const y = r.y + first * p.y_row;
  float* const results = is_first ? y : s.results;
  const int64_t results_row = is_first ? p.y_row : s.columns;
  attention_product(s.scores, row_of_scores, keys, s.values, p.e, results, results_row, rows);
  for (int64_t i = 0; i < rows && !(is_first && !is_last); ++i)
    attention_merge(results + i * results_row, y + i * p.y_row, p.e, is_first ? 0.0f : before[i],
                    by[i]);
}

[[maybe_unused]] inline void attention(const AttentionParams& p, const float* q, const float* w,
                                       const float* v, const float* bias, float* y, int64_t begin,
                                       int64_t end, void* scratch) {
  GemmParams rows_of = {};
  rows_of.batch[0] = p.batch[0], rows_of.batch[1] = p.batch[1], rows_of.m = p.m;
  const AttentionScratch s = attention_parts(p, scratch);
  for (int64_t unit = begin; unit < end;) {
    const GemmRows g = gemm_unit_rows(rows_of, unit, end, kAttentionRows / kGemmRowsPerUnit);
    unit += gemm_units_of(g);
    const float* const keys = w + g.outer * p.w_batch[0] + g.inner * p.w_batch[1];
    const float* const values = v + g.outer * p.v_batch[0] + g.inner * p.v_batch[1];
    AttentionRows r;
    r.q = q + g.outer * p.q_batch[0] + g.inner * p.q_batch[1] + g.first * p.q_row;
    r.y = y + g.outer * p.y_batch[0] + g.inner * p.y_batch[1] + g.first * p.y_row;
    r.bias = nullptr;
    for (int64_t key = 0; key < p.n; key += kAttentionKeys) {
      const int64_t count = p.n - key < kAttentionKeys ? p.n - key : kAttentionKeys;
      gemm_pack(keys + key * p.w_n, p.w_k, p.w_n, p.k, count, s.keys);
      gemm_pack(values + key * p.v_row, p.v_row, int64_t{1}, count, p.e, s.values);
      if (bias != nullptr)
        r.bias = bias + g.outer * p.bias_batch[0] + g.inner * p.bias_batch[1] +
                 g.first * p.bias_row + key;
      for (int64_t first = 0; first < g.count; first += kGemmRowsPerUnit) {
        const int64_t left = g.count - first;
        attention_step(p, s, r, first, left < kGemmRowsPerUnit ? left : kGemmRowsPerUnit, count,
                       key == 0, key + count == p.n);
      }
    }
  }
}
