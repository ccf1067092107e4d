// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Speed of the gemm and convolution kernels on the layers of real models, one thread.
//
//   g++ -std=c++17 -O2 -march=x86-64-v3 -I. tests/bench/conv_bench.cpp -o conv_bench && ./conv_bench
//
// Prints for each layer: best milliseconds, GFLOP/s, share of what a loop of nothing but
// multiply-adds reaches just before and after. Arguments: parts of layer names to run.
// conv_count.sh asks with --list for the names and then, by MACEC_COUNT_LAYER, for one layer: it runs
// twice, the second time between the markers of the counting plugin.
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
#include <vector>

namespace kernels {
#include "codegen_templates/kernels/conv_igemm.h"
#include "codegen_templates/kernels/conv_pointwise.h"
#include "codegen_templates/kernels/depthwise.h"
#include "codegen_templates/kernels/gemm.h"
#include "codegen_templates/kernels/pool.h"
struct Clamp {
  float low, high;
  template <class V, class N>
  MACEC_INLINE V operator()(V v, int64_t, int64_t, N) const {
    return min_fast(max_fast(v, splat<V>(low)), splat<V>(high));
  }
};
}  // namespace kernels
using namespace kernels;

namespace {

constexpr Clamp kRelu6 = {0.0f, 6.0f};

double seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

float* floats(int64_t count) {
  const size_t bytes = (static_cast<size_t>(count) * sizeof(float) + 127) / 64 * 64;
  float* data = static_cast<float*>(aligned_alloc(64, bytes));
  for (int64_t i = 0; i < count; ++i) data[i] = static_cast<float>(i * 37 % 101 - 50) / 64.0f;
  return data;
}

struct Layer {
  std::string name;
  double multiply_adds;
  int times;  // how often the model has it
  std::function<void()> run;
};

ConvParams square(int channels, int outputs, int group, int kernel, int stride, int size) {
  ConvParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = a == 0 ? 1 : kernel;
    p.stride[a] = a == 0 ? 1 : stride;
    p.dilation[a] = 1;
    p.in[a] = a == 0 ? 1 : size;
    p.pad[a] = a == 0 ? 0 : (kernel - 1) / 2;
    p.out[a] = a == 0 ? 1 : (size + 2 * p.pad[a] - kernel) / stride + 1;
  }
  p.group = group, p.in_channels = channels, p.out_channels = outputs, p.batch = 1;
  p.x_pixel = int64_t{group} * channels;
  p.y_pixel = int64_t{group} * outputs;
  return p;
}

double conv_multiply_adds(const ConvParams& p) {
  return static_cast<double>(p.out[1] * p.out[2] * p.group * p.out_channels * p.in_channels *
                             p.kernel[1] * p.kernel[2]);
}

struct ConvBuffers {
  explicit ConvBuffers(const ConvParams& p)
      : x(floats(p.in[1] * p.in[2] * p.x_pixel)),
        w(floats(conv_packed_floats(p, kPanel))),
        bias(floats(p.y_pixel)),
        y(floats(p.out[1] * p.out[2] * p.y_pixel)),
        scratch(floats(conv_igemm_scratch(p, 4) / 4)) {}
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  float* scratch;
};

void add_conv(std::vector<Layer>& layers, const char* model, int times, int channels, int outputs,
              int kernel, int stride, int size) {
  const ConvParams p = square(channels, outputs, 1, kernel, stride, size);
  const ConvBuffers b(p);
  const bool matrix = kernel == 1 && stride == 1;
  char name[96];
  snprintf(name, sizeof name, "%s %dx%d s%d %d->%d @%d", model, kernel, kernel, stride, channels,
           outputs, size);
  layers.push_back({name, conv_multiply_adds(p), times, [=] {
                      if (matrix) {
                        conv_pointwise(p, b.x, b.w, b.bias, b.y, kRelu6, 0, p.out[1], nullptr);
                      } else {
                        conv_igemm(p, b.x, b.w, b.bias, b.y, kRelu6, 0, p.out[1], b.scratch);
                      }
                    }});
}

void add_depthwise(std::vector<Layer>& layers, const char* model, int times, int channels,
                   int kernel, int stride, int size) {
  const ConvParams p = square(1, 1, channels, kernel, stride, size);
  const ConvBuffers b(p);
  char name[96];
  snprintf(name, sizeof name, "%s depthwise %dx%d s%d %d @%d", model, kernel, kernel, stride,
           channels, size);
  layers.push_back({name, conv_multiply_adds(p), times, [=] {
                      const int64_t rows = p.out[1];
                      if (kernel == 3 && stride == 1) {
                        conv_depthwise<3, 3, 1>(p, b.x, b.w, b.bias, b.y, kRelu6, 0, rows, nullptr);
                      } else if (kernel == 3) {
                        conv_depthwise<3, 3, 2>(p, b.x, b.w, b.bias, b.y, kRelu6, 0, rows, nullptr);
                      } else if (stride == 1) {
                        conv_depthwise<5, 5, 1>(p, b.x, b.w, b.bias, b.y, kRelu6, 0, rows, nullptr);
                      } else {
                        conv_depthwise<5, 5, 2>(p, b.x, b.w, b.bias, b.y, kRelu6, 0, rows, nullptr);
                      }
                    }});
}

void add_gemm(std::vector<Layer>& layers, const char* model, int times, int64_t batch, int64_t m,
              int64_t n, int64_t k, bool packed, bool transposed) {
  GemmParams p{};
  p.batch[0] = 1, p.batch[1] = batch, p.m = m, p.n = n, p.k = k;
  p.x_batch[1] = k, p.x_row = batch * k, p.x_k = 1;
  p.w_batch[1] = packed ? 0 : transposed ? k : n;
  p.w_k = transposed ? 1 : batch * n;
  p.w_n = transposed ? batch * k : 1;
  p.y_batch[1] = m * n, p.y_row = n;
  const float* x = floats(batch * m * k);
  const float* w = floats(batch * gemm_packed_floats(n, k, kPanel));
  const float* bias = floats(n);
  float* y = floats(batch * m * n);
  float* scratch = floats(gemm_dynamic_scratch(n, k, kPanel, true) / 4);
  char name[96];
  snprintf(name, sizeof name, "%s gemm %s%s b%d m%d n%d k%d", model, packed ? "packed" : "dynamic",
           transposed ? "T" : "", static_cast<int>(batch), static_cast<int>(m), static_cast<int>(n),
           static_cast<int>(k));
  layers.push_back({name, static_cast<double>(batch * m * n * k), times, [=] {
                      const int64_t units = gemm_units(1, batch, m);
                      if (packed) {
                        gemm_packed(p, x, w, bias, y, kRelu6, 0, units, nullptr);
                      } else {
                        gemm_dynamic(p, x, w, bias, y, kRelu6, 0, units, scratch);
                      }
                    }});
}

std::vector<Layer> all_layers() {
  std::vector<Layer> l;
  const char* m = "mobilenetv2";
  add_conv(l, m, 1, 3, 32, 3, 2, 224);
  const int pointwise[][4] = {
      // in, out, size, times
      {32, 16, 112, 1}, {16, 96, 112, 1}, {96, 24, 56, 1},  {24, 144, 56, 2}, {144, 24, 56, 1},
      {144, 32, 28, 1}, {32, 192, 28, 3}, {192, 32, 28, 2}, {192, 64, 14, 1}, {64, 384, 14, 4},
      {384, 64, 14, 3}, {384, 96, 14, 1}, {96, 576, 14, 3}, {576, 96, 14, 2}, {576, 160, 7, 1},
      {160, 960, 7, 3}, {960, 160, 7, 2}, {960, 320, 7, 1}, {320, 1280, 7, 1}};
  for (const auto& s : pointwise) add_conv(l, m, s[3], s[0], s[1], 1, 1, s[2]);
  const int depthwise[][4] = {// channels, stride, size, times
                              {32, 1, 112, 1}, {96, 2, 112, 1}, {144, 1, 56, 1}, {144, 2, 56, 1},
                              {192, 1, 28, 2}, {192, 2, 28, 1}, {384, 1, 14, 4}, {576, 1, 14, 2},
                              {576, 2, 14, 1}, {960, 1, 7, 3}};
  for (const auto& s : depthwise) add_depthwise(l, m, s[3], s[0], 3, s[1], s[2]);
  add_gemm(l, m, 1, 1, 1, 1000, 1280, true, false);
  const char* r = "resnet18";
  add_conv(l, r, 1, 3, 64, 7, 2, 224);
  add_conv(l, r, 4, 64, 64, 3, 1, 56);
  add_conv(l, r, 1, 64, 128, 3, 2, 56);
  add_conv(l, r, 1, 64, 128, 1, 2, 56);
  add_conv(l, r, 3, 128, 128, 3, 1, 28);
  add_conv(l, r, 1, 128, 256, 3, 2, 28);
  add_conv(l, r, 1, 128, 256, 1, 2, 28);
  add_conv(l, r, 3, 256, 256, 3, 1, 14);
  add_conv(l, r, 1, 256, 512, 3, 2, 14);
  add_conv(l, r, 1, 256, 512, 1, 2, 14);
  add_conv(l, r, 3, 512, 512, 3, 1, 7);
  const char* b = "bert_mini";
  add_gemm(l, b, 16, 1, 128, 256, 256, true, false);
  add_gemm(l, b, 4, 1, 128, 1024, 256, true, false);
  add_gemm(l, b, 4, 1, 128, 256, 1024, true, false);
  add_gemm(l, b, 4, 4, 128, 128, 64, false, true);
  add_gemm(l, b, 4, 4, 128, 64, 128, false, false);
  const char* e = "efficientnet_lite0";
  add_depthwise(l, e, 1, 144, 5, 2, 56);
  add_depthwise(l, e, 1, 240, 5, 1, 28);
  return l;
}

// GFLOP/s of multiply-adds in registers.
double peak() {
  constexpr int kChains = 12, kTurns = 20000;
  Vf acc[kChains];
  const float* from = floats(kLanes);
  const Vf a = load<Vf>(from, Full{}), b = load<Vf>(from, Full{});
#pragma GCC unroll 16
  for (int i = 0; i < kChains; ++i) acc[i] = splat<Vf>(static_cast<float>(i));
  double best = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double start = seconds();
    for (int turn = 0; turn < kTurns; ++turn) {
#pragma GCC unroll 16
      for (int i = 0; i < kChains; ++i) acc[i] = fma(a, b, acc[i]);
    }
    const double rate = 2.0 * kChains * kLanes * kTurns / (seconds() - start) * 1e-9;
    best = rate > best ? rate : best;
  }
  Vf all = acc[0];
#pragma GCC unroll 16
  for (int i = 1; i < kChains; ++i) all = all + acc[i];
  if (sum(all) == 12345.0f) printf(" ");
  return best;
}

double best_time(const Layer& layer) {
  layer.run();
  double best = 1e9;
  const double limit = seconds() + 0.08;
  for (int i = 0; i < 5 || (seconds() < limit && i < 2000); ++i) {
    const double start = seconds();
    layer.run();
    const double time = seconds() - start;
    best = time < best ? time : best;
  }
  return best;
}

[[maybe_unused]] void count(const Layer& layer) {
  layer.run();
#if defined(__aarch64__)
  __asm__ volatile("mov x27, x27" ::: "memory");
  layer.run();
  __asm__ volatile("mov x28, x28" ::: "memory");
#endif
}

bool wanted(const Layer& layer, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (layer.name.find(argv[i]) != std::string::npos) return true;
  }
  return argc == 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Layer> layers = all_layers();
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    for (const Layer& layer : layers) printf("%s\n", layer.name.c_str());
    return 0;
  }
  if (const char* index = getenv("MACEC_COUNT_LAYER")) {
    const size_t i = static_cast<size_t>(atoi(index));
    if (i >= layers.size()) return 1;
    printf("%s\t%.0f\t%d\n", layers[i].name.c_str(), layers[i].multiply_adds, layers[i].times);
    fflush(stdout);
    count(layers[i]);
    return 0;
  }
  std::string model;
  double total = 0;
  const auto end_model = [&] {
    if (!model.empty()) printf("%-44s %8.3f ms\n\n", (model + " in all").c_str(), 1e3 * total);
    total = 0;
  };
  for (const Layer& layer : layers) {
    if (!wanted(layer, argc, argv)) continue;
    const std::string of = layer.name.substr(0, layer.name.find(' '));
    if (of != model) end_model();
    model = of;
    const double before = peak();
    const double time = best_time(layer);
    const double after = peak();
    const double top = before > after ? before : after;
    const double rate = 2e-9 * layer.multiply_adds / time;
    total += time * layer.times;
    printf("%-44s %8.4f ms x%-2d %7.1f GFLOP/s %4.0f %% of %.0f\n", layer.name.c_str(), 1e3 * time,
           layer.times, rate, 100.0 * rate / top, top);
  }
  end_model();
  return 0;
}
