// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Greatest element (IS_MAX) or mean of windows of channels-last activations.
//
// A work-item makes one pixel of four channels (one, where the channels are no multiple of four).
// Large windows are shared by the SPLIT work-items of a group, tap by tap. A NaN in a window is its
// greatest element. With HAS_INDICES the place of the greatest element in the whole plain tensor is
// the second result, I; BY_COLUMN counts the first spatial axis fastest. The mean divides by the taps that lie in
// [LOW, HIGH) along each axis: in the input, or in the padded input.
#if WHOLE
#define T float4
#define LOAD(r, i) X4(r, i)
#define LANES 4
#else
#define T float
#define LOAD(r, i) X1(r, i)
#define LANES 1
#endif
#if IS_MAX
#define NOTHING LOWEST
#define JOIN(a, b) select(a, b, (b) > (a) || isnan(b))
#else
#define NOTHING 0.0f
#define JOIN(a, b) ((a) + (b))
#endif

#if !IS_MAX
// Taps of a window along one axis that lie in [low, high).
static inline int NAME(taps)(int first, int dilation, int kernel_extent, int low, int high) {
  int taps = 0;
  for (int k = 0; k < kernel_extent; ++k)
    taps += first + k * dilation >= low && first + k * dilation < high;
  return taps;
}
#endif

__kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, SPLIT)))
void KERNEL(PARAMETERS) {
#if SPLIT > 1
  __local T parts[SPLIT * LOCAL_X * LOCAL_Y];
  const int part = get_local_id(2);
  const bool is_needed = get_global_id(0) < BLOCKS && get_global_id(1) < PLACES;
  const int block = min((int)get_global_id(0), BLOCKS - 1);
  const int place = min((int)get_global_id(1), PLACES - 1);
#else
  const int part = 0;
  const int block = get_global_id(0), place = get_global_id(1);
  if (block >= BLOCKS || place >= PLACES) return;
#endif
  const int c = block * LANES;
  const int row = place / OUT_W, w = place - row * OUT_W;
  const int image = row / (OUT_D * OUT_H), plane = row - image * (OUT_D * OUT_H);
  const int d = plane / OUT_H, h = plane - d * OUT_H;
  const int first_d = d * STRIDE_D - PAD_D, first_h = h * STRIDE_H - PAD_H;
  const int first_w = w * STRIDE_W - PAD_W;

  T v = (T)(NOTHING);
#if HAS_INDICES
  int at = 0;
  bool has_any = false;
#endif
#if SPLIT > 1
  for (int tap = part; tap < KERNEL_D * KERNEL_H * KERNEL_W; tap += SPLIT) {
    const int kd = tap / (KERNEL_H * KERNEL_W), kh = tap / KERNEL_W % KERNEL_H;
    const int kw = tap % KERNEL_W;
#else
  for (int kd = 0; kd < KERNEL_D; ++kd)
    for (int kh = 0; kh < KERNEL_H; ++kh)
      for (int kw = 0; kw < KERNEL_W; ++kw) {
#endif
        const int xd = first_d + kd * DILATION_D, xh = first_h + kh * DILATION_H;
        const int xw = first_w + kw * DILATION_W;
        if (xd < 0 || xd >= IN_D || xh < 0 || xh >= IN_H || xw < 0 || xw >= IN_W) continue;
        const int line = (image * IN_D + xd) * IN_H + xh;
        const T x = LOAD(line * X_LINE_R + xw * X_W_R, line * X_LINE_I + xw * X_W_I + c);
#if HAS_INDICES
        if (!has_any || x > v || isnan(x)) {
          at = BY_COLUMN ? xd + IN_D * (xh + IN_H * xw) : (xd * IN_H + xh) * IN_W + xw;
          has_any = true;
        }
#endif
        v = JOIN(v, x);
      }

#if SPLIT > 1
  const int item = get_local_id(1) * LOCAL_X + get_local_id(0);
  parts[part * (LOCAL_X * LOCAL_Y) + item] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (part > 0 || !is_needed) return;
  for (int s = 1; s < SPLIT; ++s) {
    const T other = parts[s * (LOCAL_X * LOCAL_Y) + item];
    v = JOIN(v, other);
  }
#endif
#if !IS_MAX
  v /= (float)(NAME(taps)(first_d, DILATION_D, KERNEL_D, LOW_D, HIGH_D) *
               NAME(taps)(first_h, DILATION_H, KERNEL_H, LOW_H, HIGH_H) *
               NAME(taps)(first_w, DILATION_W, KERNEL_W, LOW_W, HIGH_W));
#endif
  const int y_row = row * Y_LINE_R + w * Y_W_R, y_at = row * Y_LINE_I + w * Y_W_I + c;
#if WHOLE
  Y4(y_row, y_at, EPILOGUE4(v, row, w, c));
#else
  Y1(y_row, y_at, EPILOGUE1(v, row, w, c));
#endif
#if HAS_INDICES
  const int image_at = (image * CHANNELS + c) * (IN_D * IN_H * IN_W);
  I1(0, row * I_LINE_I + w * I_W_I + c, image_at + at);
#endif
}
#undef T
#undef LOAD
#undef LANES
#undef NOTHING
#undef JOIN
