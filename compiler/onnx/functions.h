// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model-local functions: every call is replaced by the nodes of the function's body.
//
//   y = my.Swish(x) {beta = 2}      y -> Swish.1/s = Mul(x, ..), Swish.1/t = Sigmoid(Swish.1/s), y = Mul(x, Swish.1/t)
//
// Names inside a body get a prefix that no name of the model begins with. Attribute references take the call's value,
// else the default, else the attribute is left out. Functions that call themselves are refused; so is a
// model whose calls expand to more than kMostExpandedNodes nodes.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/onnx/proto.h"

namespace macec {

constexpr int64_t kMostExpandedNodes = 200 * 1000;
constexpr int64_t kMostExpandedBytes = int64_t{1} << 30;
constexpr size_t kDeepestCalls = 64;

using Opsets = std::map<std::string, int64_t>;       // domain -> version; "" is ai.onnx
std::string domain_of(const onnx::NodeProto& node);  // "ai.onnx" is ""

struct SourceNode {
  const onnx::NodeProto* proto = nullptr;
  const Opsets* opsets = nullptr;
  int index = -1;  // of the node in its list; nodes from a call have the call's
};

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

class Functions {
 public:
  // Throws UserError if two functions have the same name.
  explicit Functions(const onnx::ModelProto& model);
  // All nodes of a list, calls expanded, in order. The result points into `nodes` and into this object.
  std::vector<SourceNode> expand(const NodeList& nodes, const Opsets& opsets);

 private:
  struct Function {
    const onnx::FunctionProto* proto;
    Opsets opsets;
    std::map<std::string, onnx::AttributeProto> defaults;
  };
  struct Call {
    std::map<std::string, std::string> names;  // inner -> outer, for inputs and outputs
    std::string prefix;
    std::map<std::string, const onnx::AttributeProto*> attributes;
  };

  const Function* find(const onnx::NodeProto& node) const;
  void append(const onnx::NodeProto& node, const Opsets& opsets, int index,
              std::vector<SourceNode>* out);
  void append_call(const Function& function, const onnx::NodeProto& node, int index,
                   std::vector<SourceNode>* out);
  Call bind(const Function& function, const onnx::NodeProto& node);
  std::string fresh_prefix(const std::string& stem);
  onnx::NodeProto* copy(const onnx::NodeProto& node);
  void rename(onnx::NodeProto* node, const Call& call);
  void rename(onnx::GraphProto* graph, const Call& call);
  static std::string renamed(const std::string& name, const Call& call);

  const onnx::ModelProto& model_;
  std::map<std::string, Function> functions_;
  std::set<std::string> taken_;  // names of the model, collected when the first call is met
  std::set<std::string> prefixes_;
  std::deque<onnx::NodeProto> copies_;
  std::vector<const Function*> active_;
  int64_t copied_bytes_ = 0, next_prefix_ = 0;
};

}  // namespace macec
