// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad. One work-item does one element of y, or four side by side along an axis that is not padded. SOURCES says where in x it comes
// from, axis by axis (s0, s1, ...), and leaves is_inside 0 where there is nothing.
__kernel void KERNEL(PARAMETERS) {
  const uint at = get_global_id(0);
  if (at >= COUNT) return;
  INDICES
  int is_inside = 1;
  SOURCES
  if (!is_inside) {
    Y(Y_ROW, Y_AT, VALUE);
  } else {
    Y(Y_ROW, Y_AT, X(X_ROW, X_AT));
  }
}
