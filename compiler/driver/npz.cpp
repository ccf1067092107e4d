// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "compiler/support/files.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

constexpr int64_t kLargestArchive = int64_t{4} << 30;
constexpr uint64_t kLargestMember = uint64_t{4} << 30;

struct NumpyType {
  DType dtype;
  const char* descr;
};
const NumpyType kTypes[] = {
    {DType::float32, "<f4"}, {DType::float64, "<f8"}, {DType::float16, "<f2"},
    {DType::int8, "|i1"},    {DType::uint8, "|u1"},   {DType::int16, "<i2"},
    {DType::uint16, "<u2"},  {DType::int32, "<i4"},   {DType::uint32, "<u4"},
    {DType::int64, "<i8"},   {DType::uint64, "<u8"},  {DType::boolean, "|b1"},
};

// Bytes of an archive with checked access.
struct Bytes {
  const std::string& text;
  uint64_t number(uint64_t at, int bytes) const {
    if (at > text.size() || text.size() - at < static_cast<uint64_t>(bytes))
      throw user_error("the archive is cut off");
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(text[at + static_cast<uint64_t>(i)]);
    return value;
  }
  std::string_view part(uint64_t at, uint64_t bytes) const {
    if (at > text.size() || bytes > text.size() - at) throw user_error("the archive is cut off");
    return std::string_view(text).substr(at, bytes);
  }
};

struct Member {
  std::string name;
  int method = 0;
  uint64_t packed = 0, plain = 0, header = 0;
};

// The 64-bit sizes that stand in an extra field where 32 bits do not do.
void read_zip64(const Bytes& bytes, uint64_t at, uint64_t length, Member* member) {
  const uint64_t end = at + length;
  while (at + 4 <= end) {
    const uint64_t id = bytes.number(at, 2), size = bytes.number(at + 2, 2);
    uint64_t field = at + 4;
    if (id == 1)
      for (uint64_t* value : {&member->plain, &member->packed, &member->header}) {
        if (*value != 0xffffffffu) continue;
        *value = bytes.number(field, 8);
        field += 8;
      }
    at += 4 + size;
  }
}

std::vector<Member> read_directory(const Bytes& bytes) {
  constexpr std::string_view kEnd("PK\x05\x06", 4);
  const size_t end = bytes.text.rfind(kEnd);
  if (end == std::string::npos) throw user_error("it is no zip archive, or cut off");
  uint64_t count = bytes.number(end + 10, 2), at = bytes.number(end + 16, 4);
  constexpr std::string_view kEnd64("PK\x06\x06", 4);
  const size_t end64 = bytes.text.rfind(kEnd64);
  if (at == 0xffffffffu && end64 != std::string::npos) {
    count = bytes.number(end64 + 32, 8);
    at = bytes.number(end64 + 48, 8);
  }
  std::vector<Member> members;
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes.number(at, 4) != 0x02014b50) throw user_error("its directory is damaged");
    Member member;
    member.method = static_cast<int>(bytes.number(at + 10, 2));
    member.packed = bytes.number(at + 20, 4);
    member.plain = bytes.number(at + 24, 4);
    member.header = bytes.number(at + 42, 4);
    const uint64_t name = bytes.number(at + 28, 2), extra = bytes.number(at + 30, 2),
                   comment = bytes.number(at + 32, 2);
    member.name = bytes.part(at + 46, name);
    read_zip64(bytes, at + 46 + name, extra, &member);
    members.push_back(member);
    at += 46 + name + extra + comment;
  }
  return members;
}

std::string unpack(const Bytes& bytes, const Member& member) {
  const uint64_t name = bytes.number(member.header + 26, 2),
                 extra = bytes.number(member.header + 28, 2);
  const std::string_view packed = bytes.part(member.header + 30 + name + extra, member.packed);
  if (member.method == 0) return std::string(packed);
  if (member.method != 8)
    throw user_error("'{}' is compressed in an unknown way", printable(member.name));
  // Deflate shrinks at most 1032 times: a larger claim is false, and nothing is allocated for it.
  if (member.plain > kLargestMember || member.plain / 1032 > member.packed + 1)
    throw user_error("'{}' claims {} bytes", printable(member.name), member.plain);
  std::string plain(member.plain, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw InternalError("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(&plain[0]);
  stream.avail_out = static_cast<uInt>(plain.size());
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.total_out != member.plain)
    throw user_error("'{}' is damaged", printable(member.name));
  return plain;
}

// The text behind 'key': in the header of an array, up to one of the end marks.
std::string header_field(const std::string& header, const char* key, const char* ends) {
  size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string::npos) throw user_error("the array's header has no '{}'", key);
  at += std::strlen(key) + 3;
  while (at < header.size() && header[at] == ' ') ++at;
  return header.substr(at, header.find_first_of(ends, at + 1) - at);
}

Tensor read_npy(const std::string& text) {
  if (!starts_with(text, "\x93NUMPY") || text.size() < 12) throw user_error("it is no NumPy array");
  const Bytes bytes{text};
  const int length_bytes = text[6] == 1 ? 2 : 4;
  const uint64_t length = bytes.number(8, length_bytes),
                 begin = 8 + static_cast<uint64_t>(length_bytes);
  const std::string header(bytes.part(begin, length));
  const std::string descr = header_field(header, "descr", ",}");
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const NumpyType& t) {
    return descr == fmt::format("'{}'", t.descr) ||
           (t.descr[0] == '|' && descr == fmt::format("'<{}'", t.descr + 1));
  });
  if (type == std::end(kTypes))
    throw user_error("arrays of type {} are not supported", printable(descr));
  if (starts_with(header_field(header, "fortran_order", ",}"), "T"))
    throw user_error("arrays in Fortran order are not supported")
        .hint("np.ascontiguousarray(a) brings it into C order");
  std::vector<int64_t> shape;
  int64_t count = 1;
  const std::string extents = header_field(header, "shape", ")");
  for (const std::string& part : split(extents.substr(std::min<size_t>(1, extents.size())), ',')) {
    const size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    const auto extent = parse_int(part.substr(first));
    if (!extent || *extent < 0 || (*extent > 0 && count > (int64_t{1} << 40) / *extent))
      throw user_error("its shape is {}", printable(extents));
    shape.push_back(*extent);
    count *= *extent;
  }
  const uint64_t need = static_cast<uint64_t>(bytes_of(type->dtype, count));
  if (text.size() - begin - length != need)
    throw user_error("an array has {} bytes of data, but its shape needs {}",
                     text.size() - begin - length, need);
  Tensor tensor;
  tensor.dtype = type->dtype;
  tensor.shape = shape;
  const std::string_view data = bytes.part(begin + length, need);
  tensor.bytes.assign(data.begin(), data.end());
  return tensor;
}

void put(std::string* out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) *out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::string npy_bytes(const std::string& name, const Tensor& tensor) {
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const NumpyType& t) { return t.dtype == tensor.dtype; });
  if (type == std::end(kTypes))
    throw user_error("NumPy has no type for {} ('{}')", macec::name(tensor.dtype), printable(name));
  std::string shape;
  for (const int64_t extent : tensor.shape) shape += fmt::format("{}, ", extent);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type->descr, shape);
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(&out, header.size(), 2);
  out += header;
  out.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return out;
}

}  // namespace

NamedTensors load_npz(const std::string& path) {
  try {
    const std::string text = read_file(path, kLargestArchive);
    NamedTensors tensors;
    if (starts_with(text, "\x93NUMPY")) {
      tensors.emplace_back(stem_of(path), read_npy(text));
      return tensors;
    }
    const Bytes bytes{text};
    for (const Member& member : read_directory(bytes)) {
      if (!ends_with(member.name, ".npy")) continue;
      tensors.emplace_back(member.name.substr(0, member.name.size() - 4),
                           read_npy(unpack(bytes, member)));
    }
    return tensors;
  } catch (UserError& error) {
    error.at(fmt::format("'{}'", printable(path)));
    throw;
  }
}

std::string npz_bytes(const NamedTensors& tensors) {
  std::string out, directory;
  for (const auto& [name, tensor] : tensors) {
    const std::string data = npy_bytes(name, tensor), file = name + ".npy";
    if (data.size() > 0xfffffff0u || out.size() > 0xfffffff0u)
      throw user_error("an archive of more than 4 GB is not supported");
    std::string fields;
    put(&fields, 20, 2);          // version needed
    put(&fields, 0x800, 2);       // names are UTF-8
    put(&fields, 0, 2);           // stored
    put(&fields, 0x00210000, 4);  // 1 January 1980: the same data gives the same bytes
    put(&fields,
        crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())), 4);
    put(&fields, data.size(), 4);
    put(&fields, data.size(), 4);
    put(&fields, file.size(), 2);
    put(&fields, 0, 2);
    const uint64_t at = out.size();
    out += std::string("PK\x03\x04", 4) + fields + file + data;
    directory += std::string("PK\x01\x02\x14\x00", 6) + fields;
    directory.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
    put(&directory, at, 4);
    directory += file;
  }
  const uint64_t at = out.size();
  out += directory + std::string("PK\x05\x06\x00\x00\x00\x00", 8);
  put(&out, tensors.size(), 2);
  put(&out, tensors.size(), 2);
  put(&out, directory.size(), 4);
  put(&out, at, 4);
  put(&out, 0, 2);
  return out;
}

}  // namespace macec
