// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/options.h"

#include <algorithm>

#include "compiler/driver/option_values.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

enum Commands : unsigned {
  kCompile = 1,
  kInspect = 2,
  kVerify = 4,
  kBench = 8,
  kRun = 16,
  kList = 32,
  kRunning = kVerify | kBench | kRun,         // build a program and run it
  kReading = kCompile | kInspect | kRunning,  // read a model
  kAll = kReading | kList
};

struct CommandRow {
  const char* name;
  unsigned bit;
  const char* usage;
  const char* doc;
  std::vector<const char*> examples;
};

const std::vector<CommandRow>& commands() {
  static const std::vector<CommandRow> rows = {
      {"compile",
       kCompile,
       "macec [compile] MODEL.onnx... [flags]",
       "Writes MODEL.cpp and MODEL.h, and MODEL.weights.bin when the weights are large.",
       {"macec kws.onnx --target=armv8 -o out/kws.cpp --dim batch=1..8",
        "macec net.onnx --shape image=1x3x256x320", "macec a.onnx b.onnx -o both.cpp"}},
      {"inspect",
       kInspect,
       "macec inspect MODEL.onnx [flags]",
       "Prints inputs, outputs, operators, multiply-adds, memory and the kernel of every step.",
       {"macec inspect kws.onnx --target=armv8", "macec inspect kws.onnx --json"}},
      {"verify",
       kVerify,
       "macec verify MODEL.onnx|FOLDER... [flags]",
       "Builds the generated code, runs it and compares each output with recorded data, or with "
       "macec's own evaluator.",
       {"macec verify kws.onnx --data test_data_set_0", "macec verify models/* --jobs=4 --json",
        "macec verify kws.onnx --data example.npz --target=armv8"}},
      {"bench",
       kBench,
       "macec bench MODEL.onnx [flags]",
       "Builds the generated code and times it, in total and per step.",
       {"macec bench kws.onnx --threads=2", "macec bench kws.onnx --runs=200 --json"}},
      {"run",
       kRun,
       "macec run MODEL.onnx [flags]",
       "Builds the generated code, runs it once and prints the outputs.",
       {"macec run kws.onnx --in x.npz --out y.npz"}},
      {"list",
       kList,
       "macec list ops|targets|kernels|passes [--json]",
       "Prints a table of what macec has.",
       {"macec list ops", "macec list targets --json"}},
  };
  return rows;
}

struct FlagRow {
  const char* name;
  const char* value;  // nullptr: takes none
  unsigned commands;
  bool shapes_code;  // its value changes the generated code: it is named in the code's head
  const char* doc;
  void (*apply)(Options&, const std::string& value);
};

const FlagRow kFlags[] = {
    {"-o", "FILE.cpp", kCompile, false, "the source to write; the header stands beside it",
     [](Options& o, const std::string& v) { o.output = v; }},
    {"--name", "NAME", kReading, true,
     "name of the model in the generated code (default: the file's stem)",
     [](Options& o, const std::string& v) { o.name = v; }},
    {"--target", "TARGET", kReading, true,
     "what to compile for: macec list targets (default: this machine's architecture)",
     [](Options& o, const std::string& v) { o.target = v, o.target_is_given = true; }},
    {"--dim", "NAME=SIZE", kReading, true,
     "size of a dimension: 8, or a range that the app picks from: 1..8, 32..960:32",
     [](Options& o, const std::string& v) { add_dim(o, v); }},
    {"--shape", "INPUT=AxBxC", kReading, true,
     "shape of an input, whatever the file declares; '?' keeps an axis, a size may be a range",
     [](Options& o, const std::string& v) { add_shape(o, v); }},
    {"--set", "INPUT=VALUE", kReading, true,
     "makes an input a constant: one value for all elements, or all of them with commas",
     [](Options& o, const std::string& v) { add_set(o, v); }},
    {"--inputs", "A,B", kReading, true, "cuts the graph: these values become inputs",
     [](Options& o, const std::string& v) { add_names(&o.import.inputs, v); }},
    {"--outputs", "A,B", kReading, true, "cuts the graph: these values are its outputs",
     [](Options& o, const std::string& v) { add_names(&o.import.outputs, v); }},
    {"--bound", "VALUE=N", kReading, true,
     "the most elements along the first axis of a value whose size depends on data; of integers "
     "that shapes depend on, the greatest",
     [](Options& o, const std::string& v) { add_bounds(o, v); }},
    {"--plans", "N", kReading, true,
     "complete plans in the code (default 1); the next takes over when a run ends with "
     "MACEC_E_DEVICE",
     [](Options& o, const std::string& v) { o.plans = number("--plans", v, 1, 2); }},
    {"--place", "NODE=cpu|gpu", kReading, true,
     "device of a node, or of all that fit a name with '*', or of 'all'; the last one that fits "
     "counts. gpu for a single node is an error if the GPU cannot do it",
     [](Options& o, const std::string& v) { add_place(o, v); }},
    {"--no-fallback", nullptr, kReading, true,
     "everything runs on the GPU but what --place puts on the CPU; it is an error if it cannot",
     [](Options& o, const std::string&) { o.placing.no_fallback = true; }},
    {"--cpu-plan", "yes|no", kReading, true,
     "a complete plan for the CPU behind one that uses a GPU, for when that fails (default yes)",
     [](Options& o, const std::string& v) {
       o.has_cpu_plan = one_of("--cpu-plan", v, {"yes", "no"}) == "yes";
     }},
    {"--self-check", "yes|no", kReading, true,
     "records an answer with which the code checks the driver of a GPU on first use (default yes)",
     [](Options& o, const std::string& v) {
       o.has_self_check = one_of("--self-check", v, {"yes", "no"}) == "yes";
     }},
    {"--state", "IN=OUT,...", kReading, true,
     "ties an output to an input; the value is kept between runs. Patterns: past.*=present.*",
     [](Options& o, const std::string& v) { add_states(o, v); }},
    {"--io-type", "NAME=TYPE", kReading, true,
     "element type of an input or output for the app: ids=int32",
     [](Options& o, const std::string& v) { add_io_type(o, v); }},
    {"--weights", "MODE", kCompile, true,
     "how weights are stored: auto, array, asm, incbin, file, extern",
     [](Options& o, const std::string& v) {
       o.weights = one_of("--weights", v, {"auto", "array", "asm", "incbin", "file", "extern"});
     }},
    {"--max-threads", "N", kReading, true, "workers that may take part in a run (default 4)",
     [](Options& o, const std::string& v) { o.max_threads = number("--max-threads", v, 1, 64); }},
    {"--hooks", "steps", kCompile, true, "calls the app's on_step before and after every step",
     [](Options& o, const std::string& v) {
       one_of("--hooks", v, {"steps"}), o.step_hooks = true;
     }},
    {"--depfile", "FILE", kCompile, false,
     "writes which files were read, as make and Ninja want it: external data is among them",
     [](Options& o, const std::string& v) { o.depfile = v; }},
    {"--force", nullptr, kCompile, false, "replaces files that macec did not write",
     [](Options& o, const std::string&) { o.force = true; }},
    {"--emit", "graph|plan", kCompile, false,
     "prints the imported graph after all passes, or the plan, and writes nothing",
     [](Options& o, const std::string& v) {
       o.emit = one_of("--emit", v, {"graph", "plan"});
     }},
    {"--dump-after", "PASS", kReading, false,
     "prints the graph after a pass, or after 'all' of them; 'import': as imported",
     [](Options& o, const std::string& v) { o.dump_after = v; }},
    {"--explain", "TOPIC", kReading, false,
     "what was chosen and why not: fusion, kernels, memory, placement, all",
     [](Options& o, const std::string& v) {
       o.explain = one_of("--explain", v, {"fusion", "kernels", "memory", "placement", "all"});
     }},
    {"--data", "FOLDER|FILE.npz", kVerify, false,
     "recorded inputs and outputs: a test_data_set_N folder, a folder of some, or an .npz",
     [](Options& o, const std::string& v) { o.data = v; }},
    {"--rtol", "X", kVerify, false, "allowed difference as a share of each expected element",
     [](Options& o, const std::string& v) { o.rtol = real("--rtol", v); }},
    {"--atol", "X", kVerify, false,
     "allowed difference of each element (default without both: 1e-4 of the output's greatest "
     "magnitude)",
     [](Options& o, const std::string& v) { o.atol = real("--atol", v); }},
    {"--jobs", "N", kVerify, false, "models that are built and run at the same time (default 1)",
     [](Options& o, const std::string& v) { o.jobs = number("--jobs", v, 1, 256); }},
    {"--in", "FILE.npz", kRun | kBench, false, "inputs by name (default: made from --seed)",
     [](Options& o, const std::string& v) { o.in = v; }},
    {"--out", "FILE.npz", kRun, false, "writes the outputs",
     [](Options& o, const std::string& v) { o.out = v; }},
    {"--fill", "INPUT=LO..HI", kRunning, false, "range of an input that macec makes itself",
     [](Options& o, const std::string& v) { add_fill(o, v); }},
    {"--seed", "N", kRunning, false, "of inputs that macec makes itself (default 1)",
     [](Options& o, const std::string& v) {
       o.seed = static_cast<uint64_t>(number("--seed", v, 0, INT32_MAX));
     }},
    {"--threads", "N", kBench | kRun | kVerify, false, "workers of a run (default 1)",
     [](Options& o, const std::string& v) { o.threads = number("--threads", v, 1, 64); }},
    {"--level", "N", kRunning, false,
     "instruction-set level, counted from 1 (default: the best of this machine)",
     [](Options& o, const std::string& v) { o.level = number("--level", v, 0, 16); }},
    {"--device", "gpu|cpu|any", kRunning, false,
     "where a model with an OpenCL half runs (default: gpu, and it fails if it cannot; any under "
     "an "
     "emulator)",
     [](Options& o, const std::string& v) {
       o.device = one_of("--device", v, {"gpu", "cpu", "any"});
     }},
    {"--opencl", "FILE", kRunning, false, "the OpenCL library (default: the machine's)",
     [](Options& o, const std::string& v) { o.opencl = v; }},
    {"--runs", "N", kBench, false, "runs that are timed (default 50)",
     [](Options& o, const std::string& v) { o.runs = number("--runs", v, 1, 1000000); }},
    {"--optimize", "FLAG", kRunning, false,
     "optimisation of the compiler that builds the generated code (default -O2)",
     [](Options& o, const std::string& v) {
       o.optimize = one_of("--optimize", v, {"-O0", "-O1", "-O2", "-O3", "-Os"});
     }},
    {"--keep", nullptr, kRunning, false, "keeps the temporary folder and prints its path",
     [](Options& o, const std::string&) { o.keep = true; }},
    {"--json", nullptr, kInspect | kVerify | kBench | kList, false, "prints JSON on stdout",
     [](Options& o, const std::string&) { o.json = true; }},
    {"--help", nullptr, kAll, false, "prints this",
     [](Options& o, const std::string&) { o.wants_help = true; }},
    {"--version", nullptr, kAll, false, "prints the version",
     [](Options& o, const std::string&) { o.wants_version = true; }},
};

const FlagRow* find_flag(const std::string& name) {
  for (const FlagRow& flag : kFlags)
    if (name == flag.name || (name == "-h" && std::string_view(flag.name) == "--help"))
      return &flag;
  return nullptr;
}

const CommandRow* find_command(const std::string& name) {
  for (const CommandRow& command : commands())
    if (name == command.name) return &command;
  return nullptr;
}

bool looks_like_file(const std::string& word) {
  return word.find('.') != std::string::npos || word.find('/') != std::string::npos ||
         file_exists(word);
}

const CommandRow& pick_command(const std::vector<std::string>& arguments) {
  const std::string& first = arguments[0];
  if (const CommandRow* command = find_command(first)) return *command;
  if (starts_with(first, "-") || looks_like_file(first)) return *find_command("compile");
  std::vector<std::string> names;
  for (const CommandRow& command : commands()) names.push_back(command.name);
  const std::string near = nearest(first, names);
  throw UsageError(fmt::format("no command or file '{}'{}", printable(first),
                               near.empty() ? "" : fmt::format("; did you mean {}?", near)),
                   near.empty() ? "macec --help lists the commands" : "");
}

[[noreturn]] void refuse_flag(const std::string& name, const CommandRow& command) {
  std::vector<std::string> names;
  for (const FlagRow& flag : kFlags)
    if (flag.commands & command.bit) names.push_back(flag.name);
  const std::string near = nearest(name, names);
  throw UsageError(
      fmt::format("{} has no flag '{}'{}", command.name, printable(name),
                  near.empty() ? "" : fmt::format("; did you mean {}?", near)),
      near.empty() ? fmt::format("macec {} --help lists its flags", command.name) : "");
}

// One flag, with its value in the same word (--dim=n=3) or the next one. Returns how many words it took.
size_t take_flag(const CommandRow& command, const std::vector<std::string>& words, size_t at,
                 Options* options) {
  const std::string& word = words[at];
  const size_t equal = starts_with(word, "--") ? word.find('=') : std::string::npos;
  const std::string name = word.substr(0, equal);
  const FlagRow* flag = find_flag(name);
  if (!flag || !(flag->commands & command.bit)) refuse_flag(name, command);
  std::string value;
  size_t taken = 1;
  if (!flag->value) {
    if (equal != std::string::npos) throw UsageError(fmt::format("{} takes no value", name));
  } else if (equal != std::string::npos) {
    value = word.substr(equal + 1);
  } else {
    if (at + 1 >= words.size())
      throw UsageError(fmt::format("{} needs a value: {} {}", name, name, flag->value));
    value = words[at + 1];
    taken = 2;
  }
  flag->apply(*options, value);
  if (flag->shapes_code) {
    const std::string text = shell_quoted(flag->value ? fmt::format("{}={}", name, value) : name);
    options->shaping += (options->shaping.empty() ? "" : " ") + text;
    if (flag->commands & kVerify) options->verify_flags += " " + text;
  }
  return taken;
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  if (arguments.empty())
    throw UsageError("no model is given",
                     "macec model.onnx compiles it; macec --help lists the commands");
  const CommandRow& command = pick_command(arguments);
  options.command = command.name;
  options.arguments = arguments;
  bool only_files = false;
  for (size_t at = arguments[0] == command.name ? 1 : 0; at < arguments.size();) {
    const std::string& word = arguments[at];
    if (word == "--" && !only_files) {
      only_files = true;
      ++at;
    } else if (!only_files && word.size() > 1 && word[0] == '-') {
      at += take_flag(command, arguments, at, &options);
    } else {
      options.files.push_back(word);
      ++at;
    }
  }
  if (options.wants_help && arguments[0] != command.name) options.command = "";
  if (options.files.empty() && !options.wants_help && !options.wants_version)
    throw UsageError(
        fmt::format("{} needs {}", command.name,
                    command.bit == kList ? "a word: ops, targets, kernels or passes" : "a model"),
        fmt::format("usage: {}", command.usage));
  if (options.files.size() > 1 && (command.bit & (kInspect | kBench | kRun)))
    throw UsageError(
        fmt::format("{} takes one model, and {} are given", command.name, options.files.size()));
  return options;
}

std::string version_text() {
  return "macec " MACEC_VERSION "\n";
}

static std::string flags_text(unsigned bit) {
  std::string out;
  for (const FlagRow& flag : kFlags) {
    if (!(flag.commands & bit)) continue;
    const std::string name =
        flag.value
            ? fmt::format("{}{}{}", flag.name, starts_with(flag.name, "--") ? "=" : " ", flag.value)
            : flag.name;
    out += name.size() > 22 ? fmt::format("  {}\n{:26}{}\n", name, "", flag.doc)
                            : fmt::format("  {:<22}  {}\n", name, flag.doc);
  }
  return out;
}

constexpr const char* kExitCodes =
    "exit codes:\n  0   done\n  1   the model or the flags are wrong; verify: an output differs\n  "
    "2   this command line means nothing\n"
    "  70  a bug in macec\n";

std::string help_text(const std::string& name) {
  std::string out;
  const CommandRow* command = find_command(name);
  if (command) {
    out = fmt::format("{}\n\n{}\n\nflags:\n{}\nexamples:\n", command->usage, command->doc,
                      flags_text(command->bit));
    for (const char* example : command->examples) out += fmt::format("  {}\n", example);
    return out + "\n" + kExitCodes;
  }
  out = "macec compiles an ONNX model into one C++ source and its header.\n\n";
  for (const CommandRow& row : commands())
    out += fmt::format("  {}\n{:10}{}\n", row.usage, "", row.doc);
  out += "\nmacec COMMAND --help prints its flags. Those of compile:\n" + flags_text(kCompile) +
         "\nexamples:\n";
  for (const CommandRow& row : commands()) out += fmt::format("  {}\n", row.examples[0]);
  return out + "\n" + kExitCodes;
}

}  // namespace macec
