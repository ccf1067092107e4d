// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/type.h"

#include <algorithm>

#include "compiler/support/error.h"

namespace macec {
namespace {

// dtype, name, C element type, bits, float, integer, signed
constexpr DTypeInfo kTypes[] = {
    {DType::float32, "float32", "float", 32, true, false, true},
    {DType::uint8, "uint8", "uint8_t", 8, false, true, false},
    {DType::int8, "int8", "int8_t", 8, false, true, true},
    {DType::uint16, "uint16", "uint16_t", 16, false, true, false},
    {DType::int16, "int16", "int16_t", 16, false, true, true},
    {DType::int32, "int32", "int32_t", 32, false, true, true},
    {DType::int64, "int64", "int64_t", 64, false, true, true},
    {DType::string, "string", "", 0, false, false, false},
    {DType::boolean, "bool", "uint8_t", 8, false, false, false},
    {DType::float16, "float16", "half_t", 16, true, false, true},
    {DType::float64, "float64", "double", 64, true, false, true},
    {DType::uint32, "uint32", "uint32_t", 32, false, true, false},
    {DType::uint64, "uint64", "uint64_t", 64, false, true, false},
    {DType::complex64, "complex64", "", 64, false, false, true},
    {DType::complex128, "complex128", "", 128, false, false, true},
    {DType::bfloat16, "bfloat16", "bfloat16_t", 16, true, false, true},
    {DType::float8e4m3fn, "float8e4m3fn", "", 8, true, false, true},
    {DType::float8e4m3fnuz, "float8e4m3fnuz", "", 8, true, false, true},
    {DType::float8e5m2, "float8e5m2", "", 8, true, false, true},
    {DType::float8e5m2fnuz, "float8e5m2fnuz", "", 8, true, false, true},
    {DType::uint4, "uint4", "", 4, false, true, false},
    {DType::int4, "int4", "", 4, false, true, true},
    {DType::float4e2m1, "float4e2m1", "", 4, true, false, true},
    {DType::float8e8m0, "float8e8m0", "", 8, true, false, false},
    {DType::uint2, "uint2", "", 2, false, true, false},
    {DType::int2, "int2", "", 2, false, true, true},
};

}  // namespace

const DTypeInfo* find_dtype(int number) {
  for (const DTypeInfo& t : kTypes)
    if (static_cast<int>(t.dtype) == number) return &t;
  return nullptr;
}
const DTypeInfo* find_dtype(std::string_view name) {
  for (const DTypeInfo& t : kTypes)
    if (name == t.name) return &t;
  return nullptr;
}
const DTypeInfo& info(DType dtype) {
  const DTypeInfo* found = find_dtype(static_cast<int>(dtype));
  MACEC_CHECK(found, "no element type has the number {}", static_cast<int>(dtype));
  return *found;
}
std::string_view name(DType dtype) {
  const DTypeInfo* found = find_dtype(static_cast<int>(dtype));
  return found ? found->name : "undefined";
}
int64_t bytes_of(DType dtype, int64_t count) {
  // Sizes that a file claims may be anything. This is more than can be, and sums of it still fit.
  constexpr int64_t kMost = int64_t{1} << 50;
  return static_cast<int64_t>(
      std::min<__int128>((static_cast<__int128>(count) * info(dtype).bits + 7) / 8, kMost));
}

std::string_view name(Layout layout) {
  return layout == Layout::plain ? "plain" : "channels_last";
}

std::string text(const TensorType& type) {
  return fmt::format("{}{}{}", name(type.dtype), text(type.shape),
                     type.layout == Layout::plain ? "" : "@cl");
}

std::vector<Dim> dense_strides(const Shape& shape, Layout layout) {
  const size_t rank = shape.size();
  std::vector<Dim> strides(rank);
  Dim next = 1;
  if (layout == Layout::channels_last) {
    MACEC_CHECK(rank >= 3, "channels_last needs 3 axes, not {}", rank);
    strides[1] = 1;
    next = shape[1];
    for (size_t a = rank; a-- > 2;) {
      strides[a] = next;
      next *= shape[a];
    }
    strides[0] = next;
    return strides;
  }
  for (size_t a = rank; a-- > 0;) {
    strides[a] = next;
    next *= shape[a];
  }
  return strides;
}

}  // namespace macec
