// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/fill_interface.h"

#include <algorithm>
#include <set>

#include "compiler/emit/interface_parts.h"
#include "compiler/emit/optional_outputs.h"
#include "compiler/support/error.h"
#include "compiler/support/sha256.h"

namespace macec {
namespace {

// Symbols that steps set, in order of first appearance.
struct ComputedSymbols {
  std::vector<std::string> names;
  void add(const std::shared_ptr<const Symbol>& symbol) {
    if (symbol && symbol->is_computed &&
        std::find(names.begin(), names.end(), symbol->name) == names.end()) {
      names.push_back(symbol->name);
    }
  }
  void visit(const StepList& steps) {
    for (const Step& step : steps) {
      add(step.index);
      for (const Step::Extent& extent : step.extents) add(extent.symbol);
      for (const StepList& body : step.bodies) visit(body);
    }
  }
};

std::vector<std::string> computed_symbols(const CompiledModel& model) {
  ComputedSymbols symbols;
  for (const Plan& plan : model.plans) symbols.visit(plan.steps);
  return symbols.names;
}

struct Filler {
  const CompiledModel& model;
  ModelInterface& interface;

  std::string code(const Dim& extent) const {
    return extent.code([this](const Symbol& symbol) {
      for (size_t i = 0; i < model.symbols.size(); ++i)
        if (model.symbols[i]->name == symbol.name) return interface.dims[i].identifier;
      return std::to_string(symbol.hi);  // the bound of a computed extent
    });
  }
  // The same after a run: value_<n> is where a step left the symbol, see run_time_symbols.
  std::string final_code(const Dim& extent) const {
    const std::vector<std::string> computed = computed_symbols(model);
    return extent.code([&](const Symbol& symbol) {
      const auto at = std::find(computed.begin(), computed.end(), symbol.name);
      if (at == computed.end()) return code(Dim::symbol(std::make_shared<Symbol>(symbol)));
      return fmt::format("value_{}",
                         model.symbols.size() + static_cast<size_t>(at - computed.begin()));
    });
  }
  Extent extent(const Dim& d) const {
    if (d.is_fixed()) return fixed_extent(d.value());
    for (size_t i = 0; i < model.symbols.size(); ++i)
      if (Dim::symbol(model.symbols[i]) == d) return dim_extent(static_cast<int>(i));
    return d.has_computed() ? later_extent(std::to_string(d.hi()), final_code(d), d.text())
                          : computed_extent(code(d), d.text());
  }
  std::vector<Extent> extents(const Shape& shape) const {
    std::vector<Extent> all;
    for (const Dim& d : shape) all.push_back(extent(d));
    return all;
  }
  InterfaceTensor tensor(const Port& port) const {
    InterfaceTensor t;
    t.name = port.name;
    t.dtype = static_cast<int>(port.type.dtype);
    t.shape = extents(port.type.shape);
    t.max_bytes = port.type.max_bytes();
    return t;
  }
};

InterfaceGpu gpu_counts(const Plan& plan) {
  const auto count = [](size_t n) { return static_cast<int64_t>(n); };
  const GpuPlan& gpu = *plan.gpu;
  return {first_launch(plan, INT32_MAX), count(gpu.shared.size()), count(gpu.images.size()),
          count(gpu.weight_images.size())};
}

std::array<uint8_t, 32> digest(const std::string& text) {
  return sha256(text.data(), text.size());
}

}  // namespace

ModelInterface fill_interface(const CompiledModel& model, const Target& target,
                              const WeightPlaces& weights, const EmitOptions& options) {
  ModelInterface interface;
  interface.name = model.name;
  interface.summary = summary_lines(model);
  interface.compiler = fmt::format("macec {}", MACEC_VERSION);
  interface.target = target.name;
  interface.options = model.options;
  interface.onnx_sha256 = model.onnx_sha256;
  interface.weights_bytes = static_cast<int64_t>(weights.packed.size());
  interface.weights_mode = options.weights.value_or(auto_weights_mode(interface.weights_bytes));
  if (interface.weights_bytes == 0) interface.weights_mode = WeightsMode::none;
  for (const Plan& plan : model.plans)
    interface.arena_bytes = std::max(interface.arena_bytes, plan.arena_bytes);
  interface.max_threads = model.max_threads;
  if (model.plans[0].gpu) {
    interface.gpu = gpu_counts(model.plans[0]);
    for (const GpuShared& shared : model.plans[0].gpu->shared)
      interface.has_input_memory |= shared.place == Buffer::input;
  }
  interface.value_count = static_cast<int>(computed_symbols(model).size());
  for (const auto& symbol : model.symbols)
    interface.dims.push_back({symbol->name, "", symbol->lo, symbol->hi, symbol->step});
  for (const Level& level : target.levels) {
    InterfaceLevel one{level.name, level.features, {}};
    for (size_t p = 0; p < model.plans.size(); ++p) {
      one.run.push_back(p == 0 ? fmt::format("{}::{}::run", level.identifier, model.name)
                               : fmt::format("{0}::{1}::plan{2}::run_plan{2}", level.identifier,
                                             model.name, p + 1));
    }
    interface.levels.push_back(one);
  }
  assign_identifiers(interface);  // of the dims: expressions of the tensors use them
  const Filler filler{model, interface};
  for (const Port& port : model.inputs) interface.inputs.push_back(filler.tensor(port));
  for (const Port& port : model.outputs) interface.outputs.push_back(filler.tensor(port));
  const std::vector<bool> optional = optional_outputs(model.plans, model.outputs.size());
  for (size_t i = 0; i < optional.size(); ++i) interface.outputs[i].may_be_null = optional[i];
  for (const StatePort& state : model.states) {
    interface.states.push_back({state.name, static_cast<int>(state.in.dtype),
                                filler.extents(state.in.shape), filler.extents(state.out.shape),
                                std::max(state.in.max_bytes(), state.out.max_bytes())});
  }
  for (const ExtentCheck& check : model.plans[0].checks) {
    if (check.is_on_computed()) continue;
    interface.checks.push_back(
        {filler.code(check.a), filler.code(check.b), check.text_a, check.text_b});
  }
  assign_identifiers(interface);
  return interface;
}

void finish_interface(const CompiledModel& model, const WeightPlaces& weights,
                      const std::string& code, ModelInterface* interface) {
  std::string everything = code + model.name + interface->options + interface->target;
  for (const Port& port : model.inputs) everything += port.name + text(port.type);
  for (const Port& port : model.outputs) everything += port.name + text(port.type);
  everything += fmt::format("{}:{}", interface->arena_bytes, interface->max_threads);
  const std::array<uint8_t, 32> layout = digest(everything);
  const std::array<uint8_t, 32> build = digest(everything + weights.packed);
  for (size_t i = 0; i < 4; ++i) interface->build = (interface->build << 8) | build[i];
  for (size_t i = 0; i < 8; ++i)
    interface->weights_layout = (interface->weights_layout << 8) | layout[i];
}

std::map<std::string, std::pair<std::string, int>> run_time_symbols(
    const CompiledModel& model, const ModelInterface& interface) {
  std::map<std::string, std::pair<std::string, int>> symbols;
  int index = 0;
  for (size_t i = 0; i < model.symbols.size(); ++i)
    symbols[model.symbols[i]->name] = {"dim_" + interface.dims[i].identifier, index++};
  for (const std::string& name : computed_symbols(model)) {
    symbols[name] = {fmt::format("value_{}", index), index};
    ++index;
  }
  return symbols;
}

std::vector<std::string> summary_lines(const CompiledModel& model) {
  const auto list = [](const std::vector<Port>& ports) {
    std::string s;
    for (const Port& port : ports) s += (s.empty() ? "" : ", ") + port.name + " " + text(port.type);
    return s;
  };
  std::vector<std::string> lines = {
      fmt::format("{}: {} -> {}", model.name, list(model.inputs), list(model.outputs))};
  for (const auto& symbol : model.symbols) {
    lines.push_back(
        fmt::format("  {} is {} to {}{}", symbol->name, symbol->lo, symbol->hi,
                    symbol->step > 1 ? fmt::format(" in steps of {}", symbol->step) : ""));
  }
  const Plan& plan = model.plans[0];
  size_t weights = 0;
  for (const Weight& w : plan.weights) weights += w.bytes.size();
  lines.push_back(fmt::format("  {} steps, arena {} bytes, weights {} bytes", plan.step_count,
                              plan.arena_bytes, weights));
  return lines;
}

}  // namespace macec
