// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_packed and gemm_dynamic against sums in double: sizes around every tile, strides, batches,
// splits of the units, and nothing touched outside the extents.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/gemm.h"
#include "tests/kernels/test_epilogues.h"
}  // namespace kernels
using namespace kernels;

namespace {

struct Case {
  int64_t batch0 = 1, batch1 = 1, m = 1, n = 1, k = 1;
  bool w_broadcast = true;  // one w for all batch entries
  bool x_transposed = false, w_transposed = false, has_bias = true;
  int columns = 0;  // of a unit of gemm_packed
};

std::string name_of(const Case& c) {
  return text("b0", c.batch0) + text("b1", c.batch1) + text("m", c.m) + text("n", c.n) +
         text("k", c.k) + text("xt", c.x_transposed) + text("wt", c.w_transposed) +
         text("columns", c.columns);
}

std::vector<float> pack(const float* w, int64_t w_k, int64_t w_n, int64_t k, int64_t n) {
  std::vector<float> packed(static_cast<size_t>(gemm_packed_floats(n, k, kPanel)), 0.0f);
  for (int64_t kk = 0; kk < k; ++kk) {
    for (int64_t c = 0; c < n; ++c) {
      packed[static_cast<size_t>((c / kPanel * k + kk) * kPanel + c % kPanel)] =
          w[kk * w_k + c * w_n];
    }
  }
  return packed;
}

GemmParams params_of(const Case& c) {
  GemmParams p{};
  p.batch[0] = c.batch0, p.batch[1] = c.batch1;
  p.m = c.m, p.n = c.n, p.k = c.k, p.columns = c.columns;
  p.x_row = c.x_transposed ? 1 : c.k + 2;
  p.x_k = c.x_transposed ? c.m + 1 : 1;
  p.x_batch[1] = c.x_transposed ? c.k * (c.m + 1) : c.m * (c.k + 2);
  p.x_batch[0] = p.x_batch[1] * c.batch1;
  p.w_k = c.w_transposed ? 1 : c.n + 3;
  p.w_n = c.w_transposed ? c.k + 1 : 1;
  p.w_batch[1] = c.w_broadcast ? 0 : c.w_transposed ? c.n * (c.k + 1) : c.k * (c.n + 3);
  p.w_batch[0] = p.w_batch[1] * c.batch1;
  p.y_row = c.n + 1;
  p.y_batch[1] = c.m * p.y_row;
  p.y_batch[0] = p.y_batch[1] * c.batch1;
  return p;
}

int64_t elements(const int64_t (&extent)[4], const int64_t (&stride)[4]) {
  int64_t last = 0;
  for (int a = 0; a < 4; ++a) {
    if (extent[a] == 0) return 0;
    last += (extent[a] - 1) * stride[a];
  }
  return last + 1;
}

template <class Epilogue>
void check_product(const Case& c, bool packed, bool split) {
  const GemmParams p = params_of(c);
  const std::string name = (packed ? "packed" : "dynamic") + name_of(c);
  Guarded<float> x(
      elements({c.batch0, c.batch1, c.m, c.k}, {p.x_batch[0], p.x_batch[1], p.x_row, p.x_k}));
  Guarded<float> w(
      elements({c.batch0, c.batch1, c.k, c.n}, {p.w_batch[0], p.w_batch[1], p.w_k, p.w_n}));
  Guarded<float> y(
      elements({c.batch0, c.batch1, c.m, c.n}, {p.y_batch[0], p.y_batch[1], p.y_row, 1}));
  Guarded<float> skip(c.batch0 * c.batch1 * c.m * c.n), bias(c.n);
  fill_random(x), fill_random(w), fill_random(bias), fill_random(skip);
  for (int64_t i = 0; i < y.size(); ++i) y[i] = 77.0f;
  const float* b = c.has_bias ? bias.data() : nullptr;
  Epilogue epilogue;
  epilogue.skip = skip.data(), epilogue.skip_row = c.n;
  const bool dense = p.x_k == 1 || p.k == 1;
  const int64_t units = packed && c.columns > 0 ? (c.n + c.columns - 1) / c.columns
                                                : gemm_units(c.batch0, c.batch1, c.m);
  Scratch scratch(packed ? gemm_packed_scratch(c.k, dense)
                         : gemm_dynamic_scratch(c.n, c.k, kPanel, dense));
  std::vector<float> panels;
  GemmParams packed_params = p;
  const int64_t entries = c.w_broadcast ? 1 : c.batch0 * c.batch1;
  for (int64_t e = 0; e < entries; ++e) {
    const std::vector<float> one = pack(w.data() + e * p.w_batch[1], p.w_k, p.w_n, c.k, c.n);
    panels.insert(panels.end(), one.begin(), one.end());
  }
  packed_params.w_batch[1] = c.w_broadcast ? 0 : gemm_packed_floats(c.n, c.k, kPanel);
  packed_params.w_batch[0] = packed_params.w_batch[1] * c.batch1;
  const int64_t cut = split ? units / 2 : units;
  for (int part = 0; part < 2; ++part) {
    const int64_t begin = part == 0 ? 0 : cut, end = part == 0 ? cut : units;
    if (packed) {
      gemm_packed(packed_params, x.data(), panels.data(), b, y.data(), epilogue, begin, end,
                  scratch.data());
    } else {
      gemm_dynamic(p, x.data(), w.data(), b, y.data(), epilogue, begin, end, scratch.data());
    }
  }
  check(x.intact() && w.intact() && y.intact() && scratch.intact(), name + " writes outside");
  for (int64_t e = 0; e < c.batch0 * c.batch1; ++e) {
    for (int64_t m = 0; m < c.m; ++m) {
      const int64_t y_at = e * p.y_batch[1] + m * p.y_row;
      for (int64_t n = 0; n < c.n; ++n) {
        double sum = c.has_bias ? double{bias[n]} : 0.0;
        for (int64_t k = 0; k < c.k; ++k) {
          sum += double{x[e * p.x_batch[1] + m * p.x_row + k * p.x_k]} *
                 double{w[(c.w_broadcast ? 0 : e) * p.w_batch[1] + k * p.w_k + n * p.w_n]};
        }
        const double want = fmax(sum + double{skip[(e * c.m + m) * c.n + n]}, 0.0);
        check_close(double{y[y_at + n]}, want, 1e-6 * (1.0 + static_cast<double>(c.k)), name);
      }
      if (c.n > 0 && y_at + c.n < y.size()) {
        check(y[y_at + c.n] == 77.0f, name + " writes between rows");
      }
    }
  }
}

void check_both(const Case& c) {
  for (const bool split : {false, true}) {
    check_product<AddRelu>(c, true, split);
    check_product<LargeAddRelu>(c, false, split);
  }
}

void every_small_size() {
  for (const int m : {0, 1, 3, 7, 16, 17, 49}) {
    for (const int n : {0, 1, 3, 7, 16, 17, 31, 33, 70, 131}) {
      for (const int k : {0, 1, 3, 7, 16, 17}) {
        Case c;
        c.m = m, c.n = n, c.k = k;
        c.has_bias = (m + n + k) % 3 != 0;
        c.w_transposed = (m + n) % 2 == 1;
        c.x_transposed = (n + k) % 4 == 1;
        check_both(c);
      }
    }
  }
}

void batches_and_large_sizes() {
  for (int variant = 0; variant < 8; ++variant) {
    Case c;
    c.batch0 = 2, c.batch1 = 3, c.m = 53, c.n = 19, c.k = 21;
    c.w_broadcast = variant % 2 == 0;
    c.w_transposed = variant / 2 % 2 == 1;
    c.x_transposed = variant / 4 == 1;
    check_both(c);
  }
  Case deep;
  deep.m = 101, deep.n = 70, deep.k = 2100;
  check_both(deep);
  Case wide;
  wide.m = 5, wide.n = 1200, wide.k = 300;
  check_both(wide);
}

void units_of_columns() {
  for (const int m : {0, 1, 49, 101}) {
    for (const int n : {1, 64, 65, 200}) {
      Case c;
      c.columns = 64, c.m = m, c.n = n, c.k = m == 101 ? 2100 : 17;
      c.has_bias = n != 65;
      c.x_transposed = m == 49;
      check_both(c);
    }
  }
}

}  // namespace

int main() {
  units_of_columns();
  every_small_size();
  batches_and_large_sizes();
  return report("gemm_test");
}
