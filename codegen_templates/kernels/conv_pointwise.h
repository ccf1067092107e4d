// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1x1 convolution, stride 1, no padding, any group: the pixels are the rows of one matrix, so all
// units of a range are one gemm.
//
// x    element type X, pixels x_pixel apart, no gap between rows of pixels
// w    packed [group][panel][channel][kPanel], zeros behind the last column
// bias group * out_channels floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// Row of the epilogue: the output pixel, counted over batch and rows; column: the output channel.
// No scratch. Units: output rows, or columns.
#pragma once
#include "../params/conv.h"
#include "gemm_tile.h"

// Tile arguments for the pixels from `pixel` on, first group; x, rows, taps and k left open.
template <class X, class Y>
inline TileArgs<X, Y> conv_args(const ConvParams& p, const float* w, const float* bias, Y* y,
                                int64_t pixel) {
  TileArgs<X, Y> t;
  t.rows = nullptr;
  t.x = nullptr;
  t.x_row = p.x_pixel;
  t.x_offset = 0;
  t.taps = 1;
  t.k = p.in_channels;
  t.w = w;
  t.w_panel = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2] * p.in_channels * kPanel;
  t.bias = bias;
  t.y = y + pixel * p.y_pixel;
  t.y_row = p.y_pixel;
  t.columns = p.out_channels;
  t.row = pixel;
  t.col = 0;
  return t;
}

// What units [begin, end) compute: pixels [first, last), all columns or those of the units.
struct ConvPart {
  int64_t first, last;
  TileColumns columns;
};
[[maybe_unused]] inline ConvPart conv_part(const ConvParams& p, int64_t begin, int64_t end) {
  if (p.columns == 0) return {begin * p.out[2], end * p.out[2], {0, p.out_channels}};
  return {0, p.batch * p.out[0] * p.out[1] * p.out[2],
          tile_columns(p.columns, p.out_channels, begin, end)};
}

// All groups of a block of pixels whose first group `t` describes.
template <class X, class Y, class Epilogue>
inline void conv_groups(const ConvParams& p, TileArgs<X, Y> t, int64_t pixels,
                        const Epilogue& epilogue) {
  const int64_t panels = (int64_t{p.out_channels} + kPanel - 1) / kPanel;
  for (int g = 0; g < p.group; ++g) {
    gemm_columns(t, pixels, epilogue);
    t.x_offset += p.in_channels;
    t.w += panels * t.w_panel;
    t.y += p.out_channels;
    t.col += p.out_channels;
    if (t.bias != nullptr) t.bias += p.out_channels;
  }
}

template <class X, class Y, class Epilogue>
void conv_pointwise(const ConvParams& p, const X* x, const float* w, const float* bias, Y* y,
                    const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const int64_t block = gemm_rows_in_cache(p.in_channels, p.out_channels);
  const ConvPart part = conv_part(p, begin, end);
  for (int64_t pixel = part.first; pixel < part.last; pixel += block) {
    TileArgs<X, Y> t = conv_args<X>(p, w, bias, y, pixel);
    tile_narrow(t, part.columns);
    t.x = x + pixel * p.x_pixel;
    conv_groups(p, t, part.last - pixel < block ? part.last - pixel : block, epilogue);
  }
}
