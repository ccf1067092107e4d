// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph of the file made ready for building: function calls expanded, every name defined once, nodes sorted, and only
// what the outputs need.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/onnx/functions.h"

namespace macec {

struct SourceGraph {
  const onnx::GraphProto* proto = nullptr;
  std::vector<SourceNode> nodes;  // in an order in which each can be built
  std::unordered_map<std::string_view, const onnx::TensorProto*> initializers;
  std::vector<std::string> outputs;
  int total_nodes = 0;  // of the file's list, for "node 3 of 12"
};

// What is cut: names that become inputs although a node makes them, and the outputs wanted (empty: the graph's own).
struct Cut {
  std::vector<std::string> inputs, outputs;
};

class SourceReader {
 public:
  explicit SourceReader(const onnx::ModelProto& model) : functions_(model) {}
  // Throws UserError: a name defined twice, a cycle (named), an output or value that nothing makes.
  // outer: tells whether an enclosing graph has a value of that name.
  SourceGraph read(const onnx::GraphProto& graph, const Opsets& opsets, const Cut& cut);
  // Names that a body uses from the graphs around it, in order of first use. Cached.
  const std::vector<std::string>& free_names(const onnx::GraphProto& body);

 private:
  void define(const SourceGraph& source, const Cut& cut,
              std::unordered_map<std::string_view, int>* makers) const;
  Functions functions_;
  std::unordered_map<const onnx::GraphProto*, std::vector<std::string>> free_;
};

// "Conv '/features/0'", or "Conv" without a name.
std::string title(const onnx::NodeProto& node);

}  // namespace macec
