// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax, LogSoftmax, layer and RMS normalisation against the same in double: contiguous and
// strided axes, float and half storage, epilogues, in place, large and infinite values.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/norm.h"
#include "codegen_templates/kernels/softmax.h"
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
template <class T>
constexpr double kStep =
    sizeof(T) == 4 ? 0x1p-22
                   : 0x1p-11;  // relative; float: 2 ulp of exp, one of the sum and the scaling
constexpr double kHalfTiny = 0x1p-24;  // absolute, denormals of half

// x[outer][n][inner] with gaps; y is checked against softmax of each (outer, inner).
template <class T, class Epilogue>
void softmaxes(int64_t outer, int64_t n, int64_t inner, double scale, bool is_log,
               const Epilogue& epilogue, const float* skip) {
  SoftmaxParams p{};
  p.outer = outer, p.n = n, p.inner = inner;
  p.x_step = inner == 1 ? 1 : inner + 1, p.y_step = inner;
  p.x_outer = p.x_step * n + 3, p.y_outer = n * inner;
  Guarded<T> x((outer - 1) * p.x_outer + (n - 1) * p.x_step + inner), y(outer * n * inner);
  for (int64_t i = 0; i < x.size(); ++i)
    store(&x[i], static_cast<float>(scale) * random_float(), Full{});
  const T* in = x.data();
  for (int64_t unit = 0; unit < outer; ++unit) {
    if (is_log) {
      log_softmax(p, in, y.data(), epilogue, unit, unit + 1, nullptr);
    } else {
      softmax(p, in, y.data(), epilogue, unit, unit + 1, nullptr);
    }
  }
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      double most = -HUGE_VAL, total = 0;
      for (int64_t j = 0; j < n; ++j)
        most = fmax(most, value_of(x[o * p.x_outer + j * p.x_step + i]));
      for (int64_t j = 0; j < n; ++j)
        total += ::exp(value_of(x[o * p.x_outer + j * p.x_step + i]) - most);
      for (int64_t j = 0; j < n; ++j) {
        const double shifted = value_of(x[o * p.x_outer + j * p.x_step + i]) - most;
        double want = is_log ? shifted - ::log(total) : ::exp(shifted) / total;
        const double size = fabs(want) + (is_log ? fabs(shifted) + 0.5 : 0);  // log of 1 + little
        if (skip != nullptr)
          want = fmax(want + static_cast<double>(skip[(o * inner + i) * n + j]), 0);
        const double tolerance =
            (size + fabs(want)) * kStep<T> + (sizeof(T) == 2 ? kHalfTiny : 1e-37);
        check_close(value_of(y[o * p.y_outer + j * inner + i]), want, tolerance,
                    text("softmax log", is_log) + text("n", n) + text("inner", inner) +
                        text("bytes", sizeof(T)) + text("j", j));
      }
    }
  }
  check(y.intact(), "softmax canary");
}

template <class T>
void softmaxes_of() {
  for (const int64_t n : {1, 3, 7, 16, 17, 100, 1500}) {
    for (const int64_t inner : {1, 2, 3, 16, 17, 35}) {
      if (n == 1500 && inner > 3) continue;
      for (const bool is_log : {false, true}) {
        softmaxes<T>(2, n, inner, 1, is_log, NoEpilogue{}, nullptr);
        softmaxes<T>(1, n, inner, 90, is_log, NoEpilogue{}, nullptr);
        std::vector<float> skip(static_cast<size_t>(2 * inner * n));
        for (float& v : skip) v = random_float();
        softmaxes<T>(2, n, inner, 4, is_log, AddRelu{skip.data(), n}, skip.data());
      }
    }
  }
}

void softmax_special_values() {
  SoftmaxParams p{};
  p.outer = 1, p.n = 37, p.inner = 1, p.x_outer = p.y_outer = 37, p.x_step = p.y_step = 1;
  for (int64_t at = 0; at < 37; ++at) {
    float x[37];
    for (float& v : x) v = 1000.0f;
    x[at] = -HUGE_VALF;
    const float* in = x;
    softmax(p, in, x, NoEpilogue{}, 0, 1, nullptr);
    check(x[at] == 0.0f, text("masked element is exactly 0", at));
    check_close(x[(at + 1) % 37], 1.0 / 36, 1e-8, "softmax in place");
    x[at] = NAN;
    softmax(p, in, x, NoEpilogue{}, 0, 1, nullptr);
    check(isnan(x[at]) && isnan(x[(at + 20) % 37]), text("NaN takes its row", at));
  }
}

template <class T, class S>
void norms(int64_t rows, int64_t n, bool has_bias, double offset) {
  NormParams p{};
  p.rows = rows, p.n = n, p.x_row = n + 1, p.y_row = n, p.epsilon = 1e-5f;
  Guarded<T> x((rows - 1) * p.x_row + n), y(rows * n);
  Guarded<S> scale(n), bias(n);
  Guarded<float> mean(rows), inv_std(rows);
  for (int64_t i = 0; i < x.size(); ++i)
    store(&x[i], static_cast<float>(static_cast<double>(random_float()) + offset), Full{});
  for (int64_t i = 0; i < n; ++i)
    store(&scale[i], 1 + random_float(), Full{}), store(&bias[i], random_float(), Full{});
  std::vector<float> skip(static_cast<size_t>(rows * n));
  for (float& v : skip) v = random_float();
  for (const bool is_rms : {false, true}) {
    const T* in = x.data();
    const S* s = scale.data();
    const S* b = has_bias ? bias.data() : nullptr;
    const AddRelu epilogue = {skip.data(), n};
    for (int64_t r = 0; r < rows; ++r) {
      if (is_rms) {
        rms_norm(p, in, s, b, y.data(), inv_std.data(), epilogue, r, r + 1, nullptr);
      } else {
        layer_norm(p, in, s, b, y.data(), mean.data(), inv_std.data(), epilogue, r, r + 1, nullptr);
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      double center = 0, variance = 0;
      for (int64_t i = 0; i < n && !is_rms; ++i)
        center += value_of(x[r * p.x_row + i]) / static_cast<double>(n);
      for (int64_t i = 0; i < n; ++i) {
        const double d = value_of(x[r * p.x_row + i]) - center;
        variance += d * d / static_cast<double>(n);
      }
      const double factor = 1 / ::sqrt(variance + static_cast<double>(p.epsilon));
      check_close(inv_std[r], factor, factor * 1e-6, text("inv_std n", n));
      if (!is_rms) check_close(mean[r], center, (fabs(center) + 1) * 1e-6, text("mean n", n));
      for (int64_t i = 0; i < n; ++i) {
        const double v = value_of(x[r * p.x_row + i]);
        double want =
            (v - center) * factor * value_of(scale[i]) + (has_bias ? value_of(bias[i]) : 0);
        // x - mean loses what the mean rounds away: 2^-24 of it, times the factor.
        const double lost = (fabs(v) + fabs(center)) * factor * fabs(value_of(scale[i])) * 0x1p-22;
        want += static_cast<double>(skip[static_cast<size_t>(r * n + i)]);
        const double tolerance = lost + (fabs(want) + 3) * (sizeof(T) == 4 ? 0x1p-22 : 0x1p-11);
        check_close(value_of(y[r * n + i]), fmax(want, 0), tolerance,
                    text("norm n", n) + text("rms", is_rms) + text("bytes", sizeof(T)));
      }
    }
    check(y.intact() && mean.intact() && inv_std.intact(), "norm canary");
  }
}

void norm_without_outputs() {
  NormParams p{};
  p.rows = 1, p.n = 5, p.x_row = p.y_row = 5, p.epsilon = 0;
  float x[5] = {1, 2, 3, 4, 5};
  const float *in = x, *none = nullptr;
  layer_norm(p, in, none, none, x, nullptr, nullptr, NoEpilogue{}, 0, 1, nullptr);
  check_close(x[0], -sqrtf(2.0f), 1e-6, "layer_norm in place without scale and bias");
  check_close(x[4], sqrtf(2.0f), 1e-6, "layer_norm in place without scale and bias");
}

}  // namespace

int main() {
  softmaxes_of<float>();
  softmaxes_of<half_t>();
  softmax_special_values();
  for (const int64_t n : {1, 3, 7, 16, 17, 100, 5000}) {
    norms<float, float>(3, n, true, 0);
    norms<float, float>(2, n, false, 30);
    norms<half_t, float>(3, n, true, 0);
    norms<half_t, half_t>(2, n, false, 1);
  }
  norm_without_outputs();
  return report("rows_test");
}
