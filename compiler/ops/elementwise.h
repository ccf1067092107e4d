// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of elementwise operators: the one list from which infer, evaluate, lowering and
// generated expressions come.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/graph.h"

namespace macec {

// What an elementwise operator does with element types.
enum class ResultType {
  same,
  boolean,
  attribute_to
};  // same as the first argument; bool; Cast's `to`

struct ElementwiseOp {
  const char* name;
  int min_args, max_args;  // -1: any number (Sum, Mean, Max, Min)
  ResultType result;
  // One element, floats in double: args as numbers of the argument type. Used for float types.
  double (*real)(const PointwiseStep& step, const double* args, int count);
  // One element for integer and bool types (nullptr: not defined for them); wraps to the type by
  // the caller.
  int64_t (*integer)(const PointwiseStep& step, const int64_t* args, int count, DType dtype);
  // The expression in generated code over vectors or floats: {0}, {1}... are the arguments, {name}
  // an attribute. nullptr: none.
  const char* vector_code;
  // The expression on C++ scalars of the element type. nullptr: none.
  const char* scalar_code;
  const char* header;  // kernel header that the expression needs ("kernels/math.h"); nullptr: none
  double weight;       // cost of one element relative to an addition
};
const std::vector<ElementwiseOp>& elementwise_ops();
const ElementwiseOp* find_elementwise(std::string_view name);

// Applies one step to whole elements; used by evaluate of nodes, epilogues and Pointwise nodes.
DType step_result_type(const PointwiseStep& step, const std::vector<DType>& args);

}  // namespace macec
