// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a generated pair together: head, what steps may use, levels (kernels once, then the steps of
// each model), the C interface, weights.
#include "compiler/emit/emit.h"

#include <set>

#include "compiler/emit/fill_interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/emit/names.h"
#include "compiler/emit/paste.h"
#include "compiler/emit/steps.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* with) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : with) + part;
  return text;
}

// Code between these lines is compiled for the level's processors only. The headers stand before.
std::string open_region(const Level& level) {
  std::string text = fmt::format("\n// ===== level {}\n", level.name);
  if (!level.features.empty()) {
    const std::string features = joined(level.features, ",");
    text += fmt::format(
        "#if defined(__clang__)\n#pragma clang attribute push(__attribute__((target(\"{0}\"))), "
        "apply_to = function)\n"
        "#else\n#pragma GCC push_options\n#pragma GCC target(\"{0}\")\n#endif\n",
        features);
  }
  return text + fmt::format("namespace {{\nnamespace {} {{\n", level.identifier);
}
std::string close_region(const Level& level) {
  std::string text = fmt::format("}}  // namespace {}\n}}  // namespace\n", level.identifier);
  if (!level.features.empty()) {
    text +=
        "#if defined(__clang__)\n#pragma clang attribute pop\n#else\n#pragma GCC "
        "pop_options\n#endif\n";
  }
  return text;
}

std::string memory_map(const Plan& plan) {
  std::string text = fmt::format(
      "// memory of '{}': arena {} bytes; live at most {}; the model node by node {}\n",
      comment_text(plan.name), plan.arena_bytes, plan.plan_live_bytes, plan.graph_live_bytes);
  text += "//     offset      bytes  steps      contents\n";
  for (const Buffer& b : plan.buffers) {
    if (b.offset < 0 || b.first < 0) continue;
    text += fmt::format("//  {:>9}  {:>9}  {:>4}..{:<4} {}\n", b.offset, b.bytes, b.first, b.last,
                        comment_text(b.name));
  }
  return text;
}

// All steps of one model at one level.
std::string level_steps(const CompiledModel& model, const ModelInterface& interface,
                        const Target& target, size_t level, const WeightPlaces& weights,
                        const EmitOptions& options) {
  const auto symbols = run_time_symbols(model, interface);
  std::string functors, functions, run;
  std::vector<bool> optional;
  for (const InterfaceTensor& output : interface.outputs) optional.push_back(output.may_be_null);
  for (size_t p = 0; p < model.plans.size(); ++p) {
    StepsWriter writer(model.plans[p], target, level, weights.offset[p], symbols, optional,
                       options.step_hooks);
    const std::string plan_name = p == 0 ? "run" : fmt::format("run_plan{}", p + 1);
    StepsText text = writer.write(plan_name);
    std::string scope_open, scope_close;
    if (p > 0) {
      scope_open = fmt::format("namespace plan{} {{\n", p + 1);
      scope_close = fmt::format("}}  // namespace plan{}\n", p + 1);
    }
    functions += scope_open + text.functors + "\n" + text.functions + text.run + scope_close;
  }
  return fmt::format("\nnamespace {} {{\n\n{}}}  // namespace {}\n", model.name, functions,
                     model.name);
}

// Templates once per file, then the tables of each model. with_answers: those of the self-check,
// which follow from the values of the weights.
std::string gpu_text(const std::vector<CompiledModel>& models,
                     const std::vector<WeightPlaces>& weights, bool with_answers) {
  GpuTemplates templates;
  for (const CompiledModel& model : models) templates.add(model.plans[0]);
  if (templates.empty()) return "";
  std::string text = "\n// ===== OpenCL\nnamespace {\n" + templates.text();
  for (size_t m = 0; m < models.size(); ++m) {
    const CompiledModel& model = models[m];
    if (!model.plans[0].gpu) continue;
    const GpuCheck* check = with_answers && model.gpu_check ? &*model.gpu_check : nullptr;
    text += fmt::format("\nnamespace {0} {{\n{1}}}  // namespace {0}\n", model.name,
                        gpu_tables(model.plans[0], weights[m].offset[0], check,
                                   check ? blob_hash(weights[m].packed) : 0));
  }
  return text + "}  // namespace\n";
}

struct Pasted {
  std::vector<Paster> levels;
  std::set<std::string> system_headers;
  std::vector<std::string> params;
};

Pasted paste_kernels(const std::vector<CompiledModel>& models, const Target& target) {
  Pasted all;
  std::set<std::string> seen;
  for (size_t l = 0; l < target.levels.size(); ++l) {
    Paster paster(target.levels[l].simd_header);
    paster.add("kernels/simd/simd.h");
    for (const CompiledModel& model : models)
      for (const Plan& plan : model.plans)
        for (const std::string& header : kernel_headers(plan, l)) paster.add(header);
    for (const std::string& header : paster.system_headers()) all.system_headers.insert(header);
    for (const std::string& path : paster.params())
      if (seen.insert(path).second) all.params.push_back(path);
    all.levels.push_back(std::move(paster));
  }
  return all;
}

std::vector<std::string> head(const std::vector<CompiledModel>& models, const EmitOptions& options,
                              const std::string& compiler) {
  std::vector<std::string> lines = {generated_line(options.stem + ".cpp", compiler)};
  if (!options.command.empty()) lines.push_back("made by: " + options.command);
  for (const CompiledModel& model : models)
    for (const std::string& line : summary_lines(model)) lines.push_back(line);
  return lines;
}

}  // namespace

std::vector<EmittedFile> emit(const std::vector<CompiledModel>& models, const Target& target,
                              const EmitOptions& options) {
  GeneratedPair pair;
  pair.header_name = options.stem + ".h";
  pair.step_hooks = options.step_hooks;
  const Pasted pasted = paste_kernels(models, target);
  for (const std::string& header : pasted.system_headers) pair.includes.push_back(header);
  std::vector<WeightPlaces> weights;
  for (const CompiledModel& model : models) {
    weights.push_back(place_weights(model.plans));
    pair.models.push_back(fill_interface(model, target, weights.back(), options));
  }
  const std::vector<std::string> head_lines = head(models, options, pair.models[0].compiler);
  pair.banner = head_lines;

  std::string types = "\nnamespace {\n\n" + pasted_text("runtime_stub/operands.h");
  for (const std::string& path : pasted.params) types += "\n" + pasted_params(path);
  types += "\n}  // namespace\n";
  std::string body;
  for (size_t l = 0; l < target.levels.size(); ++l) {
    body += open_region(target.levels[l]) + pasted.levels[l].text();
    for (size_t m = 0; m < models.size(); ++m)
      body += level_steps(models[m], pair.models[m], target, l, weights[m], options);
    body += close_region(target.levels[l]);
  }
  // Weights of other values fit the code, so answers are no part of what it is known by.
  const std::string known_by = types + gpu_text(models, weights, false) + body;
  for (size_t m = 0; m < models.size(); ++m)
    finish_interface(models[m], weights[m], known_by, &pair.models[m]);
  body = types + gpu_text(models, weights, true) + body;

  std::string source;
  for (const std::string& line : head_lines) source += "// " + comment_text(line) + "\n";
  for (const CompiledModel& model : models)
    for (const Plan& plan : model.plans) source += "//\n" + memory_map(plan);
  source += "\n" + write_source_prelude(pair) + body + write_interface_source(pair);
  std::vector<EmittedFile> files;
  for (size_t m = 0; m < models.size(); ++m) {
    const std::string blob = weights_blob(pair.models[m].weights_layout, weights[m].packed);
    const WeightsText text = write_weights(pair.models[m], blob);
    source += text.source;
    if (!text.assembly_name.empty()) files.push_back({text.assembly_name, text.assembly});
    if (!text.binary_name.empty()) files.push_back({text.binary_name, blob});
  }
  files.insert(files.begin(),
               {{options.stem + ".cpp", source}, {options.stem + ".h", write_header(pair)}});
  return files;
}

}  // namespace macec
