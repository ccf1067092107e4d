// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RoiAlign and MaxRoiPool: one element of every channel for each bin of each region.
//
//   roi_align     samples at even distances inside the bin, each a mean of its four neighbours; their
//                 mean, or (kMax) the greatest of all weighted neighbours. A sample more than a pixel
//                 outside of x counts 0
//   max_roi_pool  corners rounded to pixels, both included; the greatest pixel of each bin, 0 if none
//
// Both return 1 where a region belongs to an image that does not exist. No scratch; x and y do not
// overlap.
#pragma once
#include "../params/rois.h"
#include "sample.h"

[[maybe_unused]] constexpr int64_t kRoiChunk = 32;  // channels at a time

// An element of y: its region and bin.
struct RoiBin {
  int64_t region, row, column;
};
MACEC_INLINE RoiBin roi_bin(const RoiParams& p, int64_t unit) {
  const int64_t column = unit % p.out_width, rest = unit / p.out_width;
  return {rest / p.out_height, rest % p.out_height, column};
}

template <class Value>
struct RoiTaps {
  int64_t offset[4];
  Value weight[4];
};

// False: the position lies outside.
template <class Value>
MACEC_INLINE bool roi_taps(const RoiParams& p, Value y, Value x, RoiTaps<Value>* taps) {
  const Value height = static_cast<Value>(p.height), width = static_cast<Value>(p.width);
  if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return false;
  y = y > 0 ? y : 0;
  x = x > 0 ? x : 0;
  int64_t y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x), y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= p.height - 1) y1 = y0 = p.height - 1, y = static_cast<Value>(y0);
  if (x0 >= p.width - 1) x1 = x0 = p.width - 1, x = static_cast<Value>(x0);
  const Value ly = y - static_cast<Value>(y0), lx = x - static_cast<Value>(x0);
  const int64_t rows[2] = {y0 * p.x_row, y1 * p.x_row},
                columns[2] = {x0 * p.x_column, x1 * p.x_column};
  const Value by_row[2] = {1 - ly, ly}, by_column[2] = {1 - lx, lx};
  for (int k = 0; k < 4; ++k) {
    taps->offset[k] = rows[k / 2] + columns[k % 2];
    taps->weight[k] = by_row[k / 2] * by_column[k % 2];
  }
  return true;
}

// Where samples of a bin lie along one axis: first + i * step, i < count.
template <class Value>
struct RoiSamples {
  Value first, step;
  int64_t count;
};
template <class Value>
MACEC_INLINE RoiSamples<Value> roi_samples(const RoiParams& p, Value from, Value to, int64_t bins,
                                           int64_t bin) {
  const Value scale = static_cast<Value>(p.scale),
              shift = p.half_pixel != 0 ? Value(0.5) : Value(0);
  const Value start = from * scale - shift;
  Value size = to * scale - shift - start;
  if (p.half_pixel == 0 && !(size >= 1)) size = 1;
  const Value each = size / static_cast<Value>(bins);
  const Value most = 16777216;
  const Value count =
      p.ratio > 0 ? static_cast<Value>(p.ratio) : sample_within(scalar_ceil(each), Value(0), most);
  const Value step = count > 0 ? each / count : 0;
  return {start + static_cast<Value>(bin) * each + step / 2, step, static_cast<int64_t>(count)};
}

template <int kMax, class T>
MACEC_NOINLINE int32_t roi_align(const RoiParams& p, const T* x, const T* rois,
                                 const int64_t* images, T* y, int64_t begin, int64_t end, void*) {
  using Value = typename SampleValue<T>::Type;
  for (int64_t unit = begin; unit < end; ++unit) {
    const RoiBin bin = roi_bin(p, unit);
    const int64_t image = images[bin.region];
    if (image < 0 || image >= p.images) return 1;
    Value corner[4];
    for (int k = 0; k < 4; ++k) corner[k] = sample_load(rois + bin.region * 4 + k);
    const RoiSamples<Value> rows = roi_samples(p, corner[1], corner[3], p.out_height, bin.row);
    const RoiSamples<Value> columns = roi_samples(p, corner[0], corner[2], p.out_width, bin.column);
    const int64_t samples = rows.count * columns.count;
    T* const to = y + bin.region * p.y_region + bin.row * p.y_row + bin.column * p.y_column;
    for (int64_t c0 = 0; c0 < p.channels; c0 += kRoiChunk) {
      const T* const from = x + image * p.x_image + c0 * p.x_channel;
      const int64_t n = p.channels - c0 < kRoiChunk ? p.channels - c0 : kRoiChunk;
      Value sum[kRoiChunk] = {};
      for (int64_t s = 0; s < samples; ++s) {
        const Value at_row = rows.first + static_cast<Value>(s / columns.count) * rows.step;
        const Value at = columns.first + static_cast<Value>(s % columns.count) * columns.step;
        RoiTaps<Value> taps;
        const bool is_inside = roi_taps(p, at_row, at, &taps);
        if (!is_inside && kMax == 0) continue;
        for (int64_t c = 0; c < n; ++c) {
          Value v[4] = {0, 0, 0, 0};
          for (int k = 0; k < 4 && is_inside; ++k)
            v[k] = taps.weight[k] * sample_load(from + c * p.x_channel + taps.offset[k]);
          if (kMax == 0) {
            sum[c] += v[0] + v[1] + v[2] + v[3];
          } else {
            for (int k = 0; k < 4; ++k)
              sum[c] = (s == 0 && k == 0) || v[k] > sum[c] ? v[k] : sum[c];
          }
        }
      }
      const Value by = kMax == 0 && samples > 0 ? static_cast<Value>(samples) : Value(1);
      for (int64_t c = 0; c < n; ++c) sample_store(to + (c0 + c) * p.y_channel, sum[c] / by);
    }
  }
  return 0;
}

// Halves away from zero; NaN and what is too large within reach of int64.
template <class Value>
MACEC_INLINE int64_t roi_round(Value v) {
  const Value half = Value(0.5), far = 1073741824;
  const Value whole = v < 0 ? -scalar_floor(half - v) : scalar_floor(v + half);
  return static_cast<int64_t>(sample_within(whole, -far, far));
}
MACEC_INLINE int64_t roi_clamp(int64_t i, int64_t n) {
  return i < 0 ? 0 : i < n ? i : n;
}

// Pixels [first, last) of a bin along one axis.
template <class Value>
MACEC_INLINE void roi_pixels(Value from, Value to, int64_t bins, int64_t bin, int64_t n,
                             int64_t* first, int64_t* last) {
  const int64_t start = roi_round(from), size = roi_round(to) - start + 1;
  const int64_t pixels = size > 1 ? size : 1;
  *first = roi_clamp(start + bin * pixels / bins, n);
  *last = roi_clamp(start + ((bin + 1) * pixels + bins - 1) / bins, n);
}

template <class T>
MACEC_NOINLINE int32_t max_roi_pool(const RoiParams& p, const T* x, const T* rois, T* y,
                                    int64_t begin, int64_t end, void*) {
  using Value = typename SampleValue<T>::Type;
  const Value scale = static_cast<Value>(p.scale);
  for (int64_t unit = begin; unit < end; ++unit) {
    const RoiBin bin = roi_bin(p, unit);
    const T* const roi = rois + bin.region * 5;
    const int64_t image = roi_round(sample_load(roi));
    if (image < 0 || image >= p.images) return 1;
    int64_t row0, row1, column0, column1;
    roi_pixels(sample_load(roi + 2) * scale, sample_load(roi + 4) * scale, p.out_height, bin.row,
               p.height, &row0, &row1);
    roi_pixels(sample_load(roi + 1) * scale, sample_load(roi + 3) * scale, p.out_width, bin.column,
               p.width, &column0, &column1);
    T* const to = y + bin.region * p.y_region + bin.row * p.y_row + bin.column * p.y_column;
    for (int64_t c = 0; c < p.channels; ++c) {
      const T* const from = x + image * p.x_image + c * p.x_channel;
      Value best = 0;
      bool is_first = true;
      for (int64_t r = row0; r < row1; ++r) {
        for (int64_t k = column0; k < column1; ++k) {
          const Value v = sample_load(from + r * p.x_row + k * p.x_column);
          if (is_first || v > best || !(v == v)) best = v;
          is_first = false;
          if (!(best == best)) r = row1, k = column1;  // a NaN wins
        }
      }
      sample_store(to + c * p.y_channel, best);
    }
  }
  return 0;
}
