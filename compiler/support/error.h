// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two ways to fail: the user's fault (UserError) and ours (MACEC_CHECK -> InternalError).
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace macec {

// A flag that would cure an error: "--dim", "s53=1..128", as they stand in an argument list.
struct Cure {
  std::string flag, value;
  bool is_partial = false;  // it compiles the rest of the model only
};

// What is wrong with the user's model or flags. The thrower says what and what to do; the driver
// adds where (node, type, shapes). Lower case, no full stop.
class UserError : public std::exception {
 public:
  explicit UserError(std::string what) : text_(std::move(what)) {}
  // Adds a line of advice; several are printed in order.
  UserError& hint(std::string text) {
    hints_.push_back(std::move(text));
    return *this;
  }
  // Names the place when the thrower knows it better than the driver ("weight 'w' float32[3]").
  UserError& at(std::string text) {
    places_.push_back(std::move(text));
    return *this;
  }
  // Flags each of which may cure this error alone, the first choice first. Nothing below the driver tries them.
  UserError& cure(std::vector<Cure> ways) {
    cures_ = std::move(ways);
    return *this;
  }
  const char* what() const noexcept override { return text_.c_str(); }
  const std::string& text() const { return text_; }
  // Whether it is macec that cannot do what the model asks for: such texts say "not supported".
  bool is_refusal() const { return text_.find("not supported") != std::string::npos; }
  const std::vector<std::string>& hints() const { return hints_; }
  const std::vector<std::string>& places() const { return places_; }
  const std::vector<Cure>& cures() const { return cures_; }

 private:
  std::string text_;
  std::vector<std::string> hints_, places_;
  std::vector<Cure> cures_;
};

// user_error("input has {} channels but the weights expect {}", have, want)
template <class... Args>
UserError user_error(fmt::format_string<Args...> format, Args&&... args) {
  return UserError(fmt::format(format, std::forward<Args>(args)...));
}

// A bug in macec: exit code 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& text);

#define MACEC_CHECK(condition, ...)                                                      \
  do {                                                                                   \
    if (!(condition))                                                                    \
      ::macec::check_failed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
  } while (false)

}  // namespace macec
