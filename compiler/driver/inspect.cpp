// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec inspect: what a model is and what becomes of it, without writing code.
#include "compiler/driver/inspect.h"

#include <algorithm>
#include <cstdio>

#include "compiler/driver/commands.h"
#include "compiler/driver/placement.h"
#include "compiler/driver/summary.h"
#include "compiler/emit/fill_interface.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"
#include "targets/opencl/gpu_row.h"
#include "targets/target.h"

namespace macec {

static void visit(const StepList& steps, int depth,
                  const std::function<void(const Step&, int)>& f) {
  for (const Step& step : steps) {
    f(step, depth);
    for (const StepList& body : step.bodies) visit(body, depth + 1, f);
  }
}

void for_each_step(const StepList& steps, const std::function<void(const Step&, int depth)>& f) {
  visit(steps, 0, f);
}

std::string kernel_text(const Step& step) {
  if (step.kind == Step::branch) return "if";
  if (step.kind == Step::loop) return "loop";
  if (step.kind == Step::fail) return "fail";
  if (step.device == Device::gpu) return step.kernel.gpu_row->name;
  std::vector<std::string> names;
  for (const KernelRow* row : step.kernel.rows) names.push_back(row->name);
  if (std::all_of(names.begin(), names.end(), [&](const std::string& n) { return n == names[0]; }))
    names.resize(names.empty() ? 0 : 1);
  return join(names, ", ");
}

std::string step_title(const Step& step) {
  constexpr size_t kMostOrigins = 4;
  if (step.origins.empty()) return printable(step.name);
  std::vector<std::string> shown(step.origins.begin(),
                                 step.origins.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                            step.origins.size(), kMostOrigins)));
  if (step.origins.size() > kMostOrigins)
    shown.push_back(fmt::format("{} more", step.origins.size() - kMostOrigins));
  return join(shown, " + ");
}

double multiply_adds(const Plan& plan) {
  double sum = 0;
  for_each_step(plan.steps, [&](const Step& step, int) { sum += step.kernel.multiply_adds; });
  return sum;
}

std::vector<int64_t> live_bytes(const Plan& plan) {
  std::vector<int64_t> live(static_cast<size_t>(std::max(plan.step_count, 0)), 0);
  for (const Buffer& buffer : plan.buffers) {
    const bool is_object = buffer.place == Buffer::arena && buffer.object >= 0;  // on the GPU
    if ((buffer.offset < 0 && !is_object) || buffer.inside >= 0 || buffer.first < 0) continue;
    for (int s = buffer.first; s <= std::min(buffer.last, plan.step_count - 1); ++s)
      live[static_cast<size_t>(s)] += buffer.bytes;
  }
  return live;
}

std::map<std::string, int> operators(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const NodeId id : graph.order) {
    ++counts[graph.node(id).op];
    for (const Graph& body : graph.node(id).bodies)
      for (const auto& [op, count] : operators(body)) counts[op] += count;
  }
  return counts;
}

namespace {

int64_t total_memory(const Compilation& c, const Target& target) {
  return memory_bytes(fill_interface(c.model, target, place_weights(c.model.plans), EmitOptions()));
}

std::string operators_text(const Graph& graph) {
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [op, count] : operators(graph)) sorted.emplace_back(-count, op);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::string> parts;
  for (const auto& [count, op] : sorted) parts.push_back(fmt::format("{} {}", op, -count));
  return join(parts, ", ");
}

// is_explained: --explain=placement has been printed.
std::string text_report(const Compilation& c, const Target& target, int64_t file_bytes,
                        bool is_explained) {
  const Plan& plan = c.model.plans[0];
  std::string out = fmt::format("{}: {}, target {}\n", printable(base_name(c.path)),
                                bytes_text(file_bytes), target.name);
  for (const Port& port : c.model.inputs)
    out += fmt::format("  in     {} {}\n", printable(port.name), text(port.type));
  for (const Port& port : c.model.outputs)
    out += fmt::format("  out    {} {}\n", printable(port.name), text(port.type));
  for (const StatePort& port : c.model.states)
    out += fmt::format("  state  {} {}\n", printable(port.name), text(port.in));
  for (const auto& symbol : c.model.symbols)
    out += fmt::format("  dim    {} {}..{}{}\n", printable(symbol->name), symbol->lo, symbol->hi,
                       symbol->step == 1 ? "" : fmt::format(" in steps of {}", symbol->step));
  for (const std::string& note : notes(c.imported)) out += note + "\n";
  out += fmt::format("operators: {}\n", operators_text(c.imported));
  out += fmt::format("multiply-adds: {} of one run at the largest sizes; weights {}\n",
                     count_text(multiply_adds(plan)), bytes_text(weight_bytes(c.model)));
  out += "memory, bytes:\n";
  out += fmt::format("  {:>12}  live in the imported graph, node by node\n",
                     with_commas(plan.graph_live_bytes));
  out += fmt::format("  {:>12}  live in the plan, scratch included\n",
                     with_commas(plan.plan_live_bytes));
  out += fmt::format("  {:>12}  arena; {} of scratch per worker, {} workers\n",
                     with_commas(plan.arena_bytes), with_commas(plan.scratch_bytes),
                     c.model.max_threads);
  out += fmt::format("  {:>12}  that the app provides: arena, context, states, alignment\n",
                     with_commas(total_memory(c, target)));

  out += placement_text(c.model);
  if (target.gpu && !plan.gpu && !is_explained) out += join(placement_explanations(c), "\n") + "\n";

  std::vector<std::vector<std::string>> rows = {
      {"step", "live bytes", "multiply-adds", "kernel", "what"}};
  const std::vector<int64_t> live = live_bytes(plan);
  for_each_step(plan.steps, [&](const Step& step, int depth) {
    const size_t n = static_cast<size_t>(step.number);
    rows.push_back(
        {std::to_string(step.number), n < live.size() ? with_commas(live[n]) : "",
         count_text(step.kernel.multiply_adds), kernel_text(step),
         std::string(static_cast<size_t>(2 * depth), ' ') + printable(step_title(step))});
  });
  return out + table_text(rows);
}

std::string ports_json(const std::vector<Port>& ports) {
  std::vector<std::string> parts;
  for (const Port& port : ports)
    parts.push_back(fmt::format("{{\"name\": {}, \"type\": {}}}", json_quoted(port.name),
                                json_quoted(text(port.type))));
  return "[" + join(parts, ", ") + "]";
}

std::string json_report(const Compilation& c, const Target& target, int64_t file_bytes) {
  const Plan& plan = c.model.plans[0];
  std::vector<std::string> dims, ops, steps;
  for (const auto& symbol : c.model.symbols)
    dims.push_back(fmt::format("{{\"name\": {}, \"lo\": {}, \"hi\": {}, \"step\": {}}}",
                               json_quoted(symbol->name), symbol->lo, symbol->hi, symbol->step));
  for (const auto& [op, count] : operators(c.imported))
    ops.push_back(fmt::format("{}: {}", json_quoted(op), count));
  const std::vector<int64_t> live = live_bytes(plan);
  for_each_step(plan.steps, [&](const Step& step, int depth) {
    std::vector<std::string> kernels, origins;
    const bool on_gpu = step.device == Device::gpu;
    if (on_gpu) kernels.push_back(json_quoted(step.kernel.gpu_row->name));
    for (const KernelRow* row : step.kernel.rows)
      if (!on_gpu) kernels.push_back(json_quoted(row->name));
    for (const std::string& origin : step.origins) origins.push_back(json_quoted(origin));
    const size_t n = static_cast<size_t>(step.number);
    steps.push_back(fmt::format(
        "    {{\"number\": {}, \"depth\": {}, \"kind\": \"{}\", \"name\": {}, \"origins\": [{}], "
        "\"kernels\": [{}], \"multiply_adds\": {:.0f}, "
        "\"elements\": {:.0f}, \"scratch_bytes\": {}, \"live_bytes\": {}, \"device\": \"{}\", "
        "\"launches\": {}, \"reason\": {}}}",
        step.number, depth,
        step.kind == Step::call ? std::string(name(step.kernel.family)) : kernel_text(step),
        json_quoted(step.name), join(origins, ", "), join(kernels, ", "), step.kernel.multiply_adds,
        step.kernel.elements, step.kernel.scratch_bytes, n < live.size() ? live[n] : 0,
        on_gpu ? "gpu" : "cpu", step.kernel.launches.size(), json_quoted(step.reason)));
  });
  return fmt::format(
      "{{\n  \"model\": {}, \"file_bytes\": {}, \"target\": {},\n  \"inputs\": {},\n  \"outputs\": "
      "{},\n  \"dims\": [{}],\n"
      "  \"operators\": {{{}}},\n  \"multiply_adds\": {:.0f}, \"weight_bytes\": {},\n"
      "  \"memory\": {{\"graph_live_bytes\": {}, \"plan_live_bytes\": {}, \"arena_bytes\": {}, "
      "\"scratch_bytes\": {}, \"memory_bytes\": {}}},\n{}"
      "  \"steps\": [\n{}\n  ]\n}}\n",
      json_quoted(c.path), file_bytes, json_quoted(target.name), ports_json(c.model.inputs),
      ports_json(c.model.outputs), join(dims, ", "), join(ops, ", "), multiply_adds(plan),
      weight_bytes(c.model), plan.graph_live_bytes, plan.plan_live_bytes, plan.arena_bytes,
      plan.scratch_bytes, total_memory(c, target), placement_json(c), join(steps, ",\n"));
}

}  // namespace

int run_inspect(const Options& options, Diagnostics& diag) {
  const Target target = target_of(options);
  const Model model = load_model(options.files[0]);
  const Compilation c = compile_model(model, options, target, model_names(options)[0], diag);
  if (!options.explain.empty()) print_explanations(c, options);
  const bool is_explained = options.explain == "placement" || options.explain == "all";
  const std::string report = options.json ? json_report(c, target, model.bytes)
                                          : text_report(c, target, model.bytes, is_explained);
  std::fputs(report.c_str(), stdout);
  return kDone;
}

}  // namespace macec
