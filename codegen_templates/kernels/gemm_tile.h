// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hot tile of gemm and convolution: R rows by V vectors of results stay in registers while all
// of k goes by.
//
//            k                      columns
//      +-----------+         +------+------+
//    R | x rows    |    *  k | panel| panel|   w[panel][tap * k + kk][kPanel], the last panel
//      +-----------+         +------+------+   padded with zeros
//
// Rows of x come from pointers, so padding, strides and rings of rows cost nothing here: for tap t,
// row m of a block is rows[t * R + m] + x_offset. With rows == nullptr (one tap) row m is
// x + m * x_row + x_offset. Every result is the same chain of multiply-adds in the order of k, whatever tile
// computes it: splitting rows or columns differently never changes a bit.
//
// x and y are float or a 16-bit type that simd.h converts; w and bias are float. y must not overlap
// x or w. Nothing is read beyond row[k - 1], nothing written beyond `columns`.
#pragma once
#include <stdint.h>

#include "epilogue.h"
#include "simd/simd.h"

// The tile of this level, and the columns of a packed panel: 16 serve every x86 level (half a panel
// at 4 lanes, two panels at 16). With multiply-add by lane four elements of x are one load.
[[maybe_unused]] constexpr int kPanel = kFmaByLane ? 8 : kVectorRegisters == 0 ? 8 : 16;
[[maybe_unused]] constexpr int kTileRows = kLanes == 16             ? 12
                                           : kLanes == 8            ? 6
                                           : kVectorRegisters == 32 ? 8
                                                                    : 4;
[[maybe_unused]] constexpr int kTileVectors = 2;

// A tile of one row reads this many vectors at once, to keep enough multiply-adds in flight.
[[maybe_unused]] constexpr int kVectorTile = kLanes == 16 ? 4 : 8;

template <class X, class Y>
struct TileArgs {
  const X* const* rows;  // taps * R pointers for each block of R rows, or nullptr
  const X* x;            // first row, when rows is nullptr
  int64_t x_row;         // elements from one row of x to the next, when rows is nullptr
  int64_t x_offset;      // added to every row pointer
  int64_t taps, k;       // k elements are read from the row of each tap
  const float* w;        // the panel of the tile's first column, at that column
  int64_t w_panel;       // floats from one panel to the next
  const float* bias;     // of the tile's first column, or nullptr
  Y* y;                  // the tile's first result
  int64_t y_row;         // elements from one row of y to the next
  int64_t columns;       // valid from the tile's first column on; may exceed the tile
  int64_t row, col;      // position of the first result, for the epilogue
};

// Height of the tile that comes next when `rows` rows are left.
[[maybe_unused]] constexpr int64_t tile_rows(int64_t rows) {
  return rows >= kTileRows ? kTileRows : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

// Floats from a tile's first column to its vector v.
template <class T>
inline int64_t vector_offset(int v, T w_panel) {
  return (v * kLanes / kPanel) * w_panel + (v * kLanes) % kPanel;
}

// acc += x * w for one element of k; w points at the row of the panel.
template <int R, int V, class X>
MACEC_INLINE void tile_step(Vf (&acc)[R][V], const X* const (&x)[R], int64_t at, const float* w,
                            int64_t w_panel) {
  Vf b[V];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) b[v] = load<Vf>(w + vector_offset(v, w_panel), Full{});
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m) {
    const Vf a = splat<Vf>(load<float>(x[m] + at, Full{}));
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[m][v] = fma(a, b[v], acc[m][v]);
  }
}

// The same for four elements of k that were loaded as one vector a row: lane L is element L.
template <int L, int R, int V>
MACEC_INLINE void tile_lane_step(Vf (&acc)[R][V], const Vf (&a)[R], const float* w,
                                 int64_t w_panel) {
  Vf b[V];
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
    b[v] = load<Vf>(w + L * kPanel + vector_offset(v, w_panel), Full{});
  }
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[m][v] = fma_lane(Lane<L>{}, b[v], a[m], acc[m][v]);
  }
}

// Adds elements [first, first + k) of one tap's rows; returns w behind it.
template <int R, int V, class X>
MACEC_INLINE const float* tile_tap(Vf (&acc)[R][V], const X* const (&x)[R], int64_t first,
                                   int64_t k, const float* w, int64_t w_panel) {
  int64_t at = first;
  if constexpr (kFmaByLane) {
#pragma GCC unroll 2
    for (uint64_t fours = static_cast<uint64_t>(k) / 4; fours > 0; --fours) {
      Vf a[R];
#pragma GCC unroll 16
      for (int m = 0; m < R; ++m) a[m] = load<Vf>(x[m] + at, Full{});
      tile_lane_step<0>(acc, a, w, w_panel);
      tile_lane_step<1>(acc, a, w, w_panel);
      tile_lane_step<2>(acc, a, w, w_panel);
      tile_lane_step<3>(acc, a, w, w_panel);
      at += 4;
      w += 4 * kPanel;
    }
    k &= 3;
  }
  for (; k > 0; --k, ++at, w += kPanel) tile_step(acc, x, at, w, w_panel);
  return w;
}

// The same pointer, but the compiler does not know: it keeps one running pointer for the rows instead
// of an address computed for each.
template <class T>
MACEC_INLINE T* running_pointer(T* p) {
#if defined(__aarch64__)
  __asm__("" : "+r"(p));
#endif
  return p;
}

// Stores a whole tile. The copy of the epilogue tells the compiler that y does not change it.
template <int R, int V, class Y, class Epilogue>
MACEC_INLINE void tile_store(const Vf (&acc)[R][V], Y* y, int64_t y_row, int64_t row, int64_t col,
                             const Epilogue& epilogue) {
  const Epilogue apply = epilogue;
#pragma GCC unroll 16
  for (int m = 0; m < R; ++m) {
    Vf results[V];
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) {
      results[v] = apply(acc[m][v], row + m, col + v * kLanes, Full{});
    }
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) store(y + v * kLanes, results[v], Full{});
    y = running_pointer(y + y_row);
  }
}

// Stores a tile that lacks columns or has a large epilogue: one loop that all tiles share.
template <class Y, class Epilogue>
MACEC_NOINLINE void tile_store_part(const Vf* results, int rows, int vectors, Y* y, int64_t y_row,
                                    int64_t row, int64_t col, int columns,
                                    const Epilogue& epilogue) {
  const Epilogue apply = epilogue;
  for (int m = 0; m < rows; ++m, y += y_row, results += vectors) {
    for (int v = 0; v * kLanes < columns; ++v) {
      const int left = columns - v * kLanes;
      if (left >= kLanes) {
        store(y + v * kLanes, apply(results[v], row + m, col + v * kLanes, Full{}), Full{});
      } else {
        store(y + v * kLanes, apply(results[v], row + m, col + v * kLanes, Part{left}), Part{left});
      }
    }
  }
}

// The first row of accumulators: the bias, or 0.
template <int V>
MACEC_INLINE void tile_bias(Vf (&acc)[V], const float* bias, int64_t columns) {
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) acc[v] = splat<Vf>(0);
  if (bias == nullptr) return;
  if (columns >= V * kLanes) {
#pragma GCC unroll 8
    for (int v = 0; v < V; ++v) acc[v] = load<Vf>(bias + v * kLanes, Full{});
    return;
  }
#pragma GCC unroll 8
  for (int v = 0; v < V; ++v) {
    const int left = static_cast<int>(columns) - v * kLanes;
    if (left >= kLanes) {
      acc[v] = load<Vf>(bias + v * kLanes, Full{});
    } else if (left > 0) {
      acc[v] = load<Vf>(bias + v * kLanes, Part{left});
    }
  }
}

// Computes `blocks` blocks of R rows, one below the other.
template <int R, int V, class X, class Y, class Epilogue>
MACEC_NOINLINE void gemm_tile(const TileArgs<X, Y>& t, int64_t blocks, const Epilogue& epilogue) {
  const X* const* rows = t.rows;
  const X* x_base = t.x;
  Y* y = t.y;
  int64_t row = t.row;
  Vf bias[V];
  tile_bias(bias, t.bias, t.columns);
  for (; blocks > 0; --blocks, row += R) {
    Vf acc[R][V];
#pragma GCC unroll 16
    for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
      for (int v = 0; v < V; ++v) acc[m][v] = bias[v];
    }
    const float* w = t.w;
    for (int64_t tap = 0; tap < t.taps; ++tap) {
      const X* x[R];
      if (rows != nullptr) {
#pragma GCC unroll 16
        for (int m = 0; m < R; ++m) x[m] = rows[m];
        rows += R;
      } else {
        x[0] = x_base;
#pragma GCC unroll 16
        for (int m = 1; m < R; ++m) x[m] = x[m - 1] + t.x_row;
        x_base = x[R - 1] + t.x_row;
      }
      w = tile_tap(acc, x, t.x_offset, t.k, w, t.w_panel);
    }
    const int64_t y_row = t.y_row;
    const int64_t col = t.col;
    if (!EpilogueSize<Epilogue>::kIsLarge && t.columns >= V * kLanes) {
      tile_store(acc, y, y_row, row, col, epilogue);
    } else {
      Vf results[R * V];
#pragma GCC unroll 16
      for (int m = 0; m < R; ++m) {
#pragma GCC unroll 8
        for (int v = 0; v < V; ++v) results[m * V + v] = acc[m][v];
      }
      const int columns = t.columns < V * kLanes ? static_cast<int>(t.columns) : V * kLanes;
      tile_store_part(results, R, V, y, y_row, row, col, columns, epilogue);
    }
    y += R * y_row;
  }
}

// Moves to the rows `count` further down; the table of pointers must end a tile there.
template <class X, class Y>
inline void tile_skip_rows(TileArgs<X, Y>& t, int64_t count) {
  t.row += count;
  t.y += count * t.y_row;
  if (t.rows != nullptr) {
    t.rows += count * t.taps;
  } else {
    t.x += count * t.x_row;
  }
}

// The columns of units [begin, end) of `each` columns, of n in all.
struct TileColumns {
  int64_t first, count;
};
[[maybe_unused]] constexpr TileColumns tile_columns(int64_t each, int64_t n, int64_t begin,
                                                    int64_t end) {
  const int64_t first = begin * each, wanted = (end - begin) * each;
  return {first, wanted < n - first ? wanted : n - first};
}

// Narrows a tile that stands at column 0 to those columns; the first of them begins a panel.
template <class X, class Y>
inline void tile_narrow(TileArgs<X, Y>& t, const TileColumns& columns) {
  t.w += columns.first / kPanel * t.w_panel;
  if (t.bias != nullptr) t.bias += columns.first;
  t.y += columns.first;
  t.col += columns.first;
  t.columns = columns.count;
}

// All rows of one block of columns: full tiles, then the rest by smaller ones.
template <int V, class X, class Y, class Epilogue>
inline void gemm_rows(TileArgs<X, Y> t, int64_t rows, const Epilogue& epilogue) {
  while (rows > 0) {
    const int64_t height = tile_rows(rows);
    const int64_t blocks = height == kTileRows ? rows / kTileRows : 1;
    if (height == kTileRows) {
      gemm_tile<kTileRows, V>(t, blocks, epilogue);
    } else if (height == 4) {
      gemm_tile<4, V>(t, blocks, epilogue);
    } else if (height == 2) {
      gemm_tile<2, V>(t, blocks, epilogue);
    } else {
      gemm_tile<1, V>(t, blocks, epilogue);
    }
    tile_skip_rows(t, blocks * height);
    rows -= blocks * height;
  }
}

// y[rows][columns] for all panels; `t` describes the first tile, its columns are all that y has.
// The panel is in the outer loop: it stays in L1 while the rows, which should fit L2, go by. Tiles
// have an even number of rows; where one row is left over, it goes by wide tiles of its own.
template <class X, class Y, class Epilogue>
MACEC_NOINLINE void gemm_columns(TileArgs<X, Y> t, int64_t rows, const Epilogue& epilogue) {
  constexpr int64_t kWide = kVectorTile * kLanes;
  constexpr int64_t kStep = kTileVectors * kLanes;
  static_assert(kTileRows % 2 == 0 && kWide % kStep == 0, "a single row goes by whole steps");
  const float* const panels = t.w;
  int64_t wide_end = 0;  // columns whose last row is done
  for (int64_t done = 0; t.columns > 0; done += kStep) {
    t.w = panels + done / kPanel * t.w_panel + done % kPanel;
    if (rows % 2 == 1 && done >= wide_end && t.columns >= kWide) {
      TileArgs<X, Y> last = t;
      tile_skip_rows(last, rows - 1);
      gemm_tile<1, kVectorTile>(last, 1, epilogue);
      wide_end = done + kWide;
    }
    const int64_t count = done < wide_end ? rows - 1 : rows;
    if (kTileVectors == 2 && t.columns <= kLanes) {
      gemm_rows<1>(t, count, epilogue);
    } else {
      gemm_rows<kTileVectors>(t, count, epilogue);
    }
    t.col += kStep;
    t.columns -= kStep;
    t.y += kStep;
    if (t.bias != nullptr) t.bias += kStep;
  }
}

// Rows of x, k floats each, that stay in cache while all panels of a w of n columns go by; a multiple
// of the tile and of a gemm unit.
[[maybe_unused]] inline int64_t gemm_rows_in_cache(int64_t k, int64_t n) {
  constexpr int64_t kMultiple = 48;
  constexpr int64_t kFloats = 32 * 1024;
  const int64_t rows = kFloats / (k > 0 ? k : 1) / kMultiple * kMultiple;
  return n <= kPanel || rows > 4096 ? 4096 / kMultiple * kMultiple : rows > 0 ? rows : kMultiple;
}
