// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop nests and the calls made of them alone: copy, fill, pointwise, and epilogues.
//
//   y[n,c,h,w] = x[n,c,h,w] + b[c]     strides of y: c*h*w, h*w, w, 1
//                                      strides of x: the same;  of b: 0, 1, 0, 0
//   as a nest: [n][c][h*w]             h and w merge because no operand can tell
#include "compiler/ops/lowering.h"

#include <algorithm>
#include <map>

#include "compiler/support/error.h"

namespace macec {
namespace {

bool is_one(const Dim& d) {
  return d == Dim(1);
}

// Axes of extent other than 1, the largest stride of the leader first.
std::vector<size_t> nest_order(const Shape& shape, const std::vector<Dim>& leader) {
  std::vector<size_t> order;
  for (size_t a = 0; a < shape.size(); ++a) {
    if (!is_one(shape[a])) order.push_back(a);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return leader[a].hi() > leader[b].hi(); });
  return order;
}

template <class Params>
void set_extents(const LoopNest& nest, Params* params) {
  params->rank = static_cast<int>(nest.extent.size());
  std::copy(nest.extent.begin(), nest.extent.end(), params->extent);
}

void set_strides(const std::vector<Dim>& strides, Dim* to) {
  std::copy(strides.begin(), strides.end(), to);
}

}  // namespace

KernelCall make_call(Family family, std::vector<View> inputs, std::vector<View> outputs) {
  KernelCall call;
  call.family = family;
  call.constant_uses.resize(inputs.size());
  call.inputs = std::move(inputs);
  call.outputs = std::move(outputs);
  return call;
}

LoopNest make_nest(const Shape& shape, const std::vector<std::vector<Dim>>& strides, int leader) {
  LoopNest nest;
  nest.strides.resize(strides.size());
  for (size_t axis : nest_order(shape, strides[static_cast<size_t>(leader)])) {
    bool merges = !nest.extent.empty();
    for (size_t o = 0; merges && o < strides.size(); ++o) {
      merges = nest.strides[o].back() == strides[o][axis] * shape[axis];
    }
    if (merges) {
      nest.extent.back() *= shape[axis];
      for (size_t o = 0; o < strides.size(); ++o) nest.strides[o].back() = strides[o][axis];
    } else {
      nest.extent.push_back(shape[axis]);
      for (size_t o = 0; o < strides.size(); ++o) nest.strides[o].push_back(strides[o][axis]);
    }
  }
  if (nest.extent.size() > static_cast<size_t>(kMaxRank)) {
    throw user_error("{} axes that cannot be merged in one loop nest are not supported, at most {}",
                     nest.extent.size(), static_cast<int>(kMaxRank));
  }
  return nest;
}

std::vector<Dim> row_major_strides(const Shape& shape) {
  return dense_strides(shape, Layout::plain);
}

std::vector<Dim> broadcast_strides(const View& view, const Shape& shape) {
  MACEC_CHECK(view.shape.size() <= shape.size(), "operand of rank {} in a nest of rank {}",
              view.shape.size(), shape.size());
  std::vector<Dim> strides(shape.size(), Dim(0));
  size_t skipped = shape.size() - view.shape.size();
  for (size_t a = 0; a < view.shape.size(); ++a) {
    if (!is_one(view.shape[a])) strides[skipped + a] = view.strides[a];
  }
  return strides;
}

// Elements of less than a byte, by number or as they are.
static KernelCall packed_copy(View from, View to) {
  if (info(to.dtype).is_float) {  // their bits
    from.dtype = to.dtype = DType::uint4;
    if (from.constant) {
      Tensor bits = *from.constant;
      bits.dtype = DType::uint4;
      from.constant = std::make_shared<Tensor>(std::move(bits));
    }
  }
  PointwiseStep step;
  step.op = "Cast";
  step.args = {{StepArg::input, 0}};
  step.dtype = to.dtype;
  KernelCall call = pointwise_call({std::move(step)}, {std::move(from)}, {std::move(to)}, {0});
  order_packed_results(&call);
  return call;
}

KernelCall copy_call(const View& given, const View& to) {
  View from = given;
  if (given.rank() > to.rank()) {  // [1] into []
    MACEC_CHECK(reshape_view(given, to.shape, &from), "a copy of {} to {}", text(given.shape),
                text(to.shape));
  }
  if (info(to.dtype).bits < 8) return packed_copy(std::move(from), to);
  LoopNest nest = make_nest(to.shape, {broadcast_strides(from, to.shape), to.strides}, 1);
  CopyParamsT<Dim> params{};
  set_extents(nest, &params);
  set_strides(nest.strides[0], params.x_stride);
  set_strides(nest.strides[1], params.y_stride);
  KernelCall call = make_call(Family::copy, {from}, {to});
  call.params = params;
  call.units = nest.extent.empty() ? Dim(1) : nest.extent[0];
  call.elements = static_cast<double>(product(to.shape).hi());
  return call;
}

KernelCall fill_call(const View& one_element, const View& to) {
  LoopNest nest = make_nest(to.shape, {to.strides}, 0);
  FillParamsT<Dim> params{};
  set_extents(nest, &params);
  set_strides(nest.strides[0], params.y_stride);
  KernelCall call = make_call(Family::fill, {one_element}, {to});
  call.params = params;
  call.units = nest.extent.empty() ? Dim(1) : nest.extent[0];
  call.elements = static_cast<double>(product(to.shape).hi());
  return call;
}

KernelCall pointwise_call(std::vector<PointwiseStep> steps, std::vector<View> inputs,
                          std::vector<View> outputs, std::vector<int> results) {
  MACEC_CHECK(!outputs.empty() && outputs.size() == results.size(), "{} outputs, {} results",
              outputs.size(), results.size());
  if (inputs.size() + outputs.size() > static_cast<size_t>(kMaxOperands)) {
    throw user_error("elementwise work on {} tensors at once is not supported, at most {}",
                     inputs.size() + outputs.size(), static_cast<int>(kMaxOperands));
  }
  const Shape& shape = outputs[0].shape;
  std::vector<std::vector<Dim>> strides;
  for (const View& view : inputs) strides.push_back(broadcast_strides(view, shape));
  for (const View& view : outputs) strides.push_back(view.strides);
  LoopNest nest = make_nest(shape, strides, static_cast<int>(inputs.size()));

  PointwiseParamsT<Dim> params{};
  set_extents(nest, &params);
  params.operands = static_cast<int>(strides.size());
  for (size_t o = 0; o < strides.size(); ++o) set_strides(nest.strides[o], params.stride[o]);

  double elements = static_cast<double>(product(shape).hi()) * static_cast<double>(steps.size());
  KernelCall call = make_call(Family::pointwise, std::move(inputs), std::move(outputs));
  call.params = params;
  if (nest.extent.size() <= 1) {
    call.units = ceil_div(nest.extent.empty() ? Dim(1) : nest.extent[0], kPointwiseBlock);
  } else {
    call.units = product(Shape(nest.extent.begin(), nest.extent.end() - 1));
  }
  call.epilogue = std::move(steps);
  call.results = std::move(results);
  call.elements = elements;
  return call;
}

// Whether the elements of operand o follow one another without a gap when the nest is walked.
static bool is_one_run(const PointwiseParamsT<Dim>& params, size_t o) {
  Dim stride = 1;
  for (int a = params.rank; a-- > 0; stride = stride * params.extent[a]) {
    if (params.stride[o][a] != stride) return false;
  }
  return true;
}

// An axis of one element before the last: the kernel walks plain rows, no squares.
static void keep_rows_whole(PointwiseParamsT<Dim>* params) {
  const int last = params->rank - 1;
  params->extent[last + 1] = params->extent[last];
  params->extent[last] = 1;
  for (int o = 0; o < params->operands; ++o) {
    params->stride[o][last + 1] = params->stride[o][last];
    params->stride[o][last] = 0;
  }
  ++params->rank;
}

void order_packed_results(KernelCall* call) {
  auto& params = std::get<PointwiseParamsT<Dim>>(call->params);
  if (product(call->outputs[0].shape) == Dim(0)) return;
  for (size_t i = 0; i < call->outputs.size(); ++i) {
    const DTypeInfo& type = info(call->outputs[i].dtype);
    if (type.bits >= 8) continue;
    const size_t o = call->inputs.size() + i;
    const int axis = params.rank - 1;
    const bool is_row = axis < 0 || params.stride[o][axis] == Dim(1);
    const bool is_whole = axis <= 0 || mod(params.extent[axis] * type.bits, 8) == Dim(0);
    call->is_in_order = call->is_in_order || !is_whole;
    if (!is_row || !(is_whole || is_one_run(params, o)) ||
        mod(call->outputs[i].offset * type.bits, 8) != Dim(0) || params.rank == kMaxRank) {
      throw user_error("a result of {} whose rows end inside a byte is not supported", type.name);
    }
  }
  if (call->is_in_order) keep_rows_whole(&params);
}

bool row_column_strides(const View& output, int columns, const View& operand, Dim* row,
                        int* column) {
  if (operand.shape.size() > output.shape.size()) return false;
  std::vector<Dim> strides = broadcast_strides(operand, output.shape);
  size_t c = static_cast<size_t>(columns);
  *column = 0;
  if (!is_one(output.shape[c]) && strides[c] != Dim(0)) {
    if (output.strides[c] != Dim(1) || strides[c] != Dim(1)) return false;
    *column = 1;
  }
  Shape rows = output.shape;
  rows[c] = 1;

  // The rows must be one walk: each outer stride is the inner one times the inner extent.
  *row = 0;
  Dim inner_stride, inner_extent = 1;
  std::vector<size_t> order = nest_order(rows, output.strides);
  for (size_t i = order.size(); i-- > 0;) {
    size_t axis = order[i];
    if (i + 1 == order.size()) {
      *row = strides[axis];
    } else if (strides[axis] != inner_stride * inner_extent) {
      return false;
    }
    inner_stride = strides[axis];
    inner_extent = output.shape[axis];
  }
  return true;
}

bool pixel_stride(const View& view, Dim* pixel) {
  if (view.rank() < 3) return false;
  if (!is_one(view.shape[1]) && view.strides[1] != Dim(1)) return false;
  Dim inner = 1;
  bool is_found = false;
  *pixel = view.shape[1];
  for (int a = view.rank() - 1; a >= 0; --a) {
    size_t axis = static_cast<size_t>(a);
    if (axis == 1 || is_one(view.shape[axis])) continue;
    if (!is_found) *pixel = view.strides[axis];
    if (view.strides[axis] != *pixel * inner) return false;
    is_found = true;
    inner *= view.shape[axis];
  }
  return true;
}

// A worker that takes rows reads all weights, one that takes columns reads all of x: with few rows the
// weights are what costs. Two columns of units for two workers would leave one of them waiting where
// the second is not full.
int64_t column_units(const Dim& rows, int64_t n) {
  constexpr int64_t kMostRows = 256, kFewRows = 96;
  const int64_t units = (n + kUnitColumns - 1) / kUnitColumns;
  const bool is_even = units >= 4 || n == 2 * kUnitColumns;
  return rows.hi() <= (is_even ? kMostRows : kFewRows) && units > 1 ? units : 0;
}

bool attach_steps(const std::vector<PointwiseStep>& steps, const std::vector<View>& operands,
                  int columns, KernelCall* call) {
  std::map<int, int> index_of;  // operand -> epilogue input
  call->epilogue = steps;
  for (PointwiseStep& step : call->epilogue) {
    for (StepArg& arg : step.args) {
      if (arg.kind != StepArg::input) continue;
      auto [place, is_new] =
          index_of.emplace(arg.index, static_cast<int>(call->epilogue_inputs.size()));
      if (is_new) {
        const View& operand = operands[static_cast<size_t>(arg.index)];
        Dim row;
        int column = 0;
        if (!row_column_strides(call->outputs[0], columns, operand, &row, &column)) return false;
        call->epilogue_inputs.push_back(operand);
        call->epilogue_row_strides.push_back(row);
        call->epilogue_col_strides.push_back(column);
      }
      arg.index = place->second;
    }
  }
  return true;
}

bool attach_epilogue(const LowerContext& context, int columns, KernelCall* call) {
  return attach_steps(context.node.epilogue, input_views(context), columns, call);
}

std::vector<View> input_views(const LowerContext& context) {
  std::vector<View> views(context.node.inputs.size());
  for (size_t i = 0; i < views.size(); ++i) {
    if (context.has(static_cast<int>(i))) views[i] = context.in(static_cast<int>(i));
  }
  return views;
}

View constant_view(Tensor tensor) {
  View view = dense_view(-1, tensor.type());
  view.constant = std::make_shared<const Tensor>(std::move(tensor));
  return view;
}

}  // namespace macec
