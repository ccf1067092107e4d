// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How window kernels find a row of their input: in a whole tensor, or in a ring of its last rows.
//
// `conv_rows(p, x)` turns the argument x of a kernel (a pointer or a ConvRing) into something with
//   at(row)    start of input row `row` = (batch * in[0] + depth) * in[1] + height
//   run(row)   how many rows from `row` on lie one after the other without a gap
#pragma once
#include <stdint.h>

#include "../params/conv.h"

template <class T>
struct ImageRows {
  using Element = T;
  const T* base;
  int64_t row_stride;
  const T* at(int64_t row) const { return base + row * row_stride; }
};

template <class T>
struct RingRows {
  using Element = T;
  const T* base;
  int64_t rows, row_stride;
  const T* at(int64_t row) const { return base + row % rows * row_stride; }
};

template <class Params, class T>
inline ImageRows<T> conv_rows(const Params& p, const T* x) {
  return {x, p.in[2] * p.x_pixel};
}

template <class Params, class T>
inline RingRows<T> conv_rows(const Params&, const ConvRing<T>& x) {
  return {x.base, x.rows, x.row_stride};
}

// The output row that unit `unit` computes.
struct ConvUnit {
  int64_t batch, depth, height;
};

template <class Params>
inline ConvUnit conv_unit(const Params& p, int64_t unit) {
  const int64_t outer = unit / p.out[1];
  return {outer / p.out[0], outer % p.out[0], unit % p.out[1]};
}

// The input row under kernel row (kd, kh) of an output row, or nullptr in the padding.
template <class Params, class Rows>
inline const typename Rows::Element* conv_input_row(const Params& p, const Rows& rows,
                                                    const ConvUnit& u, int kd, int kh) {
  const int64_t d = u.depth * p.stride[0] - p.pad[0] + int64_t{kd} * p.dilation[0];
  const int64_t h = u.height * p.stride[1] - p.pad[1] + int64_t{kh} * p.dilation[1];
  if (d < 0 || d >= p.in[0] || h < 0 || h >= p.in[1]) return nullptr;
  return rows.at((u.batch * p.in[0] + d) * p.in[1] + h);
}
