// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One pass over the chain: operands are loaded at their first use, every step is one line, results
// are stored at the end.
#include "compiler/emit/expression.h"

#include <algorithm>

#include "compiler/ops/elementwise.h"

namespace macec {
namespace {

class Writer {
 public:
  Writer(const KernelCall& call, bool is_epilogue) : call_(call), is_epilogue_(is_epilogue) {
    operands_ = is_epilogue ? &call.epilogue_inputs : &call.inputs;
    loaded_.resize(operands_->size());
    std::vector<DType> types;
    for (const View& view : *operands_) types.push_back(view.dtype);
    const DType main = is_epilogue ? DType::float32 : DType::undefined;
    is_vector_ = has_vector_form(call.epilogue, types, main,
                                 is_epilogue ? std::vector<int>{} : call.results);
    MACEC_CHECK(is_vector_ || !is_epilogue, "a chain without a vector form became an epilogue");
  }

  FunctorText write() {
    std::vector<std::string> names;
    for (size_t s = 0; s < call_.epilogue.size(); ++s) {
      const PointwiseStep& step = call_.epilogue[s];
      std::vector<std::string> args;
      std::vector<DType> types;
      for (const StepArg& arg : step.args)
        args.push_back(argument(arg)), types.push_back(type_of(arg));
      line(value_type(step.dtype), fmt::format("v{}", s),
           step_code(step, static_cast<int>(s), args, types));
      if (names.empty() || names.back() != step.op) names.push_back(step.op);
    }
    if (is_epilogue_)
      code_ += fmt::format("    return v{};\n", call_.epilogue.size() - 1);
    else
      store_results();
    for (size_t i = 0; i < names.size(); ++i) {
      if (i < 3) text_.stem += names[i];
      text_.summary += (i ? ", " : "") + names[i];
    }
    text_.body = struct_body();
    return std::move(text_);
  }

 private:
  DType type_of(const StepArg& arg) const {
    const auto i = static_cast<size_t>(arg.index);
    if (arg.kind == StepArg::result) return DType::float32;
    return arg.kind == StepArg::step ? call_.epilogue[i].dtype : (*operands_)[i].dtype;
  }
  // Of a local variable.
  std::string value_type(DType t) const {
    if (!is_vector_) return compute_type(t);
    return t == DType::boolean ? "typename Lanes<V>::Mask" : "V";
  }
  void line(const std::string& type, const std::string& name, const std::string& expression) {
    code_ += fmt::format("    const {} {} = {};\n", type, name, expression);
  }
  void need(const char* header) {
    auto& list = text_.headers;
    if (header && std::find(list.begin(), list.end(), header) == list.end()) list.push_back(header);
  }
  std::string member(FunctorMember::Kind kind, std::string type, std::string name, int operand) {
    text_.members.push_back({kind, std::move(type), name, operand, Dim(0), ""});
    return name;
  }

  std::string argument(const StepArg& arg) {
    if (arg.kind == StepArg::result) return "v";
    if (arg.kind == StepArg::step) return fmt::format("v{}", arg.index);
    const auto i = static_cast<size_t>(arg.index);
    const std::string local = fmt::format("x{}", i);
    if (!loaded_[i]) {
      loaded_[i] = true;
      const View& view = (*operands_)[i];
      line(value_type(view.dtype), local, operand_code(view, arg.index));
    }
    return local;
  }

  // An operand: a number that the step sets, or memory.
  std::string operand_code(const View& view, int i) {
    if (view.constant && view.constant->count() == 1) {
      const std::string type = compute_type(view.dtype);
      const std::string name = member(FunctorMember::value, type, fmt::format("c{}", i), i);
      text_.members.back().text = literal(*view.constant, 0);
      if (!is_vector_) return name;
      if (view.dtype == DType::boolean)
        return fmt::format("(splat<V>({} ? 1.0f : 0.0f) != splat<V>(0.0f))", name);
      return is_number(view.dtype) ? fmt::format("splat<V>({})", name)
                                   : fmt::format("splat<V>(static_cast<float>({}))", name);
    }
    if (is_packed(view.dtype)) return packed_code(view, i);
    const std::string pointer = member(
        FunctorMember::input, "const " + storage_type(view.dtype) + "*", fmt::format("a{}", i), i);
    return is_epilogue_ ? epilogue_load(view, pointer, i) : pointwise_load(view, pointer, i);
  }

  std::string as_mask(const View& view, std::string numbers) const {
    return view.dtype == DType::boolean ? "(" + numbers + " != splat<V>(0.0f))" : numbers;
  }

  std::string epilogue_load(const View& view, std::string place, int i) {
    const Dim& row = call_.epilogue_row_strides[static_cast<size_t>(i)];
    if (row != Dim(0)) {
      place += fmt::format(" + row * {}",
                           member(FunctorMember::stride, "int64_t", fmt::format("r{}", i), i));
      text_.members.back().extent = row;
      uses_row_ = true;
    }
    if (call_.epilogue_col_strides[static_cast<size_t>(i)] == 0)
      return as_mask(view, fmt::format("splat<V>(scalar_of({}))", place));
    uses_column_ = uses_lanes_ = true;
    return as_mask(view, fmt::format("load<V>({} + col, n)", place));
  }

  // Stride of operand o along the innermost axis; 1 where there is only one element.
  Dim inner_stride(int o) const {
    const auto& params = std::get<PointwiseParamsT<Dim>>(call_.params);
    return params.rank == 0 ? Dim(1) : params.stride[o][params.rank - 1];
  }
  // " + offset[o] + i * s": where element i of operand o is. stride: the member, or "0", "1".
  std::string place_of(int o, const char* prefix, int index, std::string* stride) {
    uses_offset_ = true;
    const Dim inner = inner_stride(o);
    std::string place = fmt::format("offset[{}]", o);
    *stride = inner.text();
    if (inner == Dim(0)) return place;
    uses_index_ = true;
    if (inner == Dim(1)) return place + " + i";
    *stride = member(FunctorMember::stride, "int64_t", fmt::format("{}{}", prefix, index), index);
    text_.members.back().extent = inner;
    return fmt::format("{} + i * {}", place, *stride);
  }
  std::string pointwise_load(const View& view, const std::string& pointer, int i) {
    std::string stride;
    const std::string place = place_of(i, "s", i, &stride);
    if (!is_vector_) {
      if (is_half(view.dtype)) return fmt::format("scalar_of({} + {})", pointer, place);
      if (const char* format = float8_format(view.dtype)) {
        need("kernels/float8.h");
        return fmt::format("float8_to_float<{}>({}[{}])", format, pointer, place);
      }
      return fmt::format(view.dtype == DType::boolean ? "{}[{}] != 0" : "{}[{}]", pointer, place);
    }
    if (stride == "0")
      return as_mask(view, fmt::format("splat<V>(scalar_of({} + {}))", pointer, place));
    uses_lanes_ = true;
    if (stride == "1") return as_mask(view, fmt::format("load<V>({} + {}, n)", pointer, place));
    return as_mask(view, fmt::format("load_strided<V>({} + {}, {}, n)", pointer, place, stride));
  }
  std::string packed_code(const View& view, int i) {
    MACEC_CHECK(!is_vector_ && !is_epilogue_, "packed integers in a vector chain");
    const std::string pointer =
        member(FunctorMember::packed_input, "const uint8_t*", fmt::format("a{}", i), i);
    const std::string first =
        member(FunctorMember::first_element, "int64_t", fmt::format("f{}", i), i);
    text_.members.back().extent = view.offset;
    std::string stride;
    const std::string place = place_of(i, "s", i, &stride);
    return fmt::format("scalar_packed_{}<{}>({}, {} + {})",
                       info(view.dtype).is_signed ? "signed" : "unsigned", info(view.dtype).bits,
                       pointer, first, place);
  }

  std::string step_code(const PointwiseStep& step, int s, const std::vector<std::string>& args,
                        const std::vector<DType>& types) {
    const ElementwiseOp* op = find_elementwise(step.op);
    MACEC_CHECK(op, "no pointwise step is called {}", step.op);
    if (step.op == "Cast" || step.op == "Saturate")
      return is_vector_ ? vector_cast(step, args[0]) : scalar_cast(step, args[0], types[0]);
    std::vector<std::string> attributes;
    for (size_t k = 0; k < op->attributes.size(); ++k) {
      attributes.push_back(member(FunctorMember::value, "float", fmt::format("k{}_{}", s, k), -1));
      text_.members.back().text =
          float_literal(static_cast<double>(step_attribute(step, op->attributes[k])), false);
    }
    if (is_vector_) {
      need(op->header);
      return expand_step(op->vector_code, args, attributes, "V");
    }
    return expand_step(op->scalar_code, args, attributes, compute_type(types.back()));
  }
  static std::string vector_cast(const PointwiseStep& step, const std::string& x) {
    if (is_number(step.dtype)) return x;
    const DTypeInfo& type = info(step.dtype);
    const int lo = type.is_signed ? -(1 << (type.bits - 1)) : 0;
    const int hi = type.is_signed ? (1 << (type.bits - 1)) - 1 : (1 << type.bits) - 1;
    // A NaN becomes 0; storing truncates.
    return fmt::format(
        "min_fast(splat<V>({}.0f), max_fast(splat<V>({}.0f), select({} == {}, {}, "
        "splat<V>(0.0f))))",
        hi, lo, x, x, x);
  }
  std::string scalar_cast(const PointwiseStep& step, const std::string& x, DType from) {
    const DType to = step.dtype;
    if (to == DType::boolean) return from == DType::boolean ? x : fmt::format("{} != 0", x);
    if (is_half(to))
      return fmt::format("scalar_to_{}({})", to == DType::float16 ? "half" : "bfloat16", x);
    if (const char* format = float8_format(to)) {
      need("kernels/float8.h");
      const bool saturates = step_attribute(step, {"saturate", 1.0f}) != 0;
      return fmt::format("through_float8<{}>(scalar_round_odd({}), {})", format, x, saturates);
    }
    if (is_packed(to)) return packed_cast(step, x, from);
    if (from == DType::boolean) return fmt::format("static_cast<{}>({})", compute_type(to), x);
    return fmt::format("scalar_{}<{}>({})", step.op == "Cast" ? "cast" : "saturate",
                       compute_type(to), x);
  }

  // Computed as int8_t or uint8_t that hold the packed type's numbers: Cast keeps the low bits, Saturate limits.
  std::string packed_cast(const PointwiseStep& step, const std::string& x, DType from) {
    const DTypeInfo& type = info(step.dtype);
    const char* kind = type.is_signed ? "signed" : "unsigned";
    const std::string wide = from == DType::boolean ? fmt::format("static_cast<int64_t>({})", x)
                                                    : fmt::format("scalar_cast<int64_t>({})", x);
    return fmt::format("scalar_{}_{}<{}>({})", step.op == "Cast" ? "wrap" : "limit", kind,
                       type.bits, wide);
  }

  void store_results() {
    const int inputs = static_cast<int>(call_.inputs.size());
    for (size_t o = 0; o < call_.results.size(); ++o) {
      const int index = static_cast<int>(o);
      const DType dtype = call_.outputs[o].dtype;
      const std::string value = fmt::format("v{}", call_.results[o]);
      if (is_packed(dtype)) {
        code_ += packed_store(call_.outputs[o], inputs + index, index, value);
        continue;
      }
      const std::string pointer =
          member(FunctorMember::output, storage_type(dtype) + "*", fmt::format("y{}", o), index);
      std::string stride;
      const std::string place = pointer + " + " + place_of(inputs + index, "t", index, &stride);
      code_ += "    " +
               (is_vector_ ? vector_store(dtype, place, stride, value)
                           : scalar_store(dtype, place, value)) +
               ";\n";
    }
  }
  // Elements of one byte must be written in order by one worker: see lower_elementwise.
  std::string packed_store(const View& view, int o, int index, const std::string& value) {
    const std::string pointer =
        member(FunctorMember::output, "uint8_t*", fmt::format("y{}", index), index);
    const std::string first =
        member(FunctorMember::first_element, "int64_t", fmt::format("g{}", index), index);
    text_.members.back().extent = view.offset;
    std::string stride;
    const std::string place = place_of(o, "t", index, &stride);
    return fmt::format("    scalar_put_packed<{}>({}, {} + {}, {});\n", info(view.dtype).bits,
                       pointer, first, place, value);
  }
  std::string vector_store(DType dtype, const std::string& place, const std::string& stride,
                           std::string value) {
    uses_lanes_ = true;
    if (dtype == DType::boolean)
      value = fmt::format("select({}, splat<V>(1.0f), splat<V>(0.0f))", value);
    if (stride == "1") return fmt::format("store({}, {}, n)", place, value);
    return fmt::format("store_strided({}, {}, {}, n)", place, stride, value);
  }
  std::string scalar_store(DType dtype, const std::string& place, const std::string& value) {
    if (const char* format = float8_format(dtype)) {
      need("kernels/float8.h");  // the value is one of the format's numbers already
      return fmt::format("*({}) = float_to_float8<{}>({}, false)", place, format, value);
    }
    if (is_half(dtype)) return fmt::format("store({}, {}, Full{{}})", place, value);
    return fmt::format(dtype == DType::boolean ? "*({}) = {} ? 1 : 0" : "*({}) = {}", place, value);
  }

  std::string struct_body() {
    std::string body = "{\n";
    if (!is_epilogue_) {
      body += fmt::format(
          "  static constexpr bool kVector = {};\n  static constexpr int kOperands = {};\n",
          is_vector_, call_.inputs.size() + call_.outputs.size());
    }
    if (!is_vector_) need("kernels/scalar.h");
    if (is_epilogue_ && !text_.headers.empty())
      body += "  [[maybe_unused]] static constexpr bool kIsLarge = true;\n";
    for (const FunctorMember& m : text_.members) body += fmt::format("  {} {};\n", m.type, m.name);
    auto parameter = [](const char* type, const char* name, bool is_used) {
      return is_used ? fmt::format("{} {}", type, name) : type;
    };
    body += "  template <class V, class N>\n";
    if (is_epilogue_) {
      body +=
          fmt::format("  MACEC_INLINE V operator()(V v, {}, {}, {}) const {{\n",
                      parameter("int64_t", "row", uses_row_),
                      parameter("int64_t", "col", uses_column_), parameter("N", "n", uses_lanes_));
      const bool reads_main =
          std::any_of(call_.epilogue.begin(), call_.epilogue.end(), [](const PointwiseStep& step) {
            return std::any_of(step.args.begin(), step.args.end(),
                               [](const StepArg& a) { return a.kind == StepArg::result; });
          });
      MACEC_CHECK(reads_main, "an epilogue that does not read the main result");
    } else {
      body += fmt::format("  MACEC_INLINE void at({}, {}, {}) const {{\n",
                          parameter("const int64_t*", "offset", uses_offset_),
                          parameter("int64_t", "i", uses_index_), parameter("N", "n", uses_lanes_));
    }
    return body + code_ + "  }\n}";
  }

  const KernelCall& call_;
  bool is_epilogue_, is_vector_ = false;
  const std::vector<View>* operands_;
  std::vector<char> loaded_;
  std::string code_;
  FunctorText text_;
  bool uses_row_ = false, uses_column_ = false, uses_lanes_ = false, uses_offset_ = false,
       uses_index_ = false;
};

}  // namespace

FunctorText epilogue_functor(const KernelCall& call) {
  MACEC_CHECK(!call.epilogue.empty(), "no epilogue");
  return Writer(call, true).write();
}

FunctorText pointwise_functor(const KernelCall& call) {
  return Writer(call, false).write();
}

}  // namespace macec
