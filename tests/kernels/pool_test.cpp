// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling against plain loops.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/pool.h"
#include "tests/kernels/test_epilogues.h"
}  // namespace kernels
using namespace kernels;

namespace {

PoolParams pool_2d(int channels, int kernel, int stride, int h, int w, int pad, bool ceil_mode) {
  PoolParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = a == 0 ? 1 : kernel, p.stride[a] = a == 0 ? 1 : stride, p.dilation[a] = 1;
    p.in[a] = a == 0 ? 1 : a == 1 ? h : w;
    p.pad[a] = p.pad_end[a] = a == 0 ? 0 : pad;
    const int64_t slack = p.in[a] + 2 * p.pad[a] - p.kernel[a];
    p.out[a] = slack / p.stride[a] + 1;
    if (ceil_mode && slack % p.stride[a] != 0 && p.out[a] * p.stride[a] - p.pad[a] < p.in[a]) {
      ++p.out[a];  // one more window that starts inside
    }
  }
  p.channels = channels, p.batch = 2;
  p.x_pixel = channels + 1, p.y_pixel = channels + 2;
  return p;
}

std::string name_of(const PoolParams& p) {
  return text("c", p.channels) + text("k", p.kernel[1]) + text("s", p.stride[1]) +
         text("h", p.in[1]) + text("w", p.in[2]) + text("pad", p.pad[1]) +
         text("d", p.dilation[1]) + text("incl", p.count_include_pad);
}

struct Window {
  double sum = 0, max = -HUGE_VAL;
  int inside = 0, padded = 0;
};

template <class T>
Window window(const PoolParams& p, Guarded<T>& x, int64_t pixel, int64_t channel) {
  const int64_t b = pixel / (p.out[0] * p.out[1] * p.out[2]);
  const int64_t od = pixel / (p.out[1] * p.out[2]) % p.out[0];
  const int64_t oh = pixel / p.out[2] % p.out[1], ow = pixel % p.out[2];
  Window r;
  for (int kd = 0; kd < p.kernel[0]; ++kd) {
    for (int kh = 0; kh < p.kernel[1]; ++kh) {
      for (int kw = 0; kw < p.kernel[2]; ++kw) {
        const int64_t d = od * p.stride[0] - p.pad[0] + kd * p.dilation[0];
        const int64_t h = oh * p.stride[1] - p.pad[1] + kh * p.dilation[1];
        const int64_t w = ow * p.stride[2] - p.pad[2] + kw * p.dilation[2];
        r.padded +=
            d < p.in[0] + p.pad_end[0] && h < p.in[1] + p.pad_end[1] && w < p.in[2] + p.pad_end[2];
        if (d < 0 || d >= p.in[0] || h < 0 || h >= p.in[1] || w < 0 || w >= p.in[2]) continue;
        const int64_t at = ((b * p.in[0] + d) * p.in[1] + h) * p.in[2] + w;
        const double v = static_cast<double>(x[at * p.x_pixel + channel]);
        r.sum += v;
        r.max = fmax(r.max, v);
        ++r.inside;
      }
    }
  }
  return r;
}

int64_t pixels_of(const PoolParams& p) {
  return p.batch * p.out[0] * p.out[1] * p.out[2];
}

void check_pools(PoolParams p) {
  const int64_t pixels = pixels_of(p), units = p.batch * p.out[0] * p.out[1];
  Guarded<float> x((p.batch * p.in[0] * p.in[1] * p.in[2] - 1) * p.x_pixel + p.channels);
  Guarded<float> y((pixels - 1) * p.y_pixel + p.channels), skip(pixels * p.channels);
  fill_random(x), fill_random(skip);
  const float* from = x.data();
  const AddRelu epilogue{skip.data(), p.channels};
  for (int kind = 0; kind < 3; ++kind) {
    p.count_include_pad = kind == 2;
    for (int part = 0; part < 2; ++part) {
      const int64_t begin = part == 0 ? 0 : units / 2, end = part == 0 ? units / 2 : units;
      if (kind == 0) {
        pool_max(p, from, y.data(), epilogue, begin, end, nullptr);
      } else {
        pool_average(p, from, y.data(), epilogue, begin, end, nullptr);
      }
    }
    check(y.intact() && x.intact(), name_of(p) + " writes outside");
    for (int64_t i = 0; i < pixels * p.channels; ++i) {
      const int64_t pixel = i / p.channels, c = i % p.channels;
      const Window w = window(p, x, pixel, c);
      const int count = kind == 2 ? w.padded : w.inside;
      const double v = kind == 0 ? w.max : count > 0 ? w.sum / count : 0.0;
      check_close(double{y[pixel * p.y_pixel + c]}, fmax(v + double{skip[i]}, 0.0), 1e-5,
                  (kind == 0 ? "max" : "average") + name_of(p));
    }
  }
}

template <class T>
void check_max_of(const PoolParams& p, T lowest) {
  const int64_t pixels = pixels_of(p), units = p.batch * p.out[0] * p.out[1];
  Guarded<T> x((p.batch * p.in[0] * p.in[1] * p.in[2] - 1) * p.x_pixel + p.channels);
  Guarded<T> y((pixels - 1) * p.y_pixel + p.channels);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(60.0f * random_float());
  pool_max_of(p, static_cast<const T*>(x.data()), y.data(), lowest, 0, units, nullptr);
  for (int64_t i = 0; i < pixels * p.channels; ++i) {
    const Window w = window(p, x, i / p.channels, i % p.channels);
    if (w.inside == 0) continue;
    check(static_cast<double>(y[i / p.channels * p.y_pixel + i % p.channels]) == w.max,
          "max_of" + name_of(p));
  }
}

void nan_wins() {
  PoolParams p = pool_2d(17, 2, 1, 2, 2, 0, false);
  p.batch = 1, p.x_pixel = p.y_pixel = 17;
  for (int at = 0; at < 4; ++at) {
    Guarded<float> x(4 * 17), y(17);
    fill_random(x);
    for (int c = 0; c < 17; ++c) x[at * 17 + c] = NAN;
    pool_max(p, static_cast<const float*>(x.data()), y.data(), NoEpilogue{}, 0, 1, nullptr);
    for (int c = 0; c < 17; ++c) check(y[c] != y[c], "a NaN does not win");
    pool_max_of(p, static_cast<const float*>(x.data()), y.data(), -HUGE_VALF, 0, 1, nullptr);
    for (int c = 0; c < 17; ++c) check(y[c] != y[c], "a NaN does not win in max_of");
  }
}

}  // namespace

int main() {
  for (const int channels : {1, 3, 7, 16, 17, 67}) {
    for (const int size : {3, 7, 16, 17}) {
      check_pools(pool_2d(channels, 2, 2, size, size + 1, 0, true));
      check_pools(pool_2d(channels, 3, 2, size, size + 1, 1, false));
      check_pools(pool_2d(channels, 3, 3, size, size, 1, true));
      check_max_of<int8_t>(pool_2d(channels, 3, 2, size, size, 1, false), -128);
      check_max_of<uint8_t>(pool_2d(channels, 3, 2, size, size, 1, true), 0);
      check_max_of<double>(pool_2d(channels, 2, 1, size, size, 0, false), -HUGE_VAL);
    }
  }
  PoolParams dilated = pool_2d(9, 3, 1, 11, 12, 2, false);
  dilated.dilation[1] = dilated.dilation[2] = 2;
  dilated.out[1] = 11, dilated.out[2] = 12;
  check_pools(dilated);
  PoolParams global = pool_2d(33, 7, 1, 7, 7, 0, false);
  check_pools(global);
  nan_wins();
  return report("pool_test");
}
