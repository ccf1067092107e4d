// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A convolution case with its buffers and its reference in double; included inside the namespace of
// the kernels, after the kernel's header.
#pragma once
#include "tests/kernels/test_epilogues.h"

struct ConvCase {
  int in_channels = 1, out_channels = 1, group = 1;
  int kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int in[3] = {1, 1, 1}, pad[3] = {0, 0, 0}, pad_end[3] = {0, 0, 0};
  int batch = 1, x_gap = 0, y_gap = 0;  // gaps: elements between pixels
  int columns = 0;                      // of a unit
  bool has_bias = true;
};

inline ConvCase conv_2d(int in_channels, int out_channels, int kernel, int stride, int height,
                        int width, int pad) {
  ConvCase c;
  c.in_channels = in_channels, c.out_channels = out_channels;
  c.in[1] = height, c.in[2] = width;
  for (int a = 1; a < 3; ++a) {
    c.kernel[a] = kernel, c.stride[a] = stride;
    c.pad[a] = c.pad_end[a] = pad;
  }
  return c;
}

inline ConvParams conv_params(const ConvCase& c) {
  ConvParams p{};
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = c.kernel[a], p.stride[a] = c.stride[a], p.dilation[a] = c.dilation[a];
    p.in[a] = c.in[a], p.pad[a] = c.pad[a];
    const int window = (c.kernel[a] - 1) * c.dilation[a] + 1;
    p.out[a] = (c.in[a] + c.pad[a] + c.pad_end[a] - window) / c.stride[a] + 1;
  }
  p.group = c.group, p.in_channels = c.in_channels, p.out_channels = c.out_channels;
  p.batch = c.batch, p.columns = c.columns;
  p.x_pixel = c.group * c.in_channels + c.x_gap;
  p.y_pixel = c.group * c.out_channels + c.y_gap;
  return p;
}

inline std::string conv_name(const ConvCase& c) {
  return text("ic", c.in_channels) + text("oc", c.out_channels) + text("g", c.group) +
         text("kh", c.kernel[1]) + text("kw", c.kernel[2]) + text("s", c.stride[2]) +
         text("d", c.dilation[2]) + text("h", c.in[1]) + text("w", c.in[2]) +
         text("pad", c.pad[2]) + text("gap", c.y_gap) + text("columns", c.columns);
}

// Buffers of one case; w is plain: [output channel of all groups][tap][input channel].
class ConvData {
 public:
  explicit ConvData(const ConvCase& c)
      : p(conv_params(c)),
        pixels(p.batch * p.out[0] * p.out[1] * p.out[2]),
        channels(int64_t{p.group} * p.out_channels),
        taps(int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2]),
        x((p.batch * p.in[0] * p.in[1] * p.in[2] - 1) * p.x_pixel +
          int64_t{p.group} * p.in_channels),
        w(channels * taps * p.in_channels),
        bias(channels),
        y((pixels - 1) * p.y_pixel + channels),
        skip(pixels * channels),
        b(c.has_bias ? bias.data() : nullptr) {
    fill_random(x), fill_random(w), fill_random(bias), fill_random(skip);
    clear();
  }
  void clear() {
    for (int64_t i = 0; i < y.size(); ++i) y[i] = 77.0f;
  }
  int64_t units() const {
    if (p.columns > 0) return (p.out_channels + p.columns - 1) / p.columns;
    return p.batch * p.out[0] * p.out[1];
  }
  AddRelu epilogue() { return {skip.data(), channels}; }
  LargeAddRelu large_epilogue() { return {epilogue()}; }

  double expected(int64_t pixel, int64_t channel) {
    const int64_t group = channel / p.out_channels;
    int64_t at[4] = {pixel / (p.out[0] * p.out[1] * p.out[2]),
                     pixel / (p.out[1] * p.out[2]) % p.out[0], pixel / p.out[2] % p.out[1],
                     pixel % p.out[2]};
    double sum = b != nullptr ? double{bias[channel]} : 0.0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t k[3] = {tap / (p.kernel[1] * p.kernel[2]), tap / p.kernel[2] % p.kernel[1],
                            tap % p.kernel[2]};
      int64_t from = at[0];
      bool inside = true;
      for (int a = 0; a < 3; ++a) {
        const int64_t i = at[a + 1] * p.stride[a] - p.pad[a] + k[a] * p.dilation[a];
        inside = inside && i >= 0 && i < p.in[a];
        from = from * p.in[a] + i;
      }
      if (!inside) continue;
      for (int64_t ic = 0; ic < p.in_channels; ++ic) {
        sum += double{x[from * p.x_pixel + group * p.in_channels + ic]} *
               double{w[(channel * taps + tap) * p.in_channels + ic]};
      }
    }
    return fmax(sum + double{skip[pixel * channels + channel]}, 0.0);
  }

  void verify(const std::string& name) {
    check(x.intact() && y.intact() && w.intact() && bias.intact(), name + " writes outside");
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      for (int64_t c = 0; c < channels; ++c) {
        check_close(double{y[pixel * p.y_pixel + c]}, expected(pixel, c),
                    1e-6 * static_cast<double>(1 + taps * p.in_channels), name);
      }
      for (int64_t c = channels; c < p.y_pixel && pixel + 1 < pixels; ++c) {
        check(y[pixel * p.y_pixel + c] == 77.0f, name + " writes between pixels");
      }
    }
  }

  ConvParams p;
  int64_t pixels, channels, taps;
  Guarded<float> x, w, bias, y, skip;
  const float* b;
};

// Runs `kernel(x, begin, end)` as a whole and in three parts, then unit by unit from a ring that
// holds only the rows a unit needs; all must agree to the bit.
template <class Kernel>
void check_conv(ConvData& d, const std::string& name, Kernel kernel) {
  const int64_t units = d.units();
  kernel(static_cast<const float*>(d.x.data()), 0, units);
  d.verify(name);
  const std::vector<float> whole(d.y.data(), d.y.data() + d.y.size());
  d.clear();
  const int64_t cuts[] = {0, units / 3, units / 3, units - units / 4, units};
  for (int i = 0; i < 4; ++i) {
    kernel(static_cast<const float*>(d.x.data()), cuts[i], cuts[i + 1]);
  }
  const size_t bytes = whole.size() * sizeof(float);
  check(memcmp(whole.data(), d.y.data(), bytes) == 0, name + " depends on the split");
  if (d.p.batch != 1 || d.p.in[0] != 1 || d.p.out[0] != 1 || d.p.columns > 0) return;
  d.clear();
  const int64_t rows = (d.p.kernel[1] - 1) * d.p.dilation[1] + 1;
  const int64_t row = d.p.in[2] * d.p.x_pixel, row_stride = row + 5;
  Guarded<float> ring((rows - 1) * row_stride + row);
  const int64_t used = (d.p.in[2] - 1) * d.p.x_pixel + int64_t{d.p.group} * d.p.in_channels;
  int64_t next = 0;
  for (int64_t unit = 0; unit < units; ++unit) {
    const int64_t last = unit * d.p.stride[1] - d.p.pad[1] + rows - 1;
    for (; next <= last && next < d.p.in[1]; ++next) {
      memcpy(ring.data() + next % rows * row_stride, d.x.data() + next * row,
             static_cast<size_t>(used) * sizeof(float));
    }
    kernel(ConvRing<float>{ring.data(), rows, row_stride}, unit, unit + 1);
  }
  check(memcmp(whole.data(), d.y.data(), bytes) == 0, name + " differs from a ring");
}
