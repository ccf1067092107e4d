// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul as numpy has it: a vector on the left is a row, on the right a column; that axis is
// missing in the result.
//
//   [k] * [k, n]            as [1, k] * [k, n]          -> [n]
//   [b, m, k] * [k]         as [b, m, k] * [k, 1]       -> [b, m]
//   [b, 1, m, k] * [c, k, n]                            -> [b, c, m, n]
#include <set>

#include "compiler/ops/product.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct MatMulShape {
  Shape x, w;  // with the axis that a vector lacks
  bool x_is_vector, w_is_vector;
};

MatMulShape matrices(Shape x, Shape w) {
  if (x.empty() || w.empty()) throw user_error("MatMul of a scalar is not defined");
  MatMulShape result{std::move(x), std::move(w), false, false};
  result.x_is_vector = result.x.size() == 1;
  result.w_is_vector = result.w.size() == 1;
  if (result.x_is_vector) result.x.insert(result.x.begin(), Dim(1));
  if (result.w_is_vector) result.w.push_back(1);
  return result;
}

void infer_matmul(InferContext& context) {
  MatMulShape s = matrices(context.shape(0), context.shape(1));
  context.require_equal(s.x.back(), s.w[s.w.size() - 2],
                        "the number of columns of the first matrix",
                        "the number of rows of the second");
  size_t x_batch = s.x.size() - 2, w_batch = s.w.size() - 2;
  size_t axes = std::max(x_batch, w_batch);
  Shape y;
  for (size_t a = 0; a < axes; ++a) {
    Dim from_x = a + x_batch >= axes ? s.x[a + x_batch - axes] : Dim(1);
    Dim from_w = a + w_batch >= axes ? s.w[a + w_batch - axes] : Dim(1);
    if (from_x != Dim(1) && from_w != Dim(1)) {
      context.require_equal(from_x, from_w, fmt::format("batch axis {} of the first input", a),
                            "that of the second");
    }
    y.push_back(from_x == Dim(1) ? from_w : from_x);
  }
  if (!s.x_is_vector) y.push_back(s.x[s.x.size() - 2]);
  if (!s.w_is_vector) y.push_back(s.w.back());
  context.set_type(0, product_type(context.type(0).dtype), y);
}

// Calls f(index into x, into w, into y) for each matrix of the batch; indices count matrices.
template <class F>
void for_each_matrix(const std::vector<int64_t>& x, const std::vector<int64_t>& w,
                     const std::vector<int64_t>& y, F f) {
  int64_t count = 1;
  for (int64_t extent : y) count *= extent;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, x_index = 0, w_index = 0, x_step = 1, w_step = 1;
    for (size_t back = 1; back <= y.size(); ++back) {
      int64_t at = rest % y[y.size() - back];
      rest /= y[y.size() - back];
      if (back <= x.size()) {
        x_index += (x[x.size() - back] == 1 ? 0 : at) * x_step;
        x_step *= x[x.size() - back];
      }
      if (back <= w.size()) {
        w_index += (w[w.size() - back] == 1 ? 0 : at) * w_step;
        w_step *= w[w.size() - back];
      }
    }
    f(x_index, w_index, i);
  }
}

template <class T>
void multiply_batches(const MatMulShape& shape, const std::vector<T>& xs, const std::vector<T>& ws,
                      std::vector<T>* ys) {
  std::vector<int64_t> x = fixed(shape.x), w = fixed(shape.w), y;
  int64_t m = x[x.size() - 2], k = x.back(), n = w.back();
  x.resize(x.size() - 2);
  w.resize(w.size() - 2);
  const std::vector<int64_t>& longer = x.size() >= w.size() ? x : w;
  const std::vector<int64_t>& shorter = x.size() >= w.size() ? w : x;
  y = longer;
  for (size_t a = 0; a < shorter.size(); ++a) {
    int64_t& extent = y[y.size() - shorter.size() + a];
    if (extent == 1) extent = shorter[a];
  }
  MatrixStrides strides{m, n, k, k, 1, n, 1};
  for_each_matrix(x, w, y, [&](int64_t i, int64_t j, int64_t to) {
    multiply(strides, xs.data() + i * m * k, ws.data() + j * k * n, ys->data() + to * m * n);
  });
}

void evaluate_matmul(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  const Tensor& w = context.in(1);
  MatMulShape s = matrices(to_shape(x.shape), to_shape(w.shape));
  std::vector<int64_t> y_shape;
  size_t axes = std::max(s.x.size(), s.w.size()) - 2;
  for (size_t a = 0; a < axes; ++a) {
    size_t back = axes - a + 2;
    int64_t from_x = back <= s.x.size() ? s.x[s.x.size() - back].value() : 1;
    int64_t from_w = back <= s.w.size() ? s.w[s.w.size() - back].value() : 1;
    y_shape.push_back(from_x == 1 ? from_w : from_x);
  }
  if (!s.x_is_vector) y_shape.push_back(s.x[s.x.size() - 2].value());
  if (!s.w_is_vector) y_shape.push_back(s.w.back().value());

  Tensor y(product_type(x.dtype), y_shape);
  size_t count = static_cast<size_t>(y.count());
  if (info(x.dtype).is_float) {
    std::vector<double> sums(count);
    multiply_batches(s, to_f64(x), to_f64(w), &sums);
    for (size_t i = 0; i < count; ++i) y.set_f64(static_cast<int64_t>(i), sums[i]);
  } else {
    std::vector<int64_t> sums(count);
    multiply_batches(s, to_i64(x), to_i64(w), &sums);
    for (size_t i = 0; i < count; ++i) y.set_i64(static_cast<int64_t>(i), sums[i]);
  }
  context.outputs[0] = std::move(y);
}

void insert_axis(View* view, size_t position) {
  view->shape.insert(view->shape.begin() + static_cast<std::ptrdiff_t>(position), Dim(1));
  view->strides.insert(view->strides.begin() + static_cast<std::ptrdiff_t>(position), Dim(1));
}

// The inputs that steps read, each once.
std::set<int> operands_of(const std::vector<PointwiseStep>& steps) {
  std::set<int> operands;
  for (const PointwiseStep& step : steps) {
    for (const StepArg& arg : step.args) {
      if (arg.kind == StepArg::input) operands.insert(arg.index);
    }
  }
  return operands;
}

Lowered lower_matmul(const LowerContext& context) {
  Product p;
  p.x = context.in(0);
  p.w = context.in(1);
  p.y = context.out(0);
  p.steps = context.node.epilogue;
  p.operands = input_views(context);
  bool x_is_vector = p.x.rank() == 1, w_is_vector = p.w.rank() == 1;
  if (x_is_vector || w_is_vector) {
    // The missing axes are added to everything that is aligned with y.
    std::vector<View*> aligned = {&p.y};
    for (int i : operands_of(p.steps)) {
      View& operand = p.operands[static_cast<size_t>(i)];
      operand = expand_view(operand, p.y.shape);
      aligned.push_back(&operand);
    }
    for (View* view : aligned) {
      if (w_is_vector) insert_axis(view, view->shape.size());
      if (x_is_vector) insert_axis(view, view->shape.size() - 1);
    }
    if (x_is_vector) insert_axis(&p.x, 0);
    if (w_is_vector) insert_axis(&p.w, 1);
  }
  return lower_product(p);
}

Cost cost_matmul(const Graph& graph, const Node& node) {
  Cost cost;
  cost.multiply_adds = static_cast<double>(graph.type(node.outputs[0]).count().hi()) *
                       static_cast<double>(graph.type(node.inputs[0]).shape.back().hi());
  return cost;
}

}  // namespace

void append_matmul(OpList& ops) {
  OpDef op;
  op.name = "MatMul";
  op.doc =
      "y[batch..., m, n] = a[batch..., m, k] * b[batch..., k, n] with numpy broadcasting of the "
      "batches; a vector is a row on the left, a column on the right.";
  op.min_inputs = op.max_inputs = 2;
  op.min_outputs = op.max_outputs = 1;
  op.versions = {{"", "MatMul", kOldestOpset, kLatestOpset, nullptr}};
  op.infer = infer_matmul;
  op.evaluate = evaluate_matmul;
  op.lower = lower_matmul;
  op.cost = cost_matmul;
  ops.push_back(std::move(op));
}

}  // namespace macec
