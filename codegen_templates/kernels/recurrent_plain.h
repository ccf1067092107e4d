// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN, GRU, LSTM of any float type with weights as ONNX has them, one element at a time.
//
// Operands: params/recurrent.h; T is float, double, half_t or bfloat16_t, 16-bit types are computed
// in float. Nothing overlaps. Scratch: recurrent_scratch() floats (or doubles) for a width of hidden.
#pragma once
#include "recurrent_steps.h"

template <class T>
struct RecurrentRows {
  using S = typename PlainSum<T>::Type;
  const RecurrentParams& p;
  const T *x, *w, *r;  // w, r: of the direction

  S dot(const S* a, const T* b, int64_t count) const {
    S sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += a[i] * plain_load(b + i);
    return sum;
  }
  void products(const S* from, int begin, int end, int rows, S* gates) const {
    const int64_t n = p.hidden, all = recurrent_gates(p.kind) * n;
    for (int m = 0; m < rows; ++m) {
      for (int64_t i = begin * n; i < end * n; ++i) {
        gates[m * all + i] = dot(from + m * n, r + i * n, n);
      }
    }
  }
  void inputs(int64_t row, int64_t step, int gate, S* to) const {
    const T* const from = x + step * p.x_step + row * p.x_row;
    const int64_t n = p.hidden;
    for (int64_t i = 0; i < n; ++i) {
      if (p.inputs == 0) {
        to[i] += plain_load(from + gate * n + i);
        continue;
      }
      const T* const weights = w + (gate * n + i) * p.inputs;
      S sum = 0;
      for (int64_t k = 0; k < p.inputs; ++k) sum += plain_load(from + k) * plain_load(weights + k);
      to[i] += sum;
    }
  }
};

template <class T>
void recurrent_plain(const RecurrentParams& p, const T* x, const T* w, const T* r, const T* bias,
                     const int32_t* lengths, const T* initial_h, const T* initial_c,
                     const T* peephole, T* y, T* last_h, T* last_c, int64_t begin, int64_t end,
                     void* scratch) {
  const int64_t gates = recurrent_gates(p.kind), n = p.hidden;
  const RecurrentOperands<T> operands = {bias,     lengths, initial_h, initial_c,
                                         peephole, y,       last_h,    last_c};
  recurrent_units<typename PlainSum<T>::Type>(p, operands, n, begin, end, scratch, [&](int d) {
    const bool has_w = p.inputs > 0;
    return RecurrentRows<T>{p, has_w ? x : x + d * gates * n,
                            has_w ? w + d * gates * n * p.inputs : w, r + d * gates * n * n};
  });
}
