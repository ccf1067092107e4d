// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers: RNN, GRU, LSTM, in one or two directions over sequences of batch rows.
//
//   x           [steps][batch] rows of `inputs` elements; inputs == 0: rows of products x * W
//               already, [direction][gate][hidden]
//   w           [direction][gate][hidden][inputs]
//   r           [direction][gate][hidden][hidden]
//   bias        [direction][input, recurrent][gate][hidden]
//   lengths     [batch]; nullptr: every row has all steps
//   initial_h, initial_c, last_h, last_c   [direction][batch][hidden]
//   peephole    [direction][i, o, f][hidden]
//   y           [steps][direction][batch][hidden]
//
// Gates in ONNX's order: RNN i; GRU z, r, h; LSTM i, o, f, c. Dense are the innermost axes; strides
// of x, y and the states are given in elements. Every operand behind r may be missing.
// Units: (direction, block of kRecurrentRows batch rows); the last block may be smaller.
#pragma once
#include "common.h"

enum RecurrentKind { kRecurrentRnn, kRecurrentGru, kRecurrentLstm };
enum RecurrentFunction {
  kRecurrentRelu,
  kRecurrentTanh,
  kRecurrentSigmoid,
  kRecurrentAffine,
  kRecurrentLeakyRelu,
  kRecurrentThresholdedRelu,
  kRecurrentScaledTanh,
  kRecurrentHardSigmoid,
  kRecurrentElu,
  kRecurrentSoftsign,
  kRecurrentSoftplus
};

template <class Int>
struct RecurrentParamsT {
  int kind, hidden, inputs;    // form
  int directions, is_reverse;  // is_reverse: of direction 0; direction 1 always is
  int is_reset_late;           // GRU: the reset gate multiplies h * R, not h
  int is_coupled;              // LSTM: the forget gate is 1 - input gate
  int function[6];             // three for each direction
  float alpha[6], beta[6];     // of the functions
  float clip;                  // bound of what goes into the gates' functions; 0: none
  Int steps, batch;
  Int x_step, x_row;
  Int y_step, y_direction, y_row;
  Int initial_h[2], initial_c[2], last_h[2], last_c[2];  // strides: direction, row

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kind", p.kind), f("hidden", p.hidden), f("inputs", p.inputs);
    f("directions", p.directions), f("is_reverse", p.is_reverse);
    f("is_reset_late", p.is_reset_late), f("is_coupled", p.is_coupled);
    f("function", p.function), f("alpha", p.alpha), f("beta", p.beta), f("clip", p.clip);
    f("steps", p.steps), f("batch", p.batch), f("x_step", p.x_step), f("x_row", p.x_row);
    f("y_step", p.y_step), f("y_direction", p.y_direction), f("y_row", p.y_row);
    f("initial_h", p.initial_h), f("initial_c", p.initial_c);
    f("last_h", p.last_h), f("last_c", p.last_c);
  }
};
using RecurrentParams = RecurrentParamsT<int64_t>;

[[maybe_unused]] constexpr int kRecurrentRows = 4;

[[maybe_unused]] constexpr int recurrent_gates(int kind) {
  return kind == kRecurrentLstm ? 4 : kind == kRecurrentGru ? 3 : 1;
}
// Elements of scratch of one worker; width: hidden, rounded up to what the kernel works on.
[[maybe_unused]] constexpr int64_t recurrent_scratch(int kind, int64_t width) {
  return width * (recurrent_gates(kind) + 4 + kRecurrentRows * (recurrent_gates(kind) + 3));
}
