// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recurrent layers against the same in double: hidden sizes around panels and vectors, blocks of
// rows, lengths, both directions, every function; the plain kernel on weights as ONNX has them, the
// one of panels on products of the inputs.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/recurrent.h"
#include "codegen_templates/kernels/recurrent_plain.h"
}  // namespace kernels
using namespace kernels;

namespace {

struct Layer {
  int kind, hidden, inputs, directions;
  int64_t steps, batch;
  bool is_late, has_all;  // has_all: lengths, states, peepholes and a clip
  int function = kRecurrentTanh;
};

RecurrentParams params_of(const Layer& c) {
  RecurrentParams p{};
  p.kind = c.kind, p.hidden = c.hidden, p.inputs = c.inputs, p.directions = c.directions;
  p.is_reverse = c.directions == 1 && c.has_all;
  p.is_reset_late = c.is_late;
  p.clip = c.has_all ? 0.7f : 0.0f;
  for (int i = 0; i < 6; ++i) {
    const bool is_gate = i % 3 == 0 && c.kind != kRecurrentRnn;
    p.function[i] = is_gate ? int{kRecurrentSigmoid} : c.function;
    p.alpha[i] = 0.4f, p.beta[i] = 0.3f;
  }
  p.steps = c.steps, p.batch = c.batch;
  p.x_row = c.inputs + 1, p.x_step = c.batch * p.x_row;
  p.y_row = c.hidden, p.y_direction = c.batch * p.y_row + 2;
  p.y_step = c.directions * p.y_direction;
  for (int64_t* state : {p.initial_h, p.initial_c, p.last_h, p.last_c}) {
    state[0] = c.batch * c.hidden, state[1] = c.hidden;
  }
  return p;
}

// All operands of a layer; x as rows of inputs.
struct Operands {
  Guarded<float> x, w, r, bias, h, c, peephole;
  Guarded<int32_t> lengths;
  explicit Operands(const Layer& l, const RecurrentParams& p)
      : x(l.steps * p.x_step),
        w(int64_t{l.directions} * recurrent_gates(l.kind) * l.hidden * l.inputs),
        r(int64_t{l.directions} * recurrent_gates(l.kind) * l.hidden * l.hidden),
        bias(int64_t{l.directions} * 2 * recurrent_gates(l.kind) * l.hidden),
        h(l.directions * l.batch * l.hidden),
        c(h.size()),
        peephole(int64_t{l.directions} * 3 * l.hidden),
        lengths(l.batch) {
    for (Guarded<float>* b : {&x, &w, &r, &bias, &h, &c, &peephole}) fill_random(*b);
    for (int64_t i = 0; i < r.size(); ++i) r[i] *= 0.3f;
    for (int64_t i = 0; i < l.batch; ++i) lengths[i] = static_cast<int32_t>(i % (l.steps + 1));
  }
};

double function_of(int code, double x) {
  const double a = static_cast<double>(0.4f), b = static_cast<double>(0.3f);
  switch (code) {
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
      return std::fmin(1, std::fmax(0, a * x + b));
    case kRecurrentElu:
      return x < 0 ? a * std::expm1(x) : x;
    case kRecurrentSoftsign:
      return x / (1 + std::fabs(x));
    default:
      return std::log1p(std::exp(x));
  }
}

// One direction of one row, states in place; y[step] = h of it.
struct Reference {
  const Layer& l;
  const RecurrentParams& p;
  Operands& o;
  int d;

  double clipped(double v) const {
    const double size = static_cast<double>(p.clip);
    return size > 0 ? std::fmin(size, std::fmax(-size, v)) : v;
  }
  double at(Guarded<float>& from, int64_t i) const { return static_cast<double>(from[i]); }
  int64_t row_of(int gate, int i) const {
    return (int64_t{d} * recurrent_gates(l.kind) + gate) * l.hidden + i;
  }
  double input(const float* x, int gate, int i) const {
    double sum = 0;
    for (int k = 0; k < l.inputs; ++k) {
      sum += static_cast<double>(x[k]) * at(o.w, row_of(gate, i) * l.inputs + k);
    }
    return sum + at(o.bias, row_of(gate, i) + int64_t{d} * recurrent_gates(l.kind) * l.hidden);
  }
  double state(const std::vector<double>& h, int gate, int i) const {
    double sum = at(o.bias, row_of(gate, i) + int64_t{d + 1} * recurrent_gates(l.kind) * l.hidden);
    for (size_t k = 0; k < h.size(); ++k) {
      sum += h[k] * at(o.r, row_of(gate, i) * l.hidden + static_cast<int64_t>(k));
    }
    return sum;
  }
  double peep(int which, int i, double cell) const {
    return l.has_all ? at(o.peephole, (int64_t{d} * 3 + which) * l.hidden + i) * cell : 0;
  }
  double gate(const float* x, const std::vector<double>& h, int g, int i) const {
    return input(x, g, i) + state(h, g, i);
  }

  void step(const float* x, std::vector<double>& h, std::vector<double>& c) const {
    std::vector<double> next = h, product = h, reset = h;
    const int* const f = p.function + d * 3;
    for (int i = 0; i < l.hidden && l.kind == kRecurrentGru; ++i) {
      const size_t j = static_cast<size_t>(i);
      reset[j] = function_of(f[0], clipped(gate(x, h, 1, i)));
      product[j] = reset[j] * h[j];
    }
    for (int i = 0; i < l.hidden; ++i) {
      const size_t j = static_cast<size_t>(i);
      const double first =
          clipped(gate(x, h, 0, i) + (l.kind == kRecurrentLstm ? peep(0, i, c[j]) : 0));
      if (l.kind == kRecurrentRnn) next[j] = function_of(f[0], first);
      if (l.kind == kRecurrentGru) {
        const double z = function_of(f[0], first);
        const double fresh = l.is_late ? reset[j] * state(h, 2, i) : state(product, 2, i);
        const double n = function_of(f[1], clipped(input(x, 2, i) + fresh));
        next[j] = (1 - z) * n + z * h[j];
      }
      if (l.kind == kRecurrentLstm) {
        const double in = function_of(f[0], first);
        const double forget = function_of(f[0], clipped(gate(x, h, 2, i) + peep(2, i, c[j])));
        c[j] = forget * c[j] + in * function_of(f[1], clipped(gate(x, h, 3, i)));
        const double out = function_of(f[0], clipped(gate(x, h, 1, i) + peep(1, i, c[j])));
        next[j] = out * function_of(f[2], c[j]);
      }
    }
    h = next;
  }
};

struct Results {
  Guarded<float> y, h, c;
  Results(const Layer& l, const RecurrentParams& p)
      : y(l.steps * p.y_step), h(l.directions * l.batch * l.hidden), c(h.size()) {}
};

void compare(const Layer& l, const RecurrentParams& p, Operands& o, Results& results,
             const std::string& name) {
  check(results.y.intact() && results.h.intact() && results.c.intact(), "writes outside" + name);
  const double tolerance = 2e-5;  // a few steps of sums of at most 40 products
  for (int d = 0; d < l.directions; ++d) {
    for (int64_t b = 0; b < l.batch; ++b) {
      const Reference reference{l, p, o, d};
      const int64_t at = (d * l.batch + b) * l.hidden;
      const size_t size = static_cast<size_t>(l.hidden);
      std::vector<double> h(size), c(size);
      for (size_t i = 0; l.has_all && i < size; ++i) {
        h[i] = static_cast<double>(o.h[at + static_cast<int64_t>(i)]);
        c[i] = static_cast<double>(o.c[at + static_cast<int64_t>(i)]);
      }
      const int64_t length = l.has_all ? o.lengths[b] : l.steps;
      for (int64_t t = 0; t < l.steps; ++t) {
        const bool is_back = d == 1 || p.is_reverse;
        const int64_t s = t >= length ? t : is_back ? length - 1 - t : t;
        if (t < length) reference.step(&o.x[s * p.x_step + b * p.x_row], h, c);
        for (size_t i = 0; i < size; ++i) {
          const int64_t to = s * p.y_step + d * p.y_direction + b * p.y_row;
          check_close(static_cast<double>(results.y[to + static_cast<int64_t>(i)]),
                      t < length ? h[i] : 0, tolerance, "y" + name);
        }
      }
      for (size_t i = 0; i < size; ++i) {
        const int64_t j = at + static_cast<int64_t>(i);
        check_close(static_cast<double>(results.h[j]), h[i], tolerance, "last h" + name);
        if (l.kind != kRecurrentLstm) continue;
        check_close(static_cast<double>(results.c[j]), c[i], tolerance, "last c" + name);
      }
    }
  }
}

// x * W, and R in panels, as the compiler makes them.
std::vector<float> products(const Layer& l, const RecurrentParams& p, Operands& o) {
  const int64_t rows = int64_t{l.directions} * recurrent_gates(l.kind) * l.hidden;
  std::vector<float> result;
  for (int64_t m = 0; m < l.steps * l.batch; ++m) {
    for (int64_t n = 0; n < rows; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < l.inputs; ++k) {
        sum +=
            static_cast<double>(o.x[m * p.x_row + k]) * static_cast<double>(o.w[n * l.inputs + k]);
      }
      result.push_back(static_cast<float>(sum));
    }
  }
  return result;
}
std::vector<float> panels(const Layer& l, Operands& o) {
  const int64_t hidden = l.hidden, width = (hidden + kPanel - 1) / kPanel * kPanel;
  const int64_t gates = int64_t{l.directions} * recurrent_gates(l.kind);
  std::vector<float> packed(static_cast<size_t>(gates * width * hidden));
  for (int64_t g = 0; g < gates; ++g) {
    for (int64_t n = 0; n < hidden; ++n) {
      for (int64_t k = 0; k < hidden; ++k) {
        const int64_t to = g * width * hidden + (n / kPanel * hidden + k) * kPanel + n % kPanel;
        packed[static_cast<size_t>(to)] = o.r[(g * hidden + n) * hidden + k];
      }
    }
  }
  return packed;
}

void check_layer(const Layer& l) {
  const RecurrentParams p = params_of(l);
  Operands o(l, p);
  const std::string name = text(" kind", l.kind) + text("hidden", l.hidden) +
                           text("batch", l.batch) + text("directions", l.directions) +
                           text("late", l.is_late) + text("all", l.has_all) +
                           text("function", l.function);
  const int32_t* const lengths = l.has_all ? o.lengths.data() : nullptr;
  const float *h = l.has_all ? o.h.data() : nullptr, *c = l.has_all ? o.c.data() : nullptr;
  const float* const peephole = l.has_all && l.kind == kRecurrentLstm ? o.peephole.data() : nullptr;
  const float *x = o.x.data(), *w = o.w.data(), *r = o.r.data(), *bias = o.bias.data();
  const int64_t units = l.directions * ((l.batch + kRecurrentRows - 1) / kRecurrentRows);

  Guarded<float> scratch(recurrent_scratch(l.kind, l.hidden));
  Results plain(l, p);
  for (int64_t u = units - 1; u >= 0; --u) {
    recurrent_plain(p, x, w, r, bias, lengths, h, c, peephole, plain.y.data(), plain.h.data(),
                    plain.c.data(), u, u + 1, scratch.data());
  }
  check(scratch.intact(), "scratch of plain" + name);
  compare(l, p, o, plain, " plain" + name);

  const std::vector<float> all = products(l, p, o), packed = panels(l, o);
  const int64_t width = (int64_t{l.hidden} + kPanel - 1) / kPanel * kPanel;
  Guarded<float> wide(recurrent_scratch(l.kind, width));
  RecurrentParams q = p;
  q.inputs = 0;
  q.x_row = int64_t{l.directions} * recurrent_gates(l.kind) * l.hidden;
  q.x_step = q.x_row * l.batch;
  Results fast(l, p);
  recurrent(q, all.data(), nullptr, packed.data(), bias, lengths, h, c, peephole, fast.y.data(),
            fast.h.data(), fast.c.data(), 0, units, wide.data());
  check(wide.intact(), "scratch of panels" + name);
  compare(l, p, o, fast, " panels" + name);

  recurrent(q, all.data(), nullptr, packed.data(), bias, lengths, h, c, peephole,
            static_cast<float*>(nullptr), fast.h.data(), static_cast<float*>(nullptr), 0, units,
            wide.data());
}

}  // namespace

int main() {
  for (int kind : {kRecurrentRnn, kRecurrentGru, kRecurrentLstm}) {
    for (int hidden : {1, 3, 7, 16, 17, 40}) {
      for (int64_t batch : {1, 3, 6}) {
        check_layer({kind, hidden, 3, 1, 4, batch, false, false});
        check_layer({kind, hidden, 5, 2, 3, batch, kind == kRecurrentGru, true});
      }
    }
    check_layer({kind, 17, 2, 1, 5, 7, kind == kRecurrentGru, true});
    for (int f = kRecurrentRelu; f <= kRecurrentSoftplus; ++f) {
      check_layer({kind, 9, 3, 1, 2, 2, false, false, f});
    }
  }
  return report("recurrent_test");
}
