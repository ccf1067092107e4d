// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strided copy or a fill. One work-item moves one element, or four side by side; VALUE loads them.
__kernel void KERNEL(PARAMETERS) {
  const uint at = get_global_id(0);
  if (at >= COUNT) return;
  INDICES
#if WIDTH == 4
  Y4(Y_ROW, Y_AT, VALUE);
#else
  Y1(Y_ROW, Y_AT, VALUE);
#endif
}
