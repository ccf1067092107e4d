// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/compare.h"

#include <algorithm>
#include <cmath>

namespace macec {
namespace {

// What rounding to the type alone may change: a value computed in float32 and stored in a narrower type.
double unit_of(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return std::ldexp(1, -10);
    case DType::bfloat16:
      return std::ldexp(1, -7);
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
      return std::ldexp(1, -3);
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
      return std::ldexp(1, -2);
    default:
      return 0;
  }
}

std::string index_text(const Tensor& tensor, int64_t i) {
  std::vector<int64_t> index(tensor.shape.size());
  for (size_t axis = tensor.shape.size(); axis-- > 0;) {
    index[axis] = i % tensor.shape[axis];
    i /= tensor.shape[axis];
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

std::string compare_integers(const Tensor& have, const Tensor& want) {
  int64_t different = 0, first = -1;
  for (int64_t i = 0; i < want.count(); ++i) {
    if (have.i64(i) == want.i64(i)) continue;
    if (first < 0) first = i;
    ++different;
  }
  if (different == 0) return "";
  return fmt::format("{} of {} elements differ; the first is {}: {}, expected {}", different,
                     want.count(), index_text(want, first), have.i64(first), want.i64(first));
}

std::string compare_floats(const Tensor& have, const Tensor& want, const Tolerance& tolerance,
                           double* worst) {
  const int64_t n = want.count();
  double greatest = 0;
  for (int64_t i = 0; i < n; ++i)
    if (std::isfinite(want.f64(i))) greatest = std::max(greatest, std::fabs(want.f64(i)));
  const bool by_element = tolerance.rtol || tolerance.atol;
  const double unit = unit_of(want.dtype);
  const double rtol = std::max(tolerance.rtol.value_or(0), 2 * unit);
  const double atol = tolerance.atol.value_or(0);
  const double share = std::max(tolerance.share, 2 * unit);
  int64_t different = 0, at = -1;
  double most = -1;  // how far beyond its limit the worst element is
  for (int64_t i = 0; i < n; ++i) {
    const double a = have.f64(i), b = want.f64(i);
    double over = -1;
    if (std::isnan(a) || std::isnan(b)) {
      if (std::isnan(a) != std::isnan(b)) over = INFINITY;
    } else if (std::isinf(a) || std::isinf(b)) {
      if (a != b) over = INFINITY;
    } else {
      const double gap = std::fabs(a - b);
      *worst = std::max(*worst, greatest > 0 ? gap / greatest : gap);
      over = gap - (by_element ? atol + rtol * std::fabs(b) : share * greatest);
      if (over <= 0) over = -1;
    }
    if (over < 0) continue;
    ++different;
    if (over > most) most = over, at = i;
  }
  if (different == 0) return "";
  if (std::isinf(most)) *worst = INFINITY;
  const std::string limit =
      by_element ? fmt::format("{:.2g} + {:.2g} of the element", atol, rtol)
                 : fmt::format("{:.2g}: {:.2g} of the greatest magnitude", share * greatest, share);
  return fmt::format(
      "{} of {} elements differ; the worst is {}: {:.9g}, expected {:.9g} (allowed {})", different,
      n, index_text(want, at), have.f64(at), want.f64(at), limit);
}

}  // namespace

std::string difference(const Tensor& have, const Tensor& want, const Tolerance& tolerance,
                       double* worst) {
  if (have.dtype != want.dtype || have.shape != want.shape) {
    *worst = INFINITY;
    return fmt::format("it is {}, expected {}", text(have.type()), text(want.type()));
  }
  if (have.bytes.size() != static_cast<size_t>(bytes_of(have.dtype, have.count())) ||
      want.bytes.size() != have.bytes.size())
    return fmt::format("it has {} bytes, but its shape needs {}", have.bytes.size(),
                       bytes_of(have.dtype, have.count()));
  return info(want.dtype).is_float ? compare_floats(have, want, tolerance, worst)
                                   : compare_integers(have, want);
}

}  // namespace macec
