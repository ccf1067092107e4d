// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/dim.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compiler/support/error.h"

namespace macec {
namespace {

constexpr int64_t kLimit = int64_t{1} << 62;

int64_t saturate(__int128 v) {
  if (v > kLimit) return kLimit;
  if (v < -kLimit) return -kLimit;
  return static_cast<int64_t>(v);
}

int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0)) ? q - 1 : q;
}

struct Interval {
  int64_t lo, hi;
};
Interval times(Interval a, Interval b) {
  const __int128 p[4] = {static_cast<__int128>(a.lo) * b.lo, static_cast<__int128>(a.lo) * b.hi,
                         static_cast<__int128>(a.hi) * b.lo, static_cast<__int128>(a.hi) * b.hi};
  return {saturate(*std::min_element(p, p + 4)), saturate(*std::max_element(p, p + 4))};
}

}  // namespace

// A factor that is no number. `key` is its text: equal keys are equal atoms.
struct Dim::Atom {
  enum Kind { symbol, floor_div, min, max } kind;
  std::shared_ptr<const Symbol> name;  // symbol: the atom is (value - lo % step) / step
  Dim a, b;                            // floor_div: a / divisor; min, max: of a and b
  int64_t divisor = 1;
  std::string key;

  Interval bounds() const {
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

namespace {

using Term = Dim::Term;

std::string key_of(const Term& term) {
  std::string key;
  for (const auto& atom : term.atoms) key += atom->key + "*";
  return key;
}

Interval bounds_of(const Term& term) {
  Interval r{term.factor, term.factor};
  for (const auto& atom : term.atoms) r = times(r, atom->bounds());
  return r;
}

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

const std::vector<Dim::Term>& Dim::terms() const {
  static const std::vector<Term> none;
  return terms_ ? *terms_ : none;
}

Dim Dim::from(int64_t constant, std::vector<Term> terms) {
  std::map<std::string, Term> merged;
  for (Term& term : terms) {
    std::sort(term.atoms.begin(), term.atoms.end(),
              [](const auto& x, const auto& y) { return x->key < y->key; });
    auto [at, is_new] = merged.emplace(key_of(term), term);
    if (!is_new) at->second.factor += term.factor;
  }
  Dim result(constant);
  std::vector<Term> kept;
  for (auto& [key, term] : merged)
    if (term.factor != 0) kept.push_back(std::move(term));
  if (!kept.empty()) result.terms_ = std::make_shared<const std::vector<Term>>(std::move(kept));
  return result;
}

Dim Dim::of_atom(std::shared_ptr<const Atom> atom) {
  return from(0, {{1, {std::move(atom)}}});
}

Dim Dim::symbol(std::shared_ptr<const Symbol> symbol) {
  MACEC_CHECK(symbol->lo <= symbol->hi && symbol->step >= 1, "bad symbol '{}'", symbol->name);
  if (symbol->lo == symbol->hi) return Dim(symbol->lo);
  auto atom = std::make_shared<Atom>();
  atom->kind = Atom::symbol;
  atom->key = symbol->step == 1 ? symbol->name : fmt::format("({}/{})", symbol->name, symbol->step);
  const int64_t rest = symbol->lo % symbol->step, step = symbol->step;
  atom->name = std::move(symbol);
  return from(rest, {{step, {atom}}});
}

int64_t Dim::value() const {
  MACEC_CHECK(is_fixed(), "extent {} is no constant", text());
  return constant_;
}

int64_t Dim::lo() const {
  __int128 sum = constant_;
  for (const Term& t : terms()) sum += bounds_of(t).lo;
  return saturate(sum);
}

int64_t Dim::hi() const {
  __int128 sum = constant_;
  for (const Term& t : terms()) sum += bounds_of(t).hi;
  return saturate(sum);
}

bool Dim::operator==(const Dim& other) const {
  if (constant_ != other.constant_) return false;
  if (terms_ == other.terms_) return true;
  const auto &a = terms(), &b = other.terms();
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].factor != b[i].factor || key_of(a[i]) != key_of(b[i])) return false;
  return true;
}

Dim Dim::operator+(const Dim& other) const {
  if (is_fixed() && other.is_fixed())
    return Dim(saturate(static_cast<__int128>(constant_) + other.constant_));
  std::vector<Term> all = terms();
  all.insert(all.end(), other.terms().begin(), other.terms().end());
  return from(saturate(static_cast<__int128>(constant_) + other.constant_), std::move(all));
}

Dim Dim::operator-(const Dim& other) const {
  return *this + other * Dim(-1);
}

Dim Dim::operator*(const Dim& other) const {
  const int64_t constant = saturate(static_cast<__int128>(constant_) * other.constant_);
  if (is_fixed() && other.is_fixed()) return Dim(constant);
  std::vector<Term> all;
  for (const Term& t : terms())
    all.push_back({saturate(static_cast<__int128>(t.factor) * other.constant_), t.atoms});
  for (const Term& t : other.terms())
    all.push_back({saturate(static_cast<__int128>(t.factor) * constant_), t.atoms});
  for (const Term& a : terms())
    for (const Term& b : other.terms()) {
      Term t{saturate(static_cast<__int128>(a.factor) * b.factor), a.atoms};
      t.atoms.insert(t.atoms.end(), b.atoms.begin(), b.atoms.end());
      all.push_back(std::move(t));
    }
  return from(constant, std::move(all));
}

int64_t Dim::evaluate(const std::function<int64_t(const Symbol&)>& value_of) const {
  int64_t sum = constant_;
  for (const Term& t : terms()) {
    int64_t p = t.factor;
    for (const auto& atom : t.atoms) {
      switch (atom->kind) {
        case Atom::symbol:
          p *= floor_quotient(value_of(*atom->name) - atom->name->lo % atom->name->step,
                              atom->name->step);
          break;
        case Atom::floor_div:
          p *= floor_quotient(atom->a.evaluate(value_of), atom->divisor);
          break;
        case Atom::min:
          p *= std::min(atom->a.evaluate(value_of), atom->b.evaluate(value_of));
          break;
        case Atom::max:
          p *= std::max(atom->a.evaluate(value_of), atom->b.evaluate(value_of));
          break;
      }
    }
    sum += p;
  }
  return sum;
}

std::string Dim::render(const std::function<std::string(const Symbol&)>* name_of) const {
  const auto render_atom = [&](const Atom& atom) -> std::string {
    switch (atom.kind) {
      case Atom::symbol: {
        const std::string name = name_of ? (*name_of)(*atom.name) : atom.name->name;
        return atom.name->step == 1 ? name : fmt::format("({} / {})", name, atom.name->step);
      }
      case Atom::floor_div:
        return fmt::format("{}({}, {})", name_of ? "macec_floor_div" : "floor_div",
                           atom.a.render(name_of), atom.divisor);
      default:
        return fmt::format("{}{}({}, {})", name_of ? "macec_" : "",
                           atom.kind == Atom::min ? "min" : "max", atom.a.render(name_of),
                           atom.b.render(name_of));
    }
  };
  std::string text;
  for (const Term& t : terms()) {
    std::string product;
    for (const auto& atom : t.atoms) product += (product.empty() ? "" : " * ") + render_atom(*atom);
    const int64_t size = t.factor < 0 ? -t.factor : t.factor;
    if (size != 1) product += fmt::format(" * {}", size);
    if (text.empty()) {
      text = t.factor < 0 ? "-" + product : product;
    } else {
      text += (t.factor < 0 ? " - " : " + ") + product;
    }
  }
  if (text.empty()) return fmt::format("{}", constant_);
  if (constant_ != 0)
    text +=
        fmt::format(" {} {}", constant_ < 0 ? '-' : '+', constant_ < 0 ? -constant_ : constant_);
  return text;
}

std::string Dim::text() const {
  return render(nullptr);
}
std::string Dim::code(const std::function<std::string(const Symbol&)>& name_of) const {
  return render(&name_of);
}

void Dim::symbols(const std::function<void(const std::shared_ptr<const Symbol>&)>& f) const {
  for (const Term& t : terms())
    for (const auto& atom : t.atoms) {
      if (atom->kind == Atom::symbol) f(atom->name);
      atom->a.symbols(f);
      atom->b.symbols(f);
    }
}

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
  atom->key = fmt::format("floor_div({}, {})", inner.text(), by);
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
    atom->key = fmt::format("min({}, {})", x.text(), y.text());
    return Dim::of_atom(std::move(atom));
  });
}

Dim max(const Dim& a, const Dim& b) {
  return min_or_max(a, b, false, [](const Dim& x, const Dim& y) {
    auto atom = std::make_shared<Dim::Atom>();
    atom->kind = Dim::Atom::max;
    atom->a = x;
    atom->b = y;
    atom->key = fmt::format("max({}, {})", x.text(), y.text());
    return Dim::of_atom(std::move(atom));
  });
}

Dim product(const Shape& shape) {
  Dim p = 1;
  for (const Dim& d : shape) p *= d;
  return p;
}
bool is_fixed(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_fixed(); });
}
std::vector<int64_t> fixed(const Shape& shape) {
  std::vector<int64_t> values;
  for (const Dim& d : shape) values.push_back(d.value());
  return values;
}
Shape to_shape(const std::vector<int64_t>& values) {
  return Shape(values.begin(), values.end());
}
std::string text(const Shape& shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) s += (i ? "," : "") + shape[i].text();
  return s + "]";
}

}  // namespace macec
