// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements at computed positions: channels in vectors and one by one, units in parts; regions, windows
// as columns, boxes, Fourier transforms, determinants.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/bits.h"
#include "codegen_templates/kernels/columns.h"
#include "codegen_templates/kernels/dft.h"
#include "codegen_templates/kernels/grid_sample.h"
#include "codegen_templates/kernels/line_det.h"
#include "codegen_templates/kernels/pick_boxes.h"
#include "codegen_templates/kernels/roi.h"
}  // namespace kernels
using namespace kernels;

namespace {

GridSampleParams grid_params(int64_t channels, int64_t h, int64_t w, int64_t positions,
                             bool is_row) {
  GridSampleParams p{};
  p.axes = 2;
  p.mode = kSampleLinear;
  p.padding = kSampleZeros;
  p.channels = channels;
  p.x_channel = is_row ? 1 : h * w;
  p.y_channel = is_row ? 1 : positions;
  p.grid_coordinate = 1;
  p.in[0] = h, p.in[1] = w;
  p.in_stride[0] = (is_row ? channels : 1) * w, p.in_stride[1] = is_row ? channels : 1;
  p.extent[0] = p.extent[1] = 1, p.extent[2] = positions;
  p.grid_stride[2] = 2;
  p.y_stride[2] = is_row ? channels : 1;
  return p;
}

// x[c][r][k] = c + 10 r + k is linear inside, so its means are too.
template <class T, class G>
void grids(int64_t channels, bool is_row) {
  const int64_t h = 4, w = 4, positions = 5;  // coordinates are exact
  const GridSampleParams p = grid_params(channels, h, w, positions, is_row);
  Guarded<T> x(channels * h * w), y(channels * positions);
  Guarded<G> grid(positions * 2);
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t r = 0; r < h; ++r) {
      for (int64_t k = 0; k < w; ++k)
        x[c * p.x_channel + r * p.in_stride[0] + k * p.in_stride[1]] =
            static_cast<T>(c + 10 * r + k);
    }
  }
  const double at[5][2] = {{0, 0}, {1, 1}, {1.5, 0.5}, {3, 2}, {9, 1}};  // columns, rows
  for (int64_t i = 0; i < positions; ++i) {
    grid[2 * i] = static_cast<G>((2 * at[i][0] + 1) / static_cast<double>(w) - 1);
    grid[2 * i + 1] = static_cast<G>((2 * at[i][1] + 1) / static_cast<double>(h) - 1);
  }
  grid_sample<kSampleLinear>(p, x.data(), grid.data(), y.data(), 0, 2, nullptr);
  grid_sample<kSampleLinear>(p, x.data(), grid.data(), y.data(), 2, 5, nullptr);
  check(y.intact(), text("grid", channels));
  for (int64_t i = 0; i < positions; ++i) {
    for (int64_t c = 0; c < channels; ++c) {
      double want = static_cast<double>(c) + 10 * at[i][1] + at[i][0];
      if (i == 4) want = 0;
      if (static_cast<T>(0.5) == static_cast<T>(0)) want = floor(want);
      check_close(static_cast<double>(y[c * p.y_channel + i * p.y_stride[2]]), want, 1e-4,
                  text("grid", channels) + text("at", i));
    }
  }
}

// An image whose rows are r and columns k: x = 10 r + k, every bin of one sample.
template <class T>
void regions(int64_t channels) {
  RoiParams p{};
  p.ratio = 1, p.scale = 1;
  p.images = 1, p.channels = channels, p.height = 5, p.width = 6;
  p.out_height = 2, p.out_width = 2;
  p.x_channel = 30, p.x_row = 6, p.x_column = 1, p.x_image = 30 * channels;
  p.y_channel = 4, p.y_row = 2, p.y_column = 1, p.y_region = 4 * channels;
  Guarded<T> x(30 * channels), y(4 * channels), rois(4);
  Guarded<int64_t> image(1);
  for (int64_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<T>(i / 30 * 100 + i % 30 / 6 * 10 + i % 6);
  image[0] = 0;
  rois[0] = 0, rois[1] = 0, rois[2] = 4, rois[3] = 4;  // samples at 1 and 3
  check(roi_align<0>(p, x.data(), rois.data(), image.data(), y.data(), 0, 1, nullptr) == 0 &&
            roi_align<0>(p, x.data(), rois.data(), image.data(), y.data(), 1, 4, nullptr) == 0,
        text("regions", channels));
  for (int64_t i = 0; i < y.size(); ++i) {
    const double want = static_cast<double>(i / 4 * 100 + (i % 4 / 2 * 2 + 1) * 10 + i % 2 * 2 + 1);
    check_close(static_cast<double>(y[i]), want, 1e-4, text("region", i));
  }
  image[0] = 1;
  check(roi_align<1>(p, x.data(), rois.data(), image.data(), y.data(), 0, 4, nullptr) == 1,
        "a region of no image");
  Guarded<T> pool(5);
  pool[0] = 0, pool[1] = 1, pool[2] = 1, pool[3] = 4, pool[4] = 2;  // 4 x 2 pixels
  check(max_roi_pool(p, x.data(), pool.data(), y.data(), 0, 4, nullptr) == 0 && y.intact(),
        text("pooled regions", channels));
  const double want[] = {12, 14, 22, 24};
  for (int64_t i = 0; i < 4; ++i)
    check_close(static_cast<double>(y[i]), want[i], 0, text("pooled region", i));
}

// Two taps, stride 1: blocks b + 1 of x [2, 3] meet in an image of 4.
template <class T>
void columns() {
  ColumnsParams p{};
  p.axes = 1, p.channels = 1, p.groups = 1;
  p.in[0] = 3, p.out[0] = 4, p.kernel[0] = 2, p.stride[0] = p.dilation[0] = 1;
  Guarded<T> x(6), y(4);
  for (int64_t i = 0; i < 6; ++i) x[i] = static_cast<T>(i + 1);
  col2im(p, x.data(), y.data(), 0, 1, nullptr);
  const double want[] = {1, 6, 8, 6};
  check(y.intact(), "columns");
  for (int64_t i = 0; i < 4; ++i)
    check_close(static_cast<double>(y[i]), want[i], 0, text("column", i));
}
template <class T>
void displaced() {
  ColumnsParams p{};
  p.axes = 1, p.channels = 2, p.groups = 1;
  p.in[0] = 4, p.out[0] = 3, p.kernel[0] = 2, p.stride[0] = p.dilation[0] = 1;
  Guarded<T> x(8), y(12), offset(6), mask(6);
  for (int64_t i = 0; i < 8; ++i) x[i] = static_cast<T>(i);
  for (int64_t i = 0; i < 6; ++i) offset[i] = static_cast<T>(0.5), mask[i] = 2;
  for (int64_t unit = 0; unit < 6; ++unit)
    deform_columns(p, x.data(), offset.data(), mask.data(), y.data(), unit, unit + 1, nullptr);
  const double want[] = {1, 3, 5, 3, 5, 3, 9, 11, 13, 11, 13, 7};  // half of the last is outside
  check(y.intact(), "displaced columns");
  for (int64_t i = 0; i < 12; ++i)
    check_close(static_cast<double>(y[i]), want[i], 1e-5, text("displaced column", i));
}

template <class T>
void transforms(int64_t n, bool is_inverse) {
  DftParams p{};
  p.rank = 1, p.inverse = is_inverse ? 1 : 0, p.x_part = p.y_part = 1;
  p.n = p.given = p.bins = n, p.x_step = p.y_step = 2;
  p.extent[0] = 3, p.x_stride[0] = p.y_stride[0] = 2 * n;
  Guarded<T> x(6 * n), y(6 * n), window(n);
  for (int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(random_float());
  for (int64_t i = 0; i < n; ++i) window[i] = static_cast<T>(i % 3);
  Scratch scratch(dft_scratch(n) * 8);
  dft(p, x.data(), window.data(), y.data(), 0, 1, scratch.data());
  dft(p, x.data(), window.data(), y.data(), 1, 3, scratch.data());
  check(y.intact() && scratch.intact(), text("transform", n));
  for (int64_t o = 0; o < 3 * n; ++o) {
    double re = 0, im = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double angle = (is_inverse ? 2 : -2) * acos(-1.0) *
                           static_cast<double>(i * (o % n) % n) / static_cast<double>(n);
      const T* const at = x.data() + (o / n * n + i) * 2;
      const double w = static_cast<double>(i % 3) / (is_inverse ? static_cast<double>(n) : 1);
      re += w * (static_cast<double>(at[0]) * cos(angle) - static_cast<double>(at[1]) * sin(angle));
      im += w * (static_cast<double>(at[0]) * sin(angle) + static_cast<double>(at[1]) * cos(angle));
    }
    check_close(static_cast<double>(y[2 * o]), re, 2e-4, text("transform", n) + text("re", o));
    check_close(static_cast<double>(y[2 * o + 1]), im, 2e-4, text("transform", n) + text("im", o));
  }
}

void boxes() {
  PickParams p{};
  p.outer = 1, p.m = 2, p.n = 3, p.room = 4;
  const float box[] = {0, 0, 2, 2, 0, 0, 2, 1.9f, 5, 5, 6, 6};
  const float score[] = {0.5f, 0.7f, 0.6f, 0.9f, 0.1f, 0.9f};
  const float overlap = 0.5f, least = 0.2f;
  const int64_t most = 5, want[] = {0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 2};
  Guarded<int64_t> y(12);
  int64_t count = -1;
  Scratch scratch(nms_scratch(3));
  check(nms<0>(p, box, score, &most, &overlap, &least, y.data(), &count, 0, 1, scratch.data()) == 0,
        "boxes");
  check(count == 4 && y.intact() && scratch.intact(), text("boxes", count));
  for (int64_t i = 0; i < 12; ++i) check(y[i] == want[i], text("box", i));
  p.room = 3;
  check(nms<0>(p, box, score, &most, &overlap, &least, y.data(), &count, 0, 1, scratch.data()) == 1,
        "no room for boxes");
}

template <class T>
void determinants() {
  LineParams p{};
  p.rank = 1, p.extent[0] = 2, p.x_stride[0] = 9, p.y_stride[0] = 1;
  p.n = 3, p.x_step = 1, p.y_step = 3;
  const T x[] = {0, 2, 1, 1, 0, 3, 2, 1, 0, 1, 2, 3, 2, 4, 6, 1, 1, 1};
  Guarded<T> y(2);
  Scratch scratch(9 * 8);
  line_det(p, x, y.data(), 0, 2, scratch.data());
  check(y.intact() && scratch.intact(), "determinants");
  check_close(static_cast<double>(y[0]), 13, 1e-5, "determinant");
  check_close(static_cast<double>(y[1]), 0, 1e-5, "singular");
}

void same_bits() {
  IotaParams p{kPointwiseBlock + 3};
  Guarded<float> x(p.n);
  Guarded<uint32_t> y(p.n);
  fill_random(x);
  bits(p, x.data(), y.data(), 1, 2, nullptr);
  bits(p, x.data(), y.data(), 0, 1, nullptr);
  check(y.intact() && memcmp(x.data(), y.data(), static_cast<size_t>(p.n) * 4) == 0, "bits");
}

}  // namespace

int main() {
  for (const int64_t channels : {1, 3, 7, 16, 17}) {
    for (const bool is_row : {false, true}) {
      grids<float, float>(channels, is_row);
      grids<float, double>(channels, is_row);
      grids<double, double>(channels, is_row);
      grids<int32_t, double>(channels, is_row);
    }
  }
  for (const int64_t channels : {1, 3, 16, 70}) {
    regions<float>(channels);
    regions<double>(channels);
  }
  columns<float>();
  columns<int32_t>();
  columns<uint8_t>();
  displaced<float>();
  displaced<double>();
  for (const int64_t n : {1, 2, 3, 4, 6, 7, 8, 15, 16, 17, 64}) {
    transforms<float>(n, false);
    transforms<float>(n, true);
    transforms<double>(n, n % 2 == 0);
  }
  boxes();
  determinants<float>();
  determinants<double>();
  same_bits();
  return report("sample_test");
}
