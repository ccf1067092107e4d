// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A short run through the kernels for the file that holds several levels (paste_levels.py); returns the number of failures.
// What the results must be in detail is the matter of the other tests.
struct ScaleAndTanh {
  static constexpr bool kVector = true;
  static constexpr int kOperands = 2;
  const float* x;
  float* y;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N n) const {
    store(y + offset[1] + i, tanh(load<V>(x + offset[0] + i, n) * splat<V>(0.125f)), n);
  }
};

// Windows and products of ones: every result is the number of its terms.
MACEC_NOINLINE int check_tiles() {
  constexpr int kChannels = 19, kSize = 6, kPixels = kSize * kSize;
  constexpr int kColumns = (kChannels + kPanel - 1) / kPanel * kPanel;
  static float x[kPixels * kChannels], w[9 * kChannels * kColumns], y[kPixels * kChannels];
  static float scratch[8192];
  for (float& v : x) v = 1.0f;
  for (float& v : w) v = 1.0f;
  const float* in = x;
  const float* none = nullptr;
  int failures = 0;

  ConvParams c = {{1, 3, 3}, {1, 1, 1}, {1, 1, 1}, 1, kChannels, kChannels, 0, 1,
                  {1, kSize, kSize}, {1, kSize, kSize}, {0, 1, 1}, kChannels, kChannels};
  failures += !(conv_igemm_scratch(c, 4) <= static_cast<int64_t>(sizeof scratch));
  conv_igemm(c, in, w, none, y, NoEpilogue{}, 0, kSize, scratch);
  failures += !(y[0] == 4.0f * kChannels && y[(kSize + 1) * kChannels] == 9.0f * kChannels);
  c.group = kChannels, c.in_channels = c.out_channels = 1;
  conv_depthwise<3, 3, 1>(c, in, w, none, y, NoEpilogue{}, 0, kSize, nullptr);
  failures += !(y[0] == 4.0f && y[(kSize + 2) * kChannels - 1] == 9.0f);
  conv_depthwise_any(c, in, w, none, y, NoEpilogue{}, 0, kSize, nullptr);
  failures += !(y[0] == 4.0f && y[(kSize + 2) * kChannels - 1] == 9.0f);
  const ConvParams one = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, 1, kChannels, kChannels, 0, 1,
                          {1, kSize, kSize}, {1, kSize, kSize}, {}, kChannels, kChannels};
  conv_pointwise(one, in, w, none, y, NoEpilogue{}, 0, kSize, nullptr);
  failures += !(y[kPixels * kChannels - 1] == kChannels);
  const GemmParams g = {{1, 1}, kPixels, kChannels, kChannels, 0, {}, kChannels, 1,
                        {}, kChannels, 1, {}, kChannels};
  gemm_dynamic(g, in, in, none, y, NoEpilogue{}, 0, gemm_units(1, 1, kPixels), scratch);
  failures += !(y[kPixels * kChannels - 1] == kChannels);
  const PoolParams p = {{1, 3, 3}, {1, 1, 1}, {1, 1, 1}, 0, kChannels, 1, {1, kSize, kSize},
                        {1, kSize, kSize}, {0, 1, 1}, {0, 1, 1}, kChannels, kChannels};
  pool_average(p, in, y, NoEpilogue{}, 0, kSize, nullptr);
  failures += !(y[0] == 1.0f);
  pool_max(p, in, y, NoEpilogue{}, 0, kSize, nullptr);
  failures += !(y[0] == 1.0f);
  pool_max_of(p, in, y, -1.0f, 0, kSize, nullptr);
  failures += !(y[0] == 1.0f);
  return failures;
}

MACEC_NOINLINE int check_level() {
  constexpr int64_t n = 37;
  float x[n], y[n], z[n];
  half_t h[n];
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i - 18);
  int failures = check_tiles();
  const float* in = x;

  PointwiseParams p = {1, 2, {n}, {{1}, {1}}};
  pointwise(p, ScaleAndTanh{x, y}, 0, 1, nullptr);
  for (int64_t i = 0; i < n; ++i) failures += !(fabsf(y[i] - tanhf(x[i] * 0.125f)) < 1e-6f);

  const CopyParams c = {2, {4, 9}, {1, 4}, {9, 1}};
  copy(c, in, y, 0, 4, nullptr);
  for (int64_t i = 0; i < 36; ++i) failures += !(y[i] == x[i % 9 * 4 + i / 9]);

  const SoftmaxParams s = {1, n, 1, n, 1, n, 1};
  softmax(s, in, y, NoEpilogue{}, 0, 1, nullptr);
  float total = 0;
  const ReduceParams r = {0, 1, 0, {}, {}, {}, {n}, {1}};
  const float* terms = y;
  reduce<ReduceSum>(r, terms, &total, 0, 1, nullptr);
  failures += !(fabsf(total - 1.0f) < 1e-6f);

  const NormParams norm = {1, n, n, n, 0.0f};
  const float* none = nullptr;
  layer_norm(norm, in, none, none, z, nullptr, nullptr, NoEpilogue{}, 0, 1, nullptr);
  const float* squares = z;
  reduce<ReduceSumSquare>(r, squares, &total, 0, 1, nullptr);
  failures += !(fabsf(total - static_cast<float>(n)) < 1e-4f);

  for (int64_t i = 0; i < n; i += kLanes) {
    if (i + kLanes <= n) {
      store(h + i, load<Vf>(in + i, Full{}), Full{});
    } else {
      store(h + i, load<Vf>(in + i, Part{static_cast<int>(n - i)}), Part{static_cast<int>(n - i)});
    }
  }
  for (int64_t i = 0; i < n; ++i) failures += !(load<float>(h + i, Full{}) == x[i]);
  return failures;
}
