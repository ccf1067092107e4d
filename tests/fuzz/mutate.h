// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes the bytes of a model file, the same way for the same number.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

using Bytes = std::vector<uint8_t>;

// A small generator of numbers; the standard library's distributions differ from one library to the
// next.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  uint64_t next();
  // 0 <= result < n; n >= 1.
  size_t below(size_t n) { return static_cast<size_t>(next() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

// One to four changes of one kind or another: bits and bytes, the end cut off, a part doubled or
// dropped, and, mostly, fields of the protobuf message: dropped, doubled, swapped, renumbered,
// numbers set to interesting values, strings and payloads changed, at any depth, with the lengths
// around them kept right. `other`: another model, fields of which may be moved into this one.
Bytes mutate(const Bytes& model, const Bytes& other, Random& random);

}  // namespace fuzz
