// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/compile.h"

#include <algorithm>
#include <cstdio>

#include "compiler/driver/gpu_check.h"
#include "compiler/driver/placement.h"
#include "compiler/driver/shared_flags.h"
#include "compiler/driver/summary.h"
#include "compiler/emit/names.h"
#include "compiler/ir/text.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"
#include "passes/pass.h"
#include "passes/select_plan.h"

namespace macec {
namespace {

void print_dump(const std::string& pass, const std::string& text) {
  std::printf("// after %s\n%s\n", pass.c_str(), text.c_str());
}

Port port_of(const Graph& graph, ValueId id) {
  return {graph.value(id).name, graph.type(id)};
}

// Inputs and outputs as the app sees them: states leave the signature.
void fill_ports(const Graph& imported, const std::vector<std::pair<int, int>>& states,
                CompiledModel* model) {
  const auto is_state = [&](size_t i, bool is_input) {
    return std::any_of(states.begin(), states.end(), [&](const auto& s) {
      return (is_input ? s.first : s.second) == static_cast<int>(i);
    });
  };
  for (size_t i = 0; i < imported.inputs.size(); ++i)
    if (!is_state(i, true)) model->inputs.push_back(port_of(imported, imported.inputs[i]));
  for (size_t i = 0; i < imported.outputs.size(); ++i)
    if (!is_state(i, false)) model->outputs.push_back(port_of(imported, imported.outputs[i]));
  for (const auto& [input, output] : states) {
    const Value& in = imported.value(imported.inputs[static_cast<size_t>(input)]);
    model->states.push_back(
        {in.name, in.type, imported.type(imported.outputs[static_cast<size_t>(output)])});
  }
  model->symbols = imported.symbols;
}

// "macec kws.onnx --target=armv8" with base names only, so that the same call gives the same bytes everywhere.
std::string command_for_head(const Options& options) {
  std::vector<std::string> words = {"macec"};
  for (const std::string& file : options.files) words.push_back(shell_quoted(base_name(file)));
  if (!options.shaping.empty()) words.push_back(options.shaping);
  return join(words, " ");
}

// One plan through its stages: rows, devices, weights, launches, memory.
Plan make_plan(const Graph& graph, const std::vector<StatePair>& states, const Options& options,
               const Target& target) {
  // Beyond this point nothing asks what an operator means: a plan is kernel calls on buffers.
  Plan plan = select_plan(graph, target, states, options.placing);
  place_steps(plan, target, options.placing);
  pack_weights(plan, target);
  specialise_launches(plan, target);
  // Beyond this point the plan does not change: every buffer has its place and offset.
  plan_memory(plan, options.max_threads);
  return plan;
}

// The plan that uses the GPU, if there is one and it has work; then the plan of the CPU alone.
std::vector<Plan> make_plans(const Graph& graph, const std::vector<std::pair<int, int>>& tied,
                             const Options& options, const Target& target,
                             std::vector<std::string>* explain) {
  std::vector<StatePair> states;
  for (const auto& [input, output] : tied) states.push_back({input, output});
  std::vector<Plan> plans;
  if (target.gpu) {
    Plan plan = make_plan(graph, states, options, target);
    for (const std::string& line : placement_lines(plan)) explain->push_back("placement: " + line);
    if (plan.gpu) plans.push_back(std::move(plan));
  }
  if (!plans.empty() && !options.has_cpu_plan) return plans;
  Target cpu = target;
  cpu.gpu = nullptr;
  const Plan plan = make_plan(graph, states, options, cpu);
  const int copies = plans.empty() ? options.plans : 1;
  for (int i = 0; i < copies; ++i) plans.push_back(plan);
  return plans;
}

}  // namespace

Target target_of(const Options& options) {
  return find_target(options.target.empty() ? "host" : options.target);
}

std::vector<std::string> model_names(const Options& options) {
  if (options.files.size() > 1 && !options.name.empty())
    throw UsageError("--name names one model, and several are given",
                     "each takes the name of its file");
  std::vector<std::string> names;
  const bool single = options.files.size() == 1;
  for (const std::string& file : options.files) {
    std::string stem = stem_of(file);
    if (single && !options.name.empty())
      stem = options.name;
    else if (single && !options.output.empty())
      stem = stem_of(options.output);
    const std::string base = model_name_from(stem);
    names.push_back(unique_name(base, [&](const std::string& n) {
      return why_no_model_name(n).empty() &&
             std::find(names.begin(), names.end(), n) == names.end();
    }));
  }
  return names;
}

Compilation compile_model(const Model& model, const Options& options, const Target& target,
                          const std::string& name, Diagnostics& diag) {
  Compilation result;
  result.path = model.path;
  // Every node becomes one IR node; everything unsupported is reported together.
  result.imported = import_model(model, options.import, diag);
  diag.stop_if_errors();
  result.states = match_states(result.imported, options.states, diag);
  diag.stop_if_errors();
  if (options.dump_after == "import" || options.dump_after == "all")
    print_dump("import", text(result.imported));

  if (options.files.size() == 1) check_placing({&result.imported}, target, options);

  // Graph -> graph. passes/pipeline.cpp has the order.
  result.graph = result.imported;
  PassContext context;
  context.target = &target;
  context.explain = &result.explanations;
  PipelineOptions pipeline_options;
  pipeline_options.dump_after = options.dump_after;
  run_pipeline(result.graph, context, pipeline_options, print_dump);

  CompiledModel& compiled = result.model;
  compiled.name = name;
  compiled.max_threads = options.max_threads;
  compiled.options = options.shaping;
  std::copy_n(model.sha256.begin(), std::min(model.sha256.size(), compiled.onnx_sha256.size()),
              compiled.onnx_sha256.begin());
  fill_ports(result.imported, result.states, &compiled);
  compiled.plans = make_plans(result.graph, result.states, options, target, &result.explanations);
  for (Plan& plan : compiled.plans) {
    plan.name = name;
    plan.graph_live_bytes = graph_live_bytes(result.imported);
  }
  if (compiled.plans[0].gpu && options.has_self_check && options.command != "inspect") {
    std::string why;
    compiled.gpu_check = record_check(result.imported, compiled, options, &why);
    if (!compiled.gpu_check) result.explanations.push_back("placement: no self-check: " + why);
  }
  return result;
}

Outputs compile(const Options& options, Diagnostics& diag) {
  Outputs outputs;
  outputs.target = target_of(options);
  const std::vector<std::string> names = model_names(options);
  if (options.files.size() > 1 && options.output.empty())
    throw UsageError("several models need one name for the source",
                     "give it with -o: macec a.onnx b.onnx -o both.cpp");
  EmitOptions& emit_options = outputs.emit_options;
  emit_options.stem = options.output.empty() ? names[0] : stem_of(options.output);
  std::vector<CompiledModel> compiled;
  std::vector<Model> models;
  for (const std::string& file : options.files) models.push_back(load_model(file));
  std::vector<FlagNames> names_of_models;
  for (const Model& model : models) names_of_models.push_back(flag_names(model, options.import));
  const std::vector<Options> own_options = options_of_models(names_of_models, options);
  for (size_t i = 0; i < models.size(); ++i) {
    const Model& model = models[i];
    diag.set_file(base_name(model.path));
    outputs.models.push_back(compile_model(model, own_options[i], outputs.target, names[i], diag));
    compiled.push_back(outputs.models.back().model);
    if (options.depfile.empty()) continue;
    outputs.read.push_back(model.path);
    for (const std::string& file : external_files(model)) outputs.read.push_back(file);
  }
  std::vector<const Graph*> imported;
  for (const Compilation& model : outputs.models) imported.push_back(&model.imported);
  check_placing(imported, outputs.target, options);
  emit_options.command = command_for_head(options);
  emit_options.step_hooks = options.step_hooks;
  if (options.weights != "auto") emit_options.weights = weights_mode_from(options.weights);
  outputs.files = emit(compiled, outputs.target, emit_options);
  return outputs;
}

static void print_stages(const Outputs& outputs, const Options& options) {
  for (const Compilation& model : outputs.models) {
    if (options.emit == "graph") std::printf("%s\n", text(model.graph).c_str());
    if (options.emit == "plan")
      for (const Plan& plan : model.model.plans) std::printf("%s\n", text(plan).c_str());
  }
}

void print_explanations(const Compilation& model, const Options& options) {
  for (const std::string& line : model.explanations)
    if (options.explain == "all" || starts_with(line, options.explain + ":"))
      std::printf("%s\n", line.c_str());
}

// A path as makefiles write it.
static std::string make_quoted(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == ' ' || c == '#') out += '\\';
    if (c == '$') out += '$';
    out += c;
  }
  return out;
}

// "out/kws.cpp: kws.onnx kws.onnx.data"
static std::string depfile_text(const std::string& source, const std::vector<std::string>& read) {
  std::string out = make_quoted(source) + ":";
  for (const std::string& file : read) out += " " + make_quoted(file);
  return out + "\n";
}

int run_compile(const Options& options, Diagnostics& diag) {
  if (!options.output.empty() && !ends_with(options.output, ".cpp"))
    throw UsageError(fmt::format("-o '{}' must end in .cpp", printable(options.output)));
  const Outputs outputs = compile(options, diag);
  print_stages(outputs, options);
  if (!options.explain.empty())
    for (const Compilation& model : outputs.models) print_explanations(model, options);
  if (!options.emit.empty()) return kDone;
  const std::string folder = folder_of(options.output);
  std::vector<OutputFile> files;
  for (const EmittedFile& file : outputs.files)
    files.push_back({folder == "." ? file.name : folder + "/" + file.name, file.bytes});
  if (!options.depfile.empty())
    files.push_back({options.depfile, depfile_text(files[0].path, outputs.read), true});
  write_files(files, options.force);
  std::fputs(summary(outputs, options).c_str(), stderr);
  return kDone;
}

}  // namespace macec
