// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec verify: generated code against recorded outputs, or against macec's own evaluator.
//
// Many models go into one source and one program (kernels are compiled once); each is run in a process of its own. Where a
// program does not compile, its models are halved until the guilty one is alone.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "compiler/driver/commands.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/data_sets.h"
#include "compiler/ops/registry.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr size_t kModelsPerProgram = 50;
constexpr int64_t kWeightsPerProgram = 64 << 20;  // larger models get a program each
constexpr int kStateRuns = 3;

enum class Status { passed, wrong, refused, failed };
const char* name(Status status) {
  constexpr const char* kNames[] = {"passed", "wrong", "refused", "failed"};
  return kNames[static_cast<int>(status)];
}

// One model of the command line.
struct Subject {
  std::string path;         // as given
  std::string model, data;  // files; data may be empty
  Status status = Status::passed;
  std::string text;
  int sets = 0, outputs = 0;
  double worst = 0;
  bool by_evaluator = false, is_bug = false;

  void fail(Status s, const std::string& why) {
    status = std::max(status, s);
    text += (text.empty() ? "" : "\n") + why;
  }
};

// A model compiled for one choice of sizes, with the data of these sizes.
struct Variant {
  Subject* subject;
  Compilation compilation;
  std::vector<DataSet> sets;
};

Subject subject_of(const std::string& path, const Options& options) {
  Subject subject;
  subject.path = path;
  subject.model = is_folder(path) ? path + "/model.onnx" : path;
  const std::string folder = folder_of(subject.model);
  subject.data = !options.data.empty() ? options.data : has_data_sets(folder) ? folder : "";
  return subject;
}

bool same_sizes(const ImportOptions& a, const ImportOptions& b) {
  const auto same_item = [](const ShapeItem& x, const ShapeItem& y) {
    return x.kind == y.kind && x.size == y.size && x.text == y.text;
  };
  const auto same_shape = [&](const auto& x, const auto& y) {
    return x.first == y.first && std::equal(x.second.begin(), x.second.end(), y.second.begin(),
                                            y.second.end(), same_item);
  };
  return a.dims == b.dims &&
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

  void prepare(Subject& subject) {
    Diagnostics diag;
    try {
      const Model model = load_model(subject.model);
      std::vector<DataSet> sets;
      std::string data_error;
      if (!subject.data.empty() && options_.states.empty()) {
        try {
          sets = load_data_sets(subject.data, model);
        } catch (const UserError& error) {
          data_error = error_text(error);
        }
      }
      compile_variants(subject, model, std::move(sets), diag);
      if (!data_error.empty()) {
        drop_variants(subject);
        subject.fail(Status::failed, data_error);
      }
      return;
    } catch (const Stop&) {
    } catch (const UserError& error) {
      diag.add(error);
    }
    drop_variants(subject);
    subject.fail(Status::refused, diag.report(base_name(subject.model), "", "not verified"));
  }

  void drop_variants(const Subject& subject) {
    variants_.erase(std::remove_if(variants_.begin(), variants_.end(),
                                   [&](const auto& v) { return v->subject == &subject; }),
                    variants_.end());
  }

  // One variant for each choice of sizes that the data has.
  void compile_variants(Subject& subject, const Model& model, std::vector<DataSet> sets,
                        Diagnostics& diag) {
    std::vector<std::pair<ImportOptions, std::vector<DataSet>>> groups;
    for (DataSet& set : sets) {
      const ImportOptions sizes = sizes_from_data(model, set, options_.import);
      auto at = std::find_if(groups.begin(), groups.end(),
                             [&](const auto& g) { return same_sizes(g.first, sizes); });
      if (at == groups.end()) at = groups.insert(groups.end(), {sizes, {}});
      at->second.push_back(std::move(set));
    }
    if (groups.empty()) groups.push_back({options_.import, {}});
    for (auto& [sizes, group] : groups) {
      Options options = options_;
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
        variant.sets = evaluated_sets(variant.compilation, options_);
      }
      std::vector<RunInput> inputs;
      for (DataSet& set : variant.sets) {
        if (set.outputs.empty()) {
          subject.by_evaluator = true;
          set.outputs = evaluate(variant.compilation.imported, set.inputs);
        }
        inputs.push_back(run_input(model, set.inputs));
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
    if (result.status != 0) {
      subject.fail(Status::failed, fmt::format("{}: the run failed: {}", set.name, result.error));
      return;
    }
    if (result.broke_guard)
      subject.fail(Status::failed,
                   fmt::format("{}: a run wrote behind the end of an output", set.name));
    const Tolerance tolerance = tolerance_of(folder_of(subject.model), options_);
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

// Batches on options.jobs threads.
void verify_all(std::vector<Subject>& subjects, const Options& options, const Target& target) {
  const size_t jobs = static_cast<size_t>(options.jobs);
  const size_t size = std::clamp<size_t>((subjects.size() + jobs - 1) / jobs, 1, kModelsPerProgram);
  std::vector<std::vector<Subject*>> batches;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i % size == 0) batches.emplace_back();
    batches.back().push_back(&subjects[i]);
  }
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i; (i = next++) < batches.size();) {
      try {
        Batch(batches[i], options, target).run();
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(jobs, batches.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

std::string summary_of(const Subject& subject, const Options& options) {
  if (subject.status != Status::passed) return subject.text;
  std::string text = fmt::format(
      "{}, {} compared, greatest difference {:.2g} of the greatest magnitude",
      plural(subject.sets, "data set"), plural(subject.outputs, "output"), subject.worst);
  if (subject.by_evaluator)
    text += fmt::format(
        "\nthe reference is macec's own evaluator (inputs made with --seed {}), which cannot show "
        "a misread model",
        options.seed);
  return text;
}

void print_text(const std::vector<Subject>& subjects, const Options& options) {
  int counts[4] = {0};
  for (const Subject& subject : subjects) {
    ++counts[static_cast<int>(subject.status)];
    std::string text = summary_of(subject, options);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    std::printf("%-8s %s\n", name(subject.status), printable(subject.path).c_str());
    for (const std::string& line : split(text, '\n')) std::printf("    %s\n", line.c_str());
  }
  if (subjects.size() == 1) return;
  std::vector<std::string> parts;
  for (int i = 0; i < 4; ++i)
    if (counts[i]) parts.push_back(fmt::format("{} {}", counts[i], name(static_cast<Status>(i))));
  std::printf("macec: %s: %s\n", plural(static_cast<int64_t>(subjects.size()), "model").c_str(),
              join(parts, ", ").c_str());
}

void print_json(const std::vector<Subject>& subjects, const Options& options,
                const Target& target) {
  std::vector<std::string> entries;
  for (const Subject& subject : subjects)
    entries.push_back(
        fmt::format("    {{\"path\": {}, \"status\": \"{}\", \"text\": {}, \"sets\": {}, "
                    "\"outputs\": {}, \"difference\": {}, "
                    "\"reference\": \"{}\"}}",
                    json_quoted(subject.path), name(subject.status),
                    json_quoted(summary_of(subject, options)), subject.sets, subject.outputs,
                    std::isfinite(subject.worst) ? fmt::format("{:.3g}", subject.worst) : "null",
                    subject.by_evaluator ? "evaluator" : "recorded"));
  std::printf("{\n  \"target\": %s,\n  \"models\": [\n%s\n  ]\n}\n",
              json_quoted(target.name).c_str(), join(entries, ",\n").c_str());
}

}  // namespace

int run_verify(const Options& options) {
  if (!options.data.empty() && options.files.size() > 1)
    throw UsageError("--data is for one model, and several are given");
  if (!options.data.empty() && !file_exists(options.data))
    throw user_error("there is no folder or file '{}'", printable(options.data));
  const Target target = target_of(options);
  std::vector<Subject> subjects;
  for (const std::string& path : options.files) subjects.push_back(subject_of(path, options));
  verify_all(subjects, options, target);
  if (options.json)
    print_json(subjects, options, target);
  else
    print_text(subjects, options);
  const auto is_passed = [](const Subject& s) { return s.status == Status::passed; };
  if (std::all_of(subjects.begin(), subjects.end(), is_passed)) return kDone;
  return subjects.size() == 1 && subjects[0].is_bug ? kInternal : kUserFault;
}

}  // namespace macec
