// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution of channels-last activations, transposed or not: every channel is seen by
// one filter.
//
// A work-item makes PIXELS neighbours along the width for four channels (one, where the channels
// are no multiple of four). Weights are [tap][channel]. A row of the input that several of its
// windows share is loaded once.
#if WHOLE
#define T float4
#define LOAD(r, i) X4(r, i)
#define WEIGHT(r, i) W4(r, i)
#define LANES 4
#else
#define T float
#define LOAD(r, i) X1(r, i)
#define WEIGHT(r, i) W1(r, i)
#define LANES 1
#endif
__kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
void KERNEL(PARAMETERS) {
  const int block = get_global_id(0), place = get_global_id(1);
  if (block >= BLOCKS || place >= PLACES) return;
  const int c = block * LANES;
  const int row = place / ROW_PLACES, in_row = place - row * ROW_PLACES;
  const int phase = OUT_STEP > 1 ? in_row / PHASE_PLACES : 0;
  const int w = (in_row - phase * PHASE_PLACES) * (PIXELS * OUT_STEP) + phase;
  const int image = row / (OUT_D * OUT_H), plane = row - image * (OUT_D * OUT_H);
  const int d = plane / OUT_H, h = plane - d * OUT_H;

  T acc[PIXELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) acc[p] = (T)(0.0f);
#pragma unroll
  for (int kd = 0; kd < KERNEL_D; ++kd) {
    const int xd = SOURCE(d, kd, _D);
    if (MISSES(d, kd, _D) || xd < 0 || xd >= IN_D) continue;
#pragma unroll
    for (int kh = 0; kh < KERNEL_H; ++kh) {
      const int xh = SOURCE(h, kh, _H);
      if (MISSES(h, kh, _H) || xh < 0 || xh >= IN_H) continue;
      const int line = (image * IN_D + xd) * IN_H + xh;
      const int tap = (kd * KERNEL_H + kh) * KERNEL_W;
#if SHARES
      // All input pixels under the windows; window p begins at p * STRIDE_W.
      T x[SPAN];
#pragma unroll
      for (int i = 0; i < SPAN; ++i) {
        const int xw = SOURCE(w, 0, _W) + i;
        x[i] = IS_INSIDE(xw) ? LOAD(line * X_LINE_R + xw * X_W_R, line * X_LINE_I + xw * X_W_I + c)
                             : (T)(0.0f);
      }
#pragma unroll
      for (int kw = 0; kw < KERNEL_W; ++kw) {
        const T weight = WEIGHT((tap + kw) * W_TAP_R, (tap + kw) * W_TAP_I + c);
#pragma unroll
        for (int p = 0; p < PIXELS; ++p) acc[p] += x[p * STRIDE_W + kw * DILATION_W] * weight;
      }
#else
      for (int kw = 0; kw < KERNEL_W; ++kw) {
        if (MISSES(w, kw, _W)) continue;
        const T weight = WEIGHT((tap + kw) * W_TAP_R, (tap + kw) * W_TAP_I + c);
#pragma unroll
        for (int p = 0; p < PIXELS; ++p) {
          const int xw = SOURCE(w, kw, _W) + p * IN_STEP;
          if (IS_INSIDE(xw))
            acc[p] +=
                LOAD(line * X_LINE_R + xw * X_W_R, line * X_LINE_I + xw * X_W_I + c) * weight;
        }
      }
#endif
    }
  }

#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    const int yw = w + p * OUT_STEP;
    if (yw >= OUT_W) return;
    const int y_row = row * Y_LINE_R + yw * Y_W_R;
    const int y_at = row * Y_LINE_I + yw * Y_W_I + c;
    T v = acc[p];
#if WHOLE
#if HAS_BIAS
    v += B4(0, c);
#endif
    Y4(y_row, y_at, EPILOGUE4(v, row, yw, c));
#else
#if HAS_BIAS
    v += B1(0, c);
#endif
    Y1(y_row, y_at, EPILOGUE1(v, row, yw, c));
#endif
  }
}
#undef T
#undef LOAD
#undef WEIGHT
#undef LANES
