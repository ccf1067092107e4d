// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A chain of pointwise steps with broadcasting. One work-item does one element of every result, or four side by side (V and VMASK say
// which). BODY loads what it needs, computes, and stores at the end: results may lie where inputs of equal strides were.
__kernel void KERNEL(PARAMETERS) {
  const uint at = get_global_id(0);
  if (at >= COUNT) return;
  INDICES
  BODY
}
