// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The row of Resize.
//
// Positions are floats in the operator's definition, and one bit decides which element is nearest;
// devices divide floats as they like. So kernels compute positions from whole numbers:
// position(o) = (o * mul + add) / div, found and checked here for every output position.
#include <cmath>
#include <optional>

#include "targets/opencl/window_work.h"

namespace macec {
namespace {

using Params = ResizeParamsT<Dim>;
constexpr int kAxes = 5;

struct Fraction {
  int64_t mul = 1, add = 0, div = 1, shift = 0;
};

// As the operator says it.
float position(const Params& p, int a, int64_t o) {
  const float num = static_cast<float>(p.num[a].value()),
              den = static_cast<float>(p.den[a].value());
  return (static_cast<float>(o) + p.pre[a]) * num / (den * p.scale[a]) + p.post[a];
}

int64_t rounded(int rounding, float at) {
  if (rounding == kRoundHalfDown) return static_cast<int64_t>(std::ceil(at - 0.5f));
  if (rounding == kRoundHalfUp) return static_cast<int64_t>(std::floor(at + 0.5f));
  return static_cast<int64_t>(rounding == kRoundFloor ? std::floor(at) : std::ceil(at));
}

// What is added to the dividend so that cutting off rounds; div is even.
int64_t rounding_term(int rounding, int64_t div) {
  switch (rounding) {
    case kRoundHalfDown:
      return div / 2 - 1;
    case kRoundHalfUp:
      return div / 2;
    case kRoundCeil:
      return div - 1;
    default:
      return 0;
  }
}

// Makes the dividend of the first position (for sums: of the one before) positive.
bool shift_up(Fraction* f, int64_t last) {
  f->shift = f->add > 0 ? 0 : -f->add / f->div + 1;
  f->add += f->shift * f->div;
  return last * f->mul + f->add < (int64_t{1} << 30);
}

bool is_right(const Params& p, int a, const Fraction& f) {
  const int64_t n = p.in[a].value();
  for (int64_t o = 0; o < p.out[a].value(); ++o) {
    const float at = position(p, a, o);
    const int64_t place = o * f.mul + f.add;
    if (p.mode == kResizeNearest) {
      const auto inside = [&](int64_t i) { return i < 0 ? 0 : i < n ? i : n - 1; };
      if (inside(place / f.div - f.shift) != inside(rounded(p.rounding, at))) return false;
      continue;
    }
    const double mine =
        static_cast<double>(place) / static_cast<double>(f.div) - static_cast<double>(f.shift);
    if (std::fabs(mine - at) > 1e-5 * std::max(1.0, std::fabs(mine))) return false;
  }
  return true;
}

std::optional<Fraction> find_fraction(const Params& p, int a) {
  if (p.resized[a] == 0) return Fraction{};
  const double slope = static_cast<double>(p.num[a].value()) /
                       (static_cast<double>(p.den[a].value()) * static_cast<double>(p.scale[a]));
  const double start = static_cast<double>(p.pre[a]) * slope + static_cast<double>(p.post[a]);
  const int64_t last = p.out[a].value() - 1;
  const double most = 1e-5 / static_cast<double>(last + 1);  // error of the slope
  for (int64_t div = 2; div <= 65536; div += 2) {
    Fraction f;
    f.div = div;
    f.mul = std::llround(slope * static_cast<double>(div));
    if (std::fabs(static_cast<double>(f.mul) / static_cast<double>(div) - slope) > most) continue;
    f.add = std::llround(start * static_cast<double>(div));
    if (p.mode == kResizeNearest) f.add += rounding_term(p.rounding, div);
    if (shift_up(&f, last) && is_right(p, a, f)) return f;
  }
  return std::nullopt;
}

std::string refuses_resize(const KernelCall& call, const GpuCapabilities&) {
  const Params& p = std::get<Params>(call.params);
  const std::string refusal = window_refusal(call);
  if (!refusal.empty()) return refusal;
  if (p.rank > kAxes) return fmt::format("more than {} axes", kAxes);
  for (int a = 0; a < p.rank; ++a)
    if (!find_fraction(p, a)) return "positions that are no fractions";
  return "";
}

// The output positions that lie in the input: one range, as positions only grow.
void define_inside(LaunchBuilder& b, const Params& p, int a, int number) {
  int64_t low = 0, high = a < 0 ? 0 : p.out[a].value() - 1;
  const auto is_inside = [&](int64_t o) {
    const float at = position(p, a, o);
    return at >= 0.0f && at <= static_cast<float>(p.in[a].value() - 1);
  };
  if (a >= 0 && p.resized[a] != 0 && p.extrapolates != 0) {
    while (low <= high && !is_inside(low)) ++low;
    while (high >= low && !is_inside(high)) --high;
  }
  b.define(fmt::format("LOW{}", number), low);
  b.define(fmt::format("HIGH{}", number), high);
}

void define_axis(LaunchBuilder& b, const Params& p, int a, int number) {
  const auto define = [&](const char* what, int64_t value) {
    b.define(fmt::format("{}{}", what, number), value);
  };
  const bool exists = a >= 0, resized = exists && p.resized[a] != 0;
  const Fraction f = exists ? *find_fraction(p, a) : Fraction{};
  define("IN", exists ? p.in[a].value() : 1);
  define("OUT", exists ? p.out[a].value() : 1);
  define("RESIZED", resized);
  define("MUL", f.mul);
  define("ADD", f.add);
  define("DIV", f.div);
  define("SHIFT", f.shift);
  define("TAPS", resized ? resize_taps(p.mode, p.filter[a]) : 1);
  define("FIRST", resized ? resize_first_tap(p.mode, p.filter[a]) : 0);
  b.define_float(fmt::format("FILTER{}", number), resized ? p.filter[a] : 1.0f);
}

void specialise_resize(const KernelCall& call, LaunchList& list, const GpuCapabilities& caps) {
  const Params& p = std::get<Params>(call.params);
  const int last = p.rank - 1;
  const bool whole = last >= 0 && p.resized[last] == 0 && p.out[last].value() % 4 == 0 &&
                     p.x_stride[last] == Dim(1) && p.y_stride[last] == Dim(1);
  const Access access = whole ? Access::vectors : Access::elements;
  LaunchBuilder b(list, "opencl/resize.cl");
  b.read("X", call.inputs[0], access, true);
  b.write("Y", call.outputs[0], access);
  std::array<int64_t, 3> global = {1, 1, 1};
  for (int number = 0; number < kAxes; ++number) {
    const int a = number - (kAxes - p.rank);
    const bool is_inner = whole && number == kAxes - 1;
    define_axis(b, p, a, number);
    define_inside(b, p, a, number);
    for (const char* operand : {"X", "Y"}) {
      const bool is_x = operand[0] == 'X';
      const Dim stride = a < 0 ? Dim(0) : is_x ? p.x_stride[a] : p.y_stride[a];
      const Dim count = a < 0 ? Dim(1) : is_x ? p.in[a] : p.out[a];
      if (is_inner) {
        b.define(fmt::format("{}_{}_R", operand, number), 0);
        b.define(fmt::format("{}_{}_I", operand, number), 1);
        b.inner(operand, count);
      } else {
        b.stride(fmt::format("{}_{}", operand, number), stride, count);
      }
    }
    if (a >= 0) global[static_cast<size_t>(number < 3 ? 2 : 4 - number)] *= p.out[a].value();
  }
  if (whole) global[0] /= 4;
  b.define("WHOLE", whole);
  b.define("IS_NEAREST", p.mode == kResizeNearest);
  b.define("IS_LINEAR", p.mode == kResizeLinear);
  b.define("EXTRAPOLATES", p.extrapolates);
  b.define("EXCLUDES_OUTSIDE", p.exclude_outside);
  b.define_float("EXTRAPOLATION", p.extrapolation);
  b.define_float("CUBIC_A", p.cubic_a);
  const std::array<int64_t, 3> local = group_of(global[0], global[1], caps);
  b.define("LOCAL_X", local[0]);
  b.define("LOCAL_Y", local[1]);
  b.size(global, local);
  b.cost(call.elements, bytes_of_operands(call));
  b.done();
}

}  // namespace

void append_gpu_resize_rows(std::vector<GpuRow>& rows) {
  rows.push_back({"gpu_resize", "nearest, linear and cubic along up to five axes", Family::resize,
                  "opencl/resize.cl", refuses_resize, 0.05, nullptr, specialise_resize, false});
}

}  // namespace macec
