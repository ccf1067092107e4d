// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operator on given inputs: what inference says and what evaluation gives.
#pragma once
#include <string>
#include <vector>

#include "compiler/ir/edit.h"
#include "compiler/ops/registry.h"

namespace macec {

// A graph of one node. Inputs are constants or tensors of a type; inference runs in the constructor.
struct OneNode {
  struct Input {
    TensorPtr constant;  // or
    TensorType type;     // rank and extents known, contents not
  };
  static Input of(Tensor tensor) { return {std::make_shared<const Tensor>(std::move(tensor)), {}}; }
  static Input of(Shape shape, DType dtype = DType::float32) {
    return {nullptr, {dtype, std::move(shape), Layout::plain}};
  }

  static Input none() { return {}; }  // not given

  OneNode(const std::string& op, std::vector<Input> inputs, Attributes attributes = {},
          int outputs = 1) {
    Node node;
    node.op = op;
    node.def = find_op(op);
    node.name = op;
    node.attributes = std::move(attributes);
    for (Input& input : inputs) {
      if (!input.constant && input.type.dtype == DType::undefined) {
        node.inputs.push_back(ValueId{});
        continue;
      }
      ValueId id = add_value(graph, fresh_name(graph, "in"),
                             input.constant ? input.constant->type() : input.type);
      graph.value(id).constant = input.constant;
      if (!input.constant) graph.inputs.push_back(id);
      node.inputs.push_back(id);
    }
    for (int o = 0; o < outputs; ++o) {
      ValueId id = add_value(graph, fresh_name(graph, "out"), {});
      graph.value(id).producer = NodeId{0};
      graph.outputs.push_back(id);
      node.outputs.push_back(id);
    }
    graph.nodes.push_back(std::move(node));
    graph.order.push_back(NodeId{0});
    infer_node(graph, NodeId{0});
  }

  const TensorType& type(int output = 0) const {
    return graph.type(graph.outputs[static_cast<size_t>(output)]);
  }
  const Shape& shape(int output = 0) const { return type(output).shape; }
  const std::optional<std::vector<Dim>>& known(int output = 0) const {
    return graph.value(graph.outputs[static_cast<size_t>(output)]).known;
  }
  std::vector<Tensor> evaluate(const std::vector<Tensor>& inputs = {}) const {
    return evaluate_graph(graph, inputs);
  }

  Graph graph;
};

// 0, 1, 2, ... as float32.
inline Tensor counting(std::vector<int64_t> shape) {
  Tensor tensor(DType::float32, std::move(shape));
  for (int64_t i = 0; i < tensor.count(); ++i) tensor.set_f64(i, static_cast<double>(i));
  return tensor;
}
inline Tensor ints(const std::vector<int64_t>& v) {
  return Tensor::vector_i64(v);
}
inline Dim ranged(const char* name, int64_t lo, int64_t hi, int64_t step = 1) {
  return Dim::symbol(std::make_shared<const Symbol>(Symbol{name, lo, hi, step, false}));
}

}  // namespace macec
