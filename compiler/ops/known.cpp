// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/known.h"

#include <algorithm>
#include <cmath>

#include "compiler/ops/elementwise.h"

namespace macec {
namespace {

constexpr int64_t kMaxKnown = 1024;
using Elements = std::vector<Dim>;

double magnitude(const Dim& d) {
  return std::max(std::fabs(static_cast<double>(d.lo())), std::fabs(static_cast<double>(d.hi())));
}

// Whole numbers up to this magnitude are exact in the type and cannot overflow in extents.
double exact_limit(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 2048;
    case DType::bfloat16:
      return 256;
    case DType::float32:
      return 16777216;
    case DType::float64:
    case DType::int64:
    case DType::uint64:
      return 4e15;
    default:
      break;
  }
  const DTypeInfo& type = info(dtype);
  return dtype == DType::boolean ? 1 : std::ldexp(1.0, type.bits - (type.is_signed ? 1 : 0)) - 1;
}
bool holds(DType dtype, const Dim& d) {
  if (magnitude(d) > exact_limit(dtype)) return false;
  return info(dtype).is_signed || d.lo() >= 0;
}

// -1, 0, 1 of a - b where that is the same for all values of the symbols.
std::optional<int> compare(const Dim& a, const Dim& b) {
  if (a == b) return 0;
  if (a.lo() > b.hi()) return 1;
  if (a.hi() < b.lo()) return -1;
  if (std::max(magnitude(a), magnitude(b)) > 4e15) return std::nullopt;
  const Dim d = a - b;
  if (d.lo() > 0) return 1;
  if (d.hi() < 0) return -1;
  return std::nullopt;
}

std::optional<Dim> divide(const Dim& a, const Dim& b, bool is_float) {
  if (!is_float && b.is_fixed() && b.value() > 0 && a.lo() >= 0) return floor_div(a, b.value());
  if (!is_float && b.is_fixed() && a.is_fixed() && b.value() != 0)
    return Dim(a.value() / b.value());
  Dim quotient;
  if (b.lo() > 0 && exact_div(a, b, &quotient)) return quotient;
  return std::nullopt;
}

std::optional<Dim> remainder(const Dim& a, const Dim& b, bool is_fmod) {
  if (!b.is_fixed() || b.value() <= 0 || (is_fmod && a.lo() < 0)) return std::nullopt;
  return mod(a, b.value());
}

std::optional<Dim> truth(std::optional<int> order, bool less, bool equal, bool greater) {
  if (!order) return std::nullopt;
  return Dim(*order < 0 ? less : *order == 0 ? equal : greater);
}

// One element of the result; nullopt: cannot be said.
std::optional<Dim> element(const Node& node, const std::vector<Dim>& a, DType dtype) {
  const std::string& op = node.op;
  const bool is_float = info(dtype).is_float;
  if (op == "Where")
    return a[0].is_fixed() ? a[a[0].value() != 0 ? 1 : 2]
           : a[1] == a[2]  ? std::optional<Dim>(a[1])
                           : std::nullopt;
  if (op == "Identity" || op == "Cast" || op == "CastLike") return a[0];
  for (const Dim& d : a) {
    if (magnitude(d) > 4e15) return std::nullopt;
  }
  if (op == "Add" || op == "Sum" || op == "Min" || op == "Max") {
    Dim total = a[0];
    for (size_t i = 1; i < a.size(); ++i)
      total = op == "Min" ? min(total, a[i]) : op == "Max" ? max(total, a[i]) : total + a[i];
    return total;
  }
  if (op == "Sub") return a[0] - a[1];
  if (op == "Mul")
    return magnitude(a[0]) * magnitude(a[1]) < 4e15 ? std::optional<Dim>(a[0] * a[1])
                                                    : std::nullopt;
  if (op == "Div") return divide(a[0], a[1], is_float);
  if (op == "Mod") return remainder(a[0], a[1], node.int_attribute("fmod", 0) != 0);
  if (op == "Floor" || op == "Ceil" || op == "Round") return a[0];
  if (op == "Neg") return -a[0];
  if (op == "Abs")
    return a[0].lo() >= 0   ? std::optional<Dim>(a[0])
           : a[0].hi() <= 0 ? std::optional<Dim>(-a[0])
                            : std::nullopt;
  if (op == "Relu") return max(a[0], Dim(0));
  if (op == "Sign" && a[0].lo() >= 0) return min(a[0], Dim(1));
  if (op == "Sign" && a[0].hi() <= 0) return max(a[0], Dim(-1));
  if (op == "Sign") return std::nullopt;
  if (op == "Equal") return truth(compare(a[0], a[1]), false, true, false);
  if (op == "Less") return truth(compare(a[0], a[1]), true, false, false);
  if (op == "LessOrEqual") return truth(compare(a[0], a[1]), true, true, false);
  if (op == "Greater") return truth(compare(a[0], a[1]), false, false, true);
  if (op == "GreaterOrEqual") return truth(compare(a[0], a[1]), false, true, true);
  if (op == "Not") return Dim(1) - a[0];
  if (op == "And") return min(a[0], a[1]);
  if (op == "Or") return max(a[0], a[1]);
  return std::nullopt;
}

// Floor(x / n), Ceil(x / n), Cast(x / n to integer) with x a whole number and n a constant: the
// quotient itself is no extent.
std::optional<Elements> rounded_quotient(const InferContext& context, DType to) {
  const std::string& op = context.node.op;
  const bool rounds = op == "Floor" || op == "Ceil" || (op == "Cast" && info(to).is_integer);
  const Value& input = context.graph.value(context.node.inputs[0]);
  if (!rounds || !info(input.type.dtype).is_float || !input.producer.is_valid())
    return std::nullopt;
  const Node& division = context.graph.node(input.producer);
  if ((division.op != "Div" && division.op != "Mul") || !division.epilogue.empty())
    return std::nullopt;
  const Value& x = context.graph.value(division.inputs[0]);
  const Tensor* by = context.graph.value(division.inputs[1]).constant.get();
  if (!x.known || !by || by->count() != 1 || x.type.rank() < by->rank()) return std::nullopt;
  const double divisor = division.op == "Div" ? by->f64(0) : 1 / by->f64(0);
  if (!(divisor >= 1 && divisor < 1e9) || divisor != std::floor(divisor)) return std::nullopt;
  const auto n = static_cast<int64_t>(divisor);
  Elements result;
  for (const Dim& d : *x.known) {
    if (op == "Cast" && d.lo() < 0) return std::nullopt;
    result.push_back(op == "Ceil" ? ceil_div(d, n) : floor_div(d, n));
  }
  return result;
}

}  // namespace

void infer_known_elements(InferContext& context, const Shape& shape) {
  if (!is_fixed(shape) || product(shape).value() > kMaxKnown || context.inputs() == 0 ||
      context.results.empty())
    return;
  const DType to = context.results[0].dtype;
  std::vector<const Elements*> known;
  const size_t used = context.node.op == "CastLike" ? 1 : context.node.inputs.size();
  bool is_complete = true;
  for (size_t i = 0; i < used; ++i) {
    known.push_back(context.has(static_cast<int>(i)) ? context.known(static_cast<int>(i))
                                                     : nullptr);
    is_complete &= known.back() != nullptr;
  }
  if (!is_complete) {
    if (used == 1) {
      if (auto quotient = rounded_quotient(context, to)) context.set_known(0, std::move(*quotient));
    }
    return;
  }
  const DType from = context.type(static_cast<int>(used) - 1).dtype;
  const std::vector<int64_t> extents = fixed(shape);
  Elements result;
  const int64_t count = product(shape).value();
  for (int64_t e = 0; e < count; ++e) {
    std::vector<Dim> args;
    for (size_t i = 0; i < used; ++i) {
      const std::vector<int64_t> in = fixed(context.shape(static_cast<int>(i)));
      int64_t rest = e, offset = 0, stride = 1;
      for (size_t a = 0; a < in.size(); ++a) {
        const int64_t extent = extents[extents.size() - 1 - a], own = in[in.size() - 1 - a];
        if (own != 1) offset += rest % extent * stride;
        stride *= own;
        rest /= extent;
      }
      args.push_back((*known[i])[static_cast<size_t>(offset)]);
    }
    const std::optional<Dim> value = element(context.node, args, from);
    const bool moves = context.node.op == "Identity" || (context.node.op == "Where");
    if (!value || (!moves && !holds(to, *value))) return;
    result.push_back(*value);
  }
  context.set_known(0, std::move(result));
}

}  // namespace macec
