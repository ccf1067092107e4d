// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Max and average over windows, channels-last, one vector of channels at a time.
//
//   pool_max, pool_average   float or 16-bit x and y, with an epilogue
//   pool_max_of<T>           any type that compares, same x and y type, no epilogue
//
// Windows are clipped to the input before the loops, which therefore have no test. A window without
// any element gives the lowest value (max) or 0 (average). A NaN in a window wins.
//
// x    const X* (params/pool.h has the layout) or ConvRing<X>
// y    pixels y_pixel apart, no overlap with x
// Row of the epilogue: the output pixel, column: the channel. No scratch. Units: output rows.
#pragma once
#include "../params/pool.h"
#include "conv_rows.h"
#include "epilogue.h"
#include "simd/simd.h"

// The part of a window that lies inside the input, along one axis.
struct PoolSpan {
  int64_t first;   // input index of the first element inside
  int64_t count;   // elements inside, dilation apart
  int64_t padded;  // elements inside the padded input
};

[[maybe_unused]] inline PoolSpan pool_span(const PoolParams& p, int axis, int64_t at) {
  const int64_t dilation = p.dilation[axis];
  const int64_t start = at * p.stride[axis] - p.pad[axis];
  const int64_t skip = start < 0 ? (-start + dilation - 1) / dilation : 0;
  const int64_t fit = start < p.in[axis] ? (p.in[axis] - start + dilation - 1) / dilation : 0;
  const int64_t padded_end = p.in[axis] + p.pad_end[axis];
  const int64_t padded = start < padded_end ? (padded_end - start + dilation - 1) / dilation : 0;
  PoolSpan s;
  s.first = start + skip * dilation;
  s.count = (fit < p.kernel[axis] ? fit : p.kernel[axis]) - skip;
  s.count = s.count > 0 ? s.count : 0;
  s.padded = padded < p.kernel[axis] ? padded : p.kernel[axis];
  return s;
}

// Calls f(first element of channel 0, elements along the width, distance) for each row of a window.
template <class Rows, class F>
MACEC_INLINE void pool_rows(const PoolParams& p, const Rows& rows, int64_t batch,
                            const PoolSpan (&s)[3], F f) {
  for (int64_t d = 0; d < s[0].count; ++d) {
    const int64_t depth = s[0].first + d * p.dilation[0];
    for (int64_t h = 0; h < s[1].count; ++h) {
      const int64_t row = (batch * p.in[0] + depth) * p.in[1] + s[1].first + h * p.dilation[1];
      f(rows.at(row) + s[2].first * p.x_pixel, s[2].count, p.dilation[2] * p.x_pixel);
    }
  }
}

struct PoolMax {
  [[maybe_unused]] static constexpr float kStart = -HUGE_VALF;
  template <class V>
  MACEC_INLINE V add(V acc, V v) const {
    return max(acc, v);
  }
  template <class V>
  MACEC_INLINE V finish(V acc) const {
    return acc;
  }
};

struct PoolAverage {
  [[maybe_unused]] static constexpr float kStart = 0;
  float count;
  template <class V>
  MACEC_INLINE V add(V acc, V v) const {
    return acc + v;
  }
  template <class V>
  MACEC_INLINE V finish(V acc) const {
    return count > 0 ? acc / splat<V>(count) : acc;
  }
};

// C vectors of channels from c on, of one output pixel.
template <int C, class Op, class Rows, class N, class Y, class Epilogue>
MACEC_INLINE void pool_channels(const PoolParams& p, const Rows& rows, int64_t batch,
                                const PoolSpan (&s)[3], const Op& op, int64_t c, N n, Y* y,
                                int64_t pixel, const Epilogue& epilogue) {
  using X = typename Rows::Element;
  Vf acc[C];
#pragma GCC unroll 4
  for (int v = 0; v < C; ++v) acc[v] = splat<Vf>(Op::kStart);
  pool_rows(p, rows, batch, s, [&](const X* x, int64_t count, int64_t step) {
    x += c;
    for (int64_t i = 0; i < count; ++i, x += step) {
#pragma GCC unroll 4
      for (int v = 0; v < C; ++v) acc[v] = op.add(acc[v], load<Vf>(x + v * kLanes, n));
    }
  });
#pragma GCC unroll 4
  for (int v = 0; v < C; ++v) {
    const int64_t col = c + v * kLanes;
    store(y + col, epilogue(op.finish(acc[v]), pixel, col, n), n);
  }
}

template <class Op, class Rows, class Y, class Epilogue>
MACEC_NOINLINE void pool_pixel(const PoolParams& p, const Rows& rows, int64_t batch,
                               const PoolSpan (&s)[3], const Op& op, Y* y, int64_t pixel,
                               const Epilogue& epilogue) {
  int64_t c = 0;
  for (; c + 4 * kLanes <= p.channels; c += 4 * kLanes) {
    pool_channels<4>(p, rows, batch, s, op, c, Full{}, y, pixel, epilogue);
  }
  for (; c + kLanes <= p.channels; c += kLanes) {
    pool_channels<1>(p, rows, batch, s, op, c, Full{}, y, pixel, epilogue);
  }
  if (c < p.channels) {
    const Part n{static_cast<int>(p.channels - c)};
    pool_channels<1>(p, rows, batch, s, op, c, n, y, pixel, epilogue);
  }
}

// Calls f(batch, spans, output pixel) for every pixel of the units.
template <class F>
MACEC_INLINE void pool_each(const PoolParams& p, int64_t begin, int64_t end, F f) {
  for (int64_t unit = begin; unit < end; ++unit) {
    const ConvUnit u = conv_unit(p, unit);
    PoolSpan s[3] = {pool_span(p, 0, u.depth), pool_span(p, 1, u.height), {}};
    for (int64_t ox = 0; ox < p.out[2]; ++ox) {
      s[2] = pool_span(p, 2, ox);
      f(u.batch, s, unit * p.out[2] + ox);
    }
  }
}

template <class Input, class Y, class Epilogue>
void pool_max(const PoolParams& p, const Input& x, Y* y, const Epilogue& epilogue, int64_t begin,
              int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  pool_each(p, begin, end, [&](int64_t batch, const PoolSpan(&s)[3], int64_t pixel) {
    pool_pixel(p, rows, batch, s, PoolMax{}, y + pixel * p.y_pixel, pixel, epilogue);
  });
}

template <class Input, class Y, class Epilogue>
void pool_average(const PoolParams& p, const Input& x, Y* y, const Epilogue& epilogue,
                  int64_t begin, int64_t end, void*) {
  const auto rows = conv_rows(p, x);
  pool_each(p, begin, end, [&](int64_t batch, const PoolSpan(&s)[3], int64_t pixel) {
    const int64_t inside = s[0].count * s[1].count * s[2].count;
    const int64_t padded = s[0].padded * s[1].padded * s[2].padded;
    const PoolAverage op{static_cast<float>(p.count_include_pad != 0 ? padded : inside)};
    pool_pixel(p, rows, batch, s, op, y + pixel * p.y_pixel, pixel, epilogue);
  });
}

// `lowest` is the result of a window without elements.
template <class Input, class T>
void pool_max_of(const PoolParams& p, const Input& x, T* y, T lowest, int64_t begin, int64_t end,
                 void*) {
  const auto rows = conv_rows(p, x);
  pool_each(p, begin, end, [&](int64_t batch, const PoolSpan(&s)[3], int64_t pixel) {
    constexpr int kBlock = 16;
    T* to = y + pixel * p.y_pixel;
    for (int64_t c = 0; c < p.channels; c += kBlock) {
      const int n = p.channels - c < kBlock ? static_cast<int>(p.channels - c) : kBlock;
      T best[kBlock];
      for (int i = 0; i < kBlock; ++i) best[i] = lowest;
      pool_rows(p, rows, batch, s, [&](const T* from, int64_t count, int64_t step) {
        from += c;
        for (int64_t k = 0; k < count; ++k, from += step) {
          for (int i = 0; i < n; ++i) {
            // Written so that a NaN wins and stays.
            best[i] = best[i] >= from[i] || best[i] != best[i] ? best[i] : from[i];
          }
        }
      });
      for (int i = 0; i < n; ++i) to[c + i] = best[i];
    }
  });
}
