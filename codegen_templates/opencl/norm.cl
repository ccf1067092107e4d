// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LayerNormalization and RMSNormalization (IS_RMS) of ROWS dense rows of N elements:
//
//   y = (x - mean) / sqrt(variance + epsilon) * scale + bias
//
// SHARES items of a work-group share a row: item i takes the vectors (WIDTH 4) or elements
// (WIDTH 1) i, i + SHARES, ... The mean is known before the deviations are squared. Rows short
// enough stay in registers (HELD values of each item). U, HAS_MEAN: the mean of each row is stored;
// D, HAS_DEVIATION: 1 / sqrt(variance + epsilon).
#define COUNT (N / WIDTH)
#if WIDTH == 4
#define V float4
#define SUM_OF(v) SUM_LANES(v)
#define LOAD(j) X4(row * X_ROW_R, row * X_ROW_I + 4 * (j))
#define SCALE(j) G4(0, 4 * (j))
#define BIAS(j) B4(0, 4 * (j))
#define STORE(j, v) \
  Y4(row * Y_ROW_R, row * Y_ROW_I + 4 * (j), EPILOGUE4(v, 0, row, 4 * (j)))
#else
#define V float
#define SUM_OF(v) (v)
#define LOAD(j) X1(0, row * X_ROW_I + (j))
#define SCALE(j) G1(0, j)
#define BIAS(j) B1(0, j)
#define STORE(j, v) Y1(0, row * Y_ROW_I + (j), EPILOGUE1(v, 0, row, j))
#endif

#if HELD > 0
#define EACH(h, j) \
  _Pragma("unroll") for (int h = 0, j = share; h < HELD; ++h, j += SHARES)
#define INSIDE(j) ((j) < COUNT)
#define VALUE(h, j) held[h]
#else
#define EACH(h, j) for (int j = share; j < COUNT; j += SHARES)
#define INSIDE(j) 1
#define VALUE(h, j) LOAD(j)
#endif

// The sum over all items of the row, in each of them.
#if SHARES > 1
#define SUM_OF_ROW(result, v)                                   \
  part[at] = SUM_OF(v);                                         \
  FOLD_IN_GROUP(part, at, share, 1, SHARES, FOLD_SUM);          \
  result = part[at - share];                                    \
  barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SUM_OF_ROW(result, v) result = SUM_OF(v)
#endif

__kernel void KERNEL(PARAMETERS) {
  const int share = get_local_id(0), line = get_global_id(1);
  const int row = min(line, ROWS - 1);
#if SHARES > 1
  __local float part[SHARES * LOCAL_ROWS];
  const int at = get_local_id(1) * SHARES + share;
#endif

#if HELD > 0
  V held[HELD];
  EACH(h, j) held[h] = INSIDE(j) ? LOAD(j) : (V)(0.0f);
#endif

  float mean = 0.0f;
#if !IS_RMS
  V sum = (V)(0.0f);
  EACH(h, j) sum += VALUE(h, j);
  SUM_OF_ROW(mean, sum);
  mean *= 1.0f / N;
#endif

  V squares = (V)(0.0f);
  EACH(h, j) {
    const V d = VALUE(h, j) - mean;
    squares += INSIDE(j) ? d * d : (V)(0.0f);
  }
  float deviation;
  SUM_OF_ROW(deviation, squares);
  deviation = 1.0f / sqrt(deviation * (1.0f / N) + EPSILON);

  if (line >= ROWS) return;
#if HAS_MEAN
  if (share == 0) U1(0, row, mean);
#endif
#if HAS_DEVIATION
  if (share == 0) D1(0, row, deviation);
#endif
  EACH(h, j) {
    if (INSIDE(j)) {
      V v = (VALUE(h, j) - mean) * deviation * SCALE(j);
#if HAS_BIAS
      v += BIAS(j);
#endif
      STORE(j, v);
    }
  }
}
