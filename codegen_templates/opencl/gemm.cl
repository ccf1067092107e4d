// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[b][m][n] = epilogue(sum over k of x[b][m][k] * w[b][k][n] + bias[n])
//
// A work-item has ROWS rows of four neighbouring columns. SPLIT items of a work-group share the
// depth of the same outputs: item s takes the blocks s, s + SPLIT, ... of four k, and the sums meet
// in local memory. Nothing else goes through local memory: neighbouring items read the same or
// neighbouring x and w at the same time, which the first cache answers.
//
//   X_FORM  0: k is dense, four at a time   1: any strides
//   W_FORM  0: panels [n / PANEL][k][PANEL], zeros behind column n   1: n is dense
//           2: k is dense (a transposed matrix)   3: any strides
//
// Items behind the last row or column compute with clamped places and store nothing, so that all
// meet at the barrier.
#define LAST(i, count) min(i, (count) - 1)
#define ROUNDS ((K / 4 + SPLIT - 1) / SPLIT)

// W's place at batch (b0, b1).
#define W_PLACE_R (b0 * W_B0_R + b1 * W_B1_R)
#define W_PLACE_I (b0 * W_B0_I + b1 * W_B1_I)

#if W_FORM == 0
#define FIRST_COLUMN(col) min(col, (N - 1) / 4 * 4)
#define W_ROW(k) W4(w_r + (k) * W_K_R, w_i + (k) * W_K_I)
#elif W_FORM == 1
#define FIRST_COLUMN(col) min(col, N - 4)
#define W_ROW(k) W4(w_r + (k) * W_K_R, w_i + (k) * W_K_I)
#else
#define FIRST_COLUMN(col) (col)
#if W_FORM == 2
#define W_ONE(k, c) W1(0, w_i + (k) + c * W_N_I)
#else
#define W_ONE(k, c) W1(0, w_i + (k) * W_K_I + c * W_N_I)
#endif
#define W_ROW(k) (float4)(W_ONE(k, c0), W_ONE(k, c1), W_ONE(k, c2), W_ONE(k, c3))
#endif

#if X_FORM == 0
#define X_FOUR(r, k) X4(x_r + row[r] * X_ROW_R, x_i + row[r] * X_ROW_I + (k))
#define X_ONE(r, k) X1(0, x_i + row[r] * X_ROW_I + (k))
#else
#define X_ONE(r, k) X1(0, x_i + row[r] * X_ROW_I + (k) * X_K_I)
#define X_FOUR(r, k) (float4)(X_ONE(r, k), X_ONE(r, (k) + 1), X_ONE(r, (k) + 2), X_ONE(r, (k) + 3))
#endif

#define Y_R(r) (b0 * Y_B0_R + b1 * Y_B1_R + (r) * Y_ROW_R)
#define Y_I(r) (b0 * Y_B0_I + b1 * Y_B1_I + (r) * Y_ROW_I)

#if N % 4 == 0
#define STORE_ROW(r, v) Y4(Y_R(r), Y_I(r) + col, EPILOGUE4(v, batch, r, col));
#else
#define STORE_ONE(r, c, v)                                            \
  if (first + c >= col && first + c < N)                              \
    Y1(Y_R(r), Y_I(r) + first + c, EPILOGUE1(v, batch, r, first + c));
#define STORE_ROW(r, v)                                               \
  if (col + 3 < N) {                                                  \
    Y4(Y_R(r), Y_I(r) + col, EPILOGUE4(v, batch, r, col));            \
  } else {                                                            \
    STORE_ONE(r, 0, v.s0) STORE_ONE(r, 1, v.s1) STORE_ONE(r, 2, v.s2) STORE_ONE(r, 3, v.s3) \
  }
#endif

#if !HAS_BIAS
#define BIAS ((float4)(0.0f))
#elif N % 4 == 0
#define BIAS B4(0, first)
#else
#define BIAS                                                                          \
  (float4)(B1(0, LAST(first, N)), B1(0, LAST(first + 1, N)), B1(0, LAST(first + 2, N)), \
           B1(0, LAST(first + 3, N)))
#endif

__kernel void KERNEL(PARAMETERS) {
  const int s = get_local_id(2), batch = get_group_id(2);
  const int b0 = batch / BATCH1, b1 = batch - b0 * BATCH1;
  const int col = 4 * (int)get_global_id(0), first = FIRST_COLUMN(col);
  const int row0 = ROWS * (int)get_global_id(1);
  const int x_r = b0 * X_B0_R + b1 * X_B1_R, x_i = b0 * X_B0_I + b1 * X_B1_I;
  int row[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) row[r] = LAST(row0 + r, M);
#if W_FORM == 0
  const int w_r = W_PLACE_R + first / PANEL * W_PANEL_R;
  const int w_i = W_PLACE_I + first / PANEL * W_PANEL_I + first % PANEL;
#elif W_FORM == 1
  const int w_r = W_PLACE_R, w_i = W_PLACE_I + first;
#else
  const int w_r = W_PLACE_R, w_i = W_PLACE_I;
  const int c0 = LAST(col, N), c1 = LAST(col + 1, N), c2 = LAST(col + 2, N),
            c3 = LAST(col + 3, N);
#endif

  float4 sum[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sum[r] = (float4)(0.0f);
#pragma unroll 2
  for (int round = 0; round < ROUNDS; ++round) {
    const int k = 4 * (s + round * SPLIT);
#if K / 4 % SPLIT != 0
    if (k + 4 > K) break;
#endif
#if W_FORM == 2
    const float4 a0 = W4(w_r + c0 * W_N_R, w_i + c0 * W_N_I + k);
    const float4 a1 = W4(w_r + c1 * W_N_R, w_i + c1 * W_N_I + k);
    const float4 a2 = W4(w_r + c2 * W_N_R, w_i + c2 * W_N_I + k);
    const float4 a3 = W4(w_r + c3 * W_N_R, w_i + c3 * W_N_I + k);
    const float4 w0 = (float4)(a0.s0, a1.s0, a2.s0, a3.s0);
    const float4 w1 = (float4)(a0.s1, a1.s1, a2.s1, a3.s1);
    const float4 w2 = (float4)(a0.s2, a1.s2, a2.s2, a3.s2);
    const float4 w3 = (float4)(a0.s3, a1.s3, a2.s3, a3.s3);
#else
    const float4 w0 = W_ROW(k), w1 = W_ROW(k + 1), w2 = W_ROW(k + 2), w3 = W_ROW(k + 3);
#endif
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      const float4 x = X_FOUR(r, k);
      sum[r] += x.s0 * w0;
      sum[r] += x.s1 * w1;
      sum[r] += x.s2 * w2;
      sum[r] += x.s3 * w3;
    }
  }
#if K % 4 != 0
  if (s == K / 4 % SPLIT) {
    for (int k = K / 4 * 4; k < K; ++k) {
      const float4 w = W_ROW(k);
#pragma unroll
      for (int r = 0; r < ROWS; ++r) sum[r] += X_ONE(r, k) * w;
    }
  }
#endif

#if SPLIT > 1
  __local float4 sums[SPLIT][ROWS][LOCAL_ROWS * LOCAL_COLUMNS];
  const int item = get_local_id(1) * LOCAL_COLUMNS + get_local_id(0);
#pragma unroll
  for (int r = 0; r < ROWS; ++r) sums[s][r][item] = sum[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (col >= N) return;
  for (int r = s; r < ROWS && row0 + r < M; r += SPLIT) {
    float4 total = BIAS;
#pragma unroll 8
    for (int t = 0; t < SPLIT; ++t) total += sums[t][r][item];
    STORE_ROW(row0 + r, total)
  }
#else
  if (col >= N) return;
  const float4 bias = BIAS;
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    if (row0 + r < M) {
      const float4 total = sum[r] + bias;
      STORE_ROW(row0 + r, total)
    }
  }
#endif
}
