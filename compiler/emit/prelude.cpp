// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of runtime_stub/ in a generated source: which file stands where.
#include <fmt/format.h>

#include "compiler/emit/embedded.h"
#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

// What runtime_stub/gpu_system.h uses. The words that <windows.h> takes away are names elsewhere.
constexpr const char* kGpuIncludes = R"(#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#undef near
#undef far
#else
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#endif
)";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Whether the line is nothing but the mark.
bool is_mark(std::string_view line, std::string_view mark) {
  const size_t first = line.find_first_not_of(' ');
  return first != line.npos && line.substr(first) == std::string(mark) + "\n";
}

std::string pasted_file(std::string_view path, bool with_gpu) {
  return "\n" + pasted_text(path, with_gpu);
}

std::string pasted_files(std::initializer_list<const char*> names, bool with_gpu) {
  std::string text;
  for (const char* name : names)
    text += pasted_file(fmt::format("runtime_stub/{}.h", name), with_gpu);
  return text;
}

bool needs_feature_tests(const GeneratedPair& pair) {
  for (const ModelInterface& model : pair.models) {
    for (const InterfaceLevel& level : model.levels) {
      if (features_code(level.features).find("MACEC_HAS_FEATURE") != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace

std::string pasted_text(std::string_view path, bool with_gpu) {
  std::string_view rest = embedded_text(path);
  const size_t layer = rest.find("/* BEGIN LAYER ");
  if (layer != rest.npos) return std::string(rest.substr(layer));
  const std::string_view mark = "#pragma once\n";
  const size_t head = rest.find(mark);  // what stands before it is for readers of the repository
  MACEC_CHECK(head != rest.npos, "{} has no #pragma once", path);
  rest.remove_prefix(head + mark.size());
  std::string text;
  bool is_gpu_part = false;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view one = rest.substr(0, end == rest.npos ? end : end + 1);
    rest.remove_prefix(one.size());
    const bool is_leading_blank = one == "\n" && text.empty();
    const bool begins = is_mark(one, "// BEGIN GPU"), ends = is_mark(one, "// END GPU");
    is_gpu_part = begins || (is_gpu_part && !ends);
    const bool is_left_out = begins || ends || (is_gpu_part && !with_gpu);
    if (!starts_with(one, "#include") && !is_leading_blank && !is_left_out) text += one;
  }
  return text;
}

std::string write_source_prelude(const GeneratedPair& pair) {
  std::string text = fmt::format(
      "#include \"{}\"\n\n#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n",
      pair.header_name);
  for (const std::string& include : pair.includes) {
    if (text.find(include) == std::string::npos) text += "#include " + include + "\n";
  }
  if (needs_feature_tests(pair)) {
    text +=
        "#if defined(__linux__)\n#include <sys/auxv.h>\n#elif defined(__APPLE__)\n#include "
        "<sys/sysctl.h>\n#endif\n";
  }
  if (pair.has_gpu()) text += kGpuIncludes;
  text += pasted_file("runtime_stub/require.h", false) + "\nnamespace {\n" +
          pasted_files({"context", "workers"}, pair.has_gpu());
  if (pair.step_hooks) text += pasted_file("runtime_stub/step_hooks.h", false);
  if (pair.has_gpu()) text += pasted_files({"gpu_api", "gpu_tables", "gpu_state", "gpu_run"}, true);
  return text + "\n}  // namespace\n";
}

std::string pasted_interface(const GeneratedPair& pair) {
  std::string text = "namespace {\n";
  if (needs_feature_tests(pair)) text += pasted_file("runtime_stub/levels.h", false);
  text += pasted_files({"blob", "open", "run"}, pair.has_gpu());
  if (pair.has_gpu()) {
    text += pasted_files({"gpu_system", "gpu_load", "gpu_context", "gpu_cache", "gpu_program",
                          "gpu_memory", "gpu_draw", "gpu_check", "gpu_open", "gpu_model"},
                         true);
  }
  return text + "\n}  // namespace\n";
}

}  // namespace macec
