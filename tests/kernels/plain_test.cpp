// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain kernels: products and convolutions of any type, the indices of MaxPool, extents.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/conv_plain.h"
#include "codegen_templates/kernels/extent.h"
#include "codegen_templates/kernels/gemm_plain.h"
#include "codegen_templates/kernels/pool_plain.h"
#include "codegen_templates/kernels/softmax_plain.h"
#include "tests/kernels/test_epilogues.h"
}  // namespace kernels
using namespace kernels;

namespace {

template <class T>
void fill_whole(Guarded<T>& buffer) {
  for (int64_t i = 0; i < buffer.size(); ++i)
    buffer[i] = static_cast<T>(static_cast<int64_t>(100.0f * random_float()));
}

// Two batch entries that share w; rows of x are transposed, rows of y have a gap.
template <class T>
void check_gemm(int64_t m, int64_t n, int64_t k) {
  GemmParams p{};
  p.batch[0] = 1, p.batch[1] = 2;
  p.m = m, p.n = n, p.k = k;
  p.x_batch[1] = m * k, p.x_row = 1, p.x_k = m;
  p.w_k = n, p.w_n = 1;
  p.y_batch[1] = m * (n + 1), p.y_row = n + 1;
  Guarded<T> x(2 * m * k), w(k * n), bias(n), y(2 * m * (n + 1) - 1);
  fill_whole(x), fill_whole(w), fill_whole(bias);
  const int64_t units = 2 * ((m + kGemmRowsPerUnit - 1) / kGemmRowsPerUnit);
  for (int64_t unit = 0; unit < units; ++unit) {
    gemm_plain(p, static_cast<const T*>(x.data()), static_cast<const T*>(w.data()),
               static_cast<const T*>(bias.data()), y.data(), unit, unit + 1, nullptr);
  }
  for (int64_t i = 0; i < 2 * m * n; ++i) {
    const int64_t b = i / (m * n), row = i / n % m, column = i % n;
    // Modulo 2^64, then cut to the type; whole numbers are exact in double.
    const auto whole = [](T v) { return static_cast<uint64_t>(static_cast<int64_t>(v)); };
    uint64_t sum = whole(bias[column]);
    for (int64_t l = 0; l < k; ++l) {
      sum += whole(x[b * m * k + l * m + row]) * whole(w[l * n + column]);
    }
    check(y[b * m * (n + 1) + row * (n + 1) + column] == static_cast<T>(static_cast<int64_t>(sum)),
          "gemm" + text("m", m) + text("n", n) + text("k", k));
  }
}

ConvParams conv_2d(int group, int in_channels, int out_channels, int kernel, int stride, int pad) {
  ConvParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = a == 0 ? 1 : kernel, p.stride[a] = a == 0 ? 1 : stride, p.dilation[a] = 1;
    p.in[a] = a == 0 ? 1 : 6 + a;
    p.pad[a] = a == 0 ? 0 : pad;
    p.out[a] = (p.in[a] + 2 * p.pad[a] - p.kernel[a]) / p.stride[a] + 1;
  }
  p.group = group, p.in_channels = in_channels, p.out_channels = out_channels, p.batch = 2;
  p.x_pixel = group * in_channels + 1, p.y_pixel = group * out_channels + 2;
  return p;
}

double conv_reference(const ConvParams& p, Guarded<float>& x, Guarded<float>& w, int64_t pixel,
                      int64_t m) {
  const int64_t b = pixel / (p.out[1] * p.out[2]), oh = pixel / p.out[2] % p.out[1],
                ow = pixel % p.out[2];
  double sum = 0;
  for (int64_t c = 0; c < p.in_channels; ++c) {
    for (int64_t kh = 0; kh < p.kernel[1]; ++kh) {
      for (int64_t kw = 0; kw < p.kernel[2]; ++kw) {
        const int64_t h = oh * p.stride[1] - p.pad[1] + kh, v = ow * p.stride[2] - p.pad[2] + kw;
        if (h < 0 || h >= p.in[1] || v < 0 || v >= p.in[2]) continue;
        const int64_t channel = m / p.out_channels * p.in_channels + c;
        sum += double{x[((b * p.in[1] + h) * p.in[2] + v) * p.x_pixel + channel]} *
               double{w[((m * p.in_channels + c) * p.kernel[1] + kh) * p.kernel[2] + kw]};
      }
    }
  }
  return sum;
}

void check_conv(const ConvParams& p) {
  const int64_t channels = int64_t{p.group} * p.out_channels;
  const int64_t pixels = p.batch * p.out[1] * p.out[2];
  Guarded<float> x((p.batch * p.in[1] * p.in[2] - 1) * p.x_pixel + p.group * p.in_channels);
  Guarded<float> w(channels * p.in_channels * p.kernel[1] * p.kernel[2]), bias(channels);
  Guarded<float> y((pixels - 1) * p.y_pixel + channels), skip(pixels * channels);
  fill_random(x), fill_random(w), fill_random(bias), fill_random(skip);
  conv_plain(p, static_cast<const float*>(x.data()), static_cast<const float*>(w.data()),
             static_cast<const float*>(bias.data()), y.data(), AddRelu{skip.data(), channels}, 0,
             p.batch * p.out[1], nullptr);
  for (int64_t i = 0; i < pixels * channels; ++i) {
    const int64_t pixel = i / channels, m = i % channels;
    const double v = conv_reference(p, x, w, pixel, m) + double{bias[m]} + double{skip[i]};
    check_close(double{y[pixel * p.y_pixel + m]}, fmax(v, 0.0), 1e-5,
                "conv" + text("group", p.group) + text("k", p.kernel[1]));
  }
}

void max_pool_names_the_first_greatest_element() {
  PoolParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = a == 0 ? 1 : 2, p.stride[a] = p.dilation[a] = 1;
    p.in[a] = a == 0 ? 1 : 3, p.out[a] = a == 0 ? 1 : 2;
  }
  p.channels = p.batch = p.x_pixel = p.y_pixel = 1;
  p.channels = 1;
  Guarded<int8_t> x(9), y(4);
  const int8_t values[9] = {1, 5, 5, 2, -8, 7, 7, 0, 3};
  for (int i = 0; i < 9; ++i) x[i] = values[i];
  Guarded<int64_t> indices(4);
  pool_max_indices<0>(p, static_cast<const int8_t*>(x.data()), y.data(), indices.data(), 0, 2,
                      nullptr);
  const int64_t by_row[4] = {1, 5, 6, 5}, by_column[4] = {3, 7, 2, 7};
  for (int i = 0; i < 4; ++i) check(indices[i] == by_row[i], "index" + text("i", i));
  pool_max_indices<1>(p, static_cast<const int8_t*>(x.data()), y.data(), indices.data(), 0, 2,
                      nullptr);
  for (int i = 0; i < 4; ++i) check(indices[i] == by_column[i], "index by column" + text("i", i));
  check(y[0] == 5 && y[1] == 7 && y[2] == 7 && y[3] == 7, "greatest elements");
}

// Rows side by side (inner 2) with gaps, in place; the last row is of -infinities.
void softmax_of_double() {
  SoftmaxParams p{};
  p.outer = 2, p.n = 3, p.inner = 2, p.x_step = p.y_step = 2, p.x_outer = p.y_outer = 7;
  Guarded<double> x(13), y(13), log_y(13);
  for (int64_t i = 0; i < 13; ++i) {
    x[i] = i % 7 % 2 == 1 && i > 6 ? -HUGE_VAL : 800.0 * static_cast<double>(random_float());
    y[i] = log_y[i] = x[i];
  }
  softmax_plain(p, static_cast<const double*>(y.data()), y.data(), 0, 2, nullptr);
  log_softmax_plain(p, static_cast<const double*>(log_y.data()), log_y.data(), 0, 2, nullptr);
  for (int64_t row = 0; row < 4; ++row) {
    const int64_t at = row / 2 * 7 + row % 2;
    double most = -HUGE_VAL, total = 0;
    for (int64_t j = 0; j < 3; ++j) most = fmax(most, x[at + j * 2]);
    for (int64_t j = 0; j < 3; ++j) total += ::exp(x[at + j * 2] - most);
    for (int64_t j = 0; j < 3; ++j) {
      const double shifted = x[at + j * 2] - most, got = y[at + j * 2], log_got = log_y[at + j * 2];
      if (row == 3) {
        check(!(got >= 0) && !(log_got <= 0), "softmax of -infinities" + text("j", j));
        continue;
      }
      check_close(got, ::exp(shifted) / total, 1e-15, "softmax_plain" + text("row", row));
      check_close(log_got, shifted - ::log(total), 1e-12, "log_softmax_plain" + text("row", row));
    }
  }
  check(y.intact() && log_y.intact(), "softmax_plain canary");
}

void lowest_values() {
  check(pool_lowest<int8_t>() == -128, "lowest int8");
  check(pool_lowest<uint8_t>() == 0, "lowest uint8");
  check(pool_lowest<double>() == -HUGE_VAL, "lowest double");
}

}  // namespace

int main() {
  for (const int64_t m : {1, 3, 49}) {
    for (const int64_t n : {1, 7, 17}) {
      for (const int64_t k : {0, 1, 16}) {
        check_gemm<int8_t>(m, n, k);
        check_gemm<uint32_t>(m, n, k);
        check_gemm<int64_t>(m, n, k);
        check_gemm<double>(m, n, k);
      }
    }
  }
  check_conv(conv_2d(1, 3, 4, 3, 2, 1));
  check_conv(conv_2d(4, 1, 2, 3, 1, 0));
  check_conv(conv_2d(2, 3, 3, 1, 1, 0));
  max_pool_names_the_first_greatest_element();
  lowest_values();
  softmax_of_double();
  int64_t stored = 0;
  extent(IotaParams{42}, &stored, 0, 1, nullptr);
  check(stored == 42, "extent");
  return report("plain_test");
}
