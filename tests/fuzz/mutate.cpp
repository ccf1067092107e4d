// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutations of protobuf's wire format, without protobuf: a message is a list of fields, a field is
// a key and a payload.
//
//   key = number << 3 | kind;  kind 0: varint, 1: 8 bytes, 2: length and bytes, 5: 4 bytes
//
// A payload of kind 2 is tried as a message of its own. A weight or a name may look like one by
// accident; then it is damaged as if it were one, which does no harm here.
#include "mutate.h"

#include <algorithm>
#include <iterator>

namespace fuzz {

namespace {

constexpr int kMaxDepth = 10;
constexpr size_t kMaxBytes = 4 << 20;

struct Field {
  uint64_t number = 0;
  unsigned kind = 0;
  uint64_t varint = 0;  // kind 0
  Bytes payload;        // kinds 1, 2, 5
};

bool read_varint(const Bytes& in, size_t& at, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && at < in.size(); shift += 7) {
    const uint8_t byte = in[at++];
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

void write_varint(Bytes& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<uint8_t>(value));
}

// The fields of a message; false if the bytes are none.
bool parse(const Bytes& in, std::vector<Field>& fields) {
  size_t at = 0;
  while (at < in.size()) {
    Field field;
    uint64_t key = 0, length = 0;
    if (!read_varint(in, at, key) || key >> 3 == 0) return false;
    field.number = key >> 3;
    field.kind = static_cast<unsigned>(key & 7);
    if (field.kind == 0) {
      if (!read_varint(in, at, field.varint)) return false;
    } else {
      if (field.kind == 1) {
        length = 8;
      } else if (field.kind == 5) {
        length = 4;
      } else if (field.kind != 2 || !read_varint(in, at, length)) {
        return false;
      }
      if (length > in.size() - at) return false;
      const auto begin = in.begin() + static_cast<std::ptrdiff_t>(at);
      field.payload.assign(begin, begin + static_cast<std::ptrdiff_t>(length));
      at += static_cast<size_t>(length);
    }
    fields.push_back(std::move(field));
  }
  return !fields.empty();
}

Bytes print(const std::vector<Field>& fields) {
  Bytes out;
  for (const Field& field : fields) {
    write_varint(out, field.number << 3 | field.kind);
    if (field.kind == 0) write_varint(out, field.varint);
    if (field.kind == 2) write_varint(out, field.payload.size());
    out.insert(out.end(), field.payload.begin(), field.payload.end());
  }
  return out;
}

uint64_t interesting(Random& random, uint64_t old) {
  static const uint64_t kValues[] = {0,
                                     1,
                                     2,
                                     3,
                                     4,
                                     7,
                                     8,
                                     16,
                                     17,
                                     127,
                                     128,
                                     255,
                                     256,
                                     32767,
                                     65535,
                                     65536,
                                     1u << 24,
                                     0x7ffffffeu,
                                     0x7fffffffu,
                                     0x80000000u,
                                     0xffffffffu,
                                     1ull << 32,
                                     1ull << 40,
                                     1ull << 62,
                                     0x7fffffffffffffffull,
                                     0x8000000000000000ull,
                                     ~0ull,
                                     ~0ull - 1,
                                     ~0ull - 7};
  switch (random.below(4)) {
    case 0:
      return old + 1;
    case 1:
      return old - 1;
    case 2:
      return random.below(40);
    default:
      return kValues[random.below(sizeof kValues / sizeof kValues[0])];
  }
}

void change_bytes(Bytes& bytes, Random& random) {
  if (bytes.empty()) {
    bytes.push_back(static_cast<uint8_t>(random.next()));
    return;
  }
  const size_t at = random.below(bytes.size());
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const size_t length = 1 + random.below(std::min<size_t>(bytes.size() - at, 64));
  switch (random.below(6)) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1u << random.below(8));
      break;
    case 1:
      bytes[at] = static_cast<uint8_t>(random.next());
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.erase(place, place + static_cast<std::ptrdiff_t>(length));
      break;
    case 4: {
      const Bytes part(place, place + static_cast<std::ptrdiff_t>(length));
      bytes.insert(place, part.begin(), part.end());
      break;
    }
    default:
      std::fill_n(place, length, static_cast<uint8_t>(random.chance(50) ? 0xff : 0));
      break;
  }
}

// A random field somewhere in a message, for planting elsewhere.
Field pick(const Bytes& message, Random& random, int depth) {
  std::vector<Field> fields;
  if (!parse(message, fields)) return Field();
  Field& field = fields[random.below(fields.size())];
  if (depth < kMaxDepth && field.kind == 2 && random.chance(70)) {
    const Field inner = pick(field.payload, random, depth + 1);
    if (inner.number != 0) return inner;
  }
  return field;
}

void change_value(Field& field, const Bytes& other, Random& random) {
  if (field.kind == 0) {
    field.varint = interesting(random, field.varint);
  } else if (field.kind == 2 && random.chance(25)) {
    field.payload = pick(other, random, 0).payload;
  } else {
    change_bytes(field.payload, random);
    if (field.kind == 1) field.payload.resize(8);
    if (field.kind == 5) field.payload.resize(4);
  }
}

Bytes change_message(const Bytes& message, const Bytes& other, Random& random, int depth) {
  std::vector<Field> fields;
  Bytes changed = message;
  if (!parse(message, fields)) {
    change_bytes(changed, random);
    return changed;
  }
  const size_t at = random.below(fields.size());
  const auto place = fields.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<Field> inner;
  if (depth < kMaxDepth && fields[at].kind == 2 && parse(fields[at].payload, inner) &&
      random.chance(85)) {
    fields[at].payload = change_message(fields[at].payload, other, random, depth + 1);
    return print(fields);
  }
  switch (random.below(8)) {
    case 0:
      fields.erase(place);
      break;
    case 1: {
      const Field twin = fields[at];
      fields.insert(place, twin);
      break;
    }
    case 2:
      std::swap(fields[at], fields[random.below(fields.size())]);
      break;
    case 3:
      fields[at].number = 1 + random.below(25);
      break;
    case 4: {
      const Field planted = pick(other, random, 0);
      if (planted.number != 0) fields.insert(place, planted);
      break;
    }
    default:
      change_value(fields[at], other, random);
      break;
  }
  return print(fields);
}

}  // namespace

uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Bytes mutate(const Bytes& model, const Bytes& other, Random& random) {
  Bytes changed = model;
  const size_t changes = 1 + random.below(4);
  for (size_t i = 0; i < changes; ++i) {
    if (random.chance(80)) {
      changed = change_message(changed, other, random, 0);
    } else {
      change_bytes(changed, random);
    }
  }
  if (changed.size() > kMaxBytes) changed.resize(kMaxBytes);
  return changed;
}

}  // namespace fuzz
