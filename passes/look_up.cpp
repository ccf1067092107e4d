// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products with one-hot rows, and arithmetic on rows of a constant table -> a look-up in a table.
//
//   %h = Cast(Equal(%ids, [0, 1, ..., k-1]))      %r = Clip(%ids, -1, k) + 1
//   %y = MatMul(%h, table)                        %y = Gather([zeros; table; zeros], %r)
//
//   %e = Gather(table, %ids)                      %y = Gather(Gelu(table + row), %ids)
//   %y = Gelu(%e + row)
//
// An index that no row stands for gives zeros, as the product does: the table gets a row of zeros on
// both sides. OneHot counts negative indices from the end. Left alone if the table is not finite
// (0 * inf is no zero), has another user, or if two values would need a table of their own.
// Tests: tests/filetests/look-up/
#include <algorithm>
#include <cmath>
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/ops/expand.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"

namespace macec {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 24;  // of a table that is computed here
constexpr int64_t kFarthest = int64_t{1} << 30;      // of the first index: sums stay in int32
constexpr size_t kMostMembers = 64;                  // values that become one table

// Rows that are 1 at one place.
struct OneHot {
  ValueId ids;
  int64_t first = 0;       // the index of the first column
  bool has_column = true;  // ids have a last axis of extent 1 in place of the columns
  bool wraps = false;      // -1 is the last column
};

bool is_index_type(DType t) {
  return t == DType::int32 || t == DType::int64;
}

struct LookUps {
  Graph& graph;
  Users users;
  bool changed = false;

  const Tensor* constant(ValueId v) const {
    return v.is_valid() ? graph.value(v).constant.get() : nullptr;
  }
  const Node* made_by(ValueId v, const char* op) const {
    if (!v.is_valid() || !graph.value(v).producer.is_valid()) return nullptr;
    const Node& node = graph.node(graph.value(v).producer);
    return node.op == op && node.epilogue.empty() ? &node : nullptr;
  }

  // Cast(Equal(ids[..., 1], [first, first + 1, ...])).
  bool is_comparison(ValueId rows, int64_t columns, OneHot* found) const {
    const Node* cast = made_by(rows, "Cast");
    const Node* equal = cast ? made_by(cast->inputs[0], "Equal") : nullptr;
    if (!equal) return false;
    for (size_t side : {0, 1}) {
      const Tensor* list = constant(equal->inputs[1 - side]);
      const TensorType& ids = graph.type(equal->inputs[side]);
      if (!list || !is_index_type(list->dtype) || list->count() != columns || list->rank() < 1 ||
          list->shape.back() != columns || ids.shape.empty() || ids.shape.back() != Dim(1))
        continue;
      if (std::abs(list->f64(0)) > static_cast<double>(kFarthest)) continue;
      bool in_order = static_cast<int64_t>(ids.shape.size()) >= list->rank();
      for (int64_t i = 0; i < columns; ++i) in_order = in_order && list->i64(i) == list->i64(0) + i;
      if (!in_order) continue;
      *found = {equal->inputs[side], list->i64(0), true, false};
      return true;
    }
    return false;
  }

  // OneHot(ids, columns, [0, 1]) along the last axis.
  bool is_operator(ValueId rows, int64_t columns, OneHot* found) const {
    const Node* node = made_by(rows, "OneHot");
    if (!node || !is_index_type(graph.type(node->inputs[0]).dtype)) return false;
    const Tensor *depth = constant(node->inputs[1]), *values = constant(node->inputs[2]);
    const int64_t axis = node->int_attribute("axis", -1);
    if (axis != -1 && axis != graph.type(rows).rank() - 1) return false;
    if (!depth || depth->count() != 1 || depth->f64(0) != static_cast<double>(columns) || !values ||
        values->f64(0) != 0 || values->f64(1) != 1)
      return false;
    *found = {node->inputs[0], 0, false, true};
    return true;
  }

  // Floats without infinities and NaNs, as a matrix.
  static bool is_table(const Tensor* t) {
    if (!t || t->rank() != 2 || t->count() == 0 || t->count() > kMostElements) return false;
    if (t->dtype != DType::float32 && t->dtype != DType::float16) return false;
    for (int64_t i = 0; i < t->count(); ++i)
      if (!std::isfinite(t->f64(i))) return false;
    return true;
  }

  static Tensor with_zero_rows(const Tensor& table) {
    const int64_t rows = table.shape[0], columns = table.shape[1];
    Tensor wide(table.dtype, {rows + 2, columns});
    for (int64_t i = 0; i < table.count(); ++i)
      wide.set_f64(columns + i, table.f64(i) + 0.0);  // -0 becomes 0, as in the product
    return wide;
  }

  void product(NodeId id) {
    const Node& node = graph.node(id);
    if (node.op != "MatMul" || !node.epilogue.empty()) return;
    const Tensor* table = constant(node.inputs[1]);
    if (!table || table->rank() != 2) return;
    const int64_t columns = table->shape[0];
    OneHot hot;
    if (!is_comparison(node.inputs[0], columns, &hot) &&
        !is_operator(node.inputs[0], columns, &hot))
      return;
    if (!is_table(table) || !users.single(node.inputs[1])) return;
    Expander at{graph, id};
    const DType type = at.dtype(hot.ids);
    const auto number = [&](int64_t v) {
      Tensor t(type, {});
      t.set_i64(0, v);
      return at.constant(std::move(t));
    };
    const ValueId wide = at.constant(with_zero_rows(*table));
    ValueId row = hot.ids;
    if (hot.wraps) {
      const ValueId is_negative = at.add("Less", {row, number(0)});
      const ValueId from_end = at.add("Add", {row, number(columns)});
      row = at.add("Where", {is_negative, from_end, row});
    }
    row = at.add("Clip", {row, number(hot.first - 1), number(hot.first + columns)});
    row = at.add("Sub", {row, number(hot.first - 1)});
    if (hot.has_column) row = at.add("Squeeze", {row, at.constant(Tensor::vector_i64({-1}))});
    at.result(0, at.add("Gather", {wide, row}, {{"axis", int64_t{0}}}));
    changed = true;
  }

  // A constant operand of arithmetic on [..., inner...] that is one for all rows, as [inner...].
  std::optional<Tensor> of_all_rows(ValueId v, size_t inner) const {
    const Tensor* t = constant(v);
    if (!t) return std::nullopt;
    Tensor result = *t;
    while (result.shape.size() > inner) {
      if (result.shape.front() != 1) return std::nullopt;
      result.shape.erase(result.shape.begin());
    }
    return result;
  }

  // Values that are computed from rows of one table and nothing else, in order; the first is the
  // Gather's own.
  std::vector<ValueId> computed_from_rows(NodeId gather, size_t inner) const {
    std::vector<ValueId> members = {graph.node(gather).outputs[0]};
    const TensorType& type = graph.type(members[0]);
    const auto is_member = [&](ValueId v) {
      return std::find(members.begin(), members.end(), v) != members.end();
    };
    for (size_t m = 0; m < members.size(); ++m) {
      for (const Use& use : users.of(members[m])) {
        const Node& node = graph.node(use.node);
        if (!(node.def->traits & kElementwise) || !node.epilogue.empty() ||
            node.outputs.size() != 1 || !node.def->evaluate || is_member(node.outputs[0]))
          continue;
        const TensorType& out = graph.type(node.outputs[0]);
        if (out.shape != type.shape || info(out.dtype).bits > info(type.dtype).bits) continue;
        const bool all = std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId v) {
          return !v.is_valid() || is_member(v) || of_all_rows(v, inner);
        });
        if (all && members.size() < kMostMembers) members.push_back(node.outputs[0]);
      }
    }
    return members;
  }

  // The one value of them that others read; none if there are more.
  ValueId result_of(const std::vector<ValueId>& members) const {
    ValueId result;
    for (ValueId member : members) {
      bool is_read = users.is_output(member);
      for (const Use& use : users.of(member)) {
        const std::vector<ValueId>& outs = graph.node(use.node).outputs;
        is_read = is_read || std::find(members.begin(), members.end(), outs[0]) == members.end();
      }
      if (!is_read) continue;
      if (result.is_valid()) return {};
      result = member;
    }
    return result;
  }

  Tensor computed_table(const std::vector<ValueId>& members, const Tensor& table, ValueId result) {
    std::map<int32_t, Tensor> tables = {{members[0].index, table}};
    for (size_t i = 1; i < members.size(); ++i) {
      const Node& node = graph.node(graph.value(members[i]).producer);
      std::vector<Tensor> rows(node.inputs.size());
      std::vector<const Tensor*> inputs;
      for (size_t k = 0; k < node.inputs.size(); ++k) {
        const auto own = tables.find(node.inputs[k].index);
        if (own == tables.end() && node.inputs[k].is_valid())
          rows[k] = *of_all_rows(node.inputs[k], table.shape.size() - 1);
        inputs.push_back(own != tables.end()         ? &own->second
                         : node.inputs[k].is_valid() ? &rows[k]
                                                     : nullptr);
      }
      tables[members[i].index] = std::move(evaluate_node(graph, node, inputs)[0]);
    }
    return std::move(tables[result.index]);
  }

  void rows(NodeId id) {
    const Node& node = graph.node(id);
    if (node.op != "Gather" || !node.epilogue.empty() || node.int_attribute("axis", 0) != 0) return;
    const Tensor* table = constant(node.inputs[0]);
    if (!table || table->rank() < 1 || table->count() > kMostElements || constant(node.inputs[1]) ||
        !info(table->dtype).is_float || !users.single(node.inputs[0]))
      return;
    const std::vector<ValueId> members =
        computed_from_rows(id, static_cast<size_t>(table->rank() - 1));
    const ValueId result = result_of(members);
    if (members.size() < 2 || !result.is_valid() || result == members[0]) return;
    Tensor computed = computed_table(members, *table, result);
    std::vector<NodeId> from;
    for (ValueId member : members) from.push_back(graph.value(member).producer);
    NewNode gather;
    gather.op = "Gather";
    gather.def = node.def;
    gather.name = node.name;
    gather.attributes = node.attributes;
    gather.inputs = {add_constant(graph, node.name + ".table", std::move(computed)),
                     node.inputs[1]};
    const NodeId made = insert_before(graph, graph.value(result).producer, std::move(gather),
                                      {graph.type(result)}, from);
    replace_all_uses(graph, result, graph.node(made).outputs[0]);
    changed = true;
  }
};

}  // namespace

bool look_up(Graph& graph, PassContext&) {
  LookUps products{graph, Users(graph)};
  for (NodeId id : std::vector<NodeId>(graph.order)) products.product(id);
  if (products.changed) remove_dead(graph);
  LookUps rows{graph, Users(graph)};
  for (NodeId id : std::vector<NodeId>(graph.order)) rows.rows(id);
  if (rows.changed) remove_dead(graph);
  return products.changed || rows.changed;
}

}  // namespace macec
