// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolution, gathered by phases. Output pixels o with the same phase (o + pad) % stride
// of every axis see the same taps, and neighbours among them see neighbours of the input, so each
// phase of an output row is a gemm over row pointers like conv_igemm, without a product with zero.
//
//   stride 2, kernel 3:   o + pad   0     1   2     3   4
//                         taps      0,2   1   0,2   1   0,2
//
//   conv_transposed            w packed [group][panel][phase, tap of the phase, channel][kPanel]
//   conv_transposed_depthwise  w [tap][channel], one channel a group
//
// x    element type X (params/conv.h has the layout)
// bias group * out_channels floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// Row of the epilogue: the output pixel, ((batch * out[0] + d) * out[1] + h) * out[2] + w; column:
// the output channel. Scratch: conv_transposed_scratch(), none for depthwise. Units: output rows.
#pragma once
#include <string.h>

#include "../params/conv.h"
#include "conv_pointwise.h"
#include "conv_rows.h"

// The taps of one phase of an axis.
struct ConvPhase {
  int first, step, count;  // taps first, first + step, ...
  int before;              // taps of the phases before this one
};

[[maybe_unused]] inline ConvPhase conv_phase(const ConvParams& p, int axis, int64_t phase) {
  ConvPhase result = {0, 1, 0, 0};
  const int64_t dilation = p.dilation[axis], stride = p.stride[axis];
  while (result.step * dilation % stride != 0) ++result.step;
  for (int k = p.kernel[axis] - 1; k >= 0; --k) {
    const int64_t own = k * dilation % stride;
    result.before += own < phase;
    result.count += own == phase;
    if (own == phase) result.first = k;
  }
  return result;
}

// What all pixels of one output row share.
struct ConvPhaseRow {
  int64_t batch, from[2];  // output depth and height, plus the padding
  ConvPhase depth, height;
};

[[maybe_unused]] inline ConvPhaseRow conv_phase_row(const ConvParams& p, int64_t unit) {
  const ConvUnit u = conv_unit(p, unit);
  ConvPhaseRow row;
  row.batch = u.batch;
  row.from[0] = u.depth + p.pad[0];
  row.from[1] = u.height + p.pad[1];
  row.depth = conv_phase(p, 0, row.from[0] % p.stride[0]);
  row.height = conv_phase(p, 1, row.from[1] % p.stride[1]);
  return row;
}

// The input row under tap i of the phase (row by row through depth and height), or nullptr.
template <class X>
MACEC_INLINE const X* conv_phase_input(const ConvParams& p, const X* x, const ConvPhaseRow& row,
                                       int kd, int kh) {
  const int64_t d = row.from[0] - int64_t{kd} * p.dilation[0];
  const int64_t h = row.from[1] - int64_t{kh} * p.dilation[1];
  if (d < 0 || h < 0) return nullptr;
  const int64_t depth = d / p.stride[0], height = h / p.stride[1];
  if (depth >= p.in[0] || height >= p.in[1]) return nullptr;
  return x + ((row.batch * p.in[0] + depth) * p.in[1] + height) * p.in[2] * p.x_pixel;
}

// Output pixels of one phase of the width: first, first + stride, ...
struct ConvPhasePixels {
  int64_t first, count;
  ConvPhase width;
  int64_t
      input;  // position under tap `width.first` of the first pixel; the next pixel sees the next
};

[[maybe_unused]] inline ConvPhasePixels conv_phase_pixels(const ConvParams& p, int64_t phase) {
  const int64_t stride = p.stride[2];
  ConvPhasePixels s;
  s.first = (phase - p.pad[2] % stride + stride) % stride;
  s.count = s.first < p.out[2] ? (p.out[2] - s.first + stride - 1) / stride : 0;
  s.width = conv_phase(p, 2, phase);
  s.input = (s.first + p.pad[2] - int64_t{s.width.first} * p.dilation[2]) / stride;
  return s;
}

// An epilogue whose row i is row first + i * step of another one.
template <class Epilogue>
struct EveryRow {
  [[maybe_unused]] static constexpr bool kIsLarge = EpilogueSize<Epilogue>::kIsLarge;
  Epilogue epilogue;
  int64_t first, step;
  template <class V, class N>
  MACEC_INLINE V operator()(V v, int64_t row, int64_t col, N n) const {
    return epilogue(v, first + row * step, col, n);
  }
};
template <class Epilogue>
MACEC_INLINE EveryRow<Epilogue> every_row(const Epilogue& epilogue, int64_t first, int64_t step) {
  return {epilogue, first, step};
}
MACEC_INLINE NoEpilogue every_row(const NoEpilogue& none, int64_t, int64_t) {
  return none;
}

// Fills the table for pixels [done, done + count) of a phase, tile by tile: [tap][pixel of a tile].
template <class X>
MACEC_NOINLINE void conv_phase_table(const ConvParams& p, const X* const* kernel_rows, int rows,
                                     const ConvPhasePixels& s, int64_t done, int64_t count,
                                     const X* zeros, const X** to) {
  const int64_t back = int64_t{s.width.step} * p.dilation[2] / p.stride[2];
  while (count > 0) {
    const int64_t height = tile_rows(count);
    for (int r = 0; r < rows; ++r) {
      for (int k = 0; k < s.width.count; ++k) {
        const int64_t at = s.input + done - k * back;
        for (int64_t m = 0; m < height; ++m) {
          const bool inside = kernel_rows[r] != nullptr && at + m >= 0 && at + m < p.in[2];
          *to++ = inside ? kernel_rows[r] + (at + m) * p.x_pixel : zeros;
        }
      }
    }
    done += height;
    count -= height;
  }
}

// Scratch of one worker.
template <class X>
struct ConvPhaseScratch {
  const X* zeros;
  const X** kernel_rows;
  const X** pointers;
  int64_t block;
};

template <class X>
inline ConvPhaseScratch<X> conv_phase_scratch(const ConvParams& p, void* scratch) {
  const int64_t zeros = conv_transposed_zeros(p, static_cast<int64_t>(sizeof(X)));
  memset(scratch, 0, static_cast<size_t>(zeros));
  char* const at = static_cast<char*>(scratch) + zeros;
  const int64_t rows = int64_t{p.kernel[0]} * p.kernel[1];
  ConvPhaseScratch<X> s;
  s.zeros = static_cast<const X*>(scratch);
  s.kernel_rows = reinterpret_cast<const X**>(at);
  s.pointers = s.kernel_rows + rows;
  s.block = conv_block_pixels(rows * p.kernel[2] * 8);
  return s;
}

// All pixels of one phase of an output row. t: its first pixel, weights of its first tap.
template <class X, class Y, class Epilogue>
inline void conv_phase_gemm(const ConvParams& p, const ConvPhaseScratch<X>& scratch, int rows,
                            const ConvPhasePixels& s, TileArgs<X, Y> t, const Epilogue& epilogue) {
  t.taps = int64_t{rows} * s.width.count;
  const bool is_dense = t.taps == 1 && scratch.kernel_rows[0] != nullptr && s.input >= 0 &&
                        s.input + s.count <= p.in[2];
  if (is_dense) {  // one tap: the pixels of the input are the rows
    t.x = scratch.kernel_rows[0] + s.input * p.x_pixel;
    conv_groups(p, t, s.count, epilogue);
    return;
  }
  t.rows = scratch.pointers;
  Y* const y = t.y;
  for (int64_t done = 0; done < s.count; done += scratch.block) {
    const int64_t count = s.count - done < scratch.block ? s.count - done : scratch.block;
    conv_phase_table(p, scratch.kernel_rows, rows, s, done, count, scratch.zeros, scratch.pointers);
    t.y = y + done * t.y_row;
    t.row = done;
    conv_groups(p, t, count, epilogue);
  }
}

template <class X, class Y, class Epilogue>
void conv_transposed(const ConvParams& p, const X* x, const float* w, const float* bias, Y* y,
                     const Epilogue& epilogue, int64_t begin, int64_t end, void* scratch) {
  const ConvPhaseScratch<X> s = conv_phase_scratch<X>(p, scratch);
  for (int64_t unit = begin; unit < end; ++unit) {
    const ConvPhaseRow row = conv_phase_row(p, unit);
    int rows = 0;
    for (int d = 0; d < row.depth.count; ++d) {
      for (int h = 0; h < row.height.count; ++h) {
        s.kernel_rows[rows++] = conv_phase_input(p, x, row, row.depth.first + d * row.depth.step,
                                                 row.height.first + h * row.height.step);
      }
    }
    const int64_t before = int64_t{row.depth.before} * p.kernel[1] * p.kernel[2] +
                           int64_t{row.depth.count} * row.height.before * p.kernel[2];
    for (int64_t phase = 0; phase < p.stride[2]; ++phase) {
      const ConvPhasePixels pixels = conv_phase_pixels(p, phase);
      if (pixels.count == 0) continue;
      const int64_t first = unit * p.out[2] + pixels.first;
      TileArgs<X, Y> t = conv_args<X>(p, w, bias, y, first);
      t.w += (before + int64_t{rows} * pixels.width.before) * p.in_channels * kPanel;
      t.y_row = p.stride[2] * p.y_pixel;
      t.row = 0;
      conv_phase_gemm(p, s, rows, pixels, t, every_row(epilogue, first, p.stride[2]));
    }
  }
}

// One vector of channels of one output pixel: the sum over all taps that meet the input.
template <class X, class N>
MACEC_INLINE Vf conv_phase_channels(const ConvParams& p, const X* x, const float* w, Vf acc,
                                    const ConvPhaseRow& row, const ConvPhase& width, int64_t at,
                                    N n) {
  const int64_t channels = p.group;
  const int64_t back = int64_t{width.step} * p.dilation[2] / p.stride[2];
  for (int d = 0; d < row.depth.count; ++d) {
    for (int h = 0; h < row.height.count; ++h) {
      const int kd = row.depth.first + d * row.depth.step;
      const int kh = row.height.first + h * row.height.step;
      const X* const from = conv_phase_input(p, x, row, kd, kh);
      if (from == nullptr) continue;
      const float* weights =
          w + ((int64_t{kd} * p.kernel[1] + kh) * p.kernel[2] + width.first) * channels;
      int64_t i = at;
      for (int k = 0; k < width.count; ++k, i -= back, weights += width.step * channels) {
        if (i < 0 || i >= p.in[2]) continue;
        acc = fma(load<Vf>(from + i * p.x_pixel, n), load<Vf>(weights, n), acc);
      }
    }
  }
  return acc;
}

template <class X, class Y, class Epilogue>
MACEC_NOINLINE void conv_transposed_depthwise(const ConvParams& p, const X* x, const float* w,
                                              const float* bias, Y* y, const Epilogue& epilogue,
                                              int64_t begin, int64_t end, void*) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const ConvPhaseRow row = conv_phase_row(p, unit);
    for (int64_t phase = 0; phase < p.stride[2]; ++phase) {
      const ConvPhasePixels s = conv_phase_pixels(p, phase);
      for (int64_t j = 0; j < s.count; ++j) {
        const int64_t pixel = unit * p.out[2] + s.first + j * p.stride[2];
        const auto channels = [&](int64_t c, auto n) {
          const Vf start = bias != nullptr ? load<Vf>(bias + c, n) : splat<Vf>(0.0f);
          const Vf v = conv_phase_channels(p, x + c, w + c, start, row, s.width, s.input + j, n);
          store(y + pixel * p.y_pixel + c, epilogue(v, pixel, c, n), n);
        };
        int64_t c = 0;
        for (; c + kLanes <= p.group; c += kLanes) channels(c, Full{});
        if (c < p.group) channels(c, Part{static_cast<int>(p.group - c)});
      }
    }
  }
}
