// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// macec bench: builds the generated code and times it, in total and per step.
#include <algorithm>
#include <cstdio>
#include <numeric>

#include "compiler/driver/commands.h"
#include "compiler/driver/inspect.h"
#include "compiler/driver/one_model.h"
#include "compiler/driver/placement.h"
#include "compiler/driver/summary.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

double percentile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

struct StepTime {
  const Step* step;
  double nanoseconds, share;
  double gflops() const {
    return nanoseconds > 0 ? 2 * step->kernel.multiply_adds / nanoseconds : 0;
  }
};

std::vector<StepTime> step_times(const Plan& plan, const Program::Times& times) {
  const double sum = std::accumulate(times.steps.begin(), times.steps.end(), 0.0);
  std::vector<StepTime> rows;
  for_each_step(plan.steps, [&](const Step& step, int) {
    const size_t n = static_cast<size_t>(step.number);
    const double t = n < times.steps.size() ? times.steps[n] : 0;
    rows.push_back({&step, t, sum > 0 ? t / sum : 0});
  });
  return rows;
}

struct Sizes {
  int64_t code, weights;
  int64_t second_plan = -1;  // of code: the CPU's own plan behind one that uses a GPU; -1: none
};

void print_text(const Plan& plan, const Program::Times& times, const std::vector<double>& sorted,
                const Target& target, const Options& options, const Sizes& sizes) {
  std::vector<std::vector<std::string>> rows = {
      {"step", "us", "share", "multiply-adds", "GFLOP/s", "kernel", "what"}};
  for (const StepTime& t : step_times(plan, times))
    rows.push_back({std::to_string(t.step->number), fmt::format("{:.1f}", t.nanoseconds / 1e3),
                    fmt::format("{:.1f} %", 100 * t.share),
                    count_text(t.step->kernel.multiply_adds),
                    t.step->kernel.multiply_adds > 0 ? fmt::format("{:.1f}", t.gflops()) : "",
                    kernel_text(*t.step), printable(step_title(*t.step))});
  std::fputs(table_text(rows).c_str(), stdout);
  const double median = percentile(sorted, 0.5), work = multiply_adds(plan);
  std::printf(
      "total: p50 %.1f us, p99 %.1f us, least %.1f us of %zu runs; %s multiply-adds, %.1f "
      "GFLOP/s\n",
      median / 1e3, percentile(sorted, 0.99) / 1e3, sorted.front() / 1e3, sorted.size(),
      count_text(work).c_str(), median > 0 ? 2 * work / median : 0);
  if (!times.place.empty()) std::printf("ran on the %s\n", times.place.c_str());
  std::printf("target %s, threads %d%s; arena %s bytes, code %s, weights %s\n", target.name.c_str(),
              options.threads,
              target.runner.empty()
                  ? ""
                  : ", under an emulator: these times say nothing of a real processor",
              with_commas(plan.arena_bytes).c_str(),
              sizes.code < 0 ? "unknown" : bytes_text(sizes.code).c_str(),
              bytes_text(sizes.weights).c_str());
  if (!plan.gpu) return;
  const GpuWork on_gpu = gpu_work(plan);
  std::printf("GPU: %d launches, %s FLOPs, %s touched at least; code of the CPU's own plan %s\n",
              plan.gpu->launches, count_text(on_gpu.flops).c_str(),
              bytes_text(static_cast<int64_t>(on_gpu.bytes)).c_str(),
              sizes.second_plan < 0 ? "none" : bytes_text(sizes.second_plan).c_str());
}

void print_json(const Plan& plan, const Program::Times& times, const std::vector<double>& sorted,
                const Target& target, const Options& options, const Sizes& sizes) {
  std::vector<std::string> steps;
  for (const StepTime& t : step_times(plan, times))
    steps.push_back(
        fmt::format("    {{\"number\": {}, \"name\": {}, \"kernel\": {}, \"us\": {:.3f}, "
                    "\"share\": {:.4f}, \"multiply_adds\": {:.0f}, "
                    "\"gflops\": {:.3f}}}",
                    t.step->number, json_quoted(t.step->name), json_quoted(kernel_text(*t.step)),
                    t.nanoseconds / 1e3, t.share, t.step->kernel.multiply_adds, t.gflops()));
  const GpuWork work = gpu_work(plan);
  std::printf(
      "{\n  \"model\": %s, \"target\": %s, \"threads\": %d, \"runs\": %zu, \"place\": %s,\n"
      "  \"p50_us\": %.3f, \"p99_us\": %.3f, \"least_us\": %.3f, \"multiply_adds\": %.0f,\n"
      "  \"arena_bytes\": %lld, \"code_bytes\": %lld, \"weight_bytes\": %lld,\n"
      "  \"cpu_plan_code_bytes\": %lld, \"launches\": %d, \"flops\": %.0f, \"bytes\": %.0f,\n  "
      "\"steps\": "
      "[\n%s\n  ]\n}\n",
      json_quoted(options.files[0]).c_str(), json_quoted(target.name).c_str(), options.threads,
      sorted.size(), json_quoted(times.place).c_str(), percentile(sorted, 0.5) / 1e3,
      percentile(sorted, 0.99) / 1e3, sorted.front() / 1e3, multiply_adds(plan),
      static_cast<long long>(plan.arena_bytes), static_cast<long long>(sizes.code),
      static_cast<long long>(sizes.weights), static_cast<long long>(sizes.second_plan),
      plan.gpu ? plan.gpu->launches : 0, work.flops, work.bytes, join(steps, ",\n").c_str());
}

}  // namespace

int run_bench(const Options& options, Diagnostics& diag) {
  const OneModel one = compile_one(options, diag);
  const Program program(one.models, one.target, options, true);
  const Program::Times times = program.bench(0, one.input, options.runs);
  MACEC_CHECK(!times.totals.empty(), "the generated program timed nothing");
  std::vector<double> sorted = times.totals;
  std::sort(sorted.begin(), sorted.end());
  const auto print = options.json ? print_json : print_text;
  Sizes sizes{program.code_bytes(), weight_bytes(one.models[0])};
  const std::vector<Plan>& plans = one.models[0].plans;
  if (plans[0].gpu && plans.size() > 1) sizes.second_plan = program.second_plan_code_bytes();
  print(plans[0], times, sorted, one.target, options, sizes);
  return kDone;
}

}  // namespace macec
