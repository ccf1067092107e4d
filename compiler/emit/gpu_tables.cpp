// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/gpu_tables.h"

#include <algorithm>
#include <map>

#include "compiler/emit/embedded.h"
#include "compiler/emit/names.h"
#include "compiler/support/error.h"
#include "targets/opencl/launch_builder.h"

namespace macec {
namespace {

// Names that a text defines as macros.
std::vector<std::string> defined_names(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t start = line.find_first_not_of(" \t");
    if (start == line.npos || line.compare(start, 8, "#define ") != 0) continue;
    const size_t stop = line.find_first_of(" (\t", start + 8);
    const std::string name = line.substr(start + 8, stop - start - 8);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The file without its licence line.
std::string template_text(const std::string& file) {
  std::string text(embedded_text("codegen_templates/" + file));
  if (text.rfind("// SPDX", 0) == 0) text.erase(0, text.find('\n') + 1);
  return text;
}

std::string literal(const std::string& text) {
  MACEC_CHECK(text.find(")cl\"") == text.npos, "an OpenCL text ends its own literal");
  std::string out;
  constexpr size_t kMost = 12000;  // some compilers limit one literal to 16 KB
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.size(), at + kMost);
    if (end < text.size()) end = text.rfind('\n', end) + 1;
    out += (out.empty() ? "" : "\n    ") + ("R\"cl(" + text.substr(at, end - at)) + ")cl\"";
    at = end;
  }
  return out.empty() ? "\"\"" : out;
}

std::string stem_of(const std::string& file) {
  const size_t start = file.rfind('/') + 1;
  return file.substr(start, file.rfind('.') - start);
}

template <class F>
void for_each_launch(const StepList& steps, F f) {
  for (const Step& step : steps)
    for (const GpuLaunch& launch : step.kernel.launches)
      if (step.device == Device::gpu) f(step, launch);
}

struct TablesWriter {
  const Plan& plan;
  const GpuPlan& gpu = *plan.gpu;
  const std::vector<int64_t>& weight_offsets;
  std::string text{};
  std::map<std::pair<std::string, std::string>, size_t> kernels{};  // file, preamble -> index
  std::vector<std::string> kernel_names{}, sources{}, problems{};
  bool reads_weights = false;

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  const Buffer& buffer(int i) const { return plan.buffers[static_cast<size_t>(i)]; }

  // A kernel for each distinct template and preamble: its texts between those of the others.
  void add_kernel(const GpuLaunch& launch) {
    const size_t index = kernels.size();
    const auto [at, is_new] = kernels.emplace(std::pair(launch.file, launch.preamble), index);
    if (!is_new) return;
    const std::string name = fmt::format("k{}_{}", index, stem_of(launch.file));
    kernel_names.push_back(name);
    const std::string open = fmt::format("#define KERNEL {}\n", name) + launch.preamble;
    std::string close = "\n#undef KERNEL\n";
    for (const std::string& other : defined_names(launch.preamble + template_text(launch.file)))
      close += "#undef " + other + "\n";
    line("constexpr char kOpen{}[] = {};", index, literal(open));
    line("constexpr char kClose{}[] = {};", index, literal(close));
    sources.push_back(fmt::format("kOpen{}", index));
    sources.push_back(GpuTemplates::constant(launch.file));
    sources.push_back(fmt::format("kClose{}", index));
  }

  // The number of the step's message among all problems, from 1.
  size_t problem_of(const Step& step) {
    const std::string message =
        c_string(fmt::format("an index of '{}' is out of range", step.name));
    const auto at = std::find(problems.begin(), problems.end(), message);
    const auto number = static_cast<size_t>(at - problems.begin()) + 1;
    if (at == problems.end()) problems.push_back(message);
    return number;
  }

  std::string argument(const Step& step, const GpuArgument& a) {
    const int index = a.buffer == kGpuScratch ? step.scratch_buffer : a.buffer;
    switch (a.kind) {
      case GpuArgument::integer:
        return fmt::format("{{kGpuInteger, {}}}", a.value);
      case GpuArgument::local:
        return fmt::format("{{kGpuLocal, {}}}", a.value);
      case GpuArgument::problem:
        return "{kGpuProblem, 0}";
      case GpuArgument::problem_number:
        return fmt::format("{{kGpuInteger, {}}}", problem_of(step));
      case GpuArgument::offset: {
        const Buffer& b = buffer(index);
        if (b.place != Buffer::weight) return fmt::format("{{kGpuInteger, {}}}", a.value);
        const int64_t bytes = weight_offsets[static_cast<size_t>(b.index)];
        return fmt::format("{{kGpuInteger, {}}}", bytes * 8 / info(b.dtype).bits + a.value);
      }
      case GpuArgument::memory: {
        const Buffer& b = buffer(index);
        if (b.place == Buffer::weight) {
          reads_weights = true;
          return "{kGpuWeights, 0}";
        }
        if (b.home == Buffer::shared) return fmt::format("{{kGpuShared, {}}}", b.object);
        MACEC_CHECK(b.home == Buffer::device, "'{}' is not on the device", b.name);
        return "{kGpuDevice, 0}";
      }
      case GpuArgument::image: {
        const Buffer& b = buffer(index);
        MACEC_CHECK(b.object >= 0, "'{}' is in no image", b.name);
        const bool is_weight = b.place == Buffer::weight;
        return fmt::format("{{{}, {}}}", is_weight ? "kGpuWeightImage" : "kGpuImage", b.object);
      }
    }
    throw InternalError("an argument of no kind");
  }

  void write_launches() {
    std::string rows, args;
    size_t n_arg = 0;
    int last = -1;
    for_each_launch(plan.steps, [&](const Step& step, const GpuLaunch& launch) {
      if (step.number != last) {
        std::string origins;
        for (const std::string& origin : step.origins)
          origins += (origins.empty() ? "" : ", ") + origin;
        rows += fmt::format("    // {}: {}\n", step.number,
                            comment_text(origins.empty() ? step.name : origins));
        args += fmt::format("    // {}\n", step.number);
      }
      last = step.number;
      args += "    ";
      for (const GpuArgument& a : launch.arguments) args += argument(step, a) + ", ";
      args.back() = '\n';
      rows += fmt::format("    {{{}, {}, {}, {{{}, {}, {}}}, {{{}, {}, {}}}}},\n",
                          kernels.at({launch.file, launch.preamble}), n_arg,
                          launch.arguments.size(), launch.global[0], launch.global[1],
                          launch.global[2], launch.local[0], launch.local[1], launch.local[2]);
      n_arg += launch.arguments.size();
    });
    text += "constexpr GpuArg kArgs[] = {\n" + args + "};\n";
    text += "// kernel, its arguments, work-items, work-group\n";
    text += "constexpr GpuLaunchRow kLaunches[] = {\n" + rows + "};\n";
  }

  void write_problems() {
    if (problems.empty()) return;
    text += "constexpr const char* kProblems[] = {\n";
    for (const std::string& message : problems) line("    {},", message);
    text += "};\n";
  }

  void write_images() {
    if (!gpu.images.empty()) {
      line("constexpr GpuImageRow kImages[] = {{  // width, height, is it half");
      for (const GpuImage& i : gpu.images)
        line("    {{{}, {}, {}}},", i.width, i.height, i.dtype == DType::float16 ? 1 : 0);
      line("}};");
    }
    if (gpu.weight_images.empty()) return;
    line("constexpr GpuWeightImageRow kWeightImages[] = {{");
    for (const GpuWeightImage& i : gpu.weight_images) {
      const Buffer& b = buffer(i.buffer);
      line("    {{{}, {}, {}, {}, {}}},", i.width, i.height, b.dtype == DType::float16 ? 1 : 0,
           weight_offsets[static_cast<size_t>(b.index)],
           plan.weights[static_cast<size_t>(b.index)].bytes.size());
    }
    line("}};");
  }

  bool is_read_by_cpu(Buffer::Place place, int index) const {
    bool found = false;
    for (const Step& step : plan.steps) {
      if (step.device == Device::gpu) continue;
      for (const std::vector<View>* views : {&step.kernel.inputs, &step.kernel.epilogue_inputs})
        for (const View& v : *views)
          found = found || (v.buffer >= 0 && buffer(v.buffer).place == place &&
                            buffer(v.buffer).index == index);
      found = found || !step.bodies.empty();
    }
    return found;
  }

  void write_shared() {
    if (gpu.shared.empty()) return;
    line("constexpr GpuSharedRow kShared[] = {{");
    for (const GpuShared& s : gpu.shared) {
      const char* role = s.place == Buffer::input        ? "input"
                         : s.place == Buffer::output     ? "output"
                         : s.place == Buffer::state      ? "state"
                         : s.place == Buffer::next_state ? "next_state"
                                                         : "border";
      line("    {{{}, GpuSharedRow::{}, {}, {}}},", s.bytes, role, std::max(s.index, 0),
           s.place == Buffer::input && is_read_by_cpu(Buffer::input, s.index));
    }
    line("}};");
  }

  void write_sources() {
    std::string names;
    for (const std::string& name : kernel_names)
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", name);
    std::string parts = "kClCommon, kClSteps";
    for (const std::string& part : sources) parts += ", " + part;
    line("constexpr const char* kSources[] = {{{}}};", parts);
    line("constexpr const char* kKernels[] = {{{}}};", names);
  }
};

std::string float_text(float v) {
  return v != v ? "NAN" : fmt::format("{:a}f", v);
}

std::string check_tables(const GpuCheck& check) {
  std::string inputs, outputs, samples;
  for (const GpuCheck::Input& in : check.inputs)
    inputs += fmt::format("    {{{:a}, {:a}, {}, {}}},\n", in.lo, in.hi, static_cast<int>(in.dtype),
                          in.elements);
  for (size_t i = 0; i < check.outputs.size(); ++i) {
    const GpuCheck::Output& out = check.outputs[i];
    samples += fmt::format("constexpr float kAnswer{}[] = {{", i);
    for (size_t k = 0; k < out.sample.size(); ++k)
      samples += (k ? ", " : "") + float_text(out.sample[k]);
    samples += "};\n";
    outputs += fmt::format("    {{{}, {}, kAnswer{}, {}, {}, {}, {}}},\n",
                           static_cast<int>(out.dtype), out.elements, i, out.sample.size(),
                           out.stride, float_text(out.tolerance), float_text(out.magnitude));
  }
  std::string text = samples;
  if (!inputs.empty()) text += "constexpr GpuCheckInput kCheckInputs[] = {\n" + inputs + "};\n";
  if (!check.dims.empty()) {
    text += "constexpr int64_t kCheckDims[] = {";
    for (const int64_t dim : check.dims) text += std::to_string(dim) + ", ";
    text += "};\n";
  }
  return text + "constexpr GpuCheckOutput kCheckOutputs[] = {\n" + outputs + "};\n";
}

}  // namespace

std::string GpuTemplates::constant(const std::string& file) {
  std::string name = "kCl";
  bool is_first = true;
  for (const char c : stem_of(file)) {
    if (c == '_') {
      is_first = true;
      continue;
    }
    name += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = false;
  }
  return name;
}

void GpuTemplates::add(const Plan& plan) {
  if (!plan.gpu) return;
  files_.insert("opencl/common.cl");
  files_.insert("opencl/steps.cl");
  for_each_launch(plan.steps,
                  [&](const Step&, const GpuLaunch& launch) { files_.insert(launch.file); });
}

std::string GpuTemplates::text() const {
  std::string text;
  for (const std::string& file : files_)
    text += fmt::format("\nconstexpr char {}[] = {};\n", constant(file),
                        literal("\n" + template_text(file)));
  return text;
}

int first_launch(const Plan& plan, int step) {
  int count = 0;
  for_each_launch(plan.steps, [&](const Step& s, const GpuLaunch&) { count += s.number < step; });
  return count;
}

std::string gpu_tables(const Plan& plan, const std::vector<int64_t>& weight_offsets,
                       const GpuCheck* check, uint64_t weights_hash) {
  MACEC_CHECK(plan.gpu, "a plan without a GPU has no tables");
  TablesWriter writer{plan, *plan.gpu, weight_offsets};
  for_each_launch(plan.steps,
                  [&](const Step&, const GpuLaunch& launch) { writer.add_kernel(launch); });
  writer.write_sources();
  writer.write_launches();
  writer.write_problems();
  writer.write_images();
  writer.write_shared();
  if (check) writer.text += check_tables(*check);
  const GpuPlan& gpu = *plan.gpu;
  const auto table = [](bool exists, const char* name) { return exists ? name : "nullptr"; };
  const int launches = first_launch(plan, INT32_MAX);
  writer.line("constexpr GpuModel kGpu = {{");
  writer.line("    kSources, {}, \"-cl-std=CL1.2 -cl-mad-enable\",", writer.sources.size() + 2);
  writer.line("    kKernels, {}, kLaunches, {}, kArgs,", writer.kernel_names.size(), launches);
  writer.line("    {}, {}, {}, {}, {}, {},", table(!gpu.images.empty(), "kImages"),
              gpu.images.size(), table(!gpu.weight_images.empty(), "kWeightImages"),
              gpu.weight_images.size(), table(!gpu.shared.empty(), "kShared"), gpu.shared.size());
  writer.line("    {}, {},  // bytes of the device arena; do kernels read weights as memory",
              gpu.device_bytes, writer.reads_weights);
  writer.line("    {}, {},", table(!writer.problems.empty(), "kProblems"), writer.problems.size());
  writer.line("    {}, {}, {}, 0x{:016x}u}};",
              table(check && !check->inputs.empty(), "kCheckInputs"), table(check, "kCheckOutputs"),
              table(check && !check->dims.empty(), "kCheckDims"), weights_hash);
  return writer.text;
}

}  // namespace macec
