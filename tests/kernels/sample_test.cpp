// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements at computed positions: channels in vectors and one by one, units in parts.
#include "tests/kernels/kernel_test.h"

namespace kernels {
#include "codegen_templates/kernels/grid_sample.h"
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
  return report("sample_test");
}
