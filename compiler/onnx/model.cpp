// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/model.h"

#include <google/protobuf/io/coded_stream.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/SHA256.h>

#include <climits>
#include <set>

#include "compiler/onnx/proto.h"
#include "compiler/onnx/sniff.h"
#include "compiler/onnx/sparse.h"
#include "compiler/onnx/tensor_data.h"
#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {

constexpr int64_t kLargestFile = INT_MAX;  // protobuf reads no more
constexpr int kDeepestMessage =
    100;  // about 30 levels of If in If; bounds the recursion of everything below

Model load_model(const std::string& path) {
  if (is_folder(path))
    throw user_error("'{}' is a folder, no ONNX model", printable(path))
        .hint("name the .onnx file in it");
  return parse_model(read_file(path, kLargestFile), path, folder_of(path));
}

static bool parse(google::protobuf::MessageLite* message, const std::string& bytes) {
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                                            static_cast<int>(bytes.size()));
  in.SetTotalBytesLimit(INT_MAX);
  in.SetRecursionLimit(kDeepestMessage);
  return message->ParseFromCodedStream(&in) && in.ConsumedEntireMessage();
}

Model parse_model(const std::string& bytes, const std::string& path, const std::string& folder) {
  auto proto = std::make_shared<onnx::ModelProto>();
  const bool parses = parse(proto.get(), bytes);
  if (!parses || !proto->has_graph()) throw not_a_model(bytes, path, parses);
  make_dense(proto.get(), folder);
  Model model;
  model.proto = std::move(proto);
  model.path = path;
  model.folder = folder;
  model.bytes = static_cast<int64_t>(bytes.size());
  const auto hash = llvm::SHA256::hash(
      llvm::ArrayRef<uint8_t>(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  model.sha256.assign(hash.begin(), hash.end());
  return model;
}

static DeclaredValue declared(const onnx::ValueInfoProto& info) {
  DeclaredValue value;
  value.name = info.name();
  if (info.type().has_sequence_type()) value.kind = "a sequence";
  if (info.type().has_optional_type()) value.kind = "an optional value";
  if (info.type().has_map_type()) value.kind = "a map";
  if (info.type().has_sparse_tensor_type()) value.kind = "a sparse tensor";
  if (!info.type().has_tensor_type()) return value;
  const auto& tensor = info.type().tensor_type();
  if (find_dtype(tensor.elem_type())) value.dtype = static_cast<DType>(tensor.elem_type());
  value.has_shape = tensor.has_shape();
  for (const auto& dim : tensor.shape().dim()) {
    DeclaredDim d;
    if (dim.has_dim_value() && dim.dim_value() >= 0) d.size = dim.dim_value();
    // Some exporters write '?' or a number in place of a name.
    if (dim.has_dim_param() && dim.dim_param() != "?" && !parse_int(dim.dim_param()))
      d.name = dim.dim_param();
    if (dim.has_dim_param())
      if (const auto size = parse_int(dim.dim_param()); size && *size > 0) d.size = *size;
    value.dims.push_back(d);
  }
  return value;
}

std::vector<DeclaredValue> declared_inputs(const Model& model) {
  std::set<std::string> initializers;
  const onnx::GraphProto& graph = model.proto->graph();
  for (const auto& tensor : graph.initializer()) initializers.insert(tensor.name());
  std::vector<DeclaredValue> values;
  for (const auto& input : graph.input())
    if (!initializers.count(input.name())) values.push_back(declared(input));
  return values;
}

std::vector<DeclaredValue> declared_outputs(const Model& model) {
  std::vector<DeclaredValue> values;
  for (const auto& output : model.proto->graph().output()) values.push_back(declared(output));
  return values;
}

std::vector<DeclaredValue> declared_values(const Model& model) {
  std::vector<DeclaredValue> values = declared_inputs(model);
  for (const auto& info : model.proto->graph().value_info()) values.push_back(declared(info));
  for (const auto& output : model.proto->graph().output()) values.push_back(declared(output));
  return values;
}

// Adds the file of a tensor that is stored outside the model, if it is there.
static void add_external(const TensorReader& reader, const onnx::TensorProto& tensor,
                         std::set<std::string>* files) {
  if (!TensorReader::is_external(tensor)) return;
  const std::string path = reader.find_external(TensorReader::place_of(tensor));
  if (!path.empty()) files->insert(path);
}

static void add_external(const TensorReader& reader, const onnx::GraphProto& graph,
                         std::set<std::string>* files);

template <class Nodes>
static void add_external_of_nodes(const TensorReader& reader, const Nodes& nodes,
                                  std::set<std::string>* files) {
  for (const auto& node : nodes) {
    for (const auto& attribute : node.attribute()) {
      add_external(reader, attribute.t(), files);
      for (const auto& tensor : attribute.tensors()) add_external(reader, tensor, files);
      if (attribute.has_g()) add_external(reader, attribute.g(), files);
      for (const auto& body : attribute.graphs()) add_external(reader, body, files);
    }
  }
}

static void add_external(const TensorReader& reader, const onnx::GraphProto& graph,
                         std::set<std::string>* files) {
  for (const auto& tensor : graph.initializer()) add_external(reader, tensor, files);
  add_external_of_nodes(reader, graph.node(), files);
}

std::vector<std::string> external_files(const Model& model) {
  const TensorReader reader(model.folder);
  std::set<std::string> files;
  add_external(reader, model.proto->graph(), &files);
  for (const auto& function : model.proto->functions())
    add_external_of_nodes(reader, function.node(), &files);
  return {files.begin(), files.end()};
}

NamedTensor load_tensor(const std::string& path) {
  onnx::TensorProto proto;
  const std::string bytes = read_file(path, kLargestFile);
  if (!parse(&proto, bytes))
    throw user_error("'{}' is damaged: it cannot be read as a tensor", printable(path));
  TensorReader reader(folder_of(path));
  return {proto.name(), reader.read(proto)};
}

}  // namespace macec
