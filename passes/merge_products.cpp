// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of one value with several constant matrices -> one product and slices of it. A launch of
// a kernel costs a device more than a small product does.
//
//   %q = MatMul(%x, Wq) + bq      %k = MatMul(%x, Wk) + bk      ...
//
//   %all = MatMul(%x, [Wq Wk ...]) + [bq bk ...]      %q = Slice(%all, columns of q)      ...
//
// For targets with a device, and extents that are known: others stay on the CPU. Either all of the
// products have a bias or none. A matrix with another user stays, and columns come in fours, so that
// slices are read as vectors. Tests: tests/filetests/merge-products/
#include <algorithm>
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "compiler/ops/registry.h"
#include "passes/passes.h"
#include "targets/target.h"

namespace macec {
namespace {

struct Branch {
  NodeId product;
  NodeId bias;  // the Add behind it, or none
  const Tensor* matrix = nullptr;
  const Tensor* row = nullptr;  // what is added
  int64_t columns = 0;
  NodeId last() const { return bias.is_valid() ? bias : product; }
};

struct ProductMerger {
  Graph& graph;
  Users users;
  bool changed = false;

  bool is_branch(NodeId id, Branch* branch) const {
    const Node& node = graph.node(id);
    if (node.op != "MatMul" || !node.epilogue.empty() || node.is_dead) return false;
    const Tensor* matrix = graph.value(node.inputs[1]).constant.get();
    const TensorType& type = graph.type(node.outputs[0]);
    if (!matrix || matrix->rank() != 2 || matrix->shape[1] % 4 != 0 ||
        !users.single(node.inputs[1]) || !info(type.dtype).is_float || !is_fixed(type.shape) ||
        users.is_output(node.outputs[0]))
      return false;
    *branch = {id, {}, matrix, nullptr, matrix->shape[1]};
    if (!users.single(node.outputs[0])) return true;
    const NodeId user = users.of(node.outputs[0])[0].node;
    const Node& add = graph.node(user);
    if (add.op != "Add" || !add.epilogue.empty()) return true;
    const ValueId other = add.inputs[add.inputs[0] == node.outputs[0] ? 1 : 0];
    const Tensor* row = graph.value(other).constant.get();
    if (!row || row->rank() != 1 || row->count() != branch->columns) return true;
    if (users.is_output(add.outputs[0])) return false;
    branch->bias = user;
    branch->row = row;
    return true;
  }

  // Tensors [rows][columns of each], side by side; rows 1 for biases.
  ValueId joined(const std::string& name, const std::vector<const Tensor*>& parts, int64_t rows) {
    int64_t columns = 0, at = 0;
    for (const Tensor* part : parts) columns += part->shape.back();
    Tensor all(parts[0]->dtype, parts[0]->rank() == 1 ? std::vector<int64_t>{columns}
                                                      : std::vector<int64_t>{rows, columns});
    const size_t size = static_cast<size_t>(info(all.dtype).bits / 8);
    for (const Tensor* part : parts) {
      const int64_t n = part->shape.back();
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(all.bytes.data() + static_cast<size_t>(r * columns + at) * size,
                    part->bytes.data() + static_cast<size_t>(r * n) * size,
                    static_cast<size_t>(n) * size);
      at += n;
    }
    return add_constant(graph, name, std::move(all));
  }

  // op(a, b) in front of the node at `position`; its value, of the type of `like` but for the columns.
  ValueId insert(NodeId position, const char* op, const std::string& name, ValueId a, ValueId b,
                 const TensorType& type, const std::vector<NodeId>& from) {
    NewNode node;
    node.op = op;
    node.def = find_op(op);
    node.name = name;
    node.inputs = {a, b};
    return graph.node(insert_before(graph, position, std::move(node), {type}, from)).outputs[0];
  }

  void merge(const std::vector<Branch>& branches) {
    std::vector<const Tensor*> matrices, rows;
    std::vector<NodeId> products, biases;
    for (const Branch& b : branches) {
      matrices.push_back(b.matrix);
      products.push_back(b.product);
      if (b.row) rows.push_back(b.row), biases.push_back(b.bias);
    }
    const NodeId first = branches[0].product;
    const std::string name = graph.node(first).name;
    const ValueId x = graph.node(first).inputs[0];
    TensorType type = graph.type(graph.node(first).outputs[0]);
    type.shape.back() = 0;
    for (const Branch& b : branches) type.shape.back() += b.columns;
    const ValueId w = joined(name + ".joined", matrices, matrices[0]->shape[0]);
    ValueId all = insert(first, "MatMul", name, x, w, type, products);
    if (!rows.empty()) {
      const ValueId b = joined(name + ".bias", rows, 1);
      all = insert(first, "Add", graph.node(biases[0]).name, all, b, type, biases);
    }
    int64_t at = 0;
    const ValueId axis = add_constant(graph, name + ".axis", Tensor::vector_i64({-1}));
    for (const Branch& b : branches) {
      NewNode slice;
      slice.op = "Slice";
      slice.def = find_op(slice.op);
      slice.name = graph.node(b.last()).name;
      slice.inputs = {all, add_constant(graph, name + ".start", Tensor::vector_i64({at})),
                      add_constant(graph, name + ".end", Tensor::vector_i64({at + b.columns})),
                      axis};
      at += b.columns;
      const ValueId out = graph.node(b.last()).outputs[0];
      const NodeId made =
          insert_before(graph, first, std::move(slice), {graph.type(out)}, {b.last()});
      replace_all_uses(graph, out, graph.node(made).outputs[0]);
    }
    changed = true;
  }
};

}  // namespace

bool merge_products(Graph& graph, PassContext& context) {
  if (context.target && !context.target->gpu) return false;
  ProductMerger merger{graph, Users(graph)};
  // By the value they share, the element type and whether there is a bias; in order of the graph.
  std::map<std::tuple<int32_t, DType, bool>, std::vector<Branch>> groups;
  std::vector<std::tuple<int32_t, DType, bool>> order;
  for (NodeId id : graph.order) {
    Branch branch;
    if (!merger.is_branch(id, &branch)) continue;
    const std::tuple key(graph.node(id).inputs[0].index, branch.matrix->dtype,
                         branch.row != nullptr);
    if (groups[key].empty()) order.push_back(key);
    groups[key].push_back(branch);
  }
  for (const auto& key : order)
    if (groups[key].size() > 1) merger.merge(groups[key]);
  if (merger.changed) remove_dead(graph);
  return merger.changed;
}

}  // namespace macec
