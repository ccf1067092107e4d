// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution of integers as a product over row pointers, like conv_igemm.h: any group, kernel,
// stride, dilation, padding. Every tap is one input pixel. Sums modulo 2^32.
//
// x    int16, params/conv.h has the layout; |x| at most 255 (8-bit numbers less their zero point)
// w    int8 or int16, packed [group] and then as integer_tile.h says
// y    int32; pixels y_pixel apart, overlaps nothing. No bias, no epilogue.
// Scratch: conv_table_scratch() without runs. Units: output rows.
#pragma once
#include "conv_igemm.h"
#include "integer_tile.h"

template <class W, class B>
void conv_integer(const ConvParams& p, const int16_t* x, const W* w, const B*, int32_t* y,
                  int64_t begin, int64_t end, void* scratch) {
  const auto rows = conv_rows(p, x);
  const ConvTable<int16_t> table = conv_table<int16_t>(p, false, scratch);
  const int64_t panels = (int64_t{p.out_channels} + kPanel - 1) / kPanel;
  const int64_t last = end * p.out[2];
  for (int64_t pixel = begin * p.out[2]; pixel < last; pixel += table.block) {
    const int64_t count = last - pixel < table.block ? last - pixel : table.block;
    conv_fill_table(p, rows, table, false, pixel, count);
    IntegerTile<W> t;
    t.rows = table.pointers;
    t.x = nullptr;
    t.x_row = 0;
    t.x_offset = 0;
    t.taps = table.taps;
    t.k = table.k;
    t.w = w;
    t.w_panel = integer_panel(t.taps, t.k);
    t.y = y + pixel * p.y_pixel;
    t.y_row = p.y_pixel;
    t.columns = p.out_channels;
    for (int g = 0; g < p.group; ++g) {
      integer_columns(t, count);
      t.x_offset += p.in_channels;
      t.w += panels * t.w_panel;
      t.y += p.out_channels;
    }
  }
}
