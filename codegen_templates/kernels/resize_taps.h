// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The taps of every output position of the resized axes, as tables in scratch.
//
//   index[o * taps + i], weight[o * taps + i]     index -1: the position lies outside and extrapolates
//
// params/resize.h says what they are; the weights of one position sum up to 1.
#pragma once
#include "../params/resize.h"
#include "nest.h"

struct ResizeTaps {
  int taps;  // 0: the axis is not resized
  const int32_t* index;
  const float* weight;
};

// Where output position o of an axis lies in the input.
[[maybe_unused]] inline float resize_position(const ResizeParams& p, int a, int64_t o) {
  const float num = static_cast<float>(p.num[a]), den = static_cast<float>(p.den[a]);
  return (static_cast<float>(o) + p.pre[a]) * num / (den * p.scale[a]) + p.post[a];
}

[[maybe_unused]] inline int64_t resize_round(int rounding, float at) {
  if (rounding == kRoundHalfDown) return static_cast<int64_t>(ceil(at - 0.5f));
  if (rounding == kRoundHalfUp) return static_cast<int64_t>(floor(at + 0.5f));
  return static_cast<int64_t>(rounding == kRoundFloor ? floor(at) : ceil(at));
}

[[maybe_unused]] inline int32_t resize_clamp(int64_t i, int64_t n) {
  return static_cast<int32_t>(i < 0 ? 0 : i < n ? i : n - 1);
}

[[maybe_unused]] inline float resize_weight(const ResizeParams& p, float t) {
  t = abs(t);
  if (p.mode == kResizeLinear) return t < 1.0f ? 1.0f - t : 0.0f;
  const float a = p.cubic_a;
  if (t <= 1.0f) return ((a + 2.0f) * t - (a + 3.0f)) * t * t + 1.0f;
  return t < 2.0f ? ((a * t - 5.0f * a) * t + 8.0f * a) * t - 4.0f * a : 0.0f;
}

// The taps of one output position of axis a.
[[maybe_unused]] inline void resize_fill(const ResizeParams& p, int a, int64_t o, int taps,
                                         int32_t* index, float* weight) {
  const float at = resize_position(p, a, o);
  const int64_t n = p.in[a];
  if (p.extrapolates != 0 && !(at >= 0.0f && at <= static_cast<float>(n - 1))) {
    for (int i = 0; i < taps; ++i) index[i] = -1, weight[i] = 0;
    return;
  }
  if (p.mode == kResizeNearest) {
    *index = resize_clamp(resize_round(p.rounding, at), n);
    *weight = 1;
    return;
  }
  const int64_t base = static_cast<int64_t>(ceil(at)) - 1;
  const float ratio = at - static_cast<float>(base);
  const int first = resize_first_tap(p.mode, p.filter[a]);
  float sum = 0;
  for (int i = 0; i < taps; ++i) {
    const int64_t from = base + first + i;
    const float t = (static_cast<float>(first + i) - ratio) * p.filter[a];
    index[i] = resize_clamp(from, n);
    weight[i] = p.exclude_outside != 0 && index[i] != from ? 0.0f : resize_weight(p, t);
    sum += weight[i];
  }
  for (int i = 0; i < taps; ++i) weight[i] = weight[i] / sum;
}

// Fills `tables`, one for each axis; scratch: resize_scratch().
MACEC_NOINLINE void resize_tables(const ResizeParams& p, void* scratch, ResizeTaps* tables) {
  char* at = static_cast<char*>(scratch);
  for (int a = 0; a < p.rank; ++a) {
    if (p.resized[a] == 0) {
      tables[a] = {0, nullptr, nullptr};
      continue;
    }
    const int taps = resize_taps(p.mode, p.filter[a]);
    const int64_t entries = p.out[a] * taps;
    int32_t* const index = reinterpret_cast<int32_t*>(at);
    float* const weight = reinterpret_cast<float*>(at + entries * 4);
    for (int64_t o = 0; o < p.out[a]; ++o) {
      resize_fill(p, a, o, taps, index + o * taps, weight + o * taps);
    }
    tables[a] = {taps, index, weight};
    at += entries * 8;
  }
}
