// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[b][m][n] = epilogue(sum over k of x[b][m][k] * w[b][k][n] + bias[n]) for many outputs: k is
// dense in x, n in w (or in its panels), both whole vectors.
//
// A work-group has a tile of TILE_M rows and TILE_N columns. It walks along k in steps of TILE_K:
// while it works on one step in local memory, the next one is on its way to registers.
//
//   xs4[TILE_K][TILE_M / 4]    turned, so that an item reads its ROWS rows as vectors
//   ws[TILE_K][TILE_N / 4]
//
// Places behind the last row or column are clamped, k behind K counts as 0; nothing of them is
// stored.
#define COLUMN_ITEMS (TILE_N / 4)
#define ITEMS (COLUMN_ITEMS * (TILE_M / ROWS))
#define X_LOADS (TILE_M * TILE_K / 4 / ITEMS)
#define W_LOADS (TILE_K * TILE_N / 4 / ITEMS)
#define STEPS ((K + TILE_K - 1) / TILE_K)
// Vector v of a step of x: row v / (TILE_K / 4) of the tile; of w: row v / COLUMN_ITEMS of the step.
#define X_ROW(v) min(m0 + (v) / (TILE_K / 4), M - 1)
#define X_PLACE(v) ((v) % (TILE_K / 4) * 4)
#define W_PLACE(v) ((v) / COLUMN_ITEMS)
#define W_COLUMN(v) min(n0 + (v) % COLUMN_ITEMS * 4, N - 4)
#if W_FORM == 0
#define W_FOUR(k, n)                                            \
  W4(b0 * W_B0_R + b1 * W_B1_R + (n) / PANEL * W_PANEL_R + (k) * W_K_R, \
     b0 * W_B0_I + b1 * W_B1_I + (n) / PANEL * W_PANEL_I + (k) * W_K_I + (n) % PANEL)
#else
#define W_FOUR(k, n) \
  W4(b0 * W_B0_R + b1 * W_B1_R + (k) * W_K_R, b0 * W_B0_I + b1 * W_B1_I + (k) * W_K_I + (n))
#endif
#define X_FOUR(row, k) \
  X4(b0 * X_B0_R + b1 * X_B1_R + (row) * X_ROW_R, b0 * X_B0_I + b1 * X_B1_I + (row) * X_ROW_I + (k))

#define LOAD_STEP(k0)                                                                    \
  _Pragma("unroll") for (int i = 0; i < X_LOADS; ++i) {                                  \
    const int v = item + i * ITEMS;                                                      \
    x_next[i] = (k0) + X_PLACE(v) < K ? X_FOUR(X_ROW(v), (k0) + X_PLACE(v)) : (float4)(0.0f); \
  }                                                                                      \
  _Pragma("unroll") for (int i = 0; i < W_LOADS; ++i) {                                  \
    const int v = item + i * ITEMS;                                                      \
    w_next[i] = (k0) + W_PLACE(v) < K ? W_FOUR((k0) + W_PLACE(v), W_COLUMN(v)) : (float4)(0.0f); \
  }

__kernel void KERNEL(PARAMETERS) {
  __local float4 xs4[TILE_K][TILE_M / 4 + 1];
  __local float4 ws[TILE_K][COLUMN_ITEMS];
  const int item = get_local_id(0), column = item % COLUMN_ITEMS, row = item / COLUMN_ITEMS * ROWS;
  const int n0 = get_group_id(0) * TILE_N, m0 = get_group_id(1) * TILE_M;
  const int batch = get_group_id(2), b0 = batch / BATCH1, b1 = batch - b0 * BATCH1;

  float4 x_next[X_LOADS], w_next[W_LOADS], sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sum[r] = (float4)(0.0f);
  LOAD_STEP(0)
  for (int step = 0; step < STEPS; ++step) {
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int i = 0; i < X_LOADS; ++i) {
      const int v = item + i * ITEMS, at = v / (TILE_K / 4);
      __local float* const xs = (__local float*)xs4[X_PLACE(v)] + at;
      xs[0] = x_next[i].s0;
      xs[TILE_M + 4] = x_next[i].s1;
      xs[2 * (TILE_M + 4)] = x_next[i].s2;
      xs[3 * (TILE_M + 4)] = x_next[i].s3;
    }
#pragma unroll
    for (int i = 0; i < W_LOADS; ++i) {
      const int v = item + i * ITEMS;
      ws[W_PLACE(v)][v % COLUMN_ITEMS] = w_next[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step + 1 < STEPS) {
      LOAD_STEP((step + 1) * TILE_K)
    }
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
      const float4 w = ws[k][column];
#pragma unroll
      for (int r = 0; r < ROWS; r += 4) {
        const float4 x = xs4[k][(row + r) / 4];
        sum[r] += x.s0 * w;
        sum[r + 1] += x.s1 * w;
        sum[r + 2] += x.s2 * w;
        sum[r + 3] += x.s3 * w;
      }
    }
  }

  const int col = n0 + 4 * column;
  if (col >= N) return;
#if HAS_BIAS
  const float4 bias = B4(0, col);
#else
  const float4 bias = (float4)(0.0f);
#endif
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const int m = m0 + row + r;
    if (m < M) {
      const float4 v = sum[r] + bias;
      Y4(b0 * Y_B0_R + b1 * Y_B1_R + m * Y_ROW_R,
         b0 * Y_B0_I + b1 * Y_B1_I + m * Y_ROW_I + col, EPILOGUE4(v, batch, m, col));
    }
  }
}
