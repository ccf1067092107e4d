// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceNormalization and GroupNormalization, channels-last. A unit is a block of channels of one
// image and goes over its positions three times: sums, squares of the deviations from the mean,
// results.
//
//   positions   | c0 .. c15 | c16 .. c31 | ...   each block: a cache line of every position
//
// x, y         element types X and Y (float, half_t, bfloat16_t); pixels x_pixel and y_pixel apart;
//              the same memory (with equal strides), or no overlap
// scale, bias  groups * channels elements of a float type
// Computed in float; the sums of a channel are emptied every kChannelNormRun positions, so that
// errors do not grow with the size. Row of the epilogue: the position counted over all images,
// column: the channel. No scratch. Units: params/channel_norm.h.
#pragma once
#include "../params/channel_norm.h"
#include "epilogue.h"
#include "simd/simd.h"

[[maybe_unused]] constexpr int64_t kChannelNormRun = 128;
[[maybe_unused]] constexpr int kChannelNormBlock = 16;  // channels at once

// sums[c] for V vectors of channels: sum over positions of x - center[c], or of its square.
template <bool kSquares, int V, class X, class N>
MACEC_NOINLINE void channel_norm_sums(const X* x, int64_t pixel, int64_t positions,
                                      const float* center, float* sums, N n) {
  Vf middle[V], total[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    middle[v] = load<Vf>(center + v * kLanes, n);
    total[v] = splat<Vf>(0.0f);
  }
  while (positions > 0) {
    const int64_t run = positions < kChannelNormRun ? positions : kChannelNormRun;
    Vf part[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) part[v] = splat<Vf>(0.0f);
    for (int64_t i = 0; i < run; ++i, x += pixel) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        const Vf d = load<Vf>(x + v * kLanes, n) - middle[v];
        part[v] = kSquares ? fma(d, d, part[v]) : part[v] + d;
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) total[v] = total[v] + part[v];
    positions -= run;
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) store(sums + v * kLanes, total[v], n);
}

// y = (x - mean[c]) * factor[c] + bias[c] for V vectors of channels from `column` on.
template <int V, class X, class Y, class Epilogue, class N>
MACEC_NOINLINE void channel_norm_write(const ChannelNormParams& p, const X* x, Y* y, int64_t row,
                                       int64_t column, const float* mean, const float* factor,
                                       const float* bias, const Epilogue& epilogue, N n) {
  const Epilogue apply = epilogue;
  Vf center[V], times[V], plus[V];
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    center[v] = load<Vf>(mean + v * kLanes, n);
    times[v] = load<Vf>(factor + v * kLanes, n);
    plus[v] = load<Vf>(bias + v * kLanes, n);
  }
  for (int64_t i = 0; i < p.positions; ++i, x += p.x_pixel, y += p.y_pixel) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
      const Vf d = load<Vf>(x + v * kLanes, n) - center[v];
      store(y + v * kLanes, apply(fma(d, times[v], plus[v]), row + i, column + v * kLanes, n), n);
    }
  }
}

template <class X, class Y, class Epilogue>
MACEC_INLINE void channel_norm_block_write(const ChannelNormParams& p, const X* x, Y* y,
                                           int channels, int64_t row, int64_t column,
                                           const float* mean, const float* factor,
                                           const float* bias, const Epilogue& epilogue) {
  constexpr int kVectors = kChannelNormBlock / kLanes;
  if (channels == kChannelNormBlock) {
    channel_norm_write<kVectors>(p, x, y, row, column, mean, factor, bias, epilogue, Full{});
    return;
  }
  int c = 0;
  for (; c + kLanes <= channels; c += kLanes) {
    channel_norm_write<1>(p, x + c, y + c, row, column + c, mean + c, factor + c, bias + c,
                          epilogue, Full{});
  }
  if (c < channels) {
    channel_norm_write<1>(p, x + c, y + c, row, column + c, mean + c, factor + c, bias + c,
                          epilogue, Part{channels - c});
  }
}

// The same for a block of at most kChannelNormBlock channels.
template <bool kSquares, class X>
MACEC_INLINE void channel_norm_block_sums(const ChannelNormParams& p, const X* x, int channels,
                                          const float* center, float* sums) {
  constexpr int kVectors = kChannelNormBlock / kLanes;
  if (channels == kChannelNormBlock) {
    channel_norm_sums<kSquares, kVectors>(x, p.x_pixel, p.positions, center, sums, Full{});
    return;
  }
  int c = 0;
  for (; c + kLanes <= channels; c += kLanes) {
    channel_norm_sums<kSquares, 1>(x + c, p.x_pixel, p.positions, center + c, sums + c, Full{});
  }
  if (c < channels) {
    const Part n{channels - c};
    channel_norm_sums<kSquares, 1>(x + c, p.x_pixel, p.positions, center + c, sums + c, n);
  }
}

// means[c]: the mean over the group of channel c of x - center[c], or of its square. Where one group
// has more than a block of channels, all elements of center are equal, and so are those of means.
template <bool kSquares, class X>
MACEC_NOINLINE void channel_norm_means(const ChannelNormParams& p, const X* x, int channels,
                                       const float* center, float* means) {
  float sums[kChannelNormBlock];
  const float count = static_cast<float>(p.positions) * static_cast<float>(p.channels);
  float total = 0;
  for (int c = 0; c < channels; c += kChannelNormBlock) {
    const int width = channels - c < kChannelNormBlock ? channels - c : kChannelNormBlock;
    channel_norm_block_sums<kSquares>(p, x + c, width, center, sums);
    for (int i = 0; i < width; ++i) {
      if ((c + i) % p.channels == 0) total = 0;
      total += sums[i];
      if ((c + i + 1) % p.channels != 0) continue;
      const int each = p.channels < kChannelNormBlock ? p.channels : kChannelNormBlock;
      const int from = each < kChannelNormBlock ? i + 1 - each : 0;
      for (int j = from; j < from + each; ++j) means[j] = total / count;
    }
  }
}

template <class X, class S, class B, class Y, class Epilogue>
void channel_norm(const ChannelNormParams& p, const X* x, const S* scale, const B* bias, Y* y,
                  const Epilogue& epilogue, int64_t begin, int64_t end, void*) {
  const int64_t blocks = channel_norm_blocks(p.groups, p.channels);
  const int width = channel_norm_groups(p.channels) * p.channels;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t image = unit / blocks, first = unit % blocks * width;
    const int64_t left = int64_t{p.groups} * p.channels - first;
    const int channels = left < width ? static_cast<int>(left) : width;
    const X* const from = x + image * p.positions * p.x_pixel + first;
    Y* const to = y + image * p.positions * p.y_pixel + first;
    float zero[kChannelNormBlock] = {}, mean[kChannelNormBlock] = {};
    float variance[kChannelNormBlock] = {}, factor[kChannelNormBlock], plus[kChannelNormBlock];
    channel_norm_means<false>(p, from, channels, zero, mean);
    channel_norm_means<true>(p, from, channels, mean, variance);
    for (int c = 0; c < channels; c += kChannelNormBlock) {
      const int n = channels - c < kChannelNormBlock ? channels - c : kChannelNormBlock;
      for (int i = 0; i < n; ++i) {
        const float inverse = 1.0f / sqrt(variance[i] + p.epsilon);
        factor[i] = inverse * load<float>(scale + first + c + i, Full{});
        plus[i] = load<float>(bias + first + c + i, Full{});
      }
      channel_norm_block_write(p, from + c, to + c, n, image * p.positions, first + c, mean, factor,
                               plus, epilogue);
    }
  }
}
