// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in blocks against the same in double: few and many keys, gaps between rows, a bias with
// -inf, shared keys, any split of the units.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/attention.h"
}  // namespace kernels
using namespace kernels;

namespace {

struct Case {
  int64_t heads, m, n, k, e;
  bool has_bias;
  double size;  // of q
};

AttentionParams params_of(const Case& c) {
  AttentionParams p{};
  p.batch[0] = 2, p.batch[1] = c.heads;
  p.m = c.m, p.n = c.n, p.k = c.k, p.e = c.e;
  // q [2, m, heads, k], keys [2, n, 1, k] for all heads, v and y alike with gaps behind each row.
  p.q_batch[0] = c.m * c.heads * c.k, p.q_batch[1] = c.k, p.q_row = c.heads * c.k;
  p.w_batch[0] = c.n * c.k, p.w_batch[1] = 0, p.w_k = 1, p.w_n = c.k;
  p.v_batch[0] = c.n * (c.e + 1), p.v_batch[1] = 0, p.v_row = c.e + 1;
  p.y_batch[0] = c.m * c.heads * c.e, p.y_batch[1] = c.e, p.y_row = c.heads * c.e;
  p.bias_batch[0] = 0, p.bias_batch[1] = c.m * c.n, p.bias_row = c.n;
  p.scale = 0.25f;
  return p;
}

double wanted(const Case& c, const AttentionParams& p, const float* q, const float* w,
              const float* v, const float* bias, int64_t column) {
  std::vector<double> s(static_cast<size_t>(c.n));
  double most = -HUGE_VAL, total = 0, y = 0;
  for (int64_t j = 0; j < c.n; ++j) {
    double score = 0;
    for (int64_t i = 0; i < c.k; ++i)
      score += static_cast<double>(q[i]) * static_cast<double>(w[i + j * p.w_n]);
    score *= static_cast<double>(p.scale);
    if (bias != nullptr) score += static_cast<double>(bias[j]);
    s[static_cast<size_t>(j)] = score;
    most = fmax(most, score);
  }
  for (double score : s) total += ::exp(score - most);
  for (int64_t j = 0; j < c.n; ++j)
    y += ::exp(s[static_cast<size_t>(j)] - most) / total *
         static_cast<double>(v[j * p.v_row + column]);
  return y;
}

void check_attention(const Case& c, int64_t units_at_once) {
  const AttentionParams p = params_of(c);
  Guarded<float> q(2 * c.m * c.heads * c.k), w(2 * c.n * c.k), v(2 * c.n * (c.e + 1) - 1),
      bias(c.heads * c.m * c.n), y(2 * c.m * c.heads * c.e);
  for (int64_t i = 0; i < q.size(); ++i) q[i] = static_cast<float>(c.size) * random_float();
  for (int64_t i = 0; i < w.size(); ++i) w[i] = random_float();
  for (int64_t i = 0; i < v.size(); ++i) v[i] = random_float();
  // Row 0 sees only the last key, row 1 only the first, others miss some.
  for (int64_t i = 0; i < bias.size(); ++i) {
    const int64_t row = i / c.n % c.m, key = i % c.n;
    const bool is_hidden = row == 0 ? key + 1 < c.n : row == 1 ? key > 0 : random_float() > 0.5f;
    bias[i] = is_hidden && key != row % c.n + (row == 0 ? c.n - 1 : 0) ? -INFINITY : random_float();
  }
  const float* const given = c.has_bias ? bias.data() : nullptr;
  const int64_t units = 2 * c.heads * ((c.m + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit);
  Scratch scratch(4 * attention_scratch(c.n, c.k, c.e, kPanel));
  for (int64_t unit = 0; unit < units; unit += units_at_once) {
    const int64_t end = unit + units_at_once < units ? unit + units_at_once : units;
    attention(p, q.data(), w.data(), v.data(), given, y.data(), unit, end, scratch.data());
  }
  const std::string what =
      text("m", c.m) + text("n", c.n) + text("k", c.k) + text("e", c.e) + text("bias", c.has_bias);
  for (int64_t i = 0; i < y.size(); ++i) {
    const int64_t b = i / (c.m * c.heads * c.e), row = i / (c.heads * c.e) % c.m,
                  head = i / c.e % c.heads;
    const double want =
        wanted(c, p, q.data() + b * p.q_batch[0] + row * p.q_row + head * c.k,
               w.data() + b * p.w_batch[0], v.data() + b * p.v_batch[0],
               given ? given + head * p.bias_batch[1] + row * c.n : nullptr, i % c.e);
    check_close(static_cast<double>(y[i]), want, 4e-6, what);
  }
  check(y.intact() && scratch.intact(), "canary" + what);
}

// A row that sees nothing, a row that sees a NaN, and a row that is as it should be.
void rows_of_no_number() {
  const Case c = {1, 3, 600, 4, 5, true, 1};
  AttentionParams p = params_of(c);
  p.batch[0] = 1;
  Guarded<float> q(12), w(2400), v(3599), bias(1800), y(15);
  for (int64_t i = 0; i < 12; ++i) q[i] = 1.0f;
  for (int64_t i = 0; i < 2400; ++i) w[i] = 0.5f;
  for (int64_t i = 0; i < 3599; ++i) v[i] = 2.0f;
  for (int64_t i = 0; i < 1800; ++i) bias[i] = i < 600 ? -INFINITY : 0.0f;
  bias[1000] = NAN;
  Scratch scratch(4 * attention_scratch(c.n, c.k, c.e, kPanel));
  attention(p, q.data(), w.data(), v.data(), bias.data(), y.data(), 0, 1, scratch.data());
  for (int64_t i = 0; i < 15; ++i)
    check(i < 10 ? y[i] != y[i] : fabs(static_cast<double>(y[i]) - 2) < 1e-5,
          "no number" + text("i", i));
}

}  // namespace

int main() {
  for (const bool has_bias : {false, true}) {
    for (const int64_t n : {1, 7, 64, 255, 256, 257, 700}) {
      check_attention({2, 51, n, 9, 17, has_bias, 1}, 1);
      check_attention({1, 3, n, 16, 3, has_bias, 20}, 3);
    }
    check_attention({2, 100, 300, 32, 32, has_bias, 4}, 100);
  }
  check_attention({1, 1600, 270, 8, 8, false, 1}, 100);
  rows_of_no_number();
  return report("attention_test");
}
