// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What extents are made of, for dim.cpp and dim_divide.cpp only: atoms, and the arithmetic of bounds.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "compiler/ir/dim.h"

namespace macec {

constexpr int64_t kLimitOfBounds = int64_t{1} << 62;

inline int64_t saturate(__int128 v) {
  if (v > kLimitOfBounds) return kLimitOfBounds;
  if (v < -kLimitOfBounds) return -kLimitOfBounds;
  return static_cast<int64_t>(v);
}

inline int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0)) ? q - 1 : q;
}

struct Interval {
  int64_t lo, hi;
};
inline Interval times(Interval a, Interval b) {
  const __int128 p[4] = {static_cast<__int128>(a.lo) * b.lo, static_cast<__int128>(a.lo) * b.hi,
                         static_cast<__int128>(a.hi) * b.lo, static_cast<__int128>(a.hi) * b.hi};
  return {saturate(*std::min_element(p, p + 4)), saturate(*std::max_element(p, p + 4))};
}

// A factor that is no number. `key` is its text: equal keys are equal atoms.
struct Dim::Atom {
  enum Kind { symbol, floor_div, min, max } kind;
  std::shared_ptr<const Symbol> name;  // symbol: the atom is (value - lo % step) / step
  Dim a, b;                            // floor_div: a / divisor; min, max: of a and b
  int64_t divisor = 1;
  std::string key;
  Interval bounds{0, 0};  // over all values of the symbols

  // Works out key and bounds; the rest is set. Bounds are kept, because those of nested atoms would
  // be asked for twice at each level.
  void finish();
  std::string make_key() const;
  Interval make_bounds() const {
    switch (kind) {
      case symbol: {
        const int64_t rest = name->lo % name->step;
        return {(name->lo - rest) / name->step, floor_quotient(name->hi - rest, name->step)};
      }
      case floor_div:
        return {floor_quotient(a.lo(), divisor), floor_quotient(a.hi(), divisor)};
      case min:
        return {std::min(a.lo(), b.lo()), std::min(a.hi(), b.hi())};
      case max:
        return {std::max(a.lo(), b.lo()), std::max(a.hi(), b.hi())};
    }
    return {0, 0};
  }
};

// Equal keys are products of the same atoms.
inline std::string key_of(const Dim::Term& term) {
  std::string key;
  for (const auto& atom : term.atoms) key += atom->key + "*";
  return key;
}

}  // namespace macec
