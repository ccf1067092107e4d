// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operator: its documentation, its ONNX versions, and what it means to every stage of the
// compiler.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/plan.h"

namespace macec {

struct StepBuilder;  // ops/elementwise.h
struct Expander;     // ops/expand.h

// --- import
// ---------------------------------------------------------------------------------------------------------------
// Brings an older form of a node to the newest one in place (attributes that became inputs,
// defaults that changed). New constant inputs are made through `constant`, new nodes in front of
// this one through `add`, by the form of the newest opset.
struct ImportContext {
  Node& node;
  Graph& graph;
  int opset;  // of the node's domain
  std::function<ValueId(const char* op, const std::vector<ValueId>& inputs)> add;
  ValueId constant(const std::string& suffix, Tensor tensor);  // adds a constant value
};
using Importer = void (*)(ImportContext&);

struct OpVersion {
  const char* domain;  // "" is ai.onnx
  const char* type;    // ONNX operator type, "Conv"
  int first, last;     // opset versions, inclusive; kLatestOpset for "still so"
  Importer importer;   // nullptr: the form is the newest one
};
constexpr int kOldestOpset = 7,
              kLatestOpset = 28;  // of these forms; ops/old_opsets.h knows older ones
constexpr int kOldestReadOpset = 1;

struct AttributeDef {
  enum Kind { integer, real, text, integers, reals, texts, tensor, graph } kind;
  const char* name;
  bool is_required = false;
};

// --- infer
// ----------------------------------------------------------------------------------------------------------------
// Types and known contents of a node's outputs from those of its inputs. Throws UserError.
struct InferContext {
  Graph& graph;
  const Node& node;

  int inputs() const { return static_cast<int>(node.inputs.size()); }
  bool has(int i) const;                // input i is given
  const TensorType& type(int i) const;  // of input i; UserError if it is not given
  const Shape& shape(int i) const { return type(i).shape; }
  const Tensor* constant(int i) const;  // nullptr: not known at compile time
  // Elements of a small integer input as extents: constants too. nullptr: not known.
  const std::vector<Dim>* known(int i) const;
  void set_type(int output, DType dtype, Shape shape);  // layout plain
  void set_known(int output, std::vector<Dim> elements);
  // Extents that must agree: UserError when they provably differ, a check at run time when neither
  // is provable.
  void require_equal(const Dim& a, const Dim& b, const std::string& text_a,
                     const std::string& text_b);
  // The same for all extents of input i, which must have as many axes.
  void require_shape(int i, const Shape& wanted);
  // A size that is known only when the model runs.
  Dim computed(const std::string& name, int64_t lo, int64_t hi);

  std::vector<TensorType> results;                        // filled by set_type
  std::vector<std::optional<std::vector<Dim>>> contents;  // filled by set_known
  mutable std::vector<std::optional<std::vector<Dim>>> known_cache;
};

// --- evaluate
// -------------------------------------------------------------------------------------------------------------
// The reference meaning; inputs[i] == nullptr: not given. outputs has node.outputs.size() entries
// to fill.
struct EvaluateContext {
  const Node& node;
  std::vector<const Tensor*> inputs;
  std::vector<Tensor> outputs;
  // Runs a body of the node with these parameters (control flow only).
  std::function<std::vector<Tensor>(const Graph& body, const std::vector<Tensor>& parameters)>
      run_body;
  const Tensor& in(int i) const { return *inputs[static_cast<size_t>(i)]; }
  bool has(int i) const {
    return i < static_cast<int>(inputs.size()) && inputs[static_cast<size_t>(i)];
  }
};

// --- lower
// ----------------------------------------------------------------------------------------------------------------
// A node as a kernel call. Views say where the bytes of every operand are (layouts and views are
// decided before); lower works on logical axes and strides. What it cannot express with the given
// views it refuses (returns no call), and the planner retries with dense copies.
struct LowerContext {
  const Graph& graph;
  const Node& node;
  std::function<const View&(ValueId)> view_of;
  int output = 0;  // OpDef::view: the output that is asked for

  const View& in(int i) const { return view_of(node.inputs[static_cast<size_t>(i)]); }
  const View& out(int i) const { return view_of(node.outputs[static_cast<size_t>(i)]); }
  bool has(int i) const {
    return i < static_cast<int>(node.inputs.size()) &&
           node.inputs[static_cast<size_t>(i)].is_valid();
  }
  const Tensor* constant(int i) const {
    return has(i) ? graph.value(node.inputs[static_cast<size_t>(i)]).constant.get() : nullptr;
  }
};
// Most operators are one call; some are a short list. Empty: not possible with these views.
using Lowered = std::vector<KernelCall>;

// Multiply-adds (or elementwise operations) of one run at the upper bounds.
struct Cost {
  double multiply_adds = 0;
  double elements = 0;  // of pointwise work
};

enum OpTraits : unsigned {
  kElementwise = 1,   // a row of the elementwise table; may become an epilogue step
  kView = 2,          // the output is a view of input 0 where strides allow: see `view`
  kControlFlow = 4,   // has bodies
  kChannelsLast = 8,  // its window kernels want channels-last activations (input 0, output 0)
  kAnyLayout =
      16,  // keeps the layout of input 0, whatever it is (rank-preserving, strided kernels)
  kShapeOnly = 32,  // reads only the type of its input (Shape, Size)
  // Of kAnyLayout operators, whose kernel ...
  kSameLayout = 64,      // needs input 0 and output 0 in one layout (Resize)
  kChangesLayout = 128,  // changes the layout on the way at no cost (Pad)
  kEndsRun = 256,        // the run matters, not the outputs: never evaluated at compile time (Fail)
};

struct OpDef {
  const char* name;
  const char* doc;             // one sentence, with shapes
  int min_inputs, max_inputs;  // max -1: any number
  int min_outputs, max_outputs;
  std::vector<AttributeDef> attributes;
  std::vector<OpVersion> versions;  // without gaps from its first opset on
  unsigned traits = 0;
  // Bit i: input i only says shapes; where its contents are known nobody reads it in a run.
  unsigned shape_inputs = 0;
  void (*infer)(InferContext&) = nullptr;
  void (*evaluate)(EvaluateContext&) = nullptr;
  Lowered (*lower)(const LowerContext&) =
      nullptr;  // nullptr: never reaches a plan (folded, decomposed, or a view)
  // kView: the output's view given the input's dense-or-strided view; false if strides cannot say
  // it.
  bool (*view)(const LowerContext&, const View& in, View* out) = nullptr;
  Cost (*cost)(const Graph&, const Node&) = nullptr;  // nullptr: elements of the outputs
  // kElementwise: the node as pointwise steps (ops/elementwise.h); nullptr for all others.
  void (*steps)(StepBuilder&) = nullptr;
  // Writes the node as nodes of other operators; then `lower` is not needed. nullptr for most.
  void (*expand)(Expander&) = nullptr;
  // Which nodes `expand` is for, of an operator that is lowered otherwise; nullptr: all of them.
  bool (*expands)(const Graph&, const Node&) = nullptr;
  // Unsupported combinations that infer cannot see, as a UserError ("... is not supported"); may be
  // nullptr.
  void (*check)(const Graph&, const Node&) = nullptr;
};

}  // namespace macec
