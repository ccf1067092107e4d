// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sparse tensor is values and their places, which must ascend:
//
//   dims [2, 3], values [5, -2], indices [1, 5] or [[0, 1], [1, 2]]      0  5  0
//                                                                         0  0 -2
//
// The trap: the dense size is not bounded by the bytes in the file, so it has a bound of its own.
#include "compiler/onnx/sparse.h"

#include <algorithm>

#include "compiler/onnx/tensor_data.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int64_t kMostDenseBytes = int64_t{256} << 20;

int64_t elements_of(const onnx::SparseTensorProto& sparse) {
  int64_t count = 1;
  for (const int64_t extent : sparse.dims()) {
    if (extent < 0) throw user_error("a weight has the negative extent {}", extent);
    if (extent > 0 && count > kMostDenseBytes / extent)
      throw user_error("a sparse weight of more than {} is not supported",
                       bytes_text(kMostDenseBytes));
    count *= extent;
  }
  return count;
}

// The place of value i, seen as one row.
int64_t place_of(const onnx::SparseTensorProto& sparse, const Tensor& indices, int64_t i) {
  if (indices.rank() == 1) return indices.i64(i);
  const int rank = sparse.dims_size();
  int64_t place = 0;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t at = indices.i64(i * rank + axis);
    if (at < 0 || at >= sparse.dims(axis))
      throw user_error("index {} of a sparse weight is outside its {} along axis {}", at,
                       plural(sparse.dims(axis), "element"), axis);
    place = place * sparse.dims(axis) + at;
  }
  return place;
}

onnx::TensorProto dense(const onnx::SparseTensorProto& sparse, TensorReader& reader) {
  const Tensor values = reader.read(sparse.values());
  const int64_t count = elements_of(sparse), given = values.count();
  const int bits = info(values.dtype).bits;
  if (bits < 8) throw user_error("a sparse weight of {} is not supported", name(values.dtype));
  const int64_t size = bits / 8;
  if (count * size > kMostDenseBytes)
    throw user_error("a sparse weight of more than {} is not supported",
                     bytes_text(kMostDenseBytes));
  Tensor indices = Tensor::vector_i64({});
  if (given > 0 || sparse.has_indices()) indices = reader.read(sparse.indices());
  const bool is_flat = indices.rank() == 1 && indices.count() == given;
  const bool is_table =
      indices.rank() == 2 && indices.shape[0] == given && indices.shape[1] == sparse.dims_size();
  if (values.rank() != 1 || indices.dtype != DType::int64 || !(is_flat || is_table))
    throw user_error("a sparse weight has values {} and indices {}", text(values.type()),
                     text(indices.type()));
  std::string bytes(static_cast<size_t>(count * size), '\0');
  int64_t before = -1;
  for (int64_t i = 0; i < given; ++i) {
    const int64_t at = place_of(sparse, indices, i);
    if (at < 0 || at >= count)
      throw user_error("index {} of a sparse weight is outside its {}", at,
                       plural(count, "element"));
    if (at <= before) throw user_error("the indices of a sparse weight do not ascend");
    before = at;
    const auto from = values.bytes.begin() + static_cast<std::ptrdiff_t>(i * size);
    std::copy(from, from + static_cast<std::ptrdiff_t>(size),
              bytes.begin() + static_cast<std::ptrdiff_t>(at * size));
  }
  onnx::TensorProto proto;
  proto.set_name(sparse.values().name());
  proto.set_data_type(sparse.values().data_type());
  *proto.mutable_dims() = sparse.dims();
  proto.set_raw_data(std::move(bytes));
  return proto;
}

onnx::TensorProto named_dense(const onnx::SparseTensorProto& sparse, TensorReader& reader) {
  try {
    return dense(sparse, reader);
  } catch (UserError& error) {
    if (error.places().empty()) error.at(describe(sparse.values()));
    throw;
  }
}

void make_dense(onnx::GraphProto* graph, TensorReader& reader);

template <class Nodes>
void make_dense_in_nodes(Nodes* nodes, TensorReader& reader) {
  for (onnx::NodeProto& node : *nodes)
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) make_dense(attribute.mutable_g(), reader);
      if (!attribute.has_sparse_tensor() || attribute.name() != "sparse_value") continue;
      *attribute.mutable_t() = named_dense(attribute.sparse_tensor(), reader);
      attribute.clear_sparse_tensor();
      attribute.set_name("value");
      attribute.set_type(onnx::AttributeProto::TENSOR);
    }
}

void make_dense(onnx::GraphProto* graph, TensorReader& reader) {
  for (const onnx::SparseTensorProto& sparse : graph->sparse_initializer())
    *graph->add_initializer() = named_dense(sparse, reader);
  graph->clear_sparse_initializer();
  make_dense_in_nodes(graph->mutable_node(), reader);
}

}  // namespace

void make_dense(onnx::ModelProto* model, const std::string& folder) {
  TensorReader reader(folder);
  make_dense(model->mutable_graph(), reader);
  for (onnx::FunctionProto& function : *model->mutable_functions())
    make_dense_in_nodes(function.mutable_node(), reader);
}

}  // namespace macec
