// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolution whose weights are computed when the model runs, transposed or not: they are read as
// ONNX has them, element by element.
//
// A work-item makes one output element. Weight (group, m, c, tap) is at
// group * W_GROUP + m * W_M + c * W_C + tap.
__kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
void KERNEL(PARAMETERS) {
  const int column = get_global_id(0), place = get_global_id(1);
  if (column >= BLOCKS || place >= PLACES) return;
  const int group = column / OUT_CHANNELS, m = column - group * OUT_CHANNELS;
  const int row = place / OUT_W, w = place - row * OUT_W;
  const int image = row / (OUT_D * OUT_H), plane = row - image * (OUT_D * OUT_H);
  const int d = plane / OUT_H, h = plane - d * OUT_H;
  const int w_at = group * W_GROUP + m * W_M;

  float v = 0.0f;
  for (int kd = 0; kd < KERNEL_D; ++kd) {
    const int xd = SOURCE(d, kd, _D);
    if (MISSES(d, kd, _D) || xd < 0 || xd >= IN_D) continue;
    for (int kh = 0; kh < KERNEL_H; ++kh) {
      const int xh = SOURCE(h, kh, _H);
      if (MISSES(h, kh, _H) || xh < 0 || xh >= IN_H) continue;
      const int line = (image * IN_D + xd) * IN_H + xh;
      for (int kw = 0; kw < KERNEL_W; ++kw) {
        const int xw = SOURCE(w, kw, _W);
        if (MISSES(w, kw, _W) || !IS_INSIDE(xw)) continue;
        const int x_row = line * X_LINE_R + xw * X_W_R;
        const int x_at = line * X_LINE_I + xw * X_W_I + group * CHANNELS;
        const int tap = (kd * KERNEL_H + kh) * KERNEL_W + kw;
        for (int c = 0; c < CHANNELS; ++c) v += X1(x_row, x_at + c) * W1(0, w_at + c * W_C + tap);
      }
    }
  }
#if HAS_BIAS
  v += B1(0, column);
#endif
  Y1(row * Y_LINE_R + w * Y_W_R, row * Y_LINE_I + w * Y_W_I + column,
     EPILOGUE1(v, row, w, column));
}
