// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small text helpers: lists, numbers for people, nearest names, escaping of names that come from a model.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace macec {

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::vector<std::string> split(std::string_view text, char separator);  // "a,,b" -> a, "", b
bool starts_with(std::string_view text, std::string_view prefix);
bool ends_with(std::string_view text, std::string_view suffix);

// A whole decimal integer, sign allowed; nothing else may stand around it.
std::optional<int64_t> parse_int(std::string_view text);
std::optional<double> parse_real(std::string_view text);

std::string with_commas(int64_t number);               // 23104 -> "23,104"
std::string bytes_text(int64_t bytes);                 // "88 KB", "44.6 MB"; decimal units
std::string count_text(double number);                 // "367 M", "1.2 G"
std::string plural(int64_t n, std::string_view word);  // "1 error", "2 errors"

// The candidate with the fewest edits from `word`, if they are few enough to be a slip; else "".
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// Text from outside, made safe to print on one line: control characters, broken UTF-8 and very long names are
// shown as \xNN or cut.
std::string printable(std::string_view text);
// As one argument of a POSIX shell; plain words stay as they are.
std::string shell_quoted(std::string_view text);
// With the quotes.
std::string json_quoted(std::string_view text);

// Does `name` match a pattern with '*'? If so, `stars` gets what each star stands for.
bool matches_pattern(std::string_view pattern, std::string_view name,
                     std::vector<std::string>* stars);

// A table in plain columns, two blanks between them; the first row is the head. The last column is not padded.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace macec
