// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/place.h"

#include "compiler/support/text.h"

namespace macec {

constexpr size_t kMostInputs = 6;  // named in a message

std::string place(const Value& value) {
  const std::string name = printable(value.name);
  return value.type.dtype == DType::undefined ? name : fmt::format("{} {}", name, text(value.type));
}

std::string place(const Graph& graph, const Node& node, int total_nodes) {
  std::string out = printable(node.op);
  if (!node.name.empty()) out += fmt::format(" '{}'", printable(node.name));
  if (node.onnx_index >= 0 && total_nodes > 0)
    out += fmt::format(" (node {} of {})", node.onnx_index + 1, total_nodes);
  else if (node.onnx_index >= 0)
    out += fmt::format(" (node {})", node.onnx_index + 1);
  std::vector<std::string> inputs;
  for (const ValueId input : node.inputs) {
    if (inputs.size() == kMostInputs) {
      inputs.push_back("...");
      break;
    }
    inputs.push_back(input.is_valid() ? place(graph.value(input)) : "none");
  }
  return inputs.empty() ? out : out + ": " + join(inputs, ", ");
}

}  // namespace macec
