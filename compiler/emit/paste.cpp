// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/paste.h"

#include <algorithm>

#include "compiler/emit/embedded.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// "kernels/gemm.h" + "../params/gemm.h" -> "params/gemm.h"
std::string resolve(const std::string& from, const std::string& include) {
  std::string folder = from.substr(0, from.rfind('/') + 1), rest = include;
  while (rest.rfind("../", 0) == 0) {
    rest = rest.substr(3);
    folder = folder.substr(0, folder.rfind('/', folder.size() - 2) + 1);
  }
  return folder + rest;
}

bool starts_with(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

bool is_common(const std::string& path) {
  return starts_with(path, "params/");
}

// Includes go to on_include; guards and licence lines go away; the rest is appended.
template <class OnInclude>
void append_file(const std::string& path, std::string* out, OnInclude on_include) {
  bool in_head = true;  // the licence line
  for (const std::string& line : lines_of(embedded_text("codegen_templates/" + path))) {
    if (starts_with(line, "#include ")) {
      on_include(line.substr(9));
      continue;
    }
    if (starts_with(line, "#pragma once") || (in_head && starts_with(line, "// SPDX"))) continue;
    in_head = false;
    *out += line + "\n";
  }
}

}  // namespace

void Paster::add(const std::string& requested) {
  std::string path = requested == "kernels/simd/simd.h" ? simd_header_ : requested;
  if (requested == "kernels/simd/integers.h")  // "kernels/simd/avx2.h": "..._integers.h"
    path = simd_header_.substr(0, simd_header_.size() - 2) + "_integers.h";
  if (!done_.insert(path).second) return;
  if (is_common(path)) {
    std::string ignored;
    append_file(path, &ignored, [&](const std::string& include) {
      if (include[0] == '"') add(resolve(path, include.substr(1, include.find('"', 1) - 1)));
    });
    params_.push_back(path);
    return;
  }
  std::string own;
  append_file(path, &own, [&](const std::string& include) {
    if (include[0] == '<') {
      system_headers_.insert(include.substr(0, include.find('>') + 1));
    } else {
      add(resolve(path, include.substr(1, include.find('"', 1) - 1)));
    }
  });
  text_ += fmt::format("\n// --- {}\n", path) + own;
}

std::string pasted_params(const std::string& path) {
  std::string text, kept;
  append_file(path, &text, [](const std::string&) {});
  // The visitor that names all fields is for the compiler only: from its template line to its
  // closing brace.
  const std::string visitor = "\n  template <class Self, class F>\n  static void each(";
  for (size_t at = text.find(visitor); at != text.npos; at = text.find(visitor)) {
    const size_t end = text.find("\n  }\n", at);
    MACEC_CHECK(end != text.npos, "{} has no end of each()", path);
    text.erase(at, end + 5 - at);
  }
  return text;
}

}  // namespace macec
