// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU, LSTM of float behind the product of their inputs: x holds x * W for all steps. R is
// packed in panels, [direction][gate][panel][hidden][kPanel], and goes through the hot tile of gemm
// at every step; the other operands are as params/recurrent.h says.
//
// Nothing overlaps. w is not read. Scratch: recurrent_scratch() floats for a width of whole panels.
#pragma once
#include "gemm_tile.h"
#include "recurrent_steps.h"

struct RecurrentPanels {
  const RecurrentParams& p;
  const float *x, *r;  // of the direction
  int64_t width;

  void products(const float* from, int begin, int end, int rows, float* gates) const {
    TileArgs<float, float> t;
    t.rows = nullptr;
    t.x = from;
    t.x_row = width;
    t.x_offset = 0;
    t.taps = 1;
    t.k = p.hidden;
    t.w = r + begin * width * p.hidden;
    t.w_panel = int64_t{p.hidden} * kPanel;
    t.bias = nullptr;
    t.y = gates + begin * width;
    t.y_row = recurrent_gates(p.kind) * width;
    t.columns = (end - begin) * width;
    t.row = t.col = 0;
    gemm_columns(t, rows, NoEpilogue{});
  }
  void inputs(int64_t row, int64_t step, int gate, float* to) const {
    const float* const from = x + step * p.x_step + row * p.x_row + int64_t{gate} * p.hidden;
    int64_t i = 0;
    for (; i + kLanes <= p.hidden; i += kLanes) {
      store(to + i, load<Vf>(to + i, Full{}) + load<Vf>(from + i, Full{}), Full{});
    }
    if (i == p.hidden) return;
    const Part n{static_cast<int>(p.hidden - i)};
    store(to + i, load<Vf>(to + i, n) + load<Vf>(from + i, n), n);
  }
};

[[maybe_unused]] inline void recurrent(const RecurrentParams& p, const float* x, const float*,
                                       const float* r, const float* bias, const int32_t* lengths,
                                       const float* initial_h, const float* initial_c,
                                       const float* peephole, float* y, float* last_h,
                                       float* last_c, int64_t begin, int64_t end, void* scratch) {
  const int64_t width = (int64_t{p.hidden} + kPanel - 1) / kPanel * kPanel;
  const int gates = recurrent_gates(p.kind);
  const RecurrentOperands<float> operands = {bias,     lengths, initial_h, initial_c,
                                             peephole, y,       last_h,    last_c};
  recurrent_units<Vf>(p, operands, width, begin, end, scratch, [&](int d) {
    return RecurrentPanels{p, x + int64_t{d} * gates * p.hidden, r + d * gates * width * p.hidden,
                           width};
  });
}
