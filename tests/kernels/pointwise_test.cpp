// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elementwise walk: every element once, with the right offsets, however the units are split.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/math.h"
#include "codegen_templates/kernels/pointwise.h"
}  // namespace kernels
using namespace kernels;

namespace {

// y = a + 2 b, with an inner stride for each operand.
struct AddTwice {
  static constexpr bool kVector = true;
  static constexpr int kOperands = 3;
  const float* a;
  int64_t a_step;
  const float* b;
  int64_t b_step;
  float* y;
  int64_t y_step;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N n) const {
    const V u = load_strided<V>(a + offset[0] + i * a_step, a_step, n);
    const V v = load_strided<V>(b + offset[1] + i * b_step, b_step, n);
    store_strided(y + offset[2] + i * y_step, y_step, fma(splat<V>(2.0f), v, u), n);
  }
};
struct AddTwiceDouble {
  static constexpr bool kVector = false;
  static constexpr int kOperands = 3;
  const double* a;
  int64_t a_step;
  const double* b;
  int64_t b_step;
  double* y;
  int64_t y_step;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N) const {
    y[offset[2] + i * y_step] = a[offset[0] + i * a_step] + 2 * b[offset[1] + i * b_step];
  }
};

using Extents = std::vector<int64_t>;

int64_t span(const Extents& extent, const Extents& stride) {
  int64_t last = 0;
  for (size_t a = 0; a < extent.size(); ++a) {
    if (extent[a] == 0) return 0;
    last += (extent[a] - 1) * stride[a];
  }
  return last + 1;
}

template <class Work, class T>
void walks(const Extents& extent, const Extents& a_stride, const Extents& b_stride,
           const Extents& y_stride) {
  PointwiseParams p{};
  p.rank = static_cast<int>(extent.size()), p.operands = 3;
  int64_t size = 1, units = 1;
  for (size_t a = 0; a < extent.size(); ++a) {
    p.extent[a] = extent[a];
    p.stride[0][a] = a_stride[a], p.stride[1][a] = b_stride[a], p.stride[2][a] = y_stride[a];
    size *= extent[a];
    if (a + 1 < extent.size()) units *= extent[a];
  }
  if (p.rank <= 1) units = (size + kPointwiseBlock - 1) / kPointwiseBlock;
  Guarded<T> a(span(extent, a_stride)), b(span(extent, b_stride)), y(span(extent, y_stride));
  for (int64_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(i % 1000);
  for (int64_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 777);
  for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(-1);
  std::vector<T> want(y.data(), y.data() + y.size());
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, oa = 0, ob = 0, oy = 0;
    for (size_t axis = extent.size(); axis-- > 0;) {
      const int64_t at = rest % extent[axis];
      rest /= extent[axis];
      oa += at * a_stride[axis], ob += at * b_stride[axis], oy += at * y_stride[axis];
    }
    want[static_cast<size_t>(oy)] = a[oa] + 2 * b[ob];
  }
  const int64_t inner[3] = {p.rank == 0 ? 0 : a_stride.back(), p.rank == 0 ? 0 : b_stride.back(),
                            p.rank == 0 ? 0 : y_stride.back()};
  const Work work = {a.data(), inner[0], b.data(), inner[1], y.data(), inner[2]};
  pointwise(p, work, 0, units / 2, nullptr);
  pointwise(p, work, units / 2, units, nullptr);
  pointwise(p, work, units, units, nullptr);
  const bool equal = size == 0 || memcmp(want.data(), y.data(), want.size() * sizeof(T)) == 0;
  check(equal && y.intact(), text("pointwise rank", p.rank) + text("size", size));
}

template <class Work, class T>
void walks_of() {
  walks<Work, T>({}, {}, {}, {});
  for (const int64_t n : {0, 1, 3, 7, 16, 17, 4096, 4097, 10000}) {
    walks<Work, T>({n}, {1}, {1}, {1});
    walks<Work, T>({n}, {2}, {0}, {1});
    walks<Work, T>({n}, {1}, {3}, {2});
  }
  for (const int64_t n : {1, 3, 7, 16, 17}) {
    for (const int64_t m : {1, 3, 7, 16, 17}) {
      walks<Work, T>({m, n}, {n, 1}, {0, 1}, {n, 1});
      walks<Work, T>({m, n}, {n + 1, 1}, {1, 0}, {n + 2, 1});
      walks<Work, T>({2, m, n}, {0, 1, m}, {1, 2, 0}, {m * n, n, 1});
    }
  }
  walks<Work, T>({2, 2, 3, 2, 2, 2, 2, 3}, {1, 0, 2, 6, 12, 0, 24, 48}, {0, 1, 0, 0, 2, 4, 8, 0},
                 {288, 144, 48, 24, 12, 6, 3, 1});
}

// A chain as the compiler writes it, in half precision and in place.
struct GeluInPlace {
  static constexpr bool kVector = true;
  static constexpr int kOperands = 1;
  half_t* y;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N n) const {
    store(y + offset[0] + i, gelu(load<V>(y + offset[0] + i, n)), n);
  }
};

void half_chain_in_place() {
  PointwiseParams p{};
  p.rank = 1, p.operands = 1, p.extent[0] = 37, p.stride[0][0] = 1;
  Guarded<half_t> y(37);
  for (int64_t i = 0; i < 37; ++i) store(&y[i], static_cast<float>(i - 18) * 0.25f, Full{});
  pointwise(p, GeluInPlace{y.data()}, 0, 1, nullptr);
  for (int64_t i = 0; i < 37; ++i) {
    const double x = static_cast<double>(i - 18) * 0.25, want = 0.5 * x * erfc(-x * sqrt(0.5));
    const half_t* at = &y[i];
    // Half an ulp of float16 is 2^-11 of the value; denormals have 2^-25.
    check_close(static_cast<double>(load<float>(at, Full{})), want, fabs(want) * 0x1p-11 + 0x1p-24,
                text("gelu of half", i));
  }
}

}  // namespace

int main() {
  walks_of<AddTwice, float>();
  walks_of<AddTwiceDouble, double>();
  half_chain_in_place();
  return report("pointwise_test");
}
