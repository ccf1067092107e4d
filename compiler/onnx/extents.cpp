// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --bound k=16 for integers that shapes depend on: their elements become extents (ops/extents.cpp).
//
//   %k = ReduceMax(%lengths)        %k.read = ReduceMax(%lengths)
//                                   %k = Extents(%k.read) {bound = 16}
#include "compiler/onnx/builder.h"
#include "compiler/ops/bodies.h"

namespace macec {

constexpr int64_t kMostExtents = 16;  // elements of such a value

void Builder::read_extents(Scope& scope, const std::string& name) {
  Graph& graph = scope.target->graph;
  const auto bound = graph.bounds.find(name);
  const auto at = scope.values.find(name);
  if (bound == graph.bounds.end() || at == scope.values.end()) return;
  const ValueId id = at->second;
  const Value value = graph.value(id);
  const DType type = value.type.dtype;
  if ((type != DType::int64 && type != DType::int32) || !is_fixed(value.type.shape) ||
      product(value.type.shape).hi() > kMostExtents || value.constant || value.known)
    return;
  std::string extents = name;
  if (value.producer.is_valid() && value.name == name) {  // the new value takes over the name
    graph.value(id).name = unique(*scope.target, name + ".read");
    scope.target->names.erase(name);
  } else {
    extents = unused_name(scope, name + ".extents");
  }
  const auto cast = [&](ValueId v, DType to, const std::string& as) {
    return add_node(scope, "Cast", {v}, {{"to", static_cast<int64_t>(to)}}, as);
  };
  const bool is_wide = type == DType::int64;
  const ValueId wide = is_wide ? id : cast(id, DType::int64, unused_name(scope, name + ".int64"));
  const ValueId read = add_node(scope, kExtentsOp, {wide}, {{"bound", bound->second}},
                                is_wide ? extents : unused_name(scope, name + ".extents"));
  scope.values[name] = is_wide ? read : cast(read, type, extents);
}

}  // namespace macec
