// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/support/diagnostics.h"

#include <algorithm>

#include "compiler/support/text.h"

namespace macec {

constexpr size_t kMostErrors = 20;  // printed; the rest is counted

void Diagnostics::add(const UserError& error, const std::string& place) {
  UserError copy(error.text());
  copy.at(place);
  for (const std::string& more : error.places()) copy.at(more);
  for (const std::string& hint : error.hints()) copy.hint(hint);
  copy.cure(error.cures());
  errors_.push_back(std::move(copy));
}

std::string error_text(const UserError& error) {
  std::string out = "error: " + error.text() + "\n";
  for (const std::string& place : error.places()) out += "    at " + place + "\n";
  for (const std::string& hint : error.hints()) out += "    hint: " + hint + "\n";
  return out;
}

std::string Diagnostics::report(const std::string& file, const std::string& what_failed,
                                const std::string& suggestion) const {
  std::string out;
  for (size_t i = 0; i < std::min(errors_.size(), kMostErrors); ++i) out += error_text(errors_[i]);
  if (errors_.size() > kMostErrors)
    out += fmt::format("and {}\n",
                       plural(static_cast<int64_t>(errors_.size() - kMostErrors), "more error"));
  return out + fmt::format("macec: {} in {}; {}{}\n", plural(count(), "error"), printable(file),
                           what_failed, suggestion);
}

}  // namespace macec
