// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and texts from a model as C: identifiers, string literals, comments. They are data from
// outside: everything that is printed into generated code goes through here.
#pragma once
#include <functional>
#include <string>
#include <string_view>

namespace macec {

// "Input:0" -> "input_0": lower case, [a-z][a-z0-9_]*, no double or last underscore, no word that
// C, C++ or our headers use. fallback: the name where nothing is left ("input_3"); its first word
// goes before a digit ("7" -> "input_7") and behind a taken word ("int" -> "int_input").
std::string identifier_from(std::string_view name, std::string_view fallback);

// The same for a model, and never a name that starts as all names of ours do.
std::string model_name_from(std::string_view text);

// The first of base, base_2, base_3, ... that is_free accepts.
std::string unique_name(const std::string& base,
                        const std::function<bool(const std::string&)>& is_free);

bool is_c_word(
    std::string_view word);  // a keyword or a name that must not be used as an identifier

// Whether `name` can stand before "_open" and as a namespace; the reason why not, or "".
std::string why_no_model_name(std::string_view name);

std::string upper(std::string_view text);
// "kws.cpp: written by macec 0.1.0; do not edit.", by which macec knows its files (kGeneratedMarker). compiler: "macec 0.1.0".
std::string generated_line(std::string_view file, std::string_view compiler);
std::string c_string(std::string_view text);  // with quotes; everything but printable ASCII escaped
std::string comment_text(
    std::string_view text);  // one line that cannot end a comment; at most 200 bytes

// `code` with every identifier w replaced by rename(w).
std::string rename_identifiers(std::string_view code,
                               const std::function<std::string(const std::string&)>& rename);

bool uses_identifier(std::string_view code, std::string_view identifier);

}  // namespace macec
