// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/index_nest.h"

#include <algorithm>

#include "compiler/support/error.h"

namespace macec {
namespace {

int64_t normal_index(int64_t index, int64_t extent) {
  if (index < -extent || index >= extent)
    throw user_error("index {} into an axis of {} elements", index, extent);
  return index < 0 ? index + extent : index;
}

}  // namespace

KernelCall index_nest_call(const IndexNest& nest, const View& x, const View& indices, const View& y,
                           const std::string& op, int leader) {
  if (nest.part_extent.size() > static_cast<size_t>(kMaxRank))
    throw user_error("index tuples of {} numbers are not supported, at most {}",
                     nest.part_extent.size(), static_cast<int>(kMaxRank));
  const LoopNest loops = make_nest(nest.extent, {nest.x, nest.i, nest.y}, leader);
  GatherNestParamsT<Dim> p{};
  p.rank = static_cast<int>(loops.extent.size());
  p.parts = static_cast<int>(nest.part_extent.size());
  std::copy(loops.extent.begin(), loops.extent.end(), p.extent);
  std::copy(loops.strides[0].begin(), loops.strides[0].end(), p.x_stride);
  std::copy(loops.strides[1].begin(), loops.strides[1].end(), p.i_stride);
  std::copy(loops.strides[2].begin(), loops.strides[2].end(), p.y_stride);
  std::copy(nest.part_extent.begin(), nest.part_extent.end(), p.part_extent);
  std::copy(nest.part_stride.begin(), nest.part_stride.end(), p.part_stride);
  p.i_part = nest.i_part;
  KernelCall call = make_call(Family::gather, {x, indices}, {y});
  call.op = op;
  call.params = p;
  call.units = loops.extent.empty() ? Dim(1) : loops.extent[0];
  call.elements = static_cast<double>(product(nest.extent).hi());
  return call;
}

int64_t indexed_element(const IndexNest& nest, const std::vector<Dim>& strides,
                        const std::vector<int64_t>& shape, const Tensor& indices, int64_t n) {
  int64_t rest = n, element = 0, at = 0;
  for (size_t a = shape.size(); a-- > 0;) {
    const int64_t k = rest % shape[a];
    rest /= shape[a];
    element += k * strides[a].value();
    at += k * nest.i[a].value();
  }
  for (size_t p = 0; p < nest.part_extent.size(); ++p) {
    const int64_t index = indices.i64(at + static_cast<int64_t>(p) * nest.i_part.value());
    element += normal_index(index, nest.part_extent[p].value()) * nest.part_stride[p].value();
  }
  return element;
}

}  // namespace macec
