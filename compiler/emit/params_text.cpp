// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/params_text.h"

#include <algorithm>
#include <cmath>

namespace macec {

std::string SymbolNames::operator()(const Dim& extent) {
  return extent.code([&](const Symbol& symbol) {
    const std::string name = identifier(symbol);
    if (std::find(used.begin(), used.end(), name) == used.end()) used.push_back(name);
    return name;
  });
}

namespace {

std::string with_point(std::string digits) {
  if (digits.find_first_of(".e") == digits.npos) digits += ".0";
  return digits;
}

// Prints the fields of one struct in order. Arrays lose their trailing zeros, so unused axes do not
// show.
struct FieldPrinter {
  SymbolNames& names;
  bool is_constant = true;
  std::string text;

  std::string value(int v) { return fmt::format("{}", v); }
  std::string value(float v) { return float_text(v); }
  std::string value(const Dim& v) {
    is_constant = is_constant && v.is_fixed();
    return names(v);
  }
  template <class T, size_t N>
  std::string value(const T (&array)[N]) {
    size_t used = N;
    while (used > 1 && is_zero(array[used - 1])) --used;
    std::string s;
    for (size_t i = 0; i < used; ++i) s += (i ? ", " : "") + value(array[i]);
    return "{" + s + "}";
  }
  static bool is_zero(int v) { return v == 0; }
  static bool is_zero(float v) { return v == 0.0f; }
  static bool is_zero(const Dim& v) { return v == Dim(0); }
  template <class T, size_t N>
  static bool is_zero(const T (&array)[N]) {
    return std::all_of(array, array + N, [](const T& v) { return is_zero(v); });
  }

  template <class T>
  void operator()(const char*, const T& field) {
    text += (text.empty() ? "" : ", ") + value(field);
  }
};

struct TypeName {
  std::string operator()(const std::monostate&) const { return ""; }
  std::string operator()(const ConvParamsT<Dim>&) const { return "ConvParams"; }
  std::string operator()(const GemmParamsT<Dim>&) const { return "GemmParams"; }
  std::string operator()(const PoolParamsT<Dim>&) const { return "PoolParams"; }
  std::string operator()(const PointwiseParamsT<Dim>&) const { return "PointwiseParams"; }
  std::string operator()(const CopyParamsT<Dim>&) const { return "CopyParams"; }
  std::string operator()(const FillParamsT<Dim>&) const { return "FillParams"; }
  std::string operator()(const ReduceParamsT<Dim>&) const { return "ReduceParams"; }
  std::string operator()(const SoftmaxParamsT<Dim>&) const { return "SoftmaxParams"; }
  std::string operator()(const NormParamsT<Dim>&) const { return "NormParams"; }
  std::string operator()(const GatherParamsT<Dim>&) const { return "GatherParams"; }
  std::string operator()(const GatherNestParamsT<Dim>&) const { return "GatherNestParams"; }
  std::string operator()(const IotaParamsT<Dim>&) const { return "IotaParams"; }
  std::string operator()(const PadParamsT<Dim>&) const { return "PadParams"; }
  std::string operator()(const ResizeParamsT<Dim>&) const { return "ResizeParams"; }
  std::string operator()(const ChannelNormParamsT<Dim>&) const { return "ChannelNormParams"; }
  std::string operator()(const RecurrentParamsT<Dim>&) const { return "RecurrentParams"; }
  std::string operator()(const LineParamsT<Dim>&) const { return "LineParams"; }
  std::string operator()(const PickParamsT<Dim>&) const { return "PickParams"; }
  std::string operator()(const GridSampleParamsT<Dim>&) const { return "GridSampleParams"; }
  std::string operator()(const AttentionParamsT<Dim>&) const { return "AttentionParams"; }
  std::string operator()(const RoiParamsT<Dim>&) const { return "RoiParams"; }
  std::string operator()(const ColumnsParamsT<Dim>&) const { return "ColumnsParams"; }
  std::string operator()(const DftParamsT<Dim>&) const { return "DftParams"; }
};

struct Initializer {
  SymbolNames& names;
  bool* is_constant;
  std::string operator()(const std::monostate&) const { return ""; }
  template <class P>
  std::string operator()(const P& params) const {
    FieldPrinter printer{names, true, ""};
    P::each(params, [&](const char* name, const auto& field) { printer(name, field); });
    *is_constant = printer.is_constant;
    return "{" + printer.text + "}";
  }
};

}  // namespace

ParamsText params_text(const CallParams& params, SymbolNames& names) {
  ParamsText text;
  text.type = std::visit(TypeName{}, params);
  text.initializer = std::visit(Initializer{names, &text.is_constant}, params);
  return text;
}

std::string float_text(float value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return with_point(fmt::format("{}", value)) + "f";
}
std::string double_text(double value) {
  if (std::isnan(value)) return "static_cast<double>(NAN)";
  if (std::isinf(value))
    return fmt::format("static_cast<double>({}INFINITY)", value < 0 ? "-" : "");
  return with_point(fmt::format("{}", value));
}

}  // namespace macec
