// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of RNN, GRU and LSTM.
#include <algorithm>
#include <cctype>

#include "compiler/ops/recurrent.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Names in lower case: files disagree. has_alpha, has_beta: it takes a number from that list.
struct FunctionRow {
  const char* name;
  RecurrentFunction function;
  bool has_alpha, has_beta;
  float alpha, beta;  // if the lists do not say
};
constexpr FunctionRow kFunctions[] = {
    {"relu", kRecurrentRelu, false, false, 0, 0},
    {"tanh", kRecurrentTanh, false, false, 0, 0},
    {"sigmoid", kRecurrentSigmoid, false, false, 0, 0},
    {"affine", kRecurrentAffine, true, true, 1, 0},
    {"leakyrelu", kRecurrentLeakyRelu, true, false, 0.01f, 0},
    {"thresholdedrelu", kRecurrentThresholdedRelu, true, false, 1, 0},
    {"scaledtanh", kRecurrentScaledTanh, true, true, 1, 1},
    {"hardsigmoid", kRecurrentHardSigmoid, true, true, 0.2f, 0.5f},
    {"elu", kRecurrentElu, true, false, 1, 0},
    {"softsign", kRecurrentSoftsign, false, false, 0, 0},
    {"softplus", kRecurrentSoftplus, false, false, 0, 0}};

const FunctionRow& find_function(std::string name) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const FunctionRow& row : kFunctions) {
    if (name == row.name) return row;
  }
  throw user_error("activation '{}' is not supported", name)
      .hint(
          "ONNX knows Relu, Tanh, Sigmoid, Affine, LeakyRelu, ThresholdedRelu, ScaledTanh, "
          "HardSigmoid, Elu, Softsign, Softplus");
}

std::vector<std::string> function_names(const Node& node, const Recurrent& r) {
  std::vector<std::string> names;
  const auto at = node.attributes.find("activations");
  if (at != node.attributes.end()) {
    if (const auto* list = std::get_if<std::vector<std::string>>(&at->second)) names = *list;
  }
  if (names.empty()) {
    for (int d = 0; d < r.directions; ++d) {
      if (r.kind != kRecurrentRnn) names.push_back("sigmoid");
      for (int i = r.kind == kRecurrentRnn ? 0 : 1; i < r.functions; ++i) names.push_back("tanh");
    }
  }
  const size_t wanted = static_cast<size_t>(r.directions * r.functions);
  if (names.size() != wanted) {
    throw user_error("{} activations, but {} in {} direction(s) has {}", names.size(), node.op,
                     r.directions, wanted);
  }
  return names;
}

}  // namespace

Recurrent recurrent_of(const Node& node) {
  Recurrent r{};
  r.kind = node.op == "LSTM" ? kRecurrentLstm : node.op == "GRU" ? kRecurrentGru : kRecurrentRnn;
  r.gates = recurrent_gates(r.kind);
  r.functions = r.kind == kRecurrentLstm ? 3 : r.kind == kRecurrentGru ? 2 : 1;
  const std::string direction = node.string_attribute("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    throw user_error("direction '{}' instead of forward, reverse or bidirectional", direction);
  }
  r.directions = direction == "bidirectional" ? 2 : 1;
  r.is_reverse = direction == "reverse";
  const int64_t layout = node.int_attribute("layout", 0);
  if (layout != 0 && layout != 1) throw user_error("attribute layout is {}, not 0 or 1", layout);
  r.has_batch_first = layout == 1;
  r.is_reset_late = node.int_attribute("linear_before_reset", 0) != 0;
  r.is_coupled = node.int_attribute("input_forget", 0) != 0;
  r.is_projected = node.int_attribute("projected", 0) != 0;
  r.clip = std::max(0.0f, node.float_attribute("clip", 0));
  const std::vector<float> alphas = node.floats_attribute("activation_alpha"),
                           betas = node.floats_attribute("activation_beta");
  size_t alpha = 0, beta = 0;
  for (const std::string& name : function_names(node, r)) {
    const FunctionRow& row = find_function(name);
    RecurrentFunctionUse use{row.function, row.alpha, row.beta};
    if (row.has_alpha && alpha < alphas.size()) use.alpha = alphas[alpha++];
    if (row.has_beta && beta < betas.size()) use.beta = betas[beta++];
    r.used.push_back(use);
  }
  return r;
}

RecurrentAxes axes_of(const Recurrent& r) {
  if (r.has_batch_first) return {1, 0, 2, 0, 1, 0};
  return {0, 1, 1, 2, 0, 1};
}

}  // namespace macec
