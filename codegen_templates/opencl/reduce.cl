// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions: RESULTS results (or vectors of four), each of COUNT elements (or vectors).
//
//   FORM 0   a vector runs along the innermost reduced axis; its lanes are folded at the end
//   FORM 1   single elements, neighbouring items along the reduced axes
//   FORM 2   a vector has four neighbouring results
//   FORM 3   single elements, neighbouring items along the results
//
// SHARES items of a work-group share a result: item i takes i, i + SHARES, ... They run along
// dimension 0 in the forms 0 and 1, along dimension 1 in the others. The operator is INIT,
// STEP(sum, x, shift), MERGE(sum, sum), FINISH(sum) over ACC (float, or long and ulong for integers);
// IS_SHIFTED: the greatest x is found first and given to STEP, and added to the result.
// Long sums of few results go in two launches: in the first (PART 1) each group has a chunk of EACH
// elements and leaves what it has in the scratch memory; the second (PART 2) merges the CHUNKS of a
// result. Otherwise PART is 0, CHUNKS 1 and EACH is COUNT.
// KEPT_R(i), KEPT_I(i): place of result i in x; PUT_R, PUT_I: in y; FOLD_R(j), FOLD_I(j): of its
// element j.
#if FORM == 0 || FORM == 2
#define V float4
#define LOAD(j) X4(x_r + FOLD_R(j), x_i + FOLD_I(j))
#else
#define V ACC
#define LOAD(j) (ACC)X1(0, x_i + FOLD_I(j))
#endif
#if FORM == 0
#define RESULT float
#define LANES(fold, v) fold(fold((v).s0, (v).s1), fold((v).s2, (v).s3))
#else
#define RESULT V
#define LANES(fold, v) (v)
#endif
#if FORM == 2
#define SCRATCH(c) S4(4 * (result * CHUNKS + (c)))
#define LEAVE(c, v) P4(4 * (result * CHUNKS + (c)), v)
#else
#define SCRATCH(c) S1(result * CHUNKS + (c))
#define LEAVE(c, v) P1(result * CHUNKS + (c), v)
#endif
#if FORM < 2
#define SHARE_STEP 1
#else
#define SHARE_STEP LOCAL_RESULTS
#endif

__kernel void KERNEL(PARAMETERS) {
#if FORM < 2
  const int share = get_local_id(0), lane = get_local_id(1), number = get_global_id(1);
  const int at = lane * SHARES + share, first = lane * SHARES;
#else
  const int share = get_local_id(1), lane = get_local_id(0), number = get_global_id(0);
  const int at = share * LOCAL_RESULTS + lane, first = lane;
#endif
  const int result = min(number, RESULTS - 1);
#if PART < 2
  const int chunk = get_group_id(2), begin = chunk * EACH, end = min(begin + EACH, COUNT);
  const int x_r = KEPT_R(result), x_i = KEPT_I(result);
#endif
#if SHARES > 1
  __local RESULT part[SHARES * LOCAL_RESULTS];
#endif

  RESULT shift = (RESULT)(0);
#if IS_SHIFTED
  V most = (V)(-INFINITY);
  for (int j = share; j < COUNT; j += SHARES) {
    const V x = LOAD(j);
    most = FOLD_GREATEST(most, x);
  }
  shift = LANES(FOLD_GREATEST, most);
#if SHARES > 1
  part[at] = shift;
  FOLD_IN_GROUP(part, at, share, SHARE_STEP, SHARES, FOLD_GREATEST);
  shift = part[first];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  // Subtracting infinity would give NaN; subtracting 0 gives infinity.
  shift = select((RESULT)(0), shift, isfinite(shift));
#endif

#if PART < 2
  V sum = (V)(INIT);
  for (int j = begin + share; j < end; j += SHARES) {
    const V x = LOAD(j);
    sum = STEP(sum, x, shift);
  }
  RESULT total = LANES(MERGE, sum);
#else
  RESULT total = (RESULT)(INIT);
  for (int c = share; c < CHUNKS; c += SHARES) {
    const RESULT x = SCRATCH(c);
    total = MERGE(total, x);
  }
#endif
#if SHARES > 1
  part[at] = total;
  FOLD_IN_GROUP(part, at, share, SHARE_STEP, SHARES, MERGE);
  total = part[first];
#endif

  if (number >= RESULTS || share > 0) return;
#if PART == 1
  LEAVE(chunk, total);
#else
  total = FINISH(total);
#if IS_SHIFTED
  total += shift;
#endif
#if FORM == 2
  Y4(PUT_R(result), PUT_I(result), total);
#else
  Y1(0, PUT_I(result), total);
#endif
#endif
}
