// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of matrices as gemm calls.
//
//   x [b, s, k] * w [k, n]         one matrix of b*s rows, because w has no batch and the rows of x
//   and y go on x [b, h, s, k] * w [b, h, k, n]  two batch axes, or one if neither operand has gaps
//   between b and h
#include "compiler/ops/product.h"

#include <algorithm>

#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int64_t kMaxUnrolledProducts = 4096;

// The batch axes of an operand, broadcast to those of y.
std::vector<Dim> batch_strides(const View& view, const Shape& batch) {
  View outer = view;
  outer.shape.resize(view.shape.size() - 2);
  outer.strides.resize(view.strides.size() - 2);
  return broadcast_strides(outer, batch);
}

struct Geometry {
  LoopNest batch;  // operands x, w, y
  Dim m, n, k;
  Dim x_row, x_k, w_k, w_n, y_row;
};

Geometry geometry_of(const Product& p) {
  size_t rank = p.y.shape.size(), x_rank = p.x.shape.size(), w_rank = p.w.shape.size();
  Shape batch(p.y.shape.begin(), p.y.shape.end() - 2);
  Geometry g;
  g.batch = make_nest(
      batch, {batch_strides(p.x, batch), batch_strides(p.w, batch), batch_strides(p.y, batch)}, 2);
  g.m = p.y.shape[rank - 2];
  g.n = p.y.shape[rank - 1];
  g.k = p.x.shape[x_rank - 1];
  g.x_row = p.x.strides[x_rank - 2];
  g.x_k = p.x.strides[x_rank - 1];
  g.w_k = p.w.strides[w_rank - 2];
  g.w_n = p.w.strides[w_rank - 1];
  g.y_row = p.y.strides[rank - 2];
  return g;
}

// Inner batch axes that w does not have become rows.
void fold_batch_into_rows(Geometry* g) {
  while (!g->batch.extent.empty() && g->batch.strides[1].back() == Dim(0)) {
    const Dim& extent = g->batch.extent.back();
    const Dim& x = g->batch.strides[0].back();
    const Dim& y = g->batch.strides[2].back();
    if (g->m == Dim(1)) {
      g->m = extent;
      g->x_row = x;
      g->y_row = y;
    } else if (x == g->x_row * g->m && y == g->y_row * g->m) {
      g->m *= extent;
    } else {
      return;
    }
    g->batch.extent.pop_back();
    for (std::vector<Dim>& strides : g->batch.strides) strides.pop_back();
  }
}

KernelCall::ConstantUse panels_of(const Geometry& g) {
  KernelCall::ConstantUse use;
  use.kind = Packing::panels;
  use.n = g.n.value();
  use.k = g.k.value();
  use.stride_n = g.w_n.value();
  use.stride_k = g.w_k.value();
  return use;
}

// The part of an operand at index i of y's axis; the axis stays, with extent 1.
View part_of(const View& view, size_t axis_of_y, size_t rank_of_y, int64_t i) {
  View part = view;
  size_t missing = rank_of_y - view.shape.size();
  if (axis_of_y < missing) return part;
  size_t axis = axis_of_y - missing;
  if (view.shape[axis] == Dim(1)) return part;
  part.offset += view.strides[axis] * Dim(i);
  part.shape[axis] = 1;
  return part;
}

// More batch axes than the kernels walk: one product for each index of the first axis.
Lowered lower_unrolled(const Product& p) {
  size_t axis = 0, rank = p.y.shape.size();
  while (p.y.shape[axis] == Dim(1)) ++axis;
  const Dim& extent = p.y.shape[axis];
  if (!extent.is_fixed() || extent.value() > kMaxUnrolledProducts) {
    throw user_error(
        "a product of matrices that broadcasts over {} axes of batches is not "
        "supported when the first, {}, varies or is large",
        rank - 2, extent.text());
  }
  Lowered calls;
  for (int64_t i = 0; i < extent.value(); ++i) {
    Product part = p;
    part.x = part_of(p.x, axis, rank, i);
    part.w = part_of(p.w, axis, rank, i);
    part.y = part_of(p.y, axis, rank, i);
    for (View& operand : part.operands) operand = part_of(operand, axis, rank, i);
    Lowered more = lower_product(part);
    if (more.empty()) return {};
    for (KernelCall& call : more) calls.push_back(std::move(call));
  }
  return calls;
}

// The steps as elementwise work on y, in place.
KernelCall steps_on_result(const Product& p) {
  std::vector<PointwiseStep> steps = p.steps;
  std::vector<View> inputs = {p.y};
  std::vector<int> index_of(p.operands.size(), -1);
  for (PointwiseStep& step : steps) {
    for (StepArg& arg : step.args) {
      if (arg.kind == StepArg::result) {
        arg = {StepArg::input, 0};
      } else if (arg.kind == StepArg::input) {
        int& index = index_of[static_cast<size_t>(arg.index)];
        if (index < 0) {
          index = static_cast<int>(inputs.size());
          inputs.push_back(p.operands[static_cast<size_t>(arg.index)]);
        }
        arg.index = index;
      }
    }
  }
  int last = static_cast<int>(steps.size()) - 1;
  return pointwise_call(std::move(steps), std::move(inputs), {p.y}, {last});
}

// A kernel counts rows batch by batch; y must be walked in the same order where a fused operand
// depends on the row.
bool rows_follow_batches(const Geometry& g, const KernelCall& call) {
  const std::vector<Dim>& rows = call.epilogue_row_strides;
  bool depends = std::any_of(rows.begin(), rows.end(), [](const Dim& r) { return r != Dim(0); });
  if (!depends || g.m == Dim(1) || g.batch.extent.empty()) return true;
  return g.batch.strides[2].back().hi() >= (g.y_row * g.m).hi();
}

GemmParamsT<Dim> params_of(const Geometry& g) {
  GemmParamsT<Dim> params{};
  params.batch[0] = params.batch[1] = 1;
  size_t axes = g.batch.extent.size();
  for (size_t a = 0; a < axes; ++a) {
    size_t to = 2 - axes + a;
    params.batch[to] = g.batch.extent[a];
    params.x_batch[to] = g.batch.strides[0][a];
    params.w_batch[to] = g.batch.strides[1][a];
    params.y_batch[to] = g.batch.strides[2][a];
  }
  params.m = g.m;
  params.n = g.n;
  params.k = g.k;
  params.x_row = g.x_row;
  params.x_k = g.x_k;
  params.w_k = g.w_k;
  params.w_n = g.w_n;
  params.y_row = g.y_row;
  return params;
}

}  // namespace

DType product_type(DType x) {
  return x == DType::int16 ? DType::int32 : x;
}

bool has_vector_epilogue(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float16 || dtype == DType::bfloat16;
}

Lowered lower_product(const Product& p) {
  if (p.y.shape.back() != Dim(1) && p.y.strides.back() != Dim(1)) return {};
  Geometry g = geometry_of(p);
  fold_batch_into_rows(&g);
  if (g.batch.extent.size() > 2) return lower_unrolled(p);

  KernelCall call = make_call(Family::gemm, {p.x, p.w, p.bias}, {p.y});
  GemmParamsT<Dim> params = params_of(g);
  const Dim batch = params.batch[0] * params.batch[1];
  call.units = batch * ceil_div(g.m, kGemmRowsPerUnit);
  if (batch == Dim(1) && g.n.is_fixed()) call.column_units = column_units(g.m, g.n.value());
  params.columns = call.column_units > 0 ? kUnitColumns : 0;
  call.params = params;
  call.multiply_adds = static_cast<double>((params.batch[0] * params.batch[1] * g.m * g.n).hi()) *
                       static_cast<double>(g.k.hi());
  const std::vector<Dim>& w_batch = g.batch.strides[1];
  bool is_one_matrix =
      std::all_of(w_batch.begin(), w_batch.end(), [](const Dim& d) { return d == Dim(0); });
  if (p.w.constant && is_one_matrix && p.w.offset == Dim(0)) call.constant_uses[1] = panels_of(g);

  if (p.steps.empty()) return {std::move(call)};
  KernelCall plain = call;
  int columns = static_cast<int>(p.y.shape.size()) - 1;
  if (has_vector_epilogue(p.x.dtype) && attach_steps(p.steps, p.operands, columns, &call) &&
      rows_follow_batches(g, call)) {
    return {std::move(call)};
  }
  if (p.x.dtype != p.y.dtype) return {};
  return {std::move(plain), steps_on_result(p)};
}

void multiply(const MatrixStrides& s, const double* x, const double* w, double* y) {
  for (int64_t i = 0; i < s.m; ++i) {
    double* row = y + i * s.n;
    std::fill(row, row + s.n, 0.0);
    for (int64_t l = 0; l < s.k; ++l) {
      double a = x[i * s.x_row + l * s.x_k];
      for (int64_t j = 0; j < s.n; ++j) row[j] += a * w[l * s.w_k + j * s.w_n];
    }
  }
}

void multiply(const MatrixStrides& s, const int64_t* x, const int64_t* w, int64_t* y) {
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      uint64_t sum = 0;
      for (int64_t l = 0; l < s.k; ++l) {
        sum += static_cast<uint64_t>(x[i * s.x_row + l * s.x_k]) *
               static_cast<uint64_t>(w[l * s.w_k + j * s.w_n]);
      }
      y[i * s.n + j] = static_cast<int64_t>(sum);
    }
  }
}

}  // namespace macec
