// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of one axis: indices of the greatest, running sums, norms, windows, reversal.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/line.h"
#include "codegen_templates/kernels/line_lrn.h"
#include "codegen_templates/kernels/line_topk.h"
}  // namespace kernels
using namespace kernels;

namespace {

// x [2][n][3] along axis 1, y [2][m][3]; z one number for each of the 2.
LineParams params(int64_t n, int64_t m) {
  LineParams p{};
  p.rank = 2;
  p.extent[0] = 2, p.extent[1] = 3;
  p.x_stride[0] = 3 * n, p.x_stride[1] = 1;
  p.y_stride[0] = 3 * m, p.y_stride[1] = 1;
  p.z_stride[0] = 1;
  p.n = n, p.m = m, p.x_step = p.y_step = 3;
  return p;
}
int64_t place(int64_t line, int64_t i, int64_t n) {
  return line / 3 * 3 * n + i * 3 + line % 3;
}

template <class T>
void fill_small(Guarded<T>& x) {
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>((i * 7 + i / 5) % 11);
}

template <class T>
void best_elements(int64_t n) {
  const LineParams p = params(n, 1);
  Guarded<T> x(6 * n), hot(6 * n);
  Guarded<int64_t> y(6), last(6);
  fill_small(x);
  line_arg<0, 0>(p, x.data(), y.data(), 0, 2, nullptr);
  line_arg<0, 0>(p, x.data(), y.data(), 2, 6, nullptr);
  line_arg<1, 1>(p, x.data(), last.data(), 0, 6, nullptr);
  LineParams same = params(n, n);
  line_hardmax(same, x.data(), hot.data(), 0, 6, nullptr);
  check(y.intact() && last.intact() && hot.intact(), text("arg", n));
  for (int64_t line = 0; line < 6; ++line) {
    int64_t most = 0, least = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (x[place(line, i, n)] > x[place(line, most, n)]) most = i;
      if (x[place(line, i, n)] <= x[place(line, least, n)]) least = i;
    }
    check(y[line] == most && last[line] == least, text("arg", n));
    for (int64_t i = 0; i < n; ++i) {
      const double want = i == most ? 1 : 0;
      check_close(static_cast<double>(hot[place(line, i, n)]), want, 0, text("hardmax", n));
    }
  }
}

template <class T>
void top(int64_t n, int64_t m) {
  const LineParams p = params(n, m);
  Guarded<T> x(6 * n), y(6 * m);
  Guarded<int64_t> at(6 * m);
  Scratch scratch(m * 8);
  fill_small(x);
  line_topk<0>(p, x.data(), y.data(), at.data(), 0, 6, scratch.data());
  line_topk<0>(p, x.data(), nullptr, at.data(), 0, 6, scratch.data());
  check(y.intact() && at.intact() && scratch.intact(), text("topk", n));
  for (int64_t line = 0; line < 6; ++line) {
    for (int64_t i = 0; i < m; ++i) {
      const int64_t index = at[place(line, i, m)];
      const T v = x[place(line, index, n)];
      int64_t before = 0;  // elements that come before this one
      for (int64_t k = 0; k < n; ++k) {
        const T other = x[place(line, k, n)];
        if (other > v || (!(v > other) && k < index)) ++before;
      }
      check(before == i, text("topk", n) + text("of", m) + text("at", i));
      check(!(y[place(line, i, m)] > v) && !(v > y[place(line, i, m)]), text("topk value", n));
    }
  }
}

template <class T, int kExclusive, int kReverse>
void sums(int64_t n) {
  const LineParams p = params(n, n);
  Guarded<T> x(6 * n), y(6 * n);
  fill_small(x);
  line_sum<kExclusive, kReverse>(p, x.data(), y.data(), 0, 6, nullptr);
  check(y.intact(), text("sum", n));
  for (int64_t line = 0; line < 6; ++line) {
    for (int64_t i = 0; i < n; ++i) {
      double want = 0;
      for (int64_t k = 0; k < n; ++k) {
        const bool counts = kReverse != 0 ? k > i : k < i;
        if (counts || (kExclusive == 0 && k == i))
          want += static_cast<double>(x[place(line, k, n)]);
      }
      check_close(static_cast<double>(y[place(line, i, n)]), want, 0, text("sum", n));
    }
  }
}

template <class T>
void norms(int64_t n) {
  LineParams p = params(n, n);
  p.size = 4, p.scale = 0.25f, p.bias = 2, p.power = 0.75f;
  Guarded<T> x(6 * n), one(6 * n), two(6 * n), window(6 * n);
  fill_small(x);
  for (int64_t i = 0; i < n; ++i) x[place(4, i, n)] = 0;
  line_unit<1>(p, x.data(), one.data(), 0, 6, nullptr);
  line_unit<2>(p, x.data(), two.data(), 0, 6, nullptr);
  line_lrn(p, x.data(), window.data(), 0, 6, nullptr);
  check(one.intact() && two.intact() && window.intact(), text("norm", n));
  for (int64_t line = 0; line < 6; ++line) {
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double v = static_cast<double>(x[place(line, i, n)]);
      sum += v;
      squares += v * v;
    }
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = place(line, i, n);
      const double v = static_cast<double>(x[at]);
      double near = 0;
      for (int64_t k = i - 1 < 0 ? 0 : i - 1; k < n && k <= i + 2; ++k)
        near += pow(static_cast<double>(x[place(line, k, n)]), 2);
      check_close(static_cast<double>(one[at]), sum > 0 ? v / sum : 0, 1e-6, text("L1", n));
      check_close(static_cast<double>(two[at]), sum > 0 ? v / sqrt(squares) : 0, 1e-6,
                  text("L2", n));
      check_close(static_cast<double>(window[at]), v / pow(2 + 0.25 * near, 0.75), 1e-5,
                  text("lrn", n));
    }
  }
}

void reversals(int64_t n) {
  const LineParams p = params(n, n);
  Guarded<uint16_t> x(6 * n), y(6 * n);
  Guarded<int64_t> lengths(2);
  fill_small(x);
  lengths[0] = n, lengths[1] = n / 2;
  check(line_reverse(p, x.data(), lengths.data(), y.data(), 0, 6, nullptr) == 0 && y.intact(),
        text("reverse", n));
  for (int64_t line = 0; line < 6; ++line) {
    const int64_t length = lengths[line / 3];
    for (int64_t i = 0; i < n; ++i)
      check(y[place(line, i, n)] == x[place(line, i < length ? length - 1 - i : i, n)],
            text("reverse", n) + text("at", i));
  }
  lengths[1] = n + 1;
  check(line_reverse(p, x.data(), lengths.data(), y.data(), 0, 6, nullptr) == 1,
        "reverse finds a length that is too large");
}

void not_numbers() {
  LineParams p = params(3, 1);
  p.rank = 0, p.x_step = 1, p.y_step = 1;
  float x[] = {1, NAN, 3};
  int64_t y = 0, at[3] = {0, 0, 0}, heap[3];
  line_arg<0, 0>(p, x, &y, 0, 1, nullptr);
  check(y == 1, "a NaN is the greatest");
  line_arg<1, 0>(p, x, &y, 0, 1, nullptr);
  check(y == 1, "a NaN is the least");
  p.m = 3;
  line_topk<1>(p, x, nullptr, at, 0, 1, heap);
  check(at[0] == 1 && at[1] == 0 && at[2] == 2, "a NaN comes first");
}

template <class T>
void all_of() {
  for (const int64_t n : {1, 3, 16, 17, 70}) {
    best_elements<T>(n);
    top<T>(n, 1);
    top<T>(n, (n + 1) / 2);
    top<T>(n, n);
    sums<T, 0, 0>(n);
    sums<T, 0, 1>(n);
    sums<T, 1, 0>(n);
    sums<T, 1, 1>(n);
  }
}

}  // namespace

int main() {
  all_of<float>();
  all_of<double>();
  all_of<int32_t>();
  all_of<uint64_t>();
  for (const int64_t n : {1, 3, 16, 17, 70}) {
    norms<float>(n);
    norms<double>(n);
    reversals(n);
  }
  not_numbers();
  return report("line_test");
}
