// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of targets, and how a name is looked up.
#include <algorithm>

#include "compiler/support/error.h"
#include "targets/cpu/cpu.h"
#include "targets/opencl/opencl.h"
#include "targets/target.h"

namespace macec {

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = [] {
    std::vector<Target> all = cpu_targets();
    const std::vector<Target> with_gpu = opencl_targets(all);
    all.insert(all.end(), with_gpu.begin(), with_gpu.end());
    return all;
  }();
  return targets;
}

namespace {

// Levenshtein distance, for suggestions.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string host_name() {
#if defined(__x86_64__) || defined(_M_X64)
  return "x86-64";
#elif defined(__aarch64__)
  return "armv8";
#elif defined(__arm__)
  return "armv7";
#else
  return "portable";
#endif
}

}  // namespace

Target find_target(std::string_view name) {
  const std::string wanted = name == "host" || name.empty() ? host_name() : std::string(name);
  for (const Target& target : all_targets())
    if (target.name == wanted) return target;
  if (wanted.find('+') != wanted.npos) {
    const std::string base = wanted.substr(0, wanted.find('+'));
    throw user_error("features behind a target ('{}') are not supported",
                     wanted.substr(base.size()))
        .hint(fmt::format("leave them out: --target={}", base));
  }
  std::vector<std::string> names;
  for (const Target& target : all_targets()) names.push_back(target.name);
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return distance(a, wanted) < distance(b, wanted);
  });
  throw user_error("no target is called '{}'", name)
      .hint(fmt::format("did you mean {}, {} or {}? 'macec list targets' shows all", names[0],
                        names[1], names[2]));
}

}  // namespace macec
