// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of discrete Fourier transforms of lines: y[k] = sum over i of x[i] w[i] e^(-2 pi j i k / n).
//
//   x   `given` elements that count, x_step apart; the rest up to n is 0. Imaginary parts lie
//       x_part behind the real ones, 0: there are none
//   y   the first `bins` of n results, y_step apart; imaginary parts y_part behind, 0: only real
//       parts are wanted
//   mirrors  x is one half of a spectrum, whose other half is its conjugate
//   inverse  the other sign, divided by n
//
// Units: lines, single indices of the nest.
#pragma once
#include "common.h"
#include "pointwise.h"

template <class Int>
struct DftParamsT {
  int rank, inverse, mirrors, x_part, y_part;  // form
  Int n, given, bins, x_step, y_step;
  Int extent[kMaxRank], x_stride[kMaxRank], y_stride[kMaxRank];

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("rank", p.rank), f("inverse", p.inverse), f("mirrors", p.mirrors), f("x_part", p.x_part);
    f("y_part", p.y_part), f("n", p.n), f("given", p.given), f("bins", p.bins);
    f("x_step", p.x_step), f("y_step", p.y_step), f("extent", p.extent);
    f("x_stride", p.x_stride), f("y_stride", p.y_stride);
  }
};
using DftParams = DftParamsT<int64_t>;
