// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Depthwise convolution against sums in double.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/depthwise.h"
#include "codegen_templates/kernels/depthwise_many.h"
#include "tests/kernels/conv_case.h"
}  // namespace kernels
using namespace kernels;

namespace {

std::vector<float> pack(ConvData& d) {
  std::vector<float> packed(static_cast<size_t>(d.channels * d.taps));
  for (int64_t c = 0; c < d.channels; ++c) {
    for (int64_t tap = 0; tap < d.taps; ++tap) {
      packed[static_cast<size_t>(tap * d.channels + c)] = d.w[c * d.taps + tap];
    }
  }
  return packed;
}

ConvCase depthwise(int channels, int kernel, int stride, int h, int w, int pad) {
  ConvCase c = conv_2d(1, 1, kernel, stride, h, w, pad);
  c.group = channels;
  return c;
}

void check_any(const ConvCase& c) {
  ConvData d(c);
  const std::vector<float> w = pack(d);
  check_conv(d, "any" + conv_name(c), [&](const auto& x, int64_t begin, int64_t end) {
    conv_depthwise_any(d.p, x, w.data(), d.b, d.y.data(), d.epilogue(), begin, end, nullptr);
  });
}

template <int K, int S>
void check_form(const ConvCase& c) {
  ConvData d(c);
  const std::vector<float> w = pack(d);
  check_conv(d, "form" + conv_name(c), [&](const auto& x, int64_t begin, int64_t end) {
    conv_depthwise<K, K, S>(d.p, x, w.data(), d.b, d.y.data(), d.epilogue(), begin, end, nullptr);
  });
  d.clear();
  conv_depthwise<K, K, S>(d.p, static_cast<const float*>(d.x.data()), w.data(), d.b, d.y.data(),
                          d.large_epilogue(), 0, d.units(), nullptr);
  d.verify("large epilogue" + conv_name(c));
}

// Several output channels for each input channel.
template <int M>
void check_many(ConvCase c) {
  c.out_channels = M;
  ConvData d(c);
  std::vector<float> w(static_cast<size_t>(d.channels * d.taps));
  for (int64_t g = 0; g < c.group; ++g) {
    for (int64_t m = 0; m < M; ++m) {
      for (int64_t tap = 0; tap < d.taps; ++tap) {
        w[static_cast<size_t>((tap * M + m) * c.group + g)] = d.w[(g * M + m) * d.taps + tap];
      }
    }
  }
  check_conv(d, text("many", M) + conv_name(c), [&](const auto& x, int64_t begin, int64_t end) {
    conv_depthwise_many<M>(d.p, x, w.data(), d.b, d.y.data(), d.epilogue(), begin, end, nullptr);
  });
}

void many_channels() {
  for (const int channels : {2, 3, 16, 17, 40}) {
    for (const int w : {1, 7, 16}) {
      ConvCase c = depthwise(channels, 3, 1, 5, w, 1);
      check_many<2>(c);
      check_many<3>(c);
      c.dilation[2] = 2, c.pad[2] = c.pad_end[2] = 2, c.batch = 2, c.x_gap = 3, c.y_gap = 1;
      c.has_bias = false;
      check_many<2>(c);
      check_many<4>(depthwise(channels, 7, 2, 9, w, 3));
      check_any(depthwise(channels, 7, 1, 9, w + 6, 3));
      check_any(depthwise(channels, 5, 3, 9, w + 20, 2));
    }
  }
}

void every_size() {
  for (const int h : {1, 3, 7, 16}) {
    for (const int w : {1, 3, 7, 16, 17}) {
      for (const int channels : {1, 3, 7, 16, 17, 40, 67}) {
        check_form<3, 1>(depthwise(channels, 3, 1, h, w, 1));
        check_form<3, 2>(depthwise(channels, 3, 2, h, w, 1));
        if (h == 3 || channels % 16 != 1) continue;
        check_form<5, 1>(depthwise(channels, 5, 1, h, w, 2));
        check_form<5, 2>(depthwise(channels, 5, 2, h, w, 2));
        check_any(depthwise(channels, 3, 1, h, w, 1));
      }
    }
  }
}

void every_feature() {
  for (int variant = 0; variant < 16; ++variant) {
    ConvCase c = depthwise(variant & 1 ? 33 : 16, 3, 1, 9, 13, 1);
    c.batch = 3;
    c.has_bias = variant % 2 == 0;
    if (variant & 2) c.x_gap = 3, c.y_gap = 2;
    if (variant & 4) c.pad[1] = 2, c.pad[2] = 3, c.pad_end[2] = 0;
    if (variant & 8) c.stride[1] = 2;  // along the height only
    check_form<3, 1>(c);
    check_any(c);
    c.dilation[2] = 2, c.dilation[1] = 3, c.pad[2] = 4;
    check_any(c);
  }
  ConvCase valid = depthwise(24, 3, 2, 17, 18, 0);
  check_form<3, 2>(valid);
  ConvCase solid = depthwise(9, 3, 1, 6, 7, 1);  // three spatial axes
  solid.kernel[0] = 2, solid.in[0] = 5, solid.stride[0] = 2, solid.pad[0] = 1, solid.batch = 2;
  check_any(solid);
}

}  // namespace

int main() {
  every_size();
  every_feature();
  many_channels();
  return report("depthwise_test");
}
