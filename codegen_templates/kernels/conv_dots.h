// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution to at most four output channels: dot products along the depth, where a tile of
// conv_igemm would compute a panel of columns that nobody needs.
//
//   x runs (a row of the kernel: kernel[2] * channels elements, or one tap)   acc[pixel][channel]
//   w rows (one for each output channel)                                      summed over the lanes
//
// x    const X* (params/conv.h has the layout) or ConvRing<X>; X is float or a 16-bit type
// w    packed [out channel][tap * in_channels + channel]: panels of width 1; one group
// bias out_channels floats, or nullptr
// y    element type Y; pixels y_pixel apart, no overlap with x or w
// Row of the epilogue: the output pixel; column: the output channel. Scratch: conv_dots_scratch().
// Units: output rows.
#pragma once
#include "conv_igemm.h"

// Dot products of P runs of pointers with M rows of weights: results[p][m].
template <int P, int M, class X>
MACEC_NOINLINE void dots_tile(const X* const* rows, int64_t height, int64_t taps, int64_t k,
                              const float* w, float* results) {
  Vf acc[P][M];
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) acc[p][m] = splat<Vf>(0.0f);
  }
  const int64_t depth = taps * k;
  for (int64_t tap = 0; tap < taps; ++tap, rows += height, w += k) {
    const auto step = [&](int64_t i, auto n) {
      Vf b[M];
#pragma GCC unroll 4
      for (int m = 0; m < M; ++m) b[m] = load<Vf>(w + m * depth + i, n);
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) {
        const Vf a = load<Vf>(rows[p] + i, n);
#pragma GCC unroll 4
        for (int m = 0; m < M; ++m) acc[p][m] = fma(a, b[m], acc[p][m]);
      }
    };
    int64_t i = 0;
    for (; i + kLanes <= k; i += kLanes) step(i, Full{});
    if (i < k) step(i, Part{static_cast<int>(k - i)});
  }
#pragma GCC unroll 4
  for (int p = 0; p < P; ++p) {
#pragma GCC unroll 4
    for (int m = 0; m < M; ++m) results[p * M + m] = sum(acc[p][m]);
  }
}

// All pixels of the table, tile by tile.
template <int M, class X, class Y, class Epilogue>
MACEC_NOINLINE void dots_block(const ConvParams& p, const ConvTable<X>& table, const float* w,
                               const float* bias, Y* y, int64_t pixel, int64_t count,
                               const Epilogue& epilogue) {
  constexpr int kRegisters = kVectorRegisters == 0 ? 16 : kVectorRegisters;
  constexpr int P = 4 * M + M + 1 <= kRegisters ? 4 : 2;
  const Epilogue apply = epilogue;
  const X* const* rows = table.pointers;
  while (count > 0) {
    const int64_t height = tile_rows(count);
    for (int64_t m = 0; m < height;) {
      float results[P * M];
      const int64_t left = height - m;
      const int done = left >= P ? P : left >= 2 ? 2 : 1;
      if (done == P) {
        dots_tile<P, M>(rows + m, height, table.taps, table.k, w, results);
      } else if (done == 2) {
        dots_tile<2, M>(rows + m, height, table.taps, table.k, w, results);
      } else {
        dots_tile<1, M>(rows + m, height, table.taps, table.k, w, results);
      }
      for (int i = 0; i < done; ++i) {
        Y* const to = y + (pixel + m + i) * p.y_pixel;
        for (int c = 0; c < M; ++c) {
          const float v = results[i * M + c] + (bias != nullptr ? bias[c] : 0.0f);
          store(to + c, apply(v, pixel + m + i, c, Full{}), Full{});
        }
      }
      m += done;
    }
    rows += height * table.taps;
    pixel += height;
    count -= height;
  }
}

template <class Input, class Y, class Epilogue>
void conv_dots(const ConvParams& p, const Input& x, const float* w, const float* bias, Y* y,
               const Epilogue& epilogue, int64_t begin, int64_t end, void* scratch) {
  const auto rows = conv_rows(p, x);
  using X = typename decltype(rows)::Element;
  const bool runs = conv_dots_runs(p) && p.x_pixel == p.in_channels;
  const ConvTable<X> table = conv_table<X>(p, runs, scratch);
  const int64_t last = end * p.out[2];
  for (int64_t pixel = begin * p.out[2]; pixel < last; pixel += table.block) {
    const int64_t count = last - pixel < table.block ? last - pixel : table.block;
    conv_fill_table(p, rows, table, runs, pixel, count);
    if (p.out_channels == 1) dots_block<1>(p, table, w, bias, y, pixel, count, epilogue);
    if (p.out_channels == 2) dots_block<2>(p, table, w, bias, y, pixel, count, epilogue);
    if (p.out_channels == 3) dots_block<3>(p, table, w, bias, y, pixel, count, epilogue);
    if (p.out_channels == 4) dots_block<4>(p, table, w, bias, y, pixel, count, epilogue);
  }
}
