// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are written as others become those.
//
//   %y: int32[m,n] = MatMulInteger(%a, %b)     %c: float32[m,k] = Cast(%a)
//                                              %d: float32[k,n] = Cast(%b)
//                                              %e: float32[m,n] = MatMul(%c, %d)
//                                              %y: int32[m,n] = Cast(%e)
//
// What each becomes is said where the operator is (OpDef::expand). Tests: tests/filetests/expand/
#include "compiler/ops/expand.h"

#include "compiler/ir/edit.h"
#include "passes/passes.h"

namespace macec {

bool expand_operators(Graph& graph, PassContext&) {
  bool changed = false;
  for (NodeId id : std::vector<NodeId>(graph.order)) {
    const Node& node = graph.node(id);
    if (node.is_dead || !node.def || !node.def->expand) continue;
    if (node.def->expands && !node.def->expands(graph, node)) continue;
    expand_node(graph, id);
    changed = true;
  }
  if (changed) remove_dead(graph);
  return changed;
}

}  // namespace macec
