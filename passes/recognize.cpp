// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds operators that exporters write in pieces.
//
//   %m = ReduceMean(%x, -1)   %d = Sub(%x, %m)   %v = ReduceMean(Pow(%d, 2), -1)     %y = LayerNormalization(%x, scale, bias)
//   %y = Div(%d, Sqrt(Add(%v, eps))) [* scale [+ bias]]
//
//   %y = x * 0.5 * (1 + Erf(x / 1.4142))  in any order of the factors                %y = Gelu(%x)
//
// recognize_more.cpp has RMSNormalization, HardSwish, Gelu by Tanh and Softmax.
// Left alone if a value in between has another user, or the last axis has no fixed extent.
// Tests: tests/filetests/recognize/
#include <cmath>

#include "passes/passes.h"
#include "passes/recognizer.h"

namespace macec {
namespace {

struct LayerRecognizer : Recognizer {
  // What divides: Sqrt(Add(ReduceMean(d * d), epsilon)). Sets epsilon.
  bool is_deviation(ValueId divisor, ValueId d, float* epsilon) const {
    const Node* root = made_by(divisor, "Sqrt");
    const Node* sum = root && users.single(divisor) ? made_by(root->inputs[0], "Add") : nullptr;
    if (!sum || !users.single(root->inputs[0])) return false;
    const size_t side = constant(sum->inputs[1]) ? 1 : 0;
    const Tensor* small = constant(sum->inputs[side]);
    const ValueId variance = sum->inputs[1 - side];
    const Node* mean = made_by(variance, "ReduceMean");
    if (!small || small->count() != 1 || !mean || !users.single(variance) ||
        !users.single(mean->inputs[0]))
      return false;
    if (!is_mean_of_last_axis(*mean, mean->inputs[0])) return false;
    *epsilon = static_cast<float>(small->f64(0));
    const Node* power = made_by(mean->inputs[0], "Pow");
    const Node* square = made_by(mean->inputs[0], "Mul");
    const size_t uses = users.of(d).size();
    if (power) return power->inputs[0] == d && is_number(power->inputs[1], 2) && uses == 2;
    return square && square->inputs[0] == d && square->inputs[1] == d && uses == 3;
  }

  void layer_norm(NodeId id) {
    const Node& divide = graph.node(id);
    if (divide.op != "Div" || !divide.epilogue.empty()) return;
    const ValueId d = divide.inputs[0];
    const Node* minus = made_by(d, "Sub");
    if (!minus || users.is_output(d)) return;
    const ValueId x = minus->inputs[0], m = minus->inputs[1];
    const Node* mean = made_by(m, "ReduceMean");
    const TensorType type = graph.type(x);
    if (!mean || !users.single(m) || !is_mean_of_last_axis(*mean, x) ||
        !type.shape.back().is_fixed())
      return;
    if (type.dtype != DType::float32 && type.dtype != DType::float16) return;
    float epsilon = 0;
    if (!is_deviation(divide.inputs[1], d, &epsilon)) return;
    const int64_t n = type.shape.back().value();
    const Tensor *scale = nullptr, *bias = nullptr;
    NodeId last = id;
    const NodeId multiply = scaled_by(divide.outputs[0], "Mul", n, &scale);
    std::vector<NodeId> from = {graph.value(m).producer, graph.value(d).producer, id};
    if (multiply.is_valid()) {
      from.push_back(last = multiply);
      const NodeId add = scaled_by(graph.node(multiply).outputs[0], "Add", n, &bias);
      if (add.is_valid()) from.push_back(last = add);
    }
    NewNode node;
    node.op = "LayerNormalization";
    node.def = find_op(node.op);
    node.name = divide.name;
    node.inputs = {x, vector_constant(divide.name + ".scale", multiply.is_valid() ? scale : nullptr,
                                      type.dtype, n)};
    if (bias && last != multiply)
      node.inputs.push_back(vector_constant(divide.name + ".bias", bias, type.dtype, n));
    node.attributes["axis"] = int64_t{-1};
    node.attributes["epsilon"] = epsilon;
    replace(last, std::move(node), from);
  }

  // 1 + Erf(x / sqrt 2), used once; x.
  ValueId gelu_input(ValueId sum) const {
    const Node* add = made_by(sum, "Add");
    if (!add || !users.single(sum)) return {};
    const size_t side = is_number(add->inputs[0], 1) ? 1 : 0;
    const Node* erf = made_by(add->inputs[side], "Erf");
    if (!erf || !is_number(add->inputs[1 - side], 1) || !users.single(add->inputs[side]) ||
        !users.single(erf->inputs[0]))
      return {};
    if (const Node* divide = made_by(erf->inputs[0], "Div")) {
      return is_number(divide->inputs[1], std::sqrt(2.0)) ? divide->inputs[0] : ValueId{};
    }
    const Node* multiply = made_by(erf->inputs[0], "Mul");
    if (!multiply) return {};
    if (is_number(multiply->inputs[1], std::sqrt(0.5))) return multiply->inputs[0];
    return is_number(multiply->inputs[0], std::sqrt(0.5)) ? multiply->inputs[1] : ValueId{};
  }

  // The product of x, 0.5 and 1 + Erf(...), in any order and grouping.
  void gelu(NodeId id) {
    const Node& outer = graph.node(id);
    if (outer.op != "Mul" || !outer.epilogue.empty() || outer.inputs.size() != 2) return;
    for (size_t side = 0; side < 2; ++side) {
      const Node* inner = made_by(outer.inputs[side], "Mul");
      if (!inner || !users.single(outer.inputs[side])) continue;
      const ValueId factors[3] = {inner->inputs[0], inner->inputs[1], outer.inputs[1 - side]};
      ValueId x, rest[2];
      for (int f = 0; f < 3; ++f) {
        x = gelu_input(factors[f]);
        rest[0] = factors[(f + 1) % 3], rest[1] = factors[(f + 2) % 3];
        if (x.is_valid()) break;
      }
      if (!x.is_valid() || graph.type(outer.outputs[0]).shape != graph.type(x).shape) continue;
      const bool matches =
          (rest[0] == x && is_number(rest[1], 0.5)) || (rest[1] == x && is_number(rest[0], 0.5));
      if (!matches) continue;
      NewNode node;
      node.op = "Gelu";
      node.def = find_op(node.op);
      node.name = outer.name;
      node.inputs = {x};
      replace(id, std::move(node), {graph.value(outer.inputs[side]).producer, id});
      return;
    }
  }
};

}  // namespace

bool recognize(Graph& graph, PassContext&) {
  LayerRecognizer recognizer{{graph, Users(graph)}};
  for (NodeId id : std::vector<NodeId>(graph.order)) {
    recognizer.layer_norm(id);
    recognizer.gelu(id);
    recognize_gelu_of_tanh(recognizer, id);
    recognize_rms_norm(recognizer, id);
    recognize_hard_swish(recognizer, id);
    recognize_softmax(recognizer, id);
  }
  if (recognizer.changed) remove_dead(graph);
  return recognizer.changed;
}

}  // namespace macec
