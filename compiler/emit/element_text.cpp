// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/element_text.h"

#include <cctype>
#include <cmath>

#include "compiler/support/error.h"

namespace macec {

static std::string with_point(std::string digits) {
  return digits.find_first_of(".en") == std::string::npos ? digits + ".0" : digits;
}

bool is_half(DType t) {
  return t == DType::float16 || t == DType::bfloat16;
}
bool is_number(DType t) {
  return t == DType::float32 || is_half(t);
}
const char* float8_format(DType t) {
  switch (t) {
    case DType::float8e4m3fn:
      return "Float8e4m3fn";
    case DType::float8e4m3fnuz:
      return "Float8e4m3fnuz";
    case DType::float8e5m2:
      return "Float8e5m2";
    case DType::float8e5m2fnuz:
      return "Float8e5m2fnuz";
    default:
      return nullptr;
  }
}
bool is_packed(DType t) {
  return info(t).is_integer && info(t).bits < 8;
}

std::string storage_type(DType t) {
  if (is_packed(t) || float8_format(t)) return "uint8_t";
  const char* type = info(t).c_type;
  if (type[0] == 0)
    throw user_error("computing with {} in generated code is not supported", name(t));
  return type;
}

std::string float_literal(double v, bool is_double) {
  if (std::isnan(v)) return is_double ? "static_cast<double>(NAN)" : "NAN";
  const char* infinity = v < 0 ? "-INFINITY" : "INFINITY";
  if (std::isinf(v)) return is_double ? fmt::format("static_cast<double>({})", infinity) : infinity;
  return is_double ? with_point(fmt::format("{}", v))
                   : with_point(fmt::format("{}", static_cast<float>(v))) + "f";
}

std::string expand_step(std::string_view code, const std::vector<std::string>& args,
                        const std::vector<std::string>& attributes, const std::string& type) {
  std::string out;
  auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == '{') {
      const size_t end = code.find('}', i);
      const bool is_attribute = code[i + 1] == 'k';
      const int index = code[end - 1] - '0';
      out += (is_attribute ? attributes : args)[static_cast<size_t>(index)];
      i = end;
    } else if (code[i] == 'T' && (i == 0 || !is_word(code[i - 1])) &&
               (i + 1 == code.size() || !is_word(code[i + 1]))) {
      out += type;
    } else {
      out += code[i];
    }
  }
  return out;
}

std::string compute_type(DType dtype) {
  if (dtype == DType::boolean) return "bool";
  if (is_half(dtype) || float8_format(dtype)) return "float";
  if (is_packed(dtype)) return info(dtype).is_signed ? "int8_t" : "uint8_t";
  return storage_type(dtype);
}

std::string literal(const Tensor& tensor, int64_t i) {
  const DTypeInfo& type = info(tensor.dtype);
  if (tensor.dtype == DType::boolean) return tensor.i64(i) != 0 ? "true" : "false";
  if (type.is_float) return float_literal(tensor.f64(i), tensor.dtype == DType::float64);
  const int64_t v = tensor.i64(i);
  if (tensor.dtype == DType::uint64) return fmt::format("{}u", static_cast<uint64_t>(v));
  if (v == INT64_MIN) return "INT64_MIN";
  if (v == INT32_MIN) return "INT32_MIN";
  return fmt::format("{}", v);
}

}  // namespace macec
