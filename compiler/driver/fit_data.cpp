// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/fit_data.h"

#include <algorithm>
#include <cmath>

#include "compiler/support/text.h"

namespace macec {
namespace {

// Sets *is_exact to false if an element changes.
Tensor converted(const Tensor& from, DType dtype, bool* is_exact) {
  Tensor to(dtype, from.shape);
  for (int64_t i = 0; i < from.count(); ++i) {
    const double real = from.f64(i);
    if (info(dtype).is_float)
      to.set_f64(i, real);
    else if (!info(from.dtype).is_float)
      to.set_i64(i, from.i64(i));
    else  // a number that int64 has; what is none of an input's values is 0
      to.set_i64(i, std::fabs(real) < 9e18 ? static_cast<int64_t>(real) : 0);
    const bool is_same = info(from.dtype).is_float || info(dtype).is_float
                             ? to.f64(i) == real || (std::isnan(real) && std::isnan(to.f64(i)))
                             : to.i64(i) == from.i64(i);
    *is_exact = *is_exact && is_same;
  }
  return to;
}

// False: an input has other values now.
bool apply_io_types(const std::map<std::string, DType>& types, DataSet* set) {
  bool is_exact = true;
  for (const auto& [name, dtype] : types) {
    bool is_rounded = false;
    if (const auto in = set->inputs.find(name); in != set->inputs.end())
      in->second = converted(in->second, dtype, &is_exact);
    if (const auto out = set->outputs.find(name); out != set->outputs.end())
      out->second = converted(out->second, dtype, &is_rounded);
  }
  return is_exact;
}

// Whether --set gives an input the values that were recorded.
bool has_values(const Tensor& tensor, const std::vector<double>& values) {
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const size_t at = values.size() == 1 ? 0 : static_cast<size_t>(i);
    if (at >= values.size() || tensor.f64(i) != values[at]) return false;
  }
  return true;
}

// The first name that was not recorded, or "".
std::string lacking(const std::vector<std::string>& names,
                    const std::map<std::string, Tensor>& recorded) {
  for (const std::string& name : names)
    if (!recorded.count(name)) return name;
  return "";
}

}  // namespace

std::string fit_to_flags(const ImportOptions& flags, DataSet* set) {
  if (const std::string name = lacking(flags.inputs, set->inputs); !name.empty()) {
    set->inputs.clear();
    set->outputs.clear();
    return fmt::format("the data has not '{}', which --inputs names", printable(name));
  }
  std::string why;
  if (!apply_io_types(flags.io_types, set)) why = "--io-type changes values of the recorded inputs";
  for (const auto& [name, values] : flags.sets) {
    const auto at = set->inputs.find(name);
    if (at != set->inputs.end() && !has_values(at->second, values))
      why = fmt::format("--set gives '{}' another value than the data", printable(name));
  }
  if (set->outputs.empty()) return why;
  if (const std::string name = lacking(flags.outputs, set->outputs); !name.empty())
    why = fmt::format("the data has not '{}', which --outputs names", printable(name));
  if (!why.empty()) set->outputs.clear();
  return why;
}

}  // namespace macec
