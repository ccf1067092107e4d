// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy, fill, gather and iota against plain loops, for every element size, with gaps between the
// elements that must stay.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/copy.h"
#include "codegen_templates/kernels/gather.h"
#include "codegen_templates/kernels/iota.h"
}  // namespace kernels
using namespace kernels;

namespace {

using Extents = std::vector<int64_t>;

// One past the largest offset.
int64_t span(const Extents& extent, const Extents& stride) {
  int64_t last = 0;
  for (size_t a = 0; a < extent.size(); ++a) {
    if (extent[a] == 0) return 0;
    last += (extent[a] - 1) * stride[a];
  }
  return last + 1;
}

// Calls f(x offset, y offset) for every element.
template <class F>
void each_element(const Extents& extent, const Extents& x_stride, const Extents& y_stride, F f) {
  int64_t size = 1;
  for (const int64_t e : extent) size *= e;
  for (int64_t i = 0; i < size; ++i) {
    int64_t rest = i, x = 0, y = 0;
    for (size_t a = extent.size(); a-- > 0;) {
      x += rest % extent[a] * x_stride[a];
      y += rest % extent[a] * y_stride[a];
      rest /= extent[a];
    }
    f(x, y);
  }
}

template <class T>
void copies(const char* name, const Extents& extent, const Extents& x_stride,
            const Extents& y_stride) {
  CopyParams p{};
  p.rank = static_cast<int>(extent.size());
  for (size_t a = 0; a < extent.size(); ++a) {
    p.extent[a] = extent[a], p.x_stride[a] = x_stride[a], p.y_stride[a] = y_stride[a];
  }
  Guarded<T> x(span(extent, x_stride)), y(span(extent, y_stride));
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7 + 1);
  for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(77);
  std::vector<T> want(y.data(), y.data() + y.size());
  each_element(extent, x_stride, y_stride,
               [&](int64_t from, int64_t to) { want[static_cast<size_t>(to)] = x[from]; });
  const int64_t units = extent.empty() ? 1 : extent[0];
  const T* in = x.data();
  copy(p, in, y.data(), 0, units / 3, nullptr);
  copy(p, in, y.data(), units / 3, units, nullptr);
  copy(p, in, y.data(), units, units, nullptr);
  const bool equal = y.size() == 0 || memcmp(want.data(), y.data(), want.size() * sizeof(T)) == 0;
  check(equal && y.intact(),
        std::string("copy ") + name + text("bytes", sizeof(T)) + text("rank", p.rank));
}

template <class T>
void copies_of() {
  copies<T>("one", {}, {}, {});
  for (const int64_t n : {0, 1, 3, 7, 16, 17, 100}) {
    copies<T>("dense", {n}, {1}, {1});
    copies<T>("strided", {n}, {3}, {2});
    copies<T>("broadcast", {n}, {0}, {1});
    for (const int64_t m : {1, 2, 3, 7, 8, 16, 17, 67}) {
      copies<T>("rows", {n, m}, {m + 2, 1}, {m + 1, 1});
      copies<T>("transpose", {n, m}, {1, n}, {m, 1});
      copies<T>("transpose with gaps", {n, m}, {1, n + 3}, {m + 5, 1});
      copies<T>("scatter", {n, m}, {m, 1}, {2 * m + 1, 2});
      copies<T>("expand rows", {n, m}, {0, 1}, {m, 1});
      copies<T>("expand columns", {n, m}, {1, 0}, {m, 1});
      copies<T>("to channels last", {2, n, m}, {n * m, 1, n}, {n * m, m, 1});
      copies<T>("middle axis", {n, 3, m}, {3, 1, 3 * n}, {3 * m, m, 1});
    }
  }
  copies<T>("rank 5", {2, 3, 2, 3, 5}, {3, 1, 40, 7, 100}, {90, 30, 15, 5, 1});
  copies<T>("rank 8", {2, 1, 2, 1, 3, 2, 2, 3}, {1, 0, 2, 0, 4, 12, 24, 48},
            {144, 144, 72, 72, 24, 12, 6, 1});
}

template <class T>
void fills(const Extents& extent, const Extents& y_stride) {
  FillParams p{};
  p.rank = static_cast<int>(extent.size());
  for (size_t a = 0; a < extent.size(); ++a) p.extent[a] = extent[a], p.y_stride[a] = y_stride[a];
  Guarded<T> y(span(extent, y_stride));
  for (int64_t i = 0; i < y.size(); ++i) y[i] = static_cast<T>(7);
  std::vector<T> want(y.data(), y.data() + y.size());
  each_element(extent, y_stride, y_stride,
               [&](int64_t, int64_t to) { want[static_cast<size_t>(to)] = static_cast<T>(9); });
  const T value = static_cast<T>(9);
  const int64_t units = extent.empty() ? 1 : extent[0];
  fill(p, &value, y.data(), 0, units / 2, nullptr);
  fill(p, &value, y.data(), units / 2, units, nullptr);
  check(y.size() == 0 || memcmp(want.data(), y.data(), want.size() * sizeof(T)) == 0,
        text("fill bytes", sizeof(T)));
}

template <class T>
void fills_of() {
  fills<T>({}, {});
  for (const int64_t n : {0, 1, 3, 17, 64, 65, 200}) {
    fills<T>({n}, {1});
    fills<T>({n, 5}, {11, 2});
    fills<T>({2, n, 33}, {40 * n, 40, 1});
  }
}

template <class T, class Index>
void gathers(int64_t inner, int64_t indices) {
  GatherParams p{};
  p.outer = 3, p.indices = indices, p.inner = inner, p.extent = 5;
  p.x_axis = inner, p.x_outer = 5 * inner + 1, p.y_index = inner + 2,
  p.y_outer = indices * (inner + 2);
  Guarded<T> x(2 * p.x_outer + 5 * inner), y(2 * p.y_outer + (indices - 1) * p.y_index + inner);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
  Guarded<Index> index(indices);
  for (int64_t i = 0; i < indices; ++i) index[i] = static_cast<Index>(i * 3 % 10 - 5);
  const T* in = x.data();
  const Index* at = index.data();
  const int32_t first = gather(p, in, at, y.data(), 0, 1, nullptr);
  const int32_t rest = gather(p, in, at, y.data(), 1, p.outer * indices, nullptr);
  check(first == 0 && rest == 0 && y.intact(), text("gather", inner));
  for (int64_t o = 0; o < p.outer; ++o) {
    for (int64_t i = 0; i < indices; ++i) {
      const int64_t row = index[i] < 0 ? index[i] + 5 : index[i];
      for (int64_t j = 0; j < inner; ++j) {
        check(y[o * p.y_outer + i * p.y_index + j] == x[o * p.x_outer + row * inner + j],
              text("gather", inner) + text("at", i));
      }
    }
  }
  index[indices - 1] = 5;
  check(gather(p, in, at, y.data(), 0, p.outer * indices, nullptr) == 1,
        "gather finds an index that is too large");
  index[indices - 1] = -6;
  check(gather(p, in, at, y.data(), 0, p.outer * indices, nullptr) == 1,
        "gather finds an index that is too small");
}

template <class T>
void gathers_of() {
  for (const int64_t inner : {1, 3, 16, 17, 70}) {
    gathers<T, int32_t>(inner, 7);
    gathers<T, int64_t>(inner, 1);
  }
}

template <class T>
void iotas() {
  for (const int64_t n : {1, 3, 4096, 5000}) {
    IotaParams p{};
    p.n = n;
    Guarded<T> y(n);
    const T start = static_cast<T>(5), delta = static_cast<T>(2);
    const int64_t units = (n + kPointwiseBlock - 1) / kPointwiseBlock;
    for (int64_t unit = 0; unit < units; ++unit)
      iota(p, &start, &delta, y.data(), unit, unit + 1, nullptr);
    check(y[0] == start && y[n - 1] == static_cast<T>(5 + 2 * (n - 1)), text("iota", n));
  }
}

}  // namespace

int main() {
  int64_t number = 0;
  extent(IotaParams{12345678901}, &number, 0, 1, nullptr);
  check(number == 12345678901, "extent");

  copies_of<uint8_t>();
  copies_of<uint16_t>();
  copies_of<uint32_t>();
  copies_of<uint64_t>();
  fills_of<uint8_t>();
  fills_of<uint16_t>();
  fills_of<float>();
  fills_of<double>();
  gathers_of<uint8_t>();
  gathers_of<uint16_t>();
  gathers_of<float>();
  gathers_of<int64_t>();
  iotas<float>();
  iotas<double>();
  iotas<int16_t>();
  iotas<int64_t>();
  return report("moves_test");
}
