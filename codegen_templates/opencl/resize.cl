// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize of up to five axes, numbered 0 to 4, innermost last: nearest, or a weighted sum of taps.
//
// Output position o of axis a lies at (o * MUL + ADD) / DIV - SHIFT of the input: whole numbers
// that the compiler has checked against the operator's own floats; the dividend is positive. An
// axis that is not resized has one tap, MUL and DIV 1. Positions from LOW to HIGH lie in the input.
// A work-item makes four elements of axis 4, or one.
#if WHOLE
#define T float4
#define LOAD(r, i) X4(r, i)
#define STORE(r, i, v) Y4(r, i, v)
#define LANES 4
#else
#define T float
#define LOAD(r, i) X1(r, i)
#define STORE(r, i, v) Y1(r, i, v)
#define LANES 1
#endif
#define PLACE(a, o) ((o) * MUL##a + ADD##a)

#if IS_NEAREST
// ADD has the rounding in it.
#define INDEX(a, o) clamp(PLACE(a, o) / DIV##a - SHIFT##a, 0, IN##a - 1)
#else
// Indices and weights of one output position; `low`: the element before it; ratio: how far behind.
static inline void NAME(taps)(int low, float ratio, int first, int taps, float filter, int in,
                              int* index, float* weight) {
  float sum = 0;
  for (int i = 0; i < taps; ++i) {
    const int from = low + first + i;
    const float t = fabs(((float)(first + i) - ratio) * filter);
#if IS_LINEAR
    float w = t < 1.0f ? 1.0f - t : 0.0f;
#else
    float w = t <= 1.0f ? ((CUBIC_A + 2.0f) * t - (CUBIC_A + 3.0f)) * t * t + 1.0f
              : t < 2.0f
                  ? ((CUBIC_A * t - 5.0f * CUBIC_A) * t + 8.0f * CUBIC_A) * t - 4.0f * CUBIC_A
                  : 0.0f;
#endif
    index[i] = clamp(from, 0, in - 1);
#if EXCLUDES_OUTSIDE
    if (index[i] != from) w = 0.0f;
#endif
    weight[i] = w;
    sum += w;
  }
  for (int i = 0; i < taps; ++i) weight[i] /= sum;
}
#define TAPS_OF(a)                                                                     \
  int i##a[TAPS##a];                                                                   \
  float w##a[TAPS##a];                                                                 \
  i##a[0] = o##a;                                                                      \
  w##a[0] = 1.0f;                                                                      \
  if (RESIZED##a) {                                                                    \
    const int low = (PLACE(a, o##a) - 1) / DIV##a;                                     \
    const float ratio = (float)(PLACE(a, o##a) - low * DIV##a) * (1.0f / DIV##a);      \
    NAME(taps)(low - SHIFT##a, ratio, FIRST##a, TAPS##a, FILTER##a, IN##a, i##a, w##a); \
  }
#endif
#define IS_OUTSIDE(a, o) ((o) < LOW##a || (o) > HIGH##a)

__kernel __attribute__((reqd_work_group_size(LOCAL_X, LOCAL_Y, 1)))
void KERNEL(PARAMETERS) {
  const int o4 = get_global_id(0) * LANES, o3 = get_global_id(1);
  if (o4 >= OUT4 || o3 >= OUT3) return;
  const int outer = get_global_id(2), o2 = outer % OUT2;
  const int o1 = outer / OUT2 % OUT1, o0 = outer / (OUT2 * OUT1);

  T v = (T)(0.0f);
#if IS_NEAREST
  const int p0 = INDEX(0, o0), p1 = INDEX(1, o1), p2 = INDEX(2, o2), p3 = INDEX(3, o3);
  const int p4 = INDEX(4, o4);
  v = LOAD(p0 * X_0_R + p1 * X_1_R + p2 * X_2_R + p3 * X_3_R + p4 * X_4_R,
           p0 * X_0_I + p1 * X_1_I + p2 * X_2_I + p3 * X_3_I + p4 * X_4_I);
#else
  TAPS_OF(0)
  TAPS_OF(1)
  TAPS_OF(2)
  TAPS_OF(3)
  TAPS_OF(4)
  for (int a = 0; a < TAPS0; ++a)
    for (int b = 0; b < TAPS1; ++b)
      for (int c = 0; c < TAPS2; ++c)
        for (int d = 0; d < TAPS3; ++d)
          for (int e = 0; e < TAPS4; ++e) {
            const float w = w0[a] * w1[b] * w2[c] * w3[d] * w4[e];
            if (w == 0.0f) continue;
            const int row = i0[a] * X_0_R + i1[b] * X_1_R + i2[c] * X_2_R + i3[d] * X_3_R;
            const int at = i0[a] * X_0_I + i1[b] * X_1_I + i2[c] * X_2_I + i3[d] * X_3_I;
            v += w * LOAD(row + i4[e] * X_4_R, at + i4[e] * X_4_I);
          }
#endif
#if EXTRAPOLATES
  if (IS_OUTSIDE(0, o0) || IS_OUTSIDE(1, o1) || IS_OUTSIDE(2, o2) || IS_OUTSIDE(3, o3) ||
      IS_OUTSIDE(4, o4))
    v = (T)(EXTRAPOLATION);
#endif
  STORE(o0 * Y_0_R + o1 * Y_1_R + o2 * Y_2_R + o3 * Y_3_R + o4 * Y_4_R,
        o0 * Y_0_I + o1 * Y_1_I + o2 * Y_2_I + o3 * Y_3_I + o4 * Y_4_I, v);
}
