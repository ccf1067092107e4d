// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ops/moves.h"

#include <algorithm>

#include "compiler/support/error.h"

namespace macec {
namespace {

UserError computed_from_data(const InferContext& context, int i, const char* what) {
  const TensorType& type = context.type(i);  // says so if it is missing
  const ValueId id = context.node.inputs[static_cast<size_t>(i)];
  const Value& value = context.graph.value(id);
  UserError error =
      user_error("{} is computed when the model runs ('{}' {}), which is not supported", what,
                 value.name, text(type));
  const std::vector<ValueId>& inputs = context.graph.inputs;
  if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) {
    error.hint(fmt::format("give this input a value: --set {}=...", value.name));
  } else {
    error.hint("macec follows sizes of inputs, not their elements; --set gives an input a value");
  }
  if (info(value.type.dtype).is_integer)
    error.hint(fmt::format("or say what its elements are at most, each at least 0: --bound {}=N", value.name));
  return error;
}

}  // namespace

int64_t normal_axis(int64_t axis, size_t rank) {
  int64_t r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r) throw user_error("axis {} of a tensor of rank {}", axis, rank);
  return axis < 0 ? axis + r : axis;
}

std::vector<int64_t> normal_axes(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<int64_t> result;
  for (int64_t axis : axes) {
    int64_t normal = normal_axis(axis, rank);
    if (std::find(result.begin(), result.end(), normal) != result.end()) {
      throw user_error("axis {} is given twice", axis);
    }
    result.push_back(normal);
  }
  return result;
}

const std::vector<Dim>& require_known(const InferContext& context, int i, const char* what) {
  const std::vector<Dim>* known = context.known(i);
  if (!known) throw computed_from_data(context, i, what);
  return *known;
}

std::vector<int64_t> require_numbers(const InferContext& context, int i, const char* what) {
  std::vector<int64_t> numbers;
  for (const Dim& d : require_known(context, i, what)) {
    if (!d.is_fixed()) throw user_error("{} that varies ({}) is not supported", what, d.text());
    numbers.push_back(d.value());
  }
  return numbers;
}

std::optional<std::vector<Dim>> known_elements(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  if (value.constant) return element_extents(*value.constant);
  return value.known;
}

std::vector<Dim> known_elements(const LowerContext& context, int input) {
  std::optional<std::vector<Dim>> known =
      known_elements(context.graph, context.node.inputs[static_cast<size_t>(input)]);
  MACEC_CHECK(known.has_value(), "input {} of {} is not known any more", input, context.node.op);
  return *known;
}

std::vector<Dim> element_extents(const Tensor& tensor) {
  std::vector<Dim> extents;
  for (int64_t i = 0; i < tensor.count(); ++i) extents.push_back(tensor.i64(i));
  return extents;
}

View dense_view(const Tensor& tensor) {
  return dense_view(0, tensor.type());
}

void copy_element(const Tensor& from, int64_t i, Tensor* to, int64_t j) {
  int bits = info(from.dtype).bits;
  if (bits < 8) {
    to->set_f64(j, from.f64(i));
    return;
  }
  size_t bytes = static_cast<size_t>(bits / 8);
  std::memcpy(to->bytes.data() + static_cast<size_t>(j) * bytes,
              from.bytes.data() + static_cast<size_t>(i) * bytes, bytes);
}

Tensor materialize(const Tensor& tensor, const View& view) {
  Tensor result(tensor.dtype, fixed(view.shape));
  if (result.count() == 0) return result;
  std::vector<int64_t> strides = fixed(view.strides), position(result.shape.size(), 0);
  int64_t from = view.offset.value();
  for (int64_t to = 0; to < result.count(); ++to) {
    copy_element(tensor, from, &result, to);
    for (size_t a = position.size(); a-- > 0;) {
      from += strides[a];
      if (++position[a] < result.shape[a]) break;
      from -= strides[a] * result.shape[a];
      position[a] = 0;
    }
  }
  return result;
}

Lowered lower_as_copies(const LowerContext& context) {
  if (!context.node.epilogue.empty()) return {};
  Lowered calls;
  const Node& node = context.node;
  for (size_t o = 0; o < node.outputs.size(); ++o) {
    if (!node.outputs[o].is_valid()) continue;
    LowerContext part{context.graph, node, context.view_of, static_cast<int>(o)};
    View view;
    if (!node.def->view(part, context.in(0), &view)) return {};
    calls.push_back(copy_call(view, context.out(static_cast<int>(o))));
  }
  return calls;
}

void attribute_to_input(ImportContext& context, const char* name, size_t index) {
  Node& node = context.node;
  auto at = node.attributes.find(name);
  if (at == node.attributes.end()) return;
  Tensor tensor = Tensor::vector_i64(node.ints_attribute(name));
  node.attributes.erase(at);
  if (node.inputs.size() <= index) node.inputs.resize(index + 1);
  node.inputs[index] = context.constant(name, std::move(tensor));
}

}  // namespace macec
