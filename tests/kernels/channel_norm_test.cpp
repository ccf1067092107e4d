// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisation of channels and groups against the same in double: group sizes around the block,
// gaps between pixels, half storage, values far from 0.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/channel_norm.h"
#include "tests/kernels/test_epilogues.h"
}  // namespace kernels
using namespace kernels;

namespace {

double value_of(const float& v) {
  return static_cast<double>(v);
}
double value_of(const half_t& v) {
  return static_cast<double>(load<float>(&v, Full{}));
}

struct NormCase {
  int groups, channels;
  int64_t batch, positions, x_gap, y_gap;
  double offset;
};

template <class T>
void norms(const NormCase& c) {
  const int all = c.groups * c.channels;
  const ChannelNormParams p = {c.groups,      c.channels,    c.batch, c.positions,
                               all + c.x_gap, all + c.y_gap, 1e-5f};
  const int64_t rows = c.batch * c.positions;
  Guarded<T> x((rows - 1) * p.x_pixel + all), y((rows - 1) * p.y_pixel + all);
  Guarded<float> scale(all), bias(all), skip(rows * all);
  fill_random(scale), fill_random(bias), fill_random(skip);
  for (int64_t i = 0; i < x.size(); ++i) {
    store(&x[i], random_float() + static_cast<float>(c.offset), Full{});
  }
  for (int64_t i = 0; i < y.size(); ++i) store(&y[i], 77.0f, Full{});
  const T* in = x.data();
  const float *s = scale.data(), *b = bias.data();
  const int64_t units = c.batch * channel_norm_blocks(c.groups, c.channels);
  for (int64_t unit = 0; unit < units; ++unit) {
    channel_norm(p, in, s, b, y.data(), AddRelu{skip.data(), all}, unit, unit + 1, nullptr);
  }
  const std::string name = text("groups", c.groups) + text("channels", c.channels) +
                           text("positions", c.positions) + text("bytes", sizeof(T));
  check(y.intact(), "writes outside" + name);
  for (int64_t g = 0; g < c.batch * c.groups; ++g) {
    const int64_t first = g / c.groups * c.positions;
    const auto each = [&](auto f) {
      for (int64_t i = 0; i < c.positions; ++i) {
        for (int64_t j = 0; j < c.channels; ++j) f(first + i, g % c.groups * c.channels + j);
      }
    };
    double sum = 0, squares = 0;
    const double count = static_cast<double>(c.positions * c.channels);
    each([&](int64_t r, int64_t k) { sum += value_of(x[r * p.x_pixel + k]); });
    each([&](int64_t r, int64_t k) {
      const double d = value_of(x[r * p.x_pixel + k]) - sum / count;
      squares += d * d;
    });
    const double inverse = 1 / ::sqrt(squares / count + 1e-5);
    // The mean is off by some ulp of the values; deviations are scaled by `inverse`.
    const double tolerance =
        1e-5 + (fabs(c.offset) + 1) * 4e-7 * inverse + (sizeof(T) == 2 ? 4e-3 : 0);
    each([&](int64_t r, int64_t k) {
      const double v = (value_of(x[r * p.x_pixel + k]) - sum / count) * inverse;
      const double want =
          fmax(v * double{scale[k]} + double{bias[k]} + double{skip[r * all + k]}, 0);
      check_close(value_of(y[r * p.y_pixel + k]), want, tolerance, name);
    });
  }
  for (int64_t r = 0; r + 1 < rows; ++r) {
    for (int64_t k = all; k < p.y_pixel; ++k) {
      check(value_of(y[r * p.y_pixel + k]) == 77.0, "writes between pixels" + name);
    }
  }
}

template <class T>
void norms_of() {
  for (const int channels : {1, 2, 3, 5, 8, 15, 16, 17, 33}) {
    for (const int groups : {1, 2, 7, 16, 17}) {
      for (const int64_t positions : {1, 3, 130}) {
        norms<T>({groups, channels, 2, positions, 0, 0, 0});
      }
      norms<T>({groups, channels, 1, 37, 3, 2, 0});
    }
  }
  norms<T>({3, 4, 1, 300, 0, 0, 30});
}

}  // namespace

int main() {
  norms_of<float>();
  norms_of<half_t>();
  norms<float>({2, 8, 1, 5000, 0, 0, 1000});
  return report("channel_norm_test");
}
