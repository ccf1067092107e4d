// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/shared_flags.h"

#include <algorithm>

#include "compiler/support/text.h"

namespace macec {
FlagNames flag_names(const Model& model, const ImportOptions& options) {
  FlagNames names;
  for (const DeclaredValue& input : declared_inputs(model)) {
    names.inputs.insert(input.name);
    names.values.insert(input.name);
    for (const DeclaredDim& dim : input.dims)
      if (dim.size < 0) names.dims.insert(dim.name);
    const auto shape = options.shapes.find(input.name);  // --shape may name dimensions
    if (shape == options.shapes.end()) continue;
    for (const ShapeItem& item : shape->second)
      if (item.kind == ShapeItem::name) names.dims.insert(item.text);
  }
  for (const DeclaredValue& output : declared_outputs(model)) names.values.insert(output.name);
  return names;
}

namespace {

// For model number m: keeps the entries that it has, and those that nobody has in the first model that has
// something of their kind: its import says what there is.
//   has(names, entry)   whether a model with these names has what the entry names
template <class Container, class Has>
void keep_own(const std::vector<FlagNames>& all, size_t m,
              const std::set<std::string> FlagNames::*kind, Container* entries, Has has) {
  size_t home = 0;
  while (home + 1 < all.size() && (all[home].*kind).empty()) ++home;
  for (auto at = entries->begin(); at != entries->end();) {
    const auto has_it = [&](const FlagNames& names) { return has(names, *at); };
    const bool is_orphan = std::none_of(all.begin(), all.end(), has_it);
    at = has_it(all[m]) || (is_orphan && m == home) ? std::next(at) : entries->erase(at);
  }
}

}  // namespace

bool has_flags_of_models(const Options& options) {
  const ImportOptions& import = options.import;
  return !import.dims.empty() || !import.shapes.empty() || !import.sets.empty() ||
         !import.io_types.empty() || !options.states.empty();
}

std::vector<Options> options_of_models(const std::vector<FlagNames>& models,
                                       const Options& options) {
  std::vector<Options> result(models.size(), options);
  if (models.size() < 2) return result;
  for (size_t m = 0; m < models.size(); ++m) {
    ImportOptions& own = result[m].import;
    keep_own(models, m, &FlagNames::dims, &own.dims,
             [](const FlagNames& n, const auto& e) { return n.dims.count(e.first) > 0; });
    keep_own(models, m, &FlagNames::inputs, &own.shapes,
             [](const FlagNames& n, const auto& e) { return n.inputs.count(e.first) > 0; });
    keep_own(models, m, &FlagNames::inputs, &own.sets,
             [](const FlagNames& n, const auto& e) { return n.inputs.count(e.first) > 0; });
    keep_own(models, m, &FlagNames::values, &own.io_types,
             [](const FlagNames& n, const auto& e) { return n.values.count(e.first) > 0; });
    keep_own(models, m, &FlagNames::inputs, &result[m].states,
             [](const FlagNames& n, const auto& e) {
               return std::any_of(n.inputs.begin(), n.inputs.end(), [&](const std::string& input) {
                 std::vector<std::string> stars;
                 return matches_pattern(e.first, input, &stars);
               });
             });
  }
  return result;
}

}  // namespace macec
