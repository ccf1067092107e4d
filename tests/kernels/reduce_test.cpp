// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions against sums in long double: both forms, all operators and element types, long rows,
// NaN and infinity.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/reduce.h"
}  // namespace kernels
using namespace kernels;
using bf16 = kernels::bfloat16_t;  // arm_neon.h has a type of that name

namespace {

enum class Kind { sum, mean, max, min, prod, sum_square, l1, l2, log_sum, log_sum_exp };

double reference(Kind kind, const std::vector<double>& x) {
  long double s = kind == Kind::prod ? 1 : 0, most = -HUGE_VALL, least = HUGE_VALL;
  bool has_nan = false;
  for (const double v : x) {
    has_nan = has_nan || isnan(v);
    most = v > static_cast<double>(most) ? v : most,
    least = v < static_cast<double>(least) ? v : least;
    if (kind == Kind::prod) s *= v;
    if (kind == Kind::sum || kind == Kind::mean || kind == Kind::log_sum) s += v;
    if (kind == Kind::sum_square || kind == Kind::l2) s += static_cast<long double>(v) * v;
    if (kind == Kind::l1) s += fabs(v);
  }
  if (has_nan) return static_cast<double>(NAN);
  if (kind == Kind::max) return static_cast<double>(most);
  if (kind == Kind::min) return static_cast<double>(least);
  if (kind == Kind::mean) return static_cast<double>(s / static_cast<long double>(x.size()));
  if (kind == Kind::l2) return static_cast<double>(sqrtl(s));
  if (kind == Kind::log_sum) return static_cast<double>(logl(s));
  if (kind == Kind::log_sum_exp) {
    if (isinf(most)) return static_cast<double>(most);
    for (const double v : x) s += expl(v - most);
    return static_cast<double>(logl(s) + most);
  }
  return static_cast<double>(s);
}

template <class T>
double value_of(const T& v) {
  return static_cast<double>(v);
}
double value_of(const half_t& v) {
  return static_cast<double>(load<float>(&v, Full{}));
}
double value_of(const bf16& v) {
  return static_cast<double>(load<float>(&v, Full{}));
}
template <class T>
void assign(T& to, double v) {
  to = static_cast<T>(v);
}
void assign(half_t& to, double v) {
  store(&to, static_cast<float>(v), Full{});
}
void assign(bf16& to, double v) {
  store(&to, static_cast<float>(v), Full{});
}

template <class T>
double step_of_type() {
  return sizeof(Wide<T>) == 8 ? 0x1p-50 : sizeof(T) == 4 ? 0x1p-21 : 0x1p-21;
}
template <>
double step_of_type<half_t>() {
  return 0x1p-11;
}
template <>
double step_of_type<bf16>() {
  return 0x1p-8;
}

struct Shape {
  std::vector<int64_t> kept, kept_stride, reduced, reduced_stride;
  bool columns;
};

template <class Op, class T>
void reduces(Kind kind, const Shape& s, double scale, double offset) {
  ReduceParams p{};
  p.kept = static_cast<int>(s.kept.size()), p.reduced = static_cast<int>(s.reduced.size());
  p.unit_axes = s.columns ? p.kept - 1 : p.kept;
  int64_t results = 1, span = 1, units = 1;
  for (int a = p.kept - 1; a >= 0; --a) {
    const size_t i = static_cast<size_t>(a);
    p.extent[a] = s.kept[i], p.x_stride[a] = s.kept_stride[i], p.y_stride[a] = results;
    results *= s.kept[i], span += (s.kept[i] - 1) * s.kept_stride[i];
    if (a < p.unit_axes) units *= s.kept[i];
  }
  int64_t count = 1;
  for (int a = 0; a < p.reduced; ++a) {
    const size_t i = static_cast<size_t>(a);
    p.reduce_extent[a] = s.reduced[i], p.reduce_stride[a] = s.reduced_stride[i];
    count *= s.reduced[i], span += (s.reduced[i] - 1) * s.reduced_stride[i];
  }
  Guarded<T> x(span), y(results);
  for (int64_t i = 0; i < span; ++i)
    assign(x[i], (static_cast<double>(random_float()) + offset) * scale);
  const T* in = x.data();
  reduce<Op>(p, in, y.data(), 0, units / 2, nullptr);
  reduce<Op>(p, in, y.data(), units / 2, units, nullptr);
  for (int64_t r = 0; r < results; ++r) {
    int64_t rest = r, at = 0;
    for (int a = p.kept - 1; a >= 0; --a)
      at += rest % p.extent[a] * p.x_stride[a], rest /= p.extent[a];
    std::vector<double> row;
    double size = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t left = i, offset_x = at;
      for (int a = p.reduced - 1; a >= 0; --a) {
        offset_x += left % p.reduce_extent[a] * p.reduce_stride[a], left /= p.reduce_extent[a];
      }
      row.push_back(value_of(x[offset_x]));
      size += fabs(row.back());
    }
    const double want = reference(kind, row);
    // Sums of up to 64 terms twice over: about 8 roundings of the partial sums in the mean, each
    // 2^-24 of them. Every factor of a product is one more rounding.
    const double n = static_cast<double>(count);
    const double logarithm = kind == Kind::log_sum || kind == Kind::log_sum_exp ? 1 : 0;
    const double spread = kind == Kind::mean   ? size / n
                          : kind == Kind::sum  ? size
                          : kind == Kind::prod ? fabs(want) * n / 8
                                               : logarithm;
    const double tolerance = (fabs(want) + spread) * step_of_type<T>();
    check_close(value_of(y[r]), want, tolerance,
                text("reduce kind", static_cast<int>(kind)) + text("bytes", sizeof(T)) +
                    text("count", count) + text("columns", s.columns) + text("at", r));
  }
  check(y.intact(), "reduce canary");
}

std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const int64_t n : {1, 3, 7, 16, 17, 100}) {
    all.push_back({{}, {}, {n}, {1}, false});
    all.push_back({{3}, {n + 1}, {n}, {1}, false});
    all.push_back({{3}, {1}, {n}, {3}, false});
    all.push_back({{2, 3}, {3 * n, n}, {n}, {1}, false});
    all.push_back({{2}, {40 * n}, {2, n}, {20 * n, 1}, false});
    for (const int64_t c : {1, 7, 16, 17, 67}) {
      all.push_back({{c}, {1}, {n}, {c}, true});
      all.push_back({{2, c}, {n * c + 5, 1}, {n}, {c}, true});
      all.push_back({{c}, {1}, {2, n}, {c * (n + 1), c}, true});
    }
  }
  all.push_back({{5}, {1}, {}, {}, true});
  all.push_back({{5}, {2}, {}, {}, false});
  return all;
}

template <class T>
void floats() {
  for (const Shape& s : shapes()) {
    reduces<ReduceSum, T>(Kind::sum, s, 1, 0);
    reduces<ReduceMean, T>(Kind::mean, s, 1, 0);
    reduces<ReduceMax, T>(Kind::max, s, 1, 0);
    reduces<ReduceMin, T>(Kind::min, s, 1, 0);
    reduces<ReduceProd, T>(Kind::prod, s, 0.1, 10);
    reduces<ReduceSumSquare, T>(Kind::sum_square, s, 1, 0);
    reduces<ReduceL1, T>(Kind::l1, s, 1, 0);
    reduces<ReduceL2, T>(Kind::l2, s, 1, 0);
    reduces<ReduceLogSum, T>(Kind::log_sum, s, 1, 1.5);
    reduces<ReduceLogSumExp, T>(Kind::log_sum_exp, s, 20, 0);
  }
}
template <class T>
void few_operators() {
  for (const Shape& s : shapes()) {
    reduces<ReduceMean, T>(Kind::mean, s, 1, 0);
    reduces<ReduceMax, T>(Kind::max, s, 1, 0);
    reduces<ReduceLogSumExp, T>(Kind::log_sum_exp, s, 20, 0);
  }
}
template <class T>
void integers() {
  for (const Shape& s : shapes()) {
    const double offset = static_cast<T>(-1) < static_cast<T>(1) ? 0 : 1;
    reduces<ReduceMax, T>(Kind::max, s, 60, offset);
    reduces<ReduceMin, T>(Kind::min, s, 60, offset);
    if (sizeof(T) == 4) reduces<ReduceSum, T>(Kind::sum, s, 1000, offset);
    if (sizeof(T) == 8) reduces<ReduceL1, T>(Kind::l1, s, 1000, offset);
  }
}

// A million equal terms: one running sum would be off by 2^-24 * 10^6 / 2.
void long_sums_stay_exact() {
  const int64_t n = 1 << 20;
  std::vector<float> x(static_cast<size_t>(n), 0.1f);
  ReduceParams p{};
  p.reduced = 1, p.reduce_extent[0] = n, p.reduce_stride[0] = 1;
  float y = 0;
  const float* in = x.data();
  reduce<ReduceSum>(p, in, &y, 0, 1, nullptr);
  check_close(y, 0.1f * static_cast<double>(n), 1e-5 * static_cast<double>(n) * 0.1, "long row");
  p.kept = 1, p.extent[0] = 16, p.x_stride[0] = 1, p.y_stride[0] = 1, p.reduce_extent[0] = n / 16,
  p.reduce_stride[0] = 16;
  float columns[16];
  reduce<ReduceMean>(p, in, columns, 0, 1, nullptr);
  for (const float c : columns) check_close(c, 0.1f, 1e-6, "long column");
}

void special_values() {
  ReduceParams p{};
  p.reduced = 1, p.reduce_extent[0] = 35, p.reduce_stride[0] = 1;
  float x[35], y = 0;
  const float* in = x;
  for (int at = 0; at < 35; ++at) {
    for (float& v : x) v = 1.0f;
    x[at] = NAN;
    reduce<ReduceMax>(p, in, &y, 0, 1, nullptr);
    check(isnan(y), text("NaN in Max", at));
    reduce<ReduceMin>(p, in, &y, 0, 1, nullptr);
    check(isnan(y), text("NaN in Min", at));
    reduce<ReduceSum>(p, in, &y, 0, 1, nullptr);
    check(isnan(y), text("NaN in Sum", at));
    x[at] = -HUGE_VALF;
    reduce<ReduceLogSumExp>(p, in, &y, 0, 1, nullptr);
    check_close(y, 1 + ::log(34.0), 1e-6, "LogSumExp with -infinity");
    x[at] = HUGE_VALF;
    reduce<ReduceLogSumExp>(p, in, &y, 0, 1, nullptr);
    check(isinf(y) && y > 0, "LogSumExp with infinity");
  }
  // Columns: three of five rows; column 1 holds infinities only, column 2 one of them.
  ReduceParams c{};
  c.kept = c.reduced = 1, c.extent[0] = 5, c.x_stride[0] = c.y_stride[0] = 1;
  c.reduce_extent[0] = 3, c.reduce_stride[0] = 5;
  for (float& v : x) v = 1.0f;
  for (int row = 0; row < 3; ++row) x[5 * row + 1] = -HUGE_VALF;
  x[7] = HUGE_VALF, x[13] = NAN;
  float columns[5];
  reduce<ReduceLogSumExp>(c, in, columns, 0, 1, nullptr);
  check_close(columns[0], 1 + ::log(3.0), 1e-6, "LogSumExp of a column");
  check(isinf(columns[1]) && columns[1] < 0, "LogSumExp of a column of -infinities");
  check(isinf(columns[2]) && columns[2] > 0, "LogSumExp of a column with infinity");
  check(isnan(columns[3]), "LogSumExp of a column with NaN");
  reduce<ReduceMax>(c, in, columns, 0, 1, nullptr);
  check(isnan(columns[3]) && columns[4] == 1.0f, "NaN in Max of columns");
  for (float& v : x) v = -HUGE_VALF;
  reduce<ReduceLogSumExp>(p, in, &y, 0, 1, nullptr);
  check(isinf(y) && y < 0, "LogSumExp of -infinities");
  p.reduce_extent[0] = 0;
  reduce<ReduceSum>(p, in, &y, 0, 1, nullptr);
  check(y == 0.0f, "Sum of nothing");
  reduce<ReduceMax>(p, in, &y, 0, 1, nullptr);
  check(isinf(y) && y < 0, "Max of nothing");
  const int8_t* bytes = reinterpret_cast<const int8_t*>(x);
  int8_t least = 0;
  reduce<ReduceMax>(p, bytes, &least, 0, 1, nullptr);
  check(least == -128, "Max of no int8");
}

}  // namespace

int main() {
  floats<float>();
  few_operators<double>();
  few_operators<half_t>();
  few_operators<bf16>();
  integers<int8_t>();
  integers<int32_t>();
  integers<int64_t>();
  integers<uint64_t>();
  long_sums_stay_exact();
  special_values();
  return report("reduce_test");
}
