// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds one IR graph (and the bodies in it) from source graphs, node by node; private to compiler/onnx.
//
// Sequences and optional values exist only here: a name stands for the list of its elements, and nodes that take lists
// apart or put them together become names for elements (sequences.cpp).
//
// A value whose node failed has type `undefined`: nodes that read it are passed over in silence, so that one cause
// is one error. Nodes whose inputs are all constants and small are evaluated at once, because Reshape and friends
// need the contents. An If whose condition is known becomes the nodes of its branch. In one whose condition only a
// run knows, a branch with a node that cannot work on the types it gets becomes a Fail (ops/bodies.h): no run can finish
// it, but runs that take the other branch can. An operator that is not supported is an error there as everywhere.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/onnx/source.h"
#include "compiler/onnx/tensor_data.h"
#include "compiler/ops/registry.h"
#include "compiler/support/diagnostics.h"

namespace macec {

constexpr int kDeepestBodies = 40;  // If in If in ...; bounds the recursion of every stage

// A node that macec has no operator for.
struct Unsupported {
  std::string type;                // "com.acme.Foo"
  std::string place;               // with input types, as far as known
  std::string near;                // name of an operator that was perhaps meant
  int64_t opset = 0;               // > 0: the operator is known, but not in this version
  std::vector<std::string> needs;  // values it reads that are computed by nodes that are supported
  bool is_in_body = false;
  bool was_experimental = false;  // in opset 1, and in no later one
};

// What is wrong with a node is the types that it gets, which other dims, data or branches may give it right.
class IllTyped : public UserError {
 public:
  IllTyped(const UserError& error, std::string node) : UserError(error), node_(std::move(node)) {}
  const std::string& node() const { return node_; }  // "LSTM '/rnn'"

 private:
  std::string node_;
};

// Whether an error of the node, which inference found, holds for all sizes in the ranges of its inputs.
bool fails_at_all_sizes(const Graph& graph, const Node& node);

class Builder {
 public:
  // A graph under construction with the names it has already.
  struct Target {
    Graph graph;
    std::unordered_set<std::string> names;
    int depth = 0;  // bodies around it
    // Set in a branch whose condition only a run knows: the first error that a node has with the
    // types it gets goes here, not to the diagnostics.
    bool is_branch = false;
    std::optional<IllTyped> failure;
  };
  // A sequence of tensors, or an optional value that is absent (one that is present is what it holds).
  struct Composite {
    bool is_absent = false;
    DType dtype = DType::undefined;  // of all elements
    std::vector<ValueId> elements;
  };
  // Names visible at a place. An inlined branch has a scope of its own in the same target.
  struct Scope {
    Target* target = nullptr;
    const SourceGraph* source = nullptr;
    const Scope* outer = nullptr;  // of the same target; nullptr at the top of a graph
    std::unordered_map<std::string, ValueId> values;
    std::unordered_map<std::string, Composite> composites;
  };

  Builder(const onnx::ModelProto& model, const std::string& folder, Diagnostics& diag)
      : source(model), reader(folder), diag_(diag) {}

  SourceReader source;
  TensorReader reader;
  std::vector<Unsupported> unsupported;
  int64_t nodes_met = 0;

  void build(Scope& scope);  // all nodes of scope.source
  // The value of that name, or an invalid id. Initializers are loaded when first asked for.
  ValueId find(Scope& scope, const std::string& name);
  const Composite* find_composite(const Scope& scope, const std::string& name) const;
  // As find; throws UserError if there is none, or if the name stands for a sequence.
  ValueId get(Scope& scope, const std::string& name);
  ValueId define(Scope& scope, const std::string& name, TensorType type);
  ValueId define_constant(Scope& scope, const std::string& name, TensorPtr tensor);
  // extents.cpp: where --bound names the value and it holds integers of a run, they become extents.
  void read_extents(Scope& scope, const std::string& name);
  // A node of one output with complete types; used for what no node of the file stands for (Identity, Cast).
  ValueId add_node(Scope& scope, const std::string& op, const std::vector<ValueId>& inputs,
                   Attributes attributes, const std::string& output);
  // A node that a node of the file needs; its outputs get names that the file does not have.
  std::vector<ValueId> add_unnamed(Scope& scope, const SourceNode& source_node,
                                   const std::string& op, const std::vector<ValueId>& inputs,
                                   Attributes attributes, size_t outputs = 1);

 private:
  using NameList = google::protobuf::RepeatedPtrField<std::string>;

  void build_node(Scope& scope, const SourceNode& node);
  void add(Scope& scope, const SourceNode& source_node, const OpMatch& match,
           const std::vector<ValueId>& inputs);
  Node make_node(Scope& scope, const SourceNode& source_node, const OpMatch& match,
                 const std::vector<ValueId>& inputs);
  void append(Scope& scope, Node node, const NameList& outputs);
  void poison(Scope& scope, const onnx::NodeProto& node);
  // Reports the error, or keeps it where it ends a branch only.
  void note_failure(Target& target, const IllTyped& error, const std::string& place);
  void note_unsupported(Scope& scope, const SourceNode& node, int64_t opset);
  void fold(Graph& graph, NodeId id);
  static void drop(Graph& graph, NodeId id);
  std::string node_place(const Scope& scope, const SourceNode& node,
                         const std::vector<ValueId>& inputs) const;
  std::string unique(Target& target, const std::string& name);

  // sequences.cpp. False: the node has nothing to do with sequences.
  bool build_composite(Scope& scope, const SourceNode& node, int64_t opset);
  void map_sequence(Scope& scope, const SourceNode& node);
  void alias(Scope& scope, const std::string& name, Scope& from, const std::string& what);

  // unroll.cpp
  struct Meaning {  // of a name: a tensor, or a sequence
    ValueId value;
    std::optional<Composite> list;
  };
  Meaning meaning(Scope& scope, const std::string& name);
  void give(Scope& scope, const std::string& name, Meaning meaning);
  std::optional<int64_t> known_number(const Graph& graph, ValueId id) const;
  int64_t trip_count(Scope& scope, const onnx::NodeProto& proto);
  bool can_unroll(Scope& scope, const onnx::NodeProto& proto);
  bool has_sequences(Scope& scope, const onnx::NodeProto& proto);
  static bool changes_shapes(const Node& loop);
  void enter(Scope& scope, const onnx::GraphProto& body, int64_t i,
             const std::vector<Meaning>& state, Scope* inner);
  void unroll(Scope& scope, const SourceNode& node);
  ValueId stacked(Scope& scope, const SourceNode& node, std::vector<ValueId> slices);

  // bodies.cpp
  void inline_branch(Scope& scope, const SourceNode& node, const onnx::GraphProto& branch);
  // False: something inside failed, or a captured value had failed before; errors are reported.
  bool add_bodies(Scope& scope, const SourceNode& source_node, Node* node);
  // Throws IllTyped for the body of a Loop, if a node in it cannot work on the types it gets.
  Target build_body(Scope& outer, const SourceNode& source_node, const onnx::GraphProto& body,
                    const std::vector<std::string>& captured, const Node& node);
  // Names that bodies take from here, in order of first use. False: one of them has failed before.
  bool capture(Scope& scope, const std::vector<const onnx::GraphProto*>& bodies,
               std::vector<std::string>* names);
  std::vector<ValueId> elements(Scope& scope, const std::string& name);
  void hand_in_elements(const Composite& composite, const Graph& around, Scope& scope,
                        const std::string& name);
  void hand_in(Scope& outer, Scope& scope, const std::vector<std::string>& captured);
  void build_results(Scope& scope);  // nodes and outputs of a body that has its parameters
  ValueId add_parameter(Scope& scope, const std::string& name, const TensorType& type);

  // scan.cpp
  void add_scan_of_sample(Scope& scope, const SourceNode& source_node, const Node& node,
                          const std::vector<std::string>& outputs);
  void add_scan_of_batch(Scope& scope, const SourceNode& source_node, const Node& node,
                         const std::vector<std::string>& outputs);
  void begin_loop(const Scope& outer, const std::string& name, Target* target, Scope* scope);
  ValueId hand_in_value(const Scope& outer, ValueId x, Scope& scope, Node* loop);
  void end_loop(Scope& scope, const Node& scan, Target target, Node loop,
                const std::vector<std::string>& outputs);
  void add_slice(Scope& scope, ValueId all, int64_t axis, bool is_backward,
                 const std::string& name);
  void place_scan_output(Scope& scope, ValueId stacked, int64_t axis, bool is_backward,
                         const std::string& name);
  ValueId add_extent(Scope& scope, ValueId x, int64_t axis, const std::string& stem);
  std::string unused_name(Scope& scope, const std::string& stem);

  // branches.cpp
  // Takes the branches of an If as bodies. False: neither can run; that is reported.
  bool take_branches(Target& around, std::vector<Target> branches, Node* node);

  Diagnostics& diag_;
  int64_t mapped_nodes_ = 0;  // copies of bodies that SequenceMap made
};

}  // namespace macec
