// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/summary.h"

#include <algorithm>

#include "compiler/driver/placement.h"
#include "compiler/ops/bodies.h"
#include "compiler/emit/fill_interface.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {

static std::string title_of(const Node& node) {
  return node.origins.empty() ? node.op : printable(node.origins[0]);
}

constexpr size_t kMostPorts = 6;  // the generated signature lists as many; more become a struct

std::string ports_text(const std::vector<Port>& ports) {
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
static std::string call_text(const Compilation& compilation, const Target& target) {
  const CompiledModel& model = compilation.model;
  const ModelInterface interface =
      fill_interface(model, target, place_weights(model.plans), EmitOptions());
  const size_t tensors = interface.inputs.size() + interface.outputs.size();
  std::vector<std::string> arguments;
  const bool once = interface.dims.empty() && interface.states.empty() && !interface.gpu;
  if (once)
    arguments = {"memory", "sizeof memory"};
  else
    arguments = {"model"};
  for (const InterfaceDim& dim : interface.dims) arguments.push_back(dim.identifier);
  if (tensors > kMostPorts) {
    arguments.push_back("&io");
  } else {
    for (const InterfaceTensor& t : interface.inputs) arguments.push_back(t.identifier);
    for (const InterfaceTensor& t : interface.outputs) arguments.push_back(t.identifier);
  }
  return fmt::format("{}_{}({})", model.name, once ? "once" : "run", join(arguments, ", "));
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

std::string summary(const Outputs& outputs, const Options& options) {
  std::vector<std::string> files;
  std::string assembly;
  for (const EmittedFile& file : outputs.files) {
    files.push_back(
        fmt::format("{} {}", file.name, bytes_text(static_cast<int64_t>(file.bytes.size()))));
    if (ends_with(file.name, ".S")) assembly += " " + file.name;
  }
  const std::string note = options.target_is_given ? ""
                           : outputs.target.name == "armv8"
                               ? " (this machine)"
                               : " (this machine; a phone: --target=armv8)";
  std::string out = fmt::format("{}   target {}{}\n", join(files, ", "), outputs.target.name, note);
  for (const Compilation& compilation : outputs.models) {
    const CompiledModel& model = compilation.model;
    const ModelInterface interface =
        fill_interface(model, outputs.target, place_weights(model.plans), EmitOptions());
    out += fmt::format("  in  {}   out {}   memory {} bytes, weights {}\n",
                       ports_text(model.inputs), ports_text(model.outputs),
                       with_commas(memory_bytes(interface)), bytes_text(weight_bytes(model)));
    if (const std::string placed = placement_summary(model, outputs.target); !placed.empty())
      out += fmt::format("  {}\n", placed);
    for (const std::string& line : notes(compilation.imported))
      out += fmt::format("  {}\n", line);
    std::string check = fmt::format("macec verify {}", shell_quoted(compilation.path));
    if (!options.shaping.empty()) check += " " + options.shaping;
    const std::vector<std::string>& flags = outputs.target.compiler_flags;
    out += fmt::format("  {}   build: {} -O2{} -c {}.cpp{}   check: {}\n",
                       call_text(compilation, outputs.target), outputs.target.compiler,
                       flags.empty() ? "" : " " + join(flags, " "), outputs.stem, assembly, check);
  }
  return out;
}

}  // namespace macec
