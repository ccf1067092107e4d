// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_igemm, conv_dots and conv_pointwise against sums in double.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/conv_dots.h"
#include "codegen_templates/kernels/conv_igemm.h"
#include "codegen_templates/kernels/conv_pointwise.h"
#include "tests/kernels/conv_case.h"
}  // namespace kernels
using namespace kernels;

namespace {

std::vector<float> pack(ConvData& d) {
  const ConvParams& p = d.p;
  std::vector<float> packed(static_cast<size_t>(conv_packed_floats(p, kPanel)), 0.0f);
  const int64_t panels = (p.out_channels + kPanel - 1) / kPanel;
  const int64_t k = d.taps * p.in_channels;
  for (int64_t c = 0; c < d.channels; ++c) {
    const int64_t group = c / p.out_channels, in_group = c % p.out_channels;
    for (int64_t i = 0; i < k; ++i) {
      const int64_t panel = group * panels + in_group / kPanel;
      packed[static_cast<size_t>((panel * k + i) * kPanel + in_group % kPanel)] = d.w[c * k + i];
    }
  }
  return packed;
}

void check_igemm(const ConvCase& c) {
  ConvData d(c);
  const std::vector<float> packed = pack(d);
  Scratch scratch(conv_igemm_scratch(d.p, sizeof(float)));
  check_conv(d, "igemm" + conv_name(c), [&](const auto& x, int64_t begin, int64_t end) {
    conv_igemm(d.p, x, packed.data(), d.b, d.y.data(), d.epilogue(), begin, end, scratch.data());
  });
  check(scratch.intact(), "igemm" + conv_name(c) + " writes outside of scratch");
}

// Its weights are packed as the test has them.
void check_dots(const ConvCase& c) {
  ConvData d(c);
  const float* w = d.w.data();
  Scratch scratch(conv_dots_scratch(d.p, sizeof(float)));
  check_conv(d, "dots" + conv_name(c), [&](const auto& x, int64_t begin, int64_t end) {
    conv_dots(d.p, x, w, d.b, d.y.data(), d.epilogue(), begin, end, scratch.data());
  });
  check(scratch.intact(), "dots" + conv_name(c) + " writes outside of scratch");
}

void few_channels() {
  for (const int ic : {1, 3, 8, 17}) {
    for (const int oc : {1, 2, 3, 4}) {
      for (const int width : {1, 7, 40}) {
        check_dots(conv_2d(ic, oc, 3, 1, 5, width, 1));
        check_dots(conv_2d(ic, oc, 1, 1, 3, width, 0));
        ConvCase c = conv_2d(ic, oc, 5, 2, 7, width, 2);
        c.batch = 2, c.y_gap = 2, c.x_gap = oc % 2, c.has_bias = oc != 3;
        check_dots(c);
        c.dilation[1] = 2, c.dilation[2] = width > 1 ? 2 : 1, c.pad[2] = c.pad_end[2] = 4;
        check_dots(c);
      }
    }
  }
}

void check_pointwise(const ConvCase& c) {
  ConvData d(c);
  const std::vector<float> packed = pack(d);
  const int64_t units = d.units();
  for (const int64_t cut : {units, units / 2}) {
    d.clear();
    for (int part = 0; part < 2; ++part) {
      conv_pointwise(d.p, static_cast<const float*>(d.x.data()), packed.data(), d.b, d.y.data(),
                     d.epilogue(), part == 0 ? 0 : cut, part == 0 ? cut : units, nullptr);
    }
    d.verify("pointwise" + conv_name(c));
  }
}

void channel_counts() {
  for (const int ic : {1, 3, 7, 16, 17}) {
    for (const int oc : {1, 3, 7, 16, 17, 40}) {
      check_igemm(conv_2d(ic, oc, 3, 1, 5, 7, 1));
      check_igemm(conv_2d(ic, oc, 3, 2, 7, 16, 1));
      check_pointwise(conv_2d(ic, oc, 1, 1, 3, 17, 0));
    }
  }
}

void image_sizes() {
  for (const int h : {1, 3, 7, 16, 17}) {
    for (const int w : {1, 3, 7, 16, 17}) {
      for (const int ic : {3, 9}) {
        check_igemm(conv_2d(ic, 5, 3, 1, h, w, 1));
        check_igemm(conv_2d(ic, 5, 7, 2, h, w, 3));
        check_igemm(conv_2d(ic, 5, 1, 2, h, w, 0));
        check_igemm(conv_2d(ic, 4, 3, 3, h, w, 4));  // windows that lie in the padding altogether
      }
    }
  }
}

void every_feature() {
  for (int variant = 0; variant < 32; ++variant) {
    ConvCase c = conv_2d(variant & 1 ? 4 : 9, variant & 2 ? 6 : 17, 3, 1, 9, 11, 1);
    if (variant & 4) c.dilation[2] = 2, c.dilation[1] = 3, c.pad[1] = 3;
    if (variant & 8) c.group = 3;
    if (variant & 16) c.x_gap = 2, c.y_gap = 5;
    c.pad_end[2] = 2;
    c.batch = 2;
    c.has_bias = variant % 3 != 0;
    check_igemm(c);
  }
  ConvCase solid = conv_2d(5, 9, 3, 1, 6, 7, 1);  // three spatial axes
  solid.kernel[0] = 2, solid.in[0] = 5, solid.stride[0] = 2, solid.pad[0] = 1, solid.batch = 2;
  check_igemm(solid);
  ConvCase line = conv_2d(3, 9, 1, 1, 1, 50, 0);  // one spatial axis
  line.kernel[2] = 5, line.stride[2] = 3, line.pad[2] = 4;
  check_igemm(line);
  for (const int ic : {1, 8, 12, 40}) {  // kernels wider than the image
    ConvCase wide = conv_2d(ic, 8, 3, ic == 12 ? 2 : 1, 5, 31, 1);
    wide.kernel[2] = 39, wide.pad[2] = 19, wide.pad_end[2] = 20, wide.batch = 2;
    check_igemm(wide);
    wide.x_gap = 1;
    check_igemm(wide);
  }
  ConvCase grouped = conv_2d(8, 20, 1, 1, 4, 9, 0);
  grouped.group = 3, grouped.x_gap = 4, grouped.y_gap = 1, grouped.batch = 3;
  check_pointwise(grouped);
  check_pointwise(conv_2d(200, 100, 1, 1, 20, 33, 0));  // several blocks of rows
  check_igemm(conv_2d(40, 70, 3, 1, 20, 33, 1));
}

void units_of_columns() {
  for (const int oc : {64, 65, 130, 200}) {
    for (const int width : {1, 7}) {
      ConvCase c = conv_2d(9, oc, 3, 1, 7, width, 1);
      c.columns = 64, c.has_bias = oc != 65, c.y_gap = 3, c.batch = 2;
      check_igemm(c);
      c.kernel[1] = c.kernel[2] = 1;
      for (int a = 1; a < 3; ++a) c.pad[a] = c.pad_end[a] = 0;
      check_pointwise(c);
    }
  }
  ConvCase deep = conv_2d(300, 130, 1, 1, 30, 31, 0);  // several blocks of rows
  deep.columns = 64;
  check_pointwise(deep);
  check_igemm(deep);
}

}  // namespace

int main() {
  units_of_columns();
  few_channels();
  channel_counts();
  image_sizes();
  every_feature();
  return report("conv_test");
}
