// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The texts of runtime_stub/ in a generated source: which file stands where.
#include <fmt/format.h>

#include "compiler/emit/embedded.h"
#include "compiler/emit/interface.h"
#include "compiler/emit/interface_parts.h"
#include "compiler/support/error.h"

namespace macec {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::string pasted_file(std::string_view path) {
  return "\n" + pasted_text(path);
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

std::string pasted_text(std::string_view path) {
  std::string_view rest = embedded_text(path);
  const size_t layer = rest.find("/* BEGIN LAYER ");
  if (layer != rest.npos) return std::string(rest.substr(layer));
  const std::string_view mark = "#pragma once\n";
  const size_t head = rest.find(mark);  // what stands before it is for readers of the repository
  MACEC_CHECK(head != rest.npos, "{} has no #pragma once", path);
  rest.remove_prefix(head + mark.size());
  std::string text;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const std::string_view one = rest.substr(0, end == rest.npos ? end : end + 1);
    rest.remove_prefix(one.size());
    const bool is_leading_blank = one == "\n" && text.empty();
    if (!starts_with(one, "#include") && !is_leading_blank) text += one;
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
  text += pasted_file("runtime_stub/require.h") + "\nnamespace {\n" +
          pasted_file("runtime_stub/context.h") + pasted_file("runtime_stub/workers.h");
  if (pair.step_hooks) text += pasted_file("runtime_stub/step_hooks.h");
  return text + "\n}  // namespace\n";
}

std::string pasted_interface(const GeneratedPair& pair) {
  std::string text = "namespace {\n";
  if (needs_feature_tests(pair)) text += pasted_file("runtime_stub/levels.h");
  text += pasted_file("runtime_stub/blob.h") + pasted_file("runtime_stub/open.h") +
          pasted_file("runtime_stub/run.h");
  return text + "\n}  // namespace\n";
}

}  // namespace macec
