// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of the kernels that are not tiles: elementary functions, pointwise, copy, reduce, softmax, norm; one thread.
//
//   g++ -std=c++17 -O2 -march=x86-64-v3 -I. tests/bench/kernels_bench.cpp -o kernels_bench && ./kernels_bench
//
// Prints for each case the best time per element, bytes read and written per second, and that rate as a share of memcpy over
// as many bytes, measured in turns with it. Best of many short runs, so that a busy machine disturbs little. Arguments: parts of
// names to run.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <functional>
#include <string>

namespace kernels {
#include "codegen_templates/kernels/copy.h"
#include "codegen_templates/kernels/math.h"
#include "codegen_templates/kernels/norm.h"
#include "codegen_templates/kernels/pointwise.h"
#include "codegen_templates/kernels/reduce.h"
#include "codegen_templates/kernels/softmax.h"

#define MACEC_UNARY(name)                                               \
  struct Work_##name {                                                  \
    static constexpr bool kVector = true;                               \
    static constexpr int kOperands = 2;                                 \
    const float* x;                                                     \
    float* y;                                                           \
    template <class V, class N>                                         \
    void at(const int64_t* offset, int64_t i, N n) const {              \
      store(y + offset[1] + i, name(load<V>(x + offset[0] + i, n)), n); \
    }                                                                   \
  };
MACEC_UNARY(exp)
MACEC_UNARY(log)
MACEC_UNARY(sigmoid)
MACEC_UNARY(tanh)
MACEC_UNARY(erf)
MACEC_UNARY(gelu)
MACEC_UNARY(softplus)
MACEC_UNARY(sin)

struct ReluOfColumn {  // x is read along its other axis
  static constexpr bool kVector = true;
  static constexpr int kOperands = 2;
  const float* x;
  int64_t x_step;
  float* y;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N n) const {
    store(y + offset[1] + i,
          max(load_strided<V>(x + offset[0] + i * x_step, x_step, n), splat<V>(0.0f)), n);
  }
};
struct AddRelu {
  static constexpr bool kVector = true;
  static constexpr int kOperands = 3;
  const float *a, *b;
  int64_t b_step;
  float* y;
  template <class V, class N>
  void at(const int64_t* offset, int64_t i, N n) const {
    const V v =
        load<V>(a + offset[0] + i, n) + load_strided<V>(b + offset[1] + i * b_step, b_step, n);
    store(y + offset[2] + i, max(v, splat<V>(0.0f)), n);
  }
};
}  // namespace kernels
using namespace kernels;

namespace {

constexpr int64_t kMost = 1 << 22;  // floats in each buffer
float *x, *y;

double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Best seconds of one call, of runs of about a millisecond.
double best(const std::function<void()>& f, int rounds) {
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    int calls = 0;
    const double start = seconds();
    double end;
    do {
      f();
      ++calls;
      end = seconds();
    } while (end - start < 0.5e-3);
    least = fmin(least, (end - start) / calls);
  }
  return least;
}

// elements: of the larger side; bytes: read and written
void measure(int argc, char** argv, const std::string& name, int64_t elements, int64_t bytes,
             const std::function<void()>& f) {
  bool wanted = argc < 2;
  for (int i = 1; i < argc; ++i) wanted = wanted || name.find(argv[i]) != std::string::npos;
  if (!wanted) return;
  double mine = 1e9, copy_time = 1e9;
  for (int turn = 0; turn < 20; ++turn) {
    mine = fmin(mine, best(f, 5));
    copy_time = fmin(copy_time, best([&] { memcpy(y, x, static_cast<size_t>(bytes / 2)); }, 2));
  }
  printf("%-34s %8.3f ns/element %7.1f GB/s %5.0f %% of memcpy\n", name.c_str(),
         mine * 1e9 / static_cast<double>(elements), static_cast<double>(bytes) / mine * 1e-9,
         100 * copy_time / mine);
}

PointwiseParams two_operands(int64_t n) {
  PointwiseParams p{};
  p.rank = 1, p.operands = 2, p.extent[0] = n, p.stride[0][0] = p.stride[1][0] = 1;
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  x = static_cast<float*>(aligned_alloc(64, kMost * 4));
  y = static_cast<float*>(aligned_alloc(64, kMost * 4));
  for (int64_t i = 0; i < kMost; ++i)
    x[i] = static_cast<float>(i * 37 % 1001 - 500) / 64.0f, y[i] = 0;
  const float* in = x;
  const auto run = [&](const std::string& name, int64_t elements, int64_t bytes,
                       const std::function<void()>& f) {
    measure(argc, argv, name, elements, bytes, f);
  };

  const int64_t n = 4096;  // in the first-level cache
  const PointwiseParams unary = two_operands(n);
#define MACEC_RUN_UNARY(name) \
  run(#name " 4096", n, 8 * n, [&] { pointwise(unary, Work_##name{in, y}, 0, 1, nullptr); });
  MACEC_RUN_UNARY(exp)
  MACEC_RUN_UNARY(log)
  MACEC_RUN_UNARY(sigmoid)
  MACEC_RUN_UNARY(tanh)
  MACEC_RUN_UNARY(erf)
  MACEC_RUN_UNARY(gelu)
  MACEC_RUN_UNARY(softplus)
  MACEC_RUN_UNARY(sin)

  for (const int64_t pixels : {56 * 56}) {
    for (const int64_t channels : {3, 24, 64}) {
      PointwiseParams p{};
      p.rank = 2, p.operands = 3, p.extent[0] = pixels, p.extent[1] = channels;
      p.stride[0][0] = p.stride[2][0] = channels,
      p.stride[0][1] = p.stride[1][1] = p.stride[2][1] = 1;
      const int64_t size = pixels * channels;
      run("add bias, relu 56x56x" + std::to_string(channels), size, 8 * size, [&, p] {
        pointwise(p, AddRelu{in, x + kMost / 2, 1, y}, 0, pixels, nullptr);
      });
    }
    PointwiseParams p{};
    p.rank = 1, p.operands = 3, p.extent[0] = pixels * 64,
    p.stride[0][0] = p.stride[1][0] = p.stride[2][0] = 1;
    const int64_t size = pixels * 64, units = (size + kPointwiseBlock - 1) / kPointwiseBlock;
    run("add, relu 56x56x64", size, 12 * size, [&, p] {
      pointwise(p, AddRelu{in, x + kMost / 2, 1, y}, 0, units, nullptr);
    });
  }

  for (const int64_t channels : {64, 512}) {
    PointwiseParams p{};
    p.rank = p.operands = 2, p.extent[0] = channels, p.extent[1] = 508;
    p.stride[0][0] = p.stride[1][1] = 1, p.stride[0][1] = channels, p.stride[1][0] = 508;
    run("relu of transposed 508x" + std::to_string(channels), 508 * channels, 8 * 508 * channels,
        [&, p, channels] {
          pointwise(p, ReluOfColumn{in, channels, y}, 0, channels, nullptr);
        });
  }
  for (const int64_t channels : {3, 24, 64, 256}) {
    const int64_t pixels = 56 * 56, size = pixels * channels;
    const CopyParams to_last = {2, {pixels, channels}, {1, pixels}, {channels, 1}};
    const CopyParams to_first = {2, {channels, pixels}, {1, channels}, {pixels, 1}};
    run("to channels last 56x56x" + std::to_string(channels), size, 8 * size,
        [&] { copy(to_last, in, y, 0, pixels, nullptr); });
    run("to channels first 56x56x" + std::to_string(channels), size, 8 * size,
        [&] { copy(to_first, in, y, 0, channels, nullptr); });
  }
  for (const int64_t row : {8, 24, 256}) {
    const CopyParams rows = {2, {3136, row}, {row + 8, 1}, {row, 1}};
    run("copy rows of " + std::to_string(row), 3136 * row, 8 * 3136 * row,
        [&] { copy(rows, in, y, 0, 3136, nullptr); });
  }

  const FillParams fill_rows = {2, {3136, 96}, {96, 1}};
  run("fill rows of 96", 3136 * 96, 4 * 3136 * 96,
      [&] { fill(fill_rows, in, y, 0, 3136, nullptr); });

  for (const int64_t rows : {64}) {
    for (const int64_t length : {49, 196, 1000, 8192}) {
      const std::string of = " 64x" + std::to_string(length);
      const SoftmaxParams s = {rows, length, 1, length, 1, length, 1};
      run("softmax" + of, rows * length, 8 * rows * length,
          [&] { softmax(s, in, y, NoEpilogue{}, 0, rows, nullptr); });
      const NormParams norm = {rows, length, length, length, 1e-5f};
      run("layer_norm" + of, rows * length, 8 * rows * length, [&] {
        layer_norm(norm, in, in, in, y, nullptr, nullptr, NoEpilogue{}, 0, rows, nullptr);
      });
      const ReduceParams sums = {1, 1, 1, {rows}, {length}, {1}, {length}, {1}};
      run("row sums" + of, rows * length, 4 * rows * length,
          [&] { reduce<ReduceSum>(sums, in, y, 0, rows, nullptr); });
      run("row maxima" + of, rows * length, 4 * rows * length,
          [&] { reduce<ReduceMax>(sums, in, y, 0, rows, nullptr); });
    }
  }
  const ReduceParams average = {1, 1, 0, {1280}, {1}, {1}, {49}, {1280}};
  run("average 49 rows of 1280", 49 * 1280, 4 * 49 * 1280,
      [&] { reduce<ReduceMean>(average, in, y, 0, 1, nullptr); });
  return 0;
}
