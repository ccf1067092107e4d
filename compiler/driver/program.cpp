// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/program.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compiler/emit/embedded.h"
#include "compiler/support/process.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr double kLongestBuild = 1200, kLongestRun = 600;  // seconds
constexpr int64_t kLargestOutputFile = int64_t{4} << 30;

void need_program(const std::string& name, const std::string& package) {
  if (has_program(name)) return;
  throw user_error("'{}' is not installed", name)
      .hint(fmt::format("on Debian or Ubuntu: apt-get install {}", package));
}

std::string main_text(const std::vector<CompiledModel>& models) {
  std::string text =
      "#include \"batch.h\"\n#include \"macec_threads.h\"\n#include \"harness.h\"\n\nint main(int "
      "argc, char** argv) {\n"
      "  const macec_model* const models[] = {";
  for (const CompiledModel& model : models) text += fmt::format("{}_model(), ", model.name);
  return text + "};\n  return harness(models, argc, argv);\n}\n";
}

// On this machine a GPU plan must run on the GPU unless the user says otherwise.
std::string device_of(const Target& target, const Options& options) {
  if (!options.device.empty()) return options.device;
  return target.runner.empty() ? "gpu" : "any";
}

// A stream of integers and bytes, read with checks: the program that wrote it may have died in the middle.
struct Reader {
  const std::string& bytes;
  size_t at = 0;
  bool failed = false;
  int64_t number() {
    int64_t value = 0;
    if (failed || bytes.size() - at < sizeof value) return failed = true, 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
    return value;
  }
  std::string_view part(int64_t size) {
    if (failed || size < 0 || static_cast<uint64_t>(size) > bytes.size() - at)
      return failed = true, std::string_view();
    at += static_cast<size_t>(size);
    return std::string_view(bytes).substr(at - static_cast<size_t>(size),
                                          static_cast<size_t>(size));
  }
};

bool read_output(Reader& in, const CompiledModel& model, RunOutput* result) {
  result->status = static_cast<int>(in.number());
  if (in.failed) return false;
  if (result->status != 0) {
    result->error = in.part(in.number());
    return !in.failed;
  }
  result->broke_guard = in.number() != 0;
  result->place = in.part(in.number());
  const int64_t count = in.number();
  for (int64_t i = 0; i < count && !in.failed; ++i) {
    Tensor tensor;
    tensor.dtype = model.outputs[static_cast<size_t>(i)].type.dtype;
    const int64_t rank = in.number();
    for (int64_t axis = 0; axis < rank && !in.failed; ++axis) tensor.shape.push_back(in.number());
    const std::string_view data = in.part(in.number());
    tensor.bytes.assign(data.begin(), data.end());
    result->outputs.push_back(std::move(tensor));
  }
  return !in.failed;
}

}  // namespace

Program::Program(const std::vector<CompiledModel>& models, const Target& target,
                 const Options& options, bool step_hooks)
    : models_(models), target_(target), options_(options), step_hooks_(step_hooks) {
  need_program(target.compiler, target.compiler_package);
  if (!target.runner.empty()) need_program(target.runner[0], target.runner_package);
  if (options.keep) {
    folder_.keep();
    std::fprintf(stderr, "the generated code is kept in %s\n", folder_.path().c_str());
  }
  build();
}

void Program::build() {
  EmitOptions emit_options;
  emit_options.stem = "batch";
  emit_options.step_hooks = step_hooks_;
  std::vector<OutputFile> files = {
      {folder() + "/main.cpp", main_text(models_)},
      {folder() + "/harness.h", std::string(embedded_text("compiler/driver/harness.h"))},
      {folder() + "/macec_threads.h", std::string(embedded_text("runtime_stub/macec_threads.h"))}};
  std::vector<std::string> command = {target_.compiler, "-std=c++17", options_.optimize, "-w",
                                      "-I."};
  command.insert(command.end(), target_.compiler_flags.begin(), target_.compiler_flags.end());
  command.insert(command.end(), {"main.cpp", "batch.cpp"});
  for (const EmittedFile& file : emit(models_, target_, emit_options)) {
    files.push_back({folder() + "/" + file.name, file.bytes});
    if (ends_with(file.name, ".S")) command.push_back(file.name);
  }
  write_files(files, true);
  command.insert(command.end(), {"-o", "program", "-lpthread", "-ldl"});
  const ProcessResult result = run_process(command, folder(), kLongestBuild);
  if (result.is_ok()) return;
  for (const char* reason : {std::strerror(ENOSPC), std::strerror(ENOMEM), std::strerror(EDQUOT)})
    if (result.output.find(reason) != std::string::npos)
      throw user_error("{} cannot build the generated code: {}", target_.compiler, reason)
          .hint("it is built in $TMPDIR, or in /tmp");
  throw InternalError(fmt::format("the generated code does not compile ({}, {}):\n{}",
                                  join(command, " "), result.failure(),
                                  result.output.substr(0, 4000)));
}

std::string Program::write_input(const std::vector<RunInput>& inputs) const {
  std::string out;
  const auto put = [&](int64_t value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  put(static_cast<int64_t>(inputs.size()));
  for (const RunInput& input : inputs) {
    put(static_cast<int64_t>(input.dims.size()));
    for (const int64_t dim : input.dims) put(dim);
    put(static_cast<int64_t>(input.inputs.size()));
    for (const Tensor& tensor : input.inputs) {
      put(static_cast<int64_t>(tensor.bytes.size()));
      out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    }
  }
  return out;
}

std::vector<std::string> Program::command(const char* mode, size_t model, const std::string& in,
                                          const std::string& out) const {
  std::vector<std::string> words = target_.runner;
  words.insert(words.end(),
               {"./program", mode, std::to_string(model), in, out, std::to_string(options_.threads),
                std::to_string(options_.level), device_of(target_, options_),
                options_.opencl.empty() ? "-" : options_.opencl});
  return words;
}

std::vector<RunOutput> Program::run(size_t model, const std::vector<RunInput>& inputs,
                                    bool in_sequence, std::string* failure) const {
  const std::string in = fmt::format("in{}.bin", model), out = fmt::format("out{}.bin", model);
  write_files({{folder() + "/" + in, write_input(inputs)}}, true);
  const ProcessResult result =
      run_process(command(in_sequence ? "sequence" : "run", model, in, out), folder(), kLongestRun);
  std::vector<RunOutput> outputs;
  const std::string path = folder() + "/" + out;
  const std::string bytes = file_exists(path) ? read_file(path, kLargestOutputFile) : "";
  Reader reader{bytes};
  for (size_t i = 0; i < inputs.size(); ++i) {
    RunOutput output;
    if (!read_output(reader, models_[model], &output)) break;
    outputs.push_back(std::move(output));
  }
  if (!result.is_ok() || outputs.size() < inputs.size())
    *failure = fmt::format("the generated program failed: {}{}{}", result.failure(),
                           result.output.empty() ? "" : ": ", result.output);
  return outputs;
}

Program::Times Program::bench(size_t model, const RunInput& input, int runs) const {
  write_files({{folder() + "/in.bin", write_input({input})}}, true);
  std::vector<std::string> words = command("bench", model, "in.bin", "out.txt");
  words.push_back(std::to_string(runs));
  const ProcessResult result = run_process(words, folder(), kLongestRun);
  if (!result.is_ok())
    throw InternalError(
        fmt::format("the generated program failed: {}: {}", result.failure(), result.output));
  Times times;
  for (const std::string& line : split(read_file(folder() + "/out.txt", 1 << 30), '\n')) {
    const std::vector<std::string> parts = split(line, ' ');
    if (parts[0] == "place" && parts.size() > 1) times.place = line.substr(6);
    if (parts[0] == "total" && parts.size() == 2)
      times.totals.push_back(parse_real(parts[1]).value_or(0));
    if (parts[0] != "step" || parts.size() != 3) continue;
    const size_t index = static_cast<size_t>(parse_int(parts[1]).value_or(0));
    if (index >= times.steps.size()) times.steps.resize(index + 1, 0);
    times.steps[index] = parse_real(parts[2]).value_or(0);
  }
  return times;
}

int64_t Program::code_bytes() const {
  return object_bytes("batch");
}

int64_t Program::second_plan_code_bytes() const {
  std::vector<CompiledModel> first = models_;
  for (CompiledModel& model : first) model.plans.resize(1);
  EmitOptions emit_options;
  emit_options.stem = "first_plan";
  emit_options.step_hooks = step_hooks_;
  std::vector<OutputFile> files;
  for (const EmittedFile& file : emit(first, target_, emit_options))
    files.push_back({folder() + "/" + file.name, file.bytes});
  write_files(files, true);
  const int64_t all = code_bytes(), without = object_bytes("first_plan");
  return all < 0 || without < 0 ? -1 : all - without;
}

int64_t Program::object_bytes(const std::string& stem) const {
  std::string size = target_.compiler;
  const size_t at = size.rfind("g++");
  if (at == std::string::npos) return -1;
  size.replace(at, 3, "size");
  if (!has_program(size)) return -1;
  std::vector<std::string> command = {target_.compiler, "-std=c++17", options_.optimize, "-w",
                                      "-c"};
  command.insert(command.end(), target_.compiler_flags.begin(), target_.compiler_flags.end());
  command.insert(command.end(), {stem + ".cpp", "-o", stem + ".o"});
  if (!run_process(command, folder(), kLongestBuild).is_ok()) return -1;
  const ProcessResult result = run_process({size, "-A", stem + ".o"}, folder(), kLongestRun);
  if (!result.is_ok()) return -1;
  int64_t bytes = 0;
  for (const std::string& line : split(result.output, '\n')) {
    std::vector<std::string> words;
    for (const std::string& word : split(line, ' '))
      if (!word.empty()) words.push_back(word);
    if (words.size() < 2 || words[0].find("weights") != std::string::npos) continue;
    if (starts_with(words[0], ".text") || starts_with(words[0], ".rodata"))
      bytes += parse_int(words[1]).value_or(0);
  }
  return bytes;
}

}  // namespace macec
