// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quotients, minimum and maximum of extents: they are worked out as far as bounds allow, and what is left becomes an atom.
#include <algorithm>
#include <numeric>

#include "compiler/ir/dim.h"
#include "compiler/ir/dim_atom.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

using Term = Dim::Term;

// More atoms first, then by name: the order of polynomial division.
bool leads(const Term& a, const Term& b) {
  if (a.atoms.size() != b.atoms.size()) return a.atoms.size() > b.atoms.size();
  return key_of(a) < key_of(b);
}

const Term* leading_term(const std::vector<Term>& terms) {
  const Term* best = nullptr;
  for (const Term& t : terms)
    if (!best || leads(t, *best)) best = &t;
  return best;
}

// The quotient term of a / b, if b's factors all stand in a.
bool divide_term(const Term& a, const Term& b, Term* q) {
  if (b.factor == 0 || a.factor % b.factor != 0) return false;
  *q = a;
  q->factor = a.factor / b.factor;
  for (const auto& atom : b.atoms) {
    auto at = std::find_if(q->atoms.begin(), q->atoms.end(),
                           [&](const auto& x) { return x->key == atom->key; });
    if (at == q->atoms.end()) return false;
    q->atoms.erase(at);
  }
  return true;
}

}  // namespace

// floor((c + sum f x) / b): multiples of b leave the division, the rest is reduced by the common
// divisor.
Dim floor_div(const Dim& a, int64_t b) {
  MACEC_CHECK(b > 0, "division of an extent by {}", b);
  if (b == 1) return a;
  if (a.is_fixed()) return Dim(floor_quotient(a.constant_, b));
  std::vector<Dim::Term> outside, inside;
  int64_t divisor = b;
  for (const Dim::Term& t : a.terms()) {
    const int64_t q = floor_quotient(t.factor, b), r = t.factor - q * b;
    if (q != 0) outside.push_back({q, t.atoms});
    if (r != 0) {
      inside.push_back({r, t.atoms});
      divisor = std::gcd(divisor, r);
    }
  }
  const int64_t q = floor_quotient(a.constant_, b);
  const Dim whole = Dim::from(q, std::move(outside));
  const int64_t rest = a.constant_ - q * b;
  if (inside.empty()) return whole;
  for (Dim::Term& t : inside) t.factor /= divisor;
  Dim inner = Dim::from(rest / divisor, std::move(inside));
  int64_t by = b / divisor;
  if (by == 1) return whole + inner;
  if (floor_quotient(inner.lo(), by) == floor_quotient(inner.hi(), by))
    return whole + floor_quotient(inner.lo(), by);
  const auto& terms = inner.terms();
  if (terms.size() == 1 && terms[0].factor == 1 && terms[0].atoms.size() == 1 &&
      terms[0].atoms[0]->kind == Dim::Atom::floor_div) {
    const Dim::Atom& nested = *terms[0].atoms[0];
    return whole + floor_div(nested.a + Dim(inner.constant_ * nested.divisor), nested.divisor * by);
  }
  auto atom = std::make_shared<Dim::Atom>();
  atom->kind = Dim::Atom::floor_div;
  atom->a = inner;
  atom->divisor = by;
  atom->finish();
  return whole + Dim::of_atom(std::move(atom));
}

Dim ceil_div(const Dim& a, int64_t b) {
  return floor_div(a + Dim(b - 1), b);
}
Dim mod(const Dim& a, int64_t b) {
  return a - floor_div(a, b) * Dim(b);
}

// Polynomial division by the leading term; bounded, since every round removes the leading term of
// the rest.
bool exact_div(const Dim& a, const Dim& b, Dim* quotient) {
  if (b.is_fixed()) {
    if (b.constant_ == 0) return false;
    std::vector<Dim::Term> terms = a.terms();
    for (Dim::Term& t : terms) {
      if (t.factor % b.constant_ != 0) return false;
      t.factor /= b.constant_;
    }
    if (a.constant_ % b.constant_ != 0) return false;
    *quotient = Dim::from(a.constant_ / b.constant_, std::move(terms));
    return true;
  }
  const Dim::Term* by = leading_term(b.terms());
  Dim rest = a, sum = 0;
  for (int round = 0; round < 64; ++round) {
    if (rest == Dim(0)) {
      *quotient = sum;
      return true;
    }
    if (rest.is_fixed()) return false;
    Dim::Term q;
    if (!divide_term(*leading_term(rest.terms()), *by, &q)) return false;
    const Dim part = q.atoms.empty() ? Dim(q.factor) : Dim::from(0, {q});
    sum += part;
    rest = rest - part * b;
  }
  return false;
}

namespace {
template <class Pick>
Dim min_or_max(const Dim& a, const Dim& b, bool is_min, Pick make) {
  if (a == b) return a;
  const Dim difference = a - b;
  if (difference.hi() <= 0) return is_min ? a : b;
  if (difference.lo() >= 0) return is_min ? b : a;
  return a.text() <= b.text() ? make(a, b) : make(b, a);
}
}  // namespace

Dim min(const Dim& a, const Dim& b) {
  return min_or_max(a, b, true, [](const Dim& x, const Dim& y) {
    auto atom = std::make_shared<Dim::Atom>();
    atom->kind = Dim::Atom::min;
    atom->a = x;
    atom->b = y;
    atom->finish();
    return Dim::of_atom(std::move(atom));
  });
}

Dim max(const Dim& a, const Dim& b) {
  return min_or_max(a, b, false, [](const Dim& x, const Dim& y) {
    auto atom = std::make_shared<Dim::Atom>();
    atom->kind = Dim::Atom::max;
    atom->a = x;
    atom->b = y;
    atom->finish();
    return Dim::of_atom(std::move(atom));
  });
}

}  // namespace macec
