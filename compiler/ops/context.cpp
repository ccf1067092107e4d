// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What operators may ask while they are imported and inferred.
#include <algorithm>
#include <cmath>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"

namespace macec {
namespace {

// Constants of more elements are no shape arithmetic.
constexpr int64_t kMaxKnown = 1024;

// The elements of a constant that holds whole numbers.
std::optional<std::vector<Dim>> whole_elements(const Tensor& tensor) {
  const DTypeInfo& type = info(tensor.dtype);
  if (!type.is_float && !type.is_integer && tensor.dtype != DType::boolean) return std::nullopt;
  if (tensor.count() > kMaxKnown || tensor.dtype == DType::uint64) return std::nullopt;
  std::vector<Dim> elements;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    if (type.is_float) {
      const double v = tensor.f64(i);
      if (!(std::fabs(v) < 4e15) || v != std::floor(v)) return std::nullopt;
    }
    elements.emplace_back(tensor.i64(i));
  }
  return elements;
}

}  // namespace

ValueId ImportContext::constant(const std::string& suffix, Tensor tensor) {
  std::string stem = node.name.empty() ? node.op : node.name;
  return add_constant(graph, stem + "." + suffix, std::move(tensor));
}

bool InferContext::has(int i) const {
  return i >= 0 && i < inputs() && node.inputs[static_cast<size_t>(i)].is_valid();
}

const TensorType& InferContext::type(int i) const {
  if (!has(i)) throw user_error("input {} is missing", i);
  return graph.type(node.inputs[static_cast<size_t>(i)]);
}

const Tensor* InferContext::constant(int i) const {
  return has(i) ? graph.value(node.inputs[static_cast<size_t>(i)]).constant.get() : nullptr;
}

const std::vector<Dim>* InferContext::known(int i) const {
  if (!has(i)) return nullptr;
  const Value& value = graph.value(node.inputs[static_cast<size_t>(i)]);
  if (value.known) return &*value.known;
  if (!value.constant) return nullptr;
  const auto at = static_cast<size_t>(i);
  if (known_cache.size() <= at)
    known_cache.reserve(node.inputs.size()), known_cache.resize(node.inputs.size());
  if (!known_cache[at]) known_cache[at] = whole_elements(*value.constant);
  return known_cache[at] ? &*known_cache[at] : nullptr;
}

void InferContext::set_type(int output, DType dtype, Shape shape) {
  const auto at = static_cast<size_t>(output);
  if (results.size() <= at) results.resize(at + 1);
  results[at] = {dtype, std::move(shape), Layout::plain};
}

void InferContext::set_known(int output, std::vector<Dim> elements) {
  const auto at = static_cast<size_t>(output);
  if (contents.size() <= at) contents.resize(at + 1);
  contents[at] = std::move(elements);
}

void InferContext::require_equal(const Dim& a, const Dim& b, const std::string& text_a,
                                 const std::string& text_b) {
  if (a == b) return;
  const bool is_apart = a.lo() > b.hi() || b.lo() > a.hi();
  if (is_apart || (a.is_fixed() && b.is_fixed())) {
    throw user_error("{} is {} but {} is {}", text_a, a.text(), text_b, b.text());
  }
  for (const ExtentCheck& check : graph.checks) {
    if ((check.a == a && check.b == b) || (check.a == b && check.b == a)) return;
  }
  graph.checks.push_back({a, b, text_a, text_b});
}

void InferContext::require_shape(int i, const Shape& wanted) {
  const Shape& given = shape(i);
  if (given.size() != wanted.size())
    throw user_error("input {} has {} axes instead of {}", i, given.size(), wanted.size());
  for (size_t a = 0; a < given.size(); ++a)
    require_equal(given[a], wanted[a], fmt::format("axis {} of input {}", a, i),
                  "what the others say");
}

Dim InferContext::computed(const std::string& name, int64_t lo, int64_t hi) {
  auto symbol = std::make_shared<Symbol>();
  symbol->name = fresh_name(graph, name);
  symbol->lo = lo;
  symbol->hi = hi;
  symbol->is_computed = true;
  return Dim::symbol(std::move(symbol));
}

}  // namespace macec
