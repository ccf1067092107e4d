// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many models go into one source and one program (kernels are compiled once); each is run in a process of its own. Where a
// program does not compile, its models are halved until the guilty one is alone.
#include "compiler/driver/verify_batch.h"

#include <algorithm>
#include <memory>

#include "compiler/driver/compile.h"
#include "compiler/driver/data_sets.h"
#include "compiler/driver/fit_data.h"
#include "compiler/ops/registry.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int64_t kWeightsPerProgram = 64 << 20;  // larger models get a program each
constexpr int kStateRuns = 3;

// A model compiled for one choice of sizes, with the data of these sizes.
struct Variant {
  Subject* subject;
  Compilation compilation;
  std::vector<DataSet> sets;
};

bool same_sizes(const ImportOptions& a, const ImportOptions& b) {
  const auto same_item = [](const ShapeItem& x, const ShapeItem& y) {
    return x.kind == y.kind && x.size == y.size && x.text == y.text;
  };
  const auto same_shape = [&](const auto& x, const auto& y) {
    return x.first == y.first && std::equal(x.second.begin(), x.second.end(), y.second.begin(),
                                            y.second.end(), same_item);
  };
  const auto same_constant = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.shape == y.second.shape &&
           x.second.bytes == y.second.bytes;
  };
  return a.dims == b.dims && a.bounds == b.bounds && a.constants.size() == b.constants.size() &&
         std::equal(a.constants.begin(), a.constants.end(), b.constants.begin(), same_constant) &&
         std::equal(a.shapes.begin(), a.shapes.end(), b.shapes.begin(), b.shapes.end(), same_shape);
}

std::map<std::string, Tensor> evaluate(const Graph& graph,
                                       const std::map<std::string, Tensor>& inputs) {
  std::vector<Tensor> ordered;
  for (const ValueId id : graph.inputs) ordered.push_back(inputs.at(graph.value(id).name));
  const std::vector<Tensor> results = evaluate_graph(graph, ordered);
  std::map<std::string, Tensor> outputs;
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    outputs[graph.value(graph.outputs[i]).name] = results[i];
  return outputs;
}

// Inputs that macec makes, and what its evaluator says of them.
std::vector<DataSet> evaluated_sets(const Compilation& c, Options options) {
  const Graph& graph = c.imported;
  std::vector<DataSet> sets;
  if (c.states.empty()) {
    sets.push_back({graph.symbols.empty() ? "made input" : "largest sizes",
                    make_inputs(graph, options, true),
                    {}});
    if (!graph.symbols.empty())
      sets.push_back({"smallest sizes", make_inputs(graph, options, false), {}});
    for (DataSet& set : sets) set.outputs = evaluate(graph, set.inputs);
    return sets;
  }
  // Runs in a row: states start at zero and carry on.
  std::map<std::string, Tensor> state;
  for (int run = 0; run < kStateRuns; ++run, ++options.seed) {
    DataSet set{fmt::format("run {}", run + 1), make_inputs(graph, options, true), {}};
    for (const auto& [input, output] : c.states) {
      const std::string& name = graph.value(graph.inputs[static_cast<size_t>(input)]).name;
      Tensor& tensor = set.inputs[name];
      if (run == 0)
        tensor = Tensor(tensor.dtype, tensor.shape);
      else
        tensor = state.at(name);
    }
    set.outputs = evaluate(graph, set.inputs);
    for (const auto& [input, output] : c.states)
      state[graph.value(graph.inputs[static_cast<size_t>(input)]).name] =
          set.outputs.at(graph.value(graph.outputs[static_cast<size_t>(output)]).name);
    sets.push_back(std::move(set));
  }
  return sets;
}

class Batch {
 public:
  Batch(std::vector<Subject*> subjects, const Options& options, const Target& target)
      : subjects_(std::move(subjects)), options_(options), target_(target) {}

  void run() {
    for (Subject* subject : subjects_) {
      try {
        prepare(*subject);
      } catch (const UserError& error) {
        subject->fail(Status::failed, error_text(error));
      } catch (const std::exception& error) {
        note_bug(*subject, error);
      }
      if (weights_ > kWeightsPerProgram) flush();
    }
    flush();
  }

 private:
  void flush() {
    std::vector<Variant*> all;
    for (const auto& variant : variants_) all.push_back(variant.get());
    if (!all.empty()) run_program(all);
    variants_.clear();
    weights_ = 0;
  }

  // What was recorded, as far as it belongs to the model that the flags make.
  static std::vector<DataSet> data_of(Subject& subject, const Model& model) {
    const ImportOptions& flags = subject.options.import;
    std::vector<DataSet> fitting;
    for (DataSet& set : load_data_sets(subject.data, model, flags)) {
      const std::string why = fit_to_flags(flags, &set);
      if (!why.empty()) subject.no_reference = why;
      if (why.empty() || !set.inputs.empty()) fitting.push_back(std::move(set));
    }
    return fitting;
  }

  void prepare(Subject& subject) {
    Diagnostics diag;
    std::vector<DataSet> sets;
    std::string data_error;
    try {
      const Model model = load_model(subject.model);
      if (!subject.data.empty() && subject.options.states.empty()) {
        try {
          sets = data_of(subject, model);
        } catch (const UserError& error) {
          data_error = error_text(error);
        }
      }
      if (!compiles(subject, model, sets, nullptr, diag)) {
        Diagnostics second;
        if (!needs_contents(diag) || sets.empty() ||
            !compiles(subject, model, sets, &diag, second)) {
          subject.fail(Status::refused, diag.report(base_name(subject.model), "not verified"));
          return;
        }
      }
    } catch (const UserError& error) {
      subject.fail(Status::refused, error_text(error));
      return;
    }
    if (data_error.empty()) return;
    drop_variants(subject);
    subject.fail(Status::failed, data_error);
  }

  // Was the model refused because something is computed that must be known at compile time?
  static bool needs_contents(const Diagnostics& diag) {
    return std::any_of(diag.errors().begin(), diag.errors().end(), [](const UserError& e) {
      return e.text().find("computed when the model runs") != std::string::npos ||
             e.text().find("not constant") != std::string::npos ||
             e.text().find("has no bound") != std::string::npos;
    });
  }

  // False: the model is refused; no variant of it is left, and diag says why. refused: short inputs
  // become constants, because these errors asked for it.
  bool compiles(Subject& subject, const Model& model, const std::vector<DataSet>& sets,
                const Diagnostics* refused, Diagnostics& diag) {
    try {
      compile_variants(subject, model, sets, refused, diag);
      return true;
    } catch (const Stop&) {
    } catch (const UserError& error) {
      diag.add(error);
    }
    drop_variants(subject);
    return false;
  }

  static bool names_input(const Diagnostics& diag, const std::string& name) {
    return std::any_of(diag.errors().begin(), diag.errors().end(), [&](const UserError& e) {
      return e.text().find("('" + name + "' ") != std::string::npos;
    });
  }

  // As --set does: short lists and scalars take the values that the data has; the first input, if it is
  // a list, and lists of floats only where an error names them.
  static void make_constants(const DataSet& set, const Model& model, const Diagnostics& refused,
                             ImportOptions* options, std::string* names) {
    constexpr int64_t kMostElements = 64;
    bool is_first = true;
    for (const DeclaredValue& value : declared_inputs(model)) {
      const auto at = set.inputs.find(value.name);
      const bool is_data = is_first && (at == set.inputs.end() || at->second.rank() > 0) &&
                           !names_input(refused, value.name);
      is_first = false;
      if (is_data || at == set.inputs.end()) continue;
      const Tensor& tensor = at->second;
      const bool is_list =
          tensor.rank() == 1 && (!info(tensor.dtype).is_float || names_input(refused, value.name));
      if ((tensor.rank() != 0 && !is_list) || tensor.count() > kMostElements) continue;
      options->constants[value.name] = tensor;
      *names += (names->empty() ? "" : ", ") + printable(value.name);
    }
  }

  // As --bound does: outputs for which an error asks for it are as long as in the data.
  static void make_bounds(const DataSet& set, const Diagnostics& refused, ImportOptions* options) {
    const auto asks_for = [&](const std::string& flag) {
      return std::any_of(refused.errors().begin(), refused.errors().end(), [&](const auto& e) {
        return std::any_of(e.hints().begin(), e.hints().end(), [&](const std::string& hint) {
          return hint.find(flag) != std::string::npos;
        });
      });
    };
    for (const auto& [name, tensor] : set.outputs)
      if (tensor.rank() > 0 && asks_for("--bound " + name + "=N"))
        options->bounds.emplace(name, std::max<int64_t>(tensor.shape[0], 1));
  }

  void drop_variants(const Subject& subject) {
    variants_.erase(std::remove_if(variants_.begin(), variants_.end(),
                                   [&](const auto& v) { return v->subject == &subject; }),
                    variants_.end());
  }

  // One variant for each choice of sizes that the data has.
  void compile_variants(Subject& subject, const Model& model, const std::vector<DataSet>& sets,
                        const Diagnostics* refused, Diagnostics& diag) {
    std::vector<std::pair<ImportOptions, std::vector<DataSet>>> groups;
    subject.constants.clear();
    for (const DataSet& set : sets) {
      ImportOptions sizes = sizes_from_data(model, set, subject.options.import);
      std::string names;
      if (refused) make_constants(set, model, *refused, &sizes, &names);
      if (refused) make_bounds(set, *refused, &sizes);
      subject.constants = names;
      auto at = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& g) { return same_sizes(g.first, sizes); });
      if (at == groups.end()) at = groups.insert(groups.end(), {sizes, {}});
      at->second.push_back(set);
    }
    if (groups.empty()) groups.push_back({subject.options.import, {}});
    for (auto& [sizes, group] : groups) {
      Options options = subject.options;
      options.import = sizes;
      auto variant = std::make_unique<Variant>();
      variant->subject = &subject;
      variant->compilation =
          compile_model(model, options, target_, fmt::format("m{}", ++count_), diag);
      variant->sets = std::move(group);
      for (const Plan& plan : variant->compilation.model.plans)
        for (const Weight& weight : plan.weights)
          weights_ += static_cast<int64_t>(weight.bytes.size());
      variants_.push_back(std::move(variant));
    }
  }

  void run_program(const std::vector<Variant*>& variants) {
    std::vector<CompiledModel> models;
    for (const Variant* variant : variants) models.push_back(variant->compilation.model);
    std::unique_ptr<Program> program;
    try {
      program = std::make_unique<Program>(models, target_, options_, false);
    } catch (const std::logic_error& error) {
      if (variants.size() == 1) {
        note_bug(*variants[0]->subject, error);
        return;
      }
      const auto half = variants.begin() + static_cast<std::ptrdiff_t>(variants.size() / 2);
      run_program({variants.begin(), half});
      run_program({half, variants.end()});
      return;
    }
    for (size_t i = 0; i < variants.size(); ++i) check(*program, i, *variants[i]);
  }

  static RunInput input_of(const DataSet& set, const CompiledModel& model,
                           const ImportOptions& asked) {
    try {
      return run_input(model, set.inputs);
    } catch (UserError& error) {
      if (!asked.dims.empty() || !asked.shapes.empty())
        error.hint("sizes that --dim and --shape leave open are those of the data");
      throw;
    }
  }

  static void note_bug(Subject& subject, const std::exception& error) {
    subject.is_bug = true;
    subject.fail(Status::failed, fmt::format("a bug in macec: {}", error.what()));
  }

  void check(const Program& program, size_t index, Variant& variant) {
    Subject& subject = *variant.subject;
    const CompiledModel& model = variant.compilation.model;
    try {
      if (variant.sets.empty()) {
        subject.by_evaluator = true;
        variant.sets = evaluated_sets(variant.compilation, subject.options);
      }
      std::vector<RunInput> inputs;
      for (DataSet& set : variant.sets) {
        if (set.outputs.empty()) {
          subject.by_evaluator = true;
          set.outputs = evaluate(variant.compilation.imported, set.inputs);
        }
        inputs.push_back(input_of(set, model, subject.options.import));
      }
      std::string failure;
      const std::vector<RunOutput> results =
          program.run(index, inputs, !variant.compilation.states.empty(), &failure);
      for (size_t i = 0; i < results.size(); ++i)
        compare(variant.sets[i], results[i], model, subject);
      if (!failure.empty()) {
        subject.is_bug = true;
        subject.fail(Status::failed,
                     results.size() < inputs.size()
                         ? fmt::format("{}: {}", variant.sets[results.size()].name, failure)
                         : failure);
      }
    } catch (const UserError& error) {
      subject.fail(Status::failed, error_text(error));
    } catch (const std::logic_error& error) {
      note_bug(subject, error);
    }
  }

  void compare(const DataSet& set, const RunOutput& result, const CompiledModel& model,
               Subject& subject) {
    ++subject.sets;
    if (!result.place.empty()) subject.place = result.place;
    if (result.status != 0) {
      subject.fail(Status::failed, fmt::format("{}: the run failed: {}", set.name, result.error));
      return;
    }
    if (result.broke_guard)
      subject.fail(Status::failed,
                   fmt::format("{}: a run wrote behind the end of an output", set.name));
    const Tolerance tolerance = tolerance_of(folder_of(subject.model), subject.options);
    for (size_t i = 0; i < model.outputs.size(); ++i) {
      const std::string& name = model.outputs[i].name;
      const auto want = set.outputs.find(name);
      if (want == set.outputs.end()) {
        subject.fail(Status::failed,
                     fmt::format("{}: the data has no output '{}'", set.name, printable(name)));
        continue;
      }
      ++subject.outputs;
      const std::string what =
          difference(result.outputs[i], want->second, tolerance, &subject.worst);
      if (!what.empty())
        subject.fail(Status::wrong,
                     fmt::format("{}: output '{}': {}", set.name, printable(name), what));
    }
  }

  std::vector<Subject*> subjects_;
  const Options& options_;
  const Target& target_;
  std::vector<std::unique_ptr<Variant>> variants_;
  int64_t weights_ = 0;
  int count_ = 0;
};

}  // namespace

void verify_batch(const std::vector<Subject*>& subjects, const Options& options,
                  const Target& target) {
  Batch(subjects, options, target).run();
}

}  // namespace macec
