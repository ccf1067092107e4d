// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposition of a plane: y[r * y_row + c] = x[c * x_row + r], r < rows, c < columns; strides in
// elements.
//
// Elements of 4 bytes go through registers in squares of kSquare; others and the borders one by
// one. Strips of 64 columns keep the cache lines of x that a square only uses in part until its
// neighbour wants the rest.
#pragma once
#include "simd/simd.h"

template <int kBytes>
MACEC_INLINE void transpose_border(const char* x, int64_t x_row, char* y, int64_t y_row,
                                   int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      memcpy(y + (r * y_row + c) * kBytes, x + (c * x_row + r) * kBytes, kBytes);
    }
  }
}

// The same for C columns, as those of an image: all of a row in one turn.
template <int kBytes, int C>
MACEC_INLINE void transpose_few(const char* x, int64_t x_row, char* y, int64_t y_row,
                                int64_t rows) {
#pragma GCC unroll 4
  for (int64_t r = 0; r < rows; ++r, x += kBytes, y += y_row * kBytes) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) memcpy(y + c * kBytes, x + c * x_row * kBytes, kBytes);
  }
}

template <int kBytes>
MACEC_NOINLINE void transpose_plane(const char* x, int64_t x_row, char* y, int64_t y_row,
                                    int64_t rows, int64_t columns) {
  if (columns == 2) return transpose_few<kBytes, 2>(x, x_row, y, y_row, rows);
  if (columns == 3) return transpose_few<kBytes, 3>(x, x_row, y, y_row, rows);
  const int64_t strip = 64;
  for (int64_t c0 = 0; c0 < columns; c0 += strip) {
    const int64_t width = columns - c0 < strip ? columns - c0 : strip;
    const char* from = x + c0 * x_row * kBytes;
    char* to = y + c0 * kBytes;
    int64_t r = 0;
    if constexpr (kBytes == 4) {
      for (; r + kSquare <= rows; r += kSquare) {
        int64_t c = 0;
        for (; c + kSquare <= width; c += kSquare) {
          transpose_square(from + (c * x_row + r) * 4, x_row * 4, to + (r * y_row + c) * 4,
                           y_row * 4);
        }
        transpose_border<4>(from + (c * x_row + r) * 4, x_row, to + (r * y_row + c) * 4, y_row,
                            kSquare, width - c);
      }
    } else {
      for (; r + 16 <= rows; r += 16) {
        transpose_border<kBytes>(from + r * kBytes, x_row, to + r * y_row * kBytes, y_row, 16,
                                 width);
      }
    }
    transpose_border<kBytes>(from + r * kBytes, x_row, to + r * y_row * kBytes, y_row, rows - r,
                             width);
  }
}
