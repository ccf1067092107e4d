// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The normal form: construction, bounds, sums and products, text. dim_divide.cpp has quotients, minimum and maximum.
#include "compiler/ir/dim.h"

#include <algorithm>
#include <map>

#include "compiler/ir/dim_atom.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

using Term = Dim::Term;

// Where a size is used twice to make the next one, expressions double at each step.
constexpr size_t kLongestKey = 4000;

Interval bounds_of(const Term& term) {
  Interval r{term.factor, term.factor};
  for (const auto& atom : term.atoms) r = times(r, atom->bounds);
  return r;
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

std::string Dim::Atom::make_key() const {
  switch (kind) {
    case symbol:
      return name->step == 1 ? name->name : fmt::format("({}/{})", name->name, name->step);
    case floor_div:
      return fmt::format("floor_div({}, {})", a.text(), divisor);
    default:
      return fmt::format("{}({}, {})", kind == min ? "min" : "max", a.text(), b.text());
  }
}

void Dim::Atom::finish() {
  key = make_key();
  if (kind != symbol && key.size() > kLongestKey)
    throw user_error("a size takes an expression of more than {} characters: {}...", kLongestKey,
                     key.substr(0, 60))
        .hint("with --dim NAME=SIZE it is a number");
  bounds = make_bounds();
}

Dim Dim::of_atom(std::shared_ptr<const Atom> atom) {
  return from(0, {{1, {std::move(atom)}}});
}

Dim Dim::symbol(std::shared_ptr<const Symbol> symbol) {
  MACEC_CHECK(symbol->lo <= symbol->hi && symbol->step >= 1, "bad symbol '{}'", symbol->name);
  if (symbol->lo == symbol->hi) return Dim(symbol->lo);
  auto atom = std::make_shared<Atom>();
  atom->kind = Atom::symbol;
  const int64_t rest = symbol->lo % symbol->step, step = symbol->step;
  atom->name = std::move(symbol);
  atom->finish();
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
  const auto symbol_name = [&](const Symbol& symbol) {
    return name_of ? (*name_of)(symbol) : symbol.name;
  };
  const auto render_atom = [&](const Atom& atom) -> std::string {
    switch (atom.kind) {
      case Atom::symbol: {
        const std::string name = symbol_name(*atom.name);
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
    int64_t size = t.factor < 0 ? -t.factor : t.factor;
    for (const auto& atom : t.atoms) {
      // 32 * (height / 32) is height: the step divides it.
      const bool is_whole = atom->kind == Atom::symbol && atom->name->step > 1 &&
                            size % atom->name->step == 0 && atom->name->lo % atom->name->step == 0;
      if (is_whole) size /= atom->name->step;
      product += (product.empty() ? "" : " * ") +
                 (is_whole ? symbol_name(*atom->name) : render_atom(*atom));
    }
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

bool Dim::has_computed() const {
  bool found = false;
  symbols([&](const std::shared_ptr<const Symbol>& s) { found = found || s->is_computed; });
  return found;
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
