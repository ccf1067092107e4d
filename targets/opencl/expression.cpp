// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise steps as OpenCL C. The expressions come from the vector column of the table of steps
// (compiler/ops/elementwise.h): splat<V>( becomes op_splat(, and every function f( becomes op_f(;
// codegen_templates/opencl/steps.cl defines them for V = float and V = float4.
#include "compiler/ops/elementwise.h"
#include "compiler/support/error.h"
#include "targets/opencl/launch_builder.h"

namespace macec {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "max_fast(splat<V>(0.0f), x)" -> "op_max_fast(op_splat(0.0f), x)"
std::string with_prefixes(const std::string& code) {
  std::string out;
  for (size_t i = 0; i < code.size();) {
    if (!is_word(code[i]) || (i > 0 && (is_word(code[i - 1]) || code[i - 1] == '.'))) {
      out += code[i++];
      continue;
    }
    size_t end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    const std::string word = code.substr(i, end - i);
    if (word == "splat" && code.compare(end, 3, "<V>") == 0) {
      out += "op_splat";
      end += 3;
    } else {
      out += end < code.size() && code[end] == '(' ? "op_" + word : word;
    }
    i = end;
  }
  return out;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string float_text(double v) {
  if (v != v) return "NAN";
  if (v > 3.4028234663852886e38) return "INFINITY";
  if (v < -3.4028234663852886e38) return "(-INFINITY)";
  const std::string text = fmt::format("{:a}f", static_cast<float>(v));
  return v < 0 ? "(" + text + ")" : text;
}

}  // namespace

std::string epilogue_code(const KernelCall& call, bool is_vector,
                          const std::vector<std::string>& loads) {
  std::string code;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < call.epilogue_inputs.size(); ++i) {
    const View& view = call.epilogue_inputs[i];
    if (view.buffer < 0) {
      MACEC_CHECK(view.constant && view.constant->count() == 1, "an operand without a place");
      inputs.push_back(fmt::format("op_splat({})", float_text(view.constant->f64(0))));
      continue;
    }
    code += fmt::format("  const V a{} = {};\n", i, loads[i]);
    inputs.push_back(fmt::format("a{}", i));
  }
  (void)is_vector;
  for (size_t s = 0; s < call.epilogue.size(); ++s) {
    const PointwiseStep& step = call.epilogue[s];
    std::vector<std::string> args;
    for (const StepArg& arg : step.args)
      args.push_back(arg.kind == StepArg::result ? "v"
                     : arg.kind == StepArg::step ? fmt::format("v{}", arg.index)
                                                 : inputs[static_cast<size_t>(arg.index)]);
    const ElementwiseOp* op = find_elementwise(step.op);
    MACEC_CHECK(op, "no pointwise step is called {}", step.op);
    std::string value = args[0];
    if (step.op != "Cast" && step.op != "Saturate") {
      value = with_prefixes(op->vector_code);
      for (size_t k = 0; k < op->attributes.size(); ++k)
        value = replaced(value, fmt::format("{{k{}}}", k),
                         float_text(static_cast<double>(step_attribute(step, op->attributes[k]))));
      for (size_t a = 0; a < args.size(); ++a)
        value = replaced(value, fmt::format("{{{}}}", a), args[a]);
    }
    code += fmt::format("  const V v{} = {};\n", s, value);
  }
  return code + fmt::format("  return v{};\n", call.epilogue.size() - 1);
}

}  // namespace macec
