// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and LogSoftmax (IS_LOG) of LINES lines of COUNT vectors or elements.
//
//   FORM 0   a line is dense; vectors of four run along it
//   FORM 1   the same, single elements
//   FORM 2   four neighbouring lines at once: a vector has element j of each
//   FORM 3   one line of any stride
//
// SHARES items of a work-group share a line: item i takes i, i + SHARES, ... They run along
// dimension 0 in the forms 0 and 1, along dimension 1 in the others, where dimension 0 runs along
// the INNER neighbouring lines. Lines short enough stay in registers (HELD elements of each item).
// A line with a NaN, or of -infinities only, becomes NaN.
#if FORM == 0 || FORM == 2
#define V float4
#define LOAD(j) X4(x_r + (j) * X_STEP_R, x_i + (j) * X_STEP_I)
#define STORE(j, v) Y4(y_r + (j) * Y_STEP_R, y_i + (j) * Y_STEP_I, v)
#else
#define V float
#define LOAD(j) X1(0, x_i + (j) * X_STEP_I)
#define STORE(j, v) Y1(0, y_i + (j) * Y_STEP_I, v)
#endif

#if FORM == 0
#define LINE float
#define MAX_OF(v) MAX_LANES(v)
#define SUM_OF(v) SUM_LANES(v)
#define FINISH(v, j) EPILOGUE4(v, 0, line, 4 * (j))
#else
#define LINE V
#define MAX_OF(v) (v)
#define SUM_OF(v) (v)
#endif
#if FORM == 1
#define FINISH(v, j) EPILOGUE1(v, 0, line, j)
#elif FORM > 1
#define FINISH(v, j) (v)
#endif

#if FORM < 2
#define SHARE_STEP 1
#else
#define SHARE_STEP LOCAL_LINES
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

__kernel void KERNEL(PARAMETERS) {
#if FORM < 2
  const int share = get_local_id(0), lane = get_local_id(1);
  const int line = get_global_id(1);
  const bool is_inside = line < OUTER;
  const int outer = min(line, OUTER - 1);
  const int x_r = outer * X_OUTER_R, x_i = outer * X_OUTER_I;
  const int y_r = outer * Y_OUTER_R, y_i = outer * Y_OUTER_I;
  const int at = lane * SHARES + share, first = lane * SHARES;
#else
  const int share = get_local_id(1), lane = get_local_id(0);
  const int block = get_global_id(0), outer = get_global_id(2);
  const bool is_inside = block < LINES;
  const int inner = min(block, LINES - 1) * (FORM == 2 ? 4 : 1);
  const int x_r = outer * X_OUTER_R, x_i = outer * X_OUTER_I + inner;
  const int y_r = outer * Y_OUTER_R, y_i = outer * Y_OUTER_I + inner;
  const int at = share * LOCAL_LINES + lane, first = lane;
#endif
#if SHARES > 1
  __local LINE part[SHARES * LOCAL_LINES];
#endif

#if HELD > 0
  V held[HELD];
  EACH(h, j) held[h] = INSIDE(j) ? LOAD(j) : (V)(-INFINITY);
#endif

  V most = (V)(-INFINITY);
  EACH(h, j) most = fmax(most, VALUE(h, j));
  LINE greatest = MAX_OF(most);
#if SHARES > 1
  part[at] = greatest;
  FOLD_IN_GROUP(part, at, share, SHARE_STEP, SHARES, FOLD_MAX);
  greatest = part[first];
  barrier(CLK_LOCAL_MEM_FENCE);
#endif

  V sum = (V)(0.0f);
  EACH(h, j) {
    if (INSIDE(j)) {
#if HELD > 0
      held[h] -= greatest;
      const V e = exp(held[h]);
#if !IS_LOG
      held[h] = e;
#endif
#else
      const V e = exp(LOAD(j) - greatest);
#endif
      sum += e;
    }
  }
  LINE total = SUM_OF(sum);
#if SHARES > 1
  part[at] = total;
  FOLD_IN_GROUP(part, at, share, SHARE_STEP, SHARES, FOLD_SUM);
  total = part[first];
#endif

  if (!is_inside) return;
#if IS_LOG
  const LINE shift = log(total);
#else
  const LINE scale = 1.0f / total;
#endif
  EACH(h, j) {
    if (INSIDE(j)) {
#if IS_LOG && HELD > 0
      const V v = held[h] - shift;
#elif IS_LOG
      const V v = LOAD(j) - greatest - shift;
#elif HELD > 0
      const V v = held[h] * scale;
#else
      const V v = exp(LOAD(j) - greatest) * scale;
#endif
      STORE(j, FINISH(v, j));
    }
  }
}
