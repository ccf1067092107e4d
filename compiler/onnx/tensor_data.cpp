// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/onnx/tensor_data.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "compiler/support/text.h"

namespace macec {
namespace fs = std::filesystem;
namespace {

constexpr int64_t kLargestExtent = INT32_MAX;
constexpr int64_t kMostElements = int64_t{1} << 40;

// Elements of a shape from a file. Throws on negative and too large extents and on products that leave int64.
int64_t count_of(const onnx::TensorProto& proto) {
  int64_t count = 1;
  bool is_empty = false;
  for (const int64_t extent : proto.dims()) {
    if (extent < 0) throw user_error("a weight has the negative extent {}", extent);
    if (extent > kLargestExtent)
      throw user_error("a weight has an extent of {}; more than 2^31-1 is not supported", extent);
    if (extent == 0)
      is_empty = true;
    else if (count > kMostElements / extent)
      throw user_error("a weight has too many elements");
    else
      count *= extent;
  }
  return is_empty ? 0 : count;
}

template <class T>
void store(Tensor* tensor, int64_t i, T value) {
  std::memcpy(tensor->bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
}

void check_values(int64_t have, int64_t need, const char* field) {
  if (have != need) throw user_error("{} has {} values, but the shape needs {}", field, have, need);
}

// int32_data holds everything of up to 32 bits; packed types one byte a value.
void from_int32_data(const onnx::TensorProto& proto, int64_t count, Tensor* tensor) {
  const int bits = info(tensor->dtype).bits;
  const int64_t values = bits < 8 ? bytes_of(tensor->dtype, count) : count;
  check_values(proto.int32_data_size(), values, "int32_data");
  for (int i = 0; i < proto.int32_data_size(); ++i) {
    const int32_t v = proto.int32_data(i);
    if (tensor->dtype == DType::boolean)
      store(tensor, i, static_cast<uint8_t>(v != 0));
    else if (bits <= 8)
      store(tensor, i, static_cast<uint8_t>(v));
    else if (bits == 16)
      store(tensor, i, static_cast<uint16_t>(v));
    else
      store(tensor, i, v);
  }
}

void from_typed_field(const onnx::TensorProto& proto, int64_t count, Tensor* tensor) {
  switch (tensor->dtype) {
    case DType::float32:
      check_values(proto.float_data_size(), count, "float_data");
      for (int i = 0; i < proto.float_data_size(); ++i) store(tensor, i, proto.float_data(i));
      break;
    case DType::float64:
      check_values(proto.double_data_size(), count, "double_data");
      for (int i = 0; i < proto.double_data_size(); ++i) store(tensor, i, proto.double_data(i));
      break;
    case DType::int64:
      check_values(proto.int64_data_size(), count, "int64_data");
      for (int i = 0; i < proto.int64_data_size(); ++i) store(tensor, i, proto.int64_data(i));
      break;
    case DType::uint64:
    case DType::uint32:
      check_values(proto.uint64_data_size(), count, "uint64_data");
      for (int i = 0; i < proto.uint64_data_size(); ++i) {
        if (tensor->dtype == DType::uint64)
          store(tensor, i, proto.uint64_data(i));
        else
          store(tensor, i, static_cast<uint32_t>(proto.uint64_data(i)));
      }
      break;
    default:
      from_int32_data(proto, count, tensor);
  }
}

int typed_fields(const onnx::TensorProto& proto) {
  return (proto.float_data_size() > 0) + (proto.double_data_size() > 0) +
         (proto.int32_data_size() > 0) + (proto.int64_data_size() > 0) +
         (proto.uint64_data_size() > 0);
}

bool has_typed_values(const onnx::TensorProto& proto) {
  return typed_fields(proto) > 0;
}

Tensor empty_tensor(DType dtype, const onnx::TensorProto& proto) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  return tensor;
}

}  // namespace

std::string describe(const onnx::TensorProto& proto) {
  const DTypeInfo* type = find_dtype(proto.data_type());
  std::string out = fmt::format("weight '{}' {}[", printable(proto.name()),
                                type ? type->name : fmt::format("type {}", proto.data_type()));
  for (int i = 0; i < proto.dims_size() && i < 16; ++i)
    out += fmt::format("{}{}", i ? "," : "", proto.dims(i));
  return out + "]";
}

bool TensorReader::is_external(const onnx::TensorProto& proto) {
  return proto.data_location() == onnx::TensorProto::EXTERNAL;
}

ExternalPlace TensorReader::place_of(const onnx::TensorProto& proto) {
  ExternalPlace place;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() != "offset" && entry.key() != "length") continue;
    const auto number = parse_int(entry.value());
    if (!number || *number < 0)
      throw user_error("the {} of its external data is '{}'", entry.key(),
                       printable(entry.value()));
    (entry.key() == "offset" ? place.offset : place.length) = *number;
  }
  if (place.location.empty()) throw user_error("its external data has no location");
  return place;
}

std::string TensorReader::find_external(const ExternalPlace& place) const {
  const auto outside = [&](const char* why) {
    return user_error("its data is in '{}', {}; files outside the model's folder are not read",
                      printable(place.location), why)
        .hint("keep external data beside the model or in a folder below it");
  };
  const fs::path location(place.location);
  if (place.location.find('\0') != std::string::npos) throw outside("which is no file name");
  if (location.is_absolute()) throw outside("an absolute path");
  for (const fs::path& part : location)
    if (part == "..") throw outside("which climbs out with '..'");
  std::error_code error;
  const fs::path root = fs::canonical(folder_, error);
  if (error) return "";
  const fs::path real = fs::canonical(root / location, error);  // follows symbolic links
  if (error) return "";
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  (void)rest;
  if (end != root.end()) throw outside("a link that leads outside");
  if (!fs::is_regular_file(real, error)) throw outside("which is no regular file");
  return real.string();
}

std::vector<unsigned char> TensorReader::read_external(const onnx::TensorProto& proto,
                                                       int64_t bytes) const {
  const ExternalPlace place = place_of(proto);
  const std::string path = find_external(place);
  if (path.empty())
    throw user_error("its data is in '{}', and there is no such file", printable(place.location));
  if (place.length >= 0 && place.length != bytes)
    throw user_error("its external data has {} bytes, but the shape needs {}", place.length, bytes);
  std::error_code error;
  const int64_t size = static_cast<int64_t>(fs::file_size(path, error));
  if (error || place.offset > size || bytes > size - place.offset)
    throw user_error("its data is bytes {} to {} of '{}', and that file has {}", place.offset,
                     static_cast<double>(place.offset) + static_cast<double>(bytes),
                     printable(place.location), size);
  std::vector<unsigned char> data(static_cast<size_t>(bytes));
  std::ifstream in(path, std::ios::binary);
  in.seekg(place.offset);
  if (!in.read(reinterpret_cast<char*>(data.data()), bytes))
    throw user_error("'{}' cannot be read", printable(place.location));
  return data;
}

static Tensor read_checked(const onnx::TensorProto& proto,
                           const std::function<std::vector<unsigned char>(int64_t)>& external) {
  const DTypeInfo* type = find_dtype(proto.data_type());
  if (!type || type->dtype == DType::undefined)
    throw user_error("element type {} is unknown", proto.data_type());
  const DType dtype = type->dtype;
  if (dtype == DType::string || dtype == DType::complex64 || dtype == DType::complex128)
    throw user_error("a weight of type {} is not supported", name(dtype));
  if (typed_fields(proto) + !proto.raw_data().empty() > 1)
    throw user_error("a weight has its values twice, in two fields of the file");
  if (proto.has_segment()) throw user_error("a weight stored in segments is not supported");
  const int64_t count = count_of(proto);
  const int64_t bytes = bytes_of(dtype, count);
  Tensor tensor = empty_tensor(dtype, proto);
  if (TensorReader::is_external(proto)) {
    tensor.bytes = external(bytes);
  } else if (proto.has_raw_data() && (!proto.raw_data().empty() || !has_typed_values(proto))) {
    const std::string& raw = proto.raw_data();
    if (static_cast<int64_t>(raw.size()) != bytes)
      throw user_error("raw_data has {} bytes, but {} elements of {} need {}", raw.size(), count,
                       name(dtype), bytes);
    tensor.bytes.assign(raw.begin(), raw.end());
  } else {
    // A shape alone must not allocate: the values must be there first.
    if (count > 0 && !has_typed_values(proto))
      throw user_error("it has {} elements, but no data", count);
    const int64_t most =
        std::max({proto.float_data_size(), proto.double_data_size(), proto.int32_data_size(),
                  proto.int64_data_size(), proto.uint64_data_size()});
    if (bytes > most * 8) throw user_error("it has {} elements, but only {} values", count, most);
    tensor.bytes.resize(static_cast<size_t>(bytes));
    from_typed_field(proto, count, &tensor);
  }
  if (dtype == DType::boolean)
    for (unsigned char& b : tensor.bytes) b = b != 0;
  return tensor;
}

Tensor TensorReader::read(const onnx::TensorProto& proto) {
  try {
    return read_checked(proto, [&](int64_t bytes) { return read_external(proto, bytes); });
  } catch (UserError& error) {
    if (error.places().empty()) error.at(describe(proto));
    throw;
  }
}

}  // namespace macec
