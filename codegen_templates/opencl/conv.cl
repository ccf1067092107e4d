// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution of channels-last activations, transposed or not: any kernel, stride, dilation,
// padding, groups.
//
// A work-item makes PIXELS neighbours along the width times four output channels; neighbours of a
// transposed convolution are those that meet the same taps, OUT_STEP apart. The weights are
// panels, [group][panel][tap * CHANNELS + channel][W_WIDTH]: work-items beside one another take
// neighbouring columns of one panel, and the same pixels. Where the results are few, SPLIT
// work-items of a group share the input channels and add up what each has.
// Taps beyond the border add nothing; whole rows of them are left out.
__kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, SPLIT)))
void KERNEL(PARAMETERS) {
#if SPLIT > 1
  __local float4 sums[SPLIT * PIXELS * LOCAL_X * LOCAL_Y];
  const int part = get_local_id(2);
  const bool is_needed = get_global_id(0) < BLOCKS && get_global_id(1) < PLACES;
  const int block = min((int)get_global_id(0), BLOCKS - 1);
  const int place = min((int)get_global_id(1), PLACES - 1);
#else
  const int part = 0;
  const int block = get_global_id(0), place = get_global_id(1);
  if (block >= BLOCKS || place >= PLACES) return;
#endif
  const int group = block / GROUP_BLOCKS, m = (block - group * GROUP_BLOCKS) * 4;
  const int row = place / ROW_PLACES, in_row = place - row * ROW_PLACES;
  const int phase = OUT_STEP > 1 ? in_row / PHASE_PLACES : 0;
  const int w = (in_row - phase * PHASE_PLACES) * (PIXELS * OUT_STEP) + phase;
  const int image = row / (OUT_D * OUT_H), plane = row - image * (OUT_D * OUT_H);
  const int d = plane / OUT_H, h = plane - d * OUT_H;
  const int panel = group * GROUP_PANELS + m / W_WIDTH;
  const int w_row = panel * W_PANEL_R;
  const int w_at = panel * W_PANEL_I + m % W_WIDTH;

  float4 acc[PIXELS];
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) acc[p] = (float4)(0.0f);
  for (int kd = 0; kd < KERNEL_D; ++kd) {
    const int xd = SOURCE(d, kd, _D);
    if (MISSES(d, kd, _D) || xd < 0 || xd >= IN_D) continue;
    for (int kh = 0; kh < KERNEL_H; ++kh) {
      const int xh = SOURCE(h, kh, _H);
      if (MISSES(h, kh, _H) || xh < 0 || xh >= IN_H) continue;
      const int x_line = (image * IN_D + xd) * IN_H + xh;
      for (int kw = 0; kw < KERNEL_W; ++kw) {
        if (MISSES(w, kw, _W)) continue;
        const int first = SOURCE(w, kw, _W);
        const int tap = ((kd * KERNEL_H + kh) * KERNEL_W + kw) * CHANNELS;
        for (int c = part * STEP; c < CHANNELS; c += STEP * SPLIT) {
          const int w_place = w_at + (tap + c) * W_WIDTH;
          const float4 w0 = W4(w_row, w_place);
#if STEP == 4
          const float4 w1 = W4(w_row, w_place + W_WIDTH);
          const float4 w2 = W4(w_row, w_place + 2 * W_WIDTH);
          const float4 w3 = W4(w_row, w_place + 3 * W_WIDTH);
#endif
#pragma unroll
          for (int p = 0; p < PIXELS; ++p) {
            const int xw = first + p * IN_STEP;
            const int x_row = x_line * X_LINE_R + xw * X_W_R;
            const int x_at = x_line * X_LINE_I + xw * X_W_I + group * CHANNELS + c;
#if STEP == 4
            const float4 x = IS_INSIDE(xw) ? X4(x_row, x_at) : (float4)(0.0f);
            acc[p] += x.s0 * w0;
            acc[p] += x.s1 * w1;
            acc[p] += x.s2 * w2;
            acc[p] += x.s3 * w3;
#else
            const float x = IS_INSIDE(xw) ? X1(x_row, x_at) : 0.0f;
            acc[p] += x * w0;
#endif
          }
        }
      }
    }
  }

  const int column = group * OUT_CHANNELS + m;
#if SPLIT > 1
  const int item = get_local_id(1) * LOCAL_X + get_local_id(0);
#pragma unroll
  for (int p = 0; p < PIXELS; ++p)
    sums[(part * PIXELS + p) * (LOCAL_X * LOCAL_Y) + item] = acc[p];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (!is_needed) return;
  for (int p = part; p < PIXELS; p += SPLIT) {
    float4 v = (float4)(0.0f);
    for (int s = 0; s < SPLIT; ++s) v += sums[(s * PIXELS + p) * (LOCAL_X * LOCAL_Y) + item];
#else
#pragma unroll
  for (int p = 0; p < PIXELS; ++p) {
    float4 v = acc[p];
#endif
    const int yw = w + p * OUT_STEP;
    if (yw >= OUT_W) continue;
    const int y_row = row * Y_LINE_R + yw * Y_W_R;
    const int y_at = row * Y_LINE_I + yw * Y_W_I + column;
#if WHOLE
#if HAS_BIAS
    v += B4(0, column);
#endif
    Y4(y_row, y_at, EPILOGUE4(v, row, yw, column));
#else
    for (int j = 0; j < 4 && m + j < OUT_CHANNELS; ++j) {
#if HAS_BIAS
      v.s0 += B1(0, column + j);
#endif
      Y1(y_row, y_at + j, EPILOGUE1(v.s0, row, yw, column + j));
      v = v.s1230;
    }
#endif
  }
}
