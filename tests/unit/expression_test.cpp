// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated functors against the reference: every step on every element type it takes goes through
// the C++ compiler, in one program.
#include "compiler/emit/expression.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/ops/elementwise.h"
#include "compiler/ops/lowering.h"
#include "tests/catch.h"

using namespace macec;

namespace {

constexpr int64_t kCount = 37;  // tails for every number of lanes

struct Case {
  std::vector<PointwiseStep> steps;
  std::vector<Tensor> inputs;
  int64_t inner_stride = 1;  // of input 0
};

std::vector<double> interesting(const std::string& op, DType dtype) {
  if (dtype == DType::boolean) return {0, 1};
  if (!info(dtype).is_float) {
    const bool is_signed = info(dtype).is_signed;
    if (is_signed) return {0, 1, -1, 2, 5, -5, 7, -7, 100, -128, 127, 3};
    return {0, 1, 2, 5, 7, 100, 127, 255, 3, 4, 9};
  }
  if (op == "Acosh") return {1, 1.5, 2, 10, 100};
  if (op == "Asin" || op == "Acos" || op == "Atanh") return {-0.9, -0.5, 0, 0.25, 0.9};
  if (op == "Log" || op == "Sqrt") return {0.001, 0.5, 1, 2, 100};
  if (op == "Pow") return {0.5, 1, 2, 3.5, 4};
  if (op == "Tan" || op == "Mod" || op == "Fmod" || op == "Sinh" || op == "Cosh")
    return {-3, -1.25, 0.5, 1, 2.5, 7};
  return {0,  0.5, -0.5, 1,  -1,  1.5,   -1.5, 2.5,      -2.5,     3,
          -3, 10,  -10,  90, -90, 0.125, NAN,  INFINITY, -INFINITY};
}

Tensor operand(const std::string& op, DType dtype, int which) {
  Tensor t(dtype, {kCount});
  const std::vector<double> values = interesting(op, dtype);
  for (int64_t i = 0; i < kCount; ++i) {
    const auto n = static_cast<int64_t>(values.size());
    const int64_t at = which == 0 ? i % n : which == 1 ? (i * 5 + 2) % n : (i * 3 + 1) % n;
    t.set_f64(i, values[static_cast<size_t>(at)]);
  }
  return t;
}

Case single_step(const ElementwiseOp& op, DType from, DType to) {
  Case c;
  PointwiseStep step{op.name, {}, to, {}};
  for (int a = 0; a < op.args; ++a) {
    step.args.push_back({StepArg::input, a});
    const bool is_condition = std::string(op.name) == "Where" && a == 0;
    c.inputs.push_back(operand(op.name, is_condition ? DType::boolean : from, a));
  }
  c.steps.push_back(std::move(step));
  return c;
}

KernelCall call_of(const Case& c) {
  std::vector<View> inputs;
  for (const Tensor& t : c.inputs) inputs.push_back(dense_view(0, t.type()));
  const int last = static_cast<int>(c.steps.size()) - 1;
  View output = dense_view(1, {c.steps.back().dtype, {kCount}, Layout::plain});
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].shape = {kCount};
    if (i == 0) inputs[i].strides = {c.inner_stride};
    if (c.inputs[i].count() == 1)
      inputs[i].shape.clear(), inputs[i].strides.clear(),
          inputs[i].constant = std::make_shared<Tensor>(c.inputs[i]);
  }
  return pointwise_call(c.steps, std::move(inputs), {output}, {last});
}

std::string bytes_text(const Tensor& t) {
  std::string s;
  for (unsigned char b : t.bytes) s += fmt::format("{},", static_cast<int>(b));
  return s;
}

// One program that runs all cases and writes their outputs to its standard output.
std::string program(const std::vector<Case>& cases) {
  std::string text =
      "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include "
      "<string.h>\n"
      "#if defined(__SSE2__)\n#include <immintrin.h>\n#endif\n"
      "namespace {\nnamespace level {\n#include \"kernels/libm.h\"\n#include "
      "\"kernels/scalar.h\"\n#include \"kernels/float8.h\"\n"
      "template <class F>\nvoid run(const F& f, int64_t n) {\n  const int64_t offset[16] = {};\n  "
      "int64_t i = 0;\n"
      "  if constexpr (F::kVector) {\n    for (; i + kLanes <= n; i += kLanes) f.template "
      "at<Vf>(offset, i, Full{});\n"
      "    if (i < n) f.template at<Vf>(offset, i, Part{static_cast<int>(n - i)});\n  } else {\n"
      "    for (; i < n; ++i) f.template at<float>(offset, i, Full{});\n  }\n}\n";
  std::string calls;
  for (size_t i = 0; i < cases.size(); ++i) {
    const KernelCall call = call_of(cases[i]);
    const FunctorText functor = pointwise_functor(call);
    text += "// " + functor.summary + "\n" + functor.definition(fmt::format("F{}", i));
    std::string setup, values;
    for (const FunctorMember& m : functor.members) {
      switch (m.kind) {
        case FunctorMember::input:
        case FunctorMember::packed_input:
          setup +=
              fmt::format("    alignas(16) static const unsigned char b{}[] = {{{}}};\n", m.operand,
                          bytes_text(cases[i].inputs[static_cast<size_t>(m.operand)]));
          values += fmt::format("reinterpret_cast<{}>(b{}), ", m.type, m.operand);
          break;
        case FunctorMember::output:
          values += fmt::format("reinterpret_cast<{}>(out), ", m.type);
          break;
        case FunctorMember::first_element:
        case FunctorMember::stride:
          values += m.extent.text() + ", ";
          break;
        case FunctorMember::value:
          values += m.text + ", ";
          break;
      }
    }
    const int64_t bytes = bytes_of(call.outputs[0].dtype, kCount);
    calls += fmt::format(
        "  {{\n    memset(out, 0, sizeof out);\n{}    run(F{}{{{}}}, {});\n    fwrite(out, 1, {}, "
        "stdout);\n  }}\n",
        setup, i, values, kCount, bytes);
  }
  return text +
         "}  // namespace level\n}  // namespace\nint main() {\n  using namespace level;\n  "
         "alignas(16) unsigned char out[1024];\n" +
         calls + "}\n";
}

std::vector<char> run_program(const std::string& text) {
  const std::string stem =
      (std::filesystem::temp_directory_path() / fmt::format("macec_expression_{}", getpid()))
          .string();
  std::ofstream(stem + ".cpp") << text;
  const std::string command = fmt::format(
      "g++ -std=c++17 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
      "-fsanitize=undefined -fno-sanitize-recover -I"
      "{}/codegen_templates {}.cpp -o {} && {} > {}.out",
      MACEC_SOURCE_DIR, stem, stem, stem, stem);
  const int code = std::system(command.c_str());
  std::ifstream in(stem + ".out", std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (code == 0) {
    for (const char* suffix : {".cpp", "", ".out"}) std::filesystem::remove(stem + suffix);
  }
  REQUIRE(code == 0);
  return bytes;
}

double tolerance(DType dtype) {
  return dtype == DType::float16    ? 2e-3
         : dtype == DType::bfloat16 ? 2e-2
         : dtype == DType::float64  ? 1e-12
                                    : 3e-6;
}

// Empty if the outputs agree, else the first difference.
std::string difference(const Case& c, const Tensor& got) {
  std::vector<const Tensor*> inputs;
  std::vector<Tensor> strided;
  strided.reserve(c.inputs.size());
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    Tensor t = c.inputs[i];
    if (i == 0 && c.inner_stride != 1) {
      for (int64_t e = 0; e < kCount; ++e)
        t.set_f64(e, c.inputs[i].f64(e * c.inner_stride % c.inputs[i].count()));
      t.shape = {kCount};
    }
    strided.push_back(std::move(t));
    inputs.push_back(&strided.back());
  }
  const int last = static_cast<int>(c.steps.size()) - 1;
  const Tensor want = evaluate_steps(c.steps, {last}, nullptr, inputs)[0];
  for (int64_t i = 0; i < kCount; ++i) {
    const double w = want.f64(i), g = got.f64(i);
    if (std::isnan(w) ? std::isnan(g) : w == g) continue;
    if (info(want.dtype).is_float && std::fabs(w - g) <= tolerance(want.dtype) * (1 + std::fabs(w)))
      continue;
    return fmt::format("{} of {}, element {}: {} instead of {}", c.steps.back().op,
                       text(inputs[0]->type()), i, g, w);
  }
  return "";
}

void check_all(const std::vector<Case>& cases) {
  const std::vector<char> bytes = run_program(program(cases));
  size_t at = 0;
  std::string differences;
  for (const Case& c : cases) {
    Tensor got(c.steps.back().dtype, {kCount});
    REQUIRE(at + got.bytes.size() <= bytes.size());
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), got.bytes.size(),
                reinterpret_cast<char*>(got.bytes.data()));
    at += got.bytes.size();
    const std::string found = difference(c, got);
    if (!found.empty()) differences += found + "\n";
  }
  CHECK(differences == "");
}

constexpr DType kTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                            DType::int8,    DType::uint8,   DType::int16,    DType::uint16,
                            DType::int32,   DType::uint32,  DType::int64,    DType::uint64,
                            DType::boolean};

bool takes(const ElementwiseOp& op, DType dtype) {
  const unsigned kind = dtype == DType::boolean ? kBooleans
                        : info(dtype).is_float  ? kFloats
                                                : kIntegers;
  return (op.types & kind) != 0;
}

}  // namespace

TEST_CASE("every step computes in generated code what it means") {
  std::vector<Case> cases;
  for (const ElementwiseOp& op : elementwise_ops()) {
    if (op.result == ResultType::attribute_to) continue;
    for (DType dtype : kTypes) {
      if (!takes(op, dtype)) continue;
      cases.push_back(
          single_step(op, dtype, op.result == ResultType::boolean ? DType::boolean : dtype));
    }
  }
  check_all(cases);
}

TEST_CASE("Cast and Saturate between all element types follow the reference") {
  std::vector<Case> cases;
  for (const char* name : {"Cast", "Saturate"}) {
    for (DType from : kTypes) {
      for (DType to : kTypes) {
        if (from == to) continue;
        if (std::string(name) == "Saturate" && (info(to).bits > 16 || !info(to).is_integer ||
                                                from == DType::boolean || from == DType::uint64))
          continue;
        cases.push_back(single_step(*find_elementwise(name), from, to));
      }
    }
  }
  check_all(cases);
}

TEST_CASE("packed results keep the low bits, or are limited") {
  std::vector<Case> cases;
  for (DType packed : {DType::int4, DType::uint4, DType::int2, DType::uint2}) {
    for (const char* op : {"Cast", "Saturate"}) {
      for (DType from : {DType::float32, DType::int32, DType::uint8}) {
        cases.push_back({{{op, {{StepArg::input, 0}}, packed, {}}}, {operand("Add", from, 0)}});
      }
    }
  }
  check_all(cases);
}

TEST_CASE("float8 is read, written and rounded as the reference says") {
  std::vector<Case> cases;
  const DType formats[] = {DType::float8e4m3fn, DType::float8e4m3fnuz, DType::float8e5m2,
                           DType::float8e5m2fnuz};
  const double values[] = {
      0,   -0.0, 1,   -1.0625,  1.1875,    0.001, -0.0019, 0.00001, 3e-6,         7.6e-6,     447,
      448, 464,  465, 480,      -500,      239,   248,     250,     57344,        61440,      61441,
      1e6, -1e6, NAN, INFINITY, -INFINITY, 17,    18,      19,      0.0146484375, 0.017578125};
  for (DType format : formats) {
    Tensor floats(DType::float32, {kCount}), bytes(format, {kCount});
    for (int64_t i = 0; i < kCount; ++i) {
      floats.set_f64(i, values[static_cast<size_t>(i) % std::size(values)]);
      bytes.bytes[static_cast<size_t>(i)] = static_cast<unsigned char>(i * 7);
    }
    for (int64_t saturate : {0, 1}) {
      cases.push_back(
          {{{"Cast", {{StepArg::input, 0}}, format, {{"saturate", saturate}}}}, {floats}});
    }
    cases.push_back({{{"Cast", {{StepArg::input, 0}}, DType::float32, {}}}, {bytes}});
  }
  check_all(cases);
}

TEST_CASE("chains, constants, strides and packed operands") {
  const StepArg x = {StepArg::input, 0}, y = {StepArg::input, 1};
  auto step = [](int i) { return StepArg{StepArg::step, i}; };
  auto f32 = [](std::string op, std::vector<StepArg> args) {
    return PointwiseStep{std::move(op), std::move(args), DType::float32, {}};
  };
  std::vector<Case> cases;
  const Tensor a = operand("Add", DType::float32, 0), scalar = Tensor::scalar_f32(-1.25f);
  cases.push_back({{f32("Add", {x, y}), f32("Relu", {step(0)}), f32("Mul", {step(1), x})},
                   {a, operand("Add", DType::float32, 1)}});
  cases.push_back({{f32("Sub", {x, y}), f32("LeakyRelu", {step(0)})}, {a, scalar}});
  cases.back().steps[1].attributes["alpha"] = 0.25f;
  cases.push_back(
      {{{"Less", {x, y}, DType::boolean, {}}, f32("Where", {step(0), x, y})}, {a, scalar}});
  cases.push_back({{{"Less", {x, y}, DType::boolean, {}}, {"Not", {step(0)}, DType::boolean, {}}},
                   {a, scalar}});
  cases.push_back(
      {{f32("Cast", {x}), f32("Mul", {step(0), y})}, {operand("Add", DType::uint8, 0), scalar}});
  cases.push_back(
      {{f32("Cast", {x}), f32("Mul", {step(0), y})}, {operand("Add", DType::int64, 0), scalar}});
  cases.push_back(
      {{f32("Div", {x, y}), f32("Round", {step(0)}), {"Saturate", {step(1)}, DType::uint8, {}}},
       {a, scalar}});
  cases.push_back(
      {{{"Cast", {x}, DType::float16, {}}, f32("Cast", {step(0)}), f32("Mul", {step(1), y})},
       {a, scalar}});
  for (DType packed : {DType::int4, DType::uint4, DType::int2, DType::uint2}) {
    cases.push_back(
        {{f32("Cast", {x}), f32("Mul", {step(0), y})}, {operand("Add", packed, 0), scalar}});
  }
  Tensor wide(DType::float32, {kCount * 3});
  for (int64_t i = 0; i < wide.count(); ++i) wide.set_f64(i, static_cast<double>(i));
  cases.push_back({{f32("Add", {x, y})}, {wide, a}, 3});
  cases.push_back({{f32("Add", {x, y})}, {wide, a}, 0});
  check_all(cases);
}

TEST_CASE("an epilogue that calls functions says that it is large") {
  KernelCall call;
  call.outputs = {dense_view(0, {DType::float32, {4, 8}, Layout::plain})};
  call.epilogue = {{"Gelu", {{StepArg::result, 0}}, DType::float32, {}}};
  CHECK(epilogue_functor(call).body.find("kIsLarge = true") != std::string::npos);
  call.epilogue = {{"Relu", {{StepArg::result, 0}}, DType::float32, {}}};
  CHECK(epilogue_functor(call).body.find("kIsLarge") == std::string::npos);
}

TEST_CASE("an epilogue reads its operands by row and column") {
  KernelCall call;
  call.outputs = {dense_view(0, {DType::float32, {4, 8}, Layout::plain})};
  call.epilogue = {{"Add", {{StepArg::result, 0}, {StepArg::input, 0}}, DType::float32, {}},
                   {"Relu", {{StepArg::step, 0}}, DType::float32, {}}};
  call.epilogue_inputs = {dense_view(1, {DType::float32, {8}, Layout::plain})};
  call.epilogue_row_strides = {0};
  call.epilogue_col_strides = {1};
  const FunctorText per_column = epilogue_functor(call);
  CHECK(per_column.definition("AddRelu") ==
        "struct AddRelu {\n  const float* a0;\n  template <class V, class N>\n"
        "  MACEC_INLINE V operator()(V v, int64_t, int64_t col, N n) const {\n    const V x0 = "
        "load<V>(a0 + col, n);\n"
        "    const V v0 = (v + x0);\n    const V v1 = max_fast(splat<V>(0.0f), v0);\n    return "
        "v1;\n  }\n};\n");
  call.epilogue_row_strides = {8};
  const FunctorText full = epilogue_functor(call);
  CHECK(full.body.find("load<V>(a0 + row * r0 + col, n)") != std::string::npos);
  CHECK(full.members.size() == 2);
  CHECK(full.body != per_column.body);
}
