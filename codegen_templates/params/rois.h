// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of RoiAlign and MaxRoiPool: windows of images, each as a small image of its own.
//
//   x [images, C, height, width] and y [regions, C, out_height, out_width] with any strides; one
//   row of coordinates (x, y, x, y) for each region
//
// half_pixel and ratio (samples along each axis of a bin, 0: as many as it has pixels) are those of
// RoiAlign. Units: single elements of [regions, out_height, out_width].
#pragma once
#include "common.h"

template <class Int>
struct RoiParamsT {
  int half_pixel, ratio;  // form
  float scale;            // form
  Int images, channels, height, width, out_height, out_width;
  Int x_image, x_channel, x_row, x_column;
  Int y_region, y_channel, y_row, y_column;

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("half_pixel", p.half_pixel), f("ratio", p.ratio), f("scale", p.scale);
    f("images", p.images), f("channels", p.channels), f("height", p.height), f("width", p.width);
    f("out_height", p.out_height), f("out_width", p.out_width), f("x_image", p.x_image);
    f("x_channel", p.x_channel), f("x_row", p.x_row), f("x_column", p.x_column);
    f("y_region", p.y_region), f("y_channel", p.y_channel), f("y_row", p.y_row);
    f("y_column", p.y_column);
  }
};
using RoiParams = RoiParamsT<int64_t>;
