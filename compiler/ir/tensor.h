// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A constant: element type, fixed shape, bytes in plain row-major order (sub-byte types packed, low
// bits first).
#pragma once
#include <cstring>
#include <memory>
#include <vector>

#include "compiler/ir/type.h"
#include "compiler/support/error.h"
#include "compiler/support/small_float.h"

namespace macec {

struct Tensor {
  DType dtype = DType::undefined;
  std::vector<int64_t> shape;
  std::vector<unsigned char> bytes;

  Tensor() = default;
  Tensor(DType dtype, std::vector<int64_t> shape);  // zeros

  int64_t count() const;  // elements
  int rank() const { return static_cast<int>(shape.size()); }
  TensorType type() const { return {dtype, to_shape(shape), Layout::plain}; }

  // Element i (row-major) as a number; every numeric type and bool. Values are exact where the
  // result type can hold them.
  double f64(int64_t i) const;
  int64_t i64(int64_t i) const;
  // Stores v converted to the element type: floats round to nearest even, integers wrap modulo
  // 2^bits.
  void set_f64(int64_t i, double v);
  void set_i64(int64_t i, int64_t v);

  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(bytes.data());
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(bytes.data());
  }
  bool operator==(const Tensor& o) const {
    return dtype == o.dtype && shape == o.shape && bytes == o.bytes;
  }

  static Tensor scalar_f32(float v);
  static Tensor scalar_i64(int64_t v);
  static Tensor vector_i64(const std::vector<int64_t>& v);
  static Tensor vector_f32(const std::vector<float>& v, std::vector<int64_t> shape);
};
using TensorPtr = std::shared_ptr<const Tensor>;

std::vector<int64_t> to_i64(const Tensor& tensor);
std::vector<double> to_f64(const Tensor& tensor);
SmallFloat small_format(DType dtype);  // of an 8-bit or smaller float
std::string text(const Tensor& tensor);  // type and the first few elements

}  // namespace macec
