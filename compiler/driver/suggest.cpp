// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/suggest.h"

#include <algorithm>
#include <exception>

#include "compiler/driver/compile.h"
#include "compiler/support/text.h"

namespace macec {
namespace {

// The cure number `choice` of every error, or its last one; each once.
std::vector<Cure> chosen(const std::vector<UserError>& errors, size_t choice) {
  std::vector<Cure> result;
  for (const UserError& error : errors) {
    const Cure& cure = error.cures()[std::min(choice, error.cures().size() - 1)];
    const auto is_same = [&](const Cure& other) {
      return other.flag == cure.flag && other.value == cure.value;
    };
    if (std::none_of(result.begin(), result.end(), is_same)) result.push_back(cure);
  }
  return result;
}

bool compiles(const Options& options, const std::vector<Cure>& cures) {
  std::vector<std::string> words = options.arguments;
  for (const Cure& cure : cures) words.push_back(cure.flag + "=" + cure.value);
  try {
    Options trial = parse_options(words);
    trial.dump_after = trial.emit = trial.explain = "";
    trial.has_self_check = false;
    Diagnostics diag;
    compile(trial, diag);
    return true;
  } catch (const std::exception&) {  // whatever it is: this is not what we advise
    return false;
  }
}

std::string command_text(const Options& options, const std::vector<Cure>& cures) {
  std::vector<std::string> words = {"macec"};
  for (const std::string& word : options.arguments) words.push_back(shell_quoted(word));
  for (const Cure& cure : cures) words.push_back(cure.flag + " " + shell_quoted(cure.value));
  return join(words, " ");
}

}  // namespace

std::string suggestion(const Options& options, const Diagnostics& diag) {
  const std::vector<UserError>& errors = diag.errors();
  size_t choices = 0;
  for (const UserError& error : errors) {
    if (error.cures().empty()) return "";
    choices = std::max(choices, error.cures().size());
  }
  if (choices == 0) return "";
  for (size_t choice = 0; choice < choices; ++choice) {
    const std::vector<Cure> cures = chosen(errors, choice);
    if (!compiles(options, cures)) continue;
    const bool is_partial =
        std::any_of(cures.begin(), cures.end(), [](const Cure& cure) { return cure.is_partial; });
    return fmt::format(". {}:\n    {}",
                       is_partial ? "This compiles the rest" : "For example, this compiles",
                       command_text(options, cures));
  }
  return fmt::format(". With values that fit the model, this is the form:\n    {}",
                     command_text(options, chosen(errors, 0)));
}

}  // namespace macec
