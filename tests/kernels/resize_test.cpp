// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize against the formulas of params/resize.h in double: every mode, rounding and layout, and the
// two ways to compute it against each other.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/resize.h"
#include "codegen_templates/kernels/resize_nearest.h"
#include "codegen_templates/kernels/resize_plain.h"
}  // namespace kernels
using namespace kernels;

namespace {

using Extents = std::vector<int64_t>;

double value_of(const float& v) {
  return static_cast<double>(v);
}
double value_of(const double& v) {
  return v;
}
double value_of(const half_t& v) {
  return static_cast<double>(load<float>(&v, Full{}));
}
template <class T>
void set(T& to, float v) {
  plain_store(&to, v);
}
void set(double& to, float v) {
  to = static_cast<double>(v);
}

struct Tap {
  int64_t index;
  double weight;
};

double weight_of(const ResizeParams& p, double t) {
  t = fabs(t);
  const double a = static_cast<double>(p.cubic_a);
  if (p.mode == kResizeLinear) return fmax(0, 1 - t);
  if (t <= 1) return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

// Scales of the tests make every position exact in float.
std::vector<Tap> taps_of(const ResizeParams& p, int a, int64_t o) {
  if (p.resized[a] == 0) return {{o, 1}};
  const double at = (static_cast<double>(o) + double{p.pre[a]}) * static_cast<double>(p.num[a]) /
                        (static_cast<double>(p.den[a]) * double{p.scale[a]}) +
                    double{p.post[a]};
  const int64_t n = p.in[a];
  const auto clamp = [&](double i) {
    return static_cast<int64_t>(fmax(0, fmin(i, static_cast<double>(n - 1))));
  };
  if (p.extrapolates != 0 && (at < 0 || at > static_cast<double>(n - 1))) return {};
  if (p.mode == kResizeNearest) {
    const double rounded[] = {::ceil(at - 0.5), ::floor(at + 0.5), ::floor(at), ::ceil(at)};
    return {{clamp(rounded[p.rounding]), 1}};
  }
  std::vector<Tap> taps;
  double sum = 0;
  for (int64_t i = -50; i < n + 50; ++i) {
    const double reach = p.mode == kResizeCubic ? 2 : 1;
    const double t = (static_cast<double>(i) - at) * double{p.filter[a]};
    if (fabs(t) >= reach || (p.exclude_outside != 0 && (i < 0 || i >= n))) continue;
    taps.push_back({clamp(static_cast<double>(i)), weight_of(p, t)});
    sum += taps.back().weight;
  }
  for (Tap& tap : taps) tap.weight /= sum;
  return taps;
}

template <class T>
double expected(const ResizeParams& p, T* x, const int64_t* at, int axis, bool* is_outside) {
  if (axis == p.rank) return value_of(*x);
  double sum = 0;
  const std::vector<Tap> taps = taps_of(p, axis, at[axis]);
  *is_outside = *is_outside || taps.empty();
  for (const Tap& tap : taps) {
    sum += tap.weight * expected(p, x + tap.index * p.x_stride[axis], at, axis + 1, is_outside);
  }
  return sum;
}

template <class T, class Kernel>
void compare(const ResizeParams& p, int64_t scratch_bytes, const char* name, Kernel kernel) {
  int64_t x_span = 1, y_span = 1, units = 1, elements = 1;
  for (int a = 0; a < p.rank; ++a) {
    x_span += (p.in[a] - 1) * p.x_stride[a];
    y_span += (p.out[a] - 1) * p.y_stride[a];
    elements *= p.out[a];
    if (a + 1 < p.rank) units *= p.out[a];
  }
  Guarded<T> x(x_span), y(y_span);
  for (int64_t i = 0; i < x_span; ++i) set(x[i], random_float());
  for (int64_t i = 0; i < y_span; ++i) set(y[i], 77.0f);
  Scratch scratch(scratch_bytes);
  const T* in = x.data();
  for (const int64_t cut : {int64_t{0}, units / 3}) {
    kernel(p, in, y.data(), cut == 0 ? units / 3 : 0, cut == 0 ? units : cut, scratch.data());
  }
  const std::string what = std::string(name) + text("mode", p.mode) + text("rank", p.rank) +
                           text("bytes", sizeof(T)) + text("in", p.in[0]);
  check(y.intact() && scratch.intact(), what + " writes outside");
  for (int64_t i = 0; i < elements; ++i) {
    int64_t at[kMaxRank] = {}, rest = i, to = 0;
    for (int a = p.rank - 1; a >= 0; --a) {
      at[a] = rest % p.out[a], rest /= p.out[a];
      to += at[a] * p.y_stride[a];
    }
    bool is_outside = false;
    const double sum = expected(p, x.data(), at, 0, &is_outside);
    const double want = is_outside ? double{p.extrapolation} : sum;
    check_close(value_of(y[to]), want, sizeof(T) == 2 ? 2e-3 : 4e-6, what);
  }
}

template <class T>
void every_kernel(const ResizeParams& p) {
  compare<T>(p, resize_scratch(p, p.out), "plain", [](const auto&... a) { resize_plain(a...); });
  if (p.mode == kResizeNearest && p.extrapolates == 0) {
    compare<T>(p, resize_scratch(p, p.out), "nearest",
               [](const auto&... a) { resize_nearest(a...); });
  }
  if constexpr (sizeof(T) <= 4) {
    const int last = p.rank - 1;
    if (p.resized[last] == 0 && (p.x_stride[last] != 1 || p.y_stride[last] != 1)) return;
    compare<T>(p, resize_run_scratch(p, p.out, p.in[last]), "runs",
               [](const auto&... a) { resize(a...); });
  }
}

// An axis of n elements; scale: out / in.
struct Axis {
  int64_t in, out;
};

ResizeParams params_of(int mode, const std::vector<Axis>& axes, const Extents& x_stride,
                       const Extents& y_stride) {
  ResizeParams p{};
  p.rank = static_cast<int>(axes.size());
  p.mode = mode;
  p.cubic_a = -0.75f;
  p.extrapolation = 0.5f;
  for (size_t a = 0; a < axes.size(); ++a) {
    p.in[a] = axes[a].in, p.out[a] = axes[a].out;
    p.resized[a] = axes[a].in != axes[a].out;
    p.x_stride[a] = x_stride[a], p.y_stride[a] = y_stride[a];
    p.num[a] = axes[a].in, p.den[a] = axes[a].out;
    p.scale[a] = 1, p.pre[a] = 0.5f, p.post[a] = -0.5f, p.filter[a] = 1;
  }
  return p;
}

template <class T>
void layouts(int mode, const Axis& h, const Axis& w, int64_t c, void (*change)(ResizeParams&)) {
  const Axis image = {2, 2}, channels = {c, c};
  ResizeParams last = params_of(mode, {image, h, w, channels}, {h.in * w.in * c, w.in * c, c, 1},
                                {h.out * w.out * c, w.out * c, c, 1});
  change(last);
  every_kernel<T>(last);
  ResizeParams plain = params_of(mode, {{2 * c, 2 * c}, h, w}, {h.in * w.in, w.in, 1},
                                 {h.out * (w.out + 1), w.out + 1, 1});
  change(plain);
  every_kernel<T>(plain);
  ResizeParams across =
      params_of(mode, {channels, h, w}, {1, w.in * c, c}, {h.out * w.out, w.out, 1});
  change(across);
  every_kernel<T>(across);
}

template <class T>
void all_sizes(int mode, void (*change)(ResizeParams&)) {
  for (const int64_t c : {1, 3, 17}) {
    layouts<T>(mode, {3, 6}, {4, 8}, c, change);
    layouts<T>(mode, {8, 4}, {16, 4}, c, change);
    layouts<T>(mode, {1, 4}, {2, 1}, c, change);
    layouts<T>(mode, {5, 5}, {2, 8}, c, change);
  }
}

template <class T>
void all_modes() {
  for (const int mode : {kResizeNearest, kResizeLinear, kResizeCubic}) {
    all_sizes<T>(mode, [](ResizeParams&) {});
    all_sizes<T>(mode, [](ResizeParams& p) {  // asymmetric
      for (int a = 0; a < p.rank; ++a) p.pre[a] = p.post[a] = 0;
      p.exclude_outside = 1;
      p.rounding = kRoundFloor;
    });
    all_sizes<T>(mode, [](ResizeParams& p) {  // a crop that reaches outside
      p.extrapolates = 1;
      for (int a = 0; a < p.rank; ++a) p.post[a] = -1;
    });
    if (mode == kResizeNearest) continue;
    all_sizes<T>(mode, [](ResizeParams& p) {  // against aliasing
      for (int a = 0; a < p.rank; ++a) {
        if (p.out[a] < p.in[a]) {
          p.filter[a] = static_cast<float>(p.out[a]) / static_cast<float>(p.in[a]);
        }
      }
    });
  }
  all_sizes<T>(kResizeNearest, [](ResizeParams& p) { p.rounding = kRoundHalfUp; });
  all_sizes<T>(kResizeNearest, [](ResizeParams& p) { p.rounding = kRoundCeil; });
}

}  // namespace

int main() {
  all_modes<float>();
  all_modes<half_t>();
  all_modes<double>();
  return report("resize_test");
}
