// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise steps as OpenCL C. The expressions come from the table of steps
// (compiler/ops/elementwise.h): of its vector column, where splat<V>( becomes op_splat( and every
// function f( becomes op_f(; for integers of its scalar column, where scalar_f( becomes
// exact_f(TYPE,.
#include "targets/opencl/expression.h"

#include <algorithm>

#include "compiler/ops/elementwise.h"
#include "compiler/support/error.h"

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

// "scalar_add({0}, {1})" -> "exact_add(int, {0}, {1})"; floats: "op_add({0}, {1})".
std::string exact_code(const char* scalar_code, const std::string& type) {
  std::string code = replaced(scalar_code, "static_cast<T>", "(" + type + ")");
  code = replaced(replaced(code, "static_cast<void>", "(void)"), ", true)", ", 1)");
  const std::string prefix = "scalar_";
  for (size_t at = code.find(prefix); at != code.npos; at = code.find(prefix)) {
    if (type != "float") code.insert(code.find('(', at) + 1, type + ", ");
    code.replace(at, prefix.size(), type == "float" ? "op_" : "exact_");
  }
  return code;
}

bool is_real(DType type) {
  return type == DType::float32 || type == DType::float16;
}

// Of a value in exact code.
std::string exact_type(DType type) {
  return is_real(type) ? "float" : type == DType::boolean ? "int" : opencl_type(type);
}

class ChainWriter {
 public:
  ChainWriter(const KernelCall& call, const std::vector<View>& operands, bool is_vector,
              const std::vector<ChainLoad>& loads)
      : call_(call), operands_(operands), is_vector_(is_vector), loads_(loads) {
    loaded_.resize(operands.size());
  }

  std::string write() {
    for (size_t s = 0; s < call_.epilogue.size(); ++s) {
      const PointwiseStep& step = call_.epilogue[s];
      std::vector<std::string> args;
      std::vector<DType> types;
      for (const StepArg& arg : step.args)
        args.push_back(argument(arg)), types.push_back(type_of(arg));
      line(step.dtype, fmt::format("v{}", s), step_code(step, args, types));
    }
    return code_;
  }

 private:
  DType type_of(const StepArg& arg) const {
    const auto i = static_cast<size_t>(arg.index);
    if (arg.kind == StepArg::result) return DType::float32;
    return arg.kind == StepArg::step ? call_.epilogue[i].dtype : operands_[i].dtype;
  }
  void line(DType type, const std::string& name, const std::string& expression) {
    const std::string vector = type == DType::boolean ? "VMASK" : "V";
    code_ += fmt::format("  const {} {} = {};\n", is_vector_ ? vector : exact_type(type), name,
                         expression);
  }

  std::string argument(const StepArg& arg) {
    if (arg.kind == StepArg::result) return "v";
    if (arg.kind == StepArg::step) return fmt::format("v{}", arg.index);
    const auto i = static_cast<size_t>(arg.index);
    const View& view = operands_[i];
    if (is_literal(view)) return literal(view);
    const std::string local = fmt::format("x{}", i);
    if (!loaded_[i]) line(view.dtype, local, load(view.dtype, loads_[i]));
    loaded_[i] = true;
    return local;
  }
  std::string literal(const View& view) const {
    const bool is_true = view.dtype == DType::boolean && view.constant->i64(0) != 0;
    if (view.dtype == DType::boolean)
      return is_vector_ ? fmt::format("((VMASK)({}))", is_true ? -1 : 0) : is_true ? "1" : "0";
    if (is_real(view.dtype) || is_vector_)
      return fmt::format("op_splat({})", opencl_float(view.constant->f64(0)));
    return opencl_integer(*view.constant);
  }
  std::string load(DType type, const ChainLoad& from) const {
    const std::string& x = from.text;
    if (!is_vector_) return type == DType::boolean ? "(" + x + " != 0)" : x;
    if (type == DType::boolean)
      return from.is_vector ? fmt::format("(convert_int4({}) != 0)", x)
                            : fmt::format("((VMASK)({} != 0 ? -1 : 0))", x);
    if (!from.is_vector) return fmt::format("op_splat({})", x);
    return is_real(type) ? x : fmt::format("convert_float4({})", x);
  }

  std::string step_code(const PointwiseStep& step, const std::vector<std::string>& args,
                        const std::vector<DType>& types) const {
    const ElementwiseOp* op = find_elementwise(step.op);
    MACEC_CHECK(op, "no pointwise step is called {}", step.op);
    if (step.op == "Cast" || step.op == "Saturate")
      return is_vector_ ? vector_cast(step.dtype, args[0]) : exact_cast(step, args[0], types[0]);
    const bool has_floats = is_vector_ || is_real(types.back());
    std::string code = has_floats && op->vector_code
                           ? with_prefixes(op->vector_code)
                           : exact_code(op->scalar_code, exact_type(types.back()));
    if (has_floats && step.op == "Div" && is_rounded(step)) code = "op_exact_div({0}, {1})";
    for (size_t k = 0; k < op->attributes.size(); ++k) {
      const double value = static_cast<double>(step_attribute(step, op->attributes[k]));
      code = replaced(code, fmt::format("{{k{}}}", k), opencl_float(value));
    }
    for (size_t a = 0; a < args.size(); ++a)
      code = replaced(code, fmt::format("{{{}}}", a), args[a]);
    return code;
  }
  // Whether a Round reads the step: a quotient that is nearly a half must be the right one.
  bool is_rounded(const PointwiseStep& step) const {
    const auto index = static_cast<int>(&step - call_.epilogue.data());
    return std::any_of(call_.epilogue.begin(), call_.epilogue.end(), [&](const PointwiseStep& s) {
      return s.op == "Round" && s.args[0] == StepArg{StepArg::step, index};
    });
  }
  // A NaN becomes 0; storing truncates.
  static std::string vector_cast(DType to, const std::string& x) {
    if (is_real(to)) return x;
    const DTypeInfo& type = info(to);
    const int lo = type.is_signed ? -(1 << (type.bits - 1)) : 0;
    const int hi = type.is_signed ? (1 << (type.bits - 1)) - 1 : (1 << type.bits) - 1;
    return fmt::format(
        "op_min_fast(op_splat({}.0f), op_max_fast(op_splat({}.0f), op_select({} == {}, {}, "
        "op_splat(0.0f))))",
        hi, lo, x, x, x);
  }
  static std::string exact_cast(const PointwiseStep& step, const std::string& x, DType from) {
    const DType to = step.dtype;
    if (to == DType::boolean) return from == DType::boolean ? x : fmt::format("({} != 0)", x);
    if (to == DType::float32) return fmt::format("((float){})", x);
    if (to == DType::float16) return fmt::format("op_through_half((float){})", x);
    const std::string type = exact_type(to);
    if (is_real(from)) return fmt::format("exact_from_float({}, {})", type, x);
    if (step.op == "Saturate") return fmt::format("exact_saturate({}, {})", type, x);
    return fmt::format("(({}){})", type, x);
  }

  const KernelCall& call_;
  const std::vector<View>& operands_;
  bool is_vector_;
  const std::vector<ChainLoad>& loads_;
  std::vector<char> loaded_;
  std::string code_;
};

}  // namespace

const char* opencl_type(DType type) {
  switch (type) {
    case DType::float32:
      return "float";
    case DType::float16:
      return "half";
    case DType::int8:
      return "char";
    case DType::uint8:
    case DType::boolean:
      return "uchar";
    case DType::int16:
      return "short";
    case DType::uint16:
      return "ushort";
    case DType::int32:
      return "int";
    case DType::uint32:
      return "uint";
    case DType::int64:
      return "long";
    case DType::uint64:
      return "ulong";
    default:
      return nullptr;
  }
}

bool is_opencl_number(DType type) {
  return opencl_type(type) != nullptr;
}

bool is_literal(const View& view) {
  return view.constant && view.constant->count() == 1;
}

std::string opencl_float(double v) {
  if (v != v) return "NAN";
  if (v > 3.4028234663852886e38) return "INFINITY";
  if (v < -3.4028234663852886e38) return "(-INFINITY)";
  const std::string text = fmt::format("{:a}f", static_cast<float>(v));
  return text[0] == '-' ? "(" + text + ")" : text;
}

std::string opencl_integer(const Tensor& tensor) {
  const int64_t v = tensor.i64(0);
  const bool is_lowest = v == INT64_MIN;
  switch (tensor.dtype) {
    case DType::uint64:
      return fmt::format("{}ul", static_cast<uint64_t>(v));
    case DType::int64:
      return is_lowest ? "(-9223372036854775807l - 1)" : fmt::format("({}l)", v);
    case DType::uint32:
      return fmt::format("{}u", v);
    case DType::int32:
      return v == INT32_MIN ? "(-2147483647 - 1)" : fmt::format("({})", v);
    default:
      return fmt::format("(({}){})", opencl_type(tensor.dtype), v);
  }
}

std::string chain_code(const KernelCall& call, const std::vector<View>& operands, bool is_vector,
                       const std::vector<ChainLoad>& loads) {
  return ChainWriter(call, operands, is_vector, loads).write();
}

std::string stored_value(DType dtype, bool is_vector, const std::string& name) {
  if (dtype == DType::boolean)
    return is_vector ? fmt::format("convert_uchar4({} & 1)", name) : "(uchar)" + name;
  if (is_vector && !is_real(dtype)) return fmt::format("convert_{}4({})", opencl_type(dtype), name);
  return name;
}

}  // namespace macec
