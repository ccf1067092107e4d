// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GridSample: for every position a list of taps, then the same weighted sum for every channel.
//
//   taps of one axis   nearest: 1    linear: floor(at), + 1    cubic: floor(at) - 1 ... + 2
//   outside            zeros: no tap    border: the last element    reflection: mirrored
//
// Positions beyond the borders are moved first (border, reflection); a NaN is far before the start.
// Integers are summed in double and cut off; kSampleNearest only moves elements, of any type.
// x, grid, y: any strides, no overlap. No scratch.
#pragma once
#include "../params/grid_sample.h"
#include "nest.h"
#include "sample.h"

// Mirrors a position at low and high until it lies between them.
template <class At>
MACEC_INLINE At sample_reflect(At at, At low, At high) {
  const At range = high - low;
  if (!(range > 0)) return low;
  const At beyond = at < low ? low - at : at - high;
  const At times = scalar_floor(beyond / range);
  const At rest = beyond - times * range;
  const bool from_low = (at < low) == (times - 2 * scalar_floor(times / 2) == 0);
  const At moved = from_low ? low + rest : high - rest;
  return moved >= low && moved <= high ? moved : low;
}

// Where a coordinate lies on axis a, moved as the padding says, within what int64 can hold.
template <class At>
MACEC_INLINE At sample_position(const GridSampleParams& p, int a, At g) {
  const At n = static_cast<At>(p.in[a]);
  At at = p.align != 0 ? (g + 1) / 2 * (n - 1) : ((g + 1) * n - 1) / 2;
  if (p.mode == kSampleNearest) at = scalar_rint(at);
  const At low = p.align != 0 ? At(0) : At(-0.5), high = p.align != 0 ? n - 1 : n - At(0.5);
  if (p.padding == kSampleReflection && (at < low || at > high)) at = sample_reflect(at, low, high);
  if (p.padding == kSampleBorder && (at < low || at > high)) at = at < 0 ? At(0) : n - 1;
  return sample_within(at, At(-4), n + 4);
}

// Element i of n as the padding says; -1: none.
MACEC_INLINE int64_t sample_index(const GridSampleParams& p, int64_t i, int64_t n) {
  if (i >= 0 && i < n) return i;
  if (p.padding == kSampleZeros) return -1;
  const int64_t last = i < 0 ? 0 : n - 1;
  if (p.padding == kSampleBorder) return last;
  const int64_t period = p.align != 0 ? 2 * (n - 1) : 2 * n;
  if (period <= 0) return 0;
  const int64_t in_period = ((i % period) + period) % period;
  return in_period < n ? in_period : (p.align != 0 ? period : period - 1) - in_period;
}

template <class At>
MACEC_INLINE void sample_cubic(At t, At* weight) {
  const At a = At(-0.75);
  const At far[2] = {t + 1, 2 - t}, near[2] = {t, 1 - t};
  for (int side = 0; side < 2; ++side) {
    const At f = far[side], e = near[side];
    weight[side == 0 ? 0 : 3] = ((a * f - 5 * a) * f + 8 * a) * f - 4 * a;
    weight[1 + side] = ((a + 2) * e - (a + 3)) * e * e + 1;
  }
}

// The taps of one position: offsets in one channel of x, and weights.
template <class At>
struct SampleTaps {
  int count;
  int64_t offset[64];
  At weight[64];
};

template <class At, class G>
MACEC_NOINLINE void sample_taps(const GridSampleParams& p, const G* grid, SampleTaps<At>* taps) {
  taps->count = 1;
  taps->offset[0] = 0;
  taps->weight[0] = 1;
  const int each = p.mode == kSampleNearest ? 1 : p.mode == kSampleLinear ? 2 : 4;
  for (int a = p.axes - 1; a >= 0; --a) {
    const At g = static_cast<At>(sample_load(grid + (p.axes - 1 - a) * p.grid_coordinate));
    const At at = sample_position(p, a, g);
    const At base = scalar_floor(at), t = at - base;
    At weight[4] = {1, t, 0, 0};
    if (p.mode == kSampleLinear) weight[0] = 1 - t;
    if (p.mode == kSampleCubic) sample_cubic(t, weight);
    const int64_t first = static_cast<int64_t>(base) - (p.mode == kSampleCubic ? 1 : 0);
    // Every tap so far times every tap of this axis, from the back: the list grows in place.
    int64_t offset[4];
    int used = 0;
    for (int i = 0; i < each; ++i) {
      const int64_t index = sample_index(p, first + i, p.in[a]);
      if (index < 0) continue;
      offset[used] = index * p.in_stride[a];
      weight[used] = weight[i];
      ++used;
    }
    for (int old = taps->count - 1; old >= 0; --old) {
      const int64_t from = taps->offset[old];
      const At by = taps->weight[old];
      for (int i = used - 1; i >= 0; --i) {
        taps->offset[old * used + i] = from + offset[i];
        taps->weight[old * used + i] = by * weight[i];
      }
    }
    taps->count *= used;
  }
}

// All channels of one position: in vectors where they lie side by side.
template <class At, class T>
MACEC_INLINE void sample_channels(const GridSampleParams& p, const SampleTaps<At>& taps, const T* x,
                                  T* y, int64_t from) {
  using Value = typename SampleValue<T>::Type;
  for (int64_t c = from; c < p.channels; ++c) {
    Value sum = 0;
    for (int k = 0; k < taps.count; ++k)
      sum += static_cast<Value>(taps.weight[k]) * sample_load(x + c * p.x_channel + taps.offset[k]);
    sample_store(y + c * p.y_channel, sum);
  }
}
template <class At, class T>
MACEC_INLINE int64_t sample_vectors(const GridSampleParams& p, const SampleTaps<At>& taps,
                                    const T* x, T* y) {
  int64_t c = 0;
  for (; c + kLanes <= p.channels; c += kLanes) {
    Vf sum = splat<Vf>(0.0f);
    for (int k = 0; k < taps.count; ++k)
      sum = fma(splat<Vf>(static_cast<float>(taps.weight[k])),
                load<Vf>(x + c + taps.offset[k], Full{}), sum);
    store(y + c, sum, Full{});
  }
  return c;
}
template <class At, class T>
struct SampleVectors {  // doubles and integers: none
  static int64_t run(const GridSampleParams&, const SampleTaps<At>&, const T*, T*) { return 0; }
};
template <class At>
struct SampleVectors<At, float> {
  static int64_t run(const GridSampleParams& p, const SampleTaps<At>& taps, const float* x,
                     float* y) {
    return sample_vectors(p, taps, x, y);
  }
};
template <class At>
struct SampleVectors<At, half_t> {
  static int64_t run(const GridSampleParams& p, const SampleTaps<At>& taps, const half_t* x,
                     half_t* y) {
    return sample_vectors(p, taps, x, y);
  }
};
template <class At>
struct SampleVectors<At, bfloat16_t> {
  static int64_t run(const GridSampleParams& p, const SampleTaps<At>& taps, const bfloat16_t* x,
                     bfloat16_t* y) {
    return sample_vectors(p, taps, x, y);
  }
};

template <int kMode, class T, class G>
MACEC_NOINLINE void grid_sample(const GridSampleParams& p, const T* x, const G* grid, T* y,
                                int64_t begin, int64_t end, void*) {
  if (begin >= end) return;
  using At = decltype(sample_load(grid));
  SampleTaps<At> taps;
  Nest<3> nest = {p.axes + 1, 3, p.extent, {p.x_stride, p.grid_stride, p.y_stride}, {}, {}};
  nest.start(begin);
  for (int64_t unit = begin; unit < end; ++unit, nest.step()) {
    const T* const from = x + nest.offset[0];
    T* const to = y + nest.offset[2];
    sample_taps(p, grid + nest.offset[1], &taps);
    if constexpr (kMode == kSampleNearest) {
      for (int64_t c = 0; c < p.channels; ++c)
        to[c * p.y_channel] = taps.count > 0 ? from[c * p.x_channel + taps.offset[0]] : T{};
    } else {
      const bool is_row = p.x_channel == 1 && p.y_channel == 1;
      sample_channels(p, taps, from, to, is_row ? SampleVectors<At, T>::run(p, taps, from, to) : 0);
    }
  }
}
