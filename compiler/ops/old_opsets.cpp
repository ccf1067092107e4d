// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Until opset 7 the second operand of a binary operator was only broadcast when the node said so,
// and its axes began at a given axis of the first:
//
//   Add {broadcast = 1, axis = 1}   A [2, 3, 4, 5], B [3, 4]      ->  Add(A, Unsqueeze(B) [3, 4, 1])
//   Add {broadcast = 1}             A [2, 3, 4, 5], B [4, 5]      ->  Add(A, B)
//   Add                             A and B must have one shape   ->  Add(A, B)
//
// What was required then is required here: a file that today's rules would accept, but the ones of
// its opset would not, is an error and not another result.
#include "compiler/ops/old_opsets.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "compiler/support/error.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

bool has(const ImportContext& c, size_t i) {
  return i < c.node.inputs.size() && c.node.inputs[i].is_valid();
}
const Shape& shape_of(const ImportContext& c, size_t i) {
  return c.graph.type(c.node.inputs[i]).shape;
}
bool has_one_element(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d == Dim(1); });
}

// An attribute of the node that opset 7 does not have any more; nullopt if the node has none.
template <class T>
std::optional<T> take(ImportContext& c, const char* name) {
  const auto at = c.node.attributes.find(name);
  if (at == c.node.attributes.end()) return std::nullopt;
  T* value = std::get_if<T>(&at->second);
  if (!value) throw user_error("the attribute '{}' is of the wrong kind", name);
  std::optional<T> taken = std::move(*value);
  c.node.attributes.erase(at);
  return taken;
}
template <class T>
T require(ImportContext& c, const char* name) {
  std::optional<T> value = take<T>(c, name);
  if (!value) throw user_error("the attribute '{}' is missing", name);
  return std::move(*value);
}
using Integers = std::vector<int64_t>;

// Input i gets axes of extent 1.
void unsqueeze(ImportContext& c, size_t i, size_t first, size_t count) {
  Integers axes(count);
  std::iota(axes.begin(), axes.end(), static_cast<int64_t>(first));
  c.node.inputs[i] =
      c.add("Unsqueeze", {c.node.inputs[i], c.constant("axes", Tensor::vector_i64(axes))});
}

void require_same_shape(const Shape& a, const Shape& b) {
  bool may_agree = a.size() == b.size();
  for (size_t i = 0; may_agree && i < a.size(); ++i)
    may_agree = !a[i].is_fixed() || !b[i].is_fixed() || a[i] == b[i];
  if (may_agree) return;
  throw user_error("the shapes {} and {} differ, and before opset 7 they are only broadcast with "
                   "broadcast = 1",
                   text(a), text(b))
      .hint("where the node means today's broadcasting, set broadcast to 1 in the file");
}

void raise_binary(ImportContext& c) {
  const bool broadcasts = take<int64_t>(c, "broadcast").value_or(0) != 0;
  const std::optional<int64_t> given = take<int64_t>(c, "axis");
  if (!has(c, 0) || !has(c, 1)) return;  // an error of its own, reported with all others
  const Shape &a = shape_of(c, 0), b = shape_of(c, 1);
  if (!broadcasts) return require_same_shape(a, b);
  if (has_one_element(b)) {
    if (b.size() > a.size())
      c.node.inputs[1] =
          c.add("Reshape", {c.node.inputs[1], c.constant("shape", Tensor::vector_i64({}))});
    return;
  }
  const int64_t rank = static_cast<int64_t>(a.size()), width = static_cast<int64_t>(b.size());
  const int64_t axis = !given ? rank - width : *given < 0 ? *given + rank : *given;
  if (axis < 0 || axis > rank - width)
    throw user_error("the second operand {} cannot lie at axis {} of the first, {}", text(b),
                     given.value_or(axis), text(a));
  for (size_t i = 0; i < b.size(); ++i) {
    const Dim& extent = a[static_cast<size_t>(axis) + i];
    if (extent.is_fixed() && b[i].is_fixed() && b[i] != extent && b[i] != Dim(1))
      throw user_error("the second operand {} cannot be broadcast to the first, {}, at axis {}",
                       text(b), text(a), axis);
  }
  if (axis + width < rank)
    unsqueeze(c, 1, b.size(), static_cast<size_t>(rank - axis - width));
}

// One slope for all, or one for each channel, which is axis 1.
void raise_prelu(ImportContext& c) {
  if (!has(c, 0) || !has(c, 1)) return;
  const Shape &x = shape_of(c, 0), slope = shape_of(c, 1);
  if (slope.size() == 1 && !has_one_element(slope) && x.size() > 2)
    unsqueeze(c, 1, 1, x.size() - 2);
}

void raise_gemm(ImportContext& c) {
  const bool broadcasts = take<int64_t>(c, "broadcast").value_or(0) != 0;
  if (broadcasts || !has(c, 0) || !has(c, 1) || !has(c, 2)) return;
  const Shape &a = shape_of(c, 0), &b = shape_of(c, 1);
  if (a.size() != 2 || b.size() != 2) return;
  const Dim rows = a[c.node.int_attribute("transA", 0) ? 1 : 0];
  require_same_shape({rows, b[c.node.int_attribute("transB", 0) ? 0 : 1]}, shape_of(c, 2));
}

void require_inference(ImportContext& c) {
  if (take<int64_t>(c, "is_test").value_or(0) != 0) return;
  throw user_error("the node is in training mode (is_test = 0), which is not supported")
      .hint("export the model for inference, or set is_test to 1 in the file");
}

// A float of the file that had to be a whole number later.
void raise_norm_order(ImportContext& c) {
  if (!c.node.has_attribute("p") || c.node.int_attribute("p", 0) != 0) return;
  const double p = static_cast<double>(require<float>(c, "p"));
  if (p != std::floor(p) || std::fabs(p) > 1e6)
    throw user_error("a norm of order {} is not supported; only whole numbers are", p);
  c.node.attributes["p"] = static_cast<int64_t>(p);
}

void raise_cast(ImportContext& c) {
  struct Name {
    const char* name;
    DType dtype;
  };
  constexpr Name kNames[] = {{"FLOAT", DType::float32},   {"UINT8", DType::uint8},
                             {"INT8", DType::int8},       {"UINT16", DType::uint16},
                             {"INT16", DType::int16},     {"INT32", DType::int32},
                             {"INT64", DType::int64},     {"BOOL", DType::boolean},
                             {"FLOAT16", DType::float16}, {"DOUBLE", DType::float64},
                             {"UINT32", DType::uint32},   {"UINT64", DType::uint64}};
  const auto at = c.node.attributes.find("to");
  if (at == c.node.attributes.end()) return;
  const std::string* text = std::get_if<std::string>(&at->second);
  if (!text) return;  // a number, as in later opsets: no other meaning is possible
  for (const Name& row : kNames)
    if (*text == row.name) {
      at->second = static_cast<int64_t>(row.dtype);
      return;
    }
  throw user_error("a cast to '{}' is not supported", printable(*text));
}

void raise_concat(ImportContext& c) {
  c.node.attributes.emplace("axis", int64_t{1});
}

void raise_reshape(ImportContext& c) {
  c.node.inputs.resize(1);
  c.node.inputs.push_back(
      c.constant("shape", Tensor::vector_i64(require<Integers>(c, "shape"))));
}

void raise_pad(ImportContext& c) {
  c.node.attributes["pads"] = require<Integers>(c, "paddings");
}

// Input i as whole numbers; then it is no input any more.
Integers take_constant(ImportContext& c, size_t i, const char* what) {
  const Tensor* tensor = has(c, i) ? c.graph.value(c.node.inputs[i]).constant.get() : nullptr;
  if (!tensor) throw user_error("{} that is computed when the model runs is not supported", what);
  Integers numbers;
  for (int64_t k = 0; k < tensor->count(); ++k) {
    if (tensor->f64(k) != std::floor(tensor->f64(k)))
      throw user_error("{} is {}, which is no whole number", what, tensor->f64(k));
    numbers.push_back(tensor->i64(k));
  }
  c.node.inputs[i] = ValueId();
  return numbers;
}

void raise_split(ImportContext& c) {
  if (has(c, 1)) c.node.attributes["split"] = take_constant(c, 1, "a list of sizes");
  c.node.inputs.resize(std::min<size_t>(c.node.inputs.size(), 1));
}

// Copies along one axis; both numbers are tensors of the data's type.
void raise_tile(ImportContext& c) {
  if (!has(c, 0)) return;
  const Integers tiles = take_constant(c, 1, "a number of copies"),
                             axis = take_constant(c, 2, "an axis");
  const int64_t rank = static_cast<int64_t>(shape_of(c, 0).size());
  if (tiles.size() != 1 || axis.size() != 1)
    throw user_error("the number of copies and the axis have {} and {} elements, but must have one",
                     tiles.size(), axis.size());
  const int64_t at = axis[0] < 0 ? axis[0] + rank : axis[0];
  if (at < 0 || at >= rank)
    throw user_error("axis {} is out of range for an input with {} axes", axis[0], rank);
  Integers repeats(static_cast<size_t>(rank), 1);
  repeats[static_cast<size_t>(at)] = tiles[0];
  c.node.inputs = {c.node.inputs[0], c.constant("repeats", Tensor::vector_i64(repeats))};
}

void raise_selu(ImportContext& c) {  // the constants were rounded
  c.node.attributes.emplace("alpha", 1.6732f);
  c.node.attributes.emplace("gamma", 1.0507f);
}

void raise_upsample(ImportContext& c) {
  if (!has(c, 0)) return;
  if (shape_of(c, 0).size() != 4)
    throw user_error("the input {} must have 4 axes", text(shape_of(c, 0)));
  std::vector<float> scales = {1, 1};
  for (const char* name : {"height_scale", "width_scale"})
    scales.push_back(require<float>(c, name));
  c.node.attributes["scales"] = scales;
  if (c.node.string_attribute("mode", "nearest") == "bilinear")
    c.node.attributes["mode"] = std::string("linear");
}

void raise_recurrent(ImportContext& c) {
  c.node.attributes.erase("output_sequence");  // an output that has a name is wanted
  if (c.node.string_attribute("direction", "") == "foward")  // the default of the first GRU
    c.node.attributes["direction"] = std::string("forward");
}

// clang-format off
constexpr OldForm kForms[] = {
    {"Abs", 1, 6, nullptr}, {"Add", 1, 6, raise_binary}, {"And", 1, 6, raise_binary},
    {"ArgMax", 1, 6, nullptr}, {"ArgMin", 1, 6, nullptr}, {"AveragePool", 1, 6, nullptr},
    {"BatchNormalization", 1, 6, require_inference}, {"Cast", 1, 5, raise_cast},
    {"Cast", 6, 6, nullptr}, {"Ceil", 1, 6, nullptr}, {"Clip", 1, 6, nullptr},
    {"Concat", 1, 3, raise_concat}, {"Concat", 4, 6, nullptr}, {"Constant", 1, 6, nullptr},
    {"Conv", 1, 6, nullptr}, {"ConvTranspose", 1, 6, nullptr}, {"DepthToSpace", 1, 6, nullptr},
    {"Div", 1, 6, raise_binary}, {"Dropout", 1, 6, require_inference}, {"Elu", 1, 6, nullptr},
    {"Equal", 1, 6, raise_binary}, {"Exp", 1, 6, nullptr}, {"Flatten", 1, 6, nullptr},
    {"Floor", 1, 6, nullptr}, {"GRU", 1, 6, raise_recurrent}, {"Gather", 1, 6, nullptr},
    {"Gemm", 1, 6, raise_gemm}, {"GlobalAveragePool", 1, 6, nullptr},
    {"GlobalLpPool", 1, 1, raise_norm_order}, {"GlobalLpPool", 2, 6, nullptr},
    {"GlobalMaxPool", 1, 6, nullptr}, {"Greater", 1, 6, raise_binary},
    {"HardSigmoid", 1, 6, nullptr}, {"Hardmax", 1, 6, nullptr}, {"Identity", 1, 6, nullptr},
    {"If", 1, 6, nullptr}, {"InstanceNormalization", 1, 6, nullptr}, {"LRN", 1, 6, nullptr},
    {"LSTM", 1, 6, raise_recurrent}, {"LeakyRelu", 1, 6, nullptr}, {"Less", 1, 6, raise_binary},
    {"Log", 1, 6, nullptr}, {"LogSoftmax", 1, 6, nullptr}, {"Loop", 1, 6, nullptr},
    {"LpNormalization", 1, 6, nullptr}, {"LpPool", 1, 1, raise_norm_order},
    {"LpPool", 2, 6, nullptr}, {"MatMul", 1, 6, nullptr}, {"Max", 1, 6, nullptr},
    {"MaxPool", 1, 6, nullptr}, {"MaxRoiPool", 1, 6, nullptr}, {"Mean", 1, 6, nullptr},
    {"Min", 1, 6, nullptr}, {"Mul", 1, 6, raise_binary}, {"Neg", 1, 6, nullptr},
    {"Not", 1, 6, nullptr}, {"Or", 1, 6, raise_binary}, {"PRelu", 1, 6, raise_prelu},
    {"Pad", 1, 1, raise_pad}, {"Pad", 2, 6, nullptr}, {"Pow", 1, 6, raise_binary},
    {"RNN", 1, 6, raise_recurrent}, {"RandomNormal", 1, 6, nullptr},
    {"RandomNormalLike", 1, 6, nullptr}, {"RandomUniform", 1, 6, nullptr},
    {"RandomUniformLike", 1, 6, nullptr}, {"Reciprocal", 1, 6, nullptr},
    {"ReduceL1", 1, 6, nullptr}, {"ReduceL2", 1, 6, nullptr}, {"ReduceLogSum", 1, 6, nullptr},
    {"ReduceLogSumExp", 1, 6, nullptr}, {"ReduceMax", 1, 6, nullptr},
    {"ReduceMean", 1, 6, nullptr}, {"ReduceMin", 1, 6, nullptr}, {"ReduceProd", 1, 6, nullptr},
    {"ReduceSum", 1, 6, nullptr}, {"ReduceSumSquare", 1, 6, nullptr}, {"Relu", 1, 6, nullptr},
    {"Reshape", 1, 4, raise_reshape}, {"Reshape", 5, 6, nullptr}, {"Selu", 1, 5, raise_selu},
    {"Selu", 6, 6, nullptr}, {"Shape", 1, 6, nullptr}, {"Sigmoid", 1, 6, nullptr},
    {"Size", 1, 6, nullptr}, {"Slice", 1, 6, nullptr}, {"Softmax", 1, 6, nullptr},
    {"Softplus", 1, 6, nullptr}, {"Softsign", 1, 6, nullptr}, {"SpaceToDepth", 1, 6, nullptr},
    {"Split", 1, 1, raise_split}, {"Split", 2, 6, nullptr}, {"Sqrt", 1, 6, nullptr},
    {"Squeeze", 1, 6, nullptr}, {"Sub", 1, 6, raise_binary}, {"Sum", 1, 6, nullptr},
    {"Tanh", 1, 6, nullptr}, {"Tile", 1, 5, raise_tile}, {"Tile", 6, 6, nullptr},
    {"TopK", 1, 6, nullptr}, {"Transpose", 1, 6, nullptr}, {"Unsqueeze", 1, 6, nullptr},
    {"Upsample", 1, 6, raise_upsample}, {"Xor", 1, 6, raise_binary}};
// clang-format on

constexpr std::string_view kExperimental[] = {
    "ATen",      "Affine",     "ConstantFill",    "Crop",
    "DynamicSlice", "GRUUnit", "GivenTensorFill", "ImageScaler",
    "LoopIndexTensor", "ParametricSoftplus", "Scale", "ScaledTanh"};

}  // namespace

void raise(const OldForm& form, ImportContext& context) {
  context.node.attributes.erase("consumed_inputs");
  if (form.raise) form.raise(context);
}

const OldForm* find_old_form(std::string_view type, int opset) {
  const auto at = std::find_if(std::begin(kForms), std::end(kForms), [&](const OldForm& form) {
    return form.type == type && form.first <= opset && opset <= form.last;
  });
  return at == std::end(kForms) ? nullptr : at;
}

bool was_experimental(std::string_view type) {
  return std::find(std::begin(kExperimental), std::end(kExperimental), type) !=
         std::end(kExperimental);
}

}  // namespace macec
