// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The geometry that Conv, MaxPool and AveragePool share.
#pragma once
#include <vector>

#include "compiler/ir/graph.h"

namespace macec {

// A window that slides over the spatial axes of [N, C, spatial...]. Always three axes, as in
// params/conv.h: those of a 1-d or 2-d operator are the last ones, the others have extent, kernel
// and stride 1.
struct Window {
  int kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  Dim in[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  Dim pad[3] = {0, 0, 0},
      pad_end[3] = {0, 0, 0};  // as given; the last window of ceil_mode may reach further

  int64_t taps() const { return int64_t{kernel[0]} * kernel[1] * kernel[2]; }
  Dim positions() const { return out[0] * out[1] * out[2]; }
};

// Reads strides, dilations, pads, auto_pad and ceil_mode of the node.
//   input    [N, C, spatial...]
//   kernel   extent of the window for each spatial axis
// Throws UserError for what does not fit together, and where the window is larger than the padded
// input.
Window make_window(const Node& node, const Shape& input, const std::vector<int64_t>& kernel);

// The same for ConvTranspose, whose windows slide over the output: `in` are the extents of its input,
// `out` those of its output, pads are cut off the output. Reads output_padding and output_shape too.
Window make_transposed_window(const Node& node, const Shape& input,
                              const std::vector<int64_t>& kernel);

// [N, channels, the window's positions along each spatial axis].
Shape window_shape(const Window& window, const Shape& input, const Dim& channels);

// Extent of the output along one axis when nothing is padded automatically.
//   in           elements, pads included
//   window_span  (kernel - 1) * dilation + 1
//   starts       elements in which a window may start: in, less the padding behind (ceil_mode only)
Dim window_extent(const Dim& in, int64_t window_span, int64_t stride, bool ceil_mode,
                  const Dim& starts);

}  // namespace macec
