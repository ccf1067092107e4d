// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A copy between two orders of axes, in squares of four by four: four vectors of x, each along the axis that is dense in x, become
// four along the axis that is dense in y.
//
//   x  a0 a1 a2 a3          y  a0 b0 c0 d0
//      b0 b1 b2 b3    ->       a1 b1 c1 d1
//      c0 ...                  ...
#define X_OF(k) X4(X_ROW + k * X_ACROSS_R, X_AT + k * X_ACROSS_I)
#define PUT(k, member) \
  Y4(Y_ROW + k * Y_ACROSS_R, Y_AT + k * Y_ACROSS_I, (TYPE4)(a.member, b.member, c.member, d.member))
__kernel void KERNEL(PARAMETERS) {
  const uint at = get_global_id(0);
  if (at >= COUNT) return;
  INDICES
  const TYPE4 a = X_OF(0), b = X_OF(1), c = X_OF(2), d = X_OF(3);
  PUT(0, s0);
  PUT(1, s1);
  PUT(2, s2);
  PUT(3, s3);
}
