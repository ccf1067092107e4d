// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of pointwise steps: the one list from which infer, evaluate, lowering and generated
// expressions of elementwise operators come.
//
// An elementwise node of ONNX is a few steps (OpDef::steps): Sum(a, b, c) is Add, Add; Clip without
// a minimum is Min; QuantizeLinear is Div, Round, Add, Saturate. Steps have a fixed number of
// arguments of one element type (Where's condition is bool), so each has one meaning in every
// stage. Passes fuse steps, not nodes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// What a step makes of element types.
//   same          as the last argument
//   attribute_to  the step's own dtype (Cast, Saturate)
enum class ResultType { same, boolean, attribute_to };

// Element types a step takes.
enum StepTypes : unsigned { kFloats = 1, kIntegers = 2, kBooleans = 4, kNumbers = 3, kAnyType = 7 };

struct StepAttribute {
  const char* name;
  float otherwise;
};

struct ElementwiseOp {
  const char* name;
  int args;
  ResultType result;
  unsigned types;  // of the last argument
  // One element. a: arguments; k: attributes in the order of `attributes`. Floats are computed in
  // double and rounded by the caller. A boolean result is 0 or 1. nullptr: not defined.
  double (*real)(const double* a, const float* k);
  // The same for integers and bool; the caller wraps the result to the type. Unsigned 64-bit
  // numbers come as their bits.
  int64_t (*integer)(const int64_t* a, const float* k, DType dtype);
  // The expression in generated code. {0}, {1}...: arguments, {k0}, {k1}...: attributes (both are
  // plain names).
  const char* vector_code;  // over V, a vector of float or a float (kernels/simd); nullptr: none
  const char* scalar_code;  // over C++ scalars of type T; never nullptr
  const char* header;       // that vector_code needs ("kernels/math.h"); nullptr: simd.h suffices
  double weight;            // cost of one element relative to an addition
  std::vector<StepAttribute> attributes = {};
};
const std::vector<ElementwiseOp>& elementwise_ops();  // sorted by nothing in particular
const ElementwiseOp* find_elementwise(std::string_view name);

// Builds the steps of one node. Arguments are node inputs and earlier steps.
struct StepBuilder {
  const Node& node;
  std::vector<DType> types;              // of the node's inputs; undefined: not given
  std::vector<const Tensor*> constants;  // contents of the node's inputs where known, else nullptr
  std::vector<Shape> shapes;             // of the node's inputs
  std::vector<PointwiseStep> steps;
  std::vector<int> results;  // for every output of the node: the step that is its value
  bool is_plain = true;      // false: an operand needs more than numpy broadcasting

  bool has(int i) const {
    return i < static_cast<int>(types.size()) && types[static_cast<size_t>(i)] != DType::undefined;
  }
  static StepArg in(int i) { return {StepArg::input, i}; }
  DType type(StepArg arg) const;
  // Appends a step. UserError "X of T is not supported" when the row does not take these types.
  StepArg add(const char* op, std::vector<StepArg> args, Attributes attributes = {});
  StepArg cast(StepArg arg, DType to);  // arg itself if it has this type already
  StepArg saturate(StepArg arg, DType to);
  void result(StepArg arg);  // the node's next output
};

StepBuilder make_builder(const Graph& graph, const Node& node);  // runs node.def->steps
StepBuilder make_builder(const EvaluateContext& context);

// The node as steps over its inputs (numpy broadcasting of all inputs to the output's shape).
// False: it is not elementwise, or an operand needs more than broadcasting (per-axis quantization
// along an inner axis, blocked quantization). results[i]: the step that is output i.
bool elementwise_steps(const Graph& graph, const Node& node, std::vector<PointwiseStep>* steps,
                       std::vector<int>* results);

// An attribute of a step as a number, or its default.
float step_attribute(const PointwiseStep& step, const StepAttribute& attribute);

DType step_result_type(const PointwiseStep& step, const std::vector<DType>& args);

// Whether generated code can compute the chain on vectors of float: arithmetic on float32, float16
// and bfloat16, with comparisons only as conditions of Where. inputs: element types of the step
// inputs; main: of the main result (undefined for a Pointwise node). Only such chains may become
// the epilogue of a float kernel.
bool has_vector_form(const std::vector<PointwiseStep>& steps, const std::vector<DType>& inputs,
                     DType main, const std::vector<int>& results);

// Cost of one element of a chain relative to an addition.
double chain_weight(const std::vector<PointwiseStep>& steps);

// Reference meaning of a chain on whole tensors. main: main result (nullptr for a Pointwise node).
// The result has the shape of main or the common broadcast shape of the inputs that are used.
std::vector<Tensor> evaluate_steps(const std::vector<PointwiseStep>& steps,
                                   const std::vector<int>& results, const Tensor* main,
                                   const std::vector<const Tensor*>& inputs);

// numpy broadcasting. Extents that may be 1 at run time are decided at compile time; others must
// agree.
Shape broadcast_shapes(InferContext& context, const std::vector<int>& inputs);
std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes);

// The inputs that steps read, in order; their StepArgs then index the returned list.
std::vector<int> take_used_inputs(std::vector<PointwiseStep>* steps);

// Shared by the OpDefs of elementwise operators.
void infer_elementwise(InferContext& context);
void evaluate_elementwise(EvaluateContext& context);
Lowered lower_elementwise(const LowerContext& context);
// UserError "... is not supported" for element types that generated code does not compute with.
void check_lowerable(const std::vector<View>& inputs, const std::vector<View>& outputs);

// Element conversions as Cast defines them: floats truncate toward zero, out of range saturates,
// NaN becomes 0; integers drop high bits; everything but zero is true.
int64_t real_to_integer(double v, DType to);  // bits for uint64
int64_t wrap_integer(int64_t v, DType to);
// saturates: small floats without infinity take their largest value.
double round_real(double v, DType to, bool saturates);

}  // namespace macec
