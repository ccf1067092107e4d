// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the parts of RNN, GRU and LSTM share: attributes and operands. Private to ops/ and the pass
// project-inputs.
#pragma once
#include <string>
#include <vector>

#include "compiler/ops/op_def.h"

namespace macec {

// Inputs in ONNX's order.
enum RecurrentInput {
  kInputX,         // [S, B, I], or [B, S, I] where has_batch_first
  kInputW,         // [D, gates * H, I]
  kInputR,         // [D, gates * H, H]
  kInputBias,      // [D, 2 * gates * H]
  kInputLengths,   // int32 [B]
  kInputH,         // [D, B, H], or [B, D, H]
  kInputC,         // the same
  kInputPeephole,  // [D, 3 * H]
  kRecurrentInputs
};

struct RecurrentFunctionUse {
  RecurrentFunction function;
  float alpha, beta;
};

struct Recurrent {
  RecurrentKind kind;
  int gates, directions, functions;  // functions: of one direction
  bool is_reverse, has_batch_first, is_reset_late, is_coupled;
  // By the pass project-inputs: input X is x * W already, [.., .., D * gates * H], W is not given.
  bool is_projected;
  float clip;                              // 0: none
  std::vector<RecurrentFunctionUse> used;  // [direction][function]
};

// Throws UserError for attributes that contradict each other.
Recurrent recurrent_of(const Node& node);

// Index of axis "steps" or "batch" in X and Y, of "directions" in Y and in the states.
struct RecurrentAxes {
  size_t steps, batch, y_directions, y_batch, state_directions, state_batch;
};
RecurrentAxes axes_of(const Recurrent& r);

void evaluate_recurrent(EvaluateContext& context);

}  // namespace macec
