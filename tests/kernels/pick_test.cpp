// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that depend on indices and conditions: scatter, nonzero, compress, unique.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/pick.h"
#include "codegen_templates/kernels/pick_unique.h"
#include "codegen_templates/kernels/scatter_nest.h"
}  // namespace kernels
using namespace kernels;

namespace {

// Updates [n] into y [5].
template <class T, class Index>
void scatters() {
  GatherNestParams p{};
  p.rank = p.parts = 1;
  p.extent[0] = 4;
  p.x_stride[0] = p.i_stride[0] = 1;
  p.part_extent[0] = 5, p.part_stride[0] = 1;
  const T x[] = {static_cast<T>(7), static_cast<T>(2), static_cast<T>(3), static_cast<T>(9)};
  Index index[] = {1, static_cast<Index>(-1), 1, 0};
  Guarded<T> y(5);
  const double want[5][5] = {
      {9, 3, 4, 4, 2}, {13, 14, 4, 4, 6}, {36, 84, 4, 4, 8}, {9, 7, 4, 4, 4}, {4, 3, 4, 4, 2}};
  for (int op = 0; op < 5; ++op) {
    for (int64_t i = 0; i < 5; ++i) y[i] = static_cast<T>(4);
    int32_t problem = 1;
    if (op == 0) problem = scatter_nest<0>(p, x, index, y.data(), 0, 4, nullptr);
    if (op == 1) problem = scatter_nest<1>(p, x, index, y.data(), 0, 4, nullptr);
    if (op == 2) problem = scatter_nest<2>(p, x, index, y.data(), 0, 4, nullptr);
    if (op == 3) problem = scatter_nest<3>(p, x, index, y.data(), 0, 4, nullptr);
    if (op == 4) problem = scatter_nest<4>(p, x, index, y.data(), 0, 4, nullptr);
    check(problem == 0 && y.intact(), text("scatter", op));
    for (int64_t i = 0; i < 5; ++i)
      check_close(static_cast<double>(y[i]), want[op][i], 0, text("scatter", op) + text("at", i));
  }
  index[2] = 5;
  check(scatter_nest<0>(p, x, index, y.data(), 0, 4, nullptr) == 1, "an index too large");
  index[2] = static_cast<Index>(-6);
  check(scatter_nest<0>(p, x, index, y.data(), 0, 4, nullptr) == 1, "an index too small");
}

template <class T>
void positions(int64_t rows, int64_t columns) {
  PickParams p{};
  p.rank = 2;
  p.extent[0] = rows, p.extent[1] = columns;
  Guarded<T> x(rows * columns);
  int64_t want = 0, count = -1;
  for (int64_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(i % 3 == 1 ? 0 : i % 2 + 1);
    if (i % 3 != 1) ++want;
  }
  Guarded<int64_t> y(2 * want);
  nonzero(p, x.data(), y.data(), &count, 0, 1, nullptr);
  check(count == want && y.intact(), text("nonzero", rows));
  for (int64_t c = 0; c < want; ++c) {
    const int64_t at = y[c] * columns + y[want + c];
    check(at % 3 != 1 && at == c / 2 * 3 + c % 2 * 2, text("nonzero", c));
  }
}

template <class T>
void conditions(int64_t outer, int64_t n, int64_t inner, int64_t m) {
  PickParams p{};
  p.outer = outer, p.n = n, p.inner = inner, p.m = m;
  Guarded<T> x(outer * n * inner);
  Guarded<uint8_t> condition(m);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i % 120);
  int64_t want = 0, count = -1;
  for (int64_t i = 0; i < m; ++i) {
    condition[i] = i % 4 < 2 ? 1 : 0;
    if (i < n && i % 4 < 2) ++want;
  }
  Guarded<T> y(outer * want * inner);
  compress(p, x.data(), condition.data(), y.data(), &count, 0, 1, nullptr);
  check(count == want && y.intact(), text("compress", n));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t c = 0; c < want; ++c) {
      const int64_t i = c / 2 * 4 + c % 2;
      for (int64_t k = 0; k < inner; ++k)
        check(!(y[(o * want + c) * inner + k] != x[(o * n + i) * inner + k]), text("compress", c));
    }
  }
}

template <class T, int kSorted>
void uniques(int64_t outer, int64_t n, int64_t inner) {
  PickParams p{};
  p.outer = outer, p.n = n, p.inner = inner;
  Guarded<T> x(outer * n * inner), y(outer * n * inner);
  const int64_t different = n < 4 ? n : 4;
  for (int64_t i = 0; i < x.size(); ++i)  // slices (3 - i) mod 4
    x[i] = static_cast<T>((3 * (i / inner % n) + 3) % 4 * 2 + i % inner);
  Guarded<int64_t> indices(n), inverse(n), counts(n);
  Scratch scratch(24 * n);
  int64_t count = -1, total = 0;
  unique<kSorted>(p, x.data(), y.data(), indices.data(), inverse.data(), counts.data(), &count, 0,
                  1, scratch.data());
  check(count == different && scratch.intact(), text("unique", n));
  for (int64_t c = 0; c < count; ++c) {
    total += counts[c];
    const bool is_ordered =
        c == 0 || (kSorted != 0 ? y[(c - 1) * inner] < y[c * inner] : indices[c - 1] < indices[c]);
    check(is_ordered, text("unique is in order", c));
    check(indices[c] < different && inverse[indices[c]] == c, text("unique comes first", c));
  }
  check(total == n, text("unique counts", n));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t o = 0; o < outer; ++o)
      check(!(y[(o * count + inverse[i]) * inner] != x[(o * n + i) * inner]), text("unique", i));
  }
  unique<kSorted>(p, x.data(), y.data(), nullptr, nullptr, nullptr, &count, 0, 1, scratch.data());
  check(count == different, text("unique without indices", n));
}

}  // namespace

int main() {
  scatters<float, int32_t>();
  scatters<double, int64_t>();
  scatters<int8_t, int64_t>();
  scatters<uint64_t, int32_t>();
  positions<float>(3, 7);
  positions<uint8_t>(16, 17);
  positions<int64_t>(1, 1);
  for (const int64_t n : {1, 3, 16, 17, 70}) {
    conditions<float>(1, n, 1, n);
    conditions<uint16_t>(3, n, 5, n);
    conditions<uint8_t>(2, n, 3, n + 2);
    conditions<double>(2, n, 1, (n + 1) / 2);
    uniques<float, 0>(1, n, 1);
    uniques<float, 1>(2, n, 3);
    uniques<uint8_t, 1>(1, n, 2);
    uniques<int64_t, 0>(3, n, 1);
  }
  return report("pick_test");
}
