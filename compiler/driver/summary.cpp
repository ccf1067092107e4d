// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/summary.h"

#include <algorithm>

#include "compiler/driver/placement.h"
#include "compiler/emit/fill_interface.h"
#include "compiler/ops/bodies.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {

static std::string title_of(const Node& node) {
  return node.origins.empty() ? node.op : printable(node.origins[0]);
}

std::string ports_text(const std::vector<Port>& ports) {
  constexpr size_t kMostPorts = 6;
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(ports.size(), kMostPorts); ++i)
    parts.push_back(fmt::format("{} {}", printable(ports[i].name), text(ports[i].type)));
  if (ports.size() > kMostPorts) parts.push_back(fmt::format("{} more", ports.size() - kMostPorts));
  return join(parts, ", ");
}

int64_t weight_bytes(const CompiledModel& model) {
  int64_t bytes = second_plan_weight_bytes(model);
  for (const Weight& weight : model.plans[0].weights)
    bytes += static_cast<int64_t>(weight.bytes.size());
  return bytes;
}

// The call as an app writes it, with the identifiers of the header.
static std::string call_text(const ModelInterface& interface) {
  const bool once = interface.has_once();
  std::vector<std::string> arguments = {"model"};
  if (once) arguments = {"memory", "sizeof memory"};
  for (const InterfaceDim& dim : interface.dims) arguments.push_back(dim.identifier);
  if (interface.has_io_struct()) {
    arguments.push_back("&io");
  } else {
    for (const InterfaceTensor& t : interface.inputs) arguments.push_back(t.identifier);
    for (const InterfaceTensor& t : interface.outputs) arguments.push_back(t.identifier);
  }
  return fmt::format("{}_{}({})", interface.name, once ? "once" : "run", join(arguments, ", "));
}

std::vector<std::string> notes(const Graph& imported) {
  std::vector<std::string> lines;
  for (const NodeId id : imported.order)
    for (const Graph& body : imported.node(id).bodies) {
      for (std::string& line : notes(body)) lines.push_back(std::move(line));
      if (const Node* failing = failing_node(body))
        lines.push_back(fmt::format(
            "note: {}; a run in which {} takes that branch ends with MACEC_E_SHAPE",
            printable(failing->string_attribute("text", "")), title_of(imported.node(id))));
    }
  return lines;
}

// How the files are built and checked: "build: g++ -O2 -c out/kws.cpp   check: macec verify kws.onnx".
static std::string commands_text(const Outputs& outputs, const Options& options) {
  const Target& target = outputs.target;
  const std::string folder = folder_of(options.output);
  const auto placed = [&](const std::string& name) {
    return shell_quoted(folder == "." ? name : folder + "/" + name);
  };
  std::vector<std::string> build = {target.compiler, "-O2"};
  build.insert(build.end(), target.compiler_flags.begin(), target.compiler_flags.end());
  build.insert(build.end(), {"-c", placed(outputs.files[0].name)});
  bool has_assembly = false;
  for (const EmittedFile& file : outputs.files) {
    if (!ends_with(file.name, ".S")) continue;
    build.push_back(placed(file.name));
    has_assembly = true;
  }
  if (has_assembly && folder != ".") build.push_back("-I" + shell_quoted(folder));
  std::vector<std::string> check = {"macec verify"};
  for (const Compilation& model : outputs.models) check.push_back(shell_quoted(model.path));
  return fmt::format("build: {}   check: {}{}", join(build, " "), join(check, " "),
                     options.verify_flags);
}

std::string summary(const Outputs& outputs, const Options& options) {
  std::vector<std::string> files;
  for (const EmittedFile& file : outputs.files)
    files.push_back(
        fmt::format("{} {}", file.name, bytes_text(static_cast<int64_t>(file.bytes.size()))));
  const std::string note = options.target_is_given ? ""
                           : outputs.target.name == "armv8"
                               ? " (this machine)"
                               : " (this machine; a phone: --target=armv8)";
  std::string out = fmt::format("{}   target {}{}\n", join(files, ", "), outputs.target.name, note);
  const std::string commands = commands_text(outputs, options);
  const bool is_single = outputs.models.size() == 1;
  for (const Compilation& compilation : outputs.models) {
    const CompiledModel& model = compilation.model;
    const ModelInterface interface =
        fill_interface(model, outputs.target, place_weights(model.plans), outputs.emit_options);
    out += fmt::format("  in  {}   out {}   memory {} bytes, weights {}\n",
                       ports_text(model.inputs), ports_text(model.outputs),
                       with_commas(memory_bytes(interface)), bytes_text(weight_bytes(model)));
    if (const std::string placed = placement_summary(model, outputs.target); !placed.empty())
      out += fmt::format("  {}\n", placed);
    for (const std::string& line : notes(compilation.imported)) out += fmt::format("  {}\n", line);
    out += fmt::format("  {}{}\n", call_text(interface), is_single ? "   " + commands : "");
  }
  return is_single ? out : out + fmt::format("  {}\n", commands);
}

}  // namespace macec
