// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise chains: every step of the table with every element type, against its reference.
//
// One kernel computes many steps: row r of the result is step r. The chain subtracts 1 from a
// selector s, and where that is 0 the result of the step at hand wins:
//
//   %y[rows,n] = Pointwise(%x[1,n], %y[1,n], %z[1,n], %s[rows,1])
//                | Add(%x, %y) | Equal(%s, 0) | Where(#1, #0, #0) | Sub(%s, 1) | ...
#include <cmath>
#include <limits>

#include "compiler/ir/text.h"
#include "compiler/ops/elementwise.h"
#include "compiler/ops/registry.h"
#include "tests/catch.h"
#include "tests/opencl/kernels/run_on_opencl.h"

using namespace macec;

namespace {

const DType kIntegerTypes[] = {DType::int8,  DType::uint8,  DType::int16, DType::uint16,
                               DType::int32, DType::uint32, DType::int64, DType::uint64};

// The steps of one kernel, all of one element type.
class Chain {
 public:
  Chain(DType type, DType result) : type_(name(type)), result_(name(result)), dtype_(type) {}

  void add(const ElementwiseOp& op) {
    std::string args;
    if (std::string(op.name) == "Where" && dtype_ != DType::boolean) {
      args = "#" + std::to_string(line("Less(%x, %y): bool")) + ", %y, %z";
    } else {
      const char* names[] = {"%x", "%y", "%z"};
      for (int a = 0; a < op.args; ++a) args += (a ? ", " : "") + std::string(names[a]);
    }
    const bool is_bool = op.result == ResultType::boolean;
    // A mask becomes a number by Where: that has a vector form.
    int value = line(fmt::format("{}({}): {}", op.name, args, is_bool ? "bool" : type_));
    if (is_bool && dtype_ != DType::boolean)
      value = line(fmt::format("Where(#{}, %one, %zero): {}", value, type_));
    finish(value, op.name);
  }
  // %x to `to` and on to the type of the result.
  void add_cast(const char* op, DType to) {
    int value = line(fmt::format("{}(%x): {}", op, name(to)));
    if (name(to) != result_) value = line(fmt::format("Cast(#{}): {}", value, result_));
    finish(value, fmt::format("{} to {}", op, name(to)));
  }

  std::string graph(int64_t n) const {
    return fmt::format(
        "graph \"g\" (%x: {0}[1,{1}], %y: {0}[1,{1}], %z: {0}[1,{1}], %s: {4}[{2},1]) -> (%r) {{\n"
        "  %zero = constant {4}[] {{0}}\n  %one = constant {4}[] {{1}}\n"
        "  %r: {3}[{2},{1}] = Pointwise(%x, %y, %z, %s, %zero, %one){5}\n}}\n",
        type_, n, names_.size(), result_, counter(), code_);
  }
  // x, y, z of the type, and the selector.
  std::vector<Tensor> inputs(int64_t n, const std::vector<double>& values) const {
    std::vector<Tensor> all(4);
    const auto count = static_cast<int64_t>(values.size());
    for (int64_t which = 0; which < 3; ++which) {
      Tensor& t = all[static_cast<size_t>(which)] = Tensor(dtype_, {1, n});
      for (int64_t i = 0; i < n; ++i) {
        const int64_t at = which == 0 ? i : which == 1 ? i * 5 + i / count + 2 : i * 3 + 1;
        const double v = values[static_cast<size_t>(at % count)];
        if (info(dtype_).is_float)
          t.set_f64(i, v);
        else
          t.set_i64(i, static_cast<int64_t>(v));
      }
    }
    const auto rows = static_cast<int64_t>(names_.size());
    all[3] = Tensor(*find_dtype_of(counter()), {rows, 1});
    for (int64_t r = 0; r < rows; ++r)
      info(all[3].dtype).is_float ? all[3].set_f64(r, static_cast<double>(r))
                                  : all[3].set_i64(r, r);
    return all;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  static const DType* find_dtype_of(const std::string& name) {
    return &find_dtype(std::string_view(name))->dtype;
  }
  std::string counter() const { return dtype_ == DType::boolean ? "int32" : type_; }
  int line(const std::string& text) {
    code_ += "\n    | " + text;
    return lines_++;
  }
  void finish(int value, const std::string& name) {
    if (!names_.empty()) {
      const int left = line(fmt::format("Sub({}, %one): {}", selector_, counter()));
      selector_ = "#" + std::to_string(left);
      const int is_here = line(fmt::format("Equal({}, %zero): bool", selector_));
      value = line(fmt::format("Where(#{}, #{}, #{}): {}", is_here, value, last_, result_));
    }
    last_ = value;
    names_.push_back(name);
  }

  std::string type_, result_, code_, selector_ = "%s";
  DType dtype_;
  int lines_ = 0, last_ = 0;
  std::vector<std::string> names_;
};

unsigned class_of(DType type) {
  return type == DType::boolean ? kBooleans : info(type).is_float ? kFloats : kIntegers;
}

// only_vectors: those that vectors of floats can say.
Chain all_steps(DType type, bool only_vectors = false) {
  const bool is_float = info(type).is_float;
  Chain chain(type, type);
  for (const ElementwiseOp& op : elementwise_ops()) {
    if (op.result == ResultType::attribute_to || (op.types & class_of(type)) == 0) continue;
    if ((is_float ? !op.real : !op.integer) || (only_vectors && !op.vector_code)) continue;
    chain.add(op);
  }
  return chain;
}

// Conversions to all integers and bool. Only narrow integers saturate.
Chain all_casts(DType from, DType result) {
  Chain chain(from, result);
  for (DType to : kIntegerTypes) {
    chain.add_cast("Cast", to);
    if (from != DType::boolean && info(to).bits < 64) chain.add_cast("Saturate", to);
  }
  chain.add_cast("Cast", DType::boolean);
  return chain;
}
// Conversions to floats; float16 really rounds.
Chain float_casts(DType from) {
  Chain chain(from, DType::float32);
  chain.add_cast("Cast", DType::float16);
  chain.add_cast("Cast", DType::float32);
  return chain;
}

struct Run {
  std::string target;
  int64_t n;
  Chain chain;
  std::vector<double> values;
  double tolerance;  // relative and absolute
};

bool is_close(double a, double b, double tolerance) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return true;
  return std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

// Returns how many buffers were images.
int check(const std::vector<Run>& runs) {
  std::vector<Graph> graphs;
  std::vector<std::vector<Tensor>> inputs;
  for (const Run& run : runs) {
    graphs.push_back(parse_graph(run.chain.graph(run.n), find_op));
    inputs.push_back(run.chain.inputs(run.n, run.values));
  }
  int images = 0;
  const auto results = run_on_opencl(find_target(runs[0].target), graphs, inputs);
  for (size_t i = 0; i < runs.size(); ++i) {
    const Tensor& got = results[i].outputs[0];
    const Tensor want = evaluate_graph(graphs[i], inputs[i])[0];
    images += results[i].images;
    REQUIRE(got.shape == want.shape);
    for (int64_t e = 0; e < want.count(); ++e) {
      const int64_t column = e % runs[i].n;
      const auto row = static_cast<size_t>(e / runs[i].n);
      const bool ok = info(want.dtype).is_float
                          ? is_close(got.f64(e), want.f64(e), runs[i].tolerance)
                          : got.i64(e) == want.i64(e);
      if (!ok)
        FAIL_CHECK(fmt::format("{} of {} {}, {}, {} is {} instead of {}",
                               runs[i].chain.names()[row], name(inputs[i][0].dtype),
                               inputs[i][0].f64(column), inputs[i][1].f64(column),
                               inputs[i][2].f64(column), got.f64(e), want.f64(e)));
    }
    SUCCEED();
  }
  return images;
}

const double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kReals = {0,    1,    -1,   0.5,       -0.5,       1.5,  -1.5, 2.5,
                                    -2.5, 3,    -3,   NAN,       0.25,       -7,   0.1,  -0.9,
                                    5.75, 0.01, 20.5, -20.5,     -3.25,      0.99, 88,   -88,
                                    6.5,  -6.5, -0.0, kInfinity, -kInfinity, 0.7,  4,    -100};

std::vector<double> integers_of(DType type) {
  std::vector<double> values = {0, 1, 2, 3, 5, 7, 8, 33, 64, 100, 127};
  const int bits = info(type).bits;
  if (info(type).is_signed)
    values.insert(values.end(), {-1, -2, -3, -7, -100, -128, -std::ldexp(1.0, bits - 1)});
  values.push_back(std::ldexp(1.0, bits - 2) + (bits < 52 ? 3 : 0));
  return values;
}

}  // namespace

TEST_CASE("every step on floats: vectors and single elements, memory and images") {
  const DType full = DType::float32, half = DType::float16;
  CHECK(check({{"x86-64-opencl", 64, all_steps(full, true), kReals, 3e-6},
               {"x86-64-opencl", 63, all_steps(full), kReals, 3e-6},
               {"x86-64-opencl", 64, all_steps(half, true), kReals, 2e-3},
               {"x86-64-opencl", 63, all_steps(half), kReals, 2e-3}}) == 0);
  CHECK(check({{"x86-64-adreno", 64, all_steps(full, true), kReals, 3e-6},
               {"x86-64-adreno", 64, all_steps(half, true), kReals, 2e-3}}) == 8);
}

TEST_CASE("every step on integers and bool wraps as the reference does") {
  std::vector<Run> runs = {{"x86-64-opencl", 37, all_steps(DType::boolean), {0, 1, 1, 0}, 0}};
  for (DType type : kIntegerTypes)
    runs.push_back({"x86-64-opencl", 211, all_steps(type), integers_of(type), 0});
  check(runs);
}

TEST_CASE("conversions truncate, saturate and wrap as the reference does") {
  std::vector<double> reals = kReals;
  for (double v :
       {127.5,   128.0,    -128.7,       -129.0,       255.9,         256.0, 32767.5,      40000.0,
        65520.0, -65504.0, 2147483520.0, 2147483648.0, -2147483648.0, -3e9,  4294967040.0, 5e9,
        9.2e18,  -9.3e18,  1.8e19,       2e19,         1e30,          0.1,   2049.0,       2051.0})
    reals.push_back(v);
  std::vector<Run> runs = {
      {"x86-64-opencl", 60, all_casts(DType::float32, DType::int64), reals, 0},
      {"x86-64-opencl", 60, all_casts(DType::float16, DType::int64), reals, 0},
      {"x86-64-opencl", 60, float_casts(DType::float32), reals, 0},
      {"x86-64-opencl", 8, all_casts(DType::boolean, DType::int64), {0, 1, 1, 0}, 0}};
  for (DType type : kIntegerTypes) {
    runs.push_back({"x86-64-opencl", 25, all_casts(type, DType::int64), integers_of(type), 0});
    runs.push_back({"x86-64-opencl", 25, float_casts(type), integers_of(type), 0});
  }
  check(runs);
}

TEST_CASE("a quotient that is rounded is exact, and keeps infinities and NaN") {
  const char* text = R"(graph "g" (%x: float32[1,64], %z: float32[8,1]) -> (%y) {
  %q: float32[8,64] = Div(%x, %z)
  %y: float32[8,64] = Round(%q)
})";
  Tensor x(DType::float32, {1, 64}), z(DType::float32, {8, 1});
  for (int64_t i = 0; i < 64; ++i)
    x.set_f64(i, i < 32 ? kReals[static_cast<size_t>(i)] : static_cast<double>(i - 48) * 0.05);
  const double divisors[] = {0, 1, -1, 0.1, 0.3, 1e-30, kInfinity, NAN};
  for (int64_t i = 0; i < 8; ++i) z.set_f64(i, divisors[i]);
  check_on_opencl("x86-64-opencl", {{"rounded quotients", text, 1e-30, {x, z}}});
}
