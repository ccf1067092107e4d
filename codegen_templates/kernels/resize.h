// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize by weighted sums, run by run of the innermost axis.
//
//   a run keeps its size (channels-last)   y run = sum of the source runs * their weights
//   a run is resized (plain layout)        the sum goes to scratch, and y is gathered from there
//
// The sources of a run are the taps of all other axes: 4 for two linear axes.
//
// x, y   float, half_t or bfloat16_t, no overlap. Where the innermost axis keeps its size it is dense
//        in both.
// Scratch: resize_run_scratch(). Units: params/resize.h.
#pragma once
#include "resize_taps.h"
#include "simd/simd.h"

struct ResizeSource {
  int64_t offset;  // elements of x
  float weight;
  float unused;
};

// The sources of the run at `index` (of all axes but the last); 0: it lies outside.
[[maybe_unused]] inline int resize_sources_of(const ResizeParams& p, const ResizeTaps* tables,
                                              const int64_t* index, ResizeSource* sources) {
  int count = 1;
  sources[0] = {0, 1.0f, 0.0f};
  for (int a = 0; a + 1 < p.rank; ++a) {
    const ResizeTaps& table = tables[a];
    if (table.taps == 0) {
      for (int i = 0; i < count; ++i) sources[i].offset += index[a] * p.x_stride[a];
      continue;
    }
    const int32_t* const at = table.index + index[a] * table.taps;
    const float* const weight = table.weight + index[a] * table.taps;
    if (*at < 0) return 0;
    for (int t = table.taps - 1; t >= 0; --t) {  // the sources so far are overwritten last
      for (int i = 0; i < count; ++i) {
        sources[t * count + i] = {sources[i].offset + at[t] * p.x_stride[a],
                                  sources[i].weight * weight[t], 0.0f};
      }
    }
    count *= table.taps;
  }
  return count;
}

// y[i] = sum of kSources runs of x; y may be of another type than x.
template <int kSources, class T, class Y>
MACEC_NOINLINE void resize_sum_runs(const T* x, const ResizeSource* sources, Y* y, int64_t n) {
  Vf weight[kSources];
  const T* from[kSources];
#pragma GCC unroll 8
  for (int s = 0; s < kSources; ++s) {
    weight[s] = splat<Vf>(sources[s].weight);
    from[s] = x + sources[s].offset;
  }
  const auto at = [&](int64_t i, auto lanes) {
    Vf sum = load<Vf>(from[0] + i, lanes) * weight[0];
#pragma GCC unroll 8
    for (int s = 1; s < kSources; ++s) sum = fma(load<Vf>(from[s] + i, lanes), weight[s], sum);
    store(y + i, sum, lanes);
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) at(i, Full{});
  if (i < n) at(i, Part{static_cast<int>(n - i)});
}

template <class T, class Y>
MACEC_NOINLINE void resize_sum_many(const T* x, const ResizeSource* sources, int count, Y* y,
                                    int64_t n) {
  const auto at = [&](int64_t i, auto lanes) {
    Vf sum = splat<Vf>(0.0f);
    for (int s = 0; s < count; ++s) {
      const Vf v = load<Vf>(x + sources[s].offset + i, lanes);
      sum = fma(v, splat<Vf>(sources[s].weight), sum);
    }
    store(y + i, sum, lanes);
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) at(i, Full{});
  if (i < n) at(i, Part{static_cast<int>(n - i)});
}

template <class T, class Y>
MACEC_INLINE void resize_sum(const T* x, const ResizeSource* sources, int count, Y* y, int64_t n) {
  if (count == 1) return resize_sum_runs<1>(x, sources, y, n);
  if (count == 2) return resize_sum_runs<2>(x, sources, y, n);
  if (count == 4) return resize_sum_runs<4>(x, sources, y, n);
  if (count == 8) return resize_sum_runs<8>(x, sources, y, n);
  resize_sum_many(x, sources, count, y, n);
}

// The same where x is not dense.
template <class T>
MACEC_NOINLINE void resize_sum_strided(const T* x, int64_t stride, const ResizeSource* sources,
                                       int count, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int s = 0; s < count; ++s) {
      sum = fma(load<float>(x + sources[s].offset + i * stride, Full{}), sources[s].weight, sum);
    }
    y[i] = sum;
  }
}

// y[o] = sum over the taps of o in a dense run.
template <class T>
MACEC_NOINLINE void resize_gather(const ResizeParams& p, const ResizeTaps& table, const float* run,
                                  T* y) {
  const int last = p.rank - 1, taps = table.taps;
  const int32_t* index = table.index;
  const float* weight = table.weight;
  for (int64_t o = 0; o < p.out[last]; ++o, index += taps, weight += taps) {
    float sum = p.extrapolation;
    if (*index >= 0) {
      sum = run[index[0]] * weight[0];
      for (int t = 1; t < taps; ++t) sum = fma(run[index[t]], weight[t], sum);
    }
    store(y + o * p.y_stride[last], sum, Full{});
  }
}

template <class T>
MACEC_NOINLINE void resize_outside(const ResizeParams& p, T* y) {
  const int last = p.rank - 1;
  for (int64_t o = 0; o < p.out[last]; ++o) {
    store(y + o * p.y_stride[last], p.extrapolation, Full{});
  }
}

template <class T>
void resize(const ResizeParams& p, const T* x, T* y, int64_t begin, int64_t end, void* scratch) {
  if (begin >= end) return;
  ResizeTaps tables[kMaxRank];
  char* at = static_cast<char*>(scratch);
  ResizeSource* const sources = reinterpret_cast<ResizeSource*>(at);
  at += resize_sources(p) * 16;
  float* const run = reinterpret_cast<float*>(at + resize_scratch(p, p.out));
  resize_tables(p, at, tables);
  const int last = p.rank - 1;
  const ResizeTaps& inner = tables[last];
  Nest<1> walk = {last, 1, p.out, {p.y_stride}, {}, {}};
  walk.start(begin);
  for (int64_t unit = begin; unit < end; ++unit, walk.step()) {
    T* const to = y + walk.offset[0];
    const int count = resize_sources_of(p, tables, walk.index, sources);
    if (count == 0) {
      resize_outside(p, to);
    } else if (inner.taps == 0) {
      resize_sum(x, sources, count, to, p.out[last]);
    } else {
      if (p.x_stride[last] == 1) {
        resize_sum(x, sources, count, run, p.in[last]);
      } else {
        resize_sum_strided(x, p.x_stride[last], sources, count, run, p.in[last]);
      }
      resize_gather(p, inner, run, to);
    }
  }
}
