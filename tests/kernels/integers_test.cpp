// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gemm_integer and conv_integer against sums in int64 taken modulo 2^32: every result is exact. Weights
// of one byte and of two, extreme numbers, sizes around every tile, odd depths, splits of the units.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/conv_integer.h"
#include "codegen_templates/kernels/gemm_integer.h"
#include "tests/kernels/conv_case.h"
}  // namespace kernels
using namespace kernels;

namespace {

// One in eight is an end of the range.
int random_between(int least, int most) {
  static uint32_t state = 99;
  state = state * 1664525u + 1013904223u;
  const uint32_t number = state >> 8;
  if (number % 8 == 0) return number % 16 == 0 ? least : most;
  return least + static_cast<int>(number / 16 % static_cast<uint32_t>(most - least + 1));
}

// w[n][taps * k] in the order of integer_tile.h.
template <class W>
std::vector<W> pack(const std::vector<W>& w, int64_t n, int64_t taps, int64_t k) {
  const int64_t steps = (k + kIntegerDepth - 1) / kIntegerDepth, panel = integer_panel(taps, k);
  std::vector<W> packed(static_cast<size_t>((n + kPanel - 1) / kPanel * panel), W{0});
  for (int64_t c = 0; c < n; ++c) {
    for (int64_t i = 0; i < taps * k; ++i) {
      const int64_t row = i / k * steps + i % k / kIntegerDepth;
      const int64_t at = (row * kPanel + c % kPanel) * kIntegerDepth + i % k % kIntegerDepth;
      packed[static_cast<size_t>(c / kPanel * panel + at)] =
          w[static_cast<size_t>(c * taps * k + i)];
    }
  }
  return packed;
}

template <class W>
std::vector<W> random_weights(int64_t count) {
  std::vector<W> w(static_cast<size_t>(count));
  const int most = sizeof(W) == 1 ? 127 : 255, least = sizeof(W) == 1 ? -128 : -255;
  for (W& v : w) v = static_cast<W>(random_between(least, most));
  return w;
}

template <class W>
void check_gemm(int64_t batch, int64_t m, int64_t n, int64_t k) {
  GemmParams p{};
  p.batch[0] = 1, p.batch[1] = batch, p.m = m, p.n = n, p.k = k;
  p.x_row = k + 1, p.x_k = 1, p.x_batch[1] = m * p.x_row;
  p.y_row = n + 2, p.y_batch[1] = m * p.y_row;
  Guarded<int16_t> x((batch * m - 1) * p.x_row + k);
  Guarded<int32_t> y((batch * m - 1) * p.y_row + n);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<int16_t>(random_between(-255, 255));
  for (int64_t i = 0; i < y.size(); ++i) y[i] = 77;
  const std::vector<W> w = random_weights<W>(n * k);
  const std::vector<W> packed_values = pack(w, n, 1, k);
  Guarded<W> packed(static_cast<int64_t>(packed_values.size()));
  for (int64_t i = 0; i < packed.size(); ++i) packed[i] = packed_values[static_cast<size_t>(i)];
  const float* none = nullptr;
  const int64_t units = gemm_units(1, batch, m), cut = units / 2;
  const W* weights = packed.data();
  const int16_t* in = x.data();
  gemm_integer(p, in, weights, none, y.data(), 0, cut, nullptr);
  gemm_integer(p, in, weights, none, y.data(), cut, units, nullptr);
  const std::string name = text("gemm b", batch) + text("m", m) + text("n", n) + text("k", k);
  check(x.intact() && y.intact(), name + " writes outside");
  for (int64_t row = 0; row < batch * m; ++row) {
    for (int64_t c = 0; c < n; ++c) {
      int64_t sum = 0;
      for (int64_t i = 0; i < k; ++i) {
        sum += int64_t{x[row * p.x_row + i]} * w[static_cast<size_t>(c * k + i)];
      }
      check(y[row * p.y_row + c] == static_cast<int32_t>(sum), name);
    }
    for (int64_t c = n; c < p.y_row && row + 1 < batch * m; ++c) {
      check(y[row * p.y_row + c] == 77, name + " writes between rows");
    }
  }
}

int64_t conv_sum(const ConvParams& p, Guarded<int16_t>& x, const int64_t (&at)[4], int64_t group,
                 const int8_t* w) {
  int64_t sum = 0;
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t k[3] = {tap / (p.kernel[1] * p.kernel[2]), tap / p.kernel[2] % p.kernel[1],
                          tap % p.kernel[2]};
    int64_t from = at[0];
    bool inside = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t i = at[a + 1] * p.stride[a] - p.pad[a] + k[a] * p.dilation[a];
      inside = inside && i >= 0 && i < p.in[a];
      from = from * p.in[a] + i;
    }
    for (int64_t c = 0; inside && c < p.in_channels; ++c) {
      sum += int64_t{x[from * p.x_pixel + group * p.in_channels + c]} * w[tap * p.in_channels + c];
    }
  }
  return sum;
}

void check_conv_case(const ConvCase& c) {
  const ConvParams p = conv_params(c);
  const int64_t pixels = p.batch * p.out[0] * p.out[1] * p.out[2], units = pixels / p.out[2];
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  const int64_t filter = taps * p.in_channels;
  Guarded<int16_t> x((p.batch * p.in[0] * p.in[1] * p.in[2] - 1) * p.x_pixel +
                     int64_t{p.group} * p.in_channels);
  Guarded<int32_t> y((pixels - 1) * p.y_pixel + int64_t{p.group} * p.out_channels);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<int16_t>(random_between(-255, 255));
  const std::vector<int8_t> w = random_weights<int8_t>(p.group * p.out_channels * filter);
  std::vector<int8_t> packed;
  for (int g = 0; g < p.group; ++g) {
    const int8_t* const first = w.data() + g * p.out_channels * filter;
    const std::vector<int8_t> own(first, first + p.out_channels * filter);
    const std::vector<int8_t> part = pack(own, p.out_channels, taps, p.in_channels);
    packed.insert(packed.end(), part.begin(), part.end());
  }
  Scratch scratch(conv_table_scratch(p, sizeof(int16_t), false));
  const float* none = nullptr;
  const int16_t* in = x.data();
  conv_integer(p, in, packed.data(), none, y.data(), 0, units / 3, scratch.data());
  conv_integer(p, in, packed.data(), none, y.data(), units / 3, units, scratch.data());
  const std::string name = "conv" + conv_name(c);
  check(x.intact() && y.intact() && scratch.intact(), name + " writes outside");
  for (int64_t pixel = 0; pixel < pixels; ++pixel) {
    const int64_t at[4] = {pixel / (p.out[0] * p.out[1] * p.out[2]),
                           pixel / (p.out[1] * p.out[2]) % p.out[0], pixel / p.out[2] % p.out[1],
                           pixel % p.out[2]};
    for (int64_t m = 0; m < int64_t{p.group} * p.out_channels; ++m) {
      const int64_t sum = conv_sum(p, x, at, m / p.out_channels, w.data() + m * filter);
      check(y[pixel * p.y_pixel + m] == static_cast<int32_t>(sum), name);
    }
  }
}

void products() {
  for (const int64_t m : {1, 2, 3, 5, 12, 17, 49, 100}) {
    for (const int64_t n : {1, 4, 7, 8, 16, 17, 33, 40}) {
      for (const int64_t k : {1, 2, 3, 7, 16, 31}) {
        check_gemm<int8_t>(1, m, n, k);
        check_gemm<int16_t>(1, m, n, k);
      }
    }
  }
  check_gemm<int16_t>(3, 5, 19, 1000);
  check_gemm<int8_t>(1, 2, 9, 70000);  // sums beyond 32 bits of all ends of the range wrap
  check_gemm<int8_t>(2, 50, 20, 0);
}

void windows() {
  for (const int ic : {1, 3, 4, 17}) {
    for (const int oc : {1, 5, 16, 24}) {
      check_conv_case(conv_2d(ic, oc, 3, 1, 5, 7, 1));
      check_conv_case(conv_2d(ic, oc, 1, 2, 6, 9, 0));
      ConvCase c = conv_2d(ic, oc, 3, 2, 9, 13, 2);
      c.group = 3, c.batch = 2, c.dilation[2] = 2, c.x_gap = 1, c.y_gap = 2;
      check_conv_case(c);
    }
  }
}

}  // namespace

int main() {
  products();
  windows();
  return report("integers_test");
}
