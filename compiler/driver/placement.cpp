// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/placement.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "compiler/driver/inspect.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

void add_names(const Graph& graph, std::vector<std::string>* names) {
  for (const NodeId id : graph.order) {
    for (const std::string& origin : graph.node(id).origins)
      if (std::string name = node_of_origin(origin); !name.empty()) names->push_back(name);
    for (const Graph& body : graph.node(id).bodies) add_names(body, names);
  }
}

const char* text(Device device) {
  return device == Device::gpu ? "gpu" : "cpu";
}

const char* text(Transfer::Kind kind) {
  switch (kind) {
    case Transfer::upload:
      return "upload";
    case Transfer::download:
      return "download";
    case Transfer::map:
      return "map";
    case Transfer::unmap:
      return "unmap";
  }
  return "?";
}

struct SegmentFacts {
  int steps = 0, launches = 0;
};
SegmentFacts facts_of(const Plan& plan, const Segment& segment) {
  SegmentFacts facts;
  for (const Step& step : plan.steps) {
    if (step.number < segment.first || step.number > segment.last) continue;
    ++facts.steps;
    facts.launches += static_cast<int>(step.kernel.launches.size());
  }
  return facts;
}

const std::string& buffer_name(const Plan& plan, const Transfer& transfer) {
  return plan.buffers[static_cast<size_t>(transfer.buffer)].name;
}

std::string step_line(const Step& step) {
  return fmt::format("step {} '{}' on the {}: {}", step.number, printable(step.name),
                     step.device == Device::gpu ? "GPU" : "CPU", step.reason);
}

struct MemoryRow {
  const char *what, *key;
  int64_t bytes, least;
};
std::vector<MemoryRow> memory_rows(const Plan& plan) {
  const GpuPlan& gpu = *plan.gpu;
  return {
      {"arena of the CPU, in the app's memory", "host", plan.arena_bytes, plan.plan_live_bytes},
      {"arena of the GPU", "device", gpu.device_bytes, gpu.device_live_bytes},
      {"images of the GPU", "images", gpu.image_bytes, gpu.image_live_bytes},
      {"shared: inputs, outputs, borders", "shared", gpu.shared_bytes, gpu.shared_live_bytes},
  };
}

}  // namespace

void check_placing(const std::vector<const Graph*>& graphs, const Target& target,
                   const Options& options) {
  const PlaceOptions& placing = options.placing;
  if (!target.gpu && (!placing.rules.empty() || placing.no_fallback || !options.has_cpu_plan))
    throw user_error("target {} has no GPU that --place, --no-fallback or --cpu-plan are about",
                     target.name)
        .hint("macec list targets shows those that have one");
  if (target.gpu && options.plans > 1)
    throw user_error("target {} has a second plan, the CPU's own; --plans is for targets without",
                     target.name)
        .hint("--cpu-plan=no leaves it out");
  std::vector<std::string> names;
  for (const Graph* graph : graphs) add_names(*graph, &names);
  for (const PlaceRule& rule : placing.rules) {
    std::vector<std::string> stars;
    const auto fits = [&](const std::string& name) {
      return rule.pattern == "all" || matches_pattern(rule.pattern, name, &stars);
    };
    if (rule.pattern == "all" || std::any_of(names.begin(), names.end(), fits)) continue;
    UserError error = rule.is_exact()
                          ? user_error("the model has no node '{}'", printable(rule.pattern))
                          : user_error("no node fits '{}'", printable(rule.pattern));
    const std::string near = nearest(rule.pattern, names);
    if (!near.empty()) error.hint(fmt::format("did you mean '{}'?", printable(near)));
    throw error;
  }
}

std::vector<std::string> placement_lines(const Plan& plan) {
  std::vector<std::string> lines;
  if (!plan.estimate.empty()) lines.push_back("estimate: " + plan.estimate);
  if (!plan.gpu) {
    lines.emplace_back("nothing runs on the GPU");
    for_each_step(plan.steps, [&](const Step& step, int) { lines.push_back(step_line(step)); });
    return lines;
  }
  const GpuPlan& gpu = *plan.gpu;
  for (size_t s = 0; s <= gpu.segments.size(); ++s) {
    const bool is_end = s == gpu.segments.size();
    for (const Transfer& t : gpu.transfers)
      if (t.segment == static_cast<int>(s))
        lines.push_back(fmt::format("{}: {} '{}', {} bytes",
                                    is_end ? "at the end" : fmt::format("before segment {}", s),
                                    text(t.kind), printable(buffer_name(plan, t)), t.bytes));
    if (is_end) break;
    const Segment& segment = gpu.segments[s];
    const SegmentFacts facts = facts_of(plan, segment);
    lines.push_back(
        segment.device == Device::gpu
            ? fmt::format(
                  "segment {} on the GPU: {}, {}", s, plural(facts.steps, "step"),
                  facts.launches == 1 ? "1 launch" : fmt::format("{} launches", facts.launches))
            : fmt::format("segment {} on the CPU: {}", s, plural(facts.steps, "step")));
    if (segment.device == Device::gpu) continue;
    for (const Step& step : plan.steps)
      if (step.number >= segment.first && step.number <= segment.last)
        lines.push_back(step_line(step));
  }
  return lines;
}

GpuWork gpu_work(const Plan& plan) {
  GpuWork work;
  for (const Step& step : plan.steps) {
    if (step.device == Device::gpu) ++work.steps;
    for (const GpuLaunch& launch : step.kernel.launches) {
      work.flops += launch.flops;
      work.bytes += launch.bytes;
    }
  }
  return work;
}

int64_t second_plan_weight_bytes(const CompiledModel& model) {
  std::set<std::string_view> seen;
  int64_t bytes = 0;
  for (const Plan& plan : model.plans)
    for (const Weight& weight : plan.weights) {
      const std::string_view contents(reinterpret_cast<const char*>(weight.bytes.data()),
                                      weight.bytes.size());
      if (seen.insert(contents).second && &plan != &model.plans[0])
        bytes += static_cast<int64_t>(contents.size());
    }
  return bytes;
}

std::string placement_text(const CompiledModel& model) {
  const Plan& plan = model.plans[0];
  if (!plan.gpu) return "";
  const GpuWork work = gpu_work(plan);
  std::string out = fmt::format(
      "placement: {} of {} on the GPU, {} launches, {} FLOPs, {} touched at least\n", work.steps,
      plural(static_cast<int64_t>(plan.steps.size()), "step"), plan.gpu->launches,
      count_text(work.flops), bytes_text(static_cast<int64_t>(work.bytes)));
  for (const std::string& line : placement_lines(plan)) out += "  " + line + "\n";
  std::vector<std::vector<std::string>> rows = {{"  memory, bytes", "planned", "at least"}};
  for (const MemoryRow& row : memory_rows(plan))
    rows.push_back({std::string("  ") + row.what, with_commas(row.bytes), with_commas(row.least)});
  out += table_text(rows);
  if (model.plans.size() > 1)
    out += fmt::format(
        "the plan of the CPU alone: {} steps, arena {} bytes; weights that only it reads: {}\n",
        model.plans[1].step_count, with_commas(model.plans[1].arena_bytes),
        bytes_text(second_plan_weight_bytes(model)));
  else
    out += "no plan of the CPU alone (--cpu-plan=no)\n";
  return out;
}

std::vector<std::string> placement_explanations(const Compilation& compilation) {
  std::vector<std::string> lines;
  for (const std::string& line : compilation.explanations)
    if (starts_with(line, "placement: ")) lines.push_back(line);
  return lines;
}

std::string placement_json(const Compilation& compilation) {
  const CompiledModel& model = compilation.model;
  const Plan& plan = model.plans[0];
  std::vector<std::string> lines;
  for (const std::string& line : placement_explanations(compilation))
    lines.push_back("    " + json_quoted(line));
  const std::string said = lines.empty()
                               ? "  \"placement\": [],\n"
                               : fmt::format("  \"placement\": [\n{}\n  ],\n", join(lines, ",\n"));
  if (!plan.gpu) return "  \"gpu\": null, \"cpu_plan\": null,\n" + said;
  const GpuPlan& gpu = *plan.gpu;
  std::vector<std::string> segments, transfers, images, memory;
  for (const Segment& s : gpu.segments) {
    const SegmentFacts facts = facts_of(plan, s);
    segments.push_back(
        fmt::format("{{\"device\": \"{}\", \"first\": {}, \"last\": {}, \"steps\": {}, "
                    "\"launches\": {}}}",
                    text(s.device), s.first, s.last, facts.steps, facts.launches));
  }
  for (const Transfer& t : gpu.transfers)
    transfers.push_back(
        fmt::format("{{\"kind\": \"{}\", \"value\": {}, \"segment\": {}, \"bytes\": {}}}",
                    text(t.kind), json_quoted(buffer_name(plan, t)), t.segment, t.bytes));
  for (const GpuImage& image : gpu.images)
    images.push_back(fmt::format("{{\"width\": {}, \"height\": {}, \"type\": \"{}\"}}", image.width,
                                 image.height, name(image.dtype)));
  for (const MemoryRow& row : memory_rows(plan))
    memory.push_back(fmt::format("\"{}\": {{\"bytes\": {}, \"least_bytes\": {}}}", row.key,
                                 row.bytes, row.least));
  const GpuWork work = gpu_work(plan);
  const std::string second =
      model.plans.size() < 2
          ? "null"
          : fmt::format("{{\"steps\": {}, \"arena_bytes\": {}, \"weight_bytes\": {}}}",
                        model.plans[1].step_count, model.plans[1].arena_bytes,
                        second_plan_weight_bytes(model));
  return fmt::format(
      "  \"gpu\": {{\"steps\": {}, \"launches\": {}, \"flops\": {:.0f}, \"bytes\": {:.0f},\n"
      "    \"segments\": [{}],\n    \"transfers\": [{}],\n    \"images\": [{}], "
      "\"weight_images\": {},\n    \"memory\": {{{}}}}},\n  \"cpu_plan\": {},\n{}",
      work.steps, gpu.launches, work.flops, work.bytes, join(segments, ", "), join(transfers, ", "),
      join(images, ", "), gpu.weight_images.size(), join(memory, ", "), second, said);
}

std::string placement_summary(const CompiledModel& model, const Target& target) {
  if (!target.gpu) return "";
  const Plan& plan = model.plans[0];
  if (!plan.gpu) return "everything runs on the CPU: --explain=placement says why";
  const GpuWork work = gpu_work(plan);
  std::string out =
      fmt::format("gpu {} of {}, {} launches, {}", work.steps,
                  plural(static_cast<int64_t>(plan.steps.size()), "step"), plan.gpu->launches,
                  plural(static_cast<int64_t>(plan.gpu->segments.size()), "segment"));
  if (model.plans.size() > 1)
    out += fmt::format("; the CPU's own plan adds {} of weights",
                       bytes_text(second_plan_weight_bytes(model)));
  return out;
}

}  // namespace macec
