// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution as a gemm over row pointers: any group, kernel, stride, dilation, padding, 1 to 3
// spatial axes, channels-last. No patch matrix is written.
//
//   table[tap][pixel of a tile] -> x pixel under that tap, or a row of zeros in the padding
//
// With few input channels a tap is a run of kernel[2] * in_channels elements, and pixels whose window
// crosses the left or right border are copied with zeros; otherwise a tap is one input pixel.
//
// x    const X* (params/conv.h has the layout) or ConvRing<X>; X is float or a 16-bit type
// w    packed [group][panel][tap * in_channels + channel][kPanel], zeros behind the last column
// bias group * out_channels floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// Row of the epilogue: the output pixel, ((batch * out[0] + d) * out[1] + h) * out[2] + w; column:
// the output channel. Scratch: conv_igemm_scratch(). Units: output rows, or columns.
#pragma once
#include <string.h>

#include "../params/conv.h"
#include "conv_pointwise.h"
#include "conv_rows.h"

// A block of output pixels as a table of row pointers.
template <class X>
struct ConvTable {
  int64_t block;          // pixels at once
  const X** pointers;     // tile by tile: [tap][pixel of the tile]
  const X** kernel_rows;  // input row under each row of the kernel, for the current output row
  const X* zeros;         // of one tap
  X* patches;             // where border pixels are copied, run by run; unused with one tap a pixel
  int64_t taps, k;        // of the gemm: k elements for each of the taps
};

// Entries of pixel `ox`, `height` pointers from one tap to the next; nullptr rows are padding.
template <class X>
inline void conv_point(const ConvParams& p, const ConvTable<X>& table, int64_t ox, int64_t height,
                       const X** to) {
  const int kernel_rows = p.kernel[0] * p.kernel[1];
  int64_t ix = ox * p.stride[2] - p.pad[2];
  for (int kw = 0; kw < p.kernel[2]; ++kw, ix += p.dilation[2], to += height) {
    const bool inside = ix >= 0 && ix < p.in[2];
    const int64_t offset = ix * p.x_pixel;
    const X** entry = to;
    for (int r = 0; r < kernel_rows; ++r, entry += p.kernel[2] * height) {
      const X* row = table.kernel_rows[r];
      *entry = inside && row != nullptr ? row + offset : table.zeros;
    }
  }
}

// The same when one run covers a row of the kernel; returns the place of the next patch.
template <class X>
inline X* conv_point_runs(const ConvParams& p, const ConvTable<X>& table, int64_t ox,
                          int64_t height, X* patch, const X** to) {
  const int kernel_rows = p.kernel[0] * p.kernel[1];
  const int64_t ix = ox * p.stride[2] - p.pad[2];
  if (ix >= 0 && ix + p.kernel[2] <= p.in[2]) {
    const int64_t offset = ix * p.x_pixel;
    for (int r = 0; r < kernel_rows; ++r, to += height) {
      const X* row = table.kernel_rows[r];
      *to = row != nullptr ? row + offset : table.zeros;
    }
    return patch;
  }
  const int64_t first = ix < 0 ? -ix : 0;
  const int64_t last = ix + p.kernel[2] <= p.in[2] ? p.kernel[2] : p.in[2] - ix;
  for (int r = 0; r < kernel_rows; ++r, to += height) {
    const X* row = table.kernel_rows[r];
    if (row == nullptr || first >= last) {
      *to = table.zeros;
      continue;
    }
    memcpy(patch, table.zeros, static_cast<size_t>(table.k) * sizeof(X));
    memcpy(patch + first * p.in_channels, row + (ix + first) * p.x_pixel,
           static_cast<size_t>((last - first) * p.in_channels) * sizeof(X));
    *to = patch;
    patch += table.k;
  }
  return patch;
}

// Fills the table for `count` pixels from output pixel `first` on (counted over all units).
template <class X, class Rows>
MACEC_NOINLINE void conv_fill_table(const ConvParams& p, const Rows& rows,
                                    const ConvTable<X>& table, bool runs, int64_t first,
                                    int64_t count) {
  int64_t unit = first / p.out[2];
  int64_t ox = first % p.out[2];
  int64_t height = tile_rows(count), m = 0;
  const X** tile = table.pointers;
  X* patch = table.patches;
  while (count > 0) {
    const ConvUnit u = conv_unit(p, unit);
    for (int r = 0; r < p.kernel[0] * p.kernel[1]; ++r) {
      table.kernel_rows[r] = conv_input_row(p, rows, u, r / p.kernel[1], r % p.kernel[1]);
    }
    for (; count > 0 && ox < p.out[2]; ++ox) {
      if (runs) {
        patch = conv_point_runs(p, table, ox, height, patch, tile + m);
      } else {
        conv_point(p, table, ox, height, tile + m);
      }
      if (++m < height) continue;
      tile += table.taps * height;
      count -= height;
      height = tile_rows(count);
      m = 0;
    }
    ++unit;
    ox = 0;
  }
}

template <class X>
inline ConvTable<X> conv_table(const ConvParams& p, bool runs, void* scratch) {
  ConvTable<X> table;
  const int64_t rows = int64_t{p.kernel[0]} * p.kernel[1];
  table.taps = runs ? rows : rows * p.kernel[2];
  table.k = runs ? int64_t{p.kernel[2]} * p.in_channels : p.in_channels;
  char* at = static_cast<char*>(scratch);
  const int64_t zeros =
      (runs ? table.k : int64_t{p.group} * p.in_channels) * static_cast<int64_t>(sizeof(X));
  memset(at, 0, static_cast<size_t>(zeros));
  table.zeros = reinterpret_cast<const X*>(at);
  at += (zeros + 63) / 64 * 64;
  table.pointers = reinterpret_cast<const X**>(at);
  const int64_t run = runs ? table.k * static_cast<int64_t>(sizeof(X)) : 0;
  table.block = conv_block_pixels(table.taps * (8 + run));
  at += table.block * table.taps * static_cast<int64_t>(sizeof(void*));
  table.kernel_rows = reinterpret_cast<const X**>(at);
  at += rows * static_cast<int64_t>(sizeof(void*));
  table.patches = reinterpret_cast<X*>(at);
  return table;
}

// x: `const X*` or `ConvRing<X>`.
template <class Input, class Y, class Epilogue>
void conv_igemm(const ConvParams& p, const Input& x, const float* w, const float* bias, Y* y,
                const Epilogue& epilogue, int64_t begin, int64_t end, void* scratch) {
  const auto rows = conv_rows(p, x);
  using X = typename decltype(rows)::Element;
  const bool runs = conv_reads_runs(p) && p.x_pixel == p.in_channels;
  const ConvTable<X> table = conv_table<X>(p, runs, scratch);
  const int64_t block = table.block;
  const ConvPart part = conv_part(p, begin, end);
  for (int64_t pixel = part.first; pixel < part.last; pixel += block) {
    const int64_t count = part.last - pixel < block ? part.last - pixel : block;
    conv_fill_table(p, rows, table, runs, pixel, count);
    TileArgs<X, Y> t = conv_args<X>(p, w, bias, y, pixel);
    tile_narrow(t, part.columns);
    t.rows = table.pointers;
    t.taps = table.taps;
    t.k = table.k;
    conv_groups(p, t, count, epilogue);
  }
}
