// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace macec {
namespace {

// Keywords of C11 and C++20, macros that common headers define in lower case, and the parameters
// and local variables of the functions in a generated header. Sorted.
constexpr std::string_view kTaken[] = {
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "bytes",
    "c",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "complex",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "context",
    "continue",
    "decltype",
    "default",
    "delete",
    "dims",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "environ",
    "errno",
    "error",
    "explicit",
    "export",
    "extern",
    "false",
    "far",
    "float",
    "for",
    "friend",
    "goto",
    "huge",
    "if",
    "imaginary",
    "in",
    "inline",
    "int",
    "interface",
    "io",
    "linux",
    "long",
    "m",
    "max",
    "memory",
    "min",
    "model",
    "mutable",
    "namespace",
    "near",
    "new",
    "noexcept",
    "noreturn",
    "not",
    "not_eq",
    "nullptr",
    "offsetof",
    "operator",
    "options",
    "or",
    "or_eq",
    "out",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "s",
    "short",
    "signed",
    "sizeof",
    "small",
    "static",
    "static_assert",
    "static_cast",
    "status",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "union",
    "unix",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_word_char(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

// The generated code's own names.
bool starts_as_ours(std::string_view name) {
  return name.substr(0, 5) == "macec";
}

}  // namespace

bool is_c_word(std::string_view word) {
  return std::binary_search(std::begin(kTaken), std::end(kTaken), word);
}

std::string identifier_from(std::string_view name, std::string_view fallback) {
  constexpr size_t kMostBytes = 60;
  std::string id;
  for (char c : name) {
    if (is_letter(c) || is_digit(c)) {
      id += lower(c);
    } else if (!id.empty() && id.back() != '_') {
      id += '_';
    }
  }
  if (id.size() > kMostBytes) id.resize(kMostBytes);
  while (!id.empty() && id.back() == '_') id.pop_back();
  if (id.empty()) return std::string(fallback);
  const std::string stem(fallback.substr(0, fallback.find('_')));
  if (is_digit(id[0])) return stem + "_" + id;
  return is_c_word(id) ? id + "_" + stem : id;
}

std::string model_name_from(std::string_view text) {
  const std::string id = identifier_from(text, "model");
  return starts_as_ours(id) ? "model_" + id : id;
}

std::string unique_name(const std::string& base,
                        const std::function<bool(const std::string&)>& is_free) {
  if (is_free(base)) return base;
  for (int i = 2;; ++i) {
    std::string name = base + "_" + std::to_string(i);
    if (is_free(name)) return name;
  }
}

std::string why_no_model_name(std::string_view name) {
  if (name.empty()) return "it is empty";
  if (!is_letter(name[0])) return "it does not start with a letter";
  if (!std::all_of(name.begin(), name.end(), is_word_char)) {
    return "it has other characters than letters, digits and '_'";
  }
  if (name.find("__") != name.npos) return "C++ reserves names with two underscores in a row";
  if (name == "std" || starts_as_ours(name)) return "that name is taken";
  if (is_c_word(name)) return "it is a word of C or C++";
  return "";
}

std::string generated_line(std::string_view file, std::string_view compiler) {
  return fmt::format("{}: written by {}; do not edit.", file, compiler);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

std::string c_string(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (c == '?') {
      result += "\\?";  // no trigraph
    } else if (u >= 0x20 && u < 0x7f) {
      result += c;
    } else {  // three octal digits: never runs into the next character
      result += {'\\', static_cast<char>('0' + (u >> 6)), static_cast<char>('0' + (u >> 3 & 7)),
                 static_cast<char>('0' + (u & 7))};
    }
  }
  return result + "\"";
}

std::string comment_text(std::string_view text) {
  constexpr size_t kMostBytes = 200;
  constexpr char kHex[] = "0123456789abcdef";
  std::string result;
  for (char c : text) {
    const unsigned char u = static_cast<unsigned char>(c);
    if (result.size() >= kMostBytes) return result + "...";
    if (u < 0x20 || u >= 0x7f) {
      result += {'<', kHex[u >> 4], kHex[u & 15], '>'};
    } else if ((c == '/' && !result.empty() && result.back() == '*') ||
               (c == '*' && !result.empty() && result.back() == '/')) {
      result += {' ', c};
    } else if (c == '?' && !result.empty() && result.back() == '?') {
      result += " ?";
    } else {
      result += c;
    }
  }
  if (!result.empty() && result.back() == '\\') result += ' ';  // would continue a // comment
  return result;
}

std::string rename_identifiers(std::string_view code,
                               const std::function<std::string(const std::string&)>& rename) {
  std::string result;
  for (size_t i = 0; i < code.size();) {
    if (!is_word_char(code[i])) {
      result += code[i++];
      continue;
    }
    size_t end = i;
    while (end < code.size() && is_word_char(code[end])) ++end;
    const std::string word(code.substr(i, end - i));
    result += is_digit(word[0]) ? word : rename(word);
    i = end;
  }
  return result;
}

bool uses_identifier(std::string_view code, std::string_view identifier) {
  bool is_used = false;
  rename_identifiers(code, [&](const std::string& word) {
    is_used = is_used || word == identifier;
    return word;
  });
  return is_used;
}

}  // namespace macec
