// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposed convolution against sums in double: every phase, taps that are missing, padding, groups.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/conv_transposed.h"
#include "codegen_templates/kernels/conv_transposed_plain.h"
#include "tests/kernels/conv_case.h"
}  // namespace kernels
using namespace kernels;

namespace {

// Parameters of a case; `pad_end` cuts the end of the output, negative values are output_padding.
ConvParams transposed_params(const ConvCase& c) {
  ConvParams p = conv_params(c);
  for (int a = 0; a < 3; ++a) {
    p.out[a] = (p.in[a] - 1) * c.stride[a] + (c.kernel[a] - 1) * c.dilation[a] + 1 - c.pad[a] -
               c.pad_end[a];
  }
  return p;
}

// w is as ONNX has it: [input channel of all groups][output channel][tap].
struct TransposedData {
  ConvParams p;
  int64_t pixels, channels, taps;
  Guarded<float> x, w, bias, y, skip;
  const float* b;

  explicit TransposedData(const ConvCase& c)
      : p(transposed_params(c)),
        pixels(p.batch * p.out[0] * p.out[1] * p.out[2]),
        channels(int64_t{p.group} * p.out_channels),
        taps(int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2]),
        x((p.batch * p.in[0] * p.in[1] * p.in[2] - 1) * p.x_pixel +
          int64_t{p.group} * p.in_channels),
        w(int64_t{p.group} * p.in_channels * p.out_channels * taps),
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
  int64_t units() const { return p.batch * p.out[0] * p.out[1]; }
  AddRelu epilogue() { return {skip.data(), channels}; }
  float weight(int64_t ic, int64_t oc, int64_t tap) {  // ic over all groups
    return w[(ic * p.out_channels + oc) * taps + tap];
  }

  // Sums in double by scattering every input pixel.
  std::vector<double> expected() {
    std::vector<double> sums(static_cast<size_t>(pixels * channels));
    for (int64_t i = 0; i < pixels * channels; ++i) {
      sums[static_cast<size_t>(i)] = b != nullptr ? double{bias[i % channels]} : 0.0;
    }
    const int64_t image = p.in[0] * p.in[1] * p.in[2];
    for (int64_t from = 0; from < p.batch * image; ++from) {
      const int64_t at[3] = {from / (p.in[1] * p.in[2]) % p.in[0], from / p.in[2] % p.in[1],
                             from % p.in[2]};
      for (int64_t tap = 0; tap < taps; ++tap) {
        const int64_t k[3] = {tap / (p.kernel[1] * p.kernel[2]), tap / p.kernel[2] % p.kernel[1],
                              tap % p.kernel[2]};
        int64_t to = from / image;
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
          const int64_t o = at[a] * p.stride[a] + k[a] * p.dilation[a] - p.pad[a];
          inside = inside && o >= 0 && o < p.out[a];
          to = to * p.out[a] + o;
        }
        if (inside) add(from, to, tap, sums);
      }
    }
    for (int64_t i = 0; i < pixels * channels; ++i) {
      double& v = sums[static_cast<size_t>(i)];
      v = fmax(v + double{skip[i]}, 0.0);
    }
    return sums;
  }
  void add(int64_t from, int64_t to, int64_t tap, std::vector<double>& sums) {
    for (int64_t oc = 0; oc < channels; ++oc) {
      const int64_t first = oc / p.out_channels * p.in_channels;
      for (int64_t ic = 0; ic < p.in_channels; ++ic) {
        sums[static_cast<size_t>(to * channels + oc)] +=
            double{x[from * p.x_pixel + first + ic]} *
            double{weight(first + ic, oc % p.out_channels, tap)};
      }
    }
  }

  void verify(const std::string& name, const std::vector<double>& want) {
    check(x.intact() && y.intact() && w.intact() && bias.intact(), name + " writes outside");
    for (int64_t pixel = 0; pixel < pixels; ++pixel) {
      for (int64_t c = 0; c < channels; ++c) {
        check_close(double{y[pixel * p.y_pixel + c]},
                    want[static_cast<size_t>(pixel * channels + c)],
                    1e-6 * static_cast<double>(1 + taps * p.in_channels), name);
      }
      for (int64_t c = channels; c < p.y_pixel && pixel + 1 < pixels; ++c) {
        check(y[pixel * p.y_pixel + c] == 77.0f, name + " writes between pixels");
      }
    }
  }
};

// All taps phase by phase.
std::vector<int64_t> by_phase(const ConvParams& p) {
  std::vector<int64_t> order;
  for (int64_t phase = 0; phase < int64_t{p.stride[0]} * p.stride[1] * p.stride[2]; ++phase) {
    const int64_t r[3] = {phase / (p.stride[1] * p.stride[2]), phase / p.stride[2] % p.stride[1],
                          phase % p.stride[2]};
    for (int64_t tap = 0; tap < int64_t{p.kernel[0]} * p.kernel[1] * p.kernel[2]; ++tap) {
      const int64_t k[3] = {tap / (p.kernel[1] * p.kernel[2]), tap / p.kernel[2] % p.kernel[1],
                            tap % p.kernel[2]};
      bool own = true;
      for (int a = 0; a < 3; ++a) own = own && k[a] * p.dilation[a] % p.stride[a] == r[a];
      if (own) order.push_back(tap);
    }
  }
  return order;
}

std::vector<float> pack_phases(TransposedData& d) {
  const ConvParams& p = d.p;
  const int64_t panels = (p.out_channels + kPanel - 1) / kPanel;
  std::vector<float> packed(
      static_cast<size_t>(p.group * panels * d.taps * p.in_channels * kPanel));
  const std::vector<int64_t> order = by_phase(p);
  for (int64_t g = 0; g < p.group; ++g) {
    for (int64_t oc = 0; oc < p.out_channels; ++oc) {
      for (int64_t k = 0; k < d.taps * p.in_channels; ++k) {
        const int64_t panel = (g * panels + oc / kPanel) * d.taps * p.in_channels;
        packed[static_cast<size_t>((panel + k) * kPanel + oc % kPanel)] =
            d.weight(g * p.in_channels + k % p.in_channels, oc,
                     order[static_cast<size_t>(k / p.in_channels)]);
      }
    }
  }
  return packed;
}

// `kernel(begin, end)` as a whole, then in three parts, which must agree to the bit.
template <class Kernel>
void check_split(TransposedData& d, const std::string& name, const std::vector<double>& want,
                 Kernel kernel) {
  const int64_t units = d.units();
  d.clear();
  kernel(0, units);
  d.verify(name, want);
  const std::vector<float> whole(d.y.data(), d.y.data() + d.y.size());
  d.clear();
  const int64_t cuts[] = {0, units / 3, units / 3, units - units / 4, units};
  for (int i = 0; i < 4; ++i) kernel(cuts[i], cuts[i + 1]);
  check(memcmp(whole.data(), d.y.data(), whole.size() * sizeof(float)) == 0,
        name + " depends on the split");
}

void check_case(const ConvCase& c) {
  TransposedData d(c);
  const std::vector<double> want = d.expected();
  const float *x = d.x.data(), *w = d.w.data();
  const std::string name = conv_name(c);
  check_split(d, "plain" + name, want, [&](int64_t begin, int64_t end) {
    conv_transposed_plain(d.p, x, w, d.b, d.y.data(), d.epilogue(), begin, end, nullptr);
  });
  if (c.group > 1 && c.in_channels == 1 && c.out_channels == 1) {
    std::vector<float> taps(static_cast<size_t>(d.taps * d.channels));
    for (int64_t t = 0; t < d.taps; ++t) {
      for (int64_t m = 0; m < d.channels; ++m) {
        taps[static_cast<size_t>(t * d.channels + m)] = d.weight(m, 0, t);
      }
    }
    check_split(d, "depthwise" + name, want, [&](int64_t begin, int64_t end) {
      conv_transposed_depthwise(d.p, x, taps.data(), d.b, d.y.data(), d.epilogue(), begin, end,
                                nullptr);
    });
    return;
  }
  const std::vector<float> packed = pack_phases(d);
  Scratch scratch(conv_transposed_scratch(d.p, 4));
  check_split(d, "phases" + name, want, [&](int64_t begin, int64_t end) {
    conv_transposed(d.p, x, packed.data(), d.b, d.y.data(), d.epilogue(), begin, end,
                    scratch.data());
  });
  check(scratch.intact(), "scratch" + name);
}

void every_size() {
  for (const int kernel : {1, 2, 3, 4}) {
    for (const int stride : {1, 2, 3}) {
      for (const int w : {1, 3, 17}) {
        for (const int channels : {1, 3, 17}) {
          for (int pad = 0; pad < 2 && pad < kernel; ++pad) {
            ConvCase c = conv_2d(channels, channels == 3 ? 16 : 5, kernel, stride, 3, w, pad);
            if (w == 1 && (c.kernel[2] - 1) < 2 * pad) continue;
            c.has_bias = channels != 3;
            check_case(c);
            c.in_channels = c.out_channels = 1, c.group = channels + 1;
            check_case(c);
          }
        }
      }
    }
  }
}

void every_feature() {
  for (int variant = 0; variant < 16; ++variant) {
    ConvCase c = conv_2d(6, 20, 3, 2, 5, 30, 1);
    c.batch = 2;
    if (variant & 1) c.group = 3;
    if (variant & 2) c.x_gap = 3, c.y_gap = 2;
    if (variant & 4) c.pad_end[2] = -1, c.pad_end[1] = -3, c.pad[2] = 0;
    if (variant & 8) c.dilation[2] = 2, c.dilation[1] = 3, c.kernel[2] = 4;
    check_case(c);
    c.in_channels = c.out_channels = 1, c.group = 21;
    check_case(c);
  }
  ConvCase solid = conv_2d(4, 7, 3, 2, 3, 4, 1);  // three spatial axes
  solid.kernel[0] = 2, solid.in[0] = 3, solid.stride[0] = 3, solid.batch = 2;
  check_case(solid);
  ConvCase wide = conv_2d(2, 3, 2, 2, 2, 450, 0);  // more than a block of pixels
  check_case(wide);
  wide.kernel[2] = 5;
  check_case(wide);
}

}  // namespace

int main() {
  every_size();
  every_feature();
  return report("conv_transposed_test");
}
