// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// View arithmetic: what reshape, transpose, slice and expand do to strides. No bytes move.
#include <algorithm>

#include "compiler/ops/lowering.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// Neighbouring axes that one stride can walk.
struct Block {
  Dim extent, stride;
};

std::vector<Block> merge_axes(const View& view) {
  std::vector<Block> blocks;
  for (size_t a = 0; a < view.shape.size(); ++a) {
    if (view.shape[a] == Dim(1)) continue;
    if (!blocks.empty() && blocks.back().stride == view.strides[a] * view.shape[a]) {
      blocks.back() = {blocks.back().extent * view.shape[a], view.strides[a]};
    } else {
      blocks.push_back({view.shape[a], view.strides[a]});
    }
  }
  return blocks;
}

bool is_empty(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end();
}

// Strides of axes of extent 1 are never walked; they get the value a dense tensor would have.
void set_unit_strides(const Shape& shape, std::vector<Dim>* strides) {
  for (size_t a = shape.size(); a-- > 0;) {
    if (shape[a] != Dim(1)) continue;
    (*strides)[a] = a + 1 < shape.size() ? (*strides)[a + 1] * shape[a + 1] : Dim(1);
  }
}

}  // namespace

bool reshape_view(const View& in, const Shape& shape, View* out) {
  View result = in;
  result.shape = shape;
  result.strides = row_major_strides(shape);
  if (!is_empty(shape) && !is_empty(in.shape)) {
    // Each block of the input is cut into axes of the output, from the back.
    std::vector<Block> blocks = merge_axes(in);
    size_t b = blocks.size();
    Dim done = 1;  // elements of the current block that the output's axes cover
    for (size_t a = shape.size(); a-- > 0;) {
      if (shape[a] == Dim(1)) continue;
      if (b == 0) return false;
      const Block& block = blocks[b - 1];
      result.strides[a] = block.stride * done;
      done *= shape[a];
      if (done == block.extent) {
        --b;
        done = 1;
      } else if (done.lo() >= block.extent.hi()) {
        return false;  // the axis would go over into the next block
      }
    }
    if (b != 0) return false;
    set_unit_strides(shape, &result.strides);
  }
  *out = std::move(result);
  return true;
}

View transpose_view(const View& in, const std::vector<int64_t>& permutation) {
  View out = in;
  for (size_t a = 0; a < permutation.size(); ++a) {
    out.shape[a] = in.shape[static_cast<size_t>(permutation[a])];
    out.strides[a] = in.strides[static_cast<size_t>(permutation[a])];
  }
  return out;
}

View slice_view(const View& in, const std::vector<Dim>& starts, const std::vector<Dim>& extents,
                const std::vector<int64_t>& steps) {
  View out = in;
  for (size_t a = 0; a < in.shape.size(); ++a) {
    // The first element of an empty slice may lie outside: no pointer is formed to it.
    if (extents[a] != Dim(0)) out.offset += starts[a] * in.strides[a];
    out.shape[a] = extents[a];
    out.strides[a] = in.strides[a] * Dim(steps[a]);
  }
  return out;
}

View expand_view(const View& in, const Shape& shape) {
  View out = in;
  out.shape = shape;
  out.strides = broadcast_strides(in, shape);
  return out;
}

}  // namespace macec
