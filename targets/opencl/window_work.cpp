// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "targets/opencl/window_work.h"

#include <algorithm>
#include <cmath>

namespace macec {
namespace {

int64_t up(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// The extent of a group along an axis of `count` items: the largest up to `most` that leaves few
// work-items without work.
int64_t group_extent(int64_t count, int64_t most) {
  int64_t best = 1;
  double least = 0;
  for (int64_t e = 1; e <= most; ++e) {
    // Few items beside one another read memory in small pieces.
    const double cost = static_cast<double>(up(count, e) * e) * (1 + 1.0 / static_cast<double>(e));
    if (least > 0 && cost > least) continue;
    best = e;
    least = cost;
  }
  return best;
}

}  // namespace

std::string window_refusal(const KernelCall& call) {
  for (const View* view : {&call.inputs[0], &call.outputs[0]})
    if (!is_gpu_float(view->dtype))
      return fmt::format("no OpenCL kernel for {} of {}", name(call.family), name(view->dtype));
  for (const Dim& extent : call.outputs[0].shape)
    if (extent == Dim(0)) return "an empty result";
  return "";
}

void define_sources(LaunchBuilder& b, bool is_transposed, bool is_inside, int64_t stride) {
  b.define_text("SOURCE(o, k, axis)",
                is_transposed ? "(((o) + PAD##axis - (k) * DILATION##axis) / STRIDE##axis)"
                              : "((o) * STRIDE##axis - PAD##axis + (k) * DILATION##axis)");
  b.define_text(
      "MISSES(o, k, axis)",
      is_transposed ? "(((o) + PAD##axis - (k) * DILATION##axis) % STRIDE##axis != 0)" : "0");
  b.define_text("IS_INSIDE(i)", is_inside ? "((i) < IN_W)" : "((i) >= 0 && (i) < IN_W)");
  b.define("OUT_STEP", is_transposed ? stride : 1);
  b.define("IN_STEP", is_transposed ? 1 : stride);
}

WindowWork cut_window_work(const WindowExtents& extents, const GpuCapabilities& caps) {
  const int64_t blocks = extents.blocks, width = up(extents.width, extents.phases);
  const int64_t rows = extents.rows * extents.phases;
  const int64_t group = std::min<int64_t>(128, caps.max_work_group);
  WindowWork best;
  double least = 0;
  for (int64_t split = 1; split <= std::min<int64_t>(extents.most_split, 16); split *= 2)
    for (int64_t pixels = 1; pixels <= std::min(extents.most_pixels, width); ++pixels) {
      if (split > 1 && group * pixels * 16 > caps.local_bytes) continue;
      // Loads and products of a piece; what idles while work-items are too few to hide how long
      // loads take; the sum of the parts. Fitted to measurements of an H200.
      const double pieces = static_cast<double>(blocks * up(width, pixels) * rows);
      const double items = pieces * static_cast<double>(split);
      const double busy = std::pow(std::min(1.0, items / (6.0 * caps.work_items)), 0.6);
      const double cost = pieces * (16 + 3.0 * static_cast<double>(pixels)) / busy *
                          (1 + 0.02 * static_cast<double>(split - 1));
      if (least > 0 && cost >= least) continue;
      least = cost;
      best.pixels = pixels;
      best.split = split;
    }
  best.blocks = blocks;
  best.phase_places = up(width, best.pixels);
  best.row_places = best.phase_places * extents.phases;
  best.places = best.row_places * extents.rows;
  const int64_t items = group / best.split;
  best.local[0] = group_extent(blocks, std::min<int64_t>(items, 32));
  best.local[1] = std::min(items / best.local[0], best.places);
  best.local[2] = best.split;
  return best;
}

std::array<int64_t, 3> group_of(int64_t x, int64_t y, const GpuCapabilities& caps) {
  const int64_t items = std::min<int64_t>(64, caps.max_work_group);
  const int64_t local = group_extent(x, items);
  return {local, std::max<int64_t>(std::min(items / local, y), 1), 1};
}

void define_work(LaunchBuilder& b, const WindowWork& work) {
  b.define("PIXELS", work.pixels);
  b.define("SPLIT", work.split);
  b.define("BLOCKS", work.blocks);
  b.define("PLACES", work.places);
  b.define("ROW_PLACES", work.row_places);
  b.define("PHASE_PLACES", work.phase_places);
  b.define("LOCAL_X", work.local[0]);
  b.define("LOCAL_Y", work.local[1]);
  b.size({work.blocks, work.places, work.split}, work.local);
}

}  // namespace macec
