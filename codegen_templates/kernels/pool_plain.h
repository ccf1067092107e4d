// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling of any element type, and the greatest elements with their indices.
//
//   pool_max_plain      y, any type that C++ compares; without elements a window gives the lowest
//   pool_average_plain  y, float types
//   pool_norm_plain     y, float types: the kPower-th root of the sum of |x|^kPower
//   pool_max_indices    y, and the index of the first greatest element of each window in the whole
//                       tensor [batch][channel][in 0][in 1][in 2]; kByColumn: in 0 runs fastest
//
// x, y, indices: pixels x_pixel and y_pixel apart, no overlap. No epilogue, no scratch.
// Units: output rows.
#pragma once
#include "../params/pool.h"
#include "plain.h"
#include "pool.h"

template <class T>
struct PoolValue {  // what compares: integers as they are
  using Type = T;
};
template <>
struct PoolValue<half_t> {
  using Type = float;
};
template <>
struct PoolValue<bfloat16_t> {
  using Type = float;
};
template <class V>
MACEC_INLINE V pool_lowest() {
  if constexpr (static_cast<V>(0.5) != static_cast<V>(0)) return static_cast<V>(-HUGE_VAL);
  if constexpr (static_cast<V>(-1) < static_cast<V>(0)) {
    return static_cast<V>(-(int64_t{1} << (8 * sizeof(V) - 2)) * 2);
  }
  return 0;
}

// Calls f(image, output pixel, position of the window) for every output pixel of the units.
template <class F>
MACEC_INLINE void pool_plain_pixels(const PoolParams& p, int64_t begin, int64_t end, F f) {
  for (int64_t unit = begin; unit < end; ++unit) {
    for (int64_t ox = 0; ox < p.out[2]; ++ox) {
      const int64_t at[3] = {unit / p.out[1] % p.out[0], unit % p.out[1], ox};
      f(unit / (p.out[0] * p.out[1]), unit * p.out[2] + ox, at);
    }
  }
}

// Calls f(position in the image) for every element of a window in the input; returns the number of
// elements in the padded input.
template <class F>
MACEC_INLINE int64_t pool_plain_window(const PoolParams& p, const int64_t (&at)[3], F f) {
  const int64_t taps = int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2];
  int64_t padded = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    const int64_t k[3] = {tap / (p.kernel[1] * p.kernel[2]), tap / p.kernel[2] % p.kernel[1],
                          tap % p.kernel[2]};
    int64_t position = 0;
    bool is_inside = true, is_padded = true;
    for (int a = 0; a < 3; ++a) {
      const int64_t i = at[a] * p.stride[a] - p.pad[a] + k[a] * p.dilation[a];
      is_inside = is_inside && i >= 0 && i < p.in[a];
      is_padded = is_padded && i < p.in[a] + p.pad_end[a];
      position = position * p.in[a] + i;
    }
    padded += is_padded;
    if (is_inside) f(position);
  }
  return padded;
}

// The greatest element of channel c of a window, and where it is (-1: the window has none).
template <class T>
MACEC_INLINE typename PoolValue<T>::Type pool_plain_max(const PoolParams& p, const T* image,
                                                        const int64_t (&at)[3], int64_t c,
                                                        int64_t* where) {
  using V = typename PoolValue<T>::Type;
  V best = pool_lowest<V>();
  *where = -1;
  pool_plain_window(p, at, [&](int64_t position) {
    const V v = static_cast<V>(plain_load(image + position * p.x_pixel + c));
    if (*where >= 0 && (best >= v || best != best)) return;
    best = v;
    *where = position;
  });
  return best;
}

template <class T>
void pool_max_plain(const PoolParams& p, const T* x, T* y, int64_t begin, int64_t end, void*) {
  pool_max_of(p, x, y, pool_lowest<T>(), begin, end, nullptr);
}

template <int kByColumn, class T>
MACEC_NOINLINE void pool_max_indices(const PoolParams& p, const T* x, T* y, int64_t* indices,
                                     int64_t begin, int64_t end, void*) {
  const int64_t image_size = p.in[0] * p.in[1] * p.in[2] * p.x_pixel;
  pool_plain_pixels(p, begin, end, [&](int64_t image, int64_t pixel, const int64_t(&at)[3]) {
    for (int64_t c = 0; c < p.channels; ++c) {
      int64_t where;
      plain_store(y + pixel * p.y_pixel + c,
                  pool_plain_max(p, x + image * image_size, at, c, &where));
      const int64_t i = where < 0 ? 0 : where, rows = p.in[1] * p.in[2];
      const int64_t by_column =
          i / rows + p.in[0] * (i / p.in[2] % p.in[1] + p.in[1] * (i % p.in[2]));
      indices[pixel * p.y_pixel + c] =
          (image * p.channels + c) * p.in[0] * rows + (kByColumn != 0 ? by_column : i);
    }
  });
}

template <class T>
MACEC_NOINLINE void pool_average_plain(const PoolParams& p, const T* x, T* y, int64_t begin,
                                       int64_t end, void*) {
  using Sum = typename PlainSum<T>::Type;
  const int64_t image_size = p.in[0] * p.in[1] * p.in[2] * p.x_pixel;
  pool_plain_pixels(p, begin, end, [&](int64_t image, int64_t pixel, const int64_t(&at)[3]) {
    for (int64_t c = 0; c < p.channels; ++c) {
      Sum sum = 0;
      int64_t inside = 0;
      const T* from = x + image * image_size + c;
      const int64_t padded = pool_plain_window(p, at, [&](int64_t position) {
        sum += plain_load(from + position * p.x_pixel);
        ++inside;
      });
      const int64_t count = p.count_include_pad != 0 ? padded : inside;
      plain_store(y + pixel * p.y_pixel + c, count > 0 ? sum / static_cast<Sum>(count) : sum);
    }
  });
}

MACEC_INLINE float pool_root(float v, float exponent) {
  return ::powf(v, exponent);
}
MACEC_INLINE double pool_root(double v, double exponent) {
  return ::pow(v, exponent);
}
MACEC_INLINE float pool_square_root(float v) {
  return ::sqrtf(v);
}
MACEC_INLINE double pool_square_root(double v) {
  return ::sqrt(v);
}

template <int kPower, class T>
MACEC_NOINLINE void pool_norm_plain(const PoolParams& p, const T* x, T* y, int64_t begin,
                                    int64_t end, void*) {
  using Sum = typename PlainSum<T>::Type;
  const int64_t image_size = p.in[0] * p.in[1] * p.in[2] * p.x_pixel;
  pool_plain_pixels(p, begin, end, [&](int64_t image, int64_t pixel, const int64_t(&at)[3]) {
    for (int64_t c = 0; c < p.channels; ++c) {
      Sum sum = 0;
      const T* from = x + image * image_size + c;
      pool_plain_window(p, at, [&](int64_t position) {
        const Sum v = plain_load(from + position * p.x_pixel), size = v < 0 ? -v : v;
        Sum product = size;
        for (int i = 1; i < kPower; ++i) product *= size;
        sum += product;
      });
      if (kPower == 2) sum = pool_square_root(sum);
      if (kPower > 2) sum = pool_root(sum, static_cast<Sum>(1) / static_cast<Sum>(kPower));
      plain_store(y + pixel * p.y_pixel + c, sum);
    }
  });
}
