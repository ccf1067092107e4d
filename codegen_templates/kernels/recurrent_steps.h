// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of recurrent layers: what the kernels share. A block of batch rows goes through all
// steps of one direction; its states and gates stay in scratch.
//
//   scratch   bias [gates + 1][width]   peephole [3][width]
//             h [rows][width]   c [rows][width]   t [rows][width]   gates [rows][gate][width]
//
// A kernel brings a Source:
//   products(from, first, last, rows, gates)   gates first .. last - 1 of all rows = from * R
//   inputs(row, step, gate, to)                to += x * W of one gate
// V is the vector that states are computed with; width is a multiple of its lanes, and what lies
// behind `hidden` is never stored.
#pragma once
#include "plain.h"
#include "recurrent_functions.h"

template <class T>
struct RecurrentOperands {
  const T* bias;
  const int32_t* lengths;
  const T *initial_h, *initial_c, *peephole;
  T *y, *last_h, *last_c;
};

template <class T, class S>
MACEC_INLINE void recurrent_fetch(const T* from, S* to, int64_t count, int64_t width) {
  for (int64_t i = 0; i < count; ++i) to[i] = from == nullptr ? S{0} : plain_load(from + i);
  for (int64_t i = count; i < width; ++i) to[i] = 0;
}
template <class T, class S>
MACEC_INLINE void recurrent_put(const S* from, T* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) plain_store(to + i, from[i]);
}

template <class V, class Source, class T>
struct RecurrentBlock {
  using S = typename RecurrentLanes<V>::Element;
  const RecurrentParams& p;
  const Source& source;
  const RecurrentOperands<T>& o;
  int d, rows, gate_count;
  int64_t first, width;
  S *bias, *peephole, *h, *c, *t, *gates;
  int64_t length[kRecurrentRows];

  MACEC_INLINE V at(const S* from, int64_t i) const { return recurrent_load(Tag<V>{}, from + i); }
  template <class F>
  MACEC_INLINE void each(S* to, F f) const {
    for (int64_t i = 0; i < width; i += RecurrentLanes<V>::kCount) recurrent_store(to + i, f(i));
  }
  MACEC_INLINE S* gate(int m, int g) const { return gates + (m * gate_count + g) * width; }
  void activate(int which, S* values) const {
    recurrent_activate<V>(p, d, which, p.clip, values, width);
  }

  void carve(S* scratch) {
    bias = scratch;
    peephole = bias + (gate_count + 1) * width;
    h = peephole + 3 * width;
    c = h + rows * width;
    t = c + rows * width;
    gates = t + rows * width;
  }

  // Both biases as one; of a late reset the recurrent one of the last gate stands by itself.
  void fetch_weights() {
    const int64_t n = p.hidden;
    const T* const from = o.bias == nullptr ? nullptr : o.bias + d * 2 * gate_count * n;
    for (int g = 0; g < gate_count; ++g) {
      S* const to = bias + g * width;
      S* const late = bias + gate_count * width;
      recurrent_fetch(from == nullptr ? from : from + g * n, to, n, width);
      recurrent_fetch(from == nullptr ? from : from + (gate_count + g) * n, late, n, width);
      if (p.is_reset_late && g == 2) break;
      each(to, [&](int64_t i) { return at(to, i) + at(late, i); });
    }
    if (o.peephole == nullptr) return;
    for (int g = 0; g < 3; ++g) {
      recurrent_fetch(o.peephole + (d * 3 + g) * n, peephole + g * width, n, width);
    }
  }

  void fetch_states() {
    for (int m = 0; m < rows; ++m) {
      const int64_t row = first + m;
      const T *const from_h = o.initial_h, *const from_c = o.initial_c;
      recurrent_fetch(
          from_h == nullptr ? from_h : from_h + d * p.initial_h[0] + row * p.initial_h[1],
          h + m * width, p.hidden, width);
      recurrent_fetch(
          from_c == nullptr ? from_c : from_c + d * p.initial_c[0] + row * p.initial_c[1],
          c + m * width, p.hidden, width);
      length[m] = p.steps;
      if (o.lengths == nullptr) continue;
      length[m] = o.lengths[row] < 0 ? 0 : o.lengths[row] < p.steps ? o.lengths[row] : p.steps;
    }
  }

  void add_inputs(int m, int64_t step, int g) const {
    S* const to = gate(m, g);
    source.inputs(first + m, step, g, to);
    const S* const b = bias + g * width;
    each(to, [&](int64_t i) { return at(to, i) + at(b, i); });
  }

  void rnn(int m, int64_t step) const {
    add_inputs(m, step, 0);
    activate(0, gate(m, 0));
    const S* const from = gate(m, 0);
    each(h + m * width, [&](int64_t i) { return at(from, i); });
  }

  // The gates z and r, and what the last gate multiplies by R: r * h, or its product already.
  void gru_gates(int m, int64_t step) const {
    add_inputs(m, step, 0);
    add_inputs(m, step, 1);
    activate(0, gate(m, 0));
    activate(0, gate(m, 1));
    const S* const r = gate(m, 1);
    if (p.is_reset_late) {
      S* const to = gate(m, 2);
      const S* const late = bias + 3 * width;
      each(to, [&](int64_t i) { return at(r, i) * (at(to, i) + at(late, i)); });
    } else {
      const S* const from = h + m * width;
      each(t + m * width, [&](int64_t i) { return at(r, i) * at(from, i); });
    }
  }
  void gru_state(int m, int64_t step) const {
    add_inputs(m, step, 2);
    activate(1, gate(m, 2));
    S* const to = h + m * width;
    const S *const z = gate(m, 0), *const fresh = gate(m, 2);
    each(to, [&](int64_t i) { return at(fresh, i) + at(z, i) * (at(to, i) - at(fresh, i)); });
  }

  void add_peephole(int m, int which, S* to) const {
    if (o.peephole == nullptr) return;
    const S *const w = peephole + which * width, *const cell = c + m * width;
    each(to, [&](int64_t i) { return at(to, i) + at(w, i) * at(cell, i); });
  }
  void lstm(int m, int64_t step) const {
    for (int g = 0; g < 4; ++g) add_inputs(m, step, g);
    S *const in = gate(m, 0), *const out = gate(m, 1), *const forget = gate(m, 2);
    S *const fresh = gate(m, 3), *const cell = c + m * width, *const to = t + m * width;
    add_peephole(m, 0, in);
    add_peephole(m, 2, forget);
    activate(0, in);
    if (p.is_coupled) {
      const V one = recurrent_number(Tag<V>{}, 1.0f);
      each(forget, [&](int64_t i) { return one - at(in, i); });
    } else {
      activate(0, forget);
    }
    activate(1, fresh);
    each(cell, [&](int64_t i) { return at(forget, i) * at(cell, i) + at(in, i) * at(fresh, i); });
    add_peephole(m, 1, out);
    activate(0, out);
    each(to, [&](int64_t i) { return at(cell, i); });
    recurrent_activate<V>(p, d, 2, 0.0f, to, width);
    each(h + m * width, [&](int64_t i) { return at(out, i) * at(to, i); });
  }

  // Where row m is in its sequence at this step; -1: behind its end.
  int64_t position(int m, int64_t step) const {
    if (step >= length[m]) return -1;
    return d == 1 || p.is_reverse ? length[m] - 1 - step : step;
  }
  template <class F>
  MACEC_INLINE void rows_at(int64_t step, F f) const {
    for (int m = 0; m < rows; ++m) {
      const int64_t where = position(m, step);
      if (where >= 0) f(m, where);
    }
  }

  void run_step(int64_t step) const {
    const bool has_two = p.kind == kRecurrentGru && !p.is_reset_late;
    source.products(h, 0, has_two ? 2 : gate_count, rows, gates);
    if (p.kind == kRecurrentRnn) {
      rows_at(step, [&](int m, int64_t where) { rnn(m, where); });
    } else if (p.kind == kRecurrentLstm) {
      rows_at(step, [&](int m, int64_t where) { lstm(m, where); });
    } else {
      rows_at(step, [&](int m, int64_t where) { gru_gates(m, where); });
      if (has_two) source.products(t, 2, 3, rows, gates);
      rows_at(step, [&](int m, int64_t where) { gru_state(m, where); });
    }
    if (o.y == nullptr) return;
    rows_at(step,
            [&](int m, int64_t where) { recurrent_put(h + m * width, y_at(m, where), p.hidden); });
  }
  T* y_at(int m, int64_t step) const {
    return o.y + step * p.y_step + d * p.y_direction + (first + m) * p.y_row;
  }

  void finish() const {
    for (int m = 0; m < rows; ++m) {
      const int64_t row = first + m;
      T *const to_h = o.last_h, *const to_c = o.last_c;
      if (to_h != nullptr) {
        recurrent_put(h + m * width, to_h + d * p.last_h[0] + row * p.last_h[1], p.hidden);
      }
      if (to_c != nullptr) {
        recurrent_put(c + m * width, to_c + d * p.last_c[0] + row * p.last_c[1], p.hidden);
      }
      if (o.y == nullptr) continue;
      for (int64_t step = length[m]; step < p.steps; ++step) {
        T* const to = y_at(m, step);
        for (int64_t i = 0; i < p.hidden; ++i) plain_store(to + i, S{0});
      }
    }
  }

  void run(S* scratch) {
    carve(scratch);
    for (int64_t i = 0; i < recurrent_scratch(p.kind, width); ++i) scratch[i] = 0;
    fetch_weights();
    fetch_states();
    int64_t longest = 0;
    for (int m = 0; m < rows; ++m) longest = length[m] > longest ? length[m] : longest;
    for (int64_t step = 0; step < longest; ++step) run_step(step);
    finish();
  }
};

// All units; make_source(direction, first row) gives the Source of one.
template <class V, class T, class MakeSource>
void recurrent_units(const RecurrentParams& p, const RecurrentOperands<T>& operands, int64_t width,
                     int64_t begin, int64_t end, void* scratch, MakeSource make_source) {
  using S = typename RecurrentLanes<V>::Element;
  const int64_t blocks = (p.batch + kRecurrentRows - 1) / kRecurrentRows;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int d = static_cast<int>(unit / blocks);
    const int64_t first = unit % blocks * kRecurrentRows;
    const int64_t left = p.batch - first;
    const int rows = left < kRecurrentRows ? static_cast<int>(left) : kRecurrentRows;
    const auto source = make_source(d);
    RecurrentBlock<V, decltype(make_source(d)), T> block = {
        p,       source,  operands, d,       rows,    recurrent_gates(p.kind),
        first,   width,   nullptr,  nullptr, nullptr, nullptr,
        nullptr, nullptr, {}};
    block.run(static_cast<S*>(scratch));
  }
}
