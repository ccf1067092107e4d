// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meaning of RNN, GRU and LSTM: one batch row of one direction at a time, in double.
#include <algorithm>
#include <cmath>

#include "compiler/ops/recurrent.h"

namespace macec {
namespace {

double apply(const RecurrentFunctionUse& use, double x) {
  const double a = static_cast<double>(use.alpha), b = static_cast<double>(use.beta);
  switch (use.function) {
    case kRecurrentRelu:
      return x < 0 ? 0 : x;
    case kRecurrentTanh:
      return std::tanh(x);
    case kRecurrentSigmoid:
      return 1 / (1 + std::exp(-x));
    case kRecurrentAffine:
      return a * x + b;
    case kRecurrentLeakyRelu:
      return x < 0 ? a * x : x;
    case kRecurrentThresholdedRelu:
      return x <= a ? 0 : x;
    case kRecurrentScaledTanh:
      return a * std::tanh(b * x);
    case kRecurrentHardSigmoid:
      return std::clamp(a * x + b, 0.0, 1.0);
    case kRecurrentElu:
      return x < 0 ? a * std::expm1(x) : x;
    case kRecurrentSoftsign:
      return x / (1 + std::fabs(x));
    case kRecurrentSoftplus:
      return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  }
  return x;
}

using Row = std::vector<double>;

// One direction of a layer, with operands as numbers. Gates are [gate][hidden].
struct Layer {
  const Recurrent& r;
  int d;
  int64_t hidden, inputs;
  std::vector<double> w, recurrent, bias, peephole;  // of all directions; empty: not given

  double clipped(double v) const {
    const double size = static_cast<double>(r.clip);
    return size > 0 ? std::clamp(v, -size, size) : v;
  }
  double function(int which, double v) const {
    return apply(r.used[static_cast<size_t>(d * r.functions + which)], v);
  }
  double at(const Row& from, int64_t i) const { return from[static_cast<size_t>(i)]; }
  // Element `row` of x * W; x holds it already where the layer is projected.
  double input(const Row& x, int64_t row) const {
    const int64_t all = r.gates * hidden;
    if (r.is_projected) return at(x, d * all + row);
    double sum = 0;
    for (int64_t k = 0; k < inputs; ++k) sum += at(x, k) * at(w, (d * all + row) * inputs + k);
    return sum;
  }
  double product(const Row& h, int64_t row) const {
    double sum = 0;
    for (int64_t k = 0; k < hidden; ++k) {
      sum += at(h, k) * at(recurrent, (d * r.gates * hidden + row) * hidden + k);
    }
    return sum;
  }
  double input_bias(int64_t row) const {
    return bias.empty() ? 0 : at(bias, d * 2 * r.gates * hidden + row);
  }
  double recurrent_bias(int64_t row) const {
    return bias.empty() ? 0 : at(bias, (d * 2 + 1) * r.gates * hidden + row);
  }
  double gate(const Row& x, const Row& h, int64_t row) const {
    return input(x, row) + product(h, row) + input_bias(row) + recurrent_bias(row);
  }
  double peep(int which, int64_t i, double cell) const {
    return peephole.empty() ? 0 : at(peephole, (d * 3 + which) * hidden + i) * cell;
  }

  void rnn(const Row& x, Row& h) const {
    Row next(h.size());
    for (int64_t i = 0; i < hidden; ++i) {
      next[static_cast<size_t>(i)] = function(0, clipped(gate(x, h, i)));
    }
    h = next;
  }

  void gru(const Row& x, Row& h) const {
    Row z(h.size()), reset(h.size()), product_of(h.size()), next(h.size());
    for (int64_t i = 0; i < hidden; ++i) {
      const size_t at_i = static_cast<size_t>(i);
      z[at_i] = function(0, clipped(gate(x, h, i)));
      reset[at_i] = function(0, clipped(gate(x, h, hidden + i)));
      product_of[at_i] = reset[at_i] * h[at_i];
    }
    for (int64_t i = 0; i < hidden; ++i) {
      const size_t at_i = static_cast<size_t>(i);
      const int64_t row = 2 * hidden + i;
      const double fresh = r.is_reset_late ? reset[at_i] * (product(h, row) + recurrent_bias(row))
                                           : product(product_of, row) + recurrent_bias(row);
      const double n = function(1, clipped(input(x, row) + fresh + input_bias(row)));
      next[at_i] = (1 - z[at_i]) * n + z[at_i] * h[at_i];
    }
    h = next;
  }

  void lstm(const Row& x, Row& h, Row& c) const {
    Row next(h.size());
    for (int64_t i = 0; i < hidden; ++i) {
      double& cell = c[static_cast<size_t>(i)];
      const double in = function(0, clipped(gate(x, h, i) + peep(0, i, cell)));
      const double forget =
          r.is_coupled ? 1 - in
                       : function(0, clipped(gate(x, h, 2 * hidden + i) + peep(2, i, cell)));
      cell = forget * cell + in * function(1, clipped(gate(x, h, 3 * hidden + i)));
      const double out = function(0, clipped(gate(x, h, hidden + i) + peep(1, i, cell)));
      next[static_cast<size_t>(i)] = out * function(2, cell);
    }
    h = next;
  }

  void step(const Row& x, Row& h, Row& c) const {
    if (r.kind == kRecurrentRnn) return rnn(x, h);
    if (r.kind == kRecurrentGru) return gru(x, h);
    lstm(x, h, c);
  }
};

std::vector<double> numbers(const EvaluateContext& context, int input) {
  return context.has(input) ? to_f64(context.in(input)) : std::vector<double>();
}

Row row_of(const Tensor& tensor, int64_t first, int64_t count) {
  Row row;
  for (int64_t i = 0; i < count; ++i) row.push_back(tensor.f64(first + i));
  return row;
}
void set_row(Tensor* tensor, int64_t first, const Row& row) {
  for (size_t i = 0; i < row.size(); ++i) tensor->set_f64(first + static_cast<int64_t>(i), row[i]);
}

}  // namespace

void evaluate_recurrent(EvaluateContext& context) {
  const Recurrent r = recurrent_of(context.node);
  const RecurrentAxes axes = axes_of(r);
  const Tensor& x = context.in(kInputX);
  const int64_t hidden = context.in(kInputR).shape[2], width = x.shape[2];
  const int64_t steps = x.shape[axes.steps], batch = x.shape[axes.batch];
  Layer layer{r,
              0,
              hidden,
              width,
              numbers(context, kInputW),
              numbers(context, kInputR),
              numbers(context, kInputBias),
              numbers(context, kInputPeephole)};
  const bool is_first = r.has_batch_first;
  const int64_t d_count = r.directions;
  Tensor y(x.dtype, is_first ? std::vector<int64_t>{batch, steps, d_count, hidden}
                             : std::vector<int64_t>{steps, d_count, batch, hidden});
  Tensor last_h(x.dtype, is_first ? std::vector<int64_t>{batch, d_count, hidden}
                                  : std::vector<int64_t>{d_count, batch, hidden});
  Tensor last_c = last_h;
  for (layer.d = 0; layer.d < r.directions; ++layer.d) {
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t state = (is_first ? b * d_count + layer.d : layer.d * batch + b) * hidden;
      Row h(static_cast<size_t>(hidden)), c = h;
      if (context.has(kInputH)) h = row_of(context.in(kInputH), state, hidden);
      if (context.has(kInputC)) c = row_of(context.in(kInputC), state, hidden);
      const int64_t length = context.has(kInputLengths)
                                 ? std::clamp<int64_t>(context.in(kInputLengths).i64(b), 0, steps)
                                 : steps;
      for (int64_t t = 0; t < length; ++t) {
        const int64_t s = layer.d == 1 || r.is_reverse ? length - 1 - t : t;
        layer.step(row_of(x, (is_first ? b * steps + s : s * batch + b) * width, width), h, c);
        const int64_t to =
            is_first ? (b * steps + s) * d_count + layer.d : (s * d_count + layer.d) * batch + b;
        set_row(&y, to * hidden, h);
      }
      set_row(&last_h, state, h);
      set_row(&last_c, state, c);
    }
  }
  Tensor* const results[] = {&y, &last_h, &last_c};
  for (size_t o = 0; o < context.outputs.size(); ++o) context.outputs[o] = std::move(*results[o]);
}

}  // namespace macec
