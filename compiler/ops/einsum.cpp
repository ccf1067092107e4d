// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Einsum, written as transposes, sums and batched products, operand by operand from the left.
//
//   "bij,bjk->bik"   labels of both that stay are batches (b), labels of both that go are summed by
//                    MatMul (j); the others are its rows (i) and columns (k)
//
// A label that comes twice in one operand is its diagonal: a reshape and a slice with a step.
#include <algorithm>
#include <map>

#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

using Labels = std::vector<int>;
constexpr int kEllipsis = 1000;  // minus the place from the right: axes of "..."

bool has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// ellipsis: axes that "..." stands for.
Labels parse_term(const std::string& term, int64_t ellipsis) {
  Labels labels;
  for (size_t i = 0; i < term.size(); ++i) {
    if (term.compare(i, 3, "...") == 0) {
      for (int64_t a = ellipsis; a > 0; --a) labels.push_back(kEllipsis - static_cast<int>(a));
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(term[i]))) {
      labels.push_back(term[i]);
    } else {
      throw user_error("'{}' in the equation is no label", term[i]);
    }
  }
  return labels;
}

struct Equation {
  std::vector<Labels> inputs;
  Labels output;
};

Equation parse(const Node& node, const std::vector<size_t>& ranks) {
  std::string text = node.string_attribute("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow) + ",";
  Equation equation;
  int64_t most = 0;
  for (size_t at; (at = left.find(',')) != left.npos; left.erase(0, at + 1)) {
    const std::string term = left.substr(0, at);
    const size_t i = equation.inputs.size();
    if (i >= ranks.size()) throw user_error("more terms than the {} inputs", ranks.size());
    const bool is_open = term.find("...") != term.npos;
    const int64_t axes =
        is_open ? static_cast<int64_t>(ranks[i]) - static_cast<int64_t>(term.size() - 3) : 0;
    equation.inputs.push_back(parse_term(term, axes));
    most = std::max(most, axes);
    if (equation.inputs[i].size() != ranks[i])
      throw user_error("term '{}' for an input of {} axes", term, ranks[i]);
  }
  if (equation.inputs.size() != ranks.size())
    throw user_error("{} terms for {} inputs", equation.inputs.size(), ranks.size());
  if (arrow != text.npos) {
    equation.output = parse_term(text.substr(arrow + 2), most);
  } else {  // what comes once, in the order of the alphabet, behind "..."
    std::map<int, int> count;
    for (const Labels& labels : equation.inputs)
      for (int label : labels) ++count[label];
    for (const auto& [label, n] : count)
      if (label > 255) equation.output.push_back(label);
    for (const auto& [label, n] : count)
      if (label <= 255 && n == 1) equation.output.push_back(label);
  }
  return equation;
}

void infer_einsum(InferContext& context) {
  std::vector<size_t> ranks;
  for (int i = 0; i < context.inputs(); ++i) ranks.push_back(context.shape(i).size());
  const Equation equation = parse(context.node, ranks);
  std::map<int, Dim> extents;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (size_t a = 0; a < ranks[i]; ++a) {
      const Dim& extent = context.shape(static_cast<int>(i))[a];
      const auto [at, is_new] = extents.emplace(equation.inputs[i][a], extent);
      if (is_new || extent == Dim(1)) continue;
      if (at->second == Dim(1)) at->second = extent;
      context.require_equal(at->second, extent, "a label",
                            fmt::format("axis {} of input {}", a, i));
    }
  }
  Shape y;
  for (int label : equation.output) {
    if (!extents.count(label) ||
        std::count(equation.output.begin(), equation.output.end(), label) > 1)
      throw user_error("a label of the result is in no input, or comes twice");
    y.push_back(extents.at(label));
  }
  context.set_type(0, context.type(0).dtype, y);
}

struct Operand {
  ValueId value;
  Labels labels;
};

void reorder(Expander& e, Operand* x, const Labels& order) {
  std::vector<int64_t> permutation;
  for (int label : order)
    permutation.push_back(std::find(x->labels.begin(), x->labels.end(), label) - x->labels.begin());
  if (x->labels != order) x->value = e.add("Transpose", {x->value}, {{"perm", permutation}});
  x->labels = order;
}

void sum_away(Expander& e, Operand* x, const Labels& kept) {
  std::vector<int64_t> axes;
  Labels left;
  for (size_t a = 0; a < x->labels.size(); ++a) {
    if (has(kept, x->labels[a]))
      left.push_back(x->labels[a]);
    else
      axes.push_back(static_cast<int64_t>(a));
  }
  if (axes.empty()) return;
  x->value = e.add("ReduceSum", {x->value, e.constant(Tensor::vector_i64(axes))},
                   {{"keepdims", int64_t{0}}});
  x->labels = left;
}

// Axes from `keeps` on get these extents; those before stay (0 in a Reshape).
ValueId reshaped(Expander& e, ValueId v, size_t keeps, const std::vector<int64_t>& extents) {
  std::vector<int64_t> shape(keeps, 0);
  shape.insert(shape.end(), extents.begin(), extents.end());
  return e.add("Reshape", {v, e.constant(Tensor::vector_i64(shape))});
}

int64_t fixed_extent(const Dim& extent) {
  if (!extent.is_fixed() || extent.value() == 0)
    throw user_error("Einsum over axes of varying or no extent ({}) is not supported here",
                     extent.text());
  return extent.value();
}

void take_diagonals(Expander& e, Operand* x) {
  for (size_t a = 0; a < x->labels.size(); ++a) {
    const auto second = std::find(x->labels.begin() + static_cast<std::ptrdiff_t>(a) + 1,
                                  x->labels.end(), x->labels[a]);
    if (second == x->labels.end()) continue;
    const int label = x->labels[a];
    *second = -1;
    Labels order;
    for (int other : x->labels)
      if (other != label && other != -1) order.push_back(other);
    const size_t keeps = order.size();
    order.push_back(label);
    order.push_back(-1);
    reorder(e, x, order);
    const int64_t n = fixed_extent(e.shape(x->value).back());
    const ValueId flat = reshaped(e, x->value, keeps, {n * n});
    const auto vector = [&](int64_t v) { return e.constant(Tensor::vector_i64({v})); };
    x->value = e.add("Slice", {flat, vector(0), vector(n * n), vector(-1), vector(n + 1)});
    x->labels.pop_back();
    a = static_cast<size_t>(-1);  // from the start: the axes have moved
  }
}

// Labels of x that are in one of the lists and not in the other.
Labels only(const Labels& x, const Labels& in, const Labels& out) {
  Labels result;
  for (int label : x)
    if (has(in, label) && !has(out, label)) result.push_back(label);
  return result;
}
Labels joined(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// [batch..., first..., second...] as [batch..., one, one]; `ones` false where it is so already.
ValueId as_matrices(Expander& e, const Operand& x, size_t batch, size_t first, size_t second,
                    bool ones) {
  if (!ones) return x.value;
  const Shape shape = e.shape(x.value);
  int64_t extents[2] = {1, 1};
  for (size_t a = 0; a < first + second; ++a)
    extents[a < first ? 0 : 1] *= fixed_extent(shape[batch + a]);
  return reshaped(e, x.value, batch, {extents[0], extents[1]});
}

Operand product(Expander& e, Operand a, Operand b, const Labels& kept) {
  sum_away(e, &a, joined(kept, b.labels));
  sum_away(e, &b, joined(kept, a.labels));
  const Labels batch = only(only(a.labels, b.labels, {}), kept, {});
  const Labels summed = only(a.labels, b.labels, batch);
  const Labels rows = only(a.labels, a.labels, b.labels),
               columns = only(b.labels, b.labels, a.labels);
  reorder(e, &a, joined(joined(batch, rows), summed));
  reorder(e, &b, joined(joined(batch, summed), columns));
  const bool ones = rows.size() != 1 || columns.size() != 1 || summed.size() != 1;
  const Shape x = e.shape(a.value), w = e.shape(b.value);
  const ValueId left = as_matrices(e, a, batch.size(), rows.size(), summed.size(), ones);
  const ValueId right = as_matrices(e, b, batch.size(), summed.size(), columns.size(), ones);
  Operand y{e.add("MatMul", {left, right}), joined(joined(batch, rows), columns)};
  if (!ones) return y;
  std::vector<int64_t> extents;
  for (size_t r = 0; r < rows.size(); ++r) extents.push_back(fixed_extent(x[batch.size() + r]));
  for (size_t c = 0; c < columns.size(); ++c)
    extents.push_back(fixed_extent(w[batch.size() + summed.size() + c]));
  y.value = reshaped(e, y.value, batch.size(), extents);
  return y;
}

void expand_einsum(Expander& e) {
  std::vector<size_t> ranks;
  for (ValueId v : e.node().inputs) ranks.push_back(e.shape(v).size());
  const Equation equation = parse(e.node(), ranks);
  std::vector<Operand> operands;
  for (size_t i = 0; i < ranks.size(); ++i) {
    operands.push_back({e.in(static_cast<int>(i)), equation.inputs[i]});
    take_diagonals(e, &operands.back());
  }
  Operand y = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Labels kept = equation.output;
    for (size_t later = i + 1; later < operands.size(); ++later)
      kept = joined(kept, operands[later].labels);
    y = product(e, y, operands[i], kept);
  }
  sum_away(e, &y, equation.output);
  reorder(e, &y, equation.output);
  e.result(0, y.value);
}

}  // namespace

void append_einsum(OpList& ops) {
  OpDef def{};
  def.name = "Einsum";
  def.doc = "Sums of products over labelled axes: \"bij,bjk->bik\" of x [b, i, j] and w [b, j, k]";
  def.min_inputs = 1;
  def.max_inputs = -1;
  def.min_outputs = def.max_outputs = 1;
  def.attributes = {{AttributeDef::text, "equation", true}};
  def.versions = {{"", "Einsum", 12, kLatestOpset, nullptr}};
  def.infer = infer_einsum;
  def.evaluate = evaluate_expanded;
  def.expand = expand_einsum;
  ops.push_back(std::move(def));
}

}  // namespace macec
