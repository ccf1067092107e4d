// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of the window families (conv, depthwise, pool).
//
// Always three spatial axes (depth, height, width); a 1-d or 2-d operator has leading extents of 1.
// Activations are channels-last: x[batch][in[0]][in[1]][in[2]][group * in_channels],
//                                y[batch][out[0]][out[1]][out[2]][group * out_channels].
// A unit is one row of the output: (batch, out depth, out height), `batch * out[0] * out[1]` of them; or,
// of kernels that can and with `columns` set, that many output channels of all rows.
#pragma once
#include "common.h"

template <class Int>
struct ConvParamsT {
  int kernel[3], stride[3], dilation[3];  // form
  int group;                              // form
  int in_channels, out_channels;          // form; of one group
  int columns;                            // form; of a unit, 0: units are rows. Only with one group
  Int batch;
  Int in[3], out[3];
  Int pad
      [3];  // before the first element of an axis; what is missing behind follows from the extents
  Int x_pixel;  // elements from one input pixel to the next along the width; rows are dense pixels
  Int y_pixel;  // the same for the output: more than the channels when y is a slice of a wider tensor

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("kernel", p.kernel), f("stride", p.stride), f("dilation", p.dilation), f("group", p.group);
    f("in_channels", p.in_channels), f("out_channels", p.out_channels), f("columns", p.columns);
    f("batch", p.batch);
    f("in", p.in), f("out", p.out), f("pad", p.pad), f("x_pixel", p.x_pixel),
        f("y_pixel", p.y_pixel);
  }
};
using ConvParams = ConvParamsT<int64_t>;

// The last input rows of one image, when a step keeps only those: row r (of depth 1, batch 1) starts
// at base + (r % rows) * row_stride. Window kernels take it in place of x.
template <class T>
struct ConvRing {
  const T* base;
  int64_t rows, row_stride;
};

// What conv_igemm works with at once: pixels of output, a multiple of every tile's height, so many that
// their row pointers and copied runs (`bytes` a pixel) fill half of a small L1 cache.
[[maybe_unused]] constexpr int64_t kConvTileMultiple = 24;
[[maybe_unused]] constexpr int64_t conv_block_pixels(int64_t bytes) {
  const int64_t pixels = 16384 / bytes / kConvTileMultiple * kConvTileMultiple;
  return pixels < kConvTileMultiple ? kConvTileMultiple : pixels > 192 ? 192 : pixels;
}

// Whether a row of the kernel is read as one run of kernel[2] * in_channels elements, for which the
// pixels at the left and right border are copied with their padding: pays for few channels, and for
// kernels so wide that a table of their taps would cost more than the products.
template <class Int>
constexpr bool conv_reads_runs(const ConvParamsT<Int>& p) {
  return p.group == 1 && p.dilation[2] == 1 && p.kernel[2] > 1 &&
         (p.in_channels < 8 || (p.kernel[2] > 7 && p.in_channels <= 32));
}

// Bytes of scratch of kernels over row pointers for inputs of `element` bytes, which may read a row of
// the kernel as one run (`runs`) or not; depends on the form only. It holds zeros for one tap, the
// table of row pointers, the input rows under the kernel, copied runs.
template <class Int>
constexpr int64_t conv_table_scratch(const ConvParamsT<Int>& p, int64_t element, bool runs) {
  const int64_t rows = int64_t{p.kernel[0]} * p.kernel[1];
  constexpr int64_t pointer = 8;  // also where pointers are smaller
  const int64_t run = int64_t{p.kernel[2]} * p.in_channels * element;
  const int64_t pixel = int64_t{p.group} * p.in_channels * element;
  const int64_t table = rows * p.kernel[2] * pointer, run_table = rows * (pointer + run);
  const int64_t by_pixel = (pixel + 63) / 64 * 64 + conv_block_pixels(table) * table;
  const int64_t by_run = (run + 63) / 64 * 64 + conv_block_pixels(run_table) * run_table;
  return (runs && by_run > by_pixel ? by_run : by_pixel) + rows * pointer;
}
template <class Int>
constexpr int64_t conv_igemm_scratch(const ConvParamsT<Int>& p, int64_t element) {
  return conv_table_scratch(p, element, conv_reads_runs(p));
}

// The same for conv_dots, which profits from long runs.
template <class Int>
constexpr bool conv_dots_runs(const ConvParamsT<Int>& p) {
  return p.group == 1 && p.dilation[2] == 1 && p.kernel[2] > 1;
}
template <class Int>
constexpr int64_t conv_dots_scratch(const ConvParamsT<Int>& p, int64_t element) {
  return conv_table_scratch(p, element, conv_dots_runs(p));
}

// Transposed convolution has the same parameters: x and `in` are the smaller side, y and `out` the
// larger one, and y[o] gathers the taps k for which o + pad - k * dilation is a multiple i * stride
// with i inside x. Bytes of scratch of conv_transposed: zeros for one tap, input rows, row pointers.
template <class Int>
constexpr int64_t conv_transposed_zeros(const ConvParamsT<Int>& p, int64_t element) {
  return (int64_t{p.group} * p.in_channels * element + 63) / 64 * 64;
}
template <class Int>
constexpr int64_t conv_transposed_scratch(const ConvParamsT<Int>& p, int64_t element) {
  const int64_t rows = int64_t{p.kernel[0]} * p.kernel[1], tap_bytes = rows * p.kernel[2] * 8;
  return conv_transposed_zeros(p, element) + rows * 8 + conv_block_pixels(tap_bytes) * tap_bytes;
}

// Floats of the packed weights: [group][panel][tap * in_channels + channel][panel's columns].
template <class Int>
constexpr int64_t conv_packed_floats(const ConvParamsT<Int>& p, int64_t panel) {
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  return p.group * ((p.out_channels + panel - 1) / panel * panel) * taps * p.in_channels;
}
