// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/data_sets.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "compiler/driver/npz.h"
#include "compiler/ir/edit.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSetPrefix = "test_data_set_";

Tensor load_file(const std::string& path, const std::string& what) {
  if (!file_exists(path))
    throw user_error("there is no {} for {}", base_name(path), what).at(printable(path));
  try {
    return load_tensor(path).tensor;
  } catch (const UserError& error) {
    UserError named =
        user_error("{} of the data cannot be read: {}", base_name(path), error.text());
    throw named.at(printable(path));
  }
}

DataSet load_folder(const std::string& folder, const Model& model) {
  DataSet set;
  set.name = base_name(folder);
  const std::vector<DeclaredValue> inputs = declared_inputs(model),
                                   outputs = declared_outputs(model);
  for (size_t i = 0; i < inputs.size(); ++i)
    set.inputs[inputs[i].name] = load_file(fmt::format("{}/input_{}.pb", folder, i),
                                           fmt::format("input '{}'", printable(inputs[i].name)));
  for (size_t i = 0; i < outputs.size(); ++i)
    set.outputs[outputs[i].name] =
        load_file(fmt::format("{}/output_{}.pb", folder, i),
                  fmt::format("output '{}'", printable(outputs[i].name)));
  for (const auto& [kind, count] :
       {std::make_pair("input", inputs.size()), std::make_pair("output", outputs.size())})
    if (file_exists(fmt::format("{}/{}_{}.pb", folder, kind, count)))
      throw user_error("there is a file {}_{}.pb, but the model has {}", kind, count,
                       plural(static_cast<int64_t>(count), kind));
  return set;
}

std::vector<std::string> names_of(const std::vector<DeclaredValue>& values) {
  std::vector<std::string> names;
  for (const DeclaredValue& value : values) names.push_back(value.name);
  return names;
}

// Arrays are known by name, so an archive may hold what --inputs and --outputs name.
DataSet load_archive(const std::string& path, const Model& model, const ImportOptions& flags) {
  DataSet set;
  set.name = base_name(path);
  std::map<std::string, Tensor> arrays;
  for (auto& [name, tensor] : load_npz(path)) arrays[name] = std::move(tensor);
  const auto take = [&](const std::vector<std::string>& names, const char* kind, bool must_be,
                        std::map<std::string, Tensor>* to) {
    for (const std::string& name : names) {
      const auto at = arrays.find(name);
      if (at != arrays.end())
        (*to)[name] = at->second;
      else if (must_be)
        throw user_error("'{}' has no array for {} '{}'", printable(base_name(path)), kind,
                         printable(name));
    }
  };
  // Behind a cut some inputs are not needed; a run says which are.
  take(flags.inputs, "input", true, &set.inputs);
  take(names_of(declared_inputs(model)), "input", flags.inputs.empty(), &set.inputs);
  // An archive without any output is inputs for the evaluator; with some, all must be there.
  const std::vector<std::string> outputs =
      flags.outputs.empty() ? names_of(declared_outputs(model)) : flags.outputs;
  const bool has_any = std::any_of(outputs.begin(), outputs.end(), [&](const std::string& name) {
    return arrays.count(name) != 0;
  });
  if (has_any) take(outputs, "output", true, &set.outputs);
  return set;
}

std::vector<std::string> set_folders(const std::string& folder) {
  std::vector<std::pair<int64_t, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!starts_with(name, kSetPrefix) || !entry.is_directory(error)) continue;
    found.emplace_back(parse_int(name.substr(std::string_view(kSetPrefix).size())).value_or(0),
                       entry.path().string());
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> folders;
  for (auto& [number, path] : found) folders.push_back(path);
  return folders;
}

}  // namespace

bool has_data_sets(const std::string& folder) {
  return !set_folders(folder).empty();
}

std::vector<DataSet> load_data_sets(const std::string& path, const Model& model,
                                    const ImportOptions& flags) {
  if (!file_exists(path)) throw user_error("there is no folder or file '{}'", printable(path));
  if (!is_folder(path)) {
    if (!ends_with(path, ".npz"))
      throw user_error("'{}' is no folder and no .npz", printable(path));
    return {load_archive(path, model, flags)};
  }
  std::vector<DataSet> sets;
  for (const std::string& folder : set_folders(path)) sets.push_back(load_folder(folder, model));
  if (sets.empty() && (file_exists(path + "/input_0.pb") || file_exists(path + "/output_0.pb")))
    sets.push_back(load_folder(path, model));
  if (sets.empty())
    throw user_error("'{}' holds no data: neither input_0.pb nor test_data_set_0", printable(path));
  return sets;
}

Tolerance tolerance_of(const std::string& folder, const Options& options) {
  Tolerance tolerance;
  tolerance.rtol = options.rtol;
  tolerance.atol = options.atol;
  const std::string path = folder + "/tolerance.txt";
  if (!file_exists(path)) return tolerance;
  std::string text = read_file(path, 1 << 16);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  std::vector<double> numbers;
  for (const std::string& word : split(text, ' '))
    if (!word.empty()) numbers.push_back(parse_real(word).value_or(-1));
  if (numbers.size() != 2 || numbers[0] < 0 || numbers[1] < 0)
    throw user_error("'{}' must have two numbers, rtol and atol", printable(path));
  tolerance.rtol = numbers[0];
  tolerance.atol = numbers[1];
  return tolerance;
}

ImportOptions sizes_from_data(const Model& model, const DataSet& data, ImportOptions options) {
  for (const DeclaredValue& value : declared_inputs(model)) {
    const auto at = data.inputs.find(value.name);
    if (at == data.inputs.end() || options.shapes.count(value.name)) continue;
    const std::vector<int64_t>& shape = at->second.shape;
    if (value.has_shape && shape.size() != value.dims.size())
      continue;  // reported when the run is made
    bool needs_shape = !value.has_shape;
    for (size_t i = 0; i < value.dims.size(); ++i) {
      const DeclaredDim& dim = value.dims[i];
      if (dim.size < 0 && !dim.name.empty())
        options.dims.emplace(dim.name, SizeRange{shape[i], shape[i], 1});
      else if (dim.size < 0 || (dim.size == 0 && shape[i] != 0))
        needs_shape = true;
    }
    if (!needs_shape) continue;
    std::vector<ShapeItem> items(shape.size());
    for (size_t i = 0; i < shape.size(); ++i) {
      const bool is_declared =
          value.has_shape &&
          (value.dims[i].size > 0 || (value.dims[i].size < 0 && !value.dims[i].name.empty()));
      if (is_declared) continue;
      items[i].kind = ShapeItem::extent;
      items[i].size = SizeRange{shape[i], shape[i], 1};
    }
    options.shapes[value.name] = items;
  }
  return options;
}

RunInput run_input(const CompiledModel& model, const std::map<std::string, Tensor>& tensors) {
  RunInput run;
  std::map<std::string, int64_t> sizes;
  for (const Port& port : model.inputs) {
    const auto at = tensors.find(port.name);
    if (at == tensors.end()) throw user_error("the data has no input '{}'", printable(port.name));
    const Tensor& tensor = at->second;
    const auto no_fit = [&](const std::string& why) {
      return user_error("input '{}' of the data is {}, but the model takes {}{}",
                        printable(port.name), text(tensor.type()), text(port.type), why);
    };
    if (tensor.dtype != port.type.dtype || tensor.rank() != port.type.rank()) throw no_fit("");
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Dim& dim = port.type.shape[axis];
      const int64_t size = tensor.shape[axis];
      if (dim.is_fixed() && dim.value() != size) throw no_fit("");
      if (size < dim.lo() || size > dim.hi())
        throw no_fit(fmt::format(" with {} to {} on axis {}", dim.lo(), dim.hi(), axis));
      for (const auto& symbol : model.symbols) {
        if (dim != Dim::symbol(symbol)) continue;
        const auto [known, is_new] = sizes.emplace(symbol->name, size);
        if (!is_new && known->second != size)
          throw no_fit(fmt::format(" with {} for '{}' as elsewhere", known->second, symbol->name));
        if ((size - symbol->lo) % symbol->step != 0)
          throw no_fit(fmt::format(" in steps of {} on axis {}", symbol->step, axis));
      }
    }
    run.inputs.push_back(tensor);
  }
  for (const auto& symbol : model.symbols) {
    const auto at = sizes.find(symbol->name);
    run.dims.push_back(at == sizes.end() ? symbol->lo : at->second);
  }
  return run;
}

namespace {

// Largest value that an integer input may take: below the extent of what it indexes, following casts and shapes.
int64_t index_bound(const Graph& graph, const Users& users, ValueId value, int depth) {
  int64_t bound = INT64_MAX;
  if (depth == 0) return bound;
  for (const Use& use : users.of(value)) {
    const Node& node = graph.node(use.node);
    if (use.input == 1 &&
        (node.op == "Gather" || node.op == "GatherElements" || node.op == "GatherND")) {
      const Shape& shape = graph.type(node.inputs[0]).shape;
      const int64_t rank = static_cast<int64_t>(shape.size());
      int64_t axis = node.op == "GatherND" ? 0 : node.int_attribute("axis", 0);
      if (axis < 0) axis += rank;
      if (axis >= 0 && axis < rank)
        bound = std::min(bound, shape[static_cast<size_t>(axis)].lo() - 1);
    } else if (use.input == 0 &&
               (node.op == "Cast" || node.op == "Reshape" || node.op == "Unsqueeze" ||
                node.op == "Squeeze" || node.op == "Identity" || node.op == "Flatten" ||
                node.op == "Transpose")) {
      bound = std::min(bound, index_bound(graph, users, node.outputs[0], depth - 1));
    }
  }
  return bound;
}

std::pair<int64_t, int64_t> integer_range(const Graph& graph, const Users& users, ValueId id,
                                          const Options& options) {
  const Value& value = graph.value(id);
  for (const auto& [name, range] : options.fills)
    if (name == value.name) return range;
  const int64_t bound = index_bound(graph, users, id, 8);
  if (bound != INT64_MAX) return {0, std::max<int64_t>(bound, 0)};
  return {0, value.name.find("mask") != std::string::npos || value.type.dtype == DType::boolean
                 ? 1
                 : 3};
}

}  // namespace

std::pair<int64_t, int64_t> integer_range_of(const Graph& graph, ValueId input,
                                             const Options& options) {
  return integer_range(graph, Users(graph), input, options);
}

std::map<std::string, Tensor> make_inputs(const Graph& graph, const Options& options,
                                          bool at_upper) {
  const Users users(graph);
  std::mt19937_64 random(options.seed);
  std::map<std::string, Tensor> tensors;
  for (const ValueId id : graph.inputs) {
    const Value& value = graph.value(id);
    std::vector<int64_t> shape;
    for (const Dim& dim : value.type.shape)
      shape.push_back(dim.evaluate([&](const Symbol& s) { return at_upper ? s.hi : s.lo; }));
    Tensor tensor(value.type.dtype, shape);
    const bool is_filled = std::any_of(options.fills.begin(), options.fills.end(),
                                       [&](const auto& f) { return f.first == value.name; });
    const auto [lo, hi] = integer_range(graph, users, id, options);
    const uint64_t span = static_cast<uint64_t>(hi - lo) + 1;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const uint64_t bits = random();
      const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
      if (info(tensor.dtype).is_float)
        tensor.set_f64(i, is_filled ? static_cast<double>(lo) + unit * static_cast<double>(hi - lo)
                                    : 2 * unit - 1);
      else
        tensor.set_i64(i, lo + static_cast<int64_t>(span ? bits % span : bits));
    }
    tensors[value.name] = std::move(tensor);
  }
  return tensors;
}

}  // namespace macec
