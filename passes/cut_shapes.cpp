// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lets shape arithmetic under ranges vanish.
//
//   %s = Shape(%x)             contents [batch, 3, 4]
//   %t = Concat(%n, const)     contents [batch, 12]       %y = Reshape(%x, %t')
//   %y = Reshape(%x, %t)                                  contents of %t': [batch, 12]
//
// An operator that reads an input only for its shape (OpDef::shape_inputs) gets a value that has
// the same known contents and no producer: it has no bytes when the model runs. What computed it is
// dead unless something else reads it. Tests: tests/filetests/cut-shapes/, tests/unit/op_control_test.cpp
#include <map>

#include "compiler/ir/edit.h"
#include "compiler/ops/op_def.h"
#include "passes/passes.h"

namespace macec {
namespace {

bool says_shapes(const OpDef& def, size_t input) {
  return input < 32 && ((def.shape_inputs >> input) & 1u) != 0;
}

}  // namespace

bool cut_shapes(Graph& graph, PassContext&) {
  std::map<int32_t, ValueId> cut;  // value -> its contents alone
  for (NodeId id : graph.order) {
    for (size_t i = 0; i < graph.node(id).inputs.size(); ++i) {
      ValueId input = graph.node(id).inputs[i];
      if (!input.is_valid() || !says_shapes(*graph.node(id).def, i)) continue;
      const Value value = graph.value(input);
      if (value.constant || !value.known || !value.producer.is_valid()) continue;
      auto [at, is_new] = cut.emplace(input.index, ValueId{});
      if (is_new) {
        at->second = add_value(graph, fresh_name(graph, value.name), value.type);
        graph.value(at->second).known = value.known;
      }
      graph.node(id).inputs[i] = at->second;
    }
  }
  return !cut.empty();
}

}  // namespace macec
