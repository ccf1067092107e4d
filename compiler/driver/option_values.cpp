// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/option_values.h"

#include <algorithm>

#include "compiler/support/text.h"

namespace macec {
namespace {

// "NAME=VALUE", split at the last '=': names from models may have one.
std::pair<std::string, std::string> name_and_value(const char* flag, const std::string& text,
                                                   const char* form) {
  const size_t equal = text.rfind('=');
  if (equal == std::string::npos || equal == 0)
    throw UsageError(fmt::format("{} {} has no '='", flag, printable(text)),
                     fmt::format("its form is {} {}", flag, form));
  return {text.substr(0, equal), text.substr(equal + 1)};
}

constexpr int64_t kLargestExtent = INT32_MAX;

}  // namespace

SizeRange parse_size(const std::string& flag, const std::string& text, int64_t smallest) {
  const auto no_size = [&] {
    return UsageError(fmt::format("{}: '{}' is no size", flag, printable(text)),
                      "a size is a number, 8, or a range, 1..8 or 32..960:32");
  };
  SizeRange range;
  const size_t dots = text.find("..");
  if (dots == std::string::npos) {
    const auto one = parse_int(text);
    if (!one) throw no_size();
    range.lo = range.hi = *one;
  } else {
    const size_t colon = text.find(':', dots);
    const auto lo = parse_int(text.substr(0, dots));
    const auto hi =
        parse_int(text.substr(dots + 2, colon == std::string::npos ? colon : colon - dots - 2));
    const auto step =
        colon == std::string::npos ? std::optional<int64_t>(1) : parse_int(text.substr(colon + 1));
    if (!lo || !hi || !step) throw no_size();
    range = {*lo, *hi, *step};
  }
  if (range.lo < smallest)
    throw UsageError(
        fmt::format("{}: {} is less than {}, the smallest size", flag, range.lo, smallest));
  if (range.hi > kLargestExtent)
    throw UsageError(fmt::format("{}: {} is more than 2^31-1", flag, range.hi));
  if (range.hi < range.lo)
    throw UsageError(fmt::format("{}: the range {}..{} runs backwards", flag, range.lo, range.hi));
  if (range.step < 1)
    throw UsageError(fmt::format("{}: the step {} is less than 1", flag, range.step));
  if ((range.hi - range.lo) % range.step != 0)
    throw UsageError(
        fmt::format("{}: steps of {} from {} do not reach {}", flag, range.step, range.lo,
                    range.hi),
        fmt::format("the last size below it is {}", range.hi - (range.hi - range.lo) % range.step));
  return range;
}

void add_dim(Options& options, const std::string& value) {
  const auto [name, size] = name_and_value("--dim", value, "NAME=SIZE");
  const SizeRange range = parse_size("--dim " + name, size, 0);
  const auto [at, is_new] = options.import.dims.emplace(name, range);
  if (!is_new && !(at->second == range))
    throw UsageError(fmt::format("--dim gives '{}' two sizes", printable(name)));
}

void add_shape(Options& options, const std::string& value) {
  const auto [name, text] = name_and_value("--shape", value, "INPUT=1x3x224x224");
  std::vector<ShapeItem> items;
  std::vector<std::string> parts;
  if (!text.empty()) parts = split(text, text.find(',') != std::string::npos ? ',' : 'x');
  for (const std::string& part : parts) {
    ShapeItem item;
    item.text = part;
    if (part.empty())
      throw UsageError(
          fmt::format("--shape {}: an axis is empty in '{}'", printable(name), printable(text)));
    if (part == "?" || part == "-1") {
      item.kind = ShapeItem::as_declared;
    } else if (part[0] >= '0' && part[0] <= '9') {
      item.kind = ShapeItem::extent;
      item.size = parse_size("--shape " + name, part, 0);
    } else if (part[0] == '-') {
      throw UsageError(
          fmt::format("--shape {}: '{}' is no size", printable(name), printable(part)));
    } else {
      item.kind = ShapeItem::name;
    }
    items.push_back(item);
  }
  if (!options.import.shapes.emplace(name, items).second)
    throw UsageError(fmt::format("--shape is given twice for input '{}'", printable(name)));
}

void add_set(Options& options, const std::string& value) {
  const auto [name, text] = name_and_value("--set", value, "INPUT=VALUE");
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) {
    const auto number = part == "true"    ? std::optional<double>(1)
                        : part == "false" ? std::optional<double>(0)
                                          : parse_real(part);
    if (!number)
      throw UsageError(
          fmt::format("--set {}: '{}' is no number", printable(name), printable(part)));
    values.push_back(*number);
  }
  if (!options.import.sets.emplace(name, values).second)
    throw UsageError(fmt::format("--set is given twice for input '{}'", printable(name)));
}

void add_bounds(Options& options, const std::string& value) {
  for (const std::string& part : split(value, ',')) {
    const auto [name, size] = name_and_value("--bound", part, "VALUE=N");
    options.import.bounds[name] = parse_size("--bound " + name, size, 1).hi;
  }
}

void add_states(Options& options, const std::string& value) {
  for (const std::string& part : split(value, ','))
    options.states.push_back(name_and_value("--state", part, "INPUT=OUTPUT"));
}

void add_io_type(Options& options, const std::string& value) {
  for (const std::string& part : split(value, ',')) {
    const auto [name, type] = name_and_value("--io-type", part, "NAME=TYPE");
    const DTypeInfo* found = find_dtype(std::string_view(type));
    if (!found)
      throw UsageError(
          fmt::format("--io-type {}: there is no type '{}'", printable(name), printable(type)));
    options.import.io_types[name] = found->dtype;
  }
}

void add_place(Options& options, const std::string& value) {
  const auto [pattern, device] = name_and_value("--place", value, "NODE=cpu|gpu");
  one_of("--place", device, {"cpu", "gpu"});
  options.placing.rules.push_back({pattern, device == "gpu" ? Device::gpu : Device::cpu});
}

void add_fill(Options& options, const std::string& value) {
  const auto [name, text] = name_and_value("--fill", value, "INPUT=LO..HI");
  const size_t dots = text.find("..");
  const auto lo = parse_int(text.substr(0, dots));
  const auto hi = dots == std::string::npos ? lo : parse_int(text.substr(dots + 2));
  if (!lo || !hi || *lo > *hi)
    throw UsageError(fmt::format("--fill {}: '{}' is no range", printable(name), printable(text)));
  options.fills.push_back({name, {*lo, *hi}});
}

void add_names(std::vector<std::string>* names, const std::string& value) {
  for (const std::string& name : split(value, ','))
    if (!name.empty()) names->push_back(name);
}

int number(const char* flag, const std::string& value, int lo, int hi) {
  const auto parsed = parse_int(value);
  if (!parsed || *parsed < lo || *parsed > hi)
    throw UsageError(
        fmt::format("{}: '{}' is no number from {} to {}", flag, printable(value), lo, hi));
  return static_cast<int>(*parsed);
}

double real(const char* flag, const std::string& value) {
  const auto parsed = parse_real(value);
  if (!parsed || !(*parsed >= 0))
    throw UsageError(fmt::format("{}: '{}' is no number of at least 0", flag, printable(value)));
  return *parsed;
}

std::string one_of(const char* flag, const std::string& value,
                   const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return value;
  const std::string near = nearest(value, allowed);
  throw UsageError(fmt::format("{} has no value '{}'{}", flag, printable(value),
                               near.empty() ? "" : fmt::format("; did you mean {}?", near)),
                   fmt::format("its values are {}", join(allowed, ", ")));
}

}  // namespace macec
