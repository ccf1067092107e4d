// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of x picked by indices of a run: Gather, GatherElements, GatherND. One work-item moves one element, or four side by side
// that the same indices name.
//
//   y[at] = x[X_AT + index 0 * stride 0 + index 1 * stride 1 + ...]       PICKS names the parts: PICK(0) PICK(1)
//
// An index counts from the end if it is negative. One that is out of range is reported, and its nearest neighbour taken.
#define PICK(p)                                                               \
  {                                                                           \
    INDEX k = I1(I_ROW + p * I_PART_R, I_AT + p * I_PART_I);                  \
    if (k < 0) k += X_PART##p##_EXTENT;                                       \
    if (k < 0 || k >= X_PART##p##_EXTENT) {                                   \
      REPORT_PROBLEM();                                                       \
      k = k < 0 ? 0 : X_PART##p##_EXTENT - 1;                                 \
    }                                                                         \
    x_row += (int)k * X_PART##p##_R;                                          \
    x_at += (int)k * X_PART##p##_I;                                           \
  }
__kernel void KERNEL(PARAMETERS) {
  const uint at = get_global_id(0);
  if (at >= COUNT) return;
  INDICES
  int x_row = X_ROW, x_at = X_AT;
  PICKS
#if WIDTH == 4
  Y4(Y_ROW, Y_AT, X4(x_row, x_at));
#else
  Y1(Y_ROW, Y_AT, X1(x_row, x_at));
#endif
}
