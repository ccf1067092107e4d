// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool and AveragePool, 1-d to 3-d.
//
// AveragePool divides by the elements of a window that lie in the input, or with count_include_pad
// in the padded input; what ceil_mode lets hang over behind the padding never counts. Kernels work
// on channels-last tensors. Plain ones are the same with N * C images of one channel.
#include <cmath>
#include <limits>

#include "compiler/ops/lowering.h"
#include "compiler/ops/registry.h"
#include "compiler/ops/window.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

Window pool_window(const Node& node, const Shape& input) {
  return make_window(node, input, node.ints_attribute("kernel_shape"));
}

void infer_pool(InferContext& context) {
  const Shape& x = context.shape(0);
  Shape y = window_shape(pool_window(context.node, x), x, x.size() > 1 ? x[1] : Dim(1));
  context.set_type(0, context.type(0).dtype, y);
  if (context.node.outputs.size() > 1) context.set_type(1, DType::int64, y);
}

// The window in numbers.
struct FixedWindow {
  explicit FixedWindow(const Window& w) : window(w) {
    for (int a = 0; a < 3; ++a) {
      in[a] = w.in[a].value();
      out[a] = w.out[a].value();
      pad[a] = w.pad[a].value();
      pad_end[a] = w.pad_end[a].value();
    }
  }
  const Window& window;
  int64_t in[3], out[3], pad[3], pad_end[3];

  // Calls inside(position in the plane of x) for every tap in the input; returns the taps in the
  // padded input.
  template <class F>
  int64_t visit(int64_t output, F inside) const {
    int64_t o[3] = {output / (out[1] * out[2]), output / out[2] % out[1], output % out[2]};
    int64_t padded = 0;
    int k[3];
    for (k[0] = 0; k[0] < window.kernel[0]; ++k[0]) {
      for (k[1] = 0; k[1] < window.kernel[1]; ++k[1]) {
        for (k[2] = 0; k[2] < window.kernel[2]; ++k[2]) {
          bool is_inside = true, is_padded = true;
          int64_t position = 0;
          for (int a = 0; a < 3; ++a) {
            int64_t i = o[a] * window.stride[a] - pad[a] + int64_t{k[a]} * window.dilation[a];
            is_inside = is_inside && i >= 0 && i < in[a];
            is_padded = is_padded && i >= -pad[a] && i < in[a] + pad_end[a];
            position = position * in[a] + i;
          }
          if (is_padded) ++padded;
          if (is_inside) inside(position);
        }
      }
    }
    return padded;
  }
};

int64_t product_of(const int64_t (&extents)[3]) {
  return extents[0] * extents[1] * extents[2];
}

// Index of a position in the whole tensor as MaxPool counts it: row by row, or with storage_order 1
// the first spatial axis fastest.
int64_t max_index(const FixedWindow& w, int64_t plane, int64_t position, bool by_column) {
  int64_t p[3] = {position / (w.in[1] * w.in[2]), position / w.in[2] % w.in[1], position % w.in[2]};
  int64_t index = by_column ? p[0] + w.in[0] * (p[1] + w.in[1] * p[2]) : position;
  return plane * product_of(w.in) + index;
}

void evaluate_max_pool(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = to_shape(x.shape);
  Window window = pool_window(context.node, shape);
  FixedWindow w(window);
  bool by_column = context.node.int_attribute("storage_order", 0) != 0;
  std::vector<int64_t> y_shape = fixed(window_shape(window, shape, shape[1]));
  Tensor y(x.dtype, y_shape), indices(DType::int64, y_shape);
  int64_t positions = product_of(w.out);
  double lowest = info(x.dtype).is_float    ? -std::numeric_limits<double>::infinity()
                  : info(x.dtype).is_signed ? -std::ldexp(1.0, info(x.dtype).bits - 1)
                                            : 0;
  for (int64_t i = 0; i < y.count(); ++i) {
    int64_t plane = i / positions, best_at = -1;
    double best = lowest;
    w.visit(i % positions, [&](int64_t position) {
      double v = x.f64(plane * product_of(w.in) + position);
      const bool stays = std::isnan(best) || (!(v > best) && !std::isnan(v));
      if (best_at >= 0 && stays) return;
      best = v;
      best_at = position;
    });
    y.set_f64(i, best);
    indices.set_i64(i, max_index(w, plane, best_at < 0 ? 0 : best_at, by_column));
  }
  context.outputs[0] = std::move(y);
  if (context.outputs.size() > 1) context.outputs[1] = std::move(indices);
}

void evaluate_average_pool(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = to_shape(x.shape);
  Window window = pool_window(context.node, shape);
  FixedWindow w(window);
  bool counts_pads = context.node.int_attribute("count_include_pad", 0) != 0;
  Tensor y(x.dtype, fixed(window_shape(window, shape, shape[1])));
  int64_t positions = product_of(w.out);
  for (int64_t i = 0; i < y.count(); ++i) {
    double sum = 0;
    int64_t count = 0;
    int64_t padded = w.visit(i % positions, [&](int64_t position) {
      sum += x.f64(i / positions * product_of(w.in) + position);
      ++count;
    });
    y.set_f64(i, sum / static_cast<double>(counts_pads ? padded : count));
  }
  context.outputs[0] = std::move(y);
}

int64_t norm_power(const Node& node) {
  const int64_t power = node.int_attribute("p", 2);
  if (power < 1 || power > 64) throw user_error("p is {}, but must be from 1 to 64", power);
  return power;
}

void infer_lp_pool(InferContext& context) {
  norm_power(context.node);
  if (!info(context.type(0).dtype).is_float || info(context.type(0).dtype).bits < 16)
    throw user_error("LpPool of {} is not supported", name(context.type(0).dtype));
  infer_pool(context);
}

void evaluate_lp_pool(EvaluateContext& context) {
  const Tensor& x = context.in(0);
  Shape shape = to_shape(x.shape);
  Window window = pool_window(context.node, shape);
  FixedWindow w(window);
  const auto power = static_cast<double>(norm_power(context.node));
  Tensor y(x.dtype, fixed(window_shape(window, shape, shape[1])));
  int64_t positions = product_of(w.out);
  for (int64_t i = 0; i < y.count(); ++i) {
    double sum = 0;
    w.visit(i % positions, [&](int64_t position) {
      sum += std::pow(std::fabs(x.f64(i / positions * product_of(w.in) + position)), power);
    });
    y.set_f64(i, std::pow(sum, 1 / power));
  }
  context.outputs[0] = std::move(y);
}

// Images of one channel out of a plain tensor.
bool as_planes(const View& view, View* planes) {
  Shape shape = view.shape;
  shape[0] = view.shape[0] * view.shape[1];
  shape[1] = 1;
  return reshape_view(view, shape, planes);
}

// One pixel stride serves both outputs of MaxPool.
bool pixel_strides(const std::vector<View>& inputs, const std::vector<View>& outputs,
                   PoolParamsT<Dim>* p) {
  if (!pixel_stride(inputs[0], &p->x_pixel)) return false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Dim pixel;
    if (!pixel_stride(outputs[i], &pixel) || (i > 0 && pixel != p->y_pixel)) return false;
    p->y_pixel = pixel;
  }
  return true;
}

Lowered lower_pool(const LowerContext& context, const char* op) {
  std::vector<View> inputs = {context.in(0)}, outputs = {context.out(0)};
  const Node& node = context.node;
  bool has_indices = node.outputs.size() > 1 && node.outputs[1].is_valid();
  if (has_indices) outputs.push_back(context.out(1));
  Window window = pool_window(node, inputs[0].shape);
  Dim results = window.positions() * inputs[0].shape[0] * inputs[0].shape[1];

  PoolParamsT<Dim> p{};
  bool is_channels_last = pixel_strides(inputs, outputs, &p);
  if (!is_channels_last) {
    if (!node.epilogue.empty() || !as_planes(inputs[0], &inputs[0])) return {};
    for (View& view : outputs) {
      if (!as_planes(view, &view)) return {};
    }
    if (!pixel_strides(inputs, outputs, &p)) return {};
  }
  for (int a = 0; a < 3; ++a) {
    p.kernel[a] = window.kernel[a];
    p.stride[a] = window.stride[a];
    p.dilation[a] = window.dilation[a];
    p.in[a] = window.in[a];
    p.out[a] = window.out[a];
    p.pad[a] = window.pad[a];
    p.pad_end[a] = window.pad_end[a];
  }
  p.count_include_pad = static_cast<int>(node.int_attribute("count_include_pad", 0));
  p.batch = inputs[0].shape[0];
  p.channels = inputs[0].shape[1];

  KernelCall call = make_call(Family::pool, inputs, outputs);
  call.op = op;
  call.units = p.batch * p.out[0] * p.out[1];
  call.params = p;
  call.elements = static_cast<double>(results.hi()) * static_cast<double>(window.taps());
  if (!attach_epilogue(context, 1, &call)) return {};
  return {std::move(call)};
}

Lowered lower_max_pool(const LowerContext& context) {
  const Node& node = context.node;
  if (node.outputs.size() < 2 || !node.outputs[1].is_valid()) return lower_pool(context, "Max");
  bool by_column = node.int_attribute("storage_order", 0) != 0;
  return lower_pool(context, by_column ? "MaxIndicesByColumn" : "MaxIndices");
}

Lowered lower_average_pool(const LowerContext& context) {
  return lower_pool(context, "Average");
}

Lowered lower_lp_pool(const LowerContext& context) {
  return lower_pool(context, fmt::format("Lp{}", norm_power(context.node)).c_str());
}

Cost cost_pool(const Graph& graph, const Node& node) {
  double taps = 1;
  for (int64_t extent : node.ints_attribute("kernel_shape")) taps *= static_cast<double>(extent);
  Cost cost;
  cost.elements = static_cast<double>(graph.type(node.outputs[0]).count().hi()) * taps;
  return cost;
}

OpDef pool_op(const char* name) {
  OpDef op;
  op.name = name;
  op.min_inputs = op.max_inputs = 1;
  op.min_outputs = op.max_outputs = 1;
  op.attributes = {
      {AttributeDef::text, "auto_pad"},      {AttributeDef::integer, "ceil_mode"},
      {AttributeDef::integers, "dilations"}, {AttributeDef::integers, "kernel_shape", true},
      {AttributeDef::integers, "pads"},      {AttributeDef::integers, "strides"}};
  op.versions = {{"", name, kOldestOpset, kLatestOpset, nullptr}};
  op.traits = kChannelsLast;
  op.infer = infer_pool;
  op.cost = cost_pool;
  return op;
}

}  // namespace

void append_pool(OpList& ops) {
  OpDef average = pool_op("AveragePool");
  average.doc =
      "x[N, C, spatial...] to y[N, C, windows...]: the mean of each window; one to three spatial "
      "axes.";
  average.attributes.push_back({AttributeDef::integer, "count_include_pad"});
  average.evaluate = evaluate_average_pool;
  average.lower = lower_average_pool;
  ops.push_back(std::move(average));

  OpDef lp = pool_op("LpPool");
  lp.doc =
      "x[N, C, spatial...] to y[N, C, windows...]: the p-norm of each window; one to three spatial "
      "axes.";
  lp.attributes.push_back({AttributeDef::integer, "p"});
  lp.infer = infer_lp_pool;
  lp.evaluate = evaluate_lp_pool;
  lp.lower = lower_lp_pool;
  ops.push_back(std::move(lp));

  OpDef max = pool_op("MaxPool");
  max.doc =
      "x[N, C, spatial...] to y[N, C, windows...]: the greatest element of each window, and on "
      "request its index in x; one to three spatial axes.";
  max.max_outputs = 2;
  max.attributes.push_back({AttributeDef::integer, "storage_order"});
  max.evaluate = evaluate_max_pool;
  max.lower = lower_max_pool;
  ops.push_back(std::move(max));
}

}  // namespace macec
