// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows as columns (params/columns.h).
//
//   col2im          y[o] = sum over the taps k of x[k, b] with b * stride - pad + k * dilation = o
//   deform_columns  y[k, o] = mask[k, o] * (x at o * stride - pad + k * dilation + displacement[k, o]);
//                   linear means of neighbours, 0 outside. displacement [N, groups, taps, axes,
//                   outputs], mask [N, groups, taps, outputs] or nullptr; each of `groups` has its
//                   part of the channels
//
// No scratch; nothing overlaps.
#pragma once
#include "../params/columns.h"
#include "nest.h"
#include "sample.h"

template <class T>
MACEC_NOINLINE void col2im(const ColumnsParams& p, const T* x, T* y, int64_t begin, int64_t end,
                           void*) {
  const int64_t taps = nest_size(p.kernel, p.axes), blocks = nest_size(p.in, p.axes);
  const int64_t size = nest_size(p.out, p.axes);
  for (int64_t plane = begin; plane < end; ++plane) {
    const T* const from = x + plane * taps * blocks;
    for (int64_t i = 0; i < size; ++i) {
      typename PlainSum<T>::Type sum = 0;
      for (int64_t k = 0; k < taps; ++k) {
        int64_t tap = k, at = i, block = 0, step = 1;
        bool is_there = true;
        for (int a = p.axes - 1; a >= 0 && is_there; --a) {
          const int64_t place = at % p.out[a] + p.pad[a] - tap % p.kernel[a] * p.dilation[a];
          is_there = place >= 0 && place % p.stride[a] == 0 && place / p.stride[a] < p.in[a];
          block += place / p.stride[a] * step;
          step *= p.in[a];
          tap /= p.kernel[a];
          at /= p.out[a];
        }
        if (is_there) sum += plain_load(from + k * blocks + block);
      }
      plain_store(y + plane * size + i, sum);
    }
  }
}

// The neighbours of one position of x and their weights: at most eight.
template <class Value>
struct ColumnTaps {
  int count;
  int64_t offset[8];
  Value weight[8];
};

// position[a]: of every axis.
template <class Value>
MACEC_INLINE void column_taps(const ColumnsParams& p, const Value* position,
                              ColumnTaps<Value>* taps) {
  taps->count = 1;
  taps->offset[0] = 0;
  taps->weight[0] = 1;
  for (int a = 0; a < p.axes; ++a) {
    const Value at = sample_within(position[a], Value(-4), static_cast<Value>(p.in[a] + 4));
    const Value base = scalar_floor(at);
    const int64_t first = static_cast<int64_t>(base);
    const int count = taps->count;
    ColumnTaps<Value> next;
    next.count = 0;
    for (int i = 0; i < 2; ++i) {
      if (first + i < 0 || first + i >= p.in[a]) continue;
      const Value weight = i == 0 ? 1 - (at - base) : at - base;
      for (int k = 0; k < count; ++k) {
        next.offset[next.count] = taps->offset[k] * p.in[a] + first + i;
        next.weight[next.count++] = taps->weight[k] * weight;
      }
    }
    *taps = next;
  }
}

template <class T>
MACEC_NOINLINE void deform_columns(const ColumnsParams& p, const T* x, const T* displacement,
                                   const T* mask, T* y, int64_t begin, int64_t end, void*) {
  using Value = typename SampleValue<T>::Type;
  const int64_t taps = nest_size(p.kernel, p.axes), size = nest_size(p.in, p.axes);
  const int64_t outputs = nest_size(p.out, p.axes), each = p.channels / p.groups;
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t slot = unit / p.out[0];  // image, group, tap
    const int64_t tap = slot % taps, group = slot / taps % p.groups, image = slot / taps / p.groups;
    const int64_t run = outputs / p.out[0], first = unit % p.out[0] * run;
    for (int64_t o = first; o < first + run; ++o) {
      Value position[kMaxRank];
      int64_t k = tap, at = o;
      for (int a = p.axes - 1; a >= 0; --a) {
        const int64_t place =
            at % p.out[a] * p.stride[a] - p.pad[a] + k % p.kernel[a] * p.dilation[a];
        position[a] = static_cast<Value>(place) +
                      sample_load(displacement + (slot * p.axes + a) * outputs + o);
        k /= p.kernel[a];
        at /= p.out[a];
      }
      ColumnTaps<Value> found;
      column_taps(p, position, &found);
      const Value by = mask ? static_cast<Value>(sample_load(mask + slot * outputs + o)) : Value(1);
      for (int64_t c = group * each; c < (group + 1) * each; ++c) {
        const T* const from = x + (image * p.channels + c) * size;
        Value sum = 0;
        for (int i = 0; i < found.count; ++i)
          sum += found.weight[i] * sample_load(from + found.offset[i]);
        sample_store(y + ((image * p.channels + c) * taps + tap) * outputs + o, sum * by);
      }
    }
  }
}
