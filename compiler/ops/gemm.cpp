// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gemm: y[m, n] = alpha * A * B + beta * C, A and B transposed on request.
//
// alpha goes into B where B is a constant. C is the kernel's bias where it is one row, else it is
// added behind the kernel.
#include "compiler/ops/product.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

struct GemmAttributes {
  bool trans_a, trans_b;
  double alpha, beta;
};

GemmAttributes attributes_of(const Node& node) {
  return {node.int_attribute("transA", 0) != 0, node.int_attribute("transB", 0) != 0,
          node.float_attribute("alpha", 1), node.float_attribute("beta", 1)};
}

void infer_gemm(InferContext& context) {
  GemmAttributes g = attributes_of(context.node);
  const Shape& a = context.shape(0);
  const Shape& b = context.shape(1);
  if (a.size() != 2 || b.size() != 2) {
    throw user_error("Gemm of ranks {} and {}; it needs two matrices", a.size(), b.size());
  }
  Dim m = a[g.trans_a ? 1 : 0], n = b[g.trans_b ? 0 : 1];
  context.require_equal(a[g.trans_a ? 0 : 1], b[g.trans_b ? 1 : 0], "the number of columns of A",
                        "the number of rows of B");
  Shape y = {m, n};
  if (context.has(2)) {
    const Shape& c = context.shape(2);
    if (c.size() > 2) throw user_error("C has rank {}, at most 2", c.size());
    for (size_t i = 0; i < c.size(); ++i) {
      const Dim& extent = y[2 - c.size() + i];
      if (c[i] == Dim(1)) continue;
      context.require_equal(c[i], extent, fmt::format("axis {} of C", i), "the product");
    }
  }
  context.set_type(0, context.type(0).dtype, y);
}

// Index into C [], [n], [m, n] with broadcasting.
int64_t index_into_c(const std::vector<int64_t>& c, int64_t i, int64_t j) {
  int64_t column = !c.empty() && c.back() != 1 ? j : 0;
  int64_t row = c.size() == 2 && c[0] != 1 ? i : 0;
  return c.empty() ? 0 : row * c.back() + column;
}

void evaluate_gemm(EvaluateContext& context) {
  GemmAttributes g = attributes_of(context.node);
  const Tensor& a = context.in(0);
  const Tensor& b = context.in(1);
  MatrixStrides s{};
  s.m = a.shape[g.trans_a ? 1 : 0];
  s.k = a.shape[g.trans_a ? 0 : 1];
  s.n = b.shape[g.trans_b ? 0 : 1];
  s.x_row = g.trans_a ? 1 : a.shape[1];
  s.x_k = g.trans_a ? a.shape[1] : 1;
  s.w_k = g.trans_b ? 1 : b.shape[1];
  s.w_n = g.trans_b ? b.shape[1] : 1;
  Tensor y(a.dtype, {s.m, s.n});
  bool is_float = info(a.dtype).is_float;
  std::vector<double> real(is_float ? static_cast<size_t>(y.count()) : 0);
  std::vector<int64_t> integer(is_float ? 0 : static_cast<size_t>(y.count()));
  if (is_float) {
    multiply(s, to_f64(a).data(), to_f64(b).data(), real.data());
  } else {
    multiply(s, to_i64(a).data(), to_i64(b).data(), integer.data());
  }
  for (int64_t i = 0; i < y.count(); ++i) {
    size_t at = static_cast<size_t>(i);
    int64_t c = context.has(2) ? index_into_c(context.in(2).shape, i / s.n, i % s.n) : 0;
    if (is_float) {
      double v = g.alpha * real[at];
      if (context.has(2)) v += g.beta * context.in(2).f64(c);
      y.set_f64(i, v);
    } else {
      uint64_t v =
          static_cast<uint64_t>(static_cast<int64_t>(g.alpha)) * static_cast<uint64_t>(integer[at]);
      if (context.has(2)) {
        v += static_cast<uint64_t>(static_cast<int64_t>(g.beta)) *
             static_cast<uint64_t>(context.in(2).i64(c));
      }
      y.set_i64(i, static_cast<int64_t>(v));
    }
  }
  context.outputs[0] = std::move(y);
}

void check_gemm(const Graph& graph, const Node& node) {
  GemmAttributes g = attributes_of(node);
  DType dtype = graph.type(node.inputs[0]).dtype;
  auto is_whole = [](double v) { return v == static_cast<double>(static_cast<int64_t>(v)); };
  if (!info(dtype).is_float && (!is_whole(g.alpha) || !is_whole(g.beta))) {
    throw user_error("Gemm of {} with alpha {} and beta {} is not supported", name(dtype), g.alpha,
                     g.beta)
        .hint("the factors of an integer product must be whole numbers");
  }
}

Tensor scaled(const Tensor& tensor, double factor) {
  Tensor result = tensor;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (info(tensor.dtype).is_float) {
      result.set_f64(i, tensor.f64(i) * factor);
    } else {
      result.set_i64(i, tensor.i64(i) * static_cast<int64_t>(factor));
    }
  }
  return result;
}

void scale_constant(View* view, double factor) {
  view->constant = std::make_shared<const Tensor>(scaled(*view->constant, factor));
}

View scalar_view(DType dtype, double v) {
  Tensor tensor(dtype, {});
  if (info(dtype).is_float) {
    tensor.set_f64(0, v);
  } else {
    tensor.set_i64(0, static_cast<int64_t>(v));
  }
  return constant_view(std::move(tensor));
}

// Builds the steps behind the kernel: alpha and C first, then the node's own epilogue.
class Steps {
 public:
  explicit Steps(Product* product) : product_(product) {}

  StepArg operand(View view) {
    product_->operands.push_back(std::move(view));
    return {StepArg::input, static_cast<int>(product_->operands.size()) - 1};
  }
  StepArg add(const char* op, StepArg a, StepArg b) {
    product_->steps.push_back({op, {a, b}, product_->x.dtype, {}});
    return {StepArg::step, static_cast<int>(product_->steps.size()) - 1};
  }
  // `result` of the epilogue is `main`; its steps are numbered on.
  void append(const std::vector<PointwiseStep>& epilogue, StepArg main) {
    int shift = static_cast<int>(product_->steps.size());
    for (PointwiseStep step : epilogue) {
      for (StepArg& arg : step.args) {
        if (arg.kind == StepArg::result) {
          arg = main;
        } else if (arg.kind == StepArg::step) {
          arg.index += shift;
        }
      }
      product_->steps.push_back(std::move(step));
    }
  }

 private:
  Product* product_;
};

// C as one row that the kernel adds by itself.
bool is_bias(const View& c, const Dim& n, double beta) {
  if (c.rank() < 1 || c.shape.back() != n || (c.rank() == 2 && c.shape[0] != Dim(1))) return false;
  if (c.constant) return c.offset == Dim(0);
  return beta == 1 && (n == Dim(1) || c.strides.back() == Dim(1));
}

View as_row(const View& c) {
  View row = c;
  row.shape = {c.shape.back()};
  row.strides = {c.strides.back()};
  if (row.constant && c.constant->rank() != 1) {
    Tensor flat = *c.constant;
    flat.shape = {flat.count()};
    row.constant = std::make_shared<const Tensor>(std::move(flat));
  }
  return row;
}

Lowered lower_gemm(const LowerContext& context) {
  GemmAttributes g = attributes_of(context.node);
  Product p;
  p.x = g.trans_a ? transpose_view(context.in(0), {1, 0}) : context.in(0);
  p.w = g.trans_b ? transpose_view(context.in(1), {1, 0}) : context.in(1);
  p.y = context.out(0);
  p.operands = input_views(context);
  Steps steps(&p);
  StepArg main{StepArg::result, 0};
  if (g.alpha != 1) {
    if (p.w.constant) {
      scale_constant(&p.w, g.alpha);
    } else {
      main = steps.add("Mul", main, steps.operand(scalar_view(p.x.dtype, g.alpha)));
    }
  }
  if (context.has(2) && g.beta != 0) {
    View c = context.in(2);
    bool is_scaled = g.beta == 1;
    if (c.constant && !is_scaled) {
      scale_constant(&c, g.beta);
      is_scaled = true;
    }
    if (main.kind == StepArg::result && is_bias(c, p.y.shape[1], g.beta)) {
      p.bias = as_row(c);
    } else {
      StepArg addend = steps.operand(c);
      if (!is_scaled) {
        addend = steps.add("Mul", addend, steps.operand(scalar_view(p.x.dtype, g.beta)));
      }
      main = steps.add("Add", main, addend);
    }
  }
  steps.append(context.node.epilogue, main);
  return lower_product(p);
}

Cost cost_gemm(const Graph& graph, const Node& node) {
  const Shape& a = graph.type(node.inputs[0]).shape;
  Cost cost;
  cost.multiply_adds = static_cast<double>(graph.type(node.outputs[0]).count().hi()) *
                       static_cast<double>(a[attributes_of(node).trans_a ? 0 : 1].hi());
  return cost;
}

}  // namespace

void append_gemm(OpList& ops) {
  OpDef op;
  op.name = "Gemm";
  op.doc =
      "y[m, n] = alpha * A[m, k] * B[k, n] + beta * C, C broadcast to [m, n]; transA and transB "
      "say that A is [k, m], B is [n, k].";
  op.min_inputs = 2;
  op.max_inputs = 3;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {{AttributeDef::real, "alpha"},
                   {AttributeDef::real, "beta"},
                   {AttributeDef::integer, "transA"},
                   {AttributeDef::integer, "transB"}};
  op.versions = {{"", "Gemm", kOldestOpset, kLatestOpset, nullptr}};
  op.infer = infer_gemm;
  op.evaluate = evaluate_gemm;
  op.lower = lower_gemm;
  op.cost = cost_gemm;
  op.check = check_gemm;
  ops.push_back(std::move(op));
}

}  // namespace macec
