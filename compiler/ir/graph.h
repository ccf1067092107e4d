// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graph: what the model computes. SSA over values; ids instead of pointers, so dumps are stable.
//
// A node is one operator in ONNX's newest form (importers rewrite older ones), plus an *epilogue*:
// pointwise steps that passes fused behind it. A node of type "Pointwise" has only steps and no
// main result.
//
// Bodies (of If, Loop, Scan) are graphs of their own, isolated: every outer value a body uses is an
// explicit input of the node. If: inputs[0] is the condition, inputs[1..] are handed to both bodies
// as parameters. Loop: inputs[0] trip count (or none), inputs[1] condition (or none), then the
// carried values (attribute `carried` counts them), then captured values; the body's parameters are
// iteration, condition, carried..., captured...; its results are condition, carried..., scan
// outputs...
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "compiler/ir/tensor.h"
#include "compiler/ir/type.h"

namespace macec {

struct OpDef;  // compiler/ops/op_def.h

struct ValueId {
  int32_t index = -1;  // -1: none (an optional input not given)
  bool is_valid() const { return index >= 0; }
  bool operator==(ValueId o) const { return index == o.index; }
  bool operator!=(ValueId o) const { return index != o.index; }
  bool operator<(ValueId o) const { return index < o.index; }
};
struct NodeId {
  int32_t index = -1;
  bool is_valid() const { return index >= 0; }
  bool operator==(NodeId o) const { return index == o.index; }
  bool operator!=(NodeId o) const { return index != o.index; }
  bool operator<(NodeId o) const { return index < o.index; }
};

struct Value {
  std::string name;  // as in the model; unique within a graph
  TensorType type;
  NodeId producer;     // none: graph input, constant, body parameter
  TensorPtr constant;  // set: the contents are known at compile time
  std::optional<std::vector<Dim>>
      known;  // small integer tensors: each element as an extent, row-major
};

using Attribute = std::variant<int64_t, float, std::string, std::vector<int64_t>,
                               std::vector<float>, std::vector<std::string>, TensorPtr>;
using Attributes = std::map<std::string, Attribute>;

// What a pointwise step reads.
struct StepArg {
  enum Kind { result, step, input } kind = result;
  int index = 0;  // of the step, or of the node's input; 0 for the main result
  bool operator==(const StepArg& o) const { return kind == o.kind && index == o.index; }
};
// One elementwise operation (a row of ops/elementwise.h) inside an epilogue or a Pointwise node.
struct PointwiseStep {
  std::string op;  // "Add", "Relu", "Cast", "Clip", ...
  std::vector<StepArg> args;
  DType dtype = DType::float32;  // of the result
  Attributes attributes;         // alpha, to, ...
};

struct Graph;

struct Node {
  std::string op;  // canonical type, "Conv"; equals def->name
  const OpDef* def = nullptr;
  std::string name;  // of its main ONNX node; may be empty
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attributes attributes;
  std::vector<PointwiseStep> epilogue;  // the last step's value is output 0
  std::vector<std::string> origins;  // "Conv '/features/0'": all ONNX nodes that went into this one
  std::vector<Graph> bodies;
  // Type of the main result where the epilogue changes it; undefined: as output 0.
  DType epilogue_input_type = DType::undefined;
  int onnx_index = -1;   // position in the ONNX file, for messages
  bool is_dead = false;  // removed; ids stay valid

  bool has_attribute(const std::string& key) const { return attributes.count(key) != 0; }
  int64_t int_attribute(const std::string& key, int64_t otherwise) const;
  float float_attribute(const std::string& key, float otherwise) const;
  std::string string_attribute(const std::string& key, const std::string& otherwise) const;
  std::vector<int64_t> ints_attribute(const std::string& key,
                                      std::vector<int64_t> otherwise = {}) const;
  std::vector<float> floats_attribute(const std::string& key,
                                      std::vector<float> otherwise = {}) const;
  TensorPtr tensor_attribute(const std::string& key) const;  // nullptr if absent
};

// Two extents that must agree when the model runs. In a body: when the body runs.
struct ExtentCheck {
  Dim a, b;
  std::string text_a, text_b;  // "axis 1 of 'x'"
  bool is_on_computed() const { return a.has_computed() || b.has_computed(); }
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;               // storage; see order
  std::vector<NodeId> order;             // a topological order of the living nodes
  std::vector<ValueId> inputs, outputs;  // of a body: parameters, results
  std::vector<std::shared_ptr<const Symbol>>
      symbols;  // given by the caller, in order of first use in inputs
  std::vector<ExtentCheck> checks;
  std::map<std::string, int64_t>
      bounds;  // --bound: the most elements along axis 0 of a value whose size depends on data
  int64_t next_name = 0;  // for fresh names

  Value& value(ValueId id) { return values[static_cast<size_t>(id.index)]; }
  const Value& value(ValueId id) const { return values[static_cast<size_t>(id.index)]; }
  Node& node(NodeId id) { return nodes[static_cast<size_t>(id.index)]; }
  const Node& node(NodeId id) const { return nodes[static_cast<size_t>(id.index)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }
};

}  // namespace macec
