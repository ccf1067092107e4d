// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which inputs of an operator have one type, and which must be integers. Elementwise operators check their steps' types
// themselves (elementwise.cpp); others rely on this table, so that no kernel reads bytes as what they are not.
#include "compiler/ops/input_types.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

// A letter for each input. Inputs with one capital letter have one type: A to E any, F to M a float, N to Z a number.
// i: int32 or int64; b: bool; -: anything. A last '*' repeats the letter before it.
struct Row {
  std::string_view op, types;
};
constexpr Row kRows[] = {
    {"AffineGrid", "Fi"},
    {"Attention", "FFG-FGi"},
    {"BatchNormalization", "FGGHH"},
    {"CenterCropPad", "Ai"},
    {"Clip", "NNN"},
    {"Col2Im", "Aii"},
    {"Compress", "Ab"},
    {"Concat", "A*"},
    {"ConstantOfShape", "i"},
    {"Conv", "FFF"},
    {"ConvTranspose", "FFF"},
    {"CumSum", "Ni"},
    {"DeformConv", "FFFFF"},
    {"DequantizeLinear", "AFA"},
    {"Dropout", "FGb"},
    {"Einsum", "N*"},
    {"Expand", "Ai"},
    {"GRU", "FFFFiF"},
    {"Gather", "Ai"},
    {"GatherElements", "Ai"},
    {"GatherND", "Ai"},
    {"Gemm", "NNN"},
    {"GridSample", "AF"},
    {"GroupNormalization", "FFF"},
    {"InstanceNormalization", "FFF"},
    {"LSTM", "FFFFiFFF"},
    {"LayerNormalization", "FFF"},
    {"LinearAttention", "FFFGFF"},
    {"MatMul", "NN"},
    {"Max", "N*"},
    {"MaxRoiPool", "FF"},
    {"MaxUnpool", "Fii"},
    {"Mean", "F*"},
    {"Min", "N*"},
    {"NegativeLogLikelihoodLoss", "FiF"},
    {"NonMaxSuppression", "FFiFF"},
    {"OneHot", "NOA"},
    {"Pad", "AiAi"},
    {"Pow", "NO"},
    {"QLinearConv", "AFABFBFC-"},
    {"QLinearMatMul", "AFABFBFC"},
    {"QuantizeLinear", "NF-"},
    {"RMSNormalization", "FG"},
    {"RNN", "FFFFiF"},
    {"Range", "NNN"},
    {"ReduceL1", "Ni"},
    {"ReduceL2", "Ni"},
    {"ReduceLogSum", "Ni"},
    {"ReduceLogSumExp", "Ni"},
    {"ReduceMax", "Ai"},
    {"ReduceMean", "Ni"},
    {"ReduceMin", "Ai"},
    {"ReduceProd", "Ni"},
    {"ReduceSum", "Ni"},
    {"ReduceSumSquare", "Ni"},
    {"Reshape", "Ai"},
    {"Resize", "AFGi"},
    {"ReverseSequence", "Ai"},
    {"RoiAlign", "FFi"},
    {"RotaryEmbedding", "FFFi"},
    {"ScatterElements", "AiA"},
    {"ScatterND", "AiA"},
    {"Slice", "Aiiii"},
    {"SoftmaxCrossEntropyLoss", "FiF"},
    {"Split", "Ai"},
    {"Squeeze", "Ai"},
    {"Sum", "F*"},
    {"TensorScatter", "AAi"},
    {"Tile", "Ai"},
    {"TopK", "Ni"},
    {"Trilu", "Ai"},
    {"Unsqueeze", "Ai"},
};

bool fits(char letter, DType dtype) {
  if (letter == 'i') return dtype == DType::int32 || dtype == DType::int64;
  if (letter == 'b') return dtype == DType::boolean;
  if (letter >= 'F' && letter <= 'M') return info(dtype).is_float;
  if (letter >= 'N' && letter <= 'Z') return info(dtype).is_float || info(dtype).is_integer;
  return true;
}

const char* wanted(char letter) {
  return letter == 'i'   ? "int32 or int64"
         : letter == 'b' ? "bool"
         : letter < 'N'  ? "a float"
                         : "a number";
}

}  // namespace

void check_input_types(const Graph& graph, const Node& node) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& r) { return r.op == node.op; });
  if (row == std::end(kRows)) return;
  const std::string_view types = row->types;
  ValueId first[128] = {};
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool repeats = types.back() == '*';
    if (i >= types.size() - repeats && !repeats) return;
    const char letter = types[std::min(i, types.size() - 1 - repeats)];
    const ValueId id = node.inputs[i];
    if (letter == '-' || !id.is_valid()) continue;
    const DType dtype = graph.type(id).dtype;
    const std::string name = printable(graph.value(id).name);
    if (!fits(letter, dtype))
      throw user_error("input {} ('{}') is {}, but must be {}", i, name, macec::name(dtype),
                       wanted(letter));
    if (letter < 'A' || letter > 'Z') continue;
    ValueId& other = first[static_cast<size_t>(letter)];
    if (!other.is_valid()) other = id;
    if (graph.type(other).dtype != dtype)
      throw user_error("input {} ('{}') is {}, but '{}' is {}, and they must have one type", i,
                       name, macec::name(dtype), printable(graph.value(other).name),
                       macec::name(graph.type(other).dtype));
  }
}

}  // namespace macec
