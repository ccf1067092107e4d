// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HannWindow, HammingWindow, BlackmanWindow and MelWeightMatrix: tables of signal processing that
// come from sizes alone.
//
//   window    y[i] = a0 - a1 cos(t) + a2 cos(2 t),  t = 2 pi i / n  (periodic; else / (n - 1))
//   mel       one triangle over the bins of a spectrum for each column
#include <cmath>

#include "compiler/ops/expand.h"
#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

DType output_type(const Node& node) {
  const int64_t given = node.int_attribute("output_datatype", 1);
  const DTypeInfo* type = given > 0 && given < 1000 ? find_dtype(static_cast<int>(given)) : nullptr;
  const bool is_number =
      type && ((type->is_float && type->bits >= 16) || (type->is_integer && type->bits >= 8));
  if (!is_number) throw user_error("output_datatype {} is not supported", given);
  return type->dtype;
}

// Windows ----------------------------------------------------------------------------------------

void infer_window(InferContext& context) {
  const std::vector<Dim>& size = require_known(context, 0, "the size of a window");
  if (size.size() != 1) throw user_error("{} sizes, but a window has one", size.size());
  if (size[0].lo() < 0) throw user_error("a window of {} elements", size[0].text());
  context.set_type(0, output_type(context.node), {size[0]});
}

struct Cosines {
  double a0, a1, a2;
};
Cosines cosines_of(const std::string& op) {
  if (op == "HannWindow") return {0.5, 0.5, 0};
  if (op == "HammingWindow") return {25.0 / 46, 21.0 / 46, 0};
  return {0.42, 0.5, 0.08};
}

void expand_window(Expander& e) {
  const Cosines k = cosines_of(e.node().op);
  const auto number = [&](double v) {
    Tensor t(DType::float64, {});
    t.set_f64(0, v);
    return e.constant(std::move(t));
  };
  const ValueId zero = e.constant(Tensor::scalar_i64(0)), one = e.constant(Tensor::scalar_i64(1));
  const ValueId size =
      e.add("Reshape", {e.cast(e.in(0), DType::int64), e.constant(Tensor::vector_i64({}))});
  const bool is_periodic = e.node().int_attribute("periodic", 1) != 0;
  const ValueId turn = is_periodic ? size : e.add("Sub", {size, one});
  const double circle = 2 * std::acos(-1.0);
  const ValueId step = e.add("Div", {number(circle), e.cast(turn, DType::float64)});
  const ValueId i = e.cast(e.add("Range", {zero, size, one}), DType::float64);
  const ValueId t = e.add("Mul", {i, step});
  ValueId y = e.add("Sub", {number(k.a0), e.add("Mul", {number(k.a1), e.add("Cos", {t})})});
  if (k.a2 != 0) {
    const ValueId twice = e.add("Cos", {e.add("Mul", {t, number(2)})});
    y = e.add("Add", {y, e.add("Mul", {number(k.a2), twice})});
  }
  e.result(0, e.cast(y, output_type(e.node())));
}

// MelWeightMatrix --------------------------------------------------------------------------------

// bins, dft_length, sample_rate, then the lowest and the highest frequency.
using MelInputs = std::vector<double>;

Tensor mel_weights(const Node& node, const MelInputs& inputs) {
  const auto bins = static_cast<int64_t>(inputs[0]), length = static_cast<int64_t>(inputs[1]),
             rate = static_cast<int64_t>(inputs[2]);
  if (bins < 0 || bins > 1 << 20 || length < 1 || length > 1 << 26 || rate < 1)
    throw user_error("{} mel bins of {} samples at a rate of {}", bins, length, rate);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const auto hertz = [](double m) { return 700 * (std::pow(10, m / 2595) - 1); };
  const double low = mel(inputs[3]), high = mel(inputs[4]);
  const double step = (high - low) / static_cast<double>(bins + 2);
  const int64_t rows = length / 2 + 1;
  Tensor y(output_type(node), {rows, bins});
  const auto edge = [&](int64_t i, int64_t most) {
    const double f = hertz(static_cast<double>(i) * step + low);
    const double bin = std::floor(static_cast<double>(length + 1) * f / static_cast<double>(rate));
    if (!(bin >= 0 && bin <= static_cast<double>(most)))
      throw user_error("edge {} of the mel bins is {} Hz, beyond the {} bins of the spectrum", i, f,
                       rows);
    return static_cast<int64_t>(bin);
  };
  for (int64_t i = 0; i < bins; ++i) {
    const int64_t left = edge(i, rows - 1), centre = edge(i + 1, rows - 1),
                  right = edge(i + 2, rows);
    if (left == centre) y.set_f64(centre * bins + i, 1);
    for (int64_t j = left; left != centre && j <= centre; ++j)
      y.set_f64(j * bins + i, static_cast<double>(j - left) / static_cast<double>(centre - left));
    for (int64_t j = centre; j < right; ++j)
      y.set_f64(j * bins + i, static_cast<double>(right - j) / static_cast<double>(right - centre));
  }
  return y;
}

// The inputs as far as they are known at compile time; fewer: input size() is not.
MelInputs mel_inputs(const Graph& graph, const Node& node) {
  MelInputs inputs;
  for (ValueId id : node.inputs) {
    const TensorPtr constant = graph.value(id).constant;
    const std::optional<std::vector<Dim>>& known = graph.value(id).known;
    if (constant && constant->count() == 1)
      inputs.push_back(constant->f64(0));
    else if (known && known->size() == 1 && (*known)[0].is_fixed())
      inputs.push_back(static_cast<double>((*known)[0].value()));
    else
      break;
  }
  return inputs;
}

void infer_mel(InferContext& context) {
  const MelInputs inputs = mel_inputs(context.graph, context.node);
  if (inputs.size() < 5) {
    const auto i = static_cast<int>(inputs.size());
    const Value& value = context.graph.value(context.node.inputs[inputs.size()]);
    throw user_error(
        "input {} of mel weights is computed when the model runs ('{}' {}), which is not "
        "supported",
        i, value.name, text(value.type))
        .hint(fmt::format("if it is an input of the model, give it a value: --set {}=...",
                          value.name));
  }
  const Tensor y = mel_weights(context.node, inputs);
  context.set_type(0, y.dtype, to_shape(y.shape));
}
void evaluate_mel(EvaluateContext& context) {
  MelInputs inputs;
  for (const Tensor* input : context.inputs) inputs.push_back(input->f64(0));
  context.outputs[0] = mel_weights(context.node, inputs);
}
void expand_mel(Expander& e) {
  e.result(0, e.constant(mel_weights(e.node(), mel_inputs(e.graph, e.node()))));
}

OpDef table_def(const char* name, const char* doc, int inputs) {
  OpDef def{};
  def.name = name;
  def.doc = doc;
  def.min_inputs = def.max_inputs = inputs;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::integer, "output_datatype"}};
  def.versions = {{"", name, 17, kLatestOpset, nullptr}};
  def.shape_inputs = (1u << inputs) - 1;
  return def;
}

}  // namespace

void append_windows(OpList& ops) {
  for (const char* name : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
    OpDef window = table_def(name, "a0 - a1 cos(t) + a2 cos(2 t) over one turn; y [size]", 1);
    window.attributes.push_back({AttributeDef::integer, "periodic"});
    window.infer = infer_window;
    window.evaluate = evaluate_expanded;
    window.expand = expand_window;
    ops.push_back(std::move(window));
  }
  OpDef mel =
      table_def("MelWeightMatrix",
                "Triangles over the bins of a spectrum, evenly spaced in mel; y [dft_length "
                "/ 2 + 1, bins], all inputs constant",
                5);
  mel.infer = infer_mel;
  mel.evaluate = evaluate_mel;
  mel.expand = expand_mel;
  ops.push_back(std::move(mel));
}

}  // namespace macec
