// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/inputs.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int64_t kLargestExtent = INT32_MAX;

// One axis after --shape was applied: a given extent, or a name to look up.
struct Axis {
  bool has_extent = false;
  SizeRange extent;
  std::string name;  // of the dimension; empty: none
};

std::string quoted_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", printable(name)));
  return join(quoted, ", ");
}

class Resolver {
 public:
  Resolver(const std::vector<DeclaredValue>& declared, const ImportOptions& options,
           Diagnostics& diag)
      : declared_(declared), options_(options), diag_(diag), dims_(options.dims) {}

  ImportInputs run() {
    for (const auto& [name, items] : options_.shapes) check_input_name(name, "--shape");
    for (const auto& [name, values] : options_.sets) check_input_name(name, "--set");
    for (const DeclaredValue& value : declared_) axes_.push_back(axes_of(value));
    check_dim_names();
    report_missing();
    ImportInputs result;
    for (size_t i = 0; i < declared_.size(); ++i) add_input(declared_[i], axes_[i], &result);
    return result;
  }

 private:
  void check_input_name(const std::string& name, const char* flag) {
    std::vector<std::string> names;
    for (const DeclaredValue& value : declared_) names.push_back(value.name);
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    UserError error =
        user_error("the model has no input '{}', which {} names", printable(name), flag);
    const std::string near = nearest(name, names);
    error.hint(near.empty() ? "its inputs are " + quoted_list(names)
                            : fmt::format("did you mean '{}'?", printable(near)));
    diag_.add(error);
  }

  std::vector<Axis> axes_of(const DeclaredValue& value) {
    std::vector<Axis> axes;
    const auto given = options_.shapes.find(value.name);
    const bool is_given = given != options_.shapes.end();
    if (is_given && value.has_shape && given->second.size() != value.dims.size()) {
      diag_.add(user_error("--shape gives input '{}' {} axes, but the model declares {}",
                           printable(value.name), given->second.size(), value.dims.size())
                    .at(fmt::format("input '{}' {}", printable(value.name), text(value))));
      return axes;
    }
    const size_t rank = is_given ? given->second.size() : value.dims.size();
    for (size_t i = 0; i < rank; ++i) {
      const DeclaredDim dim = i < value.dims.size() ? value.dims[i] : DeclaredDim();
      axes.push_back(axis_of(value, i, dim, is_given ? given->second[i] : ShapeItem()));
    }
    return axes;
  }

  Axis axis_of(const DeclaredValue& value, size_t i, const DeclaredDim& dim,
               const ShapeItem& item) {
    Axis axis;
    axis.name = dim.size >= 0 ? "" : dim.name;
    switch (item.kind) {
      case ShapeItem::as_declared:
        if (dim.size >= 0) {
          axis.has_extent = true;
          axis.extent = {dim.size, dim.size, 1};
        }
        return axis;
      case ShapeItem::name:
        axis.name = item.text;
        return axis;
      case ShapeItem::extent:
        axis.has_extent = true;
        axis.extent = item.size;
        if (!axis.name.empty())
          agree(axis.name, item.size, value.name);
        else if (item.size.lo != item.size.hi)
          axis.name = fresh_dim_name(value, i);
        return axis;
    }
    return axis;
  }

  std::string fresh_dim_name(const DeclaredValue& value, size_t axis) const {
    std::string name = fmt::format("{}_{}", value.name, axis);
    const auto has_dim = [&](const DeclaredValue& v) {
      return std::any_of(v.dims.begin(), v.dims.end(),
                         [&](const DeclaredDim& d) { return d.name == name; });
    };
    while (std::any_of(declared_.begin(), declared_.end(), has_dim)) name += "_";
    return name;
  }

  // A size given for one input holds wherever the dimension stands.
  void agree(const std::string& name, const SizeRange& size, const std::string& input) {
    const auto [at, is_new] = dims_.emplace(name, size);
    if (is_new || at->second == size) return;
    diag_.add(user_error("dimension '{}' has two sizes: --shape gives another one for input '{}'",
                         printable(name), printable(input)));
  }

  void check_dim_names() {
    std::vector<std::string> names;
    for (const auto& axes : axes_)
      for (const Axis& axis : axes)
        if (!axis.name.empty() && std::find(names.begin(), names.end(), axis.name) == names.end())
          names.push_back(axis.name);
    for (const auto& [name, extent] : options_.dims) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      UserError error = user_error("the model has no dimension '{}'", printable(name));
      const std::string near = nearest(name, names);
      if (!near.empty()) {
        error.hint(fmt::format("did you mean '{}'?", printable(near)));
        dims_.emplace(near, extent);  // one cause, one error
      } else if (names.empty())
        error.hint("all its dimensions have a size; --shape changes one");
      else
        error.hint("its dimensions are " + quoted_list(names));
      diag_.add(error);
    }
  }

  bool is_missing(const Axis& axis) const { return !axis.has_extent && !dims_.count(axis.name); }

  // One error for each name, whatever the number of inputs that have it; one for each input's axes without a name.
  void report_missing() {
    std::vector<std::string> reported;
    for (size_t i = 0; i < declared_.size(); ++i) {
      const DeclaredValue& value = declared_[i];
      if (std::string_view(value.kind) != "a tensor") {
        diag_.add(
            user_error("input '{}' is no tensor but {}, which is not supported",
                       printable(value.name), value.kind)
                .hint("a model's inputs and outputs must be tensors; --inputs begins behind"));
      } else if (value.dtype == DType::undefined) {
        diag_.add(
            user_error("input '{}' is no tensor with a known element type; that is not supported",
                       printable(value.name)));
      } else if (value.dtype == DType::string || value.dtype == DType::complex64 ||
                 value.dtype == DType::complex128) {
        diag_.add(user_error("input '{}' is of type {}, which is not supported",
                             printable(value.name), name(value.dtype))
                      .hint("--inputs begins behind"));
      } else if (!value.has_shape && !options_.shapes.count(value.name)) {
        if (!options_.sets.count(value.name)) report_no_shape(value);
      }
      std::vector<size_t> unnamed;
      for (size_t axis = 0; axis < axes_[i].size(); ++axis) {
        const Axis& a = axes_[i][axis];
        if (!is_missing(a)) continue;
        if (a.name.empty())
          unnamed.push_back(axis);
        else if (std::find(reported.begin(), reported.end(), a.name) == reported.end()) {
          reported.push_back(a.name);
          report_name(a.name);
        }
      }
      if (!unnamed.empty()) report_axes(value, axes_[i], unnamed);
    }
  }

  void report_no_shape(const DeclaredValue& value) {
    diag_.add(user_error("input '{}' has no shape", printable(value.name))
                  .at(fmt::format("input '{}' {}", printable(value.name), name(value.dtype)))
                  .hint(fmt::format("give it one: --shape {}=1x3x224x224", printable(value.name))));
  }

  static int64_t example_size(size_t axis, size_t rank) {
    return axis == 0 ? 1 : rank == 4 && axis == 1 ? 3 : rank == 4 ? 224 : 128;
  }

  // A range first; then a size, and a larger one for models that shrink it below 1.
  static std::vector<Cure> ways_for(const std::string& dim, size_t axis, int64_t size) {
    if (axis == 0) return {{"--dim", dim + "=1"}};
    return {{"--dim", fmt::format("{}=1..{}", dim, size)},
            {"--dim", fmt::format("{}={}", dim, size)},
            {"--dim", fmt::format("{}={}", dim, 4 * size)}};
  }

  // As ways_for, of an axis without a name: the size of the first example, or of a second.
  static int64_t example_size(size_t axis, size_t rank, bool is_second) {
    if (!is_second) return example_size(axis, rank);
    return axis + 1 == rank ? 4 * example_size(axis, rank) : 1;
  }

  // "x=1x3x224x224", with sizes for the axes that have none.
  static std::string example_shape(const std::string& input, const std::vector<Axis>& axes,
                                   const std::vector<size_t>& unnamed, bool is_second) {
    std::vector<std::string> items;
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool is_fixed = axes[i].has_extent && axes[i].extent.lo == axes[i].extent.hi;
      if (std::find(unnamed.begin(), unnamed.end(), i) != unnamed.end())
        items.push_back(std::to_string(example_size(i, axes.size(), is_second)));
      else
        items.push_back(is_fixed ? std::to_string(axes[i].extent.lo) : "?");
    }
    return fmt::format("{}={}", input, join(items, "x"));
  }

  void report_name(const std::string& dim) {
    std::vector<std::string> places;
    size_t first_axis = 0, rank = 0;
    bool same_axis = true, is_first = true;
    for (size_t i = 0; i < declared_.size(); ++i)
      for (size_t axis = 0; axis < axes_[i].size(); ++axis) {
        if (axes_[i][axis].name != dim || !is_missing(axes_[i][axis])) continue;
        places.push_back(fmt::format("'{}' {}", printable(declared_[i].name), text(declared_[i])));
        same_axis = same_axis && (is_first || axis == first_axis);
        if (is_first) first_axis = axis, rank = axes_[i].size();
        is_first = false;
      }
    places.erase(std::unique(places.begin(), places.end()), places.end());
    constexpr size_t kMostPlaces = 4;
    const size_t more = places.size() > kMostPlaces ? places.size() - kMostPlaces : 0;
    const std::string inputs = places.size() == 1 ? "input " : "inputs ";
    places.resize(places.size() - more);
    std::string where = inputs + join(places, ", ");
    if (more) where += fmt::format(" and {} more", more);
    if (same_axis) where += fmt::format(", axis {}", first_axis);
    const int64_t size = example_size(first_axis, rank);
    const int64_t largest = first_axis == 0 ? 8 : size;
    const std::string flag = shell_quoted(dim);
    diag_.add(
        user_error("dimension '{}' has no size", printable(dim))
            .at(where)
            .hint(fmt::format(
                "one size: --dim {0}={1}; a range the app picks from at run time: --dim {0}=1..{2}",
                flag, size, largest))
            .cure(ways_for(dim, first_axis, size)));
  }

  void report_axes(const DeclaredValue& value, const std::vector<Axis>& axes,
                   const std::vector<size_t>& unnamed) {
    std::vector<std::string> which;
    for (const size_t axis : unnamed) which.push_back(std::to_string(axis));
    const std::string first = example_shape(value.name, axes, unnamed, false);
    diag_.add(user_error("{} {} of input '{}' {} no size", which.size() == 1 ? "axis" : "axes",
                         join(which, ", "), printable(value.name),
                         which.size() == 1 ? "has" : "have")
                  .at(fmt::format("input '{}' {}", printable(value.name), text(value)))
                  .hint(fmt::format("give the whole shape: --shape {}; a size may be a range, 1..8",
                                    shell_quoted(first)))
                  .cure({{"--shape", first},
                         {"--shape", example_shape(value.name, axes, unnamed, true)}}));
  }

  Dim dim_of(const Axis& axis, ImportInputs* result) {
    const auto named = dims_.find(axis.name);
    const SizeRange extent = axis.has_extent        ? axis.extent
                             : named != dims_.end() ? named->second
                                                    : SizeRange();
    if (extent.hi > kLargestExtent)
      throw user_error("an extent of {} is more than 2^31-1, which is not supported", extent.hi);
    if (extent.lo == extent.hi) return Dim(extent.lo);
    for (const auto& symbol : result->symbols)
      if (symbol->name == axis.name) return Dim::symbol(symbol);
    auto symbol = std::make_shared<Symbol>();
    symbol->name = axis.name;
    symbol->lo = extent.lo;
    symbol->hi = extent.hi;
    symbol->step = extent.step;
    result->symbols.push_back(symbol);
    return Dim::symbol(symbol);
  }

  void add_input(const DeclaredValue& value, const std::vector<Axis>& axes, ImportInputs* result) {
    try {
      ImportInput input;
      input.name = value.name;
      input.type.dtype = value.dtype;
      for (const Axis& axis : axes) input.type.shape.push_back(dim_of(axis, result));
      const auto exact = options_.constants.find(value.name);
      if (exact != options_.constants.end() && exact->second.dtype == value.dtype)
        input.constant = std::make_shared<const Tensor>(exact->second);
      const auto set = options_.sets.find(value.name);
      if (set != options_.sets.end() && value.dtype != DType::undefined)
        set_constant(set->second, &input);
      result->inputs.push_back(std::move(input));
    } catch (const UserError& error) {
      diag_.add(error, fmt::format("input '{}' {}", printable(value.name), text(value)));
    }
  }

  // One value fills the whole input; several are its elements.
  static void set_constant(const std::vector<double>& values, ImportInput* input) {
    if (!is_fixed(input->type.shape))
      throw user_error("--set needs an input of fixed size")
          .hint("fix its size with --dim or --shape");
    constexpr int64_t kMostElements = 1 << 24;
    const Dim count = input->type.count();
    if (count.value() > kMostElements)
      throw user_error("--set can fill up to {} elements", kMostElements);
    Tensor tensor(input->type.dtype, fixed(input->type.shape));
    if (values.size() != 1 && static_cast<int64_t>(values.size()) != tensor.count())
      throw user_error("--set gives {} values, but the input has {} elements", values.size(),
                       tensor.count());
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const double v = values[values.size() == 1 ? 0 : static_cast<size_t>(i)];
      constexpr double kExact =
          9007199254740992.0;  // 2^53: larger ones are no longer the numbers that were typed
      if (!info(tensor.dtype).is_float && (!(std::fabs(v) <= kExact) || v != std::floor(v)))
        throw user_error("--set gives {}, and the input takes integers up to 2^53", v);
      info(tensor.dtype).is_float ? tensor.set_f64(i, v)
                                  : tensor.set_i64(i, static_cast<int64_t>(v));
    }
    input->constant = std::make_shared<const Tensor>(std::move(tensor));
  }

  const std::vector<DeclaredValue>& declared_;
  const ImportOptions& options_;
  Diagnostics& diag_;
  std::map<std::string, SizeRange> dims_;
  std::vector<std::vector<Axis>> axes_;
};

}  // namespace

std::string text(const DeclaredValue& value) {
  std::string out(value.dtype == DType::undefined ? "of unknown type" : name(value.dtype));
  if (!value.has_shape) return out;
  std::vector<std::string> dims;
  for (const DeclaredDim& dim : value.dims)
    dims.push_back(dim.size >= 0      ? std::to_string(dim.size)
                   : dim.name.empty() ? "?"
                                      : printable(dim.name));
  return fmt::format("{}[{}]", out, join(dims, ","));
}

ImportInputs resolve_inputs(const std::vector<DeclaredValue>& declared,
                            const ImportOptions& options, Diagnostics& diag) {
  return Resolver(declared, options, diag).run();
}

}  // namespace macec
