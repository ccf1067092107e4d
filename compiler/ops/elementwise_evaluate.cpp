// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference meaning of pointwise steps on whole tensors, and of element conversions.
//
// Works through blocks of elements: every step is a column of numbers, doubles for float types and
// 64-bit integers for the rest, rounded to its type after each step.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ops/elementwise.h"
#include "compiler/support/small_float.h"

namespace macec {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int kMaxArgs = 3, kMaxStepAttributes = 2;

struct Column {
  DType dtype = DType::undefined;
  std::vector<double> real;      // float types
  std::vector<int64_t> integer;  // all others
  bool is_real() const { return info(dtype).is_float; }
};

int64_t smallest(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.is_signed ? -(int64_t{1} << (type.bits - 2)) * 2 : 0;
}
int64_t largest(DType dtype) {  // not of uint64
  const DTypeInfo& type = info(dtype);
  if (dtype == DType::boolean) return 1;
  return static_cast<int64_t>((uint64_t{1} << (type.bits - (type.is_signed ? 1 : 0))) - 1);
}

// How the elements of an operand are found for element i of the result.
class Walk {
 public:
  Walk(const std::vector<int64_t>& from, const std::vector<int64_t>& to) : extent_(to) {
    stride_.assign(to.size(), 0);
    int64_t next = 1;
    is_same_ = from == to;
    for (size_t a = from.size(); a-- > 0;) {
      if (from[a] != 1) stride_[to.size() - from.size() + a] = next;
      next *= from[a];
    }
  }
  int64_t operator()(int64_t i) const {
    if (is_same_) return i;
    int64_t offset = 0;
    for (size_t a = extent_.size(); a-- > 0;) {
      offset += i % extent_[a] * stride_[a];
      i /= extent_[a];
    }
    return offset;
  }

 private:
  std::vector<int64_t> extent_, stride_;
  bool is_same_ = false;
};

Column load(const Tensor& tensor, const Walk& walk, int64_t begin, int64_t end) {
  Column column;
  column.dtype = tensor.dtype;
  for (int64_t i = begin; i < end; ++i) {
    if (column.is_real())
      column.real.push_back(tensor.f64(walk(i)));
    else
      column.integer.push_back(tensor.i64(walk(i)));
  }
  return column;
}

double as_real(int64_t v, DType from, DType to) {
  if (from == DType::uint64) {
    const auto u = static_cast<uint64_t>(v);
    return to == DType::float32 ? static_cast<double>(static_cast<float>(u))
                                : static_cast<double>(u);
  }
  return to == DType::float32 ? static_cast<double>(static_cast<float>(v)) : static_cast<double>(v);
}

// float8e8m0 holds powers of two: 2^(-127..127), and NaN for what is no number or infinite.
double round_power(double v, bool saturates, int mode) {
  const auto bits = [&] {
    const auto narrow = static_cast<float>(v);
    uint32_t b = 0;
    std::memcpy(&b, &narrow, sizeof b);
    return b;
  }();
  uint32_t exponent = (bits >> 23) & 0xffu;
  if (exponent == 0xffu) return std::numeric_limits<double>::quiet_NaN();
  const uint32_t fraction = bits & 0x7fffffu;
  const bool is_above_half = fraction > 0x400000u || (fraction == 0x400000u && exponent > 0);
  const bool goes_up = mode == 1 ? fraction != 0 : mode == 0 && is_above_half;
  if (goes_up && !(saturates && exponent == 0xfeu)) ++exponent;
  return exponent == 0xffu ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, static_cast<int>(exponent) - 127);
}

double to_small_or_wide(double v, DType to, bool saturates, int rounding) {
  return to == DType::float8e8m0 ? round_power(v, saturates, rounding)
                                 : round_real(v, to, saturates);
}
// Packed integers keep the low bits of the whole number, as other runtimes have it.
int64_t to_whole(double v, DType to) {
  const bool is_packed = info(to).is_integer && info(to).bits < 8;
  return is_packed ? wrap_integer(real_to_integer(v, DType::int64), to) : real_to_integer(v, to);
}

Column cast(const Column& from, DType to, bool saturates, int rounding) {
  Column column;
  column.dtype = to;
  if (from.is_real()) {
    for (double v : from.real) {
      if (column.is_real())
        column.real.push_back(to_small_or_wide(v, to, saturates, rounding));
      else
        column.integer.push_back(to_whole(v, to));
    }
    return column;
  }
  for (int64_t v : from.integer) {
    if (column.is_real())
      column.real.push_back(to_small_or_wide(as_real(v, from.dtype, to), to, saturates, rounding));
    else
      column.integer.push_back(wrap_integer(v, to));
  }
  return column;
}

Column saturate(const Column& from, DType to) {
  Column column;
  column.dtype = to;
  for (double v : from.real) column.integer.push_back(real_to_integer(v, to));
  for (int64_t v : from.integer) column.integer.push_back(std::clamp(v, smallest(to), largest(to)));
  return column;
}

struct StepRunner {
  const PointwiseStep& step;
  const ElementwiseOp& op;
  float k[kMaxStepAttributes] = {};

  explicit StepRunner(const PointwiseStep& s) : step(s), op(*find_elementwise(s.op)) {
    MACEC_CHECK(op.args <= kMaxArgs && op.attributes.size() <= kMaxStepAttributes,
                "{} is too large", s.op);
    for (size_t i = 0; i < op.attributes.size(); ++i) k[i] = step_attribute(step, op.attributes[i]);
  }

  Column run(const std::vector<const Column*>& args) const {
    if (step.op == "Cast") return cast(*args[0], step.dtype, k[0] != 0, static_cast<int>(k[1]));
    if (step.op == "Saturate") return saturate(*args[0], step.dtype);
    const bool is_real = args.back()->is_real();
    MACEC_CHECK(is_real ? op.real != nullptr : op.integer != nullptr, "{} of {} has no meaning",
                step.op, name(args.back()->dtype));
    return is_real ? run_real(args) : run_integer(args);
  }

 private:
  Column run_real(const std::vector<const Column*>& args) const {
    Column result;
    result.dtype = step.dtype;
    double a[kMaxArgs];
    for (size_t e = 0; e < args.back()->real.size(); ++e) {
      for (size_t i = 0; i < args.size(); ++i) {
        a[i] = args[i]->is_real() ? args[i]->real[e] : static_cast<double>(args[i]->integer[e]);
      }
      const double v = op.real(a, k);
      if (result.is_real())
        result.real.push_back(round_real(v, step.dtype, true));
      else
        result.integer.push_back(v != 0);
    }
    return result;
  }
  Column run_integer(const std::vector<const Column*>& args) const {
    Column result;
    result.dtype = step.dtype;
    int64_t a[kMaxArgs];
    for (size_t e = 0; e < args.back()->integer.size(); ++e) {
      for (size_t i = 0; i < args.size(); ++i) a[i] = args[i]->integer[e];
      result.integer.push_back(wrap_integer(op.integer(a, k, args.back()->dtype), step.dtype));
    }
    return result;
  }
};

}  // namespace

int64_t real_to_integer(double v, DType to) {
  if (to == DType::boolean) return v != 0;
  if (std::isnan(v)) return 0;
  if (to == DType::uint64) {
    if (v <= 0) return 0;
    return static_cast<int64_t>(v >= 18446744073709551616.0 ? UINT64_MAX
                                                            : static_cast<uint64_t>(v));
  }
  if (v >= std::ldexp(1.0, 63)) return largest(to);
  if (v <= -std::ldexp(1.0, 63)) return smallest(to);
  return std::clamp(static_cast<int64_t>(v), smallest(to), largest(to));
}

int64_t wrap_integer(int64_t v, DType to) {
  const DTypeInfo& type = info(to);
  if (to == DType::boolean) return v != 0;
  if (type.bits == 64) return v;
  const uint64_t mask = (uint64_t{1} << type.bits) - 1;
  const uint64_t low = static_cast<uint64_t>(v) & mask;
  const bool is_negative = type.is_signed && (low >> (type.bits - 1)) != 0;
  return static_cast<int64_t>(is_negative ? low | ~mask : low);
}

double round_real(double v, DType to, bool saturates) {
  switch (to) {
    case DType::float64:
      return v;
    case DType::float32:
      return static_cast<double>(static_cast<float>(v));
    case DType::float16:
      return static_cast<double>(half_to_float(double_to_half(v)));
    case DType::bfloat16:
      return static_cast<double>(bfloat16_to_float(double_to_bfloat16(v)));
    default:
      break;
  }
  const SmallFloat format = small_format(to);
  return small_to_double(format, double_to_small(format, v, saturates));
}

std::vector<Tensor> evaluate_steps(const std::vector<PointwiseStep>& steps,
                                   const std::vector<int>& results, const Tensor* main,
                                   const std::vector<const Tensor*>& inputs) {
  std::vector<char> used(inputs.size());
  std::vector<std::vector<int64_t>> shapes;
  for (const PointwiseStep& step : steps) {
    for (const StepArg& arg : step.args) {
      if (arg.kind == StepArg::input) used[static_cast<size_t>(arg.index)] = 1;
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (used[i]) shapes.push_back(inputs[i]->shape);
  }
  if (main) shapes.push_back(main->shape);
  const std::vector<int64_t> shape = broadcast_shapes(shapes);

  std::vector<Walk> walks;
  for (size_t i = 0; i < inputs.size(); ++i)
    walks.emplace_back(used[i] ? inputs[i]->shape : shape, shape);
  std::vector<StepRunner> runners(steps.begin(), steps.end());
  std::vector<Tensor> tensors;
  for (int r : results) tensors.emplace_back(steps[static_cast<size_t>(r)].dtype, shape);
  const int64_t count = Tensor(DType::int2, shape).count();
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    std::vector<Column> in(inputs.size()), out(steps.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (used[i]) in[i] = load(*inputs[i], walks[i], begin, end);
    }
    const Column main_column = main ? load(*main, Walk(main->shape, shape), begin, end) : Column();
    for (size_t s = 0; s < steps.size(); ++s) {
      std::vector<const Column*> args;
      for (const StepArg& arg : steps[s].args) {
        const auto index = static_cast<size_t>(arg.index);
        args.push_back(arg.kind == StepArg::input  ? &in[index]
                       : arg.kind == StepArg::step ? &out[index]
                                                   : &main_column);
      }
      out[s] = runners[s].run(args);
    }
    for (size_t r = 0; r < results.size(); ++r) {
      const Column& column = out[static_cast<size_t>(results[r])];
      for (int64_t i = begin; i < end; ++i) {
        const auto e = static_cast<size_t>(i - begin);
        if (column.is_real())
          tensors[r].set_f64(i, column.real[e]);
        else
          tensors[r].set_i64(i, column.integer[e]);
      }
    }
  }
  return tensors;
}

}  // namespace macec
