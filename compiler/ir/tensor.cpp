// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/tensor.h"

#include <cmath>

namespace macec {
namespace {

int64_t element_count(const std::vector<int64_t>& shape) {
  __int128 n = 1;
  for (int64_t d : shape) {
    MACEC_CHECK(d >= 0, "negative extent {}", d);
    n *= d;
    MACEC_CHECK(n < (static_cast<__int128>(1) << 62), "a constant has too many elements");
  }
  return static_cast<int64_t>(n);
}

// Bits of packed element i, low bits first.
unsigned packed(const Tensor& t, int64_t i, int bits) {
  const int per_byte = 8 / bits;
  return (t.bytes[static_cast<size_t>(i / per_byte)] >> (static_cast<int>(i % per_byte) * bits)) &
         ((1u << bits) - 1);
}
void set_packed(Tensor& t, int64_t i, int bits, unsigned v) {
  const int per_byte = 8 / bits, shift = static_cast<int>(i % per_byte) * bits;
  unsigned char& byte = t.bytes[static_cast<size_t>(i / per_byte)];
  const unsigned mask = ((1u << bits) - 1) << shift;
  byte = static_cast<unsigned char>((byte & ~mask) | ((v << shift) & mask));
}
int64_t sign_extend(unsigned v, int bits) {
  return (v >> (bits - 1)) ? static_cast<int64_t>(v) - (int64_t{1} << bits)
                           : static_cast<int64_t>(v);
}
template <class T>
T get(const Tensor& t, int64_t i) {
  T v;
  std::memcpy(&v, t.bytes.data() + static_cast<size_t>(i) * sizeof(T), sizeof v);
  return v;
}
template <class T>
void put(Tensor& t, int64_t i, T v) {
  std::memcpy(t.bytes.data() + static_cast<size_t>(i) * sizeof(T), &v, sizeof v);
}

// Toward zero; NaN is 0; out of range saturates.
int64_t to_integer(double v) {
  if (std::isnan(v)) return 0;
  if (v >= 9223372036854775808.0) return INT64_MAX;
  if (v <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(v);
}

}  // namespace

SmallFloat small_format(DType dtype) {
  switch (dtype) {
    case DType::float8e4m3fn:
      return SmallFloat::e4m3fn;
    case DType::float8e4m3fnuz:
      return SmallFloat::e4m3fnuz;
    case DType::float8e5m2:
      return SmallFloat::e5m2;
    case DType::float8e5m2fnuz:
      return SmallFloat::e5m2fnuz;
    case DType::float4e2m1:
      return SmallFloat::e2m1;
    case DType::float8e8m0:
      return SmallFloat::e8m0;
    default:
      break;
  }
  throw InternalError(fmt::format("{} is no small float", name(dtype)));
}

Tensor::Tensor(DType dtype_, std::vector<int64_t> shape_)
    : dtype(dtype_), shape(std::move(shape_)) {
  bytes.resize(static_cast<size_t>(bytes_of(dtype, element_count(shape))));
}
int64_t Tensor::count() const {
  return element_count(shape);
}

double Tensor::f64(int64_t i) const {
  switch (dtype) {
    case DType::float32:
      return get<float>(*this, i);
    case DType::float64:
      return get<double>(*this, i);
    case DType::float16:
      return half_to_float(get<uint16_t>(*this, i));
    case DType::bfloat16:
      return bfloat16_to_float(get<uint16_t>(*this, i));
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
    case DType::float8e8m0:
      return small_to_double(small_format(dtype), get<uint8_t>(*this, i));
    case DType::float4e2m1:
      return small_to_double(SmallFloat::e2m1, static_cast<uint8_t>(packed(*this, i, 4)));
    case DType::uint64:
      return static_cast<double>(get<uint64_t>(*this, i));
    default:
      return static_cast<double>(i64(i));
  }
}

int64_t Tensor::i64(int64_t i) const {
  switch (dtype) {
    case DType::int64:
      return get<int64_t>(*this, i);
    case DType::uint64:
      return static_cast<int64_t>(get<uint64_t>(*this, i));
    case DType::int32:
      return get<int32_t>(*this, i);
    case DType::uint32:
      return get<uint32_t>(*this, i);
    case DType::int16:
      return get<int16_t>(*this, i);
    case DType::uint16:
      return get<uint16_t>(*this, i);
    case DType::int8:
      return get<int8_t>(*this, i);
    case DType::uint8:
      return get<uint8_t>(*this, i);
    case DType::boolean:
      return get<uint8_t>(*this, i) != 0;
    case DType::int4:
      return sign_extend(packed(*this, i, 4), 4);
    case DType::uint4:
      return packed(*this, i, 4);
    case DType::int2:
      return sign_extend(packed(*this, i, 2), 2);
    case DType::uint2:
      return packed(*this, i, 2);
    default:
      break;
  }
  MACEC_CHECK(info(dtype).is_float, "{} has no numbers", name(dtype));
  return to_integer(f64(i));
}

void Tensor::set_f64(int64_t i, double v) {
  switch (dtype) {
    case DType::float32:
      return put(*this, i, static_cast<float>(v));
    case DType::float64:
      return put(*this, i, v);
    case DType::float16:
      return put(*this, i, double_to_half(v));
    case DType::bfloat16:
      return put(*this, i, double_to_bfloat16(v));
    case DType::float8e4m3fn:
    case DType::float8e4m3fnuz:
    case DType::float8e5m2:
    case DType::float8e5m2fnuz:
    case DType::float8e8m0:
      return put(*this, i, double_to_small(small_format(dtype), v));
    case DType::float4e2m1:
      return set_packed(*this, i, 4, double_to_small(SmallFloat::e2m1, v));
    case DType::boolean:
      return put<uint8_t>(*this, i, v != 0 ? 1 : 0);
    case DType::uint64:
      if (v >= 9223372036854775808.0) {
        return put<uint64_t>(*this, i,
                             v >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(v));
      }
      break;
    default:
      break;
  }
  set_i64(i, to_integer(v));
}

void Tensor::set_i64(int64_t i, int64_t v) {
  switch (dtype) {
    case DType::int64:
      return put(*this, i, v);
    case DType::uint64:
      return put(*this, i, static_cast<uint64_t>(v));
    case DType::int32:
      return put(*this, i, static_cast<int32_t>(v));
    case DType::uint32:
      return put(*this, i, static_cast<uint32_t>(v));
    case DType::int16:
      return put(*this, i, static_cast<int16_t>(v));
    case DType::uint16:
      return put(*this, i, static_cast<uint16_t>(v));
    case DType::int8:
      return put(*this, i, static_cast<int8_t>(v));
    case DType::uint8:
      return put(*this, i, static_cast<uint8_t>(v));
    case DType::boolean:
      return put<uint8_t>(*this, i, v != 0 ? 1 : 0);
    case DType::int4:
    case DType::uint4:
      return set_packed(*this, i, 4, static_cast<unsigned>(v) & 15u);
    case DType::int2:
    case DType::uint2:
      return set_packed(*this, i, 2, static_cast<unsigned>(v) & 3u);
    default:
      return set_f64(i, static_cast<double>(v));
  }
}

Tensor Tensor::scalar_f32(float v) {
  Tensor t(DType::float32, {});
  t.set_f64(0, static_cast<double>(v));
  return t;
}
Tensor Tensor::scalar_i64(int64_t v) {
  Tensor t(DType::int64, {});
  t.set_i64(0, v);
  return t;
}
Tensor Tensor::vector_i64(const std::vector<int64_t>& v) {
  Tensor t(DType::int64, {static_cast<int64_t>(v.size())});
  for (size_t i = 0; i < v.size(); ++i) t.set_i64(static_cast<int64_t>(i), v[i]);
  return t;
}
Tensor Tensor::vector_f32(const std::vector<float>& v, std::vector<int64_t> shape) {
  Tensor t(DType::float32, std::move(shape));
  MACEC_CHECK(t.count() == static_cast<int64_t>(v.size()), "{} values for {} elements", v.size(),
              t.count());
  std::memcpy(t.bytes.data(), v.data(), v.size() * sizeof(float));
  return t;
}

std::vector<int64_t> to_i64(const Tensor& tensor) {
  std::vector<int64_t> v(static_cast<size_t>(tensor.count()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = tensor.i64(static_cast<int64_t>(i));
  return v;
}
std::vector<double> to_f64(const Tensor& tensor) {
  std::vector<double> v(static_cast<size_t>(tensor.count()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = tensor.f64(static_cast<int64_t>(i));
  return v;
}
std::string text(const Tensor& tensor) {
  std::string s = text(tensor.type()) + " {";
  const int64_t n = tensor.count(), shown = n < 8 ? n : 8;
  for (int64_t i = 0; i < shown; ++i) s += fmt::format("{}{}", i ? ", " : "", tensor.f64(i));
  return s + (shown < n ? ", ...}" : "}");
}

}  // namespace macec
