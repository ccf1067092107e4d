// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile kernels with 16-bit storage: what they compute from float16 or bfloat16 inputs is what
// they compute from the same values in float, rounded once.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/conv_igemm.h"
#include "codegen_templates/kernels/conv_pointwise.h"
#include "codegen_templates/kernels/depthwise.h"
#include "codegen_templates/kernels/gemm.h"
#include "codegen_templates/kernels/pool.h"
#include "tests/kernels/conv_case.h"
}  // namespace kernels
using namespace kernels;

namespace {

template <class H>
void narrow(Guarded<float>& from, Guarded<H>& to) {
  for (int64_t i = 0; i < from.size(); ++i) store(to.data() + i, from[i], Full{});
}

// Runs `kernel(x, y)` with float and with H buffers and compares.
template <class H, class Kernel>
void check_same(int64_t x_size, int64_t y_size, const char* name, Kernel kernel) {
  Guarded<float> x(x_size), y(y_size);
  Guarded<H> narrow_x(x_size), narrow_y(y_size);
  fill_random(x);  // seven bits: exact in every type
  narrow(x, narrow_x);
  kernel(static_cast<const float*>(x.data()), y.data());
  kernel(static_cast<const H*>(narrow_x.data()), narrow_y.data());
  for (int64_t i = 0; i < y_size; ++i) {
    H want;
    store(&want, y[i], Full{});
    check(want.bits == narrow_y[i].bits, std::string(name) + text("at", i));
  }
  check(narrow_y.intact(), std::string(name) + " writes outside");
}

template <class H>
void check_convolutions(int channels, int outputs) {
  ConvData d(conv_2d(channels, outputs, 3, 2, 9, 17, 1));
  std::vector<float> w(static_cast<size_t>(conv_packed_floats(d.p, kPanel)));
  for (float& v : w) v = random_float();
  Scratch scratch(conv_igemm_scratch(d.p, 4));
  check_same<H>(d.x.size(), d.y.size(), "igemm", [&](const auto* x, auto* y) {
    conv_igemm(d.p, x, w.data(), d.b, y, NoEpilogue{}, 0, d.units(), scratch.data());
  });
  ConvData one(conv_2d(channels, outputs, 1, 1, 5, 17, 0));
  check_same<H>(one.x.size(), one.y.size(), "pointwise", [&](const auto* x, auto* y) {
    conv_pointwise(one.p, x, w.data(), one.b, y, NoEpilogue{}, 0, one.units(), nullptr);
  });
  ConvCase c = conv_2d(1, 1, 3, 1, 9, 17, 1);
  c.group = channels;
  ConvData deep(c);
  check_same<H>(deep.x.size(), deep.y.size(), "depthwise", [&](const auto* x, auto* y) {
    conv_depthwise<3, 3, 1>(deep.p, x, w.data(), deep.b, y, NoEpilogue{}, 0, deep.units(), nullptr);
  });
  check_same<H>(deep.x.size(), deep.y.size(), "depthwise any", [&](const auto* x, auto* y) {
    conv_depthwise_any(deep.p, x, w.data(), deep.b, y, NoEpilogue{}, 0, deep.units(), nullptr);
  });
}

template <class H>
void check_gemms(int m, int n, int k) {
  GemmParams p{};
  p.batch[0] = p.batch[1] = 1;
  p.m = m, p.n = n, p.k = k;
  p.x_row = k, p.x_k = 1, p.w_k = n, p.w_n = 1, p.y_row = n;
  std::vector<float> w(static_cast<size_t>(gemm_packed_floats(n, k, kPanel)));
  for (float& v : w) v = random_float();
  Scratch scratch(gemm_dynamic_scratch(n, k, kPanel, true));
  const int64_t units = gemm_units(1, 1, m);
  check_same<H>(m * k, m * n, "gemm_packed", [&](const auto* x, auto* y) {
    gemm_packed(p, x, w.data(), nullptr, y, NoEpilogue{}, 0, units, nullptr);
  });
  check_same<H>(m * k, m * n, "gemm_dynamic", [&](const auto* x, auto* y) {
    gemm_dynamic(p, x, w.data(), nullptr, y, NoEpilogue{}, 0, units, scratch.data());
  });
}

template <class H>
void check_pools(int channels) {
  PoolParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = a == 0 ? 1 : 2, p.stride[a] = a == 0 ? 1 : 2, p.dilation[a] = 1;
    p.in[a] = a == 0 ? 1 : 6, p.out[a] = a == 0 ? 1 : 3;
  }
  p.channels = p.x_pixel = p.y_pixel = channels, p.batch = 1;
  check_same<H>(36 * channels, 9 * channels, "pool_max",
                [&](const auto* x, auto* y) { pool_max(p, x, y, NoEpilogue{}, 0, 3, nullptr); });
  check_same<H>(36 * channels, 9 * channels, "pool_average", [&](const auto* x, auto* y) {
    pool_average(p, x, y, NoEpilogue{}, 0, 3, nullptr);
  });
}

template <class H>
void check_all() {
  for (const int channels : {1, 3, 7, 16, 17, 40}) {
    for (const int outputs : {1, 7, 16, 17, 40}) check_convolutions<H>(channels, outputs);
    check_gemms<H>(channels, 33, 19);
    check_gemms<H>(1, 7 * channels, channels + 1);
    check_pools<H>(channels);
  }
}

}  // namespace

int main() {
  check_all<kernels::half_t>();
  check_all<kernels::bfloat16_t>();  // <arm_neon.h> has one of its own
  return report("half_test");
}
