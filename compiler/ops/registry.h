// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of all operators.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

struct OldForm;  // ops/old_opsets.h

const std::vector<OpDef>& all_ops();                    // sorted by name
const OpDef* find_op(std::string_view canonical_name);  // nullptr if there is none
// The operator and version for a node of a model; nullptr if macec does not know it.
struct OpMatch {
  const OpDef* def = nullptr;
  const OpVersion* version = nullptr;
  const OldForm* old_form = nullptr;  // not nullptr: to be raised to `version` first
};
OpMatch match_op(std::string_view domain, std::string_view type, int opset);

// Runs infer and checks of one node and stores the types and contents of its outputs. Throws
// UserError.
void infer_node(Graph& graph, NodeId node);
// Evaluates a node whose inputs are all constants, epilogue included.
std::vector<Tensor> evaluate_node(const Graph& graph, const Node& node,
                                  const std::vector<const Tensor*>& inputs);
// A DequantizeLinear whose weights of 2 or 4 bits stay as small as the model has them: it is not folded, they become floats
// when the model runs.
bool keeps_packed_weights(const Graph& graph, const Node& node);
// Evaluates the whole graph: macec's own reference. `inputs` in the order of graph.inputs; symbols
// take their values from the shapes of the inputs.
std::vector<Tensor> evaluate_graph(const Graph& graph, const std::vector<Tensor>& inputs);

// An operator of ONNX's domain with one output, known since opset `first`; the rest is to be filled in.
OpDef one_result(const char* name, const char* doc, int min_inputs, int max_inputs,
                 int first = kOldestOpset);

// One function per file of ops/: appends its operators. ops/registry.cpp lists them.
using OpList = std::vector<OpDef>;

}  // namespace macec
