// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceNormalization and GroupNormalization, channels-last:
//
//   x[batch][positions][groups][channels], y likewise
//   y = (x - mean) / sqrt(variance + epsilon) * scale + bias
//
// Mean and variance (of the population) are over the positions and channels of one group of one image; scale and bias have one
// element for each of the groups * channels. InstanceNormalization: every channel is a group.
// Units: (image, block of channel_norm_groups(channels) groups), the last block of an image may be smaller.
#pragma once
#include "common.h"

template <class Int>
struct ChannelNormParamsT {
  int groups, channels;  // form; channels of one group
  Int batch, positions;
  Int x_pixel, y_pixel;  // elements from one position to the next; images follow without a gap
  float epsilon;         // form

  template <class Self, class F>
  static void each(Self& p, F f) {
    f("groups", p.groups), f("channels", p.channels), f("batch", p.batch);
    f("positions", p.positions), f("x_pixel", p.x_pixel), f("y_pixel", p.y_pixel);
    f("epsilon", p.epsilon);
  }
};
using ChannelNormParams = ChannelNormParamsT<int64_t>;

// Groups of one unit: at least a cache line of channels.
[[maybe_unused]] constexpr int channel_norm_groups(int channels) {
  return channels >= 16 ? 1 : 16 / channels;
}
// Blocks of groups of one image.
[[maybe_unused]] constexpr int64_t channel_norm_blocks(int groups, int channels) {
  return (groups + channel_norm_groups(channels) - 1) / channel_norm_groups(channels);
}
