// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types, layouts, tensor types.
#pragma once
#include <string>
#include <string_view>

#include "compiler/ir/dim.h"

namespace macec {

// Numbers are ONNX's TensorProto.DataType.
enum class DType {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26
};

struct DTypeInfo {
  DType dtype;
  const char* name;  // as in messages and dumps: "float32", "bool"
  const char*
      c_type;  // element type in generated code: "float", "half_t", "uint8_t"; "" if it has none
  int bits;    // of one element; 2 and 4 for packed types
  bool is_float, is_integer, is_signed;
};
const DTypeInfo& info(DType dtype);       // InternalError for a number that is no type
const DTypeInfo* find_dtype(int number);  // nullptr if unknown
const DTypeInfo* find_dtype(std::string_view name);
std::string_view name(DType dtype);
// Bytes of `count` elements, packed types rounded up to a whole byte.
int64_t bytes_of(DType dtype, int64_t count);

// Where the bytes are; shapes stay in ONNX's axis order.
//   plain          row-major
//   channels_last  [N, C, spatial...] stored as N, spatial..., C; rank >= 3
enum class Layout { plain, channels_last };
std::string_view name(Layout layout);

struct TensorType {
  DType dtype = DType::undefined;
  Shape shape;
  Layout layout = Layout::plain;

  int rank() const { return static_cast<int>(shape.size()); }
  Dim count() const { return product(shape); }
  int64_t max_bytes() const { return bytes_of(dtype, count().hi()); }
  bool operator==(const TensorType& o) const {
    return dtype == o.dtype && shape == o.shape && layout == o.layout;
  }
};
std::string text(
    const TensorType& type);  // "float32[batch,3,224,224]", channels-last with suffix "@cl"

// Stride of each logical axis, in elements, of a dense tensor.
std::vector<Dim> dense_strides(const Shape& shape, Layout layout);

}  // namespace macec
