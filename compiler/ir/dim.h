// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An extent: a constant, or an integer expression over symbols with known bounds.
//
// Kept in one normal form: a constant plus a sum of products of atoms; an atom is a symbol, a floor
// division by a constant, or a min/max of two extents. So a == b says "provably equal", and shape
// arithmetic such as floor((h - 1) / 2) + 1 with h a multiple of 32 reduces by itself.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace macec {

// A size the app (or a step) chooses at run time: lo <= value <= hi, value % step == lo % step.
// Two symbols are the same if their names are equal.
struct Symbol {
  std::string name;
  int64_t lo = 1, hi = 1, step = 1;
  bool is_computed =
      false;  // true: its value is produced by a step of the plan, not given by the caller
};

class Dim {
 public:
  Dim(int64_t value = 0) : constant_(value) {}  // NOLINT: a number is an extent
  Dim(int value) : constant_(value) {}          // NOLINT
  static Dim symbol(std::shared_ptr<const Symbol> symbol);

  bool is_fixed() const { return !terms_; }
  int64_t value() const;  // of a fixed extent; InternalError otherwise
  int64_t lo() const;     // bounds over all values of the symbols; saturate at +-2^62
  int64_t hi() const;

  bool operator==(const Dim& other) const;  // provably equal
  bool operator!=(const Dim& other) const { return !(*this == other); }

  Dim operator+(const Dim& other) const;
  Dim operator-(const Dim& other) const;
  Dim operator*(const Dim& other) const;
  Dim operator-() const { return Dim(0) - *this; }
  Dim& operator+=(const Dim& other) { return *this = *this + other; }
  Dim& operator*=(const Dim& other) { return *this = *this * other; }

  // The value for given values of the symbols.
  int64_t evaluate(const std::function<int64_t(const Symbol&)>& value_of) const;
  // "batch*3 + 1"; with name_of, symbols are printed by it (generated code: C++ int64_t expression;
  // floor_div prints as macec_floor_div(a, b), min and max as macec_min, macec_max).
  std::string text() const;
  std::string code(const std::function<std::string(const Symbol&)>& name_of) const;
  // Calls f for every symbol in the expression (a symbol may come more than once).
  void symbols(const std::function<void(const std::shared_ptr<const Symbol>&)>& f) const;
  bool has_computed() const;  // a symbol in it is computed by a step

  struct Atom;
  struct Term {
    int64_t factor;
    std::vector<std::shared_ptr<const Atom>> atoms;  // sorted by text
  };

 private:
  friend Dim floor_div(const Dim& a, int64_t b);
  friend bool exact_div(const Dim& a, const Dim& b, Dim* quotient);
  friend Dim min(const Dim& a, const Dim& b);
  friend Dim max(const Dim& a, const Dim& b);
  static Dim from(int64_t constant, std::vector<Term> terms);
  static Dim of_atom(std::shared_ptr<const Atom> atom);
  const std::vector<Term>& terms() const;
  std::string render(const std::function<std::string(const Symbol&)>* name_of) const;

  int64_t constant_ = 0;
  std::shared_ptr<const std::vector<Term>> terms_;  // null: fixed
};

Dim floor_div(const Dim& a, int64_t b);  // b > 0; rounds toward minus infinity
Dim ceil_div(const Dim& a, int64_t b);
Dim mod(const Dim& a, int64_t b);  // a - b * floor_div(a, b)
// a / b where b provably divides a without rest; false if that cannot be shown.
bool exact_div(const Dim& a, const Dim& b, Dim* quotient);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);

using Shape = std::vector<Dim>;
Dim product(const Shape& shape);  // 1 for rank 0
bool is_fixed(const Shape& shape);
std::vector<int64_t> fixed(const Shape& shape);  // values; all must be fixed
Shape to_shape(const std::vector<int64_t>& values);
std::string text(const Shape& shape);  // "[batch,3,224,224]"

}  // namespace macec
