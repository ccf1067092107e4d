// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How window kernels cut their work into work-items.
#pragma once
#include <array>

#include "targets/opencl/launch_builder.h"
#include "targets/opencl/row_checks.h"

namespace macec {

// A work-item makes `pixels` neighbours along the width for one block of channels; `split`
// work-items of a group share one such piece.
struct WindowWork {
  int64_t pixels = 1, split = 1;
  int64_t row_places = 1;    // pieces of one row
  int64_t phase_places = 1;  // of those pixels of a row that see the same taps
  int64_t blocks = 1, places = 1;
  std::array<int64_t, 3> local = {1, 1, 1};
};

// What there is to cut.
struct WindowExtents {
  int64_t blocks;           // of channels
  int64_t rows, width;      // of the output
  int64_t phases = 1;       // of a transposed convolution along the width: its stride
  int64_t most_pixels = 1;  // that fit registers
  int64_t most_split = 1;   // pieces that the sum of one result can be cut into
};
WindowWork cut_window_work(const WindowExtents& extents, const GpuCapabilities& caps);

// A work-group of a grid x * y * anything, with few idle work-items: {x, y, 1}.
std::array<int64_t, 3> group_of(int64_t x, int64_t y, const GpuCapabilities& caps);

// Defines PIXELS, SPLIT, BLOCKS, PLACES, ROW_PLACES, PHASE_PLACES, LOCAL_X, LOCAL_Y and sets the sizes:
// (blocks, places, split).
void define_work(LaunchBuilder& b, const WindowWork& work);

// A part of define_window. is_inside: the windows have no padding along the width.
void define_sources(LaunchBuilder& b, bool is_transposed, bool is_inside, int64_t stride);

// KERNEL_D, STRIDE_H, ... of the three axes from a params struct of a window family, and
//   SOURCE(o, k, _W)   the input position that output position o sees through tap k
//   MISSES(o, k, _W)   there is none (transposed convolutions)
//   IS_INSIDE(i)       input position i of the width exists
//   OUT_STEP           output positions that see the same taps are so far apart along the width,
//   IN_STEP            and the input positions that they see through one tap so far
template <class Params>
void define_window(LaunchBuilder& b, const Params& p, bool is_transposed = false) {
  const char* const axes[3] = {"_D", "_H", "_W"};
  for (size_t a = 0; a < 3; ++a) {
    b.define(std::string("KERNEL") + axes[a], int64_t{p.kernel[a]});
    b.define(std::string("STRIDE") + axes[a], int64_t{p.stride[a]});
    b.define(std::string("DILATION") + axes[a], int64_t{p.dilation[a]});
    b.define(std::string("PAD") + axes[a], p.pad[a]);
    b.define(std::string("IN") + axes[a], p.in[a]);
    b.define(std::string("OUT") + axes[a], p.out[a]);
  }
  const int64_t last = (p.out[2].value() - 1) * p.stride[2] - p.pad[2].value() +
                       int64_t{p.kernel[2] - 1} * p.dilation[2];
  const bool is_inside = !is_transposed && p.pad[2].value() <= 0 && last < p.in[2].value();
  define_sources(b, is_transposed, is_inside, p.stride[2]);
}
// Operand X: X_LINE is one row of the input along the width, X_W one pixel. whole: channels come in
// fours.
template <class Params>
void declare_input(LaunchBuilder& b, const KernelCall& call, const Params& p, const Dim& channels,
                   bool whole) {
  b.read("X", call.inputs[0], whole ? Access::vectors : Access::elements, true);
  b.stride("X_LINE", p.in[2] * p.x_pixel, p.batch * p.in[0] * p.in[1]);
  b.stride("X_W", p.x_pixel, p.in[2]);
  b.inner("X", channels);
}
// Operand Y likewise, and the epilogue of (line, pixel, channel). Defines WHOLE.
template <class Params>
void declare_output(LaunchBuilder& b, const KernelCall& call, const Params& p, const Dim& channels,
                    bool whole) {
  b.write("Y", call.outputs[0], whole ? Access::vectors : Access::elements);
  b.stride("Y_LINE", p.out[2] * p.y_pixel, p.batch * p.out[0] * p.out[1]);
  b.stride("Y_W", p.y_pixel, p.out[2]);
  b.inner("Y", channels);
  b.define("WHOLE", whole);
  b.epilogue(call, channels, p.out[2]);
}

// Why no window kernel computes the call: types, an empty result. "": some may.
std::string window_refusal(const KernelCall& call);

void append_gpu_conv_rows(std::vector<GpuRow>& rows);
void append_gpu_pool_rows(std::vector<GpuRow>& rows);
void append_gpu_resize_rows(std::vector<GpuRow>& rows);

}  // namespace macec
