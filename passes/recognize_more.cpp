// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More operators that exporters write in pieces; each function looks back from the last node.
//
//   x / Sqrt(ReduceMean(x * x) + eps) [* scale]             RMSNormalization(x, scale)
//   x * Clip(x + 3, 0, 6) / 6                               HardSwish(x)
//   x * 0.5 * (1 + Tanh(0.798 * (x + 0.0447 * x * x * x)))  Gelu(x), approximate = tanh
//   e / ReduceSum(e),  e = Exp(x - ReduceMax(x))            Softmax(x)
//
// Tests: tests/filetests/recognize/
#include <algorithm>

#include "passes/recognizer.h"

namespace macec {
namespace {

NewNode new_node(const char* op, const std::string& name, std::vector<ValueId> inputs) {
  NewNode node;
  node.op = op;
  node.def = find_op(op);
  node.name = name;
  node.inputs = std::move(inputs);
  return node;
}

NodeId producer(const Recognizer& r, ValueId v) {
  return r.graph.value(v).producer;
}

// The mean of squares of x along the last axis; nobody else reads it.
bool is_mean_of_squares(const Recognizer& r, ValueId v, ValueId x) {
  const Node* mean = r.made_by(v, "ReduceMean");
  if (!mean || !r.users.single(v) || !r.users.single(mean->inputs[0]) ||
      !r.is_mean_of_last_axis(*mean, mean->inputs[0]))
    return false;
  if (const Node* power = r.made_by(mean->inputs[0], "Pow"))
    return power->inputs[0] == x && r.is_number(power->inputs[1], 2);
  const Node* square = r.made_by(mean->inputs[0], "Mul");
  return square && square->inputs[0] == x && square->inputs[1] == x;
}

// Sqrt(mean of squares of x + epsilon).
bool is_root(const Recognizer& r, ValueId v, ValueId x, float* epsilon) {
  const Node* root = r.made_by(v, "Sqrt");
  const Node* sum = root && r.users.single(v) ? r.made_by(root->inputs[0], "Add") : nullptr;
  if (!sum || !r.users.single(root->inputs[0])) return false;
  const size_t side = r.constant(sum->inputs[1]) ? 1 : 0;
  const Tensor* small = r.constant(sum->inputs[side]);
  if (!small || small->count() != 1) return false;
  *epsilon = static_cast<float>(small->f64(0));
  return is_mean_of_squares(r, sum->inputs[1 - side], x);
}

// What x is multiplied by: one over the root, in any spelling.
bool is_inverse_root(const Recognizer& r, ValueId v, ValueId x, float* epsilon) {
  if (!r.users.single(v)) return false;
  if (const Node* inverse = r.made_by(v, "Reciprocal"))
    return is_root(r, inverse->inputs[0], x, epsilon);
  const Node* divide = r.made_by(v, "Div");
  return divide && r.is_number(divide->inputs[0], 1) && is_root(r, divide->inputs[1], x, epsilon);
}

// x * Clip(x + 3, 0, 6), before the division; nobody else reads what is in between.
bool is_clipped(const Recognizer& r, ValueId v, ValueId x) {
  const Node* clip = r.made_by(v, "Clip");
  if (!clip || !r.users.single(v) || clip->inputs.size() < 3) return false;
  const Node* sum = r.made_by(clip->inputs[0], "Add");
  return sum && r.users.single(clip->inputs[0]) && r.is_number(clip->inputs[1], 0) &&
         r.is_number(clip->inputs[2], 6) &&
         ((sum->inputs[0] == x && r.is_number(sum->inputs[1], 3)) ||
          (sum->inputs[1] == x && r.is_number(sum->inputs[0], 3)));
}

// The value that is divided by six; none if `id` does something else.
ValueId sixth(const Recognizer& r, const Node& node) {
  if (node.op == "Div") return r.is_number(node.inputs[1], 6) ? node.inputs[0] : ValueId{};
  if (node.op != "Mul") return {};
  for (size_t side : {0, 1})
    if (r.is_number(node.inputs[side], 1.0 / 6)) return node.inputs[1 - side];
  return {};
}

// All factors of a product whose inner products nobody else reads.
void add_factors(const Recognizer& r, ValueId v, bool is_outer, std::vector<ValueId>* factors) {
  const Node* product = is_outer || r.users.single(v) ? r.made_by(v, "Mul") : nullptr;
  if (!product || factors->size() > 4) return factors->push_back(v);
  add_factors(r, product->inputs[0], false, factors);
  add_factors(r, product->inputs[1], false, factors);
}

// 0.044715 * x^3.
bool is_cube(const Recognizer& r, ValueId v, ValueId x) {
  std::vector<ValueId> factors;
  add_factors(r, v, false, &factors);
  int count = 0, powers = 0;
  for (ValueId factor : factors) {
    const Node* power = r.made_by(factor, "Pow");
    if (factor == x) {
      ++powers;
    } else if (power && power->inputs[0] == x && r.is_number(power->inputs[1], 3) &&
               r.users.single(factor)) {
      powers += 3;
    } else if (r.is_number(factor, 0.044715)) {
      ++count;
    } else {
      return false;
    }
  }
  return count == 1 && powers == 3;
}

// 1 + Tanh(0.7979 * (x + 0.0447 x^3)); x.
ValueId tanh_input(const Recognizer& r, ValueId v) {
  const Node* one = r.users.single(v) ? r.made_by(v, "Add") : nullptr;
  if (!one) return {};
  const size_t side = r.is_number(one->inputs[0], 1) ? 1 : 0;
  const Node* tanh = r.made_by(one->inputs[side], "Tanh");
  if (!tanh || !r.is_number(one->inputs[1 - side], 1) || !r.users.single(one->inputs[side]))
    return {};
  const Node* scaled =
      r.users.single(tanh->inputs[0]) ? r.made_by(tanh->inputs[0], "Mul") : nullptr;
  if (!scaled) return {};
  const size_t number = r.is_number(scaled->inputs[0], 0.7978845608) ? 0 : 1;
  const ValueId inner = scaled->inputs[1 - number];
  const Node* sum = r.users.single(inner) ? r.made_by(inner, "Add") : nullptr;
  if (!sum || !r.is_number(scaled->inputs[number], 0.7978845608)) return {};
  for (size_t s : {0, 1})
    if (is_cube(r, sum->inputs[1 - s], sum->inputs[s])) return sum->inputs[s];
  return {};
}

}  // namespace

void recognize_rms_norm(Recognizer& r, NodeId id) {
  const Node& node = r.graph.node(id);
  if ((node.op != "Mul" && node.op != "Div") || !node.epilogue.empty()) return;
  for (size_t side : {0, 1}) {
    const ValueId x = node.inputs[side], factor = node.inputs[1 - side];
    const TensorType type = r.graph.type(x);
    float epsilon = 0;
    if (type.dtype != DType::float32 && type.dtype != DType::float16) return;
    if (node.op == "Div" && side == 1) return;
    if (type.rank() < 1 || !type.shape.back().is_fixed()) continue;
    if (node.op == "Mul" ? !is_inverse_root(r, factor, x, &epsilon)
                         : !is_root(r, factor, x, &epsilon))
      continue;
    const int64_t n = type.shape.back().value();
    const Tensor* scale = nullptr;
    const NodeId multiply = r.scaled_by(node.outputs[0], "Mul", n, &scale);
    const std::string name = node.name;
    NewNode norm = new_node(
        "RMSNormalization", name,
        {x,
         r.vector_constant(name + ".scale", multiply.is_valid() ? scale : nullptr, type.dtype, n)});
    norm.attributes["axis"] = int64_t{-1};
    norm.attributes["epsilon"] = epsilon;
    std::vector<NodeId> from = {producer(r, factor), id};
    if (multiply.is_valid()) from.push_back(multiply);
    return r.replace(from.back(), std::move(norm), from);
  }
}

void recognize_hard_swish(Recognizer& r, NodeId id) {
  const Node& node = r.graph.node(id);
  if (!node.epilogue.empty() || node.inputs.size() != 2) return;
  ValueId found;
  const ValueId whole = sixth(r, node);  // (x * clip) / 6
  const Node* product =
      whole.is_valid() && r.users.single(whole) ? r.made_by(whole, "Mul") : nullptr;
  for (size_t side : {0, 1}) {
    if (product && is_clipped(r, product->inputs[1 - side], product->inputs[side]))
      found = product->inputs[side];
    if (node.op != "Mul" || found.is_valid()) continue;
    const ValueId x = node.inputs[side], factor = node.inputs[1 - side];  // x * (clip / 6)
    if (!producer(r, factor).is_valid() || !r.users.single(factor)) continue;
    const Node& made = r.graph.node(producer(r, factor));
    if (!made.epilogue.empty()) continue;
    const ValueId clipped = sixth(r, made);
    if (clipped.is_valid() && is_clipped(r, clipped, x)) found = x;
    if (made.op == "HardSigmoid" && made.inputs[0] == x &&
        std::fabs(made.float_attribute("alpha", 0.2f) - 1.0f / 6) < 1e-5f &&
        made.float_attribute("beta", 0.5f) == 0.5f)
      found = x;
  }
  if (!found.is_valid() || r.graph.type(found).shape != r.graph.type(node.outputs[0]).shape) return;
  r.replace(id, new_node("HardSwish", node.name, {found}), {id});
}

void recognize_gelu_of_tanh(Recognizer& r, NodeId id) {
  const Node& node = r.graph.node(id);
  if (node.op != "Mul" || !node.epilogue.empty()) return;
  std::vector<ValueId> factors;
  add_factors(r, node.outputs[0], true, &factors);
  if (factors.size() != 3) return;
  for (size_t f = 0; f < 3; ++f) {
    const ValueId x = tanh_input(r, factors[f]);
    const ValueId a = factors[(f + 1) % 3], b = factors[(f + 2) % 3];
    if (!x.is_valid() || !((a == x && r.is_number(b, 0.5)) || (b == x && r.is_number(a, 0.5))))
      continue;
    if (r.graph.type(x).shape != r.graph.type(node.outputs[0]).shape) return;
    NewNode gelu = new_node("Gelu", node.name, {x});
    gelu.attributes["approximate"] = std::string("tanh");
    return r.replace(id, std::move(gelu), {producer(r, factors[f]), id});
  }
}

void recognize_softmax(Recognizer& r, NodeId id) {
  const Node& node = r.graph.node(id);
  if (node.op != "Div" || !node.epilogue.empty()) return;
  const ValueId e = node.inputs[0], total = node.inputs[1];
  const Node *sum = r.made_by(total, "ReduceSum"), *exp = r.made_by(e, "Exp");
  if (!sum || !exp || !r.users.single(total) || r.users.of(e).size() != 2 || r.users.is_output(e) ||
      !r.is_mean_of_last_axis(*sum, e))
    return;
  const Node* minus = r.users.single(exp->inputs[0]) ? r.made_by(exp->inputs[0], "Sub") : nullptr;
  const Node* most = minus ? r.made_by(minus->inputs[1], "ReduceMax") : nullptr;
  if (!most || !r.users.single(minus->inputs[1]) ||
      !r.is_mean_of_last_axis(*most, minus->inputs[0]) || !info(r.graph.type(e).dtype).is_float)
    return;
  NewNode softmax = new_node("Softmax", node.name, {minus->inputs[0]});
  softmax.attributes["axis"] = int64_t{-1};
  r.replace(id, std::move(softmax), {producer(r, e), producer(r, total), id});
}

}  // namespace macec
