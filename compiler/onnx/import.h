// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX -> Graph. Every node becomes one IR node in its operator's newest form, with complete types; everything
// that is wrong or not supported is collected in Diagnostics, so that one run reports all of it.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/onnx/model.h"
#include "compiler/support/diagnostics.h"

namespace macec {

// A size given by a flag: lo == hi is one size.
struct SizeRange {
  int64_t lo = 1, hi = 1, step = 1;
  bool operator==(const SizeRange& o) const { return lo == o.lo && hi == o.hi && step == o.step; }
};

// One axis of --shape: a size, a range, a name that --dim gives a size, or '?': as declared.
struct ShapeItem {
  enum Kind { as_declared, extent, name } kind = as_declared;
  SizeRange size;
  std::string text;  // name; or the item as written
};

struct ImportOptions {
  std::map<std::string, SizeRange> dims;                 // --dim batch=1..8
  std::map<std::string, std::vector<ShapeItem>> shapes;  // --shape x=1x3x..
  std::map<std::string, std::vector<double>>
      sets;  // --set sr=16000: one value for all elements, or all of them
  std::map<std::string, int64_t>
      bounds;  // --bound rows=9: the most elements along axis 0 of a value
  std::map<std::string, Tensor>
      constants;  // the same, with exact values; the shape is the tensor's
  std::vector<std::string> inputs, outputs;  // --inputs, --outputs: cut the graph
  std::map<std::string, DType> io_types;     // --io-type ids=int32
};

// Errors go to diag; the graph is complete only if there are none.
Graph import_model(const Model& model, const ImportOptions& options, Diagnostics& diag);

// --state h=hn, or past.*=present.*: (index of graph.inputs, index of graph.outputs) of every pair that the patterns
// name. Errors: a pattern without a match, types that differ, an input or output named twice.
std::vector<std::pair<int, int>> match_states(
    const Graph& graph, const std::vector<std::pair<std::string, std::string>>& patterns,
    Diagnostics& diag);

}  // namespace macec
