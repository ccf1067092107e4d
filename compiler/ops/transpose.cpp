// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transpose, Expand and Tile: one element of the input for each of the output, by strides.
//
//   Tile [a, b] by [2, 3]    view [2, a, 3, b] with strides 0, b, 0, 1; the output as [2, a, 3, b]
//   is dense
#include <algorithm>
#include <numeric>

#include "compiler/ops/moves.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

std::vector<int64_t> permutation_of(const Node& node, size_t rank) {
  std::vector<int64_t> reversed(rank);
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  std::vector<int64_t> permutation = node.ints_attribute("perm", reversed);
  if (permutation.empty()) permutation = reversed;
  if (permutation.size() != rank) {
    throw user_error("perm has {} entries for a tensor of rank {}", permutation.size(), rank);
  }
  return normal_axes(permutation, rank);
}

void infer_transpose(InferContext& context) {
  const Shape& x = context.shape(0);
  Shape y;
  for (int64_t axis : permutation_of(context.node, x.size())) {
    y.push_back(x[static_cast<size_t>(axis)]);
  }
  context.set_type(0, context.type(0).dtype, y);
  if (x.size() <= 1 && context.known(0)) context.set_known(0, *context.known(0));
}

bool view_transposed(const LowerContext& context, const View& in, View* out) {
  *out = transpose_view(in, permutation_of(context.node, in.shape.size()));
  return true;
}

void evaluate_transpose(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  View view = transpose_view(dense_view(x), permutation_of(context.node, x.shape.size()));
  context.outputs[0] = materialize(x, view);
}

// Both shapes broadcast: Expand to [2, 1] keeps an axis of 3 in its second place.
Shape expanded(const Shape& x, const std::vector<Dim>& to) {
  size_t rank = std::max(x.size(), to.size());
  Shape y;
  for (size_t i = 0; i < rank; ++i) {
    Dim have = i + x.size() >= rank ? x[i + x.size() - rank] : Dim(1);
    Dim want = i + to.size() >= rank ? to[i + to.size() - rank] : Dim(1);
    y.push_back(have == Dim(1) ? want : have);
  }
  return y;
}

void infer_expand(InferContext& context) {
  const Shape& x = context.shape(0);
  const std::vector<Dim>& to = require_known(context, 1, "the shape");
  for (size_t back = 1; back <= std::min(x.size(), to.size()); ++back) {
    const Dim& have = x[x.size() - back];
    const Dim& want = to[to.size() - back];
    if (have == Dim(1) || want == Dim(1)) continue;
    context.require_equal(have, want, fmt::format("axis {} of the input", x.size() - back),
                          "the shape");
  }
  context.set_type(0, context.type(0).dtype, expanded(x, to));
  const std::vector<Dim>* known = context.known(0);
  const Shape& y = context.results[0].shape;
  if (known && known->size() == 1 && is_fixed(y) && product(y).value() <= kMaxKnown) {
    size_t count = static_cast<size_t>(product(y).value());
    context.set_known(0, std::vector<Dim>(count, known->front()));
  } else if (known && y == x) {
    context.set_known(0, *known);
  }
}

bool view_expanded(const LowerContext& context, const View& in, View* out) {
  *out = expand_view(in, context.graph.type(context.node.outputs[0]).shape);
  return true;
}

void evaluate_expand(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = expanded(to_shape(x.shape), element_extents(context.in(1)));
  context.outputs[0] = materialize(x, expand_view(dense_view(x), shape));
}

std::vector<Dim> check_repeats(const Shape& x, std::vector<Dim> repeats) {
  if (repeats.size() != x.size()) {
    throw user_error("{} repeats for a tensor of rank {}", repeats.size(), x.size());
  }
  for (const Dim& d : repeats) {
    if (d.lo() < 0) throw user_error("an axis repeated {} times", d.text());
  }
  return repeats;
}

// Every axis as a pair [repeat, extent].
Shape tile_pairs(const Shape& x, const std::vector<Dim>& repeats) {
  Shape pairs;
  for (size_t i = 0; i < x.size(); ++i) {
    pairs.push_back(repeats[i]);
    pairs.push_back(x[i]);
  }
  return pairs;
}

View tile_view(const View& in, const std::vector<Dim>& repeats) {
  View out = in;
  out.shape = tile_pairs(in.shape, repeats);
  out.strides.clear();
  for (const Dim& stride : in.strides) {
    out.strides.push_back(0);
    out.strides.push_back(stride);
  }
  return out;
}

void infer_tile(InferContext& context) {
  const Shape& x = context.shape(0);
  std::vector<Dim> repeats = check_repeats(x, require_known(context, 1, "the list of repeats"));
  Shape y;
  for (size_t i = 0; i < x.size(); ++i) y.push_back(x[i] * repeats[i]);
  context.set_type(0, context.type(0).dtype, y);
}

void evaluate_tile(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = to_shape(x.shape);
  std::vector<Dim> repeats = check_repeats(shape, element_extents(context.in(1)));
  Tensor y = materialize(x, tile_view(dense_view(x), repeats));
  for (size_t i = 0; i < shape.size(); ++i) shape[i] *= repeats[i];
  y.shape = fixed(shape);
  context.outputs[0] = std::move(y);
}

Lowered lower_tile(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  View from = tile_view(context.in(0), known_elements(context, 1)), to;
  // The output's axes are cut in two whatever its strides are.
  const View& y = context.out(0);
  to = y;
  to.shape = from.shape;
  to.strides.clear();
  for (size_t i = 0; i < y.shape.size(); ++i) {
    to.strides.push_back(y.strides[i] * context.in(0).shape[i]);
    to.strides.push_back(y.strides[i]);
  }
  return {copy_call(from, to)};
}

OpDef move_op(const char* name, const char* doc) {
  OpDef op;
  op.name = name;
  op.doc = doc;
  op.min_inputs = op.max_inputs = 2;
  op.min_outputs = op.max_outputs = 1;
  op.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  return op;
}

}  // namespace

void append_transpose(OpList& ops) {
  OpDef transpose =
      move_op("Transpose", "y has the axes of x in the order perm, by default reversed.");
  transpose.min_inputs = transpose.max_inputs = 1;
  transpose.attributes = {{AttributeDef::integers, "perm"}};
  transpose.traits = kView;
  transpose.infer = infer_transpose;
  transpose.evaluate = evaluate_transpose;
  transpose.lower = lower_as_copies;
  transpose.view = view_transposed;
  ops.push_back(std::move(transpose));

  OpDef expand = move_op("Expand", "x broadcast with a tensor of the given shape.");
  expand.versions = {{"", "Expand", 8, kLatestOpset, nullptr}};
  expand.traits = kView;
  expand.shape_inputs = 1u << 1;
  expand.infer = infer_expand;
  expand.evaluate = evaluate_expand;
  expand.lower = lower_as_copies;
  expand.view = view_expanded;
  ops.push_back(std::move(expand));

  OpDef tile = move_op("Tile", "x[a, ...] repeated along each axis: y[a * repeats[0], ...].");
  tile.shape_inputs = 1u << 1;
  tile.infer = infer_tile;
  tile.evaluate = evaluate_tile;
  tile.lower = lower_tile;
  ops.push_back(std::move(tile));
}

}  // namespace macec
