// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// InstanceNormalization and GroupNormalization, channels-last: x[BATCH][POSITIONS][channels].
//
//   FORM 0   a group has ACROSS vectors of four channels in each position
//   FORM 1   a group has ACROSS channels, taken singly
//   FORM 2   four neighbouring groups of one channel each at once
//   FORM 3   a group of one channel
//
// A line is what is normalised together: the group (or four groups) `group` of image `image`; its
// elements are positions times ACROSS. SHARES items of a work-group go through it: along dimension 0
// in the forms 0 and 1, along dimension 1 in the others, where dimension 0 runs along the lines.
//
//   CHUNKS 1          one launch: sum, deviations from the mean, result
//   CHUNKS > 1        the first launch (PART 1) leaves in the scratch memory, for each line and chunk
//                     of EACH elements, their sum and the squares of their deviations from their own
//                     mean; the second (PART 2) joins them and writes the chunk
#if FORM == 0 || FORM == 2
#define V float4
#define WIDTH 4
#define LOAD(j) X4(X_R(j), X_I(j))
#define SCALE G4(0, COLUMN(j))
#define BIAS B4(0, COLUMN(j))
#define STORE(j, v) Y4(Y_R(j), Y_I(j), EPILOGUE4(v, ROW(j) / OUT_W, ROW(j) % OUT_W, COLUMN(j)))
#else
#define V float
#define WIDTH 1
#define LOAD(j) X1(0, X_I(j))
#define SCALE G1(0, COLUMN(j))
#define BIAS B1(0, COLUMN(j))
#define STORE(j, v) Y1(0, Y_I(j), EPILOGUE1(v, ROW(j) / OUT_W, ROW(j) % OUT_W, COLUMN(j)))
#endif
#if FORM == 0
#define LINE float
#define SUM_OF(v) SUM_LANES(v)
#define LANES 4
#else
#define LINE V
#define SUM_OF(v) (v)
#define LANES 1
#endif

#define POSITION(j) ((j) / ACROSS)
#define COLUMN(j) ((group * ACROSS + (j) % ACROSS) * WIDTH)
#define ROW(j) (image * POSITIONS + POSITION(j))
#define X_R(j) (image * X_N_R + POSITION(j) / OUT_W * X_H_R + POSITION(j) % OUT_W * X_W_R)
#define X_I(j) \
  (image * X_N_I + POSITION(j) / OUT_W * X_H_I + POSITION(j) % OUT_W * X_W_I + COLUMN(j))
#define Y_R(j) (image * Y_N_R + POSITION(j) / OUT_W * Y_H_R + POSITION(j) % OUT_W * Y_W_R)
#define Y_I(j) \
  (image * Y_N_I + POSITION(j) / OUT_W * Y_H_I + POSITION(j) % OUT_W * Y_W_I + COLUMN(j))

#if FORM < 2
#define SHARE_STEP 1
#else
#define SHARE_STEP LOCAL_LINES
#endif
// The sum over all items of the line, in each of them.
#if SHARES > 1
#define SUM_OF_LINE(result, value)                                     \
  part[at] = value;                                                    \
  FOLD_IN_GROUP(part, at, share, SHARE_STEP, SHARES, FOLD_SUM);        \
  result = part[first];                                                \
  barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SUM_OF_LINE(result, value) result = value
#endif

// Elements of chunk c, as a factor of the sums.
#define COUNT_OF(c) (float)(LANES * (min(((c) + 1) * EACH, COUNT) - (c) * EACH))
// Sum and squares of chunk c of a line in the scratch memory.
#define SUMS_AT(c) (((line * CHUNKS + (c)) * 2) * (FORM == 2 ? 4 : 1))
#if FORM == 2
#define LEFT(c, which) S4(SUMS_AT(c) + 4 * which)
#define LEAVE(c, which, v) P4(SUMS_AT(c) + 4 * which, v)
#else
#define LEFT(c, which) S1(SUMS_AT(c) + which)
#define LEAVE(c, which, v) P1(SUMS_AT(c) + which, v)
#endif

__kernel void KERNEL(PARAMETERS) {
#if FORM < 2
  const int share = get_local_id(0), lane = get_local_id(1), number = get_global_id(1);
  const int at = lane * SHARES + share, first = lane * SHARES;
#else
  const int share = get_local_id(1), lane = get_local_id(0), number = get_global_id(0);
  const int at = share * LOCAL_LINES + lane, first = lane;
#endif
  const int line = min(number, LINES - 1), image = line / GROUPS, group = line - image * GROUPS;
  const int chunk = get_group_id(2), begin = chunk * EACH, end = min(begin + EACH, COUNT);
#if SHARES > 1
  __local LINE part[SHARES * LOCAL_LINES];
#endif

  LINE mean, squares;
#if PART < 2
  V sum = (V)(0.0f);
  for (int j = begin + share; j < end; j += SHARES) sum += LOAD(j);
  LINE total;
  SUM_OF_LINE(total, SUM_OF(sum));
  mean = total / COUNT_OF(chunk);
  V deviations = (V)(0.0f);
  for (int j = begin + share; j < end; j += SHARES) {
    const V d = LOAD(j) - mean;
    deviations += d * d;
  }
  SUM_OF_LINE(squares, SUM_OF(deviations));
#endif
#if PART == 1
  if (number < LINES && share == 0) {
    LEAVE(chunk, 0, total);
    LEAVE(chunk, 1, squares);
  }
#else
#if PART == 2
  LINE sums = (LINE)(0.0f);
  for (int c = share; c < CHUNKS; c += SHARES) sums += LEFT(c, 0);
  SUM_OF_LINE(mean, sums);
  mean /= (float)(LANES * COUNT);
  LINE joined = (LINE)(0.0f);
  for (int c = share; c < CHUNKS; c += SHARES) {
    const LINE d = LEFT(c, 0) / COUNT_OF(c) - mean;
    joined += LEFT(c, 1) + d * d * COUNT_OF(c);
  }
  SUM_OF_LINE(squares, joined);
#endif
  if (number >= LINES) return;
  const LINE factor = 1.0f / sqrt(squares / (float)(LANES * COUNT) + EPSILON);
  for (int j = begin + share; j < end; j += SHARES) {
    const V v = (LOAD(j) - mean) * (factor * SCALE) + BIAS;
    STORE(j, v);
  }
#endif
}
