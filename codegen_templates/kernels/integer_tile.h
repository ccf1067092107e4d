// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hot tile of integer products: R rows by V vectors of int32 sums stay in registers while all of
// the depth goes by. The picture is that of gemm_tile.h.
//
//   x   int16 rows, read only up to their last element
//   w   int8 or int16, [panel][tap][k / kIntegerDepth, rounded up][kPanel][kIntegerDepth], zeros
//       behind the last column and the last k of a tap
//   y   int32; sums wrap modulo 2^32, so every order of adding gives the same
#pragma once
#include "gemm_tile.h"
#include "simd/integers.h"

template <class W>
struct IntegerTile {
  const int16_t* const* rows;  // taps * R pointers for each block of R rows, or nullptr
  const int16_t* x;            // first row, when rows is nullptr
  int64_t x_row;               // elements from one row of x to the next, when rows is nullptr
  int64_t x_offset;            // added to every row pointer
  int64_t taps, k;             // k elements are read from the row of each tap
  const W* w;                  // the panel of the tile's first column, at that column
  int64_t w_panel;             // elements from one panel to the next
  int32_t* y;                  // the tile's first result
  int64_t y_row;               // elements from one row of y to the next
  int64_t columns;             // valid from the tile's first column on; may exceed the tile
};

// Elements of a panel of packed weights.
[[maybe_unused]] constexpr int64_t integer_panel(int64_t taps, int64_t k) {
  return taps * ((k + kIntegerDepth - 1) / kIntegerDepth) * kIntegerDepth * kPanel;
}

// Elements from a tile's first column to its vector v.
template <class T>
inline int64_t integer_offset(int v, T w_panel) {
  return (v * kLanes / kPanel) * w_panel + (v * kLanes) % kPanel * kIntegerDepth;
}

template <int V, class W>
MACEC_INLINE void integer_weights(Vs (&b)[V], const W* w, int64_t w_panel) {
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) b[v] = load_shorts(w + integer_offset(v, w_panel));
}

// acc += x * w for `n` elements of depth.
template <int R, int V, class W>
MACEC_INLINE void integer_step(Vi (&acc)[R][V], const int16_t* const (&x)[R], int64_t at, int n,
                               const W* w, int64_t w_panel) {
  Vs b[V];
  integer_weights(b, w, w_panel);
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m) {
    const Vs a = splat_shorts(x[m] + at, n);
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) acc[m][v] = multiply_add(a, b[v], acc[m][v]);
  }
}

// The same for lane L of four elements of depth that were loaded as one vector a row.
template <int L, int R, int V, class W>
MACEC_INLINE void integer_lane_step(Vi (&acc)[R][V], const Vs (&a)[R], const W* w,
                                    int64_t w_panel) {
  Vs b[V];
  integer_weights(b, w + L * kPanel, w_panel);
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) acc[m][v] = multiply_add_lane(Lane<L>{}, b[v], a[m], acc[m][v]);
  }
}

// Adds one tap's rows; returns w behind it.
template <int R, int V, class W>
MACEC_INLINE const W* integer_tap(Vi (&acc)[R][V], const int16_t* const (&x)[R], int64_t first,
                                  int64_t k, const W* w, int64_t w_panel) {
  int64_t at = first;
  if constexpr (kIntegerByLane) {
    for (uint64_t fours = static_cast<uint64_t>(k) / 4; fours > 0; --fours) {
      Vs a[R];
#pragma GCC unroll 16
      for (int m = 0; m < R; ++m) a[m] = load_four_shorts(x[m] + at);
      integer_lane_step<0>(acc, a, w, w_panel);
      integer_lane_step<1>(acc, a, w, w_panel);
      integer_lane_step<2>(acc, a, w, w_panel);
      integer_lane_step<3>(acc, a, w, w_panel);
      at += 4;
      w += 4 * kPanel;
    }
    k &= 3;
  }
  constexpr int64_t kStep = int64_t{kIntegerDepth} * kPanel;
  for (; k >= kIntegerDepth; k -= kIntegerDepth, at += kIntegerDepth, w += kStep) {
    integer_step(acc, x, at, kIntegerDepth, w, w_panel);
  }
  if (k > 0) {
    integer_step(acc, x, at, 1, w, w_panel);
    w += kStep;
  }
  return w;
}

template <int R, int V>
MACEC_INLINE void integer_store(const Vi (&acc)[R][V], int32_t* y, int64_t y_row, int64_t columns) {
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m, y += y_row) {
    uint32_t sums[V * kLanes];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) store_int_lanes(sums + v * kLanes, acc[m][v]);
    const int64_t count = columns < V * kLanes ? columns : V * kLanes;
    memcpy(y, sums, static_cast<size_t>(count) * sizeof(int32_t));
  }
}

// `blocks` blocks of R rows, one below the other.
template <int R, int V, class W>
MACEC_NOINLINE void integer_tile(const IntegerTile<W>& tile, int64_t blocks) {
  const IntegerTile<W> t = tile;
  const int16_t* const* rows = t.rows;
  const int16_t* next = t.x;
  int32_t* y = t.y;
  for (; blocks > 0; --blocks, y += R * t.y_row) {
    Vi acc[R][V];
#pragma GCC unroll 16
    for (int m = 0; m < R; ++m) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) acc[m][v] = make_int_lanes(Tag<Vf>{}, 0);
    }
    const W* w = t.w;
    for (int64_t tap = 0; tap < t.taps; ++tap) {
      const int16_t* x[R];
#pragma GCC unroll 16
      for (int m = 0; m < R; ++m) x[m] = rows != nullptr ? rows[m] : next + m * t.x_row;
      if (rows != nullptr) rows += R;
      w = integer_tap(acc, x, t.x_offset, t.k, w, t.w_panel);
    }
    if (rows == nullptr) next += R * t.x_row;
    if (t.columns >= V * kLanes) {
      integer_store(acc, y, t.y_row, V * kLanes);
    } else {
      integer_store(acc, y, t.y_row, t.columns);
    }
  }
}

// All rows of one block of columns: full tiles, then the rest by smaller ones.
template <int V, class W>
inline void integer_rows(IntegerTile<W> t, int64_t rows) {
  while (rows > 0) {
    const int64_t height = tile_rows(rows);
    const int64_t blocks = height == kTileRows ? rows / kTileRows : 1;
    if (height == kTileRows) {
      integer_tile<kTileRows, V>(t, blocks);
    } else if (height == 4) {
      integer_tile<4, V>(t, blocks);
    } else if (height == 2) {
      integer_tile<2, V>(t, blocks);
    } else {
      integer_tile<1, V>(t, blocks);
    }
    const int64_t count = blocks * height;
    t.y += count * t.y_row;
    if (t.rows != nullptr) {
      t.rows += count * t.taps;
    } else {
      t.x += count * t.x_row;
    }
    rows -= count;
  }
}

// y[rows][columns] for all panels; `t` describes the first tile, its columns are all that y has.
template <class W>
MACEC_NOINLINE void integer_columns(IntegerTile<W> t, int64_t rows) {
  constexpr int64_t kStep = kTileVectors * kLanes;
  const W* const panels = t.w;
  for (int64_t done = 0; t.columns > 0; done += kStep) {
    t.w = panels + done / kPanel * t.w_panel + done % kPanel * kIntegerDepth;
    if (t.columns <= kLanes) {
      integer_rows<1>(t, rows);
    } else {
      integer_rows<kTileVectors>(t, rows);
    }
    t.columns -= kStep;
    t.y += kStep;
  }
}
